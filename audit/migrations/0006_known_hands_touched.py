"""Hands that were stored before there were comparisons are compared, too: each table is touched.

The sweeper finds the touches and queues them.
"""

from django.db import migrations

TABLES = """
INSERT INTO audit_table (source, name)
SELECT DISTINCT source, "table" FROM audit_hand
ON CONFLICT (source, name) DO NOTHING
"""
TOUCHES = """
INSERT INTO audit_tabletouch (table_id, since, until, queued_at)
SELECT t.id, min(h.played_at), max(h.played_at), 'epoch'
FROM audit_hand h JOIN audit_table t ON t.source = h.source AND t.name = h."table"
GROUP BY t.id
"""


class Migration(migrations.Migration):
    dependencies = (("audit", "0005_comparisons_append_only"),)

    operations = (
        migrations.RunSQL(TABLES, migrations.RunSQL.noop),
        migrations.RunSQL(TOUCHES, migrations.RunSQL.noop),
    )
