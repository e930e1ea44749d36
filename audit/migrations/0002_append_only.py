"""Versions, verdicts, findings and duplicates are only ever added: the database itself refuses
to change or delete one."""

from django.db import migrations

TABLES = ("audit_handversion", "audit_verdict", "audit_finding", "audit_duplicate")

FUNCTION = """
CREATE FUNCTION audit_refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$
"""


def guard(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0001_initial"),)

    operations = (
        migrations.RunSQL(FUNCTION, "DROP FUNCTION audit_refuse_rewrite()"),
        *(guard(table) for table in TABLES),
    )
