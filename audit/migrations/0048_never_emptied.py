"""What may not be deleted row by row may not be emptied at once, either.

Hands had foreign keys that stood in the way until they were parted by months.
"""

from django.db import migrations

TABLES = (
    "audit_admission",
    "audit_certificate",
    "audit_dayrule",
    "audit_hand",
    "audit_namedecision",
    "audit_reaudit",
    "audit_reauditamount",
    "audit_reauditfault",
    "audit_reauditresult",
    "audit_replacement",
    "audit_upload",
)
# A trigger of a statement is not handed down to the months, and dropping it not either.
OF_MONTHS = """
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'audit_hand'::regclass
    LOOP
        {what}
    END LOOP;
END
$$
"""


def guard(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER never_emptied BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_truncate()",
        f"DROP TRIGGER never_emptied ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0047_newest_found_once"),)

    operations = (
        *(guard(table) for table in TABLES),
        migrations.RunSQL(
            OF_MONTHS.format(what="PERFORM audit_dress_partition('audit_hand', part);"),
            OF_MONTHS.format(what="EXECUTE format('DROP TRIGGER never_emptied ON %s', part);"),
        ),
    )
