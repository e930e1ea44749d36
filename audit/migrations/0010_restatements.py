"""Uploads announced as restatements, and which version of a hand they put in force."""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


def version() -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        db_index=False,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to="audit.handversion",
    )


# Who announced a restatement and why is on record for good.
KEEP_REASON = """
CREATE TRIGGER restatement_kept BEFORE UPDATE OF restatement, received_by_id ON audit_upload
    FOR EACH ROW WHEN (
        OLD.restatement <> NEW.restatement
        OR OLD.restatement <> '' AND OLD.received_by_id IS DISTINCT FROM NEW.received_by_id
    )
    EXECUTE FUNCTION audit_refuse_rewrite()
"""


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0009_duplicates_in_other_bytes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.AddField(
            model_name="upload",
            name="restatement",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="upload",
            name="restated_count",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("restatement", ""), ("received_by__isnull", False), _connector="OR"
                ),
                name="restatement_by_somebody",
            ),
        ),
        migrations.CreateModel(
            name="Restatement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.BigIntegerField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="restatements",
                        to="audit.hand",
                    ),
                ),
                ("version", version()),
                ("replaced", version()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.upload",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("hand", "upload"), name="restatement_once")
                ]
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_restatement"
            " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
            "DROP TRIGGER append_only ON audit_restatement",
        ),
        migrations.RunSQL(KEEP_REASON, "DROP TRIGGER restatement_kept ON audit_upload"),
    )
