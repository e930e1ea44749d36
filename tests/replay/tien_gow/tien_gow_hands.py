"""Hands of Tien Gow for tests: a random player who keeps to the rules, and results as settled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any

import replay
from replay.tien_gow.combinations import can_beat, classify
from replay.tiles import CODES, COPIES, INDEX
from tests.golden_vectors import rulesets

Json = dict[str, Any]

GAMES = ("tien-gow", "small-tien-gow")
SHIPPED = {"tien-gow": "tien-gow/classic@1", "small-tien-gow": "small-tien-gow/derived@1"}
SIZES = {"tien-gow": 8, "small-tien-gow": 4}
DECK = tuple(code for code, copies in zip(CODES, COPIES, strict=True) for _ in range(copies))
PLAYERS = ("東主", "p-55", "李四", "Teo")


def line_of(
    events: Sequence[Json],
    result: Json | None,
    *,
    game: str = "tien-gow",
    ruleset: str | None = None,
    banker: int = 0,
    streak: int = 1,
    base: str = "1.00",
    digits: int = 2,
    carry_in: Sequence[str] = ("500", "500", "500", "500"),
    lipai: list[str] | None = None,
) -> bytes:
    """One line of hand-log/1."""
    hand = {
        "format": "hand-log/1",
        "source": "test",
        "hand_id": "h",
        "game": game,
        "ruleset": ruleset or SHIPPED[game],
        "table": "t",
        "started_at": "2024-05-17T21:14:06+08:00",
        "ended_at": "2024-05-17T21:16:01+08:00",
        "currency": "HKD",
        "minor_digits": digits,
        "stakes": {"base": base} if lipai is None else {"base": base, "lipai": lipai},
        "seats": [
            {"seat": seat, "player": PLAYERS[seat], "carry_in": carry_in[seat]} for seat in range(4)
        ],
        "banker": {"seat": banker, "streak": streak},
        "events": list(events),
        "result": result,
    }
    return json.dumps(hand, ensure_ascii=False).encode()


def audit(line: bytes) -> replay.Verdict:
    """Audit a line with the shipped and the test rulesets."""
    return replay.audit(line, rulesets())


def settled(line: bytes) -> bytes:
    """The same line with the settlement that the audit gives as its result, carry-out included."""
    settlement = audit(line).settlement
    assert settlement is not None
    hand = json.loads(line)
    digits = hand["minor_digits"]
    result = json.loads(json.dumps(settlement))
    carry = {entry["seat"]: entry["carry_in"] for entry in hand["seats"]}
    for row in result["seats"]:
        out = replay.parse_minor(carry[row["seat"]], digits) + replay.parse_minor(
            row["net"], digits
        )
        row["carry_out"] = replay.format_minor(out, digits)
    hand["result"] = result
    return json.dumps(hand, ensure_ascii=False).encode()


def changed(line: bytes, **fields: Any) -> bytes:
    """A line with top-level fields replaced."""
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False).encode()


def deals(holdings: Sequence[str]) -> list[Json]:
    """Deal events for the seats 0 to 3, each given as "66 11 …"."""
    return [
        {"type": "deal", "seat": seat, "tiles": tiles.split()}
        for seat, tiles in enumerate(holdings)
    ]


def act(seat: int, tiles: str, *, down: bool = False) -> Json:
    """A play, or a discard."""
    return {"type": "discard" if down else "play", "seat": seat, "tiles": tiles.split()}


class RandomPlayer:
    """Plays random legal hands of one ruleset, event by event."""

    def __init__(self, random: Random, game: str, ruleset: str | None = None) -> None:
        self.random = random
        self.game = game
        self.size = SIZES[game]
        self.ruleset = ruleset or SHIPPED[game]
        options = rulesets().get(self.ruleset)
        assert options is not None
        self.options = options.options

    def line(self) -> bytes:
        """A whole hand with its right result."""
        banker, streak = self.random.randrange(4), self.random.choice((1, 1, 2, 3, 7))
        carry_in = [str(self.random.choice((0, 3, 20, 500))) for _ in range(4)]
        line = line_of(
            self.events(banker),
            None,
            game=self.game,
            ruleset=self.ruleset,
            banker=banker,
            streak=streak,
            base=self.random.choice(("1.00", "0.07", "20")),
            carry_in=carry_in,
        )
        return settled(line)

    def events(self, banker: int) -> list[Json]:
        """Deals and tricks; now and then a clock and logged tricks."""
        deck = list(DECK)
        self.random.shuffle(deck)
        holdings = [deck[seat * self.size : (seat + 1) * self.size] for seat in range(4)]
        seats = list(range(4))
        self.random.shuffle(seats)
        events: list[Json] = [
            {"type": "deal", "seat": seat, "tiles": list(holdings[seat])} for seat in seats
        ]
        tricks = [0, 0, 0, 0]
        leader = banker
        says_tricks = self.random.random() < 0.5
        while holdings[leader]:
            leader, count = self._trick(events, holdings, tricks, leader)
            tricks[leader] += count
            if says_tricks:
                events.append({"type": "trick", "seat": leader, "tiles": count})
        ms = 0
        for event in events:
            ms += self.random.randrange(3000)
            event["ms"] = ms
        return events

    def _trick(
        self, events: list[Json], holdings: list[list[str]], tricks: list[int], leader: int
    ) -> tuple[int, int]:
        tiles = self.random.choice(_leads(holdings[leader]))
        lead = best = _code(tiles)
        winner, count = leader, len(tiles)
        is_last = count == len(holdings[leader])
        captor = {"15": "16", "12": "24"}.get(tiles[0]) if count == 1 and is_last else None
        if self.options["capture_priority"] != "first_captor":
            captor = None
        if self.options["yao15"] != "always" and self.options["wen_zun"] == "off":
            captor = None if captor == "16" else captor
        is_captured = False
        _take(holdings[leader], tiles)
        events.append({"type": "play", "seat": leader, "tiles": list(tiles)})
        for step in (1, 2, 3):
            seat = (leader + step) % 4
            beating = [
                play
                for play in combinations(holdings[seat], count)
                if (code := classify(_kinds(play))) is not None
                and can_beat(code, best, lead, str(self.options["wen_zun"]))
            ]
            may_win = not is_last or tricks[seat] + count >= int(str(self.options["min_jie"]))
            if beating and may_win and self.random.random() < 0.7:
                tiles = self.random.choice(beating)
                best = _code(tiles)
                if not is_captured:
                    winner = seat
                is_captured = is_captured or tiles == (captor,)
                kind = "play"
            else:
                tiles = tuple(self.random.sample(holdings[seat], count))
                kind = "discard"
            _take(holdings[seat], tiles)
            events.append({"type": kind, "seat": seat, "tiles": list(tiles)})
        return winner, count


def _kinds(tiles: Sequence[str]) -> list[int]:
    return [INDEX[tile] for tile in tiles]


def _code(tiles: Sequence[str]) -> int:
    code = classify(_kinds(tiles))
    assert code is not None
    return code


def _leads(holding: Sequence[str]) -> list[tuple[str, ...]]:
    return [
        tiles
        for count in (1, 2, 3, 4)
        for tiles in combinations(holding, count)
        if classify(_kinds(tiles)) is not None
    ]


def _take(holding: list[str], tiles: Sequence[str]) -> None:
    for tile in tiles:
        holding.remove(tile)
