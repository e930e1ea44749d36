"""Event-list bet log of a server family, game 122: banker-bidding Pai Gow
(docs/importers/event-list-122.md).

A record is what one player did and won in one hand, with the events of the hand. The records of all
chairs that a file has of a round become one, and with all of them the settlement is recomputed.
"""

from __future__ import annotations

from typing import Any

import msgspec

import replay
from audit.importers.feed import Converted, CutFile, Facts, Feed, Piece, refuse
from audit.importers.reading import (
    Fields,
    digits_of,
    joined_rows,
    minor,
    plain_name,
    read_rows,
    rows_of,
    strict,
)
from audit.importers.tiles import TYPE_NAMES, tile_of_number

NAME = "event-list-122"
GAME_ID = "122"
FIELDS = frozenset(
    {"gameid", "roundid", "account", "room", "table", "chair", "base", "validbet", "score", "fee",
     "moneybefore", "begintime", "endtime", "events",
     "orderid", "accountid", "return", "bet"}
)  # fmt: skip
EVENT_FIELDS = {
    "bid": frozenset({"event", "chair", "time", "rate"}),
    "nobid": frozenset({"event", "chair", "time"}),
    "banker": frozenset({"event", "chair", "time", "rate"}),
    "bet": frozenset({"event", "chair", "time", "rate"}),
    "deal": frozenset({"event", "time"}),
    "result": frozenset({"event", "chair", "time", "score", "tiles", "type"}),
}
# What the records of one round say alike.
_OF_THE_ROUND = ("gameid", "roundid", "room", "table", "base", "begintime", "endtime")
_RATE_MAX = 1_000_000

GAPS = ["offers", "carry_out", "gross", "dice", "deal_order", "reveal_order", "hand_number",
        "table_sequence", "currency"]  # fmt: skip


def cut(data: bytes) -> CutFile:
    """The records of each round as one, in the order in which rounds appear.

    Raises: Refusal for a file that holds no records.
    """
    rows, others = rows_of(data, key="list")
    rounds: dict[str, list[tuple[int, bytes]]] = {}
    for number, (at, raw) in enumerate(rows):
        rounds.setdefault(_round_of(raw, number), []).append((at, raw))
    pieces = tuple(
        Piece(number=number, offset=found[0][0], data=joined_rows(raw for _, raw in found))
        for number, found in enumerate(rounds.values(), start=1)
    )
    return CutFile(pieces=pieces, drift=others)


def _round_of(raw: bytes, number: int) -> str:
    """What keeps a record's round apart; one that names none stands alone and is refused there."""
    try:
        row = strict(raw, "$")
        fields = Fields(row if isinstance(row, dict) else {}, "$", FIELDS)
        return f"{fields.text('gameid')} {fields.text('roundid')}"
    except replay.Refusal:
        return f"row {number}"


class _Table:
    """The events of a hand, put together from all its records; None where nothing was said."""

    def __init__(self) -> None:
        self.bids: dict[int, int] = {}
        self.banker: tuple[int | None, int] | None = None
        self.bets: dict[int, int] = {}
        self.results: dict[int, dict[str, Any]] = {}
        self.drift: dict[str, str] = {}

    def put(self, known: dict[int, Any], chair: int, value: Any, place: str) -> None:
        """Raises: Refusal where another record said otherwise of the chair."""
        if known.setdefault(chair, value) != value:
            raise refuse(place, f"chair {chair} did otherwise by another event")


