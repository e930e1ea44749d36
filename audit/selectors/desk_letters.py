"""The records behind a letter or a case file, read in few questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import replay
from audit.models import (
    CaseAct,
    CaseHand,
    ComparisonFinding,
    Finding,
    Hand,
    HandVersion,
    RemedyEntry,
    RemedyState,
)
from audit.selectors.comparisons import finding_of
from audit.selectors.desk_queue import Money
from audit.zstd import unpacked

HANDS_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterHand:
    """A stored hand with its exact line and what is found of it now."""

    pk: int
    source: str
    hand_id: str
    table: str
    started_at: str
    ruleset: str
    currency: str
    minor_digits: int
    raw: bytes
    sha256: str
    findings: tuple[replay.Finding, ...]


def letter_hands(ids: Sequence[int]) -> tuple[LetterHand, ...]:
    """These hands in this order, HANDS_MAX at most; four questions."""
    wanted = list(ids)[:HANDS_MAX]
    hands = Hand.objects.in_bulk(wanted)
    versions = HandVersion.objects.in_bulk([hand.version_id for hand in hands.values()])
    own: dict[int, list[replay.Finding]] = {}
    judged = {pk: hand.contending_verdicts or [hand.verdict_id] for pk, hand in hands.items()}
    rows = Finding.objects.filter(verdict_id__in=[key for keys in judged.values() for key in keys])
    for row in rows.order_by("verdict_id", "position"):
        own.setdefault(row.verdict_id, []).append(finding_of(row))
    compared = [one.comparison_id for one in hands.values() if one.comparison_id is not None]
    between: dict[int, list[replay.Finding]] = {}
    if compared:
        found = ComparisonFinding.objects.filter(comparison_id__in=compared)
        for one in found.order_by("comparison_id", "position"):
            between.setdefault(one.comparison_id, []).append(finding_of(one))
    return tuple(
        LetterHand(
            pk=hand.pk,
            source=hand.source,
            hand_id=hand.hand_id,
            table=hand.table,
            started_at=hand.started_at,
            ruleset=hand.ruleset,
            currency=hand.currency,
            minor_digits=hand.minor_digits,
            raw=unpacked(bytes(versions[hand.version_id].raw)),
            sha256=bytes(versions[hand.version_id].sha256).hex(),
            findings=(
                *(one for key in judged[hand.pk] for one in own.get(key, ())),
                *between.get(hand.comparison_id or 0, ()),
            ),
        )
        for hand in (hands[one] for one in wanted if one in hands)
    )


def members_of(case_id: int, *, player: str = "", limit: int = HANDS_MAX) -> tuple[list[int], int]:
    """The hands that stand in a case, the latest played first, and how many there are in all.

    With `player` only those that he played.
    """
    found = CaseHand.objects.filter(case_id=case_id, left_at__isnull=True)
    if player:
        found = found.filter(amounts__player=player).distinct()
    ordered = found.order_by("-played_at", "-id").values_list("hand_id", "played_at", "id")
    return [hand_id for hand_id, *_ in ordered[:limit]], found.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """What remedies of a case book for a player; rejected ones do not count."""

    remedy_pk: int
    state: str
    money: Money


def booked_for(case_id: int, player: str) -> tuple[Booked, ...]:
    """By remedy."""
    entries = RemedyEntry.objects.filter(
        remedy__case_id=case_id, account="player", player=player
    ).exclude(remedy__state=RemedyState.REJECTED)
    return tuple(
        Booked(
            remedy_pk=one.remedy_id,
            state=one.remedy.state,
            money=Money(
                currency=one.currency, digits=one.minor_digits, minor=int(one.amount_minor)
            ),
        )
        for one in entries.select_related("remedy").order_by("remedy_id", "position")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionNote:
    """The decision in force: what, why, by whom, when."""

    decision: str
    reason: str
    by: str
    at: datetime


def decision_of(case_id: int) -> DecisionNote | None:
    """The newest act that decided a case; whether it is still in force the case itself says."""
    act = (
        CaseAct.objects.filter(case_id=case_id, state="decided", actor__isnull=False)
        .exclude(decision="")
        .filter(kind__in=("decided", "undone"))
        .select_related("actor")
        .order_by("-number")
        .first()
    )
    if act is None or act.actor is None:
        return None
    return DecisionNote(
        decision=act.decision, reason=act.text, by=act.actor.get_username(), at=act.created_at
    )
