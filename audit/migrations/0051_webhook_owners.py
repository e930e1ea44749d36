"""Somebody answers for each webhook, one worker at a time sends to it; names are the maker's own.

Those that are there belong to whoever made them.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The checks of foreign keys are made at once, or the table could not be altered behind them.
OWNED = """
UPDATE audit_webhook SET owner_id = created_by_id,
    paused_because = CASE WHEN paused_at IS NULL THEN '' ELSE 'asked' END;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""
STATES = [
    ("waiting", "Waiting"),
    ("delivered", "Delivered"),
    ("given-up", "Given up"),
    ("withheld", "Withheld"),
]
REASONS = [
    ("asked", "Somebody paused it"),
    ("closed", "The account that answers for it was closed"),
    ("nothing", "The account that answers for it may tell of none of its sources"),
]


def owner(**options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to=settings.AUTH_USER_MODEL,
        **options,
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0050_closed_for_good"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.RemoveConstraint(model_name="webhook", name="webhook_name_in_use_once"),
        migrations.RemoveConstraint(model_name="webhookdelivery", name="delivery_state_known"),
        migrations.RemoveField(model_name="webhookdelivery", name="leased_until"),
        migrations.AddField(
            model_name="webhook",
            name="leased_until",
            field=models.DateTimeField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="webhook",
            name="rests_until",
            field=models.DateTimeField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="webhook", name="silent_count", field=models.IntegerField(default=0)
        ),
        migrations.AddField(
            model_name="webhook",
            name="paused_because",
            field=models.CharField(blank=True, choices=REASONS, default="", max_length=8),
        ),
        migrations.AddField(model_name="webhook", name="owner", field=owner(null=True)),
        migrations.RunSQL(OWNED, migrations.RunSQL.noop),
        migrations.AlterField(model_name="webhook", name="owner", field=owner()),
        migrations.AlterField(
            model_name="webhookdelivery",
            name="state",
            field=models.CharField(choices=STATES, default="waiting", max_length=10),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("created_by", "name"),
                name="webhook_name_of_maker_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("paused_at", None), ("paused_because", "")),
                    models.Q(
                        ("paused_at__isnull", False),
                        ("paused_because__in", [reason for reason, _ in REASONS]),
                    ),
                    _connector="OR",
                ),
                name="webhook_paused_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", [state for state, _ in STATES])),
                name="delivery_state_known",
            ),
        ),
    )
