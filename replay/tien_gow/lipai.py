"""例牌: deals that win at once (RULEBOOK 3.9, TG-80 to TG-87; rulings 16, 17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from replay.tien_gow.combinations import HEAVEN, Type, classify, type_of
from replay.tiles import CIVIL_KINDS, KINDS

Pattern = Literal[
    "all-white",
    "one-red",
    "seven-military",
    "eight-military",
    "four-pairs",
    "seven-civil",
    "eight-civil",
]
PATTERNS: tuple[str, ...] = get_args(Pattern)

# Those that count as 八支; the others count as 七支.
EIGHTS = frozenset({"all-white", "eight-military", "four-pairs", "eight-civil"})


def red_of(kind: int, *, tian_red: int, one_red: str) -> int:
    """What a tile adds to the red of a hand (TG-84, ruling 16).

    `one_red = pips` counts red pips, `halves` counts halves of one or four pips; of a Heaven
    (66) count `tian_red` pips, or both halves if that is not 0.
    """
    if kind == HEAVEN:
        return tian_red if one_red == "pips" else 2 * (tian_red > 0)
    if one_red == "pips":
        return KINDS[kind].red
    return sum(half in "14" for half in KINDS[kind].code)


def holds(pattern: str, kinds: Sequence[int], *, tian_red: int, one_red: str) -> bool:
    """Tell whether a dealt hand has a pattern. In the small game tiles count literally."""
    if pattern in ("all-white", "one-red"):
        red = sum(red_of(kind, tian_red=tian_red, one_red=one_red) for kind in kinds)
        return red == (0 if pattern == "all-white" else 1)
    civil = sum(kind < CIVIL_KINDS for kind in kinds)
    military = len(kinds) - civil
    if pattern == "four-pairs":
        return _pairs(kinds) == 4
    wanted = 7 if pattern.startswith("seven") else 8
    return (civil if pattern.endswith("civil") else military) == wanted


def _pairs(kinds: Sequence[int]) -> int:
    """How many civil and military pairs a hand holds; 至尊 and 文武 are none (TG-87)."""
    held = sorted(kinds)
    pairs = 0
    for place, first in enumerate(held):
        for second in held[place + 1 :]:
            code = classify((first, second))
            if code is not None and type_of(code) in (Type.CIVIL_PAIR, Type.MILITARY_PAIR):
                pairs += 1
    return pairs
