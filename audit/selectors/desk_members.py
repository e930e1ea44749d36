"""The hands of a case: those that stand in it, and those that left it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BigIntegerField, ExpressionWrapper, F, QuerySet
from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan

import replay
from audit.models import CaseHand, ComparisonFinding, Finding, Hand
from audit.selectors.comparisons import finding_of
from audit.selectors.pages import (
    Cursor,
    Page,
    check_limit,
    make_page,
    moment_of,
    number_of,
    read_cursor,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """A hand of a case; `finding` is its primary one, None where that was not found again.

    `is_conflict`: the finding is of one of several records that claim to be the hand.
    """

    pk: int
    hand_pk: int
    hand_id: str
    table: str
    played_at: datetime
    started_at: str
    players: tuple[str, ...]
    currency: str
    digits: int
    at_risk: int
    is_known: bool
    left_at: datetime | None
    finding: replay.Finding | None
    is_conflict: bool = False


def list_members(
    case_id: int, *, left: bool = False, cursor: str | None = None, limit: int = 25
) -> Page[MemberRow]:
    """The hands that stand in a case, or those that left it; the latest played first.

    Of hands of one instant the order is that of the hands: one that gets another verdict joins its
    case anew, and keeps its place. Raises: BadQuery.
    """
    at = read_cursor(cursor, 2)
    last = "id" if left else "hand_id"
    found = CaseHand.objects.filter(case_id=case_id, left_at__isnull=not left)
    if at is not None:
        compare = TupleGreaterThan if at.is_back else TupleLessThan
        found = found.filter(compare(("played_at", last), (moment_of(at.key[0]), at.key[1])))
    return _page(
        found,
        ("-played_at", f"-{last}"),
        at,
        check_limit(limit),
        lambda row: (
            number_of(row.played_at),
            row.pk if left else row.hand_pk,
        ),
    )


def list_standing(case_id: int, *, cursor: str | None = None, limit: int = 25) -> Page[MemberRow]:
    """The hands that stand in a case, the last that came in first: an order that never changes,
    also where a hand is restated with another time. Raises: BadQuery."""
    at = read_cursor(cursor, 1)
    # Counted downwards, which the index of this list alone does: by the hands themselves the
    # planner goes through those of every case, where it takes this one's for evenly spread.
    found = CaseHand.objects.filter(case_id=case_id, left_at__isnull=True)
    # A key has more than the 32 bits that Django takes the product for.
    found = found.annotate(down=ExpressionWrapper(F("hand_id") * -1, BigIntegerField()))
    if at is not None:
        found = found.filter(**{"down__lt" if at.is_back else "down__gt": -at.key[0]})
    return _page(found, ("down",), at, check_limit(limit), lambda row: (row.hand_pk,))


def _page(
    found: QuerySet[CaseHand],
    order: Sequence[str],
    at: Cursor | None,
    limit: int,
    key: Callable[[MemberRow], tuple[int, ...]],
) -> Page[MemberRow]:
    is_back = at is not None and at.is_back
    found = found.order_by(*order)
    if is_back:
        found = found.reverse()
    members = list(found[: limit + 1])
    hands = Hand.objects.in_bulk([one.hand_id for one in members])
    findings = _primary_findings(members)
    rows = [_member_row(one, hands[one.hand_id], findings.get(one.pk)) for one in members]
    return make_page(rows, cursor=at, limit=limit, key=key)


def _primary_findings(members: Sequence[CaseHand]) -> dict[int, replay.Finding]:
    """The first error of each, out of its verdict, else out of its comparison."""
    found: dict[int, replay.Finding] = {}
    verdicts = {one.verdict_id: one.pk for one in members}
    rows = Finding.objects.filter(verdict_id__in=verdicts, severity="error")
    for row in rows.order_by("verdict_id", "position"):
        found.setdefault(verdicts[row.verdict_id], finding_of(row))
    comparisons = {
        one.comparison_id: one.pk
        for one in members
        if one.comparison_id is not None and one.pk not in found
    }
    if comparisons:
        between = ComparisonFinding.objects.filter(comparison_id__in=comparisons, severity="error")
        for one in between.order_by("comparison_id", "position"):
            found.setdefault(comparisons[one.comparison_id], finding_of(one))
    return found


def _member_row(member: CaseHand, hand: Hand, finding: replay.Finding | None) -> MemberRow:
    return MemberRow(
        pk=member.pk,
        hand_pk=hand.pk,
        hand_id=hand.hand_id,
        table=member.table,
        played_at=member.played_at,
        started_at=hand.started_at,
        players=tuple(hand.players),
        currency=member.currency,
        digits=member.minor_digits,
        at_risk=int(member.at_risk_minor),
        is_known=member.is_known,
        left_at=member.left_at,
        finding=finding,
        is_conflict=hand.is_conflict,
    )
