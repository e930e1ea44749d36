"""KY 開元, game-record pull, KindID 730: banker-bidding Pai Gow (docs/importers/ky-730.md).

An answer holds one array a column; a row is what one player of the asking agent won in one hand.
The rows of a hand become one record, each an object of the columns' exact values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

import replay
from audit.importers.feed import Converted, CutFile, Facts, Feed, Piece, refuse
from audit.importers.reading import (
    UNREADABLE,
    Fields,
    check_keys,
    digits_of,
    joined_rows,
    minor,
    read_rows,
    shown,
    strict,
)
from audit.importers.tiles import check_set, tile_of_pips

NAME = "ky-730"
KIND_ID = "730"
COLUMNS = frozenset(
    {"gameid", "accounts", "serverid", "kindid", "tableid", "chairid", "usercount", "cardvalue",
     "cellscore", "allbet", "profit", "revenue", "gamestarttime", "gameendtime", "channelid",
     "linecode"}
)  # fmt: skip
_REQUIRED = ("GameID", "KindID", "CardValue", "ChairID", "Profit", "Revenue")
_ANSWER_FIELDS = frozenset({"code", "count", "list"})
_OUTER_FIELDS = frozenset({"d", "m", "s"})
# What the rows of one hand say alike.
_OF_THE_HAND = ("kindid", "serverid", "tableid", "usercount", "cardvalue", "gamestarttime",
                "gameendtime")  # fmt: skip
_CARDS = re.compile(r"[0-9]{16}[1-4]", re.ASCII)
EMPTY_BLOCK = "0000"
# Of fewer rows than this CellScore must be the valid bet in each, else in nine of ten.
ROWS_ENOUGH = 10

GAPS = ["bids", "banker_multiple", "bets", "offers", "base", "carry_in", "carry_out", "gross",
        "dice", "deal_order", "reveal_order", "hand_number", "table_sequence", "time_zone",
        "currency", "ranks"]  # fmt: skip


def cut(data: bytes) -> CutFile:
    """Turn columns into rows, and the rows of each hand into a record.

    Raises: Refusal for an answer that is none, or whose arrays are of unequal lengths.
    """
    columns, drift = _columns(data)
    names = list(columns)
    size = len(columns[names[0]])
    hands: dict[bytes, list[bytes]] = {}
    for position in range(size):
        row = b",".join(
            msgspec.json.encode(name) + b":" + columns[name][position] for name in names
        )
        hands.setdefault(columns["GameID"][position], []).append(b"{" + row + b"}")
    start = data.find(b'"list"')
    pieces = tuple(
        Piece(number=number, offset=max(0, start), data=joined_rows(rows))
        for number, rows in enumerate(hands.values(), start=1)
    )
    return CutFile(pieces=pieces, facts={"cell_score": _cell_score(columns)}, drift=drift)


def _columns(data: bytes) -> tuple[dict[str, list[bytes]], dict[str, str]]:
    """The arrays by column, each value as its exact bytes; the answer's unknown fields."""
    outer = _object(data, "$")
    check_keys(data)
    if "d" not in outer:
        raise refuse("$.d", "missing")
    answer = _object(outer["d"], "$.d")
    code = answer.get("code", b"").strip()
    if code != b"0":
        raise refuse("$.d.code", f"not 0, so the pull failed: {shown(code) or 'missing'}")
    if "list" not in answer:
        raise refuse("$.d.list", "missing")
    try:
        columns = {
            name: [bytes(value) for value in values]
            for name, values in msgspec.json.decode(
                answer["list"], type=dict[str, list[msgspec.Raw]]
            ).items()
        }
    except UNREADABLE as error:
        raise refuse("$.d.list", f"not an object of arrays: {error}") from None
    for name in _REQUIRED:
        if name not in columns:
            raise refuse(f"$.d.list.{name}", "missing")
    size = len(columns["GameID"])
    for name, values in columns.items():
        if len(values) != size:
            raise refuse(f"$.d.list.{name}", f"{len(values)} values, where GameID has {size}")
    if answer.get("count", b"").strip() != str(size).encode():
        told = shown(answer.get("count", b"")) or "missing"
        raise refuse("$.d.count", f"not the {size} rows of the list: {told}")
    drift = {name: shown(raw) for name, raw in outer.items() if name not in _OUTER_FIELDS}
    drift |= {f"d.{name}": shown(raw) for name, raw in answer.items()
              if name not in _ANSWER_FIELDS}  # fmt: skip
    return columns, drift


