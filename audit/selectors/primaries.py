"""The primary finding of each hand of a list, to be shown with what was logged and expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import replay
from audit.models import ComparisonFinding, Finding
from audit.selectors.comparisons import finding_of
from audit.selectors.hands import HandRow

# A finding behind so many others of its hand is not looked for: the code alone is shown then.
POSITIONS_LOOKED_AT = 50


def primary_findings(rows: Sequence[HandRow]) -> dict[int, replay.Finding]:
    """The primary findings by hand; of a hand without one the first warning, of one in conflict
    none: it has those of several records.

    One query for the page, and one more where a hand differs from the one before it.
    """
    wanted = {
        row.pk: code
        for row in rows
        if not row.is_conflict and (code := row.leading_code) is not None
    }
    verdicts = {row.verdict_pk: row.pk for row in rows if row.pk in wanted}
    found: dict[int, replay.Finding] = {}
    if verdicts:
        stored = Finding.objects.filter(
            verdict_id__in=list(verdicts),
            code__in=set(wanted.values()),
            position__lt=POSITIONS_LOOKED_AT,
        )
        pairs = ((verdicts[one.verdict_id], one) for one in stored.order_by("position"))
        _take(found, pairs, wanted)
    comparisons = {
        row.comparison_pk: row.pk
        for row in rows
        if row.comparison_pk is not None and row.pk in wanted and row.pk not in found
    }
    if comparisons:
        between = ComparisonFinding.objects.filter(
            comparison_id__in=list(comparisons), position__lt=POSITIONS_LOOKED_AT
        )
        more = ((comparisons[one.comparison_id], one) for one in between.order_by("position"))
        _take(found, more, wanted)
    return found


def _take(
    found: dict[int, replay.Finding],
    stored: Iterable[tuple[int, Finding | ComparisonFinding]],
    wanted: Mapping[int, str],
) -> None:
    """Keep the first finding of each hand that has the code looked for."""
    for hand, one in stored:
        if hand not in found and one.code == wanted[hand]:
            found[hand] = finding_of(one)
