"""What is kept of an account beside its name and its password: the person, former passwords, and
the second step of signing in."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Staff(models.Model):
    """The person who holds an account. Accounts without such a row are open and have no name yet.

    `must_change`: the password was given by somebody else, and is good for choosing another alone.
    `closed_at` says since when a closed account (`User.is_active`) is closed, and by whom.
    """

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="staff",
    )
    full_name = models.CharField(max_length=150, blank=True, default="")
    title = models.CharField(max_length=150, blank=True, default="")
    must_change = models.BooleanField(default=False)
    closed_at = models.DateTimeField(null=True, default=None)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True
    )

    def __str__(self) -> str:
        return self.full_name or str(self.account_id)


class FirstPasswordHow(models.TextChoices):
    """Why somebody was shown a first password of an account."""

    OPENED = "opened", _("Opened")
    REOPENED = "reopened", _("Opened again")
    RESET = "reset", _("Password reset")


class FirstPassword(models.Model):
    """That somebody was shown a first password of an account, and so could come in under its name.

    `given_by` is None where a command gave it. Rows are only ever added; the access review tells
    by them which two people of an act may have been one.
    """

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="first_passwords"
    )
    how = models.CharField(max_length=8, choices=FirstPasswordHow.choices)
    given_at = models.DateTimeField(db_default=Now())
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="first_password_how_known",
                condition=models.Q(how__in=FirstPasswordHow.values),
            ),
        )

    def __str__(self) -> str:
        return f"{self.account_id} {self.how} by {self.given_by_id}"


class PasswordRecord(models.Model):
    """The hash of a password that an account has or had, so that it is not chosen again."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="passwords"
    )
    hash = models.CharField(max_length=256)
    set_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.account_id} since {self.set_at}"


class SecondStep(models.Model):
    """The secret that an account shares with a person's authenticator (RFC 6238).

    `secret` is enciphered by a key made of the site's own (`services.second_step`). It counts when
    `confirmed_at` says that a code of it was shown. `last_step` is the time step of the last code
    that was taken: a code is good once.
    """

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="second_step",
    )
    secret = models.BinaryField()
    made_at = models.DateTimeField(db_default=Now())
    confirmed_at = models.DateTimeField(null=True, default=None)
    last_step = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.account_id} since {self.confirmed_at}"


class RecoveryCode(models.Model):
    """A code that stands for an authenticator that is lost, once; kept as its SHA-256 alone."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="recovery_codes"
    )
    sha256 = models.BinaryField()
    used_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="recovery_code_once", fields=["account", "sha256"]),
        )

    def __str__(self) -> str:
        return f"{self.account_id} used {self.used_at}"
