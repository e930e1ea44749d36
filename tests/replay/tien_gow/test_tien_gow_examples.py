"""The worked examples of the rulebook that are Tien Gow: G30 to G65 (RULEBOOK 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from replay.tien_gow.combinations import combination_of
from replay.tien_gow.immediate import earned_by
from replay.tien_gow.lipai import holds
from replay.tien_gow.options import Rules, prepare_big, prepare_small
from replay.tien_gow.payout import ORDINARY, Ending, payments_of, total_units
from replay.tiles import indices
from tests.golden_vectors import Vector, assert_same_verdict, judge, rulesets, vectors

WORKED = [*vectors("tien-gow", "worked"), *vectors("small-tien-gow", "worked")]
E, S, W, N = range(4)


def _rules(name: str = "tien-gow/classic@1") -> Rules:
    ruleset = rulesets().get(name)
    assert ruleset is not None
    prepare = prepare_big if ruleset.game == "tien-gow" else prepare_small
    return prepare(ruleset.options)


def _of_example(number: str) -> list[Vector]:
    """The worked hands of one example; a suffix names a part or the option that differs."""
    return [vector for vector in WORKED if vector.expected["hand_id"].split("-")[0] == number]


@pytest.mark.parametrize("number", [f"G{number}" for number in range(30, 66) if number != 42])
def test_worked_example_by_replay(number: str) -> None:
    hands = _of_example(number)
    assert hands != []
    for vector in hands:
        assert_same_verdict(judge(vector), vector.expected)


def test_every_worked_hand_belongs_to_an_example() -> None:
    assert sum(len(_of_example(f"G{number}")) for number in range(30, 66)) == len(WORKED) == 51


def _units(
    tricks: Sequence[int],
    winner: int,
    ending: Ending = ORDINARY,
    *,
    n: int = 1,
    banker: int = E,
    rules: Rules | None = None,
) -> list[int]:
    """Units of the ending alone."""
    rules = rules or _rules()
    payments = payments_of(
        ending, winner, tricks, banker=banker, multiple=rules.multiple_of(n), rules=rules
    )
    return total_units(payments, [0, 0, 0, 0])


BAO_ZUN = Ending("bao-zun", 2)
FOUR_BAO = Ending("four-bao", 4)
YAO = Ending("yao", 2)
TIMES_1 = "tien-gow/test-in_paid_by_banker-times_1@1"


def test_G30() -> None:
    assert _units([1, 4, 0, 3], N) == [-6, 0, -5, 11]


def test_G31() -> None:
    assert _units([1, 5, 0, 2], N) == [-6, 1, -5, 10]


def test_G32() -> None:
    assert _units([2, 3, 3, 0], E, n=2) == [21, -3, -3, -15]


def test_G33() -> None:
    assert _units([2, 5, 1, 0], E) == [14, 2, -6, -10]
    assert _units([2, 5, 1, 0], E, rules=_rules(TIMES_1)) == [15, 1, -6, -10]


def test_G34() -> None:
    assert _units([6, 0, 0, 2], N, n=3) == [2, -5, -5, 8]


def test_G35() -> None:
    assert _units([5, 1, 0, 2], N, n=2)[E] == 1


def _paid(lead: str, leader: int, winner: int, play: str, n: int = 1) -> tuple[int, ...]:
    rules = _rules()
    earned = earned_by(
        combination_of(*lead.split()),
        leader,
        winner,
        combination_of(*play.split()),
        banker=E,
        multiple=rules.multiple_of(n),
        rules=rules,
    )
    assert earned is not None
    return earned.units


def test_G36() -> None:
    assert _paid("24 12", E, E, "24 12") == (12, -4, -4, -4)


def test_G37() -> None:
    assert _paid("24 12", S, S, "24 12") == (-4, 8, -2, -2)
    assert _paid("24 12", S, S, "24 12", n=2) == (-6, 10, -2, -2)


def test_G38() -> None:
    assert _paid("24 12", E, E, "24 12", n=4) == (30, -10, -10, -10)


def test_G39() -> None:
    assert _paid("15 15", S, W, "16 16") == (-4, -2, 8, -2)


def test_G40() -> None:
    assert _paid("44 44 25 34", S, S, "44 44 25 34") == (-8, 16, -4, -4)
    assert _paid("44 44 25 34", E, E, "44 44 25 34", n=2) == (36, -12, -12, -12)


def test_G41() -> None:
    assert _units([3, 2, 2, 1], E, BAO_ZUN) == [28, -8, -8, -12]


def test_G42_cannot_be_reached_by_play() -> None:
    assert _units([2, 2, 2, 2], E, BAO_ZUN) == [24, -8, -8, -8]


def test_G43() -> None:
    assert _units([4, 2, 1, 1], E, FOUR_BAO, banker=S) == [40, -16, -12, -12]


def test_G44() -> None:
    assert _units([5, 2, 1, 0], E, FOUR_BAO, banker=S) == [48, -16, -12, -20]


def test_G45() -> None:
    assert _units([2, 2, 1, 3], N, YAO) == [-8, -4, -6, 18]


def test_G46() -> None:
    assert _units([5, 2, 0, 1], S, Ending("capture", 4, E, "TG-64"), n=2) == [-31, 31, 0, 0]
    assert _units([5, 2, 0, 1], S, Ending("capture", 2, E, "TG-64"), n=2) == [-15, 15, 0, 0]


def test_G47() -> None:
    assert _units([3, 3, 2, 0], S, Ending("capture", 4, E, "TG-64")) == [-36, 36, 0, 0]


def test_G48() -> None:
    assert _units([3, 3, 2, 0], S) == [-2, 9, -2, -5]


def test_G49() -> None:
    assert _units([2, 4, 1, 1], S, Ending("quad-capture", 4, E, "TG-66")) == [-40, 40, 0, 0]
    assert _units([2, 4, 1, 1], S, FOUR_BAO) == [-16, 40, -12, -12]


@pytest.mark.parametrize(("factor", "units"), [(2, [-20, 40, -10, -10]), (4, [-40, 80, -20, -20])])
def test_G50(factor: int, units: list[int]) -> None:
    assert _units([0, 8, 0, 0], S, Ending("slam-seven", factor, rule="TG-70")) == units


@pytest.mark.parametrize(("factor", "winner_gets"), [(8, 160), (16, 320)])
def test_G51(factor: int, winner_gets: int) -> None:
    units = _units([0, 8, 0, 0], S, Ending("slam-eight", factor, rule="TG-70"))
    assert units == [-winner_gets // 2, winner_gets, -winner_gets // 4, -winner_gets // 4]


def test_G53() -> None:
    declared = Ending("lipai-eight", 4, rule="TG-85")
    assert _units([0, 0, 0, 0], E, declared, n=2) == [180, -60, -60, -60]


def test_G54() -> None:
    declared = Ending("lipai-seven", 2, rule="TG-85")
    assert _units([0, 0, 0, 0], W, declared) == [-20, -10, 40, -10]


def test_G55_adds_immediate_payments_and_the_ending() -> None:
    supreme = _paid("24 12", W, W, "24 12")
    grand = _paid("66 66 36 45", E, E, "66 66 36 45")
    ending = _units([5, 0, 3, 0], E)
    assert supreme == (-4, -2, 8, -2)
    assert grand == (24, -8, -8, -8)
    assert ending == [22, -10, -2, -10]
    assert [sum(parts) for parts in zip(supreme, grand, ending, strict=True)] == [42, -20, -2, -20]


@pytest.mark.parametrize(
    ("hand", "pips", "halves"),
    [
        ("55 55 33 33 22 22 56 56", ["all-white", "four-pairs", "eight-civil"], None),
        ("15 55 55 33 33 22 22 56", ["one-red", "eight-civil"], None),
        ("46 55 55 33 33 22 22 56", ["eight-civil"], ["one-red", "eight-civil"]),
    ],
    ids=["G62", "G63", "G64"],
)
def test_winning_deals(hand: str, pips: list[str], halves: list[str] | None) -> None:
    kinds = indices(hand.split())
    patterns = ("all-white", "one-red", "four-pairs", "seven-military", "eight-civil")
    for one_red, expected in (("pips", pips), ("halves", halves or pips)):
        assert [
            pattern for pattern in patterns if holds(pattern, kinds, tian_red=6, one_red=one_red)
        ] == expected


def test_G65() -> None:
    small = _rules("small-tien-gow/derived@1")
    assert _units([0, 1, 1, 2], N, rules=small) == [-6, -1, -1, 8]
    literal = replace(small, par=4, empty=-5)
    assert _units([0, 1, 1, 2], N, rules=literal) == [-10, -3, -3, 16]
