"""Which sources an upload has lines of, in which its sender may hand in, and where a re-audit lies.

What is stored already gets its sources from its hands, its repeated lines and those of its refused
lines that were sorted by table.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

_SOURCES = """
INSERT INTO audit_uploadsource (upload_id, source, has_hands)
SELECT upload_id, source, bool_or(has_hands) FROM (
    SELECT v.upload_id, h.source, true AS has_hands
    FROM audit_handversion v JOIN audit_hand h ON h.id = v.hand_id
    UNION ALL
    SELECT d.upload_id, h.source, true
    FROM audit_duplicate d
    JOIN audit_handversion v ON v.id = d.version_id JOIN audit_hand h ON h.id = v.hand_id
    UNION ALL
    SELECT upload_id, source, false FROM audit_sortedrefusal
) named
GROUP BY upload_id, source
"""
_REAUDITS = """
UPDATE audit_reaudit SET limited_to = ARRAY[filter->>'source'] WHERE filter ? 'source'
"""


class Migration(migrations.Migration):
    dependencies = (("audit", "0023_indexes_of_lists"),)

    operations = (
        migrations.AddField(
            model_name="upload",
            name="limited_to",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=None, null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="reaudit",
            name="limited_to",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=None, null=True, size=None
            ),
        ),
        migrations.CreateModel(
            name="UploadSource",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("has_hands", models.BooleanField()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to="audit.upload",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("upload", "source"), name="upload_source_once")
                ],
            },
        ),
        migrations.RunSQL(_SOURCES, migrations.RunSQL.noop),
        migrations.RunSQL(_REAUDITS, migrations.RunSQL.noop),
    )
