"""What a player says, entered by hand: it joins the case of its hands, or opens one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

import replay
from audit.models import ActKind, Case, CaseState, Claim, ClaimHand, Docket, Hand
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.desk_zones import days_after, zone_of
from audit.services.desk.acting import (
    KEY_MAX,
    Standing,
    locked_case,
    reason_of,
    require_free,
    require_open,
    write_act,
)
from audit.services.desk.errors import CaseNotFound, DeskConflict, DeskRefused
from audit.services.desk.filing import due_after

HANDS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """A claim as it is entered. `amount` is a decimal text as the player puts it, or empty."""

    player: str
    claimed_at: datetime
    text: str
    hand_ids: tuple[int, ...]
    amount: str = ""


def enter_claim(*, sources: Sources, user: User, complaint: Complaint) -> Claim:
    """Enter a claim about hands of its player, in these sources.

    It joins the open case in which the first of the hands stands; else it opens a case of its own,
    behind the closed one where there is one.
    Raises: DeskRefused; DeskConflict with the deadline when it comes too late (SVC-54).
    """
    now = timezone.now()
    hands = _hands_of(complaint, sources)
    first = hands[0]
    text = reason_of(complaint.text, what=replay.say("what the player says"))
    if complaint.claimed_at > now:
        raise DeskRefused(replay.say("A claim cannot have been made in the future."))
    amount = _amount(complaint.amount, first)
    deadline = min(deadline_of(hand) for hand in hands)
    if complaint.claimed_at > deadline:
        raise DeskConflict(
            replay.say(
                "The time for a claim about these hands ended at {deadline:%Y-%m-%d %H:%M:%S} UTC.",
                deadline=deadline,
            )
        )
    with transaction.atomic():
        case, is_new = _case_for(first, now, sources)
        claim = Claim.objects.create(
            case=case,
            source=first.source,
            player=complaint.player,
            claimed_at=complaint.claimed_at,
            deadline_at=deadline,
            text=text,
            amount_minor=amount,
            currency=first.currency if amount is not None else "",
            minor_digits=first.minor_digits,
            entered_by=user,
        )
        ClaimHand.objects.bulk_create(ClaimHand(claim=claim, hand=hand) for hand in hands)
        if is_new:
            write_act(case, ActKind.OPENED, actor=user, at=now, hand_id=first.pk)
        write_act(case, ActKind.CLAIMED, actor=user, at=now, claim=claim, hand_id=first.pk)
    return claim


def deadline_of(hand: Hand) -> datetime:
    """Until when a hand can be disputed: so many days after it began, by the clock of its table."""
    zone = zone_of(hand.source, hand.table, hand.started_at)
    return days_after(hand.played_at, settings.TILECOURT_CLAIM_DAYS, zone)


def _hands_of(complaint: Complaint, sources: Sources) -> Sequence[Hand]:
    """The hands, in the order given. They are of one source, one currency and this player."""
    ids = list(dict.fromkeys(complaint.hand_ids))
    if not 1 <= len(ids) <= HANDS_MAX:
        raise DeskRefused(replay.say("Name 1 to {hands_max} hands.", hands_max=HANDS_MAX))
    found = Hand.objects.filter(in_sources(sources)).in_bulk(
        [one for one in ids if 1 <= one <= KEY_MAX]
    )
    unknown = [str(one) for one in ids if one not in found]
    if unknown:
        raise DeskRefused(replay.say("There is no hand {join}.", join=", ".join(unknown)))
    hands = [found[one] for one in ids]
    if not complaint.player:
        raise DeskRefused(replay.say("Name the player."))
    for hand in hands:
        if complaint.player not in hand.players:
            raise DeskRefused(
                replay.say(
                    "No {player} played hand {hand_id}.",
                    player=complaint.player,
                    hand_id=hand.hand_id,
                )
            )
    if len({(hand.source, hand.currency, hand.minor_digits) for hand in hands}) > 1:
        raise DeskRefused(replay.say("The hands of a claim are of one source and one currency."))
    return hands


def _amount(text: str, hand: Hand) -> int | None:
    if not text.strip():
        return None
    try:
        amount = replay.parse_minor(text.strip(), hand.minor_digits)
    except ValueError as error:
        raise DeskRefused(replay.say("The amount cannot be read: {error}.", error=error)) from None
    if amount <= 0:
        raise DeskRefused(replay.say("The amount is above zero."))
    return amount


def _case_for(hand: Hand, now: datetime, sources: Sources) -> tuple[Case, bool]:
    """The case to put a claim in, locked, and whether it is a new one without an act yet."""
    docket = Docket.objects.filter(pk=hand.pk).select_related("member").first()
    earlier = None
    if docket is not None and docket.member is not None:
        earlier = locked_case(docket.member.case_id, sources=sources)
        if earlier.state == CaseState.OPEN:
            return earlier, False
    case = Case.objects.create(
        earlier=earlier,
        source=hand.source,
        opened_at=now,
        due_at=due_after(now, hand.source, hand.table, hand.started_at),
    )
    return case, True


def withdraw_claim(*, claim_id: int, sources: Sources, user: User, reason: str) -> None:
    """Take a claim back; a case that only claims opened goes with the last of them.

    Raises: CaseNotFound; DeskConflict when its case is closed or it was taken back before.
    """
    reason = reason_of(reason)
    with transaction.atomic():
        claims = Claim.objects.filter(in_sources(sources))
        claim = claims.filter(pk=claim_id).first() if 0 < claim_id <= KEY_MAX else None
        if claim is None:
            raise CaseNotFound(f"There is no claim {claim_id}.")
        case = locked_case(claim.case_id, sources=sources)
        require_open(case)
        require_free(case, user)
        if claim.acts.filter(kind=ActKind.UNCLAIMED).exists():
            raise DeskConflict(
                replay.say("{claim} was taken back already.", claim=claim), case_id=case.pk
            )
        write_act(case, ActKind.UNCLAIMED, actor=user, text=reason, claim=claim)
        others = Claim.objects.filter(case=case).exclude(acts__kind=ActKind.UNCLAIMED)
        if case.cause_id is None and not others.exists():
            after = Standing(
                state=CaseState.WITHDRAWN, decision="", assignee_id=None, taken_until=None
            )
            write_act(case, ActKind.WITHDRAWN, actor=user, after=after, text=reason)
