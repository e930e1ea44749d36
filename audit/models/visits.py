"""Who came in, and who tried to: stays from signing in to signing out, and every attempt."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class VisitEnd(models.TextChoices):
    """How a visit ended."""

    SIGNED_OUT = "signed-out", _("signed out")
    IDLE = "idle", _("was idle for too long")
    AGE = "age", _("lasted too long")
    CLOSED = "closed", _("the account was closed")
    PASSWORD = "password", _("the password was changed")
    LEFT = "left", _("another sign-in in the same browser")


class Visit(models.Model):
    """A stay of an account, from signing in to signing out (or until it was cut off).

    What was done in it stands in the journal under its number. `seen_at` is the last request, exact
    to a minute. `port` is the caller's, where the server tells.
    """

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="visits"
    )
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, default=None)
    ended_how = models.CharField(max_length=12, choices=VisitEnd.choices, blank=True, default="")
    address = models.GenericIPAddressField(null=True)
    port = models.PositiveIntegerField(null=True)
    agent = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="visit_ended_somehow",
                condition=Q(ended_at=None, ended_how="")
                | Q(ended_at__isnull=False) & ~Q(ended_how=""),
            ),
        )
        indexes = (models.Index(fields=["account", "-id"], name="visit_by_account"),)

    def __str__(self) -> str:
        return f"{self.pk} of {self.account_id}"


class SignInWay(models.TextChoices):
    """What was shown."""

    PASSWORD = "password", _("password")
    CODE = "code", _("code of an authenticator")
    RECOVERY = "recovery", _("recovery code")
    KEY = "key", _("key of the API")


class SignInOutcome(models.TextChoices):
    """What came of it."""

    GOOD = "good", _("let in")
    HALF = "half", _("asked for the second step")
    WRONG = "wrong", _("wrong")
    LOCKED = "locked", _("refused while locked")
    CLOSED = "closed", _("the account is closed")


class SignIn(models.Model):
    """An attempt to come in, good or bad. Rows are only ever added; triggers see to it.

    `name` is what was typed, cut to what a name may have; of a key it is the beginning, which opens
    nothing. `account` is the account of that name, where there is one.
    """

    at = models.DateTimeField(db_default=Now())
    name = models.CharField(max_length=150, db_collation="C")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        db_index=False,
    )
    way = models.CharField(max_length=12, choices=SignInWay.choices)
    outcome = models.CharField(max_length=12, choices=SignInOutcome.choices)
    address = models.GenericIPAddressField(null=True)
    port = models.PositiveIntegerField(null=True)
    visit = models.BigIntegerField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=["account", "-id"], name="sign_in_by_account"),
            models.Index(
                fields=["address", "-at"],
                name="sign_in_bad_by_address",
                condition=Q(outcome="wrong"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.name}: {self.way} {self.outcome}"
