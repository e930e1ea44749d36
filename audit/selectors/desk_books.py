"""Claims, remedies and bulk acts, each as a list and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from audit.models import (
    BulkAct,
    CaseAct,
    Claim,
    ClaimHand,
    Grant,
    Hand,
    Remedy,
    RemedyEntry,
    RemedyState,
)
from audit.selectors.access import TABLE, Act, Sources
from audit.selectors.belonging import in_sources
from audit.selectors.desk_cases import ClaimRow, claim_row
from audit.selectors.desk_queue import Money
from audit.selectors.kinds import kind_of
from audit.selectors.pages import (
    KEY_MAX,
    BadQuery,
    NotFound,
    Page,
    check_limit,
    make_page,
    read_cursor,
)
from audit.selectors.replacements import ReplacedBy, replaced_by
from replay import say

NAME_MAX = 128
ACTS_MAX = 500
COLLEAGUES_MAX = 500


class ClaimNotKnown(NotFound):
    """No claim has this number."""


class RemedyNotKnown(NotFound):
    """No remedy has this number."""


class BulkNotKnown(NotFound):
    """No bulk act has this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedHand:
    """A hand that a claim is about, as its page and its letter name it."""

    pk: int
    hand_id: str
    source: str
    table: str
    started_at: str
    ruleset: str
    verdict: str
    replaced: ReplacedBy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimDetail:
    """A claim with its hands."""

    row: ClaimRow
    hands: tuple[ClaimedHand, ...]


def list_claims(
    *, sources: Sources, player: str = "", cursor: str | None = None, limit: int = 50
) -> Page[ClaimRow]:
    """Claims, the newest first; `player` is a whole name. Raises: BadQuery."""
    limit = check_limit(limit)
    if len(player) > NAME_MAX or "\0" in player:
        raise BadQuery(say("The player is no name."))
    at = read_cursor(cursor, 1)
    claims = Claim.objects.select_related("case", "entered_by").prefetch_related("acts")
    claims = claims.filter(in_sources(sources))
    if player:
        claims = claims.filter(player=player)
    is_back = at is not None and at.is_back
    if at is not None:
        claims = claims.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    found = claims.order_by("id" if is_back else "-id")[: limit + 1]
    rows = [claim_row(one) for one in found]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.pk,))


def get_claim(claim_id: int, *, sources: Sources) -> ClaimDetail:
    """Raises: ClaimNotKnown."""
    claim = None
    if 1 <= claim_id <= KEY_MAX:
        claims = Claim.objects.select_related("case", "entered_by").prefetch_related("acts")
        claim = claims.filter(in_sources(sources), pk=claim_id).first()
    if claim is None:
        raise ClaimNotKnown(f"There is no claim {claim_id}.")
    ids = ClaimHand.objects.filter(claim=claim).order_by("id").values_list("hand_id", flat=True)
    return ClaimDetail(row=claim_row(claim), hands=claimed_hands(list(ids), sources=sources))


def claimed_hands(ids: Sequence[int], *, sources: Sources) -> tuple[ClaimedHand, ...]:
    """These hands, in this order; those that are not stored are left out."""
    hands = Hand.objects.filter(in_sources(sources)).in_bulk(
        [one for one in ids if 1 <= one <= KEY_MAX]
    )
    return tuple(
        ClaimedHand(
            pk=hand.pk,
            hand_id=hand.hand_id,
            source=hand.source,
            table=hand.table,
            started_at=hand.started_at,
            ruleset=hand.ruleset,
            verdict=kind_of(hand.verdict_kind, is_conflict=hand.is_conflict),
            replaced=replaced_by(hand.pk, sources=sources) if hand.is_replaced else None,
        )
        for hand in (hands[one] for one in ids if one in hands)
    )


def claimed_in_case(case_id: int) -> list[int]:
    """The hands that the claims of a case are about, each once."""
    rows = ClaimHand.objects.filter(claim__case_id=case_id).order_by("id")
    return list(dict.fromkeys(rows.values_list("hand_id", flat=True)))


