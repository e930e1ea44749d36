"""How far the hands with findings are gathered into cases: what was last looked at of each, and the
marks of the walks that look."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from audit.models.comparisons import Comparison
from audit.models.desk import CaseHand
from audit.models.hands import Hand
from audit.models.verdicts import Verdict


class Docket(models.Model):
    """What was last looked at of a hand that ever had a finding, and where it stands by that.

    A hand whose current verdict or comparison differs from these is looked at again; so is one in
    conflict whose `contending_verdicts` do.
    """

    hand = models.OneToOneField(
        Hand, on_delete=models.PROTECT, primary_key=True, related_name="+", db_constraint=False
    )
    verdict = models.ForeignKey(
        Verdict, on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    comparison = models.ForeignKey(
        Comparison,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    contending_verdicts = ArrayField(models.BigIntegerField(), null=True, default=None)
    member = models.ForeignKey(CaseHand, on_delete=models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.hand_id}"


class GatherMark(models.Model):
    """How far a walk over the rows of a table has come; the row is its lock.

    Rows up to `done_through` have been looked at. Rows up to `seen_through` are complete once every
    transaction with a number below `seen_xid` has ended: ids are drawn before they are committed.
    """

    stream = models.CharField(max_length=20, primary_key=True)
    done_through = models.BigIntegerField(default=0)
    seen_through = models.BigIntegerField(default=0)
    seen_xid = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.stream
