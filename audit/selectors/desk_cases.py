"""One case: who is exposed, which hands stand in it, what was done, said and proposed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from audit.models import (
    ActKind,
    Case,
    CaseAct,
    CaseHand,
    Claim,
    ClaimHand,
    Hand,
    Remedy,
)
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.desk_exposure import Exposure, exposure_of_case
from audit.selectors.desk_members import MemberRow, list_members
from audit.selectors.desk_queue import CaseRow, Money, cases_by_number
from audit.selectors.pages import (
    HandNotFound,
    NotFound,
    Page,
)

ACTS_SHOWN = 100
CLAIMS_SHOWN = 100
CODES_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRow:
    """One act; `actor` is None for the audit itself."""

    pk: int
    number: int
    kind: str
    actor: str | None
    created_at: datetime
    text: str
    decision: str
    assignee: str | None
    taken_until: datetime | None
    count: int
    hand_pk: int | None
    hand_id: str | None
    step: int | None
    claim_pk: int | None
    claim_player: str | None
    remedy_pk: int | None
    bulk_pk: int | None


def list_acts(
    case_id: int, *, sources: Sources, before: int | None = None, limit: int = ACTS_SHOWN
) -> tuple[ActRow, ...]:
    """The acts of a case, the newest first; `before`: those with lower numbers only.

    A hand that an act points to is told where it may be seen.
    """
    acts = CaseAct.objects.filter(in_sources(sources, "case__source"), case_id=case_id)
    if before is not None:
        acts = acts.filter(number__lt=before)
    found = acts.select_related("actor", "assignee", "claim").order_by("-number")[:limit]
    rows = list(found)
    pointed = {act.hand_id for act in rows if act.hand_id is not None}
    hands = Hand.objects.filter(in_sources(sources), pk__in=pointed)
    names = dict(hands.values_list("pk", "hand_id"))
    return tuple(
        ActRow(
            pk=act.pk,
            number=act.number,
            kind=act.kind,
            actor=act.actor.get_username() if act.actor is not None else None,
            created_at=act.created_at,
            text=act.text,
            decision=act.decision,
            assignee=act.assignee.get_username() if act.assignee is not None else None,
            taken_until=act.taken_until,
            count=act.count,
            hand_pk=act.hand_id if act.hand_id in names else None,
            hand_id=names.get(act.hand_id) if act.hand_id is not None else None,
            step=act.step,
            claim_pk=act.claim_id,
            claim_player=act.claim.player if act.claim is not None else None,
            remedy_pk=act.remedy_id,
            bulk_pk=act.bulk_id,
        )
        for act in rows
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A claim as lists show it; `amount` None where none was named."""

    pk: int
    case_pk: int
    case_state: str
    case_decision: str
    source: str
    player: str
    claimed_at: datetime
    deadline_at: datetime
    text: str
    amount: Money | None
    entered_by: str
    entered_at: datetime
    is_withdrawn: bool


