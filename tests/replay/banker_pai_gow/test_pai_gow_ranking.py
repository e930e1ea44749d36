"""The ranking of two-tile holdings: counted, exhausted, and against other tables."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from replay.banker_pai_gow.ranking import (
    RANKS,
    TIE_MARGIN,
    ComboSubrank,
    Decided,
    DsRank,
    High9,
    Holding,
    PointTiebreak,
    RankingOptions,
    Swap,
    ZeroRule,
    contest,
    holdings,
    ladder,
    rank_of,
)
from replay.tiles import COPIES, INDEX, KIND_COUNT
from tests.replay.banker_pai_gow.pai_gow_hands import rank_code, rules, strength, winner

FEEDS = Path(__file__).resolve().parents[2] / "feeds"
ALL_OPTIONS = [
    RankingOptions(
        high9=high9,
        combo_subrank=combo_subrank,
        point_tiebreak=point_tiebreak,
        ds_rank=ds_rank,
        swap=swap,
        zero_rule=zero_rule,
    )
    for high9, combo_subrank, point_tiebreak, ds_rank, swap, zero_rule in product(
        High9, ComboSubrank, PointTiebreak, DsRank, Swap, ZeroRule
    )
]
# The 32 physical tiles, and the 496 hands of two of them, as kinds.
TILES = [kind for kind in range(KIND_COUNT) for _ in range(COPIES[kind])]
HANDS = list(combinations(range(32), 2))


def name_of(options: RankingOptions) -> str:
    return "-".join(
        str(getattr(options, name).value)
        for name in ("high9", "combo_subrank", "point_tiebreak", "ds_rank", "swap", "zero_rule")
    )


@cache
def match_ups() -> list[tuple[Holding, Holding]]:
    """Every pair of holdings that can lie on one table."""
    pairs = []
    for first, second in product(holdings(), repeat=2):
        counted = Counter((*first, *second))
        if all(count <= COPIES[kind] for kind, count in counted.items()):
            pairs.append((first, second))
    return pairs


def disjoint_strengths(strengths: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The strengths of each of the 107,880 unordered pairs of disjoint hands."""
    known = [
        (first, second, strengths[TILES[first] * KIND_COUNT + TILES[second]])
        for first, second in HANDS
    ]
    for (a, b, one), (c, d, other) in combinations(known, 2):
        if a not in (c, d) and b not in (c, d):
            yield one, other


def class_counts(**changes: str) -> dict[str, int]:
    options = rules(**changes).ranking
    return Counter(rank_of((TILES[first], TILES[second]), options).code for first, second in HANDS)


COMBOS = {
    "heaven-king": 4, "earth-king": 4, "heaven-gong": 8, "earth-gong": 8,
}  # fmt: skip
PAIRS = {
    "supreme": 1, "pair-66": 1, "pair-11": 1, "pair-44": 1, "pair-13": 1, "pair-55": 1,
    "pair-33": 1, "pair-22": 1, "pair-56": 1, "pair-46": 1, "pair-16": 1, "pair-15": 1,
    "pair-9": 1, "pair-8": 1, "pair-7": 1, "pair-5": 1,
}  # fmt: skip
POINTS = {
    "points-8": 56, "points-7": 52, "points-6": 56, "points-5": 44, "points-4": 52,
    "points-3": 48, "points-2": 44, "points-1": 32, "points-0": 24,
}  # fmt: skip


def test_PG_19_the_496_hands_by_class_strict() -> None:
    assert class_counts() == {
        **PAIRS, **COMBOS, **POINTS,
        "heaven-high-nine": 2, "earth-high-nine": 4, "points-9": 42,
    }  # fmt: skip
    assert len(HANDS) == 496


def test_PG_19_the_496_hands_by_class_any_seven() -> None:
    assert class_counts(high9="any_seven") == {
        **PAIRS, **COMBOS, **POINTS,
        "heaven-high-nine": 8, "earth-high-nine": 8, "points-9": 32,
    }  # fmt: skip


def test_the_ranks_are_the_32_of_the_printed_list_in_its_order() -> None:
    assert [rank.number for rank in RANKS] == list(range(1, 33))
    assert RANKS[0].code == "supreme"
    assert (RANKS[17].code, RANKS[17].hant) == ("earth-king", "地王")
    assert (RANKS[22].code, RANKS[31].code) == ("points-9", "points-0")


