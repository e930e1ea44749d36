"""Hands of banker-bidding Pai Gow made for a test: a right one, to be changed at will."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import replay
from replay.banker_pai_gow.options import Rules, prepare
from replay.banker_pai_gow.payout import Settlement, settle
from replay.banker_pai_gow.play import WINNERS, Play
from replay.banker_pai_gow.play import replay as play_through
from replay.banker_pai_gow.ranking import ladder
from replay.banker_pai_gow.record import Facts
from replay.banker_pai_gow.words import rank_in
from replay.money import parse_minor
from replay.ruleset import SHIPPED
from replay.tiles import INDEX, KIND_COUNT

RULESET = "banker-pai-gow/bs-2022@1"
OPTIONS = replay.read_ruleset((SHIPPED / "banker-pai-gow.bs-2022.1.toml").read_bytes()).options


def rules(**changes: str) -> Rules:
    """The shipped rules with some options changed."""
    assert set(changes) <= set(OPTIONS)
    return prepare({**OPTIONS, **changes})


def place(tiles: str) -> int:
    """Two tiles, "66 12", as the replay keeps a holding."""
    first, second = (INDEX[code] for code in tiles.split())
    return first * KIND_COUNT + second


def rank_code(tiles: str, **changes: str) -> str:
    """The name of a holding's rank."""
    return rank_in(place(tiles), rules(**changes)).code


def winner(player: str, banker: str, **changes: str) -> str:
    """Who wins: `player`, `banker` or `push`, out of a whole hand of these two holdings."""
    used = (player.split(), banker.split())
    rest = spare_tiles(used[0] + used[1])
    play = played(make_hand(tiles=[used[1], used[0], rest[:2], rest[2:4]], banker=0), **changes)
    assert play.refusal is None
    return WINNERS[play.outcomes[1]]


def played(hand: dict[str, Any], **changes: str) -> Play:
    """The state of the replay at the end of a hand, or where it stopped."""
    found = replay.read(line_of(hand))
    return play_through(found.hand, found.facts, rules(**changes))


def spare_tiles(used: Sequence[str]) -> list[str]:
    """One tile of each kind that is not among those used."""
    return [code for code in INDEX if code not in used]


def make_hand(
    *,
    tiles: Sequence[Sequence[str]] = (("22", "22"), ("66", "26"), ("11", "36"), ("55", "45")),
    banker: int = 2,
    bids: Sequence[int] = (1, 0, 2, 1),
    bets: Sequence[int] = (1, 2, 3, 5),
    dice: tuple[int, int] = (3, 4),
    carry_in: Sequence[str] = ("1000.00", "1000.00", "1000.00", "1000.00"),
    result: Any = None,
    **fields: Any,
) -> dict[str, Any]:
    """A hand that plays through; all by seat. Bids follow the banker where he is not seat 2."""
    if bids[banker] != max(bids):
        bids = [3 if seat == banker else 1 for seat in range(4)]
    players = [seat for seat in range(4) if seat != banker]
    first = (banker - (sum(dice) - 1)) % 4
    events: list[dict[str, Any]] = [
        {"type": "bid", "seat": seat, "multiple": bids[seat]} for seat in range(4)
    ]
    events.append({"type": "banker", "seat": banker, "multiple": max(*bids, 1)})
    events += [{"type": "bet", "seat": seat, "multiple": bets[seat]} for seat in players]
    events.append({"type": "dice", "values": list(dice)})
    for step in range(4):
        seat = (first + step) % 4
        events.append({"type": "deal", "seat": seat, "tiles": list(tiles[seat])})
    for step in range(4):
        seat = (banker - step) % 4
        events.append({"type": "reveal", "seat": seat, "tiles": list(tiles[seat])})
    return {
        "format": "hand-log/1",
        "source": "test",
        "hand_id": "h1",
        "game": "banker-pai-gow",
        "ruleset": RULESET,
        "table": "t1",
        "started_at": "2024-05-17T21:14:06+08:00",
        "ended_at": "2024-05-17T21:14:40+08:00",
        "currency": "CNY",
        "minor_digits": 2,
        "stakes": {"base": "10", "bid_multiples": [0, 1, 2, 3], "bet_multiples": [1, 2, 3, 5]},
        "seats": [
            {"seat": seat, "player": f"p{seat}", "carry_in": carry_in[seat]} for seat in range(4)
        ],
        "events": events,
        "result": result,
        **fields,
    }


def line_of(hand: dict[str, Any]) -> bytes:
    """A hand as a line of NDJSON."""
    return json.dumps(hand, ensure_ascii=False).encode()


def settled(hand: dict[str, Any], rulesets: replay.Rulesets) -> dict[str, Any]:
    """The hand with the result that is due."""
    verdict = replay.audit(line_of(hand), rulesets)
    assert verdict.settlement is not None, verdict
    return {**hand, "result": verdict.settlement}


def settle_case(
    outcomes: Sequence[int],
    *,
    base: str = "10",
    multiple: int = 1,
    bets: Sequence[int],
    carry_in: Sequence[str],
    banker: int = 0,
    digits: int = 2,
    **changes: str,
) -> Settlement:
    """Settle from outcomes (1, -1, 0 by seat, the banker's own 0)."""
    facts = Facts(
        base=parse_minor(base, digits),
        carry_in=[parse_minor(text, digits) for text in carry_in],
        logged=None,
    )
    return settle(banker, multiple, bets, outcomes, facts, rules(**changes))


def strength(tiles: str, **changes: str) -> int:
    """A holding's number in the table."""
    return ladder(rules(**changes).ranking).strengths[place(tiles)]
