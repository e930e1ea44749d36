"""Webhooks: who is told of new findings, what was sent, and how it ended."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


def trigger(table: str, when: str, function: str, each: str = "ROW") -> migrations.RunSQL:
    name = when.lower().replace(" ", "_")
    return migrations.RunSQL(
        f"CREATE TRIGGER guard_{name} {when} ON {table}"
        f" FOR EACH {each} EXECUTE FUNCTION {function}()",
        f"DROP TRIGGER guard_{name} ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0029_holdings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("url", models.TextField()),
                ("secret", models.TextField()),
                (
                    "sources",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(db_collation="C", max_length=128),
                        null=True,
                        size=None,
                    ),
                ),
                (
                    "codes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                ("only_errors", models.BooleanField(default=True)),
                ("next_leaf", models.BigIntegerField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("paused_at", models.DateTimeField(default=None, null=True)),
                ("ended_at", models.DateTimeField(default=None, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ended_by",
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
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first_leaf", models.BigIntegerField(null=True)),
                ("finding_count", models.IntegerField()),
                ("body", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("given-up", "Given up"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempt_count", models.IntegerField(default=0)),
                (
                    "next_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("leased_until", models.DateTimeField(default=None, null=True)),
                ("delivered_at", models.DateTimeField(default=None, null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deliveries",
                        to="audit.webhook",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("status", models.SmallIntegerField(null=True)),
                ("error", models.TextField(blank=True)),
                ("answer", models.TextField(blank=True)),
                ("took_ms", models.IntegerField()),
                (
                    "delivery",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="audit.webhookdelivery",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("name",),
                name="webhook_name_in_use_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("ended_by", None)),
                    models.Q(("ended_at__isnull", False), ("ended_by__isnull", False)),
                    _connector="OR",
                ),
                name="webhook_ended_by_someone",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("state", "waiting")), fields=["next_at"], name="delivery_due"
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-created_at"], name="delivery_by_webhook"),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.UniqueConstraint(
                fields=("webhook", "first_leaf"), name="delivery_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["waiting", "delivered", "given-up"])),
                name="delivery_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookattempt",
            constraint=models.UniqueConstraint(fields=("delivery", "number"), name="attempt_once"),
        ),
        # What was sent and how it ended stays on record.
        trigger("audit_webhookattempt", "BEFORE UPDATE OR DELETE", "audit_refuse_rewrite"),
        trigger("audit_webhookattempt", "BEFORE TRUNCATE", "audit_refuse_truncate", "STATEMENT"),
        trigger("audit_webhookdelivery", "BEFORE DELETE", "audit_refuse_rewrite"),
        trigger("audit_webhookdelivery", "BEFORE TRUNCATE", "audit_refuse_truncate", "STATEMENT"),
        trigger("audit_webhook", "BEFORE DELETE", "audit_refuse_rewrite"),
        trigger("audit_webhook", "BEFORE TRUNCATE", "audit_refuse_truncate", "STATEMENT"),
    )
