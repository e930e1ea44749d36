"""What a seat may bid for the bank, and what a player may bet (PG-4, PG-7, PG-8)."""

from __future__ import annotations

from msgspec import UNSET

from replay.banker_pai_gow.record import Bet, Bid, PaiGowHand
from replay.steps import Choice, Decision
from replay.telling import say


def offered_to(hand: PaiGowHand, event: Bid | Bet) -> list[int]:
    """The multiples out of which a seat chooses, ascending."""
    if type(event) is Bid:
        return hand.stakes.bid_multiples
    if type(event) is Bet and event.offered is not UNSET:
        return event.offered
    return hand.stakes.bet_multiples


def _offers(act: str, count: int) -> str:
    if act == "bid":
        return (
            say("One bid was offered") if count == 1 else say("{count} bids were open", count=count)
        )
    return say("One bet was offered") if count == 1 else say("{count} bets were open", count=count)


def decision_of(hand: PaiGowHand, event: Bid | Bet) -> Decision:
    """What was open to the seat of a bid or a bet; a seat out of time has one default."""
    act = "bid" if type(event) is Bid else "bet"
    offered = offered_to(hand, event)
    choices = tuple(
        Choice(
            act=act,
            title=say("no bid") if act == "bid" and not multiple else f"×{multiple}",
            is_taken=multiple == event.multiple,
        )
        for multiple in offered
    )
    own_list = type(event) is Bet and event.offered is not UNSET
    rule = "PG-4" if act == "bid" else "PG-8" if own_list else "PG-7"
    count = len(offered)
    words = _offers(act, count)
    if event.auto is True:
        default = (
            say("no bid") if act == "bid" else say("the smallest, ×{offered}", offered=offered[0])
        )
        words = say("{words}; time ran out, and then it is {default}", words=words, default=default)
    return Decision(
        seat=event.seat,
        choices=choices,
        freedom="forced" if count == 1 or event.auto is True else "free",
        words=words,
        rule=rule,
    )