@pytest.mark.parametrize(
    ("tiebreak", "ds_rank", "ordered_ties"),
    [
        ("two_tiles", "er4_over_ding3", 448),
        ("highest_only", "er4_over_ding3", 936),
        ("highest_only", "equal", 996),
    ],
)
def test_PG_24_ties_among_the_215_760_ordered_match_ups(
    tiebreak: str, ds_rank: str, ordered_ties: int
) -> None:
    table = ladder(rules(point_tiebreak=tiebreak, ds_rank=ds_rank).ranking)
    pairs = list(disjoint_strengths(table.strengths))
    assert len(pairs) * 2 == 215_760
    assert sum(abs(one - other) <= TIE_MARGIN for one, other in pairs) * 2 == ordered_ties


def test_every_combination_of_the_options_is_there_once() -> None:
    assert len(set(ALL_OPTIONS)) == 64


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=name_of)
def test_the_table_is_the_rule(options: RankingOptions) -> None:
    table = ladder(options)
    for first, second in match_ups():
        one = first[0] * KIND_COUNT + first[1]
        other = second[1] * KIND_COUNT + second[0]
        margin = table.strengths[one] - table.strengths[other]
        expected = 0 if abs(margin) <= TIE_MARGIN else (1 if margin > 0 else -1)
        result = contest(first, second, options)
        assert result.higher == expected, (first, second, result)
        zeros = table.strengths[one] == table.strengths[other] == table.zero_strength
        assert (result.decided is Decided.ZERO_POINTS) == zeros
    for first, second in holdings():
        number = rank_of((first, second), options).number
        assert table.ranks[first * KIND_COUNT + second] == number
        assert table.ranks[second * KIND_COUNT + first] == number


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=name_of)
def test_at_most_one_player_can_push_with_the_banker(options: RankingOptions) -> None:
    """The derivation of a banker's theoretical result relies on it."""
    strengths = ladder(options).strengths
    ties: dict[Holding, list[Holding]] = {}
    for first, second in match_ups():
        one = strengths[first[0] * KIND_COUNT + first[1]]
        other = strengths[second[0] * KIND_COUNT + second[1]]
        if abs(one - other) <= TIE_MARGIN and one != ladder(options).zero_strength:
            ties.setdefault(first, []).append(second)
    for banker, players in ties.items():
        for first, second in product(players, repeat=2):
            counted = Counter((*banker, *first, *second))
            assert any(count > COPIES[kind] for kind, count in counted.items())


def test_a_contest_turned_round_is_won_by_the_same_side() -> None:
    options = rules(point_tiebreak="highest_only").ranking
    for first, second in match_ups():
        there, back = contest(first, second, options), contest(second, first, options)
        assert (back.higher, back.decided) == (-there.higher, there.decided)


def test_PG_23_under_highest_only_is_no_plain_order() -> None:
    """人+二四 beats 人+丁三, and both tie with 人+長三: hence a margin, and no mere number."""
    options = {"point_tiebreak": "highest_only"}
    assert winner("44 24", "44 12", **options, tie_rule="push") == "player"
    assert winner("44 33", "44 24", **options, tie_rule="push") == "push"
    assert winner("44 33", "44 12", **options, tie_rule="push") == "push"
    assert strength("44 24", **options) - strength("44 12", **options) == 2


def test_ruling_1_PG_23_needs_equal_points_and_equal_other_tiles() -> None:
    # 36 and 45 rank equal: 9+6 and 9+6 are 5 points each.
    assert winner("36 24", "45 12", point_tiebreak="highest_only") == "player"
    # Without the swap 8+6 = 4 points meets 8+3 = 1 point, and 4+6 = 0 meets 4+3 = 7.
    assert winner("44 24", "44 12", swap="off") == "player"
    assert winner("13 24", "13 12", swap="off") == "banker"
    assert winner("13 24", "13 12") == "player"
    assert winner("44 24", "44 12", ds_rank="equal", tie_rule="push") == "push"


def test_ruling_2_zero_no_rank_is_about_points_only() -> None:
    options = {"zero_rule": "zero_no_rank", "tie_rule": "push"}
    # 55+46 and 56+36 are 0 points; 66+26 and 66+35 are 天槓.
    assert winner("55 46", "56 36", **options) == "banker"
    assert winner("66 26", "66 35", **options) == "push"
    assert winner("66 26", "56 36", **options) == "player"


