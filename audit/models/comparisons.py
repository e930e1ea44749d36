"""A comparison is what one engine said of a hand and the one before it at its table (FORMAT 6.6).

It is never changed; a hand names its current one. One that found nothing is kept only where it
takes back an earlier one, for nearly all hands join.
"""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from audit.models.verdicts import FindingFields, Severity, Verdict, VerdictKind


class Comparison(models.Model):
    """One verdict with the findings against the hand before it.

    `verdict` is that of the later hand, `earlier` that of the hand before it: None when there is
    none any more. `kind` and `digest` are those of the verdict and these findings together.
    """

    verdict = models.ForeignKey(
        Verdict,
        on_delete=models.PROTECT,
        related_name="comparisons",
        db_index=False,
        db_constraint=False,
    )
    earlier = models.ForeignKey(
        Verdict,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    engine = models.CharField(max_length=32)
    kind = models.CharField(max_length=10, choices=VerdictKind.choices)
    digest = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="comparison_once", fields=["verdict", "earlier", "engine"]
            ),
            models.UniqueConstraint(
                name="comparison_with_none_once",
                fields=["verdict", "engine"],
                condition=models.Q(earlier__isnull=True),
            ),
            models.CheckConstraint(
                name="comparison_kind_known", condition=models.Q(kind__in=VerdictKind.values)
            ),
        )

    def __str__(self) -> str:
        return f"{self.verdict_id} after {self.earlier_id}: {self.kind}"


class ComparisonFinding(FindingFields):
    """One disagreement between two hands, on the later one."""

    comparison = models.ForeignKey(
        Comparison, on_delete=models.PROTECT, related_name="findings", db_index=False
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="comparison_finding_once", fields=["comparison", "position"]
            ),
            models.CheckConstraint(
                name="comparison_finding_severity_known",
                condition=models.Q(severity__in=Severity.values),
            ),
        )

    def __str__(self) -> str:
        return f"{self.comparison_id} {self.position} {self.code}"
