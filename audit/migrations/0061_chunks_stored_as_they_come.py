"""The payload of a chunk is packed already: PostgreSQL need not try to make it smaller once more,
which took it longer than storing it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("audit", "0060_conflicts"),)

    operations = (
        migrations.RunSQL(
            "ALTER TABLE audit_chunk ALTER COLUMN payload SET STORAGE EXTERNAL",
            "ALTER TABLE audit_chunk ALTER COLUMN payload SET STORAGE EXTENDED",
        ),
    )
