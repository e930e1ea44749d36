"""The ranking of two-tile holdings (RULEBOOK 2.2, 2.3): one rule function, one table.

`contest` is the rule as the rulebook tells it, with its reason in words. `ladder` is the same
relation as one number a holding, for the replay; a test proves the two equal over every pair of
holdings and every combination of options.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal, get_args

from replay.glossary import PAI_GOW_RANKS
from replay.tiles import CODES, COPIES, INDEX, KIND_COUNT, VALUES

RankCode = Literal[
    "supreme",
    "pair-66", "pair-11", "pair-44", "pair-13", "pair-55", "pair-33", "pair-22", "pair-56",
    "pair-46", "pair-16", "pair-15", "pair-9", "pair-8", "pair-7", "pair-5",
    "heaven-king", "earth-king", "heaven-gong", "earth-gong",
    "heaven-high-nine", "earth-high-nine",
    "points-9", "points-8", "points-7", "points-6", "points-5",
    "points-4", "points-3", "points-2", "points-1", "points-0",
]  # fmt: skip


class High9(Enum):
    """Which sevens make 天高九 and 地高九."""

    STRICT = "strict"
    ANY_SEVEN = "any_seven"


class ComboSubrank(Enum):
    """Whether the second tile decides inside 天王 … 地高九."""

    EQUAL = "equal"
    BY_SECOND_TILE = "by_second_tile"


class PointTiebreak(Enum):
    """How many tiles decide between holdings of equal points."""

    TWO_TILES = "two_tiles"
    HIGHEST_ONLY = "highest_only"


class DsRank(Enum):
    """Whether 二四 ranks above 丁三."""

    ER4_OVER_DING3 = "er4_over_ding3"
    EQUAL = "equal"


class Swap(Enum):
    """Whether 二四 and 丁三 count as 3 or 6, whichever is better (PG-21)."""

    BEST = "best"
    OFF = "off"


class ZeroRule(Enum):
    """Whether 0 points against 0 points is compared at all."""

    NORMAL = "normal"
    ZERO_NO_RANK = "zero_no_rank"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """The options of a ruleset that decide which holding is higher."""

    high9: High9
    combo_subrank: ComboSubrank
    point_tiebreak: PointTiebreak
    ds_rank: DsRank
    swap: Swap
    zero_rule: ZeroRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One of the 32 ranks of 2.2; `number` 1 is the highest."""

    number: int
    code: str
    hant: str
    english: str


HEAVEN, EARTH, MAN = INDEX["66"], INDEX["11"], INDEX["44"]
ER4, DING3 = INDEX["24"], INDEX["12"]
NINES = frozenset((INDEX["36"], INDEX["45"]))
GONG_TILES = frozenset((MAN, INDEX["26"], INDEX["35"]))
SEVENS = frozenset((INDEX["16"], INDEX["25"], INDEX["34"]))
STRICT_SEVEN = {HEAVEN: INDEX["25"], EARTH: INDEX["16"]}

# The 21-tile list of 1.1; equal-named military tiles rank equal (PG-25).
TILE_RANK: tuple[int, ...] = tuple(
    {"36": 12, "45": 12, "26": 13, "35": 13, "25": 14, "34": 14, "14": 15, "23": 15,
     "24": 16, "12": 17}.get(code, index + 1)
    for index, code in enumerate(CODES)
)  # fmt: skip

SUPREME_RANK = 1
PAIR_RANKS = range(2, 17)
KING_RANKS = range(17, 19)
GONG_RANKS = range(19, 21)
HIGH9_RANKS = range(21, 23)
COMBO_RANKS = range(17, 23)
NINE_POINTS_RANK, ZERO_POINTS_RANK = 23, 32

RANKS: tuple[Rank, ...] = tuple(
    Rank(number=number, code=code, hant=hant, english=english)
    for number, code in enumerate(get_args(RankCode), start=1)
    for hant, english in (PAI_GOW_RANKS[code],)
)

Holding = tuple[int, int]
"""Two kinds, in any order."""


def holdings() -> Iterator[Holding]:
    """The 221 kinds of holding that the set allows, the lower kind number first."""
    for first in range(KIND_COUNT):
        for second in range(first, KIND_COUNT):
            if first != second or COPIES[first] > 1:
                yield first, second