def convert(data: bytes, facts: Facts) -> Converted:
    """One hand as hand-log/1-partial. Raises: Refusal with the place."""
    rows = [Fields(row, f"$[{at}]", FIELDS) for at, row in enumerate(read_rows(data))]
    first = rows[0]
    for row in rows:
        if row.text("gameid") != GAME_ID:
            raise refuse(row.place("gameid"), f"{row.text('gameid')} is another game")
        for name in _OF_THE_ROUND:
            if row.text(name) != first.text(name):
                raise refuse(row.place(name), "not as in the first record of the round")
    table = _Table()
    for row in rows:
        _read_events(row, table)
    banker = _banker(table, first)
    chairs = _chairs(table, first)
    digits = digits_of(
        (first.money("base"), *(row.money(name) for row in rows for name in _AMOUNTS))
    )
    seats = {chairs[chair]: _seat(chairs[chair], table, chair) for chair in table.results}
    is_bid = _put_bids(table, chairs, seats)
    for row in rows:
        _put_money(row, table, chairs, seats, digits)
    gaps = [*GAPS, *([] if is_bid else ["bids"])]
    if any("net" not in seat for seat in seats.values()):
        gaps += ["other_seats_money", "carry_in"]
    (started_at, has_zone), (ended_at, ends_with_zone) = (
        first.time("begintime"), first.time("endtime")
    )  # fmt: skip
    if has_zone != ends_with_zone:
        raise refuse(first.place("endtime"), "not of the same form as the begin time")
    base = minor(first.money("base"), digits)
    assert table.banker is not None
    record = {
        "format": "hand-log/1-partial",
        "game": FEED.game,
        "feed": NAME,
        "source": facts["source"],
        "hand_id": first.text("roundid"),
        "ruleset": FEED.ruleset,
        "table": f"{first.text('room')}/{first.text('table')}",
        "started_at": started_at,
        "ended_at": ended_at,
        "minor_digits": digits,
        "gaps": gaps if has_zone else [*gaps, "time_zone"],
        "assumptions": [
            {"name": "score", "text": "The score is net; gross is the score and the fee together."},
            {"name": "chair", "text": "Chair 4 is seat 0, any other chair the seat of its number."},
            {"name": "banker", "text": "The banker is the chair with a result and without a bet."},
        ],
        "base": replay.format_minor(base, digits),
        "banker": {"seat": chairs[banker], "multiple": table.banker[1]},
        "seats": [seats[seat] for seat in sorted(seats)],
    }
    drift = {name: value for row in rows for name, value in row.drift.items()}
    return Converted(line=msgspec.json.encode(record), drift=drift | table.drift)


_AMOUNTS = ("validbet", "score", "fee", "moneybefore")


# -- events ---------------------------------------------------------------------------------


def _read_events(row: Fields, table: _Table) -> None:
    """Add a record's events to those known. Raises: Refusal."""
    place = row.place("events")
    events = row.value("events")
    if isinstance(events, str):
        events = strict(events.encode("utf-8", "surrogatepass"), place)
    if not isinstance(events, list):
        raise refuse(place, "not a list")
    for position, event in enumerate(events):
        here = f"{place}[{position}]"
        if not isinstance(event, dict) or type(event.get("event")) is not str:
            raise refuse(here, "no event with its name")
        kind = plain_name(event["event"])
        known = EVENT_FIELDS.get(kind)
        if known is None:
            raise refuse(f"{here}.event", f"no known event: {event['event'][:40]}")
        parts = Fields(event, here, known)
        table.drift |= {f"events.{kind}.{name}": value for name, value in parts.drift.items()}
        _read_event(kind, parts, table, here)


def _read_event(kind: str, parts: Fields, table: _Table, place: str) -> None:
    if kind == "bid":
        rate = parts.whole("rate", 0, _RATE_MAX)
        table.put(table.bids, parts.whole("chair", 0, 4), rate, place)
    elif kind == "nobid":
        if parts.has("chair"):
            table.put(table.bids, parts.whole("chair", 0, 4), 0, place)
    elif kind == "bet":
        rate = parts.whole("rate", 0, _RATE_MAX)
        table.put(table.bets, parts.whole("chair", 0, 4), rate, place)
    elif kind == "banker":
        chair = parts.whole("chair", 0, 4) if parts.has("chair") else None
        found = (chair, parts.whole("rate", 0, _RATE_MAX))
        if table.banker not in (None, found):
            raise refuse(place, "another event names another banker")
        table.banker = found
    elif kind == "result":
        tiles = parts.value("tiles")
        if not isinstance(tiles, list) or len(tiles) != 2:
            raise refuse(parts.place("tiles"), "not two tiles")
        result = {
            "score": parts.money("score"),
            "tiles": [tile_of_number(str(tile), parts.place("tiles")) for tile in tiles],
            "rank": TYPE_NAMES[parts.whole("type", 0, len(TYPE_NAMES) - 1)],
        }
        table.put(table.results, parts.whole("chair", 0, 4), result, place)


