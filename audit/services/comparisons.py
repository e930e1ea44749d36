"""Storing what was found between hands: comparisons are added, hands name their current one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from django.db import connection

import replay
from audit.models import Comparison, ComparisonFinding, Finding, Hand, Verdict
from audit.selectors.comparisons import finding_of
from audit.selectors.months import within
from audit.services.conflicts import settle_conflicts
from audit.services.counting import count_turned
from audit.services.outcomes import SEPARATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHand:
    """What the store has of a hand, as far as comparing wants to know.

    `arrived` is the upload and the line that brought it first; `current` the two verdicts and the
    engine of its current comparison, None where it has none.
    """

    pk: int
    version_id: int
    verdict_id: int
    started_at: str
    arrived: tuple[int, int]
    current: tuple[int, int | None, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A hand, the one before it at its table, and what was found between them."""

    hand: StoredHand
    earlier: StoredHand | None
    findings: tuple[replay.Finding, ...]

    @property
    def key(self) -> tuple[int, int | None]:
        """The verdicts of the two: with the engine, what the findings depend on."""
        return self.hand.verdict_id, None if self.earlier is None else self.earlier.verdict_id


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """A comparison with the verdict that it makes; `alone` is the kind of the hand by itself."""

    compared: Compared
    alone: str
    verdict: replay.Verdict


# The columns of `c` are one row a hand.
_POINT = """
UPDATE audit_hand h SET
    comparison_id = c.comparison, verdict_kind = c.kind, error_code = c.error_code,
    finding_codes = coalesce(string_to_array(nullif(c.codes, ''), chr(31)), '{}'),
    finding_count = c.finding_count
FROM unnest(%s::int8[], %s::int8[], %s::text[], %s::text[], %s::text[], %s::int4[])
    AS c (hand, comparison, kind, error_code, codes, finding_count)
WHERE h.id = c.hand
"""


def store_comparisons(compared: Iterable[Compared]) -> None:
    """Store what is new, make it current, and count the lines of the hands that turned.

    The caller's transaction holds the table. Nothing is stored of a hand of which nothing was found
    and never had been, nor of one whose current comparison is of the same verdicts and engine.
    """
    news = [one for one in compared if not _is_current(one)]
    if not news:
        return
    locked = _locked(news)
    # A chunk has given the others another verdict meanwhile; its touch leads back to them.
    news = [one for one in news if locked[one.hand.pk].verdict_id == one.hand.verdict_id]
    wholes = _wholes(news)
    numbers = _stored(wholes)
    with connection.cursor() as cursor:
        cursor.execute(_POINT, _columns(wholes, numbers))
        if in_conflict := [pk for pk, one in locked.items() if one.is_conflict]:
            settle_conflicts(cursor, "SELECT unnest(%s::int8[])", [in_conflict])
        shifts = {
            whole.compared.hand.version_id: shift
            for whole in wholes
            if (shift := _shift(whole, locked[whole.compared.hand.pk].compared))
        }
        if shifts:
            count_turned(cursor, shifts)


def _shift(whole: _Whole, before: str | None) -> int:
    """1 when the hand turned discrepant because of the hand before, -1 when it turned back.

    `before` is the kind by the comparison that was current, None where there was none.
    """
    return (whole.verdict.verdict != whole.alone) - ((before or whole.alone) != whole.alone)


def _is_current(one: Compared) -> bool:
    if one.hand.current is None:
        return not one.findings
    return one.hand.current == (*one.key, replay.ENGINE)


class _Locked(NamedTuple):
    """What a hand is now: its verdict, the kind by its comparison, and whether it is contended."""

    verdict_id: int
    compared: str | None
    is_conflict: bool


def _locked(news: Sequence[Compared]) -> dict[int, _Locked]:
    """Lock hands in the order of their keys; gives what each is now."""
    hands = (
        Hand.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk__in=[one.hand.pk for one in news])
        .order_by("pk")
    )
    rows = hands.values_list("pk", "verdict_id", "comparison__kind", "is_conflict")
    return {pk: _Locked(verdict, kind, contended) for pk, verdict, kind, contended in rows}