def hands_by_name(source: str, names: Sequence[str], *, sources: Sources) -> dict[str, int]:
    """The keys of hands of a source, by their ids; those that are not stored are left out."""
    found = Hand.objects.filter(in_sources(sources), source=source, hand_id__in=names)
    return dict(found.values_list("hand_id", "pk"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One side of a booking."""

    account: str
    player: str
    money: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyRow:
    """A remedy; `entries` are empty in lists."""

    pk: int
    case_pk: int
    case_state: str
    state: str
    reason: str
    proposed_by: str
    proposed_by_id: int
    proposed_at: datetime
    settled_by: str | None
    settled_at: datetime | None
    export_pk: int | None
    exported_by: str | None
    exported_at: datetime | None
    entries: tuple[EntryRow, ...] = ()


def list_remedies(
    *, sources: Sources, state: str = "", cursor: str | None = None, limit: int = 50
) -> Page[RemedyRow]:
    """Remedies, the newest first. Raises: BadQuery."""
    limit = check_limit(limit)
    if state and state not in RemedyState.values:
        raise BadQuery(say("There is no such state of a remedy."))
    at = read_cursor(cursor, 1)
    remedies = _remedies().filter(in_sources(sources, "case__source"))
    if state:
        remedies = remedies.filter(state=state)
    is_back = at is not None and at.is_back
    if at is not None:
        remedies = remedies.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    found = remedies.order_by("id" if is_back else "-id")[: limit + 1]
    rows = [_remedy_row(one) for one in found]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.pk,))


def _remedies() -> QuerySet[Remedy]:
    related = ("case", "proposed_by", "settled_by", "export__made_by")
    return Remedy.objects.select_related(*related).defer("export__csv", "export__json")


def get_remedy(remedy_id: int, *, sources: Sources) -> RemedyRow:
    """Raises: RemedyNotKnown."""
    remedy = None
    if 1 <= remedy_id <= KEY_MAX:
        found = _remedies().filter(in_sources(sources, "case__source"), pk=remedy_id)
        remedy = found.first()
    if remedy is None:
        raise RemedyNotKnown(f"There is no remedy {remedy_id}.")
    return _with_entries([remedy])[0]


def remedies_of(case_id: int) -> tuple[RemedyRow, ...]:
    """The remedies of a case with their entries, the oldest first; two questions."""
    return _with_entries(list(_remedies().filter(case_id=case_id).order_by("id")[:NAME_MAX]))


def _with_entries(remedies: Sequence[Remedy]) -> tuple[RemedyRow, ...]:
    entries: dict[int, list[EntryRow]] = {remedy.pk: [] for remedy in remedies}
    found = RemedyEntry.objects.filter(remedy_id__in=entries)
    for one in found.order_by("remedy_id", "position"):
        money = Money(currency=one.currency, digits=one.minor_digits, minor=int(one.amount_minor))
        entries[one.remedy_id].append(EntryRow(account=one.account, player=one.player, money=money))
    return tuple(_remedy_row(remedy, tuple(entries[remedy.pk])) for remedy in remedies)


def _remedy_row(remedy: Remedy, entries: tuple[EntryRow, ...] = ()) -> RemedyRow:
    export = remedy.export
    return RemedyRow(
        pk=remedy.pk,
        case_pk=remedy.case_id,
        case_state=remedy.case.state,
        state=remedy.state,
        reason=remedy.reason,
        proposed_by=remedy.proposed_by.get_username(),
        proposed_by_id=remedy.proposed_by_id,
        proposed_at=remedy.proposed_at,
        settled_by=remedy.settled_by.get_username() if remedy.settled_by else None,
        settled_at=remedy.settled_at,
        export_pk=export.pk if export else None,
        exported_by=export.made_by.get_username() if export else None,
        exported_at=export.made_at if export else None,
        entries=entries,
    )


def remedy_file(remedy_id: int, kind: str, *, sources: Sources) -> bytes:
    """The exact bytes of an exported remedy, `csv` or `json`. Raises: RemedyNotKnown."""
    found = (
        Remedy.objects.filter(
            in_sources(sources, "case__source"), pk=remedy_id, export__isnull=False
        ).values_list(f"export__{kind}", flat=True)
        if 1 <= remedy_id <= KEY_MAX
        else []
    )
    for content in found:
        return bytes(content or b"")
    raise RemedyNotKnown("This remedy has not been exported.")


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRow:
    """A bulk act with the acts that it did; `undone_by` is the number of its undoing."""

    pk: int
    kind: str
    actor: str
    reason: str
    created_at: datetime
    case_count: int
    done: tuple[int, ...]
    undoes: int | None
    undone_by: int | None


def get_bulk(bulk_id: int, *, sources: Sources, account_id: int) -> BulkRow:
    """One whose cases all lie in these sources; one that changed none is its actor's alone.

    Raises: BulkNotKnown.
    """
    bulk = None
    if 1 <= bulk_id <= KEY_MAX:
        bulk = BulkAct.objects.select_related("actor").filter(pk=bulk_id).first()
    if bulk is None or not _is_bulk_seen(bulk, sources, account_id):
        raise BulkNotKnown(f"There is no bulk act {bulk_id}.")
    acts = CaseAct.objects.filter(bulk=bulk).order_by("case_id")
    undo = BulkAct.objects.filter(undoes=bulk).first()
    return BulkRow(
        pk=bulk.pk,
        kind=bulk.kind,
        actor=bulk.actor.get_username(),
        reason=bulk.reason,
        created_at=bulk.created_at,
        case_count=bulk.case_count,
        done=tuple(acts.values_list("case_id", flat=True)[:ACTS_MAX]),
        undoes=bulk.undoes_id,
        undone_by=undo.pk if undo is not None else None,
    )


def _is_bulk_seen(bulk: BulkAct, sources: Sources, account_id: int) -> bool:
    if sources is None:
        return True
    touched = set(CaseAct.objects.filter(bulk=bulk).values_list("case__source", flat=True))
    return touched <= sources and bool(touched or bulk.actor_id == account_id)


def colleagues(*, sources: Sources) -> tuple[tuple[int, str], ...]:
    """Number and name of the active accounts that may work on cases of some of these sources, by
    name: whom a case can be assigned to. Of others nobody learns the name here."""
    held = Grant.objects.filter(ended_at=None, role__in=TABLE[Act.WORK_CASES])
    if sources is not None:
        held = held.filter(in_sources(sources) | Q(source=None))
    people = User.objects.filter(is_active=True, pk__in=held.values("account_id"))
    return tuple(people.order_by("username").values_list("pk", "username")[:COLLEAGUES_MAX])
