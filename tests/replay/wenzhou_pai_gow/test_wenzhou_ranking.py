"""The order of two-tile hands, proven by enumeration; worked examples G66 to G76 and G83."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import get_args

import pytest

from replay.tiles import COPIES, INDEX, KIND_COUNT
from replay.wenzhou_pai_gow.names import hand_name
from replay.wenzhou_pai_gow.ranking import (
    RANKS,
    Comparison,
    Rank,
    ZeroRule,
    compare,
    rank_at,
    rank_of,
    strengths,
)

ZERO_RULES: tuple[ZeroRule, ...] = get_args(ZeroRule)
SET = [kind for kind in range(KIND_COUNT) for _ in range(COPIES[kind])]
HANDS = list(combinations(range(32), 2))


def rank(text: str) -> Rank:
    """The rank of tiles written as in the rulebook: 66+14."""
    first, second = text.split("+")
    return rank_at(INDEX[first], INDEX[second])


def versus(door: str, bank: str, zero_rule: ZeroRule = "door_zero_loses") -> Comparison:
    return compare(rank(door), rank(bank), zero_rule)


def match_ups() -> Iterator[tuple[int, int]]:
    """Every ordered pair of hands that share no tile, as indices into the tables."""
    places = [SET[first] * KIND_COUNT + SET[second] for first, second in HANDS]
    for door, (first, second) in enumerate(HANDS):
        for bank, hand in enumerate(HANDS):
            if first not in hand and second not in hand:
                yield places[door], places[bank]


def test_4_2_and_wz_10_how_many_hands_each_class_and_number_of_points_has() -> None:
    classes: Counter[int] = Counter()
    points: Counter[int] = Counter()
    for first, second in HANDS:
        found = rank_at(SET[first], SET[second])
        if found.pair_class is None:
            points[found.points] += 1
        else:
            classes[found.pair_class] += 1
    assert len(HANDS) == 496
    assert dict(sorted(classes.items())) == {
        1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 3, 7: 4, 8: 4, 9: 4, 10: 8, 11: 8, 12: 8, 13: 8,
    }  # fmt: skip
    assert [points[number] for number in range(9, -1, -1)] == [
        28, 50, 46, 52, 46, 50, 48, 50, 42, 32,
    ]  # fmt: skip


def test_g83_door_wins_106311_of_215760_and_ties_are_3138() -> None:
    door_strengths, bank_strengths = strengths("door_zero_loses")
    total = wins = 0
    ties: Counter[str] = Counter()
    for door, bank in match_ups():
        total += 1
        if door_strengths[door] > bank_strengths[bank]:
            wins += 1
        elif door_strengths[door] == bank_strengths[bank]:
            door_rank, bank_rank = RANKS[door], RANKS[bank]
            assert door_rank is not None
            assert bank_rank is not None
            ties[compare(door_rank, bank_rank, "door_zero_loses").rule] += 1
    assert (wins, total) == (106_311, 215_760)
    # Same pair class, points with an equal best tile, 0 against 0.
    assert ties == {"WZ-13": 130, "WZ-14": 2_184, "WZ-15": 824}


@pytest.mark.parametrize("zero_rule", ZERO_RULES)
def test_the_tables_say_what_the_rules_say(zero_rule: ZeroRule) -> None:
    door_strengths, bank_strengths = strengths(zero_rule)
    wrong = [
        (door, bank)
        for door, door_rank in enumerate(RANKS)
        for bank, bank_rank in enumerate(RANKS)
        if door_rank is not None
        and bank_rank is not None
        and compare(door_rank, bank_rank, zero_rule).door_wins
        != (door_strengths[door] > bank_strengths[bank])
    ]
    assert wrong == []


def test_wz_15_the_other_zero_rules_change_only_what_they_say() -> None:
    default, _ = strengths("door_zero_loses")
    by_tile, bank_by_tile = strengths("zero_vs_zero_by_tile")
    sweep, bank_sweep = strengths("banker_zero_sweeps_all")
    changed: Counter[tuple[str, bool, bool]] = Counter()
    equal_zeros = 0
    for door, bank in match_ups():
        usual = default[door] > default[bank]
        door_rank, bank_rank = RANKS[door], RANKS[bank]
        assert door_rank is not None
        assert bank_rank is not None
        both = (door_rank.is_zero, bank_rank.is_zero)
        if (by_tile[door] > bank_by_tile[bank]) != usual:
            changed["zero_vs_zero_by_tile", *both] += 1
        if both == (True, True) and by_tile[door] == bank_by_tile[bank]:
            equal_zeros += 1
        if (sweep[door] > bank_sweep[bank]) != usual:
            changed["banker_zero_sweeps_all", *both] += 1
    # Either side is as often the better one, and what is equal stays with the bank.
    assert 0 < equal_zeros < 824
    assert changed == {
        ("zero_vs_zero_by_tile", True, True): (824 - equal_zeros) // 2,
        ("banker_zero_sweeps_all", False, True): 32 * 435 - 824,
    }


def test_a_rank_does_not_depend_on_the_order_of_the_tiles() -> None:
    for first in range(KIND_COUNT):
        for second in range(first + 1, KIND_COUNT):
            assert rank_of(first, second) == rank_of(second, first)


def test_every_hand_has_its_own_name_for_its_class() -> None:
    names: dict[int, set[str]] = {}
    for found in RANKS:
        if found is not None and found.pair_class is not None:
            names.setdefault(found.pair_class, set()).add(hand_name(found))
    assert {number: sorted(found) for number, found in sorted(names.items())} == {
        1: ["雙天, pair of Heavens"],
        2: ["雙地, pair of Earths"],
        3: ["至尊, Supreme"],
        4: ["雙人, pair of Men"],
        5: ["雙鵝, pair of Geese"],
        6: ["雙板凳, pair of Benches", "雙梅, pair of Plums", "雙長三, pair of Long Threes"],
        7: [
            "雙斧頭, pair of Axes",
            "雙紅頭十, pair of Red Head Tens",
            "雙零霖六, pair of Red Mallet Sixes",
            "雙高腳七, pair of Long Leg Sevens",
        ],
        8: [
            "雙雜七, pair of Mixed Sevens",
            "雙雜九, pair of Mixed Nines",
            "雙雜五, pair of Mixed Fives",
            "雙雜八, pair of Mixed Eights",
        ],
        9: ["天九王, Heaven-Nine King"],
        10: ["天槓, Heaven Gong"],
        11: ["地槓, Earth Gong"],
        12: ["天九, Heaven-Nine"],
        13: ["地九, Earth-Nine"],
    }


# -- worked examples ------------------------------------------------------------------------


@pytest.mark.parametrize(("tiles", "points"), [("13+14", 9), ("14+56", 6), ("55+46", 0)])
def test_g66_points_are_the_units_digit(tiles: str, points: int) -> None:
    assert (rank(tiles).pair_class, rank(tiles).points) == (None, points)


def test_g67_heaven_decides_equal_points() -> None:
    assert versus("66+14", "36+26") == Comparison(
        door_wins=True,
        reason="Equal points, and 天 Heaven is better than 雜九 Mixed Nine",
        rule="WZ-12",
    )
    assert versus("36+26", "66+14").door_wins is False


def test_g68_plum_is_better_than_red_head_ten() -> None:
    assert versus("55+36", "46+45").door_wins is True
    assert versus("46+45", "55+36").door_wins is False


@pytest.mark.parametrize(("winner", "loser"), [("33+36", "16+26"), ("33+14", "15+23")])
def test_g69_long_three_wins_both(winner: str, loser: str) -> None:
    assert versus(winner, loser).door_wins is True
    assert versus(loser, winner).door_wins is False


def test_g70_plum_and_bench_are_equal_and_the_bank_wins() -> None:
    assert versus("55+36", "22+14") == Comparison(
        door_wins=False,
        reason="Equal points with an equal best tile go to the bank",
        rule="WZ-14",
    )


@pytest.mark.parametrize(("tiles", "points"), [("12+16", 0), ("12+33", 9)])
def test_g71_three_is_never_six(tiles: str, points: int) -> None:
    assert rank(tiles).points == points


def test_g72_earth_and_nine_are_one_point_of_class_2() -> None:
    found = rank("11+36")
    assert (found.pair_class, found.points, found.best_class) == (None, 1, 2)


def test_g73_heaven_nine_over_earth_nine() -> None:
    assert versus("66+16", "11+25") == Comparison(
        door_wins=True, reason="Pair class 12 beats pair class 13", rule="4.2"
    )


def test_g74_two_pairs_of_class_6_go_to_the_bank() -> None:
    assert versus("55+55", "22+22") == Comparison(
        door_wins=False, reason="Two pairs of class 6 go to the bank", rule="WZ-13"
    )


def test_g75_supreme_is_third() -> None:
    assert versus("24+12", "11+11").door_wins is False
    assert versus("24+12", "44+44").door_wins is True


def test_g76_zero_against_zero_and_against_one() -> None:
    assert versus("55+46", "56+36") == Comparison(
        door_wins=False,
        reason="0 points has no tile class, so 0 against 0 goes to the bank",
        rule="WZ-15",
    )
    assert versus("14+33", "56+36").rule == "WZ-10"
    assert versus("14+33", "56+36").door_wins is True


def test_wz_15_zero_against_zero_by_tile() -> None:
    rule: ZeroRule = "zero_vs_zero_by_tile"
    assert versus("55+46", "56+36", rule).door_wins is True
    assert versus("56+36", "55+46", rule).door_wins is False
    assert versus("46+55", "22+15", rule).rule == "WZ-14"


def test_ruling_2_gongs_are_pairs_although_they_add_up_to_zero() -> None:
    assert [rank("66+44").is_zero, rank("11+26").is_zero] == [False, False]
    assert versus("66+44", "56+36").door_wins is True
    assert versus("66+44", "56+36", "banker_zero_sweeps_all") == Comparison(
        door_wins=False, reason="The bank has 0 points and sweeps every door", rule="WZ-15"
    )


@pytest.mark.parametrize("seven", ["16", "25", "34"])
def test_4_2_any_seven_makes_heaven_nine(seven: str) -> None:
    assert rank(f"66+{seven}").pair_class == 12
    assert rank(f"11+{seven}").pair_class == 13
