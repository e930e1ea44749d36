"""WM, gid 112: Wenzhou Pai Gow, live dealer (docs/importers/wm-112.md).

A row is one bet, settled and restated by itself, so one bet is one record. A row with `reset` Y is
the settlement that holds; the rows of that bet in the same file stay with it. Addresses of players
(`ip`) are dropped before anything is kept.
"""

from __future__ import annotations

from typing import Any

import msgspec

import replay
from audit.importers.doors import PLAY_NAMES
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

NAME = "wm-112"
GID = "112"
FIELDS = frozenset(
    {"user", "betid", "bettime", "bet", "validbet", "water", "result", "betresult", "winloss",
     "gid", "tableid", "gameresult", "reset",
     "beforecash", "betcode", "event", "eventchild", "round", "subround", "commission", "settime",
     "gname", "waterbet"}
)  # fmt: skip
DROPPED = frozenset({"ip"})
ANSWER_FIELDS = frozenset({"errorCode", "errorMessage", "result"})

GAPS = ["tiles", "dice", "deal_order", "limits", "hand_number", "table_sequence", "outcomes",
        "other_bets", "time_zone", "currency"]  # fmt: skip


def cut(data: bytes) -> CutFile:
    """Each bet as one record. Raises: Refusal for a file that is neither rows nor an answer."""
    found, others = rows_of(data, key="result", row_fields=FIELDS)
    if others.get("errorCode", "0") not in ("0", '"0"'):
        raise refuse("$.errorCode", f"not 0, so the pull failed: {others['errorCode']}")
    bets: dict[str, list[int]] = {}
    rows: list[tuple[int, bytes]] = []
    resets: set[str] = set()
    for number, (at, raw) in enumerate(found):
        kept, bet, is_reset = _read(raw, number)
        rows.append((at, kept))
        bets.setdefault(bet, []).append(number)
        if is_reset:
            resets.add(bet)
    groups: list[tuple[list[int], bool]] = []
    for bet, numbers in bets.items():
        if bet in resets:
            groups.append((numbers, True))
        else:
            groups += [([number], False) for number in numbers]
    groups.sort(key=lambda group: group[0][0])
    pieces = tuple(
        Piece(
            number=place,
            offset=rows[numbers[0]][0],
            data=joined_rows(rows[number][1] for number in numbers),
            restates=is_reset,
        )
        for place, (numbers, is_reset) in enumerate(groups, start=1)
    )
    drift = {name: value for name, value in others.items() if name not in ANSWER_FIELDS}
    return CutFile(pieces=pieces, drift=drift)


def _read(raw: bytes, number: int) -> tuple[bytes, str, bool]:
    """A row without the address of its player, which bet it is, and whether it settles it anew.

    Of a row that cannot be read nobody knows where an address stands: what is wrong with it is kept
    in its place, and it is refused where it is judged.
    """
    try:
        row = strict(raw, "$")
        if not isinstance(row, dict):
            raise refuse("$", "not a JSON object")
        fields = Fields(row, "$", FIELDS | DROPPED)
        is_reset = fields.has("reset") and fields.value("reset") == "Y"
    except replay.Refusal as refusal:
        return msgspec.json.encode(f"a row that is not kept: {refusal.reason}"), f"{number}", False
    bet = f"row {number}"
    if fields.has("gid") and fields.has("betid"):
        bet = f"{fields.value('gid')} {fields.value('betid')}"
    return _without_address(raw), bet, is_reset


def _without_address(raw: bytes) -> bytes:
    """The row with every other field as it was written."""
    values = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    kept = (
        msgspec.json.encode(name) + b":" + bytes(value)
        for name, value in values.items()
        if plain_name(name) not in DROPPED
    )
    return b"{" + b",".join(kept) + b"}"


def convert(data: bytes, facts: Facts) -> Converted:
    """One bet as hand-log/1-partial; of several rows the last one that settles anew holds.

    Raises: Refusal with the place.
    """
    rows = [Fields(row, f"$[{at}]", FIELDS) for at, row in enumerate(read_rows(data))]
    for row in rows:
        if row.text("gid") != GID:
            raise refuse(row.place("gid"), f"{row.text('gid')} is another game")
        if row.value("reset") not in ("Y", "N"):
            raise refuse(row.place("reset"), "neither Y nor N")
        if row.has("commission") and row.text("commission") not in ("0", "1"):
            raise refuse(row.place("commission"), "neither 0 nor 1")
    row = next((row for row in reversed(rows) if row.value("reset") == "Y"), rows[-1])
    amounts = {name: row.money(name) for name in ("bet", "validbet", "water", "result", "winloss")}
    digits = digits_of(amounts.values())
    units = {name: minor(amount, digits) for name, amount in amounts.items()}
    if units["winloss"] not in (units["result"], units["result"] + units["water"]):
        raise refuse(row.place("winloss"), "neither the result nor the result with the rebate")
    play = PLAY_NAMES.get(row.text("betresult").strip(" "))
    if play is None:
        raise refuse(row.place("betresult"), f"no play: {row.text('betresult')[:40]}")
    started_at, has_zone = row.time("bettime")
    if has_zone:
        raise refuse(row.place("bettime"), f"a time with a zone is not known: {started_at[:40]}")
    player = row.text("user")
    text = {name: replay.format_minor(amount, digits) for name, amount in units.items()}
    record: dict[str, Any] = {
        "format": "hand-log/1-partial",
        "game": FEED.game,
        "feed": NAME,
        "source": facts["source"],
        "hand_id": row.text("betid"),
        "ruleset": FEED.ruleset,
        "table": row.text("tableid"),
        "started_at": started_at,
        "minor_digits": digits,
        "gaps": GAPS,
        "assumptions": [
            {"name": "hand", "text": "One bet is one record: this feed settles bets one by one."},
            {"name": "started_at", "text": "The time is that of the bet."},
            {"name": "result", "text": "The result is the profit; the rebate (water) is no part."},
        ],
        "wagers": [
            {
                "bet": row.text("betid"),
                "player": player,
                "door": play[0],
                "side": play[1],
                "stake": text["bet"],
                "profit": text["result"],
                "valid_bet": text["validbet"],
            }
        ],
        "players": [{"player": player, "profit": text["result"], "valid_bet": text["validbet"]}],
    }
    drift = {name: value for one in rows for name, value in one.drift.items()}
    return Converted(line=msgspec.json.encode(record), drift=drift)


FEED = Feed(
    name=NAME,
    title=replay.say("WM, gid 112"),
    game="wenzhou-pai-gow",
    ruleset="wenzhou-pai-gow/live-2015@1",
    needs_source=True,
    keeps_all=False,
    cut=cut,
    convert=convert,
)
