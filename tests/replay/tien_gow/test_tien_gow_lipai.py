"""例牌: how many deals are of each pattern, by counting (RULEBOOK 3.9, TG-80 to TG-87)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.tien_gow.combinations import COMBINATIONS, Type, pack_kinds, type_of
from replay.tien_gow.lipai import EIGHTS, PATTERNS, holds, red_of
from replay.tiles import CIVIL_KINDS, COPIES, KIND_COUNT

TILES = tuple(kind for kind in range(KIND_COUNT) for _ in range(COPIES[kind]))
HANDS = comb(32, 8)


def _hands_by_sum(value: Callable[[int], int]) -> Counter[int]:
    """How many of the 10,518,300 hands have each sum of a value of their tiles.

    The coefficients of a product of one polynomial a tile: (1 + x y^value).
    """
    ways: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for tile in TILES:
        more: Counter[tuple[int, int]] = Counter()
        for (count, total), number in ways.items():
            more[count, total] += number
            if count < 8:
                more[count + 1, total + value(tile)] += number
        ways = more
    return Counter({total: number for (count, total), number in ways.items() if count == 8})


def test_there_are_10_518_300_hands() -> None:
    assert HANDS == 10_518_300
    assert sum(_hands_by_sum(lambda tile: 0).values()) == HANDS


@pytest.mark.parametrize(
    ("tian_red", "one_red", "white", "red"),
    [
        (6, "pips", 1_287, 12_012),
        (0, "pips", 6_435, 45_045),
        (6, "halves", 1_287, 20_592),
        (0, "halves", 6_435, 77_220),
    ],
)
def test_TG84_white_and_one_red_hands(tian_red: int, one_red: str, white: int, red: int) -> None:
    hands = _hands_by_sum(lambda tile: red_of(tile, tian_red=tian_red, one_red=one_red))
    assert (hands[0], hands[1]) == (white, red)


def test_TG80_hands_of_one_suit() -> None:
    hands = _hands_by_sum(lambda tile: int(tile < CIVIL_KINDS))
    assert {civil: hands[civil] for civil in (0, 1, 7, 8)} == {
        0: 45,  # 八武
        1: 2_640,  # 七武
        7: 1_705_440,  # 七文
        8: 319_770,  # 八文
    }


def _all_pairs() -> list[tuple[int, ...]]:
    """The 15 civil and military pairs, as tiles of the set."""
    pairs = []
    for tiles in sorted(set(combinations(TILES, 2))):
        code = COMBINATIONS.get(pack_kinds(tiles))
        if code is not None and type_of(code) in (Type.CIVIL_PAIR, Type.MILITARY_PAIR):
            pairs.append(tiles)
    return pairs


def test_TG80_four_pairs_are_1365_hands() -> None:
    pairs = _all_pairs()
    assert len(pairs) == 15
    hands = set()
    for four in combinations(pairs, 4):
        hand = tuple(sorted(tile for pair in four for tile in pair))
        assert holds("four-pairs", hand, tian_red=6, one_red="pips")
        hands.add(hand)
    assert len(hands) == comb(15, 4) == 1_365


def _holds_plainly(pattern: str, hand: tuple[int, ...], tian_red: int, one_red: str) -> bool:
    """The patterns once more, in other words."""
    red = sum(red_of(tile, tian_red=tian_red, one_red=one_red) for tile in hand)
    military = len([tile for tile in hand if tile >= CIVIL_KINDS])
    rest = list(hand)
    for pair in _PAIRS:
        if all(rest.count(tile) >= pair.count(tile) for tile in pair):
            for tile in pair:
                rest.remove(tile)
    return {
        "all-white": red == 0,
        "one-red": red == 1,
        "seven-military": military == 7,
        "eight-military": military == 8,
        "four-pairs": not rest and len(hand) == 8,
        "seven-civil": len(hand) - military == 7,
        "eight-civil": len(hand) - military == 8,
    }[pattern]


_PAIRS = _all_pairs()


@given(
    hand=st.permutations(TILES).map(lambda tiles: tuple(tiles[:8])),
    pattern=st.sampled_from(PATTERNS),
    tian_red=st.sampled_from((0, 6)),
    one_red=st.sampled_from(("pips", "halves")),
)
def test_a_hand_holds_a_pattern(
    hand: tuple[int, ...], pattern: str, tian_red: int, one_red: str
) -> None:
    found = holds(pattern, hand, tian_red=tian_red, one_red=one_red)
    assert found is _holds_plainly(pattern, hand, tian_red, one_red)


def test_ruling_17_a_small_hand_holds_no_other_pattern_than_white_or_one_red() -> None:
    held: Counter[str] = Counter()
    for hand in combinations(TILES, 4):
        held.update(p for p in PATTERNS if holds(p, hand, tian_red=6, one_red="pips"))
    # 13 tiles have no red pip (66 is half red), four have one: two 13, two 16, two 15 and 12.
    white = sum(red_of(tile, tian_red=6, one_red="pips") == 0 for tile in TILES)
    one = sum(red_of(tile, tian_red=6, one_red="pips") == 1 for tile in TILES)
    assert held == {"all-white": comb(white, 4), "one-red": comb(white, 3) * one}


def test_TG80_the_eights() -> None:
    assert {"all-white", "eight-military", "four-pairs", "eight-civil"} == EIGHTS
