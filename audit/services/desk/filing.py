"""Putting hands where they belong: into the case of their cause, or out of it.

One call is one transaction over some hands. What it does depends only on how the hands stand now,
so it may be called for the same hands again, and by two workers one after the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

import replay
from audit.models import (
    ActKind,
    Case,
    CaseAmount,
    CaseHand,
    CaseState,
    Cause,
    ComparisonFinding,
    Docket,
    Finding,
    Hand,
    HandVersion,
    Severity,
    Verdict,
)
from audit.selectors.comparisons import finding_of
from audit.selectors.desk_zones import days_after, zone_of
from audit.selectors.months import within
from audit.services.desk.acting import write_act
from audit.services.desk.amounts import Exposure, exposure_of
from audit.services.desk.causes import CauseKey, cause_of
from audit.zstd import unpacked

# Who files holds this lock: causes and cases are made by one at a time.
FILING_LOCK = 0x7469_6C65_6465_736B
ERRORS_LOOKED_AT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """A hand as it stands now; `cause` is None where no error is found of it.

    `verdict` and `comparison` are those that have the errors. A hand in conflict stands where the
    first of its records that has an error puts it, in an order that does not depend on which came
    first, and nothing is known of what it costs: its records have different figures.
    """

    hand: Hand
    verdict: int
    comparison: int | None
    cause: CauseKey | None
    exposure: Exposure


def file_hands(hand_ids: Iterable[int]) -> int:
    """Look at these hands again, and move those that stand elsewhere now. Gives their number."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [FILING_LOCK])
        ids = sorted(set(hand_ids))
        dockets = Docket.objects.select_related("member__case").in_bulk(ids)
        hands = [
            hand
            for hand in Hand.objects.filter(pk__in=ids).order_by("pk")
            if not _is_known(dockets.get(hand.pk), hand)
        ]
        if not hands:
            return 0
        moved = _move(_look(hands), dockets)
        _refresh(moved)
        return len(hands)


def _is_known(docket: Docket | None, hand: Hand) -> bool:
    if docket is not None and hand.is_replaced and docket.member_id is not None:
        return False
    return docket is not None and (
        docket.verdict_id,
        docket.comparison_id,
        docket.contending_verdicts,
    ) == (hand.verdict_id, hand.comparison_id, hand.contending_verdicts)


def _look(hands: Sequence[Hand]) -> list[_Looked]:
    """Read what is found of these hands, and what the error costs."""
    errors = _errors_of(hands)
    wrong = [hand for hand in hands if errors[hand.pk].found]
    keys = [hand.pk for hand in wrong]
    verdicts = Verdict.objects.filter(
        within("version_id", keys), pk__in=[errors[hand.pk].verdict for hand in wrong]
    )
    settlements = dict(verdicts.values_list("pk", "settlement"))
    versions = HandVersion.objects.filter(
        within("hand_id", keys), pk__in=[hand.version_id for hand in wrong]
    )
    records = dict(versions.values_list("pk", "raw"))
    looked = {
        hand.pk: _Looked(
            hand=hand,
            verdict=errors[hand.pk].verdict,
            comparison=errors[hand.pk].comparison,
            cause=None,
            exposure=NOTHING,
        )
        for hand in hands
    }
    for hand in wrong:
        settlement = settlements.get(errors[hand.pk].verdict)
        rakes = {one["seat"]: one["rake"] for one in (settlement or {}).get("seats", ())}
        cause = cause_of(
            errors[hand.pk].found,
            source=hand.source,
            game=hand.game,
            ruleset=hand.ruleset,
            rakes=rakes,
        )
        exposure = NOTHING
        if not hand.is_conflict:
            exposure = _exposed(bytes(records[hand.version_id]), settlement)
        looked[hand.pk] = replace(looked[hand.pk], cause=cause, exposure=exposure)
    return list(looked.values())


NOTHING = Exposure(amounts=(), at_risk=0, is_known=False)


def _exposed(packed: bytes, settlement: Mapping[str, object] | None) -> Exposure:
    """The amounts of a stored hand; nothing is known of a record that is no hand-log/1."""
    try:
        read = replay.read(unpacked(packed))
    except replay.Refusal:
        return NOTHING
    return exposure_of(read, settlement)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errors:
    """What is wrong with a record of a hand: `found` are the errors of its verdict and comparison
    together, in their order."""

    verdict: int
    comparison: int | None
    found: list[replay.Finding]


