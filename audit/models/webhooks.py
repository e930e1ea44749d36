"""Webhooks: who is told of new findings, what was sent, and how each attempt ended."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class PauseReason(models.TextChoices):
    """Why a webhook sends nothing for a while."""

    ASKED = "asked", _("Somebody paused it")
    CLOSED = "closed", _("The account that answers for it was closed")
    NOTHING = "nothing", _("The account that answers for it may tell of none of its sources")


class Webhook(models.Model):
    """An address that is told of new findings.

    `secret` signs what is sent and so is kept readable; pages show it once. `sources` is None for
    every source, `codes` empty for every finding code, `only_errors` leaves warnings out. `owner`
    answers for it: nothing is told that this account may not tell of when it is sent. What the log
    under the store held before `next_leaf` has been looked at. `paused_at` stands while nothing is
    sent, `paused_because` says why; `ended_at` for good.

    One worker at a time sends to it, until `leased_until`. After `silent_count` attempts in a row
    that nobody answered it is left alone until `rests_until`, so that others are not held up.
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
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    paused_at = models.DateTimeField(null=True, default=None)
    paused_because = models.CharField(
        max_length=8, choices=PauseReason.choices, blank=True, default=""
    )
    leased_until = models.DateTimeField(null=True, default=None)
    silent_count = models.IntegerField(default=0)
    rests_until = models.DateTimeField(null=True, default=None)
    ended_at = models.DateTimeField(null=True, default=None)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = (
            # Of one maker: that somebody else has one of this name is for nobody to learn.
            models.UniqueConstraint(
                name="webhook_name_of_maker_once",
                fields=["created_by", "name"],
                condition=models.Q(ended_at__isnull=True),
            ),
            models.CheckConstraint(
                name="webhook_paused_for_a_reason",
                condition=models.Q(paused_at=None, paused_because="")
                | models.Q(paused_at__isnull=False, paused_because__in=PauseReason.values),
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
    """Where a delivery stands. `withheld`: when it was to be sent, the account that answers for the
    webhook could not tell of all that it says."""

    WAITING = "waiting", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    GIVEN_UP = "given-up", _("Given up")
    WITHHELD = "withheld", _("Withheld")


class WebhookDelivery(models.Model):
    """One message: its bytes, as they are sent each time, and where it stands.

    `id` is what a receiver tells messages apart by. `first_leaf` is that of its first finding in
    the log, None for a trial without findings. `next_at` is when it is sent (again).
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
