"""hand-log/1 of Wenzhou Pai Gow: its events, its hand, and the reading of its amounts (FORMAT 2.3).

There are no seats: players bet on three doors and hold no tiles. The house is the bank.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay.record import (
    EVENTS_MAX,
    Dice,
    Event,
    Hand,
    Money,
    Name,
    Void,
    read_amount,
    read_money,
    refuse,
)
from replay.tiles import TileCode

Position = Literal["bank", "shun", "chu", "dao"]
Door = Literal["shun", "chu", "dao"]
Side = Literal["win", "lose"]

# In the core a position is its number in this order; the doors are 1 to 3 (WZ-3, WZ-4).
POSITIONS: tuple[Position, ...] = ("bank", "shun", "chu", "dao")
POSITION_OF: dict[str, int] = {name: number for number, name in enumerate(POSITIONS)}
BANK = 0
DOORS: tuple[Door, ...] = ("shun", "chu", "dao")
DOOR_NUMBERS = (1, 2, 3)


class Stakes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The limits of one wager, both included; a limit that is not there does not bind."""

    min: Money | UnsetType = UNSET
    max: Money | UnsetType = UNSET


class Wager(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="wager"):
    """A player's bet that a door wins or loses. `door` may be any id: the replay refuses it."""

    bet: Name
    player: Name
    door: Name
    side: Side
    stake: Money


class Throw(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="dice"):
    """The dice, which close the betting and name the first position (WZ-3)."""

    values: Dice


class Deal(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="deal"):
    """Tiles dealt to a position: one, but any number can be read and judged (FORMAT 6.2, 11)."""

    position: Position
    tiles: tuple[TileCode, ...]


class Rescan(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="rescan"):
    """An unreadable tile is scanned again; without effect (WZ-25)."""

    position: Position


class Outcome(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="outcome"):
    """What the log says of a door against the bank."""

    door: Door
    winner: Literal["door", "bank"]


class BetEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The settlement of one wager as logged; `valid_bet` is before offsetting (WZ-27)."""

    bet: Name
    profit: Money
    valid_bet: Money


class PlayerEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The settlement of one player as logged; `valid_bet` is after offsetting (WZ-27)."""

    player: Name
    profit: Money
    valid_bet: Money


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settlement as logged; `players` may be left out."""

    bets: list[BetEntry]
    players: list[PlayerEntry] | UnsetType = UNSET


class WenzhouHand(Hand, frozen=True, kw_only=True, tag_field="game", tag="wenzhou-pai-gow"):
    """One logged hand of Wenzhou Pai Gow."""

    stakes: Stakes
    events: Annotated[
        list[Wager | Throw | Deal | Rescan | Outcome | Void], Meta(max_length=EVENTS_MAX)
    ]
    result: Result | None


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The amounts of a hand in minor units.

    `stakes` has one entry for each of `wagers`, in the order of the events. `bets` and `players`
    hold logged (profit, valid bet) by name, in the order of `result`; None where not logged.
    """

    minor_digits: int
    min_minor: int | None
    max_minor: int | None
    wagers: list[Wager]
    stakes: list[int]
    bets: dict[str, tuple[int, int]] | None
    players: dict[str, tuple[int, int]] | None


def check(hand: WenzhouHand) -> Facts:
    """Read the amounts and check what a typed decoder does not see.

    Raises: Refusal for an amount that is not one, a bet twice in `events` or `result`, or a
    player twice in `result` (FORMAT 6.2, 10, 13).
    """
    digits = hand.minor_digits
    limits = hand.stakes
    wagers: list[Wager] = []
    stakes: list[int] = []
    seen: set[str] = set()
    for index, event in enumerate(hand.events):
        if type(event) is Wager:
            wagers.append(event)
            stakes.append(read_money(event.stake, digits, "$.events[{}].stake", index))
            seen.add(event.bet)
            if len(seen) != len(stakes):
                refuse(f"$.events[{index}].bet", f"the bet {event.bet} is there twice")
    bets = players = None
    if hand.result is not None:
        bets = _read_bets(hand.result.bets, digits)
        if hand.result.players is not UNSET:
            players = _read_players(hand.result.players, digits)
    return Facts(
        minor_digits=digits,
        min_minor=_read_limit(limits.min, digits, "$.stakes.min"),
        max_minor=_read_limit(limits.max, digits, "$.stakes.max"),
        wagers=wagers,
        stakes=stakes,
        bets=bets,
        players=players,
    )


def _read_limit(text: Money | UnsetType, digits: int, place: str) -> int | None:
    return None if text is UNSET else read_amount(text, digits, place)


def _read_bets(entries: list[BetEntry], digits: int) -> dict[str, tuple[int, int]]:
    logged: dict[str, tuple[int, int]] = {}
    for index, entry in enumerate(entries):
        if entry.bet in logged:
            refuse(f"$.result.bets[{index}].bet", f"the bet {entry.bet} is there twice")
        logged[entry.bet] = (
            read_money(entry.profit, digits, "$.result.bets[{}].profit", index),
            read_money(entry.valid_bet, digits, "$.result.bets[{}].valid_bet", index),
        )
    return logged


def _read_players(entries: list[PlayerEntry], digits: int) -> dict[str, tuple[int, int]]:
    logged: dict[str, tuple[int, int]] = {}
    for index, entry in enumerate(entries):
        if entry.player in logged:
            refuse(f"$.result.players[{index}].player", f"{entry.player} is there twice")
        logged[entry.player] = (
            read_money(entry.profit, digits, "$.result.players[{}].profit", index),
            read_money(entry.valid_bet, digits, "$.result.players[{}].valid_bet", index),
        )
    return logged
