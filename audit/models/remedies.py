"""Remedies: what is to be booked to put a case right, by players, in double entries.

A remedy is proposed by one person, approved by another, and exported once. Its entries sum to zero
in each currency; the database refuses anything else.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.desk import Case, minor_units
from audit.models.hands import exact_name


class RemedyExport(models.Model):
    """The files of one remedy as they were given out: `csv` and `json` are their exact bytes."""

    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())
    csv = models.BinaryField()
    json = models.BinaryField()

    def __str__(self) -> str:
        return f"X-{self.pk}"


class RemedyState(models.TextChoices):
    """How far a remedy is. Rejected is an end, and so is exported."""

    PROPOSED = "proposed", _("Proposed")
    APPROVED = "approved", _("Approved")
    REJECTED = "rejected", _("Rejected")
    EXPORTED = "exported", _("Exported")


class Remedy(models.Model):
    """One proposal. What is said once is never changed: a trigger lets each field be set once."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="remedies")
    state = models.CharField(
        max_length=10, choices=RemedyState.choices, default=RemedyState.PROPOSED
    )
    reason = models.TextField()
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField(db_default=Now())
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    settled_at = models.DateTimeField(null=True)
    export = models.OneToOneField(
        RemedyExport, on_delete=models.PROTECT, null=True, related_name="remedy"
    )

    class Meta:
        verbose_name_plural = "remedies"
        constraints = (
            models.CheckConstraint(
                name="remedy_state_known", condition=Q(state__in=RemedyState.values)
            ),
            # Four eyes: whoever proposes does not approve.
            models.CheckConstraint(
                name="remedy_approved_by_another",
                condition=~Q(state__in=(RemedyState.APPROVED, RemedyState.EXPORTED))
                | (Q(settled_by__isnull=False) & ~Q(settled_by=F("proposed_by"))),
            ),
            models.CheckConstraint(
                name="remedy_settled_at_its_end",
                condition=Q(state=RemedyState.PROPOSED, settled_by__isnull=True)
                | (~Q(state=RemedyState.PROPOSED) & Q(settled_by__isnull=False)),
            ),
            models.CheckConstraint(
                name="remedy_exported_with_a_file",
                condition=Q(state=RemedyState.EXPORTED, export__isnull=False)
                | (~Q(state=RemedyState.EXPORTED) & Q(export__isnull=True)),
            ),
        )

    def __str__(self) -> str:
        return f"R-{self.pk}"


class RemedyAccount(models.TextChoices):
    """Whose money an entry moves."""

    PLAYER = "player", _("Player")
    HOUSE = "house", _("House")


class RemedyEntry(models.Model):
    """One side of a booking: a positive amount is credited, a negative one debited.

    `player` is empty for the house.
    """

    remedy = models.ForeignKey(
        Remedy, on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    position = models.IntegerField()
    account = models.CharField(max_length=10, choices=RemedyAccount.choices)
    player = models.CharField(max_length=128, db_collation="C", blank=True)
    currency = exact_name()
    minor_digits = models.SmallIntegerField()
    amount_minor = minor_units()

    class Meta:
        verbose_name_plural = "remedy entries"
        constraints = (
            models.UniqueConstraint(name="remedy_entry_once", fields=["remedy", "position"]),
            models.UniqueConstraint(
                name="remedy_entry_account_once",
                fields=["remedy", "account", "player", "currency", "minor_digits"],
            ),
            models.CheckConstraint(name="remedy_entry_moves", condition=~Q(amount_minor=0)),
            models.CheckConstraint(
                name="remedy_entry_of_a_player",
                condition=Q(account=RemedyAccount.PLAYER) & ~Q(player="")
                | Q(account=RemedyAccount.HOUSE, player=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.remedy_id} {self.position}"
