"""Records with gaps for the tests: one of each game, as whole as its format lets it be."""

from __future__ import annotations

import json
from typing import Any

import replay

RULESETS = replay.load_rulesets()


def pai_gow(**fields: Any) -> dict[str, Any]:
    """Banker in seat 0 at ×2; seat 1 loses 20, seat 2 wins 10 less 0.50, seat 3 is empty."""
    return {
        "format": "hand-log/1-partial", "feed": "own", "source": "club", "hand_id": "h1",
        "game": "banker-pai-gow", "ruleset": "banker-pai-gow/bs-2022@1", "table": "t1",
        "started_at": "2024-05-17T21:14:06+08:00", "ended_at": "2024-05-17T21:15:00+08:00",
        "currency": "CNY", "minor_digits": 2,
        "gaps": ["offers", "carry_out", "dice", "deal_order", "reveal_order", "hand_number",
                 "table_sequence"],
        "base": "5", "banker": {"seat": 0, "multiple": 2},
        "seats": [
            {"seat": 0, "tiles": ["66", "33"], "player": "ann", "carry_in": "100", "bid": 2,
             "rank": "points-8", "gross": "10", "rake": "0.50", "net": "9.50", "valid_bet": "10"},
            {"seat": 1, "tiles": ["22", "15"], "player": "bob", "carry_in": "100", "bid": 0,
             "bet": 2, "rank": "points-0", "gross": "-20", "rake": "0", "net": "-20",
             "valid_bet": "20"},
            {"seat": 2, "tiles": ["55", "55"], "player": "cat", "carry_in": "100", "bid": 1,
             "bet": 1, "rank": "pair-55", "gross": "10", "rake": "0.50", "net": "9.50",
             "valid_bet": "10"},
        ],
        **fields,
    }  # fmt: skip


def wenzhou(**fields: Any) -> dict[str, Any]:
    """Two wagers of one player, on doors that the record says won and lost."""
    return {
        "format": "hand-log/1-partial", "feed": "own", "source": "club", "hand_id": "w1",
        "game": "wenzhou-pai-gow", "ruleset": "wenzhou-pai-gow/live-2015@1", "table": "t2",
        "started_at": "2024-05-17T21:14:06+08:00", "currency": "CNY", "minor_digits": 2,
        "gaps": ["tiles", "dice", "deal_order", "limits", "hand_number", "table_sequence"],
        "wagers": [
            {"bet": "1", "player": "ann", "door": "shun", "side": "win", "stake": "100",
             "odds": "1", "profit": "100", "valid_bet": "100"},
            {"bet": "2", "player": "ann", "door": "chu", "side": "lose", "stake": "50",
             "odds": "0.94", "profit": "47", "valid_bet": "47"},
        ],
        "players": [{"player": "ann", "profit": "147", "valid_bet": "147"}],
        "outcomes": {"shun": "door", "chu": "bank", "dao": "door"},
        **fields,
    }  # fmt: skip


def with_seat(number: int, **fields: Any) -> list[dict[str, Any]]:
    """The seats of that hand, one of them changed; a field that is None is left out."""
    seats = pai_gow()["seats"]
    seats[number] |= fields
    seats[number] = {name: value for name, value in seats[number].items() if value is not None}
    return list(seats)


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def judged(record: dict[str, Any]) -> replay.PartiallyAudited:
    return replay.audit_partial(json.dumps(record).encode(), RULESETS)


def codes(record: dict[str, Any]) -> list[tuple[str, int | str | None]]:
    """Each finding by its code and whom it is about."""
    audited = judged(record)
    assert audited.refusal is None, audited.refusal
    return [
        (one.code, one.subject if one.seat is None else one.seat)
        for one in audited.verdict.findings
    ]


def lacking(record: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The gaps of each check that was not made."""
    return {one.check: one.gaps for one in judged(record).verdict.not_checkable}
