"""That somebody looked over accesses or logs: who, when, and what was there to be looked at."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class ReviewKind(models.TextChoices):
    """What was reviewed."""

    ACCESS = "access", _("who may do what")
    JOURNAL = "journal", _("the journal")
    SIGN_INS = "sign-ins", _("attempts to sign in")


class Review(models.Model):
    """One review. Rows are only ever added; triggers see to it.

    `first` and `last` are the range that was looked at: of logs the numbers of rows, of accesses
    those of grants. `facts` is what stood there, so that what was reviewed can be read again.
    """

    kind = models.CharField(max_length=12, choices=ReviewKind.choices)
    reviewed_at = models.DateTimeField(db_default=Now())
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    first = models.BigIntegerField(default=0)
    last = models.BigIntegerField(default=0)
    note = models.TextField()
    facts = models.JSONField(default=dict)

    class Meta:
        indexes = (models.Index(fields=["kind", "-id"], name="review_by_kind"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.kind} by {self.reviewed_by_id}"