def _errors_of(hands: Sequence[Hand]) -> dict[int, _Errors]:
    """What is wrong with each hand; of one in conflict with the first record that has an error.

    Nothing with a hand for which another stands: that one has it. Of one verdict or comparison the
    first ERRORS_LOOKED_AT errors: a hand may have thousands.
    """
    verdicts = {key for hand in hands for key in (hand.contending_verdicts or [hand.verdict_id])}
    own = _first(Finding.objects.filter(verdict_id__in=verdicts), "verdict_id")
    compared = {hand.comparison_id for hand in hands if hand.comparison_id is not None}
    between: dict[int, list[replay.Finding]] = {}
    if compared:
        rows = ComparisonFinding.objects.filter(comparison_id__in=compared)
        between = _first(rows, "comparison_id")
    looked = {}
    for hand in hands:
        found = own.get(hand.verdict_id, []) + between.get(hand.comparison_id or 0, [])
        looked[hand.pk] = _Errors(
            verdict=hand.verdict_id,
            comparison=hand.comparison_id,
            found=[] if hand.is_replaced else found,
        )
        others = () if found or hand.is_replaced else hand.contending_verdicts or ()
        if other := next((key for key in others if own.get(key)), None):
            looked[hand.pk] = _Errors(verdict=other, comparison=None, found=own[other])
    return looked


def _first(rows: QuerySet[Any], key: str) -> dict[int, list[replay.Finding]]:
    """The first errors by verdict or comparison, without holding all of them at once."""
    found: dict[int, list[replay.Finding]] = {}
    for row in rows.filter(severity=Severity.ERROR).order_by(key, "position").iterator():
        errors = found.setdefault(getattr(row, key), [])
        if len(errors) < ERRORS_LOOKED_AT:
            errors.append(finding_of(row))
    return found


def _move(looked: Sequence[_Looked], dockets: Mapping[int, Docket]) -> set[int]:
    """End memberships, begin others, and write the dockets. Gives the cases that changed."""
    now = timezone.now()
    old = {one.hand.pk: _member_of(dockets.get(one.hand.pk)) for one in looked}
    targets = _cases_for(looked, old, now)
    left = [member for member in old.values() if member is not None]
    if left:
        CaseHand.objects.filter(pk__in=[one.pk for one in left]).update(left_at=now)
    joining = [one for one in looked if one.cause is not None]
    members = CaseHand.objects.bulk_create(
        _member(one, targets[one.hand.pk], now) for one in joining
    )
    CaseAmount.objects.bulk_create(
        CaseAmount(
            member=member,
            player=amount.player,
            seat=amount.seat,
            logged_minor=amount.logged,
            recomputed_minor=amount.recomputed,
        )
        for member, one in zip(members, joining, strict=True)
        for amount in one.exposure.amounts
    )
    begun = {member.hand_id: member for member in members}
    Docket.objects.bulk_create(
        (
            Docket(
                hand_id=one.hand.pk,
                verdict_id=one.hand.verdict_id,
                comparison_id=one.hand.comparison_id,
                contending_verdicts=one.hand.contending_verdicts,
                member=begun.get(one.hand.pk),
            )
            for one in looked
        ),
        update_conflicts=True,
        unique_fields=["hand"],
        update_fields=["verdict", "comparison", "contending_verdicts", "member"],
    )
    _tell(left, members, now)
    return {one.case_id for one in left} | {one.case_id for one in members}


def _member_of(docket: Docket | None) -> CaseHand | None:
    return docket.member if docket is not None else None


def _member(one: _Looked, case_id: int, now: datetime) -> CaseHand:
    return CaseHand(
        case_id=case_id,
        hand_id=one.hand.pk,
        verdict_id=one.verdict,
        comparison_id=one.comparison,
        played_at=one.hand.played_at,
        table=one.hand.table,
        currency=one.hand.currency,
        minor_digits=one.hand.minor_digits,
        at_risk_minor=one.exposure.at_risk,
        is_known=one.exposure.is_known,
        joined_at=now,
    )


def _cases_for(
    looked: Sequence[_Looked], old: Mapping[int, CaseHand | None], now: datetime
) -> dict[int, int]:
    """The case of each hand that has a cause.

    A hand whose cause is the same as before stays in its case, also in a closed one. Any other
    joins the newest case of its cause if that is open, else a new one behind it.
    """
    causes = _causes({one.cause for one in looked if one.cause is not None})
    left = {member.case_id for member in old.values() if member is not None}
    # Locked in the order of their keys, so that nobody decides one while hands join it.
    locked = (
        Case.objects.select_for_update(no_key=True)
        .filter(Q(cause_id__in=causes.values()) | Q(pk__in=left))
        .order_by("pk")
    )
    newest: dict[int, Case] = {}
    for case in sorted(locked, key=lambda case: case.sequence):
        assert case.cause_id is not None
        newest[case.cause_id] = case
    targets: dict[int, int] = {}
    for one in looked:
        if one.cause is None:
            continue
        cause_id = causes[one.cause]
        member = old[one.hand.pk]
        if member is not None and member.case.cause_id == cause_id:
            targets[one.hand.pk] = member.case_id
            continue
        last = newest.get(cause_id)
        if last is None or last.state != CaseState.OPEN:
            last = newest[cause_id] = _open_case(cause_id, one.hand, last, now)
        targets[one.hand.pk] = last.pk
    return targets


