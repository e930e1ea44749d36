"""What was found of a hand against the one before it, and which comparison is the current one."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

KINDS = [("clean", "Clean"), ("discrepant", "Discrepant"), ("void", "Void")]
SEVERITIES = [("error", "Error"), ("warning", "Warning")]


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0003_tables_with_touches"),)

    operations = (
        migrations.CreateModel(
            name="Comparison",
            fields=[
                ("id", number()),
                ("engine", models.CharField(max_length=32)),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                ("digest", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "verdict",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comparisons",
                        to="audit.verdict",
                    ),
                ),
                (
                    "earlier",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.verdict",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("verdict", "earlier", "engine"), name="comparison_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(earlier__isnull=True),
                        fields=("verdict", "engine"),
                        name="comparison_with_none_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(kind__in=[kind for kind, _ in KINDS]),
                        name="comparison_kind_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ComparisonFinding",
            fields=[
                ("id", number()),
                ("position", models.IntegerField()),
                ("code", models.CharField(max_length=40)),
                ("severity", models.CharField(choices=SEVERITIES, max_length=10)),
                ("event", models.IntegerField(null=True)),
                ("seat", models.SmallIntegerField(null=True)),
                ("subject", models.TextField(null=True)),
                ("logged", models.TextField(null=True)),
                ("expected", models.TextField(null=True)),
                ("rule", models.CharField(max_length=16, null=True)),
                ("confidence", models.CharField(max_length=4, null=True)),
                ("follows", models.BooleanField()),
                (
                    "explained_by",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), size=None
                    ),
                ),
                ("message", models.TextField()),
                (
                    "comparison",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="findings",
                        to="audit.comparison",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("comparison", "position"), name="comparison_finding_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(severity__in=[one for one, _ in SEVERITIES]),
                        name="comparison_finding_severity_known",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="hand",
            name="comparison",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="audit.comparison",
            ),
        ),
    )
