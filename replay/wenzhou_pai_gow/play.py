"""The replay of one hand: wagers, dice, the deal, outcomes (RULEBOOK 4.1, FORMAT 6.3).

A loop over the events with a small private state. It stops at the first action that the rules
refuse; nothing is repaired, guessed or skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from msgspec import UNSET

from replay.findings import Finding, finding
from replay.money import format_minor
from replay.record import Void
from replay.steps import Observer
from replay.tiles import COPIES, INDEX, KIND_COUNT
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.record import (
    BANK,
    DOOR_NUMBERS,
    DOORS,
    POSITION_OF,
    POSITIONS,
    Deal,
    Facts,
    Outcome,
    Rescan,
    Throw,
    Wager,
    WenzhouHand,
)

HAND_TILES = 2
DEALS = HAND_TILES * len(POSITIONS)


class Phase(IntEnum):
    """What the table waits for."""

    WAGERS = 0
    DEAL = 1
    OUTCOMES = 2
    VOID = 3


# The type of event that is still required in a phase (FORMAT 6.5).
_REQUIRED: tuple[str | None, ...] = ("dice", "deal", None, None)

# A player's doors as bits: 1, 2, 4 for win on shun, chu, dao; 8, 16, 32 for lose.
_BIT_OF_DOOR = {"shun": 1, "chu": 2, "dao": 4}
_LOSE_SHIFT = 3
_WIN_BITS = 7
_BITS_SET = (0, 1, 1, 2, 1, 2, 2, 3)


class Replay:
    """The private state of a replay.

    `tiles` are kinds by position, in the order dealt; `dealt` their number; `first` the position
    that gets the first tile. `wagers` counts those accepted. `door_wins` are the doors in order,
    known once all tiles are dealt. `refused` is the event at which the replay stopped.
    """

    __slots__ = (
        "copies", "dealt", "dice", "door_wins", "doors_of", "findings", "first", "outcomes",
        "phase", "refused", "stopped", "tiles", "wagers",
    )  # fmt: skip

    def __init__(self) -> None:
        self.phase = Phase.WAGERS
        self.findings: list[Finding] = []
        self.stopped = False
        self.refused: int | None = None
        self.wagers = 0
        self.doors_of: dict[str, int] = {}
        self.dice: tuple[int, int] | None = None
        self.first = BANK
        self.dealt = 0
        self.copies = [0] * KIND_COUNT
        self.tiles: tuple[list[int], ...] = ([], [], [], [])
        self.door_wins: tuple[bool, bool, bool] | None = None
        self.outcomes = 0

    def stop(self, index: int | None, why: Finding) -> None:
        """End the replay at an event, or at the end of the hand (None)."""
        self.findings.append(why)
        self.stopped = True
        self.refused = index


def first_position(dice: tuple[int, int]) -> int:
    """The position that gets the first tile. Rule: WZ-3 (sum mod 4: 1 bank, 2, 3, 0 the doors)."""
    return (dice[0] + dice[1] - 1) % len(POSITIONS)


def turn_of(state: Replay) -> int:
    """The position that gets the next tile. Rule: WZ-4."""
    return (state.first + state.dealt) % len(POSITIONS)


def play(hand: WenzhouHand, facts: Facts, rules: Rules, observer: Observer | None = None) -> Replay:
    """Replay the events of a hand.

    `observer` hears the state after each event that was judged, the refused one included.
    """
    state = Replay()
    clock: int | None = None
    for index, event in enumerate(hand.events):
        ms = event.ms
        if ms is not UNSET:
            if clock is not None and ms < clock:
                state.findings.append(
                    finding("time-backwards", event=index, logged=ms, expected=clock)
                )
            clock = ms
        why = _ACTIONS[type(event)](state, index, event, facts, rules)
        if why is not None:
            state.stop(index, why)
        if observer is not None:
            observer(index, state)
        if why is not None:
            return state
    required = _REQUIRED[state.phase]
    if required is not None:
        state.stop(None, finding("event-order", expected=required, rule="WZ-3"))
    return state


def _out_of_place(state: Replay, index: int, kind: str) -> Finding:
    """An event that the phase does not allow. Rule: WZ-3."""
    return finding(
        "event-order", event=index, logged=kind, expected=_REQUIRED[state.phase], rule="WZ-3"
    )


def _wager(state: Replay, index: int, event: Wager, facts: Facts, rules: Rules) -> Finding | None:
    """Accept a wager, or say why not, by the first check that fails (FORMAT 6.3, 25).

    Rule: WZ-3, WZ-21, WZ-22.
    """
    if state.phase != Phase.WAGERS:
        return _out_of_place(state, index, "wager")
    bit = _BIT_OF_DOOR.get(event.door)
    if bit is None:
        return _illegal(index, event, event.door, ",".join(DOORS))
    stake = facts.stakes[state.wagers]
    digits = facts.minor_digits
    if stake <= 0:
        return _illegal(index, event, format_minor(stake, digits), None)
    limit = facts.min_minor
    if limit is not None and stake < limit:
        return _illegal(index, event, format_minor(stake, digits), format_minor(limit, digits))
    limit = facts.max_minor
    if limit is not None and stake > limit:
        return _illegal(index, event, format_minor(stake, digits), format_minor(limit, digits))
    before = state.doors_of.get(event.player, 0)
    if event.side == "win":
        mine, other = bit, bit << _LOSE_SHIFT
        count, most = _BITS_SET[(before | mine) & _WIN_BITS], rules.max_win_doors
    else:
        mine, other = bit << _LOSE_SHIFT, bit
        count, most = _BITS_SET[(before | mine) >> _LOSE_SHIFT], rules.max_lose_doors
    if count > most:
        return _illegal(index, event, count, most)
    if before & other and not before & mine:
        if rules.rejects_both_sides:
            opposite = "lose" if event.side == "win" else "win"
            return _illegal(index, event, event.side, opposite, "WZ-22")
        state.findings.append(finding("wager-hedged", event=index, subject=event.bet, rule="WZ-22"))
    state.doors_of[event.player] = before | mine
    state.wagers += 1
    return None


def _illegal(
    index: int, event: Wager, logged: object, expected: object, rule: str = "WZ-21"
) -> Finding:
    return finding(
        "wager-illegal",
        event=index,
        subject=event.bet,
        logged=logged,
        expected=expected,
        rule=rule,
    )


def _throw(state: Replay, index: int, event: Throw, facts: Facts, rules: Rules) -> Finding | None:
    """The dice close the betting and name the first position. Rule: WZ-3."""
    if state.phase != Phase.WAGERS:
        return _out_of_place(state, index, "dice")
    state.dice = event.values
    state.first = first_position(event.values)
    state.phase = Phase.DEAL
    return None


def _deal(state: Replay, index: int, event: Deal, facts: Facts, rules: Rules) -> Finding | None:
    """One tile to the position whose turn it is. Rule: WZ-1, WZ-3, WZ-4."""
    position = POSITION_OF[event.position]
    mine = state.tiles[position]
    if state.phase != Phase.DEAL or len(mine) == HAND_TILES:
        return _out_of_place(state, index, "deal")
    turn = turn_of(state)
    if position != turn:
        return finding(
            "deal-order",
            event=index,
            subject=event.position,
            logged=event.position,
            expected=POSITIONS[turn],
            rule="WZ-4" if state.dealt else "WZ-3",
        )
    if len(event.tiles) != 1:
        return finding(
            "deal-count",
            event=index,
            subject=event.position,
            logged=len(event.tiles),
            expected=1,
            rule="WZ-4",
        )
    code = event.tiles[0]
    kind = INDEX[code]
    copies = state.copies[kind] + 1
    if copies > COPIES[kind]:
        return finding(
            "tile-excess",
            event=index,
            subject=code,
            logged=copies,
            expected=COPIES[kind],
            rule="WZ-1",
        )
    state.copies[kind] = copies
    mine.append(kind)
    state.dealt += 1
    if state.dealt == DEALS:
        state.phase = Phase.OUTCOMES
        state.door_wins = _door_wins(state.tiles, rules)
    return None


def _door_wins(tiles: tuple[list[int], ...], rules: Rules) -> tuple[bool, bool, bool]:
    """Which doors beat the bank, which each door meets alone. Rule: WZ-5."""
    first, second = tiles[BANK]
    bank = rules.bank_strengths[first * KIND_COUNT + second]
    shun, chu, dao = (
        rules.door_strengths[tiles[door][0] * KIND_COUNT + tiles[door][1]] > bank
        for door in DOOR_NUMBERS
    )
    return shun, chu, dao


def _rescan(state: Replay, index: int, event: Rescan, facts: Facts, rules: Rules) -> Finding | None:
    """A tile is scanned again, at any time after the dice. Rule: WZ-25."""
    if state.phase in (Phase.WAGERS, Phase.VOID):
        return _out_of_place(state, index, "rescan")
    return None


def _outcome(
    state: Replay, index: int, event: Outcome, facts: Facts, rules: Rules
) -> Finding | None:
    """What the log says of a door: a statement, which does not stop the replay. Rule: WZ-5."""
    bit = _BIT_OF_DOOR[event.door]
    if state.phase != Phase.OUTCOMES or state.outcomes & bit:
        return _out_of_place(state, index, "outcome")
    state.outcomes |= bit
    assert state.door_wins is not None
    winner = "door" if state.door_wins[POSITION_OF[event.door] - 1] else "bank"
    if event.winner != winner:
        state.findings.append(
            finding(
                "outcome-mismatch",
                event=index,
                subject=event.door,
                logged=event.winner,
                expected=winner,
                rule="WZ-5",
            )
        )
    return None


def _void(state: Replay, index: int, event: Void, facts: Facts, rules: Rules) -> Finding | None:
    """The hand is void, at any point; nothing may follow. Rule: WZ-26."""
    if state.phase == Phase.VOID:
        return _out_of_place(state, index, "void")
    state.phase = Phase.VOID
    return None


_Action = Callable[[Replay, int, Any, Facts, Rules], Finding | None]
_ACTIONS: dict[type, _Action] = {
    Wager: _wager,
    Throw: _throw,
    Deal: _deal,
    Rescan: _rescan,
    Outcome: _outcome,
    Void: _void,
}