def _causes(keys: Iterable[CauseKey]) -> dict[CauseKey, int]:
    """The rows of these causes; made where they are new. The filing lock is held."""
    wanted = {key.sha256: key for key in keys}
    known = {bytes(key): pk for pk, key in Cause.objects.filter(key__in=wanted).values_list(
        "pk", "key")}  # fmt: skip
    for sha256, key in sorted(wanted.items()):
        if sha256 not in known:
            known[sha256] = Cause.objects.create(
                key=sha256,
                source=key.source,
                game=key.game,
                ruleset=key.ruleset,
                code=key.code,
                rule=key.rule,
                relation=key.relation,
                explained_by=list(key.explained_by),
            ).pk
    return {key: known[sha256] for sha256, key in wanted.items()}


def _open_case(cause_id: int, hand: Hand, before: Case | None, now: datetime) -> Case:
    case = Case.objects.create(
        cause_id=cause_id,
        sequence=1 if before is None else before.sequence + 1,
        earlier=before,
        source=hand.source,
        opened_at=now,
        due_at=due_after(now, hand.source, hand.table, hand.started_at),
    )
    write_act(case, ActKind.OPENED, actor=None, at=now, hand_id=hand.pk)
    return case


def due_after(now: datetime, source: str, table: str, started_at: str | None) -> datetime:
    """When a case that is opened now is due: so many days on, by the clock of its table."""
    zone = zone_of(source, table, started_at)
    return days_after(now, settings.TILECOURT_CASE_DAYS, zone)


def _tell(left: Sequence[CaseHand], joined: Sequence[CaseHand], now: datetime) -> None:
    """One act a case and direction; a hand that was only judged again in its case is no news."""
    stayed = {(one.case_id, one.hand_id) for one in left} & {
        (one.case_id, one.hand_id) for one in joined
    }
    counts: dict[tuple[int, ActKind], int] = defaultdict(int)
    for members, kind in ((left, ActKind.LEFT), (joined, ActKind.JOINED)):
        for one in members:
            if (one.case_id, one.hand_id) not in stayed:
                counts[one.case_id, kind] += 1
    cases = {
        case.pk: case
        for case in Case.objects.select_for_update(no_key=True)
        .filter(pk__in={case_id for case_id, _ in counts})
        .order_by("pk")
    }
    for (case_id, kind), count in sorted(counts.items()):
        write_act(cases[case_id], kind, actor=None, at=now, count=count)


def _refresh(case_ids: Iterable[int]) -> None:
    """Count these cases again, set by set: hands, days, money at risk by currency."""
    cases = {"cases": sorted(case_ids)}
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_HANDS, cases)
        cursor.execute(_DROP_MONEY, cases)
        cursor.execute(_COUNT_MONEY, cases)


_COUNT_HANDS = """
UPDATE audit_case c
SET hand_count = counted.hands, first_played = counted.first, last_played = counted.last
FROM (
    SELECT wanted.id, count(m.id) AS hands, min(m.played_at) AS first, max(m.played_at) AS last
    FROM unnest(%(cases)s::int8[]) AS wanted (id)
    LEFT JOIN audit_casehand m ON m.case_id = wanted.id AND m.left_at IS NULL
    GROUP BY wanted.id
) counted
WHERE c.id = counted.id
"""

# A currency of which no hand is left.
_DROP_MONEY = """
DELETE FROM audit_casemoney o WHERE o.case_id = ANY(%(cases)s) AND NOT EXISTS (
    SELECT FROM audit_casehand m
    WHERE m.case_id = o.case_id AND m.left_at IS NULL
        AND m.currency = o.currency AND m.minor_digits = o.minor_digits
)
"""

_COUNT_MONEY = """
INSERT INTO audit_casemoney (case_id, currency, minor_digits, at_risk_minor)
SELECT case_id, currency, minor_digits, sum(at_risk_minor)
FROM audit_casehand WHERE case_id = ANY(%(cases)s) AND left_at IS NULL
GROUP BY case_id, currency, minor_digits
ON CONFLICT (case_id, currency, minor_digits) DO UPDATE SET at_risk_minor = excluded.at_risk_minor
"""
