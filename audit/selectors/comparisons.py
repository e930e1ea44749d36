"""What was found of a hand against the one before it at its table, now and earlier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import replay
from audit.models import Comparison, ComparisonFinding, TableTouch
from audit.models.verdicts import FindingFields

COMPARISONS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One comparison. `earlier_pk` and `earlier_id` are the hand before, None where none is left;
    `kind` and `digest` are those of the hand's verdict and these findings together."""

    earlier_pk: int | None
    earlier_id: str | None
    kind: str
    digest: str
    engine: str
    created_at: datetime
    is_current: bool
    findings: tuple[replay.Finding, ...]


def comparisons_of(verdict_ids: Iterable[int], *, current: int | None) -> tuple[ComparisonRow, ...]:
    """The comparisons of these verdicts, the newest first; `current` is the key of one or None."""
    rows = list(
        Comparison.objects.filter(verdict_id__in=verdict_ids)
        .select_related("earlier__version__hand")
        .defer("earlier__settlement", "earlier__version__raw", "earlier__version__hand__players")
        .order_by("-id")[:COMPARISONS_SHOWN]
    )
    found: dict[int, list[replay.Finding]] = {row.pk: [] for row in rows}
    if rows:
        findings = ComparisonFinding.objects.filter(comparison_id__in=found)
        for finding in findings.order_by("comparison_id", "position"):
            found[finding.comparison_id].append(finding_of(finding))
    return tuple(
        ComparisonRow(
            earlier_pk=None if row.earlier is None else row.earlier.version.hand_id,
            earlier_id=None if row.earlier is None else row.earlier.version.hand.hand_id,
            kind=row.kind,
            digest=bytes(row.digest).hex(),
            engine=row.engine,
            created_at=row.created_at,
            is_current=row.pk == current,
            findings=tuple(found[row.pk]),
        )
        for row in rows
    )


def finding_of(finding: FindingFields) -> replay.Finding:
    """A stored finding as the core has it."""
    return replay.Finding(
        code=finding.code,
        severity="error" if finding.severity == "error" else "warning",
        event=finding.event,
        seat=finding.seat,
        subject=finding.subject,
        logged=finding.logged,
        expected=finding.expected,
        rule=finding.rule,
        confidence=finding.confidence,
        follows=finding.follows,
        explained_by=tuple(finding.explained_by),
        message=finding.message,
    )


def open_touches(upload_ids: Iterable[int]) -> int:
    """How much of what these uploads brought is still to be compared; 0 when all is done."""
    return TableTouch.objects.filter(upload_id__in=list(upload_ids)).count()
