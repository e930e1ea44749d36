"""Webhooks: who is told of new findings, what was sent, and how each attempt ended."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Webhook(models.Model):
    """An address that is told of new findings.

    `secret` signs what is sent and so is kept readable; pages show it once. `sources` is None for
    every source, `codes` empty for every finding code, `only_errors` leaves warnings out. What the
    log under the store held before `next_leaf` has been looked at. `paused_at` stands while nothing
    is sent; `ended_at` for good.
    """

    name = models.CharField(max_length=100)
    url = models.TextField()
    secret = models.TextField()
    sources = ArrayField(models.CharField(max_length=128, db_collation="C"), null=True)
    codes = ArrayField(models.CharField(max_length=40), default=list)
    only_errors = models.BooleanField(default=True)
    next_leaf = models.BigIntegerField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    paused_at = models.DateTimeField(null=True, default=None)
    ended_at = models.DateTimeField(null=True, default=None)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="webhook_name_in_use_once",
                fields=["name"],
                condition=models.Q(ended_at__isnull=True),
            ),
            models.CheckConstraint(
                name="webhook_ended_by_someone",
                condition=models.Q(ended_at=None, ended_by=None)
                | models.Q(ended_at__isnull=False, ended_by__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return self.name


class DeliveryState(models.TextChoices):
    """Where a delivery stands."""

    WAITING = "waiting", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    GIVEN_UP = "given-up", _("Given up")


class WebhookDelivery(models.Model):
    """One message: its bytes, as they are sent each time, and where it stands.

    `id` is what a receiver tells messages apart by. `first_leaf` is that of its first finding in
    the log, None for a trial without findings. `next_at` is when it is sent (again), `leased_until`
    while a worker is at it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries")
    first_leaf = models.BigIntegerField(null=True)
    finding_count = models.IntegerField()
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    state = models.CharField(
        max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    attempt_count = models.IntegerField(default=0)
    next_at = models.DateTimeField(db_default=Now())
    leased_until = models.DateTimeField(null=True, default=None)
    delivered_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="delivery_once", fields=["webhook", "first_leaf"]),
            models.CheckConstraint(
                name="delivery_state_known", condition=models.Q(state__in=DeliveryState.values)
            ),
        )
        indexes = (
            models.Index(
                fields=["next_at"],
                name="delivery_due",
                condition=models.Q(state="waiting"),
            ),
            models.Index(fields=["webhook", "-created_at"], name="delivery_by_webhook"),
        )

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class WebhookAttempt(models.Model):
    """One try to deliver: `status` is the HTTP status of the answer, None where there was none, and
    `error` says why. `answer` is the beginning of what came back. Rows are only ever added."""

    delivery = models.ForeignKey(
        WebhookDelivery, on_delete=models.PROTECT, related_name="attempts", db_index=False
    )
    number = models.IntegerField()
    at = models.DateTimeField(db_default=Now())
    status = models.SmallIntegerField(null=True)
    error = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    took_ms = models.IntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(name="attempt_once", fields=["delivery", "number"]),)

    def __str__(self) -> str:
        return f"{self.delivery_id} {self.number}: {self.status or self.error}"