def rank_of(holding: Holding, options: RankingOptions) -> Rank:
    """Name a holding. Rule: PG-19, PG-20, PG-21, PG-22."""
    first, second = holding
    if {first, second} == {ER4, DING3}:
        return RANKS[SUPREME_RANK - 1]
    if TILE_RANK[first] == TILE_RANK[second]:
        return RANKS[TILE_RANK[first]]
    number = _combo_number(first, second, options) or _combo_number(second, first, options)
    return RANKS[(number or ZERO_POINTS_RANK - points_of(holding, options)) - 1]


def _combo_number(lead: int, other: int, options: RankingOptions) -> int | None:
    """The rank of 天 or 地 (`lead`) with a tile that makes a king, a gong or a high nine."""
    if lead not in (HEAVEN, EARTH):
        return None
    step = 0 if lead == HEAVEN else 1
    if other in NINES:
        return KING_RANKS[step]
    if other in GONG_TILES:
        return GONG_RANKS[step]
    if other == STRICT_SEVEN[lead] or (options.high9 is High9.ANY_SEVEN and other in SEVENS):
        return HIGH9_RANKS[step]
    return None


def counted_values(holding: Holding, options: RankingOptions) -> tuple[int, int]:
    """What each tile counts, after the better choice for a 二四 or 丁三 (PG-21)."""
    first, second = holding
    values = VALUES[first], VALUES[second]
    is_first, is_second = first in (ER4, DING3), second in (ER4, DING3)
    if options.swap is Swap.OFF or is_first == is_second:
        return values
    other = values[1] if is_first else values[0]
    # The two totals are never equal: 3 and 6 do not differ by a multiple of ten.
    best = max((3, 6), key=lambda value: (value + other) % 10)
    return (best, values[1]) if is_first else (values[0], best)


def points_of(holding: Holding, options: RankingOptions) -> int:
    """The units digit of the sum. Rule: PG-20, PG-21."""
    return sum(counted_values(holding, options)) % 10


def tile_rank(kind: int, options: RankingOptions) -> int:
    """The place in the 21-tile list; 1 is the highest (PG-24, PG-25)."""
    if options.ds_rank is DsRank.EQUAL and kind in (ER4, DING3):
        return TILE_RANK[DING3]
    return TILE_RANK[kind]


def in_rank_order(holding: Holding) -> Holding:
    """The two tiles, the higher first."""
    first, second = holding
    return holding if TILE_RANK[first] <= TILE_RANK[second] else (second, first)


class Decided(Enum):
    """What decided a contest, or why it could not be decided."""

    RANK = "rank"
    SECOND_TILE_OF_COMBO = "second tile of a combination"
    HIGHEST_TILE = "highest tile"
    SECOND_TILE = "second tile"
    ER4_OVER_DING3 = "二四 over 丁三"
    NOTHING = "nothing"
    ZERO_POINTS = "zero points on both sides"


@dataclass(frozen=True, slots=True)
class Contest:
    """`higher` is 1 when the first holding wins, -1 when the second does, 0 when neither."""

    higher: int
    decided: Decided


def contest(first: Holding, second: Holding, options: RankingOptions) -> Contest:
    """Compare two holdings that are on the table together; ties are left to `tie_rule`.

    `ZERO_POINTS` means that zero points met zero points and nothing else may decide: the banker
    wins it (`zero_no_rank`).
    Rule: PG-19 to PG-25, rulings 1 and 2.
    """
    number = rank_of(first, options).number
    other = rank_of(second, options).number
    if number != other:
        return Contest(1 if number < other else -1, Decided.RANK)
    if number in COMBO_RANKS:
        return _combo_contest(first, second, options)
    # The set holds the tiles of each pair once.
    assert number >= NINE_POINTS_RANK
    if number == ZERO_POINTS_RANK and options.zero_rule is ZeroRule.ZERO_NO_RANK:
        return Contest(0, Decided.ZERO_POINTS)
    return _point_contest(in_rank_order(first), in_rank_order(second), options)


def _combo_contest(first: Holding, second: Holding, options: RankingOptions) -> Contest:
    if options.combo_subrank is ComboSubrank.BY_SECOND_TILE:
        margin = TILE_RANK[in_rank_order(second)[1]] - TILE_RANK[in_rank_order(first)[1]]
        if margin:
            return Contest(_sign(margin), Decided.SECOND_TILE_OF_COMBO)
    return Contest(0, Decided.NOTHING)


