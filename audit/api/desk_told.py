"""Rows of the desk in the shapes of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django.urls import reverse

import replay
from audit.api import shapes, shapes_desk
from audit.selectors.desk_books import ClaimDetail, RemedyRow
from audit.selectors.desk_cases import ActRow, CaseDetail, ClaimRow
from audit.selectors.desk_members import MemberRow
from audit.selectors.desk_queue import CaseRow, Money


def amount(money: Money) -> shapes_desk.Amount:
    return shapes_desk.Amount(currency=money.currency, amount=money.text)


def _case(row: CaseRow, now: datetime) -> dict[str, Any]:
    holder = row.holder_at(now)
    return {
        "id": str(row.pk),
        "url": reverse("api-case", args=(row.pk,)),
        "page": reverse("case", args=(row.pk,)),
        "source": row.source,
        "state": row.state,
        "decision": row.decision or None,
        "held_by": holder,
        "held_until": row.taken_until if holder is not None else None,
        "opened_at": row.opened_at,
        "due_at": row.due_at,
        "revision": row.revision,
        "hands": row.hand_count,
        "claims": row.claim_count,
        "at_risk": [amount(one) for one in row.money],
        "cause": None
        if row.cause_pk is None
        else shapes_desk.CaseCause(
            game=row.game,
            ruleset=row.ruleset,
            code=row.code,
            rule=row.rule or None,
            relation=row.relation or None,
            explained_by=list(row.explained_by),
        ),
        "earlier": None if row.earlier_pk is None else str(row.earlier_pk),
    }


def case_short(row: CaseRow, now: datetime) -> shapes_desk.CaseShort:
    return shapes_desk.CaseShort(**_case(row, now))


def case_one(detail: CaseDetail, now: datetime) -> shapes_desk.CaseOne:
    key = detail.row.pk
    return shapes_desk.CaseOne(
        **_case(detail.row, now),
        players=[
            shapes_desk.Exposed(
                player=one.player,
                currency=one.currency,
                hands=one.hand_count,
                hands_unknown=one.unknown_count,
                logged=replay.format_minor(one.logged, one.digits),
                recomputed=replay.format_minor(one.recomputed, one.digits),
                difference=replay.format_minor(one.difference, one.digits),
            )
            for one in detail.exposure.rows
        ],
        players_in_all=detail.exposure.player_count,
        left=detail.left_count,
        claim_ids=[str(one.pk) for one in detail.claims],
        remedy_ids=[str(one.pk) for one in detail.remedies],
        acts=reverse("api-case-acts", args=(key,)),
        members=reverse("api-case-hands", args=(key,)),
    )


def member(row: MemberRow) -> shapes_desk.Member:
    found = row.finding
    return shapes_desk.Member(
        hand=str(row.hand_pk),
        url=reverse("api-hand", args=(row.hand_pk,)),
        hand_id=row.hand_id,
        table=row.table,
        started_at=row.started_at,
        played_at=row.played_at,
        players=list(row.players),
        at_risk=shapes_desk.Amount(
            currency=row.currency, amount=replay.format_minor(row.at_risk, row.digits)
        ),
        is_known=row.is_known,
        left_at=row.left_at,
        finding=None if found is None else _finding(found),
    )


def _finding(found: replay.Finding) -> shapes.FindingRow:
    """The primary one; where it stands in its list is not asked for."""
    return shapes.FindingRow(
        position=0,
        against="itself",
        code=found.code,
        severity=found.severity,
        event=found.event,
        seat=found.seat,
        subject=found.subject,
        logged=found.logged,
        expected=found.expected,
        rule=found.rule,
        confidence=found.confidence,
        follows=found.follows,
        explained_by=list(found.explained_by),
        message=found.message,
    )


def act(row: ActRow) -> shapes_desk.CaseAct:
    return shapes_desk.CaseAct(
        number=row.number,
        kind=row.kind,
        by=row.actor,
        at=row.created_at,
        text=row.text or None,
        decision=cast("shapes_desk.DecisionWord | None", row.decision or None),
        assigned_to=row.assignee,
        held_until=row.taken_until,
        count=row.count,
        hand=_key(row.hand_pk),
        step=row.step,
        claim=_key(row.claim_pk),
        remedy=_key(row.remedy_pk),
    )


def _key(number: int | None) -> str | None:
    return None if number is None else str(number)


def _claim(row: ClaimRow) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "url": reverse("api-claim", args=(row.pk,)),
        "reference": f"K-{row.pk}",
        "case": str(row.case_pk),
        "case_url": reverse("api-case", args=(row.case_pk,)),
        "case_state": row.case_state,
        "case_decision": row.case_decision or None,
        "source": row.source,
        "player": row.player,
        "said_at": row.claimed_at,
        "deadline_at": row.deadline_at,
        "text": row.text,
        "amount": None if row.amount is None else amount(row.amount),
        "entered_by": row.entered_by,
        "entered_at": row.entered_at,
        "is_withdrawn": row.is_withdrawn,
    }


def claim_short(row: ClaimRow) -> shapes_desk.ClaimShort:
    return shapes_desk.ClaimShort(**_claim(row))


def claim_one(detail: ClaimDetail, history: list[ActRow]) -> shapes_desk.ClaimOne:
    """`history` are the acts on its case since it was lodged, the oldest first."""
    return shapes_desk.ClaimOne(
        **_claim(detail.row),
        hands=[
            shapes_desk.ClaimedHand(
                hand=str(one.pk),
                url=reverse("api-hand", args=(one.pk,)),
                hand_id=one.hand_id,
                table=one.table,
                started_at=one.started_at,
                verdict=one.verdict,
            )
            for one in detail.hands
        ],
        history=[act(one) for one in history],
    )


def _remedy(row: RemedyRow) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "url": reverse("api-remedy", args=(row.pk,)),
        "case": str(row.case_pk),
        "state": row.state,
        "reason": row.reason,
        "proposed_by": row.proposed_by,
        "proposed_at": row.proposed_at,
        "settled_by": row.settled_by,
        "settled_at": row.settled_at,
        "exported_by": row.exported_by,
        "exported_at": row.exported_at,
    }


def remedy_short(row: RemedyRow) -> shapes_desk.RemedyShort:
    return shapes_desk.RemedyShort(**_remedy(row))


def remedy_one(row: RemedyRow) -> shapes_desk.RemedyOne:
    return shapes_desk.RemedyOne(
        **_remedy(row),
        entries=[
            shapes_desk.Entry(
                account=one.account,
                player=one.player or None,
                currency=one.money.currency,
                amount=one.money.text,
            )
            for one in row.entries
        ],
    )