def claim_row(claim: Claim) -> ClaimRow:
    """`claim` comes with its case, who entered it, and the acts about it."""
    amount = None
    if claim.amount_minor is not None:
        amount = Money(
            currency=claim.currency, digits=claim.minor_digits, minor=int(claim.amount_minor)
        )
    return ClaimRow(
        pk=claim.pk,
        case_pk=claim.case_id,
        case_state=claim.case.state,
        case_decision=claim.case.decision,
        source=claim.source,
        player=claim.player,
        claimed_at=claim.claimed_at,
        deadline_at=claim.deadline_at,
        text=claim.text,
        amount=amount,
        entered_by=claim.entered_by.get_username(),
        entered_at=claim.entered_at,
        is_withdrawn=any(act.kind == ActKind.UNCLAIMED for act in claim.acts.all()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeRow:
    """Another case of the same cause, or the one before it."""

    pk: int
    state: str
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyHead:
    """A remedy as a case lists it."""

    pk: int
    state: str
    proposed_by: str
    proposed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDetail:
    """A case as its page shows it.

    `members` are a page of hands, `left_count` how many left the case, `unknown_count` how many
    stand without figures to compare; `claimed` are the hands that its claims are about, by key.
    `also` are the other findings of the hands that stand, with how many hands have each; `tables`
    likewise.
    """

    row: CaseRow
    exposure: Exposure
    members: Page[MemberRow]
    left_count: int
    unknown_count: int
    tables: tuple[tuple[str, int], ...]
    also: tuple[tuple[str, int], ...]
    acts: tuple[ActRow, ...]
    claims: tuple[ClaimRow, ...]
    claimed: tuple[tuple[int, str], ...]
    remedies: tuple[RemedyHead, ...]
    relatives: tuple[RelativeRow, ...]


class CaseNotKnown(NotFound):
    """No case has this number."""


def get_case(case_id: int, *, sources: Sources) -> CaseRow:
    """Raises: CaseNotKnown."""
    rows = cases_by_number([case_id], sources=sources)
    if not rows:
        raise CaseNotKnown(f"There is no case {case_id}.")
    return rows[0]


def case_of_hand(hand_pk: int, *, sources: Sources) -> int | None:
    """The case in which a hand stands now. Raises: HandNotFound."""
    if not Hand.objects.filter(in_sources(sources), pk=hand_pk).exists():
        raise HandNotFound(f"There is no hand {hand_pk}.")
    standing = CaseHand.objects.filter(hand_id=hand_pk, left_at__isnull=True)
    return standing.values_list("case_id", flat=True).first()


_COUNTS = """
SELECT count(*) FILTER (WHERE left_at IS NOT NULL),
    count(*) FILTER (WHERE left_at IS NULL AND NOT is_known)
FROM audit_casehand WHERE case_id = %(case)s
"""

_TABLES = """
SELECT "table", count(*) FROM audit_casehand WHERE case_id = %(case)s AND left_at IS NULL
GROUP BY "table" ORDER BY count(*) DESC, "table" LIMIT %(limit)s
"""

_ALSO = """
SELECT code, count(*) FROM audit_casehand m
JOIN audit_hand h ON h.id = m.hand_id, unnest(h.finding_codes) AS code
WHERE m.case_id = %(case)s AND m.left_at IS NULL AND code <> %(code)s
GROUP BY code ORDER BY count(*) DESC, code LIMIT %(limit)s
"""


def case_detail(
    case_id: int, *, sources: Sources, left: bool = False, cursor: str | None = None
) -> CaseDetail:
    """All that the page of a case shows. Raises: CaseNotKnown, BadQuery."""
    row = get_case(case_id, sources=sources)
    parameters: dict[str, Any] = {"case": case_id, "code": row.code, "limit": CODES_SHOWN}
    with connection.cursor() as cursor_:
        cursor_.execute(_COUNTS, parameters)
        left_count, unknown_count = cursor_.fetchone()
        cursor_.execute(_TABLES, parameters)
        tables = tuple(cursor_.fetchall())
        cursor_.execute(_ALSO, parameters)
        also = tuple(cursor_.fetchall())
    return CaseDetail(
        row=row,
        exposure=exposure_of_case(case_id),
        members=list_members(case_id, left=left, cursor=cursor),
        left_count=left_count,
        unknown_count=unknown_count,
        tables=tables,
        also=also,
        acts=list_acts(case_id, sources=sources),
        claims=claims_of(case_id),
        claimed=_claimed_in(case_id),
        remedies=_remedies_of(case_id),
        relatives=_relatives_of(row),
    )


def claims_of(case_id: int) -> tuple[ClaimRow, ...]:
    """The claims of a case, the oldest first."""
    claims = Claim.objects.filter(case_id=case_id).select_related("case", "entered_by")
    return tuple(
        claim_row(one) for one in claims.prefetch_related("acts").order_by("id")[:CLAIMS_SHOWN]
    )


def _claimed_in(case_id: int) -> tuple[tuple[int, str], ...]:
    named = ClaimHand.objects.filter(claim__case_id=case_id).values("hand_id")
    hands = Hand.objects.filter(pk__in=named).order_by("pk")
    return tuple(hands.values_list("pk", "hand_id")[:CLAIMS_SHOWN])


def _remedies_of(case_id: int) -> tuple[RemedyHead, ...]:
    remedies = Remedy.objects.filter(case_id=case_id).select_related("proposed_by")
    return tuple(
        RemedyHead(
            pk=one.pk,
            state=one.state,
            proposed_by=one.proposed_by.get_username(),
            proposed_at=one.proposed_at,
        )
        for one in remedies.order_by("id")[:CLAIMS_SHOWN]
    )


def _relatives_of(row: CaseRow) -> tuple[RelativeRow, ...]:
    """Other cases of the cause, and those right before and behind; by number."""
    near = Q(earlier_id=row.pk)
    if row.earlier_pk is not None:
        near |= Q(pk=row.earlier_pk)
    if row.cause_pk is not None:
        near |= Q(cause_id=row.cause_pk)
    found = (
        Case.objects.filter(near)
        .exclude(pk=row.pk)
        .order_by("id")
        .values_list("pk", "state", "decision")
    )
    return tuple(
        RelativeRow(pk=pk, state=state, decision=decision)
        for pk, state, decision in found[:CLAIMS_SHOWN]
    )
