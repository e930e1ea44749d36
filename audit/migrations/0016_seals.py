"""The log under the store: leaves, nodes, signed heads and what waits for them; the software that
was accepted, and the looks at it."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0015_reaudits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="SealPending",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.SmallIntegerField(
                        choices=[
                            (1, "hand version"),
                            (2, "verdict"),
                            (3, "finding"),
                            (4, "comparison"),
                            (5, "finding of a comparison"),
                            (6, "restatement"),
                            (7, "duplicate"),
                            (8, "refusal"),
                            (9, "upload"),
                            (10, "accepted software"),
                            (11, "software check"),
                            (12, "certificate"),
                            (13, "act at the desk"),
                            (14, "claim"),
                            (15, "hand of a claim"),
                            (16, "entry of a remedy"),
                            (17, "exported remedy"),
                            (18, "refused line that became a hand"),
                        ]
                    ),
                ),
                (
                    "rows",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TreeHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("size", models.BigIntegerField(unique=True)),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
                ("made_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="AcceptedSoftware",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("engine", models.CharField(max_length=32)),
                ("items", models.JSONField()),
                ("sha256", models.BinaryField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SealedLeaf",
            fields=[
                ("index", models.BigIntegerField(primary_key=True, serialize=False)),
                ("row", models.BigIntegerField()),
                (
                    "kind",
                    models.SmallIntegerField(
                        choices=[
                            (1, "hand version"),
                            (2, "verdict"),
                            (3, "finding"),
                            (4, "comparison"),
                            (5, "finding of a comparison"),
                            (6, "restatement"),
                            (7, "duplicate"),
                            (8, "refusal"),
                            (9, "upload"),
                            (10, "accepted software"),
                            (11, "software check"),
                            (12, "certificate"),
                            (13, "act at the desk"),
                            (14, "claim"),
                            (15, "hand of a claim"),
                            (16, "entry of a remedy"),
                            (17, "exported remedy"),
                            (18, "refused line that became a hand"),
                        ]
                    ),
                ),
                ("is_lost", models.BooleanField(default=False)),
                ("hash", models.BinaryField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("kind", "row"), name="leaf_once")],
            },
        ),
        migrations.CreateModel(
            name="SealNode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("level", models.SmallIntegerField()),
                ("number", models.BigIntegerField()),
                ("hash", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("level", "number"), name="node_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="SoftwareCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "occasion",
                    models.CharField(
                        choices=[
                            ("install", "At the installation"),
                            ("start", "At a start"),
                            ("daily", "Daily"),
                            ("demand", "On demand"),
                        ],
                        max_length=10,
                    ),
                ),
                ("process", models.CharField(max_length=128)),
                ("engine", models.CharField(max_length=32)),
                ("is_good", models.BooleanField()),
                ("sha256", models.BinaryField()),
                ("differences", models.JSONField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "accepted",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="audit.acceptedsoftware",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="acceptedsoftware",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True),
                name="software_accepted_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="softwarecheck",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("differences", {}), ("is_good", True)),
                    models.Q(("is_good", False), models.Q(("differences", {}), _negated=True)),
                    _connector="OR",
                ),
                name="software_check_good_without_differences",
            ),
        ),
    )