def _point_contest(first: Holding, second: Holding, options: RankingOptions) -> Contest:
    """Equal points, each holding with its higher tile first (PG-23, PG-24)."""
    margin = tile_rank(second[0], options) - tile_rank(first[0], options)
    if margin:
        return Contest(_sign(margin), Decided.HIGHEST_TILE)
    if options.ds_rank is DsRank.ER4_OVER_DING3 and {first[1], second[1]} == {ER4, DING3}:
        return Contest(1 if first[1] == ER4 else -1, Decided.ER4_OVER_DING3)
    if options.point_tiebreak is PointTiebreak.TWO_TILES:
        margin = tile_rank(second[1], options) - tile_rank(first[1], options)
        if margin:
            return Contest(_sign(margin), Decided.SECOND_TILE)
    return Contest(0, Decided.NOTHING)


def _sign(number: int) -> int:
    return 1 if number > 0 else -1


# -- the same as one number a holding -------------------------------------------------------

# Two holdings are tied when their strengths differ by at most this.
TIE_MARGIN = 1
_SPACING = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The order as numbers, indexed by first kind × 21 + second kind, in both orders.

    The higher strength wins when it is higher by more than `TIE_MARGIN`. A single number needs
    that margin because under `highest_only` the relation is no plain order: 人+二四 beats
    人+丁三, yet both tie with 人 and any third tile of the same points. The former stands one
    above and the latter one below their common strength; strengths of different height lie
    `_SPACING` apart. `ranks` are rank numbers. Holdings that the set does not allow have 0.
    `zero_strength` is that of every 0-point holding under `zero_no_rank`, else -1.
    """

    strengths: tuple[int, ...]
    ranks: tuple[int, ...]
    zero_strength: int


@lru_cache(maxsize=256)
def ladder(options: RankingOptions) -> Ladder:
    """Build the table of a combination of options."""
    heights = {holding: _height(holding, options) for holding in holdings()}
    order = {height: place for place, height in enumerate(sorted(set(heights.values())), start=1)}
    strengths = [0] * KIND_COUNT**2
    ranks = [0] * KIND_COUNT**2
    for (first, second), height in heights.items():
        strength = _SPACING * order[height] + _lean((first, second), options)
        number = rank_of((first, second), options).number
        for place in (first * KIND_COUNT + second, second * KIND_COUNT + first):
            strengths[place] = strength
            ranks[place] = number
    # Without a rank of their own, 0 points are all on one height, the lowest.
    is_unranked = options.zero_rule is ZeroRule.ZERO_NO_RANK
    return Ladder(
        strengths=tuple(strengths),
        ranks=tuple(ranks),
        zero_strength=_SPACING if is_unranked else -1,
    )


def _height(holding: Holding, options: RankingOptions) -> tuple[int, ...]:
    """A key that sorts holdings from low to high, PG-23 under `highest_only` left aside."""
    number = rank_of(holding, options).number
    high, low = in_rank_order(holding)
    if number in COMBO_RANKS and options.combo_subrank is ComboSubrank.BY_SECOND_TILE:
        return -number, -TILE_RANK[low]
    if number < NINE_POINTS_RANK or _has_no_tiebreak(number, options):
        return (-number,)
    if options.point_tiebreak is PointTiebreak.HIGHEST_ONLY:
        return -number, -tile_rank(high, options)
    return -number, -tile_rank(high, options), -tile_rank(low, options)


def _lean(holding: Holding, options: RankingOptions) -> int:
    """PG-23 under `highest_only`: one up for a 二四, one down for a 丁三."""
    number = rank_of(holding, options).number
    if (
        number < NINE_POINTS_RANK
        or _has_no_tiebreak(number, options)
        or options.point_tiebreak is PointTiebreak.TWO_TILES
        or options.ds_rank is DsRank.EQUAL
    ):
        return 0
    return {ER4: 1, DING3: -1}.get(in_rank_order(holding)[1], 0)


def _has_no_tiebreak(number: int, options: RankingOptions) -> bool:
    return number == ZERO_POINTS_RANK and options.zero_rule is ZeroRule.ZERO_NO_RANK
