"""Bulk acts at the desk, decisions about names and day rules are leaves of the log, too."""

from django.db import migrations, models

from audit.models import LeafKind

ANNOUNCED = {
    19: "audit_bulkact",
    20: "audit_namedecision",
    21: "audit_dayrule",
}


def kinds(model: str) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name="kind",
        field=models.SmallIntegerField(choices=LeafKind.choices),
    )


def announced(kind: int, table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER announce AFTER INSERT ON {table} REFERENCING NEW TABLE AS news"
        f" FOR EACH STATEMENT EXECUTE FUNCTION audit_announce({kind})",
        f"DROP TRIGGER announce ON {table}",
    )


def announce_all(kind: int, table: str) -> migrations.RunSQL:
    """Announce the rows that stand there already."""
    return migrations.RunSQL(
        f"""
        INSERT INTO audit_sealpending (kind, rows)
        SELECT {kind}, array_agg(id ORDER BY id)
        FROM (
            SELECT id, (row_number() OVER (ORDER BY id) - 1) / 5000 AS part FROM {table}
        ) parts
        GROUP BY part ORDER BY part
        """,  # noqa: S608 - from constants
        f"DELETE FROM audit_sealpending WHERE kind = {kind}",  # noqa: S608
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0021_players"),)

    operations = (
        kinds("sealedleaf"),
        kinds("sealpending"),
        *(announced(kind, table) for kind, table in ANNOUNCED.items()),
        *(announce_all(kind, table) for kind, table in ANNOUNCED.items()),
    )
