"""Files of feeds, made for the tests in the forms of docs/importers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import replay
from audit import importers

FEEDS = Path(__file__).resolve().parents[2] / "feeds"
# Seat 1, the banker's, has 雜五 and 丁三; seat 3 零霖六 and 高腳七; seat 4 地 and 長三.
CARDS = "14120000151611331"


RULESETS = replay.load_rulesets(Path(importers.__file__).with_name("rulesets"))


def ky_row(**fields: Any) -> dict[str, Any]:
    """One player's row of that hand: seat 3 has 3 points and loses to the banker's 8."""
    return {
        "GameID": "50-1716-1", "Accounts": "70012_amy_1", "ServerID": 7303, "KindID": 730,
        "TableID": 12, "ChairID": 3, "UserCount": 3, "CardValue": CARDS, "CellScore": "10.00",
        "AllBet": "10.00", "Profit": "-10.00", "Revenue": "0.00",
        "GameStartTime": "2024-05-17 21:14:06", "GameEndTime": "2024-05-17 21:14:40",
        "ChannelID": 70012, "LineCode": "70012_1", **fields,
    }  # fmt: skip


def ky_answer(*rows: dict[str, Any], **answer: Any) -> bytes:
    """An answer of parallel arrays; `answer` changes what stands around them."""
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ky_row())}
    body = {"code": 0, "count": len(rows), "list": columns, **answer}
    return json.dumps({"m": "/getRecordHandle", "s": 106, "d": body}).encode()


def bbin_ticket(**fields: Any) -> dict[str, Any]:
    """順門 to win 100 and won, 出門 to lose 50 and won at 0.94."""
    return {
        "UserName": "wang", "WagersID": "9001", "WagersDate": "2015-03-02 08:15:11",
        "SerialID": "303-77", "GameType": "3006",
        "Result": "順門贏,出門輸,到門贏", "Card": "S.1*D.2",
        "BetAmount": "150.00", "Payoff": "147.00", "Currency": "RMB", "Commissionable": "147.00",
        "WagerDetail": "1,1:1,100.00,100.00*4,1:0.94,50.00,47.00", **fields,
    }  # fmt: skip


def wm_row(**fields: Any) -> dict[str, Any]:
    """到門 to lose 100, won at 0.94."""
    return {
        "user": "lin88", "betId": "70001", "betTime": "2019-06-01 10:00:00",
        "beforeCash": "1000.0000", "bet": "100.0000", "validbet": "94.0000", "water": "0.0000",
        "result": "94.0000", "betCode": "DaoLose", "betResult": "到門輸", "winLoss": "94.0000",
        "ip": "203.0.113.9", "gid": "112", "event": "55", "eventChild": "3", "round": "55",
        "subround": "3", "tableId": "2", "gameResult": "莊:♦ 順:♣", "commission": "0",
        "reset": "N", "settime": "2019-06-01 10:01:00", **fields,
    }  # fmt: skip


def event_records(vector: str) -> list[dict[str, Any]]:
    """The four records of a settled hand of league-settlement-vectors.csv.

    The file has the money; the tiles are chosen so that they give its outcomes.
    """
    with (FEEDS / "league-settlement-vectors.csv").open(encoding="utf-8") as file:
        seats = [row for row in csv.DictReader(file) if row["vector"] == vector]
    holdings = _tiles_for(seats)
    rate = int(seats[0]["banker_rate"])
    events: list[dict[str, Any]] = [
        {"event": "bid", "chair": 0, "time": 1, "rate": rate},
        *({"event": "no bid", "chair": chair, "time": 2} for chair in (1, 2, 3)),
        {"event": "banker", "rate": rate},
    ]
    for chair, seat in enumerate(seats):
        if seat["seat"] != "banker":
            events.append(
                {"event": "bet", "chair": chair, "time": 3, "rate": int(seat["bet_rate"])}
            )
    events.append({"event": "deal"})
    for chair, seat in enumerate(seats):
        tiles, kind = holdings[chair]
        events.append(
            {"event": "result", "chair": chair, "score": seat["net"], "tiles": tiles, "type": kind}
        )
    return [
        {
            "game_id": 122, "round_id": f"r-{vector}", "order_id": f"o-{vector}-{chair}",
            "account": seat["seat"], "account_id": 100 + chair, "room": 3, "table": 41,
            "chair": chair, "base": seat["base"], "return": seat["return"] or "0",
            "bet": seat["valid_bet"], "valid_bet": seat["valid_bet"], "score": seat["net"],
            "fee": seat["fee"], "money_before": seat["carry_in"], "begin_time": 1716000000,
            "end_time": 1716000030, "events": events,
        }
        for chair, seat in enumerate(seats)
    ]  # fmt: skip


# Tiles with the type code of their holding: two that lose to 天 + 長三 (8 points), the 8 points of
# the banker, a pair that beats them, and 8 points that equal them tile by tile.
_BANKER = ([6061, 303], 8)
_LOSES = ([202, 105], 0)
_WINS = ([505, 505], 26)
_EQUAL = ([6062, 303], 8)


def _tiles_for(seats: list[dict[str, str]]) -> list[tuple[list[int], int]]:
    holdings = []
    for seat in seats:
        if seat["seat"] == "banker":
            holdings.append(_BANKER)
        else:
            sign = float(seat["uncapped"])
            holdings.append(_WINS if sign > 0 else _LOSES if sign < 0 else _EQUAL)
    return holdings


def log_of(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def judged(feed: str, data: bytes, source: str = "op") -> list[replay.PartiallyAudited]:
    """Cut a file and judge each of its records."""
    found = importers.cut(feed, data)
    facts = {**found.facts, "source": source}
    return [
        importers.judge(feed, piece.data, facts, RULESETS, number=piece.number)[0]
        for piece in found.pieces
    ]


def codes(audited: replay.PartiallyAudited) -> list[tuple[str, int | str | None]]:
    """Each finding by its code and whom it is about."""
    return [
        (one.code, one.subject if one.seat is None else one.seat)
        for one in audited.verdict.findings
    ]


def refusal_of(feed: str, data: bytes) -> str:
    """Why a file, or the only record of it, is refused: place and reason."""
    try:
        (audited,) = judged(feed, data)
    except replay.Refusal as refusal:
        return str(refusal)
    assert audited.refusal is not None, audited.verdict
    return str(audited.refusal)