def _object(data: bytes, place: str) -> dict[str, bytes]:
    try:
        found = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=dict[str, msgspec.Raw])
    except UNREADABLE as error:
        raise refuse(place, f"not a JSON object: {error}") from None
    return {name: bytes(raw) for name, raw in found.items()}


# -- what CellScore means -------------------------------------------------------------------


def _cell_score(columns: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
    """Whether CellScore is |gross|, by the players' rows of the file that won or lost.

    Documented as valid bet, the name is a room's base in some families. The banker's rows are left
    out: what counts as a banker's valid bet is a rule of its own.
    """
    rows = equal = 0
    scores: dict[bytes, set[bytes]] = {}
    for position in range(len(columns["GameID"])):
        found = _amounts(columns, position)
        if found is None:
            continue
        rows += 1
        equal += found
        room = columns["ServerID"][position] if "ServerID" in columns else b""
        scores.setdefault(room, set()).add(columns["CellScore"][position])
    is_valid_bet = rows > 0 and (equal == rows if rows < ROWS_ENOUGH else equal * 10 >= rows * 9)
    looks_like_base = not is_valid_bet and rows > 1 and all(len(s) == 1 for s in scores.values())
    return {
        "meaning": "valid_bet" if is_valid_bet else "unknown",
        "rows": rows,
        "equal": equal,
        "looks_like_base": looks_like_base,
    }


def _amounts(columns: Mapping[str, Sequence[bytes]], position: int) -> bool | None:
    """Whether CellScore of a row is |Profit + Revenue|; None for a row that says nothing."""
    if "CellScore" not in columns:
        return None
    row = {name: strict(columns[name][position], "$") for name in
           ("CardValue", "ChairID", "CellScore", "Profit", "Revenue")}  # fmt: skip
    fields = Fields(row, "$", COLUMNS)
    try:
        cards, chair = fields.text("cardvalue"), fields.text("chairid")
        amounts = [fields.money(name, only_text=True) for name in
                   ("cellscore", "profit", "revenue")]  # fmt: skip
    except replay.Refusal:
        return None
    digits = digits_of(amounts)
    score, profit, revenue = (minor(amount, digits) for amount in amounts)
    if profit + revenue == 0 or cards[-1:] == chair:
        return None
    return score == abs(profit + revenue)


# -- one hand -------------------------------------------------------------------------------


def convert(data: bytes, facts: Facts) -> Converted:
    """One hand as hand-log/1-partial. Raises: Refusal with the place."""
    rows = [Fields(row, f"$[{at}]", COLUMNS) for at, row in enumerate(read_rows(data))]
    first = rows[0]
    for row in rows:
        if row.text("kindid") != KIND_ID:
            raise refuse(row.place("kindid"), f"{row.text('kindid')} is another game")
        for name in (*_OF_THE_HAND, "gameid"):
            if row.has(name) and row.text(name) != first.text(name):
                raise refuse(row.place(name), "not as in the first row of the hand")
    holdings, banker = read_cards(first.text("cardvalue"), first.place("cardvalue"))
    seats: dict[int, dict[str, Any]] = {
        seat: {"seat": seat, "tiles": holding} for seat, holding in holdings.items()
    }
    score = facts.get("cell_score", {})
    is_valid_bet = score.get("meaning") == "valid_bet"
    digits = digits_of(
        row.money(name, only_text=True)
        for row in rows
        for name in ("profit", "revenue", *(("cellscore",) if is_valid_bet else ()))
    )
    for row in rows:
        _seat(row, seats, digits, is_valid_bet=is_valid_bet)
    gaps = list(GAPS)
    if len(rows) < len(seats):
        gaps.append("other_seats_money")
    if not is_valid_bet:
        gaps.append("valid_bet")
    room = f"{first.text('serverid')}/" if first.has("serverid") else ""
    record = {
        "format": "hand-log/1-partial",
        "game": FEED.game,
        "feed": NAME,
        "source": facts["source"],
        "hand_id": first.text("gameid"),
        "ruleset": FEED.ruleset,
        "table": room + first.text("tableid"),
        "started_at": _time(first, "gamestarttime"),
        "ended_at": _time(first, "gameendtime"),
        "minor_digits": digits,
        "gaps": gaps,
        "assumptions": [{"name": "CellScore", "text": cell_score_words(score)}],
        "banker": {"seat": banker},
        "seats": [seats[seat] for seat in sorted(seats)],
    }
    drift = {name: value for row in rows for name, value in row.drift.items()}
    return Converted(line=msgspec.json.encode(record), drift=drift)


def read_cards(text: str, place: str) -> tuple[dict[int, list[str]], int]:
    """The tiles of each seat that is taken, and the banker's seat, both from 0.

    Shape: four blocks of four digits, seats 1 to 4, each two tiles as low and high pip, `0000` for
    an empty seat; then the banker's seat. Raises: Refusal.
    """
    if _CARDS.fullmatch(text) is None:
        raise refuse(place, f"not four blocks of four digits and a seat: {text[:40]}")
    holdings: dict[int, list[str]] = {}
    for seat in range(4):
        block = text[4 * seat : 4 * seat + 4]
        if block != EMPTY_BLOCK:
            holdings[seat] = [tile_of_pips(block[:2], place), tile_of_pips(block[2:], place)]
    banker = int(text[16]) - 1
    if banker not in holdings:
        raise refuse(place, f"the banker's seat {banker + 1} is empty")
    check_set(holdings.values(), place)
    return holdings, banker


def _seat(
    row: Fields, seats: dict[int, dict[str, Any]], digits: int, *, is_valid_bet: bool
) -> None:
    """Put a row's money to its seat. Raises: Refusal."""
    seat = row.whole("chairid", 1, 4) - 1
    entry = seats.get(seat)
    if entry is None:
        raise refuse(row.place("chairid"), f"the seat {seat + 1} is empty")
    if "net" in entry:
        raise refuse(row.place("chairid"), f"the seat {seat + 1} has a row already")
    _agent, found, player = row.text("accounts").partition("_")
    if not found or not player:
        raise refuse(row.place("accounts"), "no agent code and account, joined by an underscore")
    net = minor(row.money("profit", only_text=True), digits)
    rake = minor(row.money("revenue", only_text=True), digits)
    if rake < 0:
        raise refuse(row.place("revenue"), "below zero")
    entry["player"] = player
    amounts = {"gross": net + rake, "rake": rake, "net": net}
    if is_valid_bet:
        amounts["valid_bet"] = minor(row.money("cellscore", only_text=True), digits)
    for name, units in amounts.items():
        entry[name] = replay.format_minor(units, digits)


def _time(row: Fields, name: str) -> str:
    text, has_zone = row.time(name)
    if has_zone:
        raise refuse(row.place(name), f"not of the form yyyy-MM-dd HH:mm:ss: {text[:40]}")
    return text


def cell_score_words(score: Mapping[str, Any]) -> str:
    """What was taken CellScore to mean, and what that rests on."""
    counted = f"it equals |Profit + Revenue| in {score.get('equal', 0)} of {score.get('rows', 0)}"
    counted += " players' rows of its file that won or lost"
    if score.get("meaning") == "valid_bet":
        return f"CellScore is taken as the valid bet: {counted}."
    words = f"CellScore is not used: {counted}."
    if score.get("looks_like_base"):
        words += " It is the same in all rows of each room, as the room's base would be."
    return words


FEED = Feed(
    name=NAME,
    title=replay.say("KY 開元, KindID 730"),
    game="banker-pai-gow",
    ruleset="banker-pai-gow/bs-2022@1",
    needs_source=True,
    any_order=True,
    cut=cut,
    convert=convert,
)
