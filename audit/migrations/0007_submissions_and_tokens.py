"""Keys of senders, so that a file sent twice is handed in once, and tokens of the API."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0006_known_hands_touched"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", number()),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=16)),
                ("sha256", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(default=None, null=True)),
                ("last_used_at", models.DateTimeField(default=None, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("sha256",), name="api_token_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at__isnull", True)),
                        fields=("name",),
                        name="api_token_name_in_use_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", number()),
                ("sender", models.CharField(db_collation="C", max_length=64)),
                ("key", models.CharField(db_collation="C", max_length=255)),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submission",
                        to="audit.upload",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("sender", "key"), name="submission_once")
                ],
            },
        ),
    )
