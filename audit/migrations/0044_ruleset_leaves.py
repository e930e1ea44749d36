"""Rulesets, their publications and what was said to be in force become leaves of the log."""

from django.db import migrations, models

from audit.models import LeafKind

# Kind of leaf (models.evidence.LeafKind) to table.
RULESET, PUBLICATION, SWITCH = 80, 81, 82
TABLES = {RULESET: "audit_rulesetrevision", SWITCH: "audit_rulesetswitch"}

ANNOUNCE_PUBLICATION = """
CREATE FUNCTION audit_announce_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_sealpending (kind, rows) VALUES (81, ARRAY[NEW.id]);
    RETURN NULL;
END
$$
"""


def kinds(model: str) -> migrations.AlterField:
    return migrations.AlterField(
        model_name=model,
        name="kind",
        field=models.SmallIntegerField(choices=LeafKind.choices),
    )


def trigger(name: str, table: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(f"CREATE TRIGGER {name} {what}", f"DROP TRIGGER {name} ON {table}")


def announced(kind: int, table: str) -> migrations.RunSQL:
    return trigger(
        "announce",
        table,
        f"AFTER INSERT ON {table} REFERENCING NEW TABLE AS news FOR EACH STATEMENT"
        f" EXECUTE FUNCTION audit_announce({kind})",
    )


def announce_all(kind: int, table: str, condition: str = "true") -> migrations.RunSQL:
    """Announce the rows that stand there already."""
    return migrations.RunSQL(
        f"""
        INSERT INTO audit_sealpending (kind, rows)
        SELECT {kind}, array_agg(id ORDER BY id)
        FROM (
            SELECT id, (row_number() OVER (ORDER BY id) - 1) / 5000 AS part
            FROM {table} WHERE {condition}
        ) parts
        GROUP BY part ORDER BY part
        """,  # noqa: S608 - from constants
        migrations.RunSQL.noop,
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0043_incidents"),)

    operations = (
        kinds("sealedleaf"),
        kinds("sealpending"),
        migrations.RunSQL(ANNOUNCE_PUBLICATION, "DROP FUNCTION audit_announce_publication()"),
        *(announced(kind, table) for kind, table in TABLES.items()),
        trigger(
            "announce_publication",
            "audit_rulesetrevision",
            "AFTER UPDATE OF state ON audit_rulesetrevision FOR EACH ROW"
            " WHEN (OLD.state = 'draft' AND NEW.state = 'published')"
            " EXECUTE FUNCTION audit_announce_publication()",
        ),
        *(announce_all(kind, table) for kind, table in TABLES.items()),
        announce_all(PUBLICATION, "audit_rulesetrevision", "publication IS NOT NULL"),
    )