def _banker(table: _Table, first: Fields) -> int:
    """The chair that has a result and no bet. Raises: Refusal where there is not one such."""
    place = first.place("events")
    if table.banker is None:
        raise refuse(place, "no banker event")
    for chair in table.bets:
        if chair not in table.results:
            raise refuse(place, f"chair {chair} bets and has no result")
    without = [chair for chair in table.results if chair not in table.bets]
    if len(without) != 1:
        raise refuse(place, f"{len(without)} chairs have a result and no bet, where one is banker")
    named = table.banker[0]
    if named not in (None, without[0]):
        raise refuse(place, f"chair {named} is called banker, but chair {without[0]} has no bet")
    return without[0]


def _chairs(table: _Table, first: Fields) -> dict[int, int]:
    """The seat of each chair, whether chairs are counted from 0 or from 1.

    Nothing that is checked hangs on where counting starts, for the order round the table is the
    same. Raises: Refusal where both a chair 0 and a chair 4 are there, or fewer than two.
    """
    if {0, 4} <= table.results.keys():
        raise refuse(first.place("events"), "chairs from 0 and chairs to 4")
    if len(table.results) < 2:
        raise refuse(first.place("events"), "fewer than two results")
    return {chair: chair % 4 for chair in table.results}


# -- seats ----------------------------------------------------------------------------------


def _seat(seat: int, table: _Table, chair: int) -> dict[str, Any]:
    result = table.results[chair]
    entry = {"seat": seat, "tiles": result["tiles"], "rank": result["rank"]}
    if chair in table.bets:
        entry["bet"] = table.bets[chair]
    return entry


def _put_bids(table: _Table, chairs: dict[int, int], seats: dict[int, dict[str, Any]]) -> bool:
    """Put the bids to their seats; tells whether each seat has one."""
    for chair, bid in table.bids.items():
        if chair in chairs:
            seats[chairs[chair]]["bid"] = bid
    return all("bid" in seat for seat in seats.values())


def _put_money(
    row: Fields,
    table: _Table,
    chairs: dict[int, int],
    seats: dict[int, dict[str, Any]],
    digits: int,
) -> None:
    """Put a record's money to its seat. Raises: Refusal."""
    chair = row.whole("chair", 0, 4)
    if chair not in chairs:
        raise refuse(row.place("chair"), f"chair {chair} has no result")
    entry = seats[chairs[chair]]
    if "net" in entry:
        raise refuse(row.place("chair"), f"chair {chair} has a record already")
    valid_bet, net, fee, before = (minor(row.money(name), digits) for name in _AMOUNTS)
    if fee < 0:
        raise refuse(row.place("fee"), "below zero")
    told = table.results[chair]["score"]
    if minor(told, max(digits, digits_of([told]))) != minor(
        row.money("score"), max(digits, digits_of([told]))
    ):
        raise refuse(row.place("score"), f"not the score of the chair's result, {told}")
    entry["player"] = row.text("account")
    for name, units in (
        ("carry_in", before),
        ("gross", net + fee),
        ("rake", fee),
        ("net", net),
        ("valid_bet", valid_bet),
    ):
        entry[name] = replay.format_minor(units, digits)


FEED = Feed(
    name=NAME,
    title=replay.say("Event-list bet log, game 122"),
    game="banker-pai-gow",
    ruleset="banker-pai-gow/event-list-122@1",
    needs_source=True,
    any_order=True,
    cut=cut,
    convert=convert,
)
