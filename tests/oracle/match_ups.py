"""Hands that put one question each to the product's front door: who wins, what may be played.

A ruleset with changed options is written as a file would be. The answers that a line states
(ranks, comparisons, outcomes) are those of the second reading.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from random import Random
from typing import Any

import replay
from tests import oracle
from tests.oracle import pai_gow, wenzhou
from tests.oracle.common import ALL_TILES, minor, money

Options = dict[str, Any]
Holding = tuple[str, ...]

KINDS = list(dict.fromkeys(ALL_TILES))
PHYSICAL = list(combinations(range(32), 2))


def known(game: str, options: Options) -> replay.Rulesets:
    """One ruleset, `game/asked@1`, with these options."""
    lines = [f'id = "{game}/asked"', "revision = 1", f'game = "{game}"', 'title = "Asked"']
    lines += ["[options]", *(f"{name} = {json.dumps(value)}" for name, value in options.items())]
    rulesets = replay.Rulesets()
    rulesets.add(replay.read_ruleset("\n".join(lines).encode()), where="asked")
    return rulesets


def fits(tiles: Iterable[str], available: Iterable[str]) -> bool:
    """Whether the tiles can all be taken out of those that are available."""
    return Counter(tiles) <= Counter(available)


def without(tiles: Iterable[str], available: Iterable[str]) -> list[str]:
    """What is left of the available tiles."""
    rest = list(available)
    for tile in tiles:
        rest.remove(tile)
    return rest


def sets_of(count: int) -> list[Holding]:
    """Every set of so many tiles that the 32 allow, by kinds."""
    sets = combinations_with_replacement(KINDS, count)
    return [tiles for tiles in sets if fits(tiles, ALL_TILES)]


def weights() -> Counter[tuple[Holding, Holding]]:
    """How many of the 215,760 ordered disjoint match-ups of the 32 tiles each pair of kinds is."""
    holdings = {
        hand: tuple(sorted((ALL_TILES[hand[0]], ALL_TILES[hand[1]]), key=KINDS.index))
        for hand in PHYSICAL
    }
    counted: Counter[tuple[Holding, Holding]] = Counter()
    for first in PHYSICAL:
        for second in PHYSICAL:
            if first[0] not in second and first[1] not in second:
                counted[holdings[first], holdings[second]] += 1
    return counted


def tables() -> Iterator[tuple[Holding, list[Holding]]]:
    """Put every match-up on a table: a banker and three others, three match-ups a table."""
    for banker in sets_of(2):
        rest = without(banker, ALL_TILES)
        waiting = [holding for holding in sets_of(2) if fits(holding, rest)]
        while waiting:
            left, seated = list(rest), []
            for holding in list(waiting):
                if len(seated) < 3 and fits(holding, left):
                    seated.append(holding)
                    waiting.remove(holding)
                    left = without(holding, left)
            while len(seated) < 3:
                seated.append(tuple(left[:2]))
                left = left[2:]
            yield banker, seated


def some(items: list[Any], number: int, seed: int) -> list[Any]:
    """So many of them, the same ones each time."""
    return Random(seed).sample(items, number)


def start(game: str, stakes: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, Any]:
    """A hand without its result."""
    return {
        "format": "hand-log/1", "source": "asked", "hand_id": "1", "game": game,
        "ruleset": f"{game}/asked@1", "table": "1",
        "started_at": "2025-01-01T00:00:00Z", "ended_at": "2025-01-01T00:00:00Z",
        "currency": "CNY", "minor_digits": 0, "stakes": stakes, "events": events, "result": None,
    }  # fmt: skip


def seats() -> list[dict[str, Any]]:
    return [{"seat": seat, "player": f"p{seat}", "carry_in": "100"} for seat in range(4)]


def pai_gow_line(banker: Holding, seated: list[Holding], options: Options) -> bytes:
    """Seat 0 is the banker and deals from itself; each bets 1. The ranks and winners are stated."""
    tiles = [list(banker), *map(list, seated)]
    events = [{"type": "bid", "seat": seat, "multiple": 0} for seat in range(4)]
    events += [{"type": "banker", "seat": 0, "multiple": 1}]
    events += [{"type": "bet", "seat": seat, "multiple": 1} for seat in (1, 2, 3)]
    events += [{"type": "dice", "values": [1, 4]}]
    events += [{"type": "deal", "seat": seat, "tiles": tiles[seat]} for seat in range(4)]
    for seat in (0, 3, 2, 1):
        rank = pai_gow.rank_name(tiles[seat], options)
        events.append({"type": "reveal", "seat": seat, "tiles": tiles[seat], "rank": rank})
    for seat in (1, 2, 3):
        winner = pai_gow.compare(tiles[seat], tiles[0], options)
        events.append({"type": "compare", "seat": seat, "winner": winner})
    stakes = {"base": "1", "bid_multiples": [0, 1], "bet_multiples": [1]}
    hand = start("banker-pai-gow", stakes, events)
    return json.dumps({**hand, "seats": seats()}).encode()


def wenzhou_line(bank: Holding, doors: list[Holding], options: Options) -> bytes:
    """A win bet of 1 on each door, and the outcomes stated."""
    tiles = dict(zip(wenzhou.POSITIONS, [bank, *doors], strict=True))
    events: list[dict[str, Any]] = [
        {"type": "wager", "bet": door, "player": "p", "door": door, "side": "win", "stake": "1"}
        for door in wenzhou.DOORS
    ]
    events.append({"type": "dice", "values": [1, 4]})
    for circuit in (0, 1):
        for position in wenzhou.POSITIONS:
            tile = tiles[position][circuit]
            events.append({"type": "deal", "position": position, "tiles": [tile]})
    for door in wenzhou.DOORS:
        winner = wenzhou.compare(list(tiles[door]), list(bank), options)
        events.append({"type": "outcome", "door": door, "winner": winner})
    return json.dumps(start("wenzhou-pai-gow", {}, events)).encode()


def trick_line(plays: list[Holding], *, size: int = 8) -> bytes:
    """The banker's seat leads, the next ones follow face up; then the log breaks off."""
    left = without([tile for play in plays for tile in play], ALL_TILES)
    events: list[dict[str, Any]] = []
    for seat in range(4):
        held = list(plays[seat]) if seat < len(plays) else []
        missing = size - len(held)
        events.append({"type": "deal", "seat": seat, "tiles": held + left[:missing]})
        left = left[missing:]
    for seat, play in enumerate(plays):
        events.append({"type": "play", "seat": seat, "tiles": list(play)})
    game = "tien-gow" if size == 8 else "small-tien-gow"
    hand = start(game, {"base": "1"}, events)
    return json.dumps({**hand, "seats": seats(), "banker": {"seat": 0, "streak": 1}}).encode()


