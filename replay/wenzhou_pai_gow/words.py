"""Events in words, and why one was refused."""

from __future__ import annotations

from typing import Any

from replay.findings import Finding
from replay.money import format_minor
from replay.record import Void
from replay.steps import Board
from replay.telling import say, series, uncapital
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

_SIDE_WORDS: dict[Side, str] = {"win": say("to win"), "lose": say("to lose")}


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
        text = say("the dice show {first} and {second}", first=first, second=second)
        return text if board is None else say("{text}; {note}", text=text, note=board.dice_note)
    if type(event) is Deal:
        return _deal_words(event, board)
    if type(event) is Rescan:
        return say(
            "a tile of {position} is scanned again",
            position=position_name(POSITION_OF[event.position]),
        )
    if type(event) is Outcome:
        comparison = None if board is None else comparisons[POSITION_OF[event.door]]
        return _outcome_words(event, comparison)
    assert type(event) is Void
    return say("the hand is void and all stakes go back ({reason})", reason=event.reason)


def wager_words(event: Wager, stake: str) -> str:
    """A wager in words; an unknown door stands as logged."""
    position = POSITION_OF.get(event.door)
    door = event.door if position is None else position_name(position)
    return say(
        "{player} bets {stake} on {door} {side} ({bet})",
        player=event.player,
        stake=stake,
        door=door,
        side=_SIDE_WORDS[event.side],
        bet=event.bet,
    )


def _deal_words(event: Deal, board: Board | None) -> str:
    position = POSITION_OF[event.position]
    tiles = series(tile_name(code) for code in event.tiles) if event.tiles else say("no tile")
    text = say("{position} is dealt {tiles}", position=position_name(position), tiles=tiles)
    if board is not None:
        view = board.doors[position]
        if len(view.tiles) == HAND_TILES:
            return say(
                "{text} and has {hant}, {english}",
                text=text,
                hant=view.hand_name_hant,
                english=view.hand_name,
            )
    return text


def _outcome_words(event: Outcome, comparison: Comparison | None) -> str:
    door = position_name(POSITION_OF[event.door])
    logged = say("the door") if event.winner == "door" else say("the bank")
    if comparison is None:
        return say("{door} is logged as won by {logged}", door=door, logged=logged)
    winner = say("the door") if comparison.door_wins else say("the bank")
    reason = uncapital(comparison.reason)
    if winner == logged:
        return say("{door}: {winner} wins, {reason}", door=door, winner=winner, reason=reason)
    return say(
        "{door} is logged as won by {logged}, but {winner} wins: {reason}",
        door=door,
        logged=logged,
        winner=winner,
        reason=reason,
    )


# -- why not --------------------------------------------------------------------------------


def why_refused(event: Any, why: Finding, phase: Phase, stake_minor: int, facts: Facts) -> str:
    """Why the replay stopped at an event; `phase` is the one in which it came."""
    if why.code == "event-order":
        return _why_out_of_place(event, phase)
    if why.code == "deal-order":
        assert why.expected is not None
        return say(
            "the tile belongs to {position}",
            position=position_name(POSITION_OF[why.expected]),
        )
    if why.code == "deal-count":
        return say("{logged} tiles at once, where each gets 1", logged=why.logged)
    if why.code == "tile-excess":
        return say(
            "it is copy {logged} of a tile of which the set holds {expected}",
            logged=why.logged,
            expected=why.expected,
        )
    assert why.code == "wager-illegal"
    return _why_wager(event, why, stake_minor, facts)


def _why_out_of_place(event: Any, phase: Phase) -> str:
    if phase == Phase.VOID:
        return say("the hand is void already")
    if phase == Phase.WAGERS:
        return say("the dice have not been thrown")
    if type(event) is Wager:
        return say("betting is closed")
    if type(event) is Throw:
        return say("the dice have been thrown")
    if type(event) is Deal:
        return say("this position has its tiles")
    assert type(event) is Outcome
    return (
        say("not all tiles are dealt") if phase == Phase.DEAL else say("this door has its outcome")
    )


def _why_wager(event: Wager, why: Finding, stake_minor: int, facts: Facts) -> str:
    if event.door not in POSITION_OF or event.door == "bank":
        return say("there is no such door")
    if why.rule == "WZ-22":
        return say("the player already bets on the other side of this door")
    if stake_minor <= 0:
        return say("a stake is above zero")
    digits = facts.minor_digits
    low, high = facts.min_minor, facts.max_minor
    if low is not None and stake_minor < low:
        return say("it is below the limit of {low}", low=format_minor(low, digits))
    if high is not None and stake_minor > high:
        return say("it is above the limit of {high}", high=format_minor(high, digits))
    side = _SIDE_WORDS[event.side]
    if why.logged == "1":
        return say("1 door {side} where {expected} may be bet on", side=side, expected=why.expected)
    return say(
        "{logged} doors {side} where {expected} may be bet on",
        logged=why.logged,
        side=side,
        expected=why.expected,
    )
