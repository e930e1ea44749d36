"""Random legal hands with a correct settlement, from a seed: demo data, load, tests.

The same game, seed and ruleset give the same bytes on every machine. Faults are planted on
demand, and what was planted is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from replay.games import GAMES
from replay.ruleset import Ruleset
from replay.simulate import banker_pai_gow, tien_gow, wenzhou_pai_gow
from replay.simulate.chance import Chance
from replay.simulate.faults import Planted, plant
from replay.simulate.frame import Json, Table

__all__ = ["FAULT_SCALE", "Planted", "Simulated", "simulate", "simulate_with_faults", "source_of"]

TABLES = 4
FAULT_SCALE = 1_000_000


class GameTable(Protocol):
    """A table that plays one hand after the other."""

    def next_hand(self) -> Json:
        """The next hand with its result."""


_OPEN: Mapping[str, Callable[[Table, Any], GameTable]] = {
    "banker-pai-gow": banker_pai_gow.open_table,
    "tien-gow": tien_gow.open_table,
    "small-tien-gow": tien_gow.open_table,
    "wenzhou-pai-gow": wenzhou_pai_gow.open_table,
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """One line of hand-log/1 without its line end, and what is wrong with it, if anything."""

    line: bytes
    planted: Planted | None = None


def source_of(seed: int) -> str:
    """The source that a simulated log names: logs of two seeds have no hand in common."""
    return f"simulated-{seed}"


def simulate_with_faults(
    game: str, hands: int, seed: int, ruleset: Ruleset, *, fault_ppm: int
) -> Iterator[Simulated]:
    """So many hands of several tables in turn; `fault_ppm` of a million get a fault.

    A fault changes what is logged of a hand, not what was played: the next hands go on as if it
    were not there.
    """
    known = GAMES[game]
    rules = known.prepare(ruleset.options)
    source = source_of(seed)
    tables = [
        _OPEN[game](
            Table(Chance(seed, f"{game}/{number}"), number, ruleset, known, source=source), rules
        )
        for number in range(1, TABLES + 1)
    ]
    turns, faults = Chance(seed, f"{game}/turns"), Chance(seed, f"{game}/faults")
    for _ in range(hands):
        hand = turns.pick(tables).next_hand()
        planted = None
        if fault_ppm and faults.below(FAULT_SCALE) < fault_ppm:
            hand, planted = plant(hand, faults, ruleset)
        yield Simulated(msgspec.json.encode(hand), planted)


def simulate(game: str, hands: int, seed: int, ruleset: Ruleset) -> Iterator[bytes]:
    """So many right lines of hand-log/1, without their line ends."""
    for made in simulate_with_faults(game, hands, seed, ruleset, fault_ppm=0):
        yield made.line
