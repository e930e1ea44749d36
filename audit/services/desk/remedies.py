"""Remedies: proposed out of a case's exposure, approved by a second person, exported once."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

import replay
from audit.models import (
    ActKind,
    Case,
    CaseAmount,
    CaseState,
    Decision,
    Remedy,
    RemedyAccount,
    RemedyEntry,
    RemedyExport,
    RemedyState,
)
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.exports_sheet import neutral
from audit.services.desk.acting import KEY_MAX, in_words, locked_case, reason_of, write_act
from audit.services.desk.errors import CaseNotFound, DeskConflict, DeskRefused

# What was decided says whether money may move: a fault of the log or of the engine moves none.
MOVES_MONEY = (Decision.OPERATOR, Decision.PLAYER, Decision.RULE)
PLAYERS_MAX = 5_000


class Scope(Enum):
    """Whose differences a proposal takes up: all, or only of those who are owed something."""

    OWED = "owed"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What a player is owed by a case and not proposed yet; negative: kept too much."""

    player: str
    currency: str
    minor_digits: int
    amount_minor: int


def open_differences(case_id: int) -> tuple[Owed, ...]:
    """Recomputed less logged, over the standing hands, less what other remedies of the case book.

    Rejected remedies book nothing. In the order of currencies and names, none of them zero.
    """
    sums: dict[tuple[str, int, str], int] = defaultdict(int)
    exposed = (
        CaseAmount.objects.filter(member__case_id=case_id, member__left_at__isnull=True)
        .exclude(logged_minor__isnull=True)
        .exclude(recomputed_minor__isnull=True)
        .values_list("member__currency", "member__minor_digits", "player")
        .annotate(owed=Sum(F("recomputed_minor") - F("logged_minor")))
        .order_by()
    )
    for currency, digits, player, owed in exposed:
        sums[currency, digits, player] += int(owed)
    booked = (
        RemedyEntry.objects.filter(remedy__case_id=case_id, account=RemedyAccount.PLAYER)
        .exclude(remedy__state=RemedyState.REJECTED)
        .values_list("currency", "minor_digits", "player")
        .annotate(booked=Sum("amount_minor"))
        .order_by()
    )
    for currency, digits, player, amount in booked:
        sums[currency, digits, player] -= int(amount)
    return tuple(
        Owed(player=player, currency=currency, minor_digits=digits, amount_minor=amount)
        for (currency, digits, player), amount in sorted(sums.items())
        if amount
    )


def propose_remedy(
    *,
    case_id: int,
    sources: Sources,
    user: User,
    reason: str,
    scope: Scope,
    revision: int | None = None,
) -> Remedy:
    """Propose to book what is still open of a decided case; the house stands on the other side.

    Raises: CaseNotFound; DeskRefused; DeskConflict when the case is not decided so that money
    moves, or nothing is left to propose.
    """
    reason = reason_of(reason)
    with transaction.atomic():
        case = locked_case(case_id, sources=sources, revision=revision)
        _require_moving(case)
        owed = [
            one for one in open_differences(case.pk) if scope is Scope.ALL or one.amount_minor > 0
        ]
        if not owed:
            raise DeskConflict(
                replay.say("Nothing is left to propose for {case}.", case=case), case_id=case.pk
            )
        if len(owed) > PLAYERS_MAX:
            raise DeskRefused(
                replay.say(
                    "One remedy holds at most {players_max} players.", players_max=PLAYERS_MAX
                )
            )
        remedy = Remedy.objects.create(case=case, reason=reason, proposed_by=user)
        RemedyEntry.objects.bulk_create(_entries(remedy, owed))
        write_act(case, ActKind.PROPOSED, actor=user, text=reason, remedy=remedy)
    return remedy


def _require_moving(case: Case) -> None:
    if case.state != CaseState.DECIDED or case.decision not in MOVES_MONEY:
        raise DeskConflict(
            replay.say(
                "Money moves only after a decision for it: {in_words}.", in_words=in_words(case)
            ),
            case_id=case.pk,
        )


def _entries(remedy: Remedy, owed: Sequence[Owed]) -> list[RemedyEntry]:
    """The players' sides, and one side of the house a currency; they sum to zero."""
    sides: list[tuple[RemedyAccount, str, str, int, int]] = [
        (RemedyAccount.PLAYER, one.player, one.currency, one.minor_digits, one.amount_minor)
        for one in owed
    ]
    totals: dict[tuple[str, int], int] = defaultdict(int)
    for one in owed:
        totals[one.currency, one.minor_digits] += one.amount_minor
    sides += [
        (RemedyAccount.HOUSE, "", currency, digits, -total)
        for (currency, digits), total in sorted(totals.items())
        if total
    ]
    return [
        RemedyEntry(
            remedy=remedy,
            position=position,
            account=account,
            player=player,
            currency=currency,
            minor_digits=digits,
            amount_minor=amount,
        )
        for position, (account, player, currency, digits, amount) in enumerate(sides)
    ]


