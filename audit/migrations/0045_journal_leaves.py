"""The journal, the attempts to sign in and the reviews become leaves of the log."""

from django.db import migrations, models

from audit.models import LeafKind

ANNOUNCED = {50: "audit_journal", 51: "audit_signin", 52: "audit_review"}


def kinds(model: str) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name="kind",
        field=models.SmallIntegerField(choices=LeafKind.choices),
    )


def announced(kind: int, table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER announce AFTER INSERT ON {table}"
        " REFERENCING NEW TABLE AS news FOR EACH STATEMENT"
        f" EXECUTE FUNCTION audit_announce({kind})",
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
        migrations.RunSQL.noop,
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0044_ruleset_leaves"),)

    operations = (
        kinds("sealedleaf"),
        kinds("sealpending"),
        *(announced(kind, table) for kind, table in ANNOUNCED.items()),
        *(announce_all(kind, table) for kind, table in ANNOUNCED.items()),
    )
