"""Events in words, and why one was refused."""

from __future__ import annotations

from typing import Any

from replay.findings import Finding
from replay.money import format_minor
from replay.record import Void
from replay.steps import Board
from replay.wenzhou_pai_gow.names import position_name, tile_name
from replay.wenzhou_pai_gow.play import HAND_TILES, Phase
from replay.wenzhou_pai_gow.ranking import Comparison
from replay.wenzhou_pai_gow.record import (
    POSITION_OF,
    Deal,
    Facts,
    Outcome,
    Rescan,
    Side,
    Throw,
    Wager,
)

_SIDE_WORDS: dict[Side, str] = {"win": "to win", "lose": "to lose"}


def words_of(
    event: Any, stake: str, board: Board | None, comparisons: dict[int, Comparison]
) -> str:
    """One sentence for an event, without a full stop.

    `board` is the table after it; None for an event that was refused or never judged, which is
    told as logged. `stake` is a wager's amount as text.
    """
    if type(event) is Wager:
        return wager_words(event, stake)
    if type(event) is Throw:
        first, second = event.values
        text = f"the dice show {first} and {second}"
        return text if board is None else f"{text}; {board.dice_note}"
    if type(event) is Deal:
        return _deal_words(event, board)
    if type(event) is Rescan:
        return f"a tile of {position_name(POSITION_OF[event.position])} is scanned again"
    if type(event) is Outcome:
        comparison = None if board is None else comparisons[POSITION_OF[event.door]]
        return _outcome_words(event, comparison)
    assert type(event) is Void
    return f"the hand is void and all stakes go back ({event.reason})"


def wager_words(event: Wager, stake: str) -> str:
    """A wager in words; an unknown door stands as logged."""
    position = POSITION_OF.get(event.door)
    door = event.door if position is None else position_name(position)
    return f"{event.player} bets {stake} on {door} {_SIDE_WORDS[event.side]} ({event.bet})"


def _deal_words(event: Deal, board: Board | None) -> str:
    position = POSITION_OF[event.position]
    tiles = ", ".join(tile_name(code) for code in event.tiles) or "no tile"
    text = f"{position_name(position)} is dealt {tiles}"
    if board is not None:
        view = board.doors[position]
        if len(view.tiles) == HAND_TILES:
            text += f" and has {view.hand_name_hant}, {view.hand_name}"
    return text


def _outcome_words(event: Outcome, comparison: Comparison | None) -> str:
    door = position_name(POSITION_OF[event.door])
    logged = "the door" if event.winner == "door" else "the bank"
    if comparison is None:
        return f"{door} is logged as won by {logged}"
    winner = "the door" if comparison.door_wins else "the bank"
    reason = f"{comparison.reason[0].lower()}{comparison.reason[1:]}"
    if winner == logged:
        return f"{door}: {winner} wins, {reason}"
    return f"{door} is logged as won by {logged}, but {winner} wins: {reason}"


# -- why not --------------------------------------------------------------------------------


def why_refused(event: Any, why: Finding, phase: Phase, stake_minor: int, facts: Facts) -> str:
    """Why the replay stopped at an event; `phase` is the one in which it came."""
    if why.code == "event-order":
        return _why_out_of_place(event, phase)
    if why.code == "deal-order":
        assert why.expected is not None
        return f"the tile belongs to {position_name(POSITION_OF[why.expected])}"
    if why.code == "deal-count":
        return f"{why.logged} tiles at once, where each gets 1"
    if why.code == "tile-excess":
        return f"it is copy {why.logged} of a tile of which the set holds {why.expected}"
    assert why.code == "wager-illegal"
    return _why_wager(event, why, stake_minor, facts)


def _why_out_of_place(event: Any, phase: Phase) -> str:
    if phase == Phase.VOID:
        return "the hand is void already"
    if phase == Phase.WAGERS:
        return "the dice have not been thrown"
    if type(event) is Wager:
        return "betting is closed"
    if type(event) is Throw:
        return "the dice have been thrown"
    if type(event) is Deal:
        return "this position has its tiles"
    assert type(event) is Outcome
    return "not all tiles are dealt" if phase == Phase.DEAL else "this door has its outcome"


def _why_wager(event: Wager, why: Finding, stake_minor: int, facts: Facts) -> str:
    if event.door not in POSITION_OF or event.door == "bank":
        return "there is no such door"
    if why.rule == "WZ-22":
        return "the player already bets on the other side of this door"
    if stake_minor <= 0:
        return "a stake is above zero"
    digits = facts.minor_digits
    low, high = facts.min_minor, facts.max_minor
    if low is not None and stake_minor < low:
        return f"it is below the limit of {format_minor(low, digits)}"
    if high is not None and stake_minor > high:
        return f"it is above the limit of {format_minor(high, digits)}"
    doors = "door" if why.logged == "1" else "doors"
    return f"{why.logged} {doors} {_SIDE_WORDS[event.side]} where {why.expected} may be bet on"
