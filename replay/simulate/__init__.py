"""Random legal hands with a correct settlement, from a seed: demo data, load, tests.

The same game, seed and ruleset give the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from replay.games import GAMES
from replay.ruleset import Ruleset
from replay.simulate import banker_pai_gow, tien_gow, wenzhou_pai_gow
from replay.simulate.chance import Chance
from replay.simulate.frame import Json, Table

TABLES = 4


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


def simulate_hands(game: str, hands: int, seed: int, ruleset: Ruleset) -> Iterator[Json]:
    """So many hands as plain JSON values, of several tables in turn."""
    known = GAMES[game]
    rules = known.prepare(ruleset.options)
    tables = [
        _OPEN[game](Table(Chance(seed, f"{game}/{number}"), number, ruleset, known), rules)
        for number in range(1, TABLES + 1)
    ]
    turns = Chance(seed, f"{game}/turns")
    for _ in range(hands):
        yield turns.pick(tables).next_hand()


def simulate(game: str, hands: int, seed: int, ruleset: Ruleset) -> Iterator[bytes]:
    """So many lines of hand-log/1, without their line ends."""
    for hand in simulate_hands(game, hands, seed, ruleset):
        yield msgspec.json.encode(hand)
