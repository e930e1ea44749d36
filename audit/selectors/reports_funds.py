"""Funds at the tables: what seats carried in, won, brought in between hands, took out, carried out.

By the log. Of a record that says nothing of what seats carried, and of one in conflict, nothing is
known; it is counted, and the hands around it follow each other as if it were not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

import msgspec

import replay
from audit.selectors.certificates_days import Rules
from audit.selectors.exports import WITHOUT_SEATS
from audit.selectors.reports_content import (
    Check,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    listed,
    money,
    money_check,
)
from audit.selectors.reports_hands import ASKED, rows_of_day
from audit.selectors.totals import PLAYED
from audit.zstd import unpacked

_IN_ORDER = f"""
SELECT p.position, h.currency, h.minor_digits, h.is_conflict, h.verdict_kind, v.raw
{PLAYED} JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
WHERE {ASKED} AND h.game <> '{WITHOUT_SEATS}'
ORDER BY p.position, h.played_at, h.id
"""
_COLUMNS = (
    Column(key="source", title="Source"),
    Column(key="table", title="Table"),
    Column(key="currency", title="Currency"),
    Column(key="hands", title="Hands", shape=Shape.COUNT),
    Column(key="unknown", title="Not known", shape=Shape.COUNT),
    Column(key="opening", title="At the start", shape=Shape.MONEY),
    Column(key="brought_in", title="Brought in", shape=Shape.MONEY),
    Column(key="net", title="Net results", shape=Shape.MONEY),
    Column(key="taken_out", title="Taken out", shape=Shape.MONEY),
    Column(key="closing", title="At the end", shape=Shape.MONEY),
)
Funds = dict[str, int]


class _Seat(msgspec.Struct, frozen=True):
    seat: int
    player: str = ""
    carry_in: str | None = None


class _Result(msgspec.Struct, frozen=True):
    seat: int
    net: str | None = None
    carry_out: str | None = None


class _Results(msgspec.Struct, frozen=True):
    seats: list[_Result] = []


class _Record(msgspec.Struct, frozen=True):
    format: str = ""
    seats: list[_Seat] = []
    result: _Results | None = None


_RECORD = msgspec.json.Decoder(_Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What players carried into a hand and out of it, and their net results, in minor units."""

    into: Funds
    out: Funds
    net: int


@dataclass(slots=True, kw_only=True)
class TableFunds:
    """The hands of one table in one currency, one after the other.

    `opening` and `closing` are by player: into the first hand, out of the last one. `unknown` hands
    besides the `hands` say nothing of what was carried.
    """

    source: str
    table: str
    currency: str
    digits: int
    hands: int = 0
    unknown: int = 0
    opening: Funds = field(default_factory=dict)
    closing: Funds = field(default_factory=dict)
    net: int = 0
    brought_in: int = 0
    taken_out: int = 0

    @property
    def key(self) -> tuple[str, str, str, int]:
        return (self.source, self.table, self.currency, self.digits)

    def add(self, hand: Carried) -> None:
        """Take in the next hand."""
        self.follow(
            TableFunds(
                source=self.source,
                table=self.table,
                currency=self.currency,
                digits=self.digits,
                hands=1,
                opening=hand.into,
                closing=hand.out,
                net=hand.net,
            )
        )

    def follow(self, later: TableFunds) -> None:
        """Take in the hands that come behind; what changes in between was brought or taken."""
        self.unknown += later.unknown
        if not later.hands:
            return
        if not self.hands:
            self.opening = later.opening
        else:
            for player in {*self.closing, *later.opening}:
                moved = later.opening.get(player, 0) - self.closing.get(player, 0)
                self.brought_in += max(moved, 0)
                self.taken_out += max(-moved, 0)
        self.hands += later.hands
        self.closing = later.closing
        self.net += later.net
        self.brought_in += later.brought_in
        self.taken_out += later.taken_out

    def amounts(self) -> tuple[int, int, int, int, int]:
        """In the order of the columns."""
        return (
            sum(self.opening.values()), self.brought_in, self.net, self.taken_out,
            sum(self.closing.values()),
        )  # fmt: skip


