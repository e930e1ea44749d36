"""Hands of Wenzhou Pai Gow for tests: written short, dealt as the dice say, logged as settled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import replay
from tests.golden_vectors import rulesets

CLASSIC = "wenzhou-pai-gow/live-2015@1"
POSITIONS = ("bank", "shun", "chu", "dao")
DOORS = ("shun", "chu", "dao")

# Shun wins with 8 points, chu loses a tie at 6, dao wins with a pair; the bank has 6.
TILES = {
    "bank": ("44", "26"),
    "shun": ("66", "24"),
    "chu": ("44", "35"),
    "dao": ("22", "22"),
}

Tiles = dict[str, tuple[str, str]]
Bet = tuple[str, str, str, str]


def wager(bet: str, player: str, door: str, side: str, stake: str) -> dict[str, Any]:
    """A wager event."""
    return {
        "type": "wager", "bet": bet, "player": player, "door": door, "side": side, "stake": stake,
    }  # fmt: skip


def wagers(*bets: Bet) -> list[dict[str, Any]]:
    """Wagers b1, b2, … of (player, door, side, stake)."""
    return [wager(f"b{number}", *bet) for number, bet in enumerate(bets, start=1)]


def dealing(tiles: Tiles = TILES, dice: tuple[int, int] = (2, 4)) -> list[dict[str, Any]]:
    """Dice and the eight deals that follow from them."""
    first = {1: 0, 2: 1, 3: 2, 0: 3}[sum(dice) % 4]
    order = [POSITIONS[(first + turn) % 4] for turn in range(4)]
    events: list[dict[str, Any]] = [{"type": "dice", "values": list(dice)}]
    for circuit in (0, 1):
        for position in order:
            tile = tiles[position][circuit]
            events.append({"type": "deal", "position": position, "tiles": [tile]})
    return events


def hand(
    events: Sequence[dict[str, Any]],
    result: dict[str, Any] | None,
    *,
    ruleset: str = CLASSIC,
    digits: int = 2,
    limits: dict[str, str] | None = None,
) -> bytes:
    """One line of hand-log/1."""
    record = {
        "format": "hand-log/1",
        "source": "live",
        "hand_id": "h1",
        "game": "wenzhou-pai-gow",
        "ruleset": ruleset,
        "table": "L2",
        "started_at": "2024-05-17T21:14:06+08:00",
        "ended_at": "2024-05-17T21:14:40+08:00",
        "currency": "CNY",
        "minor_digits": digits,
        "stakes": limits or {},
        "events": list(events),
        "result": result,
    }
    return json.dumps(record, ensure_ascii=False).encode()


def audit(line: bytes) -> dict[str, Any]:
    """The verdict on a line, as JSON values."""
    verdict: dict[str, Any] = json.loads(
        replay.format_verdict(replay.audit(line, rulesets(), number=1))
    )
    return verdict


def settled(events: Sequence[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """The recomputed settlement of a hand, in the shape of `result`."""
    settlement: dict[str, Any] = audit(hand(events, None, **options))["settlement"]
    return settlement


def entry(name: str, profit: str, valid_bet: str, *, kind: str = "bet") -> dict[str, str]:
    """An entry of `result.bets` or `result.players`."""
    return {kind: name, "profit": profit, "valid_bet": valid_bet}


def shown(finding: dict[str, Any]) -> tuple[Any, ...]:
    """What a test says of a finding: code, event, subject, logged, expected, rule."""
    assert finding["seat"] is None
    fields = ("code", "event", "subject", "logged", "expected", "rule")
    return tuple(finding[field] for field in fields)


def findings(line: bytes) -> list[tuple[Any, ...]]:
    """The findings on a line."""
    return [shown(finding) for finding in audit(line)["findings"]]
