"""Who looked at what: every view, search and export of a hand or a person, and every act on access.

Rows are only ever added; triggers see to it.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


def exact_name_if_any() -> models.CharField[str | None, str | None]:
    """A name compared code point by code point; None where the act is about none."""
    return models.CharField(max_length=128, db_collation="C", null=True)


class JournalEntry(models.Model):
    """One act of one actor.

    `actor` is the name of the account at that time, or of a command or a link; never empty. `act`
    is a `selectors.access.Act`, `subject` what was looked at, such as `hand:12` or `GET hands`.
    `source`, `hand` and `player` stand where the act is about one; `detail` is what was asked, such
    as the filters of a search. `visit` is the stay in which it happened, `key` the key of the API.
    """

    at = models.DateTimeField(db_default=Now())
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        db_index=False,
    )
    actor = models.CharField(max_length=150, db_collation="C")
    act = models.CharField(max_length=40)
    subject = models.TextField(db_collation="C")
    source = exact_name_if_any()
    hand = models.BigIntegerField(null=True)
    player = exact_name_if_any()
    detail = models.JSONField(default=dict)
    address = models.GenericIPAddressField(null=True)
    visit = models.BigIntegerField(null=True)
    key = models.BigIntegerField(null=True)

    class Meta:
        db_table = "audit_journal"
        constraints = (
            models.CheckConstraint(name="journal_has_an_actor", condition=~Q(actor="")),
            models.CheckConstraint(name="journal_has_an_act", condition=~Q(act="")),
            models.CheckConstraint(name="journal_has_a_subject", condition=~Q(subject="")),
        )
        indexes = (
            models.Index(fields=["account", "-id"], name="journal_by_account"),
            models.Index(
                fields=["hand", "-id"], name="journal_by_hand", condition=Q(hand__isnull=False)
            ),
            models.Index(
                fields=["player", "-id"],
                name="journal_by_player",
                condition=Q(player__isnull=False),
            ),
            models.Index(
                fields=["visit", "id"], name="journal_by_visit", condition=Q(visit__isnull=False)
            ),
            models.Index(
                fields=["-id"], name="journal_refused", condition=Q(detail__has_key="refused")
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.actor}: {self.act} {self.subject}"


class RefusedMinute(models.Model):
    """How often an account was refused something within one minute: a counter, and no evidence.

    The first few are rows of the journal; of the others it is told one number, when the minute is
    over, and the counter goes. `act` is that of the last one.
    """

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    minute = models.DateTimeField()
    count = models.IntegerField()
    act = models.CharField(max_length=40)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="refused_minute_once", fields=["account", "minute"]),
        )

    def __str__(self) -> str:
        return f"{self.account_id} {self.minute}: {self.count}"
