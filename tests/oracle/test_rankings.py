"""Rankings and the beats relation, exhausted: the product's answers against the second reading."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import pytest

from tests import oracle
from tests.oracle import match_ups
from tests.oracle.common import ALL_TILES
from tests.oracle.match_ups import (
    Holding,
    assert_stated_rightly,
    codes_of,
    fits,
    known,
    pai_gow_line,
    sets_of,
    some,
    trick_line,
    wenzhou_line,
)
from tests.oracle.test_oracle import options_of
from tests.oracle.tien_gow_tiles import kind_of, may_follow

PAI_GOW = options_of("banker-pai-gow/bs-2022@1")
WENZHOU = options_of("wenzhou-pai-gow/live-2015@1")
CLASSIC = options_of("tien-gow/classic@1")

PAI_GOW_RANKING = {
    "high9": ("strict", "any_seven"),
    "combo_subrank": ("equal", "by_second_tile"),
    "point_tiebreak": ("two_tiles", "highest_only"),
    "ds_rank": ("er4_over_ding3", "equal"),
    "swap": ("best", "off"),
    "zero_rule": ("normal", "zero_no_rank"),
    "tie_rule": ("banker_wins", "push"),
}
EVERY_PAI_GOW_RANKING = [
    dict(zip(PAI_GOW_RANKING, values, strict=True)) for values in product(*PAI_GOW_RANKING.values())
]
ZERO_RULES = ("door_zero_loses", "zero_vs_zero_by_tile", "banker_zero_sweeps_all")
WEN_ZUN = ("true_capturable", "true_unbeatable", "fake", "off")


@cache
def tables() -> list[tuple[Holding, list[Holding]]]:
    return list(match_ups.tables())


@cache
def weights() -> Counter[tuple[Holding, Holding]]:
    return match_ups.weights()


def test_the_tables_seat_every_one_of_the_215_760_match_ups() -> None:
    seated = {(other, banker) for banker, three in tables() for other in three}
    assert set(weights()) <= seated
    assert weights().total() == 215_760


# -- banker-pai-gow -------------------------------------------------------------------------


@pytest.mark.timeout(300)
def test_pg_19_to_25_every_match_up_under_the_default_ranking() -> None:
    rulesets = known("banker-pai-gow", PAI_GOW)
    for banker, three in tables():
        assert_stated_rightly(pai_gow_line(banker, three, PAI_GOW), rulesets, PAI_GOW)


@pytest.mark.parametrize(
    ("ranking", "equal"),
    [
        ({}, 448),
        ({"point_tiebreak": "highest_only"}, 936),
        ({"point_tiebreak": "highest_only", "ds_rank": "equal"}, 996),
    ],
)
def test_pg_24_the_oracle_counts_as_many_equal_hands_as_the_rulebook(
    ranking: dict[str, str], equal: int
) -> None:
    options = {**PAI_GOW, "tie_rule": "push", **ranking}
    pushes = sum(
        count
        for (player, banker), count in weights().items()
        if not oracle.beats("banker-pai-gow", list(player), list(banker), options)
        and not oracle.beats("banker-pai-gow", list(banker), list(player), options)
    )
    assert pushes == equal


def agree_on_pai_gow(ranking: dict[str, str], asked: list[tuple[Holding, list[Holding]]]) -> None:
    options = {**PAI_GOW, **ranking}
    rulesets = known("banker-pai-gow", options)
    for banker, three in asked:
        assert_stated_rightly(pai_gow_line(banker, three, options), rulesets, options)


def test_pg_19_to_25_a_sample_under_all_128_ranking_options() -> None:
    for seed, ranking in enumerate(EVERY_PAI_GOW_RANKING):
        agree_on_pai_gow(ranking, some(tables(), 60, seed))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("option", sorted(PAI_GOW_RANKING))
def test_pg_19_to_25_every_match_up_under_each_other_value(option: str) -> None:
    agree_on_pai_gow({option: PAI_GOW_RANKING[option][1]}, tables())
    # Where the sources share a reading, several options stand together.
    agree_on_pai_gow({"tie_rule": "push", option: PAI_GOW_RANKING[option][1]}, tables()[::5])


# -- wenzhou-pai-gow ------------------------------------------------------------------------


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "zero_rule",
    [ZERO_RULES[0], *(pytest.param(rule, marks=pytest.mark.long) for rule in ZERO_RULES[1:])],
)
def test_wz_10_to_15_every_match_up_under_every_zero_rule(zero_rule: str) -> None:
    options = {**WENZHOU, "zero_rule": zero_rule}
    rulesets = known("wenzhou-pai-gow", options)
    for bank, doors in tables():
        assert_stated_rightly(wenzhou_line(bank, doors, options), rulesets, options)


def test_g83_the_oracle_lets_the_door_win_106_311_match_ups() -> None:
    wins = sum(
        count
        for (door, bank), count in weights().items()
        if oracle.beats("wenzhou-pai-gow", list(door), list(bank), WENZHOU)
    )
    assert wins == 106_311


# -- tien-gow -------------------------------------------------------------------------------


@cache
def leads() -> list[Holding]:
    """Every lead by kinds."""
    every = [tiles for count in (1, 2, 3, 4) for tiles in sets_of(count)]
    return [tiles for tiles in every if kind_of(list(tiles)) is not None]


def test_3_3_the_oracle_knows_84_leads_of_the_32_tiles() -> None:
    """A kind of two copies can be taken in two ways when one is led, in one when both are."""
    ways = 0
    for tiles in leads():
        copies = [ALL_TILES.count(tile) for tile in dict.fromkeys(tiles)]
        taken = [tiles.count(tile) for tile in dict.fromkeys(tiles)]
        number = 1
        for have, take in zip(copies, taken, strict=True):
            number *= have if take == 1 else 1
        ways += number
    assert (len(leads()), ways) == (61, 84)


@pytest.mark.timeout(300)
def test_3_3_every_set_of_one_to_four_tiles_may_be_led_or_not() -> None:
    rulesets = known("tien-gow", CLASSIC)
    for count in (1, 2, 3, 4):
        for tiles in sets_of(count):
            is_led = kind_of(list(tiles)) is not None
            expected = ("event-order", None) if is_led else ("lead-illegal", 4)
            assert codes_of(trick_line([tiles]), rulesets) == [expected], tiles


def assert_followed_alike(plays: list[Holding], rulesets: Any, options: dict[str, Any]) -> None:
    """The last of the plays is refused, or (so far) not, as the second reading says."""
    *before, last = map(list, plays)
    is_legal = may_follow(last, before, options)
    event = 3 + len(plays)
    expected = ("event-order", None) if is_legal else ("follow-illegal", event)
    assert codes_of(trick_line(plays), rulesets) == [expected], plays


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("wen_zun", "plays"),
    [("true_capturable", 4677), ("true_unbeatable", 4655), ("fake", 4867), ("off", 4867)],
)
def test_tg_20_to_22_every_lead_against_every_lead(wen_zun: str, plays: int) -> None:
    """Also every third play after two: what 16+16 captured stays captured (ruling 8).

    The fewer legal follows a value of the option leaves, the fewer third plays are asked.
    """
    options = {**CLASSIC, "wen_zun": wen_zun}
    rulesets = known("tien-gow", options)
    asked = 0
    for lead, play in product(leads(), repeat=2):
        if len(lead) != len(play) or not fits(lead + play, ALL_TILES):
            continue
        assert_followed_alike([lead, play], rulesets, options)
        asked += 1
        if may_follow(list(play), [list(lead)], options):
            for third in leads():
                if len(third) == len(lead) and fits(lead + play + third, ALL_TILES):
                    assert_followed_alike([lead, play, third], rulesets, options)
                    asked += 1
    assert asked == plays


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("wen_zun", WEN_ZUN)
def test_tg_20_to_22_every_lead_against_every_set_of_as_many_tiles(wen_zun: str) -> None:
    """What is no lead at all cannot follow either."""
    options = {**CLASSIC, "wen_zun": wen_zun}
    rulesets = known("tien-gow", options)
    for lead in leads():
        for play in sets_of(len(lead)):
            if fits(lead + play, ALL_TILES):
                assert_followed_alike([lead, play], rulesets, options)
