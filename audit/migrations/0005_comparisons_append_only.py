"""Comparisons and their findings are only ever added, as verdicts are."""

from django.db import migrations

TABLES = ("audit_comparison", "audit_comparisonfinding")


def guard(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0004_comparisons"),)

    operations = tuple(guard(table) for table in TABLES)