def approve_remedy(*, remedy_id: int, sources: Sources, user: User) -> None:
    """Approve a proposal of somebody else. Raises: CaseNotFound; DeskConflict."""
    with transaction.atomic():
        remedy, case = _locked(remedy_id, sources)
        if remedy.proposed_by_id == user.pk:
            raise DeskConflict(
                replay.say("A second person approves what you proposed."), case_id=case.pk
            )
        _require_state(remedy, RemedyState.PROPOSED)
        _require_moving(case)
        _settle(remedy, RemedyState.APPROVED, user)
        write_act(case, ActKind.APPROVED, actor=user, remedy=remedy)


def reject_remedy(*, remedy_id: int, sources: Sources, user: User, reason: str) -> None:
    """Reject a proposal, also one's own. Raises: CaseNotFound; DeskRefused; DeskConflict."""
    reason = reason_of(reason)
    with transaction.atomic():
        remedy, case = _locked(remedy_id, sources)
        _require_state(remedy, RemedyState.PROPOSED)
        _settle(remedy, RemedyState.REJECTED, user)
        write_act(case, ActKind.REJECTED, actor=user, text=reason, remedy=remedy)


def _locked(remedy_id: int, sources: Sources) -> tuple[Remedy, Case]:
    """Lock the case, then its remedy: the order of everything at the desk."""
    remedies = Remedy.objects.filter(in_sources(sources, "case__source"))
    found = remedies.filter(pk=remedy_id).first() if 0 < remedy_id <= KEY_MAX else None
    if found is None:
        raise CaseNotFound(f"There is no remedy {remedy_id}.")
    case = locked_case(found.case_id, sources=sources)
    return Remedy.objects.select_for_update(no_key=True, of=("self",)).get(pk=remedy_id), case


def _require_state(remedy: Remedy, state: RemedyState) -> None:
    if remedy.state != state:
        raise DeskConflict(
            replay.say(
                "{remedy} is {lower}.", remedy=remedy, lower=remedy.get_state_display().lower()
            ),
            case_id=remedy.case_id,
        )


def _settle(remedy: Remedy, state: RemedyState, user: User) -> None:
    remedy.state = state
    remedy.settled_by = user
    remedy.settled_at = timezone.now()
    remedy.save(update_fields=["state", "settled_by", "settled_at"])


def export_remedy(*, remedy_id: int, sources: Sources, user: User) -> tuple[RemedyExport, bool]:
    """The files of an approved remedy, and whether they were made by this call.

    Asked again it gives the same files. Raises: CaseNotFound; DeskConflict when it is not approved,
    or its case was opened again before the export.
    """
    with transaction.atomic():
        remedy, case = _locked(remedy_id, sources)
        if remedy.export is not None:
            return remedy.export, False
        _require_state(remedy, RemedyState.APPROVED)
        _require_moving(case)
        entries = list(RemedyEntry.objects.filter(remedy=remedy).order_by("position"))
        export = RemedyExport.objects.create(
            made_by=user, csv=as_csv(remedy, case, entries), json=as_json(remedy, case, entries)
        )
        remedy.state = RemedyState.EXPORTED
        remedy.export = export
        remedy.save(update_fields=["state", "export"])
        write_act(case, ActKind.EXPORTED, actor=user, remedy=remedy)
        return export, True


def as_csv(remedy: Remedy, case: Case, entries: Sequence[RemedyEntry]) -> bytes:
    """A line an entry. No text can be taken for a formula or a number, as in every table of this
    service; amounts stay numbers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["remedy", "case", "source", "entry", "account", "player", "currency",
                     "amount", "approved_by"])  # fmt: skip
    for entry in entries:
        writer.writerow(
            [
                str(remedy),
                str(case),
                neutral(case.source),
                entry.position + 1,
                entry.account,
                neutral(entry.player),
                neutral(entry.currency),
                replay.format_minor(int(entry.amount_minor), entry.minor_digits),
                neutral(_approver(remedy)),
            ]
        )
    return out.getvalue().encode()


def _approver(remedy: Remedy) -> str:
    assert remedy.settled_by is not None
    return remedy.settled_by.get_username()


def as_json(remedy: Remedy, case: Case, entries: Sequence[RemedyEntry]) -> bytes:
    """The same as one object; amounts as decimal texts and as minor units."""
    body = {
        "format": "remedy/1",
        "remedy": str(remedy),
        "case": str(case),
        "source": case.source,
        "reason": remedy.reason,
        "proposed_by": remedy.proposed_by.get_username(),
        "proposed_at": remedy.proposed_at.isoformat(),
        "approved_by": _approver(remedy),
        "approved_at": remedy.settled_at.isoformat() if remedy.settled_at else None,
        "entries": [
            {
                "entry": entry.position + 1,
                "account": entry.account,
                "player": entry.player or None,
                "currency": entry.currency,
                "minor_digits": entry.minor_digits,
                "amount": replay.format_minor(int(entry.amount_minor), entry.minor_digits),
                "amount_minor": str(int(entry.amount_minor)),
            }
            for entry in entries
        ],
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"
