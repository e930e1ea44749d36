"""hand-log/1 of banker-bidding Pai Gow (FORMAT 2.1): the typed hand and the check of its form."""

from __future__ import annotations

from typing import Annotated, Literal, Never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay.banker_pai_gow.ranking import RankCode
from replay.money import UNITS_OF, MoneyError
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
    check_multiples,
    read_amount,
    read_base,
    read_money,
    read_seats,
    refuse,
)
from replay.tiles import TileCode


class Bid(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="bid"):
    """A seat's bid for the bank; 0 is no bid (PG-4)."""

    seat: Seat
    multiple: Whole


class Banker(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="banker"):
    """Who is banker, and at which multiple X (PG-4 to PG-6)."""

    seat: Seat
    multiple: Whole


class Bet(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="bet"):
    """A player's bet multiple Y (PG-7); `offered` replaces the table's list (PG-8)."""

    seat: Seat
    multiple: Whole
    offered: list[Whole] | UnsetType = UNSET


class DiceThrow(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="dice"):
    """The two dice that say where the deal starts (PG-9)."""

    values: Dice


class Deal(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="deal"):
    """A seat's tiles; a wrong number of them is judged, not refused (FORMAT 6.2, 11)."""

    seat: Seat
    tiles: list[TileCode]


class Reveal(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="reveal"):
    """A seat shows its tiles (PG-11)."""

    seat: Seat
    tiles: list[TileCode]
    rank: RankCode | UnsetType = UNSET


class Compare(Event, frozen=True, kw_only=True, gc=False, tag_field="type", tag="compare"):
    """What the log says of a player against the banker (PG-12)."""

    seat: Seat
    winner: Literal["banker", "player", "push"]


PaiGowEvent = Bid | Banker | Bet | DiceThrow | Deal | Reveal | Compare | Void


class Stakes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The table's configuration."""

    base: Money
    bid_multiples: list[Whole]
    bet_multiples: list[Whole]
    entry: Money | UnsetType = UNSET


class SeatResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A seat's figures as logged."""

    seat: Seat
    gross: Money
    rake: Money
    net: Money
    valid_bet: Money
    theoretical: Money | UnsetType = UNSET
    carry_out: Money | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settlement as logged."""

    seats: tuple[SeatResult, SeatResult, SeatResult, SeatResult]


class PaiGowHand(Hand, frozen=True, kw_only=True, tag_field="game", tag="banker-pai-gow"):
    """One logged hand."""

    stakes: Stakes
    seats: tuple[SeatEntry, SeatEntry, SeatEntry, SeatEntry]
    events: Annotated[list[PaiGowEvent], Meta(max_length=EVENTS_MAX)]
    result: Result | None


class Logged(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The figures of `result` by seat 0 to 3, in minor units; None where one is not logged."""

    theoretical: list[int | None]
    gross: list[int]
    rake: list[int]
    net: list[int]
    valid_bet: list[int]
    carry_out: list[int | None]


class Facts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The amounts of a hand in minor units; `carry_in` by seat 0 to 3."""

    base: int
    carry_in: list[int]
    logged: Logged | None


def check(hand: PaiGowHand) -> Facts:
    """Read the amounts and check what the types cannot (FORMAT 6.2).

    Raises: Refusal with the place.
    """
    digits = hand.minor_digits
    stakes = hand.stakes
    base = read_base(stakes.base, digits, "$.stakes.base")
    if stakes.entry is not UNSET:
        read_amount(stakes.entry, digits, "$.stakes.entry")
    check_multiples(stakes.bid_multiples, "$.stakes.bid_multiples", least=0)
    if stakes.bid_multiples[0] != 0:
        refuse("$.stakes.bid_multiples[0]", "not 0")
    check_multiples(stakes.bet_multiples, "$.stakes.bet_multiples", least=1)
    for position, event in enumerate(hand.events):
        if type(event) is Bet and event.offered is not UNSET:
            check_multiples(event.offered, f"$.events[{position}].offered", least=1)
    return Facts(
        base=base,
        carry_in=read_seats(hand.seats, digits),
        logged=None if hand.result is None else _read_result(hand.result, digits),
    )


def _read_result(result: Result, digits: int) -> Logged:
    rows = result.seats
    first, second, third, fourth = rows
    if first.seat != 0 or second.seat != 1 or third.seat != 2 or fourth.seat != 3:
        rows = _in_seat_order(rows)
    a, b, c, d = rows
    units_of = UNITS_OF[digits]
    try:
        return Logged(
            theoretical=_read_optional(
                [a.theoretical, b.theoretical, c.theoretical, d.theoretical], digits
            ),
            gross=[units_of[a.gross], units_of[b.gross], units_of[c.gross], units_of[d.gross]],
            rake=[units_of[a.rake], units_of[b.rake], units_of[c.rake], units_of[d.rake]],
            net=[units_of[a.net], units_of[b.net], units_of[c.net], units_of[d.net]],
            valid_bet=[
                units_of[a.valid_bet],
                units_of[b.valid_bet],
                units_of[c.valid_bet],
                units_of[d.valid_bet],
            ],
            carry_out=_read_optional([a.carry_out, b.carry_out, c.carry_out, d.carry_out], digits),
        )
    except MoneyError:
        _refuse_amount(result, digits)


_NOTHING = [UNSET] * 4


def _in_seat_order(
    rows: tuple[SeatResult, SeatResult, SeatResult, SeatResult],
) -> tuple[SeatResult, SeatResult, SeatResult, SeatResult]:
    seen = set()
    for position, row in enumerate(rows):
        if row.seat in seen:
            refuse(f"$.result.seats[{position}].seat", f"seat {row.seat} is there twice")
        seen.add(row.seat)
    first, second, third, fourth = sorted(rows, key=lambda row: row.seat)
    return first, second, third, fourth


def _read_optional(texts: list[str | UnsetType], digits: int) -> list[int | None]:
    if texts == _NOTHING:
        return [None, None, None, None]
    units_of = UNITS_OF[digits]
    return [None if text is UNSET else units_of[text] for text in texts]


def _refuse_amount(result: Result, digits: int) -> Never:
    """Find the amount that cannot be read; places are not made for the many lines that can."""
    for position, entry in enumerate(result.seats):
        for name in ("theoretical", "gross", "rake", "net", "valid_bet", "carry_out"):
            text = getattr(entry, name)
            if text is not UNSET:
                read_money(text, digits, f"$.result.seats[{position}].{name}")
    raise AssertionError("every amount is one")