def test_PG_21_PG_22_the_swap_changes_points_only() -> None:
    assert rank_code("15 24") == "points-9"
    assert rank_code("15 24", swap="off") == "points-2"
    assert rank_code("66 12", swap="off") == "points-5"
    assert rank_code("24 12") == "supreme"
    # 丁三 counted as 6 never becomes a 雜六 pair, nor 地+丁三 (2+6 = 8) a gong.
    assert rank_code("11 12") == "points-8"
    # The tile keeps its rank: 3+3 = 6 points with 丁三 below 8+8 with 雜八.
    assert winner("33 24", "33 12") == "player"


def test_high9_strict_names_one_seven_each() -> None:
    assert [rank_code(f"66 {seven}") for seven in ("25", "34", "16")] == [
        "heaven-high-nine", "points-9", "points-9",
    ]  # fmt: skip
    assert [rank_code(f"11 {seven}") for seven in ("16", "25", "34")] == [
        "earth-high-nine", "points-9", "points-9",
    ]  # fmt: skip
    assert {rank_code(f"66 {seven}", high9="any_seven") for seven in ("25", "34", "16")} == {
        "heaven-high-nine"
    }


def test_combo_subrank_by_second_tile() -> None:
    assert winner("66 44", "66 26", combo_subrank="by_second_tile") == "player"
    assert winner("66 26", "66 35", combo_subrank="by_second_tile", tie_rule="push") == "push"
    assert winner("66 44", "66 26", tie_rule="push") == "push"


# -- against other implementations ----------------------------------------------------------


@cache
def feed() -> list[dict[str, str]]:
    with (FEEDS / "pair-ranks.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def disagreements(column: str, options: RankingOptions) -> int:
    """How many of the 107,880 pairs of disjoint hands a feed's ranks decide otherwise."""
    table = ladder(options)
    hands = []
    for row in feed():
        tiles = row["tile1"], row["tile2"]
        first, second = (INDEX[tile[:2]] for tile in tiles)
        # A lower rank number is better there.
        hands.append((tiles, -int(row[column]), table.strengths[first * KIND_COUNT + second]))
    count = wrong = 0
    for (tiles, theirs, ours), (others, their, our) in combinations(hands, 2):
        if tiles[0] in others or tiles[1] in others:
            continue
        count += 1
        sign = 0 if abs(ours - our) <= TIE_MARGIN else (1 if ours > our else -1)
        wrong += sign != (theirs > their) - (theirs < their)
    assert count == 107_880
    return wrong


@pytest.mark.parametrize("column", ["kubegames_rank", "league_rank"])
def test_two_servers_agree_when_the_second_tile_decides_combinations(column: str) -> None:
    options = rules(swap="off", combo_subrank="by_second_tile").ranking
    assert disagreements(column, options) == 0


@pytest.mark.parametrize("column", ["paigow_node_rank", "turtleflyer_rank"])
def test_two_engines_agree_under_any_seven_and_highest_only(column: str) -> None:
    options = rules(high9="any_seven", point_tiebreak="highest_only", ds_rank="equal").ranking
    assert disagreements(column, options) == 0


@pytest.mark.parametrize(
    ("column", "changes"),
    [
        ("seedQZ_text_rank", {}),
        ("seedQZ_any7_rank", {"high9": "any_seven"}),
        ("seedQZ_noswap_rank", {"swap": "off"}),
    ],
)
def test_the_seeds_own_columns_agree(column: str, changes: dict[str, str]) -> None:
    assert disagreements(column, rules(**changes).ranking) == 0


def fits() -> list[tuple[str, int, dict[str, str]]]:
    """Each implementation with the disagreements that its best fitting options leave."""
    rows = []
    with (FEEDS / "pair-option-fit.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            fit = row["best_fitting_options_of_seed_rule"].split(" | ")[0]
            said = dict(part.split("=") for part in fit.split())
            assert said["d3_equals_24"] == "True"
            changes = {
                "swap": "best" if said["swap"] == "True" else "off",
                "high9": "strict" if said["high9"] == "text" else "any_seven",
                "point_tiebreak": "two_tiles" if said["second_tile"] == "True" else "highest_only",
                "zero_rule": "zero_no_rank" if said["zero"] == "flat" else "normal",
                "ds_rank": "equal",
            }
            left = int(row["remaining_disagreements_of_107880"])
            rows.append((row["implementation"], left, changes))
    return rows


@pytest.mark.parametrize(("implementation", "left", "changes"), fits(), ids=lambda x: str(x)[:24])
def test_each_fit_leaves_the_disagreements_that_were_counted(
    implementation: str, left: int, changes: dict[str, str]
) -> None:
    assert disagreements(f"{implementation}_rank", rules(**changes).ranking) == left
