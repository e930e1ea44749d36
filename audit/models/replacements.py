"""Hands that the service has come to read as others since."""

from django.db import models
from django.db.models.functions import Now

from audit.models.hands import Hand, exact_name
from audit.models.reaudits import Reaudit


class Replacement(models.Model):
    """A hand whose record is read as another hand now, which stands for it.

    `source` and `name` are the identity that `engine` reads in the same bytes; their line was
    handed in again by the re-audit that found it, or without one by whoever sent it. The hand stays
    with all that was said of it, and is counted no longer.
    """

    hand = models.OneToOneField(
        Hand,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="replacement",
        db_constraint=False,
    )
    source = exact_name()
    name = exact_name()
    engine = models.CharField(max_length=32)
    reaudit = models.ForeignKey(
        Reaudit, on_delete=models.PROTECT, related_name="+", db_index=False, null=True
    )
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.hand_id} by {self.name}"
