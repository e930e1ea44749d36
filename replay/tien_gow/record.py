"""hand-log/1 of both Tien Gow games: events, the hand, and its amounts (FORMAT 2.2, 6.2)."""

from __future__ import annotations

from typing import Annotated, Literal, Never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay import money
from replay.record import (
    EVENTS_MAX,
    Dice,
    Event,
    Hand,
    Money,
    Seat,
    SeatEntry,
    Void,
    Whole,
    read_base,
    read_money,
    read_seats,
    refuse,
)
from replay.tien_gow.dealing import Method
from replay.tien_gow.lipai import Pattern
from replay.tiles import TileCode

STREAK_MAX = 1_000

Streak = Annotated[int, Meta(ge=1, le=STREAK_MAX)]
Played = Annotated[list[TileCode], Meta(min_length=1, max_length=4)]
Stack = tuple[TileCode, TileCode, TileCode, TileCode]
BonusKind = Literal["supreme", "capture-supreme", "four-grand"]


class Throw(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="dice"):
    """The dice; `seat` is the thrower."""

    values: Dice
    seat: Seat | UnsetType = UNSET


class Wall(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="wall"):
    """Eight stacks of four, each top first, and the method of taking them."""

    method: Method
    stacks: tuple[Stack, Stack, Stack, Stack, Stack, Stack, Stack, Stack]


class Deal(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="deal"):
    """The tiles that a seat gets; how many is for the replay to judge."""

    seat: Seat
    tiles: list[TileCode]


class Declare(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="declare"):
    """A seat shows a winning deal (例牌)."""

    seat: Seat
    pattern: Pattern


class Play(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="play"):
    """A lead, or tiles face up that beat the best so far."""

    seat: Seat
    tiles: Played


class Discard(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="discard"):
    """Tiles face down (墊牌)."""

    seat: Seat
    tiles: Played


class Trick(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="trick"):
    """Who took a trick, and the number of 棟."""

    seat: Seat
    tiles: Whole


class Bonus(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="bonus"):
    """An immediate payment: its collector, its kind and the units of each seat."""

    seat: Seat
    kind: BonusKind
    units: tuple[Whole, Whole, Whole, Whole]


TienGowEvent = Throw | Wall | Deal | Declare | Play | Discard | Trick | Bonus | Void


class Stakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """`base` is the money value of one unit (注); `lipai` the declared patterns (TG-81)."""

    base: Money
    lipai: list[Pattern] | UnsetType = UNSET


class Bank(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The banker, and n of TG-6: 1 for the first hand of a bank."""

    seat: Seat
    streak: Streak


class NextBank(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Who holds the bank in the next hand, and for how many hands then."""

    banker: Seat
    streak: Streak


class SeatResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The logged figures of a seat. `tricks` counts 棟; `units` is the whole hand."""

    seat: Seat
    tricks: Whole
    units: Whole
    gross: Money
    rake: Money
    net: Money
    valid_bet: Money
    carry_out: Money | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The settlement as logged. `winner` is the 結 seat, null at most in a void hand."""

    winner: Seat | None
    seats: tuple[SeatResult, SeatResult, SeatResult, SeatResult]
    next: NextBank | UnsetType = UNSET


class _TienGow(Hand, frozen=True, kw_only=True):
    stakes: Stakes
    seats: tuple[SeatEntry, SeatEntry, SeatEntry, SeatEntry]
    banker: Bank
    events: Annotated[list[TienGowEvent], Meta(max_length=EVENTS_MAX)]
    result: Result | None


class TienGowHand(_TienGow, frozen=True, kw_only=True, tag_field="game", tag="tien-gow"):
    """A hand of the big game (大天九), eight tiles a seat."""


class SmallTienGowHand(_TienGow, frozen=True, kw_only=True, tag_field="game", tag="small-tien-gow"):
    """A hand of the small game (小天九), four tiles a seat."""


AnyHand = TienGowHand | SmallTienGowHand


class Logged(msgspec.Struct, frozen=True, gc=False):
    """The result of the log by seats 0 to 3, money in minor units; `next` is (banker, streak).

    `carry_out` is None where no seat has one.
    """

    winner: int | None
    tricks: list[int]
    units: list[int]
    gross: list[int]
    rake: list[int]
    net: list[int]
    valid_bet: list[int]
    carry_out: list[int | None] | None
    next: tuple[int, int] | None


class Facts(msgspec.Struct, frozen=True):
    """The amounts of a hand in minor units; `logged` is None where the hand has no result."""

    base: int
    carry_in: list[int]
    logged: Logged | None


def is_void(hand: AnyHand) -> bool:
    """Tell whether the hand is void: its last event says so (FORMAT 6.3, 23)."""
    return bool(hand.events) and type(hand.events[-1]) is Void


def check(hand: AnyHand) -> Facts:
    """Read the amounts of a decoded hand. Raises: Refusal with the place (FORMAT 6.2)."""
    digits = hand.minor_digits
    base = read_base(hand.stakes.base, digits, "$.stakes.base")
    carry_in = read_seats(hand.seats, digits)
    result = hand.result
    if result is None:
        return Facts(base, carry_in, None)
    if result.winner is None and not is_void(hand):
        refuse("$.result.winner", "null in a hand that is not void")
    rows = result.seats
    first, second, third, fourth = rows
    if first.seat != 0 or second.seat != 1 or third.seat != 2 or fourth.seat != 3:
        rows = _in_seat_order(rows)
    try:
        return Facts(base, carry_in, _read_rows(result, rows, digits))
    except money.MoneyError:
        _refuse_amount(result, digits)


def _in_seat_order(
    rows: tuple[SeatResult, SeatResult, SeatResult, SeatResult],
) -> tuple[SeatResult, SeatResult, SeatResult, SeatResult]:
    first, second, third, fourth = sorted(rows, key=lambda row: row.seat)
    for seat, row in enumerate((first, second, third, fourth)):
        if row.seat != seat:
            refuse("$.result.seats", f"seat {seat} is not there exactly once")
    return first, second, third, fourth


def _read_rows(
    result: Result, rows: tuple[SeatResult, SeatResult, SeatResult, SeatResult], digits: int
) -> Logged:
    units_of = money.UNITS_OF[digits]
    after = result.next
    carry_out = None
    a, b, c, d = rows
    outs = [a.carry_out, b.carry_out, c.carry_out, d.carry_out]
    if outs != _NO_CARRY_OUT:
        carry_out = [None if out is UNSET else units_of[out] for out in outs]
    return Logged(
        result.winner,
        [a.tricks, b.tricks, c.tricks, d.tricks],
        [a.units, b.units, c.units, d.units],
        [units_of[a.gross], units_of[b.gross], units_of[c.gross], units_of[d.gross]],
        [units_of[a.rake], units_of[b.rake], units_of[c.rake], units_of[d.rake]],
        [units_of[a.net], units_of[b.net], units_of[c.net], units_of[d.net]],
        [
            units_of[a.valid_bet],
            units_of[b.valid_bet],
            units_of[c.valid_bet],
            units_of[d.valid_bet],
        ],
        carry_out,
        None if after is UNSET else (after.banker, after.streak),
    )


_NO_CARRY_OUT = [UNSET] * 4


def _refuse_amount(result: Result, digits: int) -> Never:
    """Refuse the first amount that is not one, with its place."""
    for position, row in enumerate(result.seats):
        for field in ("gross", "rake", "net", "valid_bet", "carry_out"):
            text = getattr(row, field)
            if text is not UNSET:
                read_money(text, digits, f"$.result.seats[{position}].{field}")
    raise AssertionError("every amount is one")
