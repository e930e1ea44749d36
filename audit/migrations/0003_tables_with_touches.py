"""Which hands are still to be compared with the one before them at their table."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0002_append_only"),)

    operations = (
        migrations.CreateModel(
            name="Table",
            fields=[
                ("id", number()),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("name", models.CharField(db_collation="C", max_length=128)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("source", "name"), name="table_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="TableTouch",
            fields=[
                ("id", number()),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
                ("queued_at", models.DateTimeField(db_default=Now())),
                (
                    "table",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="touches",
                        to="audit.table",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="audit.upload",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["table", "since", "id"], name="touch_by_table"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(since__lte=models.F("until")), name="touch_in_order"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="hand",
            index=models.Index(fields=["source", "table", "played_at"], name="hand_by_place"),
        ),
    )