def carried_of(line: bytes, digits: int, *, is_void: bool) -> Carried | None:
    """What a record says of the funds of its seats; None where it does not say it of every seat."""
    try:
        record = _RECORD.decode(line)
    except msgspec.MsgspecError:
        return None
    results = {} if record.result is None else {one.seat: one for one in record.result.seats}
    if not record.format.startswith("hand-log/1") or not record.seats:
        return None
    into: Funds = {}
    out: Funds = {}
    nets = 0
    for seat in record.seats:
        result = results.get(seat.seat, _Result(seat=seat.seat, net="0" if is_void else None))
        if seat.carry_in is None or result.net is None:
            return None
        net = replay.parse_minor(result.net, digits)
        into[seat.player] = replay.parse_minor(seat.carry_in, digits)
        out[seat.player] = into[seat.player] + net
        if result.carry_out is not None:
            out[seat.player] = replay.parse_minor(result.carry_out, digits)
        nets += net
    return Carried(into=into, out=out, net=nets)


def read_funds(scope: Scope, day: date, rules: Rules) -> list[TableFunds]:
    """The tables of one day, each hand behind the one before by the time of play."""
    found: dict[tuple[str, str, str, int], TableFunds] = {}
    for source, table, currency, digits, is_conflict, kind, raw in rows_of_day(
        _IN_ORDER, scope, day, rules
    ):
        made = TableFunds(source=source, table=table, currency=currency, digits=digits)
        funds = found.setdefault(made.key, made)
        is_void = kind == "void"
        carried = None if is_conflict else carried_of(unpacked(raw), digits, is_void=is_void)
        if carried is None:
            funds.unknown += 1
        else:
            funds.add(carried)
    return list(found.values())


def put_before(
    funds: dict[tuple[str, str, str, int], TableFunds], earlier: Iterable[TableFunds]
) -> None:
    """Put the tables of an earlier day in front of what is known of later ones."""
    for one in earlier:
        later = funds.get(one.key)
        if later is not None:
            one.follow(later)
        funds[one.key] = one


def funds_section(funds: Iterable[TableFunds]) -> Section:
    """A row a table; totals by currency."""
    lines = []
    totals: dict[tuple[str, int], list[int]] = {}
    for one in funds:
        units = (one.hands, one.unknown, *one.amounts())
        sums = totals.setdefault((one.currency, one.digits), [0] * len(units))
        totals[one.currency, one.digits] = [a + b for a, b in zip(sums, units, strict=True)]
        label = (one.source, one.table, one.currency)
        lines.append(Line(cells=(*label, *units[:2], *_amounts(units[2:], one.digits))))
    shown, more = listed(lines)
    sums_of = tuple(
        Line(
            cells=("Total", None, currency, *units[:2], *_amounts(units[2:], digits)),
            level=Level.TOTAL,
        )
        for (currency, digits), units in sorted(totals.items())
    )
    return Section(
        key="funds",
        title="Funds at the tables",
        about="By the log, in games among seats: what was carried into the first hand, changed"
        " between two hands, won and lost, and carried out of the last one.",
        columns=_COLUMNS,
        lines=(*shown, *sums_of),
        more=more,
    )


def _amounts(units: Iterable[int], digits: int) -> Iterator[str]:
    return (money(one, digits) for one in units)


def funds_checks(funds: Iterable[TableFunds]) -> Iterator[Check]:
    """What was there and what moved is what is there at the end, by currency."""
    sums: dict[tuple[str, int], tuple[int, int]] = {}
    for one in funds:
        opening, brought_in, net, taken_out, closing = one.amounts()
        moved, there = sums.get((one.currency, one.digits), (0, 0))
        moved += opening + brought_in + net - taken_out
        sums[one.currency, one.digits] = (moved, there + closing)
    for (currency, digits), (moved, there) in sorted(sums.items()):
        yield money_check(
            f"Opening and movements are closing ({currency})",
            ("At the start and moved", moved, "At the end", there),
            currency,
            digits,
        )
