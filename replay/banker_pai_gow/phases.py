"""The phases of a hand to jump between, each with what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from replay.banker_pai_gow.board import bank_fared, is_compared
from replay.banker_pai_gow.play import Play
from replay.banker_pai_gow.record import (
    Banker,
    Bet,
    Bid,
    Compare,
    Deal,
    DiceThrow,
    PaiGowEvent,
    Reveal,
)
from replay.banker_pai_gow.words import rank_in
from replay.glossary import SEALS
from replay.record import Void
from replay.steps import Part
from replay.telling import say

NOT_JUDGED = say("not judged")

# Key and title of the phase that an event belongs to.
_PHASES: dict[type[PaiGowEvent], tuple[str, str]] = {
    Bid: ("bids", say("Bids and banker")),
    Banker: ("bids", say("Bids and banker")),
    Bet: ("bets", say("Bets")),
    DiceThrow: ("deal", say("Dice and deal")),
    Deal: ("deal", say("Dice and deal")),
    Reveal: ("reveal", say("Reveal")),
    Compare: ("compare", say("Comparison")),
    Void: ("void", say("Void")),
}


def phase_of(kind: type[PaiGowEvent], play: Play) -> Part:
    """The phase of an event of this type, with what has come of it in the state given.

    A phase that begins behind the event at which the replay stopped is not judged; only a void
    counts there, too.
    """
    key, title = _PHASES[kind]
    if play.refused_at is not None and kind is not Void:
        judged = play.hand.events[: play.refused_at + 1]
        if all(_PHASES[type(event)][0] != key for event in judged):
            return Part(key=key, title=title, note=NOT_JUDGED)
    return Part(key=key, title=title, note=_NOTES[key](play))


def _dotted(values: Iterable[str | None]) -> str:
    """Values by seat, a dash where there is none: "×10 · – · ×5"; nothing if there is none."""
    shown = list(values)
    return " · ".join(value or "–" for value in shown) if any(shown) else ""


def _bids(play: Play) -> str:
    bids = _dotted(None if bid is None else str(bid) for bid in play.bids)
    if play.banker < 0:
        return bids
    return say(
        "{bids}, {seal} at ×{multiple}",
        bids=bids,
        seal=SEALS[play.banker],
        multiple=play.multiple,
    )


def _bets(play: Play) -> str:
    bets = [bet for seat, bet in enumerate(play.bets) if seat != play.banker]
    return _dotted(None if bet is None else f"×{bet}" for bet in bets)


def _deal(play: Play) -> str:
    if play.dice is None:
        return ""
    return say(
        "{first} + {second}, from {seal}",
        first=play.dice[0],
        second=play.dice[1],
        seal=SEALS[play.first],
    )


def _reveal(play: Play) -> str:
    bank = play.holdings[play.banker] if play.banker >= 0 else None
    if bank is None or not play.shown[play.banker]:
        return ""
    return say("the bank shows {hant}", hant=rank_in(bank, play.rules).hant)


def _compare(play: Play) -> str:
    return bank_fared(play) if is_compared(play) else ""


def _void(_: Play) -> str:
    return say("nothing is owed")


_NOTES: dict[str, Callable[[Play], str]] = {
    "bids": _bids,
    "bets": _bets,
    "deal": _deal,
    "reveal": _reveal,
    "compare": _compare,
    "void": _void,
}
