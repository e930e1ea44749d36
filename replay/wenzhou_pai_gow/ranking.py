"""How two tiles rank in Wenzhou Pai Gow (RULEBOOK 4.2, 4.3), and who wins, and why.

A hand is a pair of one of thirteen classes, or points 9 to 0. The better of two point hands of
equal points is the one whose best single tile is of the better class, of seven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from replay.telling import say
from replay.tiles import CODES, KIND_COUNT, KINDS, VALUES, Suit

ZeroRule = Literal["door_zero_loses", "zero_vs_zero_by_tile", "banker_zero_sweeps_all"]

PAIR_CLASSES = 13

# Classes 6 to 8 hold several pairs each, which are equal (WZ-13).
_TWINS_CLASS = {
    "66": 1, "11": 2, "44": 4, "13": 5,
    "55": 6, "33": 6, "22": 6,
    "56": 7, "46": 7, "16": 7, "15": 7,
}  # fmt: skip
_MIXED_CLASS = 8
_SUPREME_CLASS = 3
_SINGLE_CLASS = {
    "66": 1, "11": 2, "44": 3, "13": 4,
    "55": 5, "33": 5, "22": 5,
    "56": 6, "46": 6, "16": 6, "15": 6,
}  # fmt: skip
_MILITARY_SINGLE_CLASS = 7
_ANY_NINE = ("36", "45")
_ANY_EIGHT = ("44", "26", "35")
_ANY_SEVEN = ("16", "25", "34")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """What two tiles are: `tiles` are kinds, the better single tile first.

    `pair_class` is 1 (best) to 13, or None for a point hand; `points` is the units digit of the
    sum, 0 to 9; `best_class` the class of the better tile, 1 to 7.
    """

    tiles: tuple[int, int]
    pair_class: int | None
    points: int
    best_class: int

    @property
    def is_zero(self) -> bool:
        """0 points; 天槓 and 地槓 add up to 20 and 10 but are pairs (ruling 2)."""
        return self.pair_class is None and self.points == 0


def single_class(kind: int) -> int:
    """Class of a single tile, 1 (best) to 7. Rule: WZ-12."""
    return _SINGLE_CLASS.get(CODES[kind], _MILITARY_SINGLE_CLASS)


def pair_class(first: int, second: int) -> int | None:
    """Class of two tiles, 1 (best) to 13, or None where they are no pair.

    Any seven makes 天九 and 地九, and there is no 地九王. Rule: 4.2.
    """
    one, other = sorted((first, second))
    code, with_code = CODES[one], CODES[other]
    if one == other:
        return _TWINS_CLASS[code]
    if (code, with_code) == ("24", "12"):
        return _SUPREME_CLASS
    if KINDS[one].suit is Suit.MILITARY and VALUES[one] == VALUES[other]:
        return _MIXED_CLASS
    if code == "66" and with_code in _ANY_NINE:
        return 9
    if code in ("66", "11") and with_code in _ANY_EIGHT:
        return 10 if code == "66" else 11
    if code in ("66", "11") and with_code in _ANY_SEVEN:
        return 12 if code == "66" else 13
    return None


def rank_of(first: int, second: int) -> Rank:
    """Rank two kinds that the set can hold together.

    24 is always 6 and 12 always 3 (WZ-11). Rule: 4.2, WZ-10, WZ-12.
    """
    better, other = sorted((first, second), key=lambda kind: (single_class(kind), kind))
    return Rank(
        tiles=(better, other),
        pair_class=pair_class(first, second),
        points=(VALUES[first] + VALUES[second]) % 10,
        best_class=single_class(better),
    )


def _is_possible(first: int, second: int) -> bool:
    return first != second or KINDS[first].copies == 2


# By first kind × 21 + second kind; None for two copies of a military tile, which has but one.
RANKS: tuple[Rank | None, ...] = tuple(
    rank_of(first, second) if _is_possible(first, second) else None
    for first in range(KIND_COUNT)
    for second in range(KIND_COUNT)
)


def rank_at(first: int, second: int) -> Rank:
    """The ranked hand of two kinds, out of the table."""
    rank = RANKS[first * KIND_COUNT + second]
    assert rank is not None
    return rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A door against the bank: who wins, why, and the rule it rests on."""

    door_wins: bool
    reason: str
    rule: str


def compare(door: Rank, bank: Rank, zero_rule: ZeroRule) -> Comparison:
    """Compare a door with the bank; there is no tie (WZ-24).

    Rule: 4.2, WZ-10, WZ-12 to WZ-15.
    """
    if bank.is_zero and zero_rule == "banker_zero_sweeps_all":
        return _for_bank(say("The bank has 0 points and sweeps every door"), "WZ-15")
    if door.is_zero and bank.is_zero and zero_rule == "door_zero_loses":
        return _for_bank(
            say("0 points has no tile class, so 0 against 0 goes to the bank"), "WZ-15"
        )
    if door.pair_class is not None or bank.pair_class is not None:
        return _compare_pairs(door.pair_class, bank.pair_class)
    if door.points != bank.points:
        high, low = max(door.points, bank.points), min(door.points, bank.points)
        reason = (
            say("1 point beats {low}", low=low)
            if high == 1
            else say("{high} points beat {low}", high=high, low=low)
        )
        return Comparison(door_wins=door.points > bank.points, reason=reason, rule="WZ-10")
    if door.best_class == bank.best_class:
        return _for_bank(say("Equal points with an equal best tile go to the bank"), "WZ-14")
    best, other = (door, bank) if door.best_class < bank.best_class else (bank, door)
    return Comparison(
        door_wins=door.best_class < bank.best_class,
        reason=say(
            "Equal points, and {best} is better than {other}",
            best=_tile(best),
            other=_tile(other),
        ),
        rule="WZ-12",
    )


def _compare_pairs(door: int | None, bank: int | None) -> Comparison:
    if door is None or bank is None:
        return Comparison(door_wins=bank is None, reason=say("Any pair beats points"), rule="4.2")
    if door == bank:
        return _for_bank(say("Two pairs of class {door} go to the bank", door=door), "WZ-13")
    return Comparison(
        door_wins=door < bank,
        reason=say(
            "Pair class {better} beats pair class {worse}",
            better=min(door, bank),
            worse=max(door, bank),
        ),
        rule="4.2",
    )


def _for_bank(reason: str, rule: str) -> Comparison:
    return Comparison(door_wins=False, reason=reason, rule=rule)


def _tile(rank: Rank) -> str:
    kind = KINDS[rank.tiles[0]]
    return say("{hant} {english}", hant=kind.hant, english=kind.english)


# -- tables for the bulk audit --------------------------------------------------------------

# Above every hand: a bank that sweeps.
_SWEEP = 2_000


@cache
def strengths(zero_rule: ZeroRule) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Strength of each of the 441 hands of a door, and of the bank: the door wins if above.

    Shape: indexed by first kind × 21 + second kind; −1 where the set cannot hold both.
    """
    door = tuple(-1 if rank is None else _strength(rank, zero_rule) for rank in RANKS)
    bank = tuple(
        _SWEEP
        if rank is not None and rank.is_zero and zero_rule == "banker_zero_sweeps_all"
        else strength
        for rank, strength in zip(RANKS, door, strict=True)
    )
    return door, bank


def _strength(rank: Rank, zero_rule: ZeroRule) -> int:
    if rank.pair_class is not None:
        return 1_000 - rank.pair_class
    if rank.points == 0 and zero_rule != "zero_vs_zero_by_tile":
        return 0
    return rank.points * 10 + _MILITARY_SINGLE_CLASS - rank.best_class