def _wholes(news: Sequence[Compared]) -> list[_Whole]:
    """The stored verdicts of these hands, with what was found between hands behind."""
    keys = [one.hand.verdict_id for one in news]
    known = Verdict.objects.filter(within("version_id", keys))
    verdicts = known.select_related("version").defer("version__raw").in_bulk(keys)
    own: dict[int, list[replay.Finding]] = {}
    for finding in Finding.objects.filter(verdict_id__in=keys).order_by("verdict_id", "position"):
        own.setdefault(finding.verdict_id, []).append(finding_of(finding))
    return [
        _Whole(
            compared=one,
            alone=verdicts[key].kind,
            verdict=replay.with_findings(_alone(verdicts[key], own.get(key, ())), one.findings),
        )
        for one, key in zip(news, keys, strict=True)
    ]


def _alone(verdict: Verdict, findings: Sequence[replay.Finding]) -> replay.Verdict:
    """A stored verdict as the core has it, as far as its digest wants to know."""
    return replay.Verdict(
        file=None,
        line=verdict.version.line,
        source=None,
        hand_id=None,
        game=None,
        ruleset=verdict.ruleset,
        ruleset_sha256=bytes(verdict.ruleset_sha256).hex(),
        record_sha256=bytes(verdict.version.sha256).hex(),
        engine=verdict.engine,
        verdict=cast("Literal['clean', 'discrepant', 'void']", verdict.kind),
        findings=tuple(findings),
        settlement=verdict.settlement,
        replay_digest=bytes(verdict.digest).hex(),
    )


def _stored(wholes: Sequence[_Whole]) -> Mapping[tuple[int, int | None], int]:
    """The number of each comparison; one that was made before is found again, not made twice."""
    keys = [whole.compared.hand.verdict_id for whole in wholes]
    known = Comparison.objects.filter(verdict_id__in=keys, engine=replay.ENGINE)
    numbers: dict[tuple[int, int | None], int] = {
        (verdict, earlier): pk
        for pk, verdict, earlier in known.values_list("pk", "verdict_id", "earlier_id")
    }
    news = [whole for whole in wholes if whole.compared.key not in numbers]
    rows = Comparison.objects.bulk_create(
        Comparison(
            verdict_id=whole.compared.key[0],
            earlier_id=whole.compared.key[1],
            engine=replay.ENGINE,
            kind=whole.verdict.verdict,
            digest=bytes.fromhex(whole.verdict.replay_digest or ""),
        )
        for whole in news
    )
    ComparisonFinding.objects.bulk_create(
        _finding_row(row.pk, position, finding)
        for row, whole in zip(rows, news, strict=True)
        for position, finding in enumerate(whole.compared.findings)
    )
    return numbers | {(row.verdict_id, row.earlier_id): row.pk for row in rows}


def _finding_row(comparison_id: int, position: int, finding: replay.Finding) -> ComparisonFinding:
    return ComparisonFinding(
        comparison_id=comparison_id,
        position=position,
        code=finding.code,
        severity=finding.severity,
        event=finding.event,
        seat=finding.seat,
        subject=finding.subject,
        logged=finding.logged,
        expected=finding.expected,
        rule=finding.rule,
        confidence=finding.confidence,
        follows=finding.follows,
        explained_by=list(finding.explained_by),
        message=finding.message,
    )


def _columns(
    wholes: Sequence[_Whole], numbers: Mapping[tuple[int, int | None], int]
) -> list[list[Any]]:
    rows = [
        (
            whole.compared.hand.pk,
            numbers[whole.compared.key],
            whole.verdict.verdict,
            next((one.code for one in whole.verdict.findings if one.severity == "error"), ""),
            SEPARATOR.join(sorted({one.code for one in whole.verdict.findings})),
            len(whole.verdict.findings),
        )
        for whole in wholes
    ]
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 6
