"""Records of operators' feeds: what an upload of them says of itself, the gaps of each record,
fields that nobody knew, and a verdict for a hand of which not everything could be checked."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

KINDS = ["clean", "consistent", "discrepant", "void"]
CHOICES = [(kind, kind.title()) for kind in KINDS]


def kinds_of(model: str, field: str, constraint: str) -> list[migrations.operations.base.Operation]:
    """Let a verdict of this table be `consistent`, too."""
    return [
        migrations.RemoveConstraint(model_name=model, name=constraint),
        migrations.AlterField(
            model_name=model,
            name=field,
            field=models.CharField(choices=CHOICES, max_length=10),
        ),
        migrations.AddConstraint(
            model_name=model,
            constraint=models.CheckConstraint(
                condition=models.Q((f"{field}__in", KINDS)), name=constraint
            ),
        ),
    ]


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0011_certificates"),)

    operations = (
        *kinds_of("verdict", "kind", "verdict_kind_known"),
        *kinds_of("comparison", "kind", "comparison_kind_known"),
        *kinds_of("hand", "verdict_kind", "hand_verdict_known"),
        migrations.AddField(
            model_name="upload",
            name="feed",
            field=models.CharField(blank=True, default="", max_length=16),
        ),
        migrations.AddField(
            model_name="upload", name="feed_facts", field=models.JSONField(default=dict)
        ),
        migrations.AddField(
            model_name="upload", name="consistent_count", field=models.BigIntegerField(default=0)
        ),
        migrations.RemoveConstraint(model_name="upload", name="upload_counts_add_up"),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    line_count__gte=models.F("clean_count")
                    + models.F("consistent_count")
                    + models.F("discrepant_count")
                    + models.F("void_count")
                    + models.F("rejected_count")
                    + models.F("failed_count")
                ),
                name="upload_counts_add_up",
            ),
        ),
        migrations.CreateModel(
            name="PartialRecord",
            fields=[
                ("id", number()),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("feed", models.CharField(max_length=16)),
                (
                    "gaps",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=24), size=None
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
                (
                    "version",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.handversion",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["source", "version"], name="partial_by_source")]
            },
        ),
        migrations.CreateModel(
            name="FeedDrift",
            fields=[
                ("id", number()),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("feed", models.CharField(max_length=16)),
                ("field", models.CharField(max_length=200)),
                ("count", models.BigIntegerField()),
                ("line", models.BigIntegerField()),
                ("example", models.CharField(max_length=200)),
                ("first_seen_at", models.DateTimeField(db_default=Now())),
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
                    models.UniqueConstraint(
                        fields=("source", "feed", "field"), name="feed_drift_once"
                    )
                ]
            },
        ),
    )