def tightened(line: bytes, chance: Random) -> bytes:
    """The same hand for poorer seats, finer money and any streak, so that caps bind.

    It has no result any more. It may break the rules where the money decides who may be banker.
    """
    hand = json.loads(line)
    hand["minor_digits"] = digits = chance.randint(hand["minor_digits"], 8)
    for seat in hand.get("seats", []):
        most = minor(hand["stakes"]["base"], digits) * chance.choice([1, 5, 30])
        seat["carry_in"] = money(chance.randint(0, most), digits)
    if "banker" in hand:
        hand["banker"]["streak"] = chance.randint(1, 9)
    return json.dumps({**hand, "result": None}).encode()


def assert_settled_alike(
    line: bytes, rulesets: replay.Rulesets, options: Options, chance: Random
) -> None:
    """A simulated hand settles alike and is right; tightened it settles alike, or not at all."""
    verdict = json.loads(replay.format_verdict(replay.audit(line, rulesets)))
    assert verdict["settlement"] == oracle.settle(line, options), (options, line)
    assert [f for f in verdict["findings"] if f["severity"] == "error"] == [], (options, line)
    line = tightened(line, chance)
    verdict = json.loads(replay.format_verdict(replay.audit(line, rulesets)))
    try:
        settlement = oracle.settle(line, options)
    except oracle.NotLegal:
        settlement = None
    assert verdict["verdict"] != "rejected", line
    assert verdict["settlement"] == settlement, (options, line)


def codes_of(line: bytes, rulesets: replay.Rulesets) -> list[tuple[str, int | None]]:
    """The code and the event of each finding."""
    verdict = replay.audit(line, rulesets)
    assert verdict.verdict != "rejected", line
    return [(finding.code, finding.event) for finding in verdict.findings]


def assert_stated_rightly(line: bytes, rulesets: replay.Rulesets, options: Options) -> None:
    """The product agrees with every stated rank and winner, and settles alike."""
    verdict = json.loads(replay.format_verdict(replay.audit(line, rulesets)))
    assert [finding["code"] for finding in verdict["findings"]] == ["result-missing"], line
    assert verdict["settlement"] == oracle.settle(line, options), line
