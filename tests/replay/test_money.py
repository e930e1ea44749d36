"""Amounts: reading, writing, rates and sharing (FORMAT 6.2, 13; RULEBOOK 2.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.money import (
    KEPT_MAX,
    TEXT_OF,
    UNITS_OF,
    MoneyError,
    Rate,
    format_minor,
    parse_minor,
    rake_of,
    share_floor,
    share_largest_remainder,
    share_last_takes_rest,
)


@pytest.mark.parametrize(
    ("text", "digits", "units"),
    [
        ("80", 2, 8000),
        ("80.5", 2, 8050),
        ("-26.67", 2, -2667),
        ("0", 0, 0),
        ("0.00", 2, 0),
        ("0.00000001", 8, 1),
        ("999999999999999.99", 2, 99_999_999_999_999_999),
        ("-999999999999999", 0, -999_999_999_999_999),
    ],
)
def test_an_amount_is_read_in_minor_units(text: str, digits: int, units: int) -> None:
    assert parse_minor(text, digits) == units


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("", 2), ("+5", 2), ("5.", 2), (".5", 2), ("007", 2), ("1e3", 2), ("1,000", 2),
        ("1 000", 2), (" 5", 2), ("5\n", 2), ("5.001", 2), ("5.0", 0), ("-0", 2), ("-0.00", 2),
        ("1000000000000000", 2), ("٥", 2), ("5٫0", 2), ("NaN", 2), ("--5", 2), ("0x5", 2),
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str, digits: int) -> None:
    with pytest.raises(MoneyError):
        parse_minor(text, digits)


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 8))
def test_writing_and_reading_are_inverse(whole: int, digits: int) -> None:
    assert parse_minor(format_minor(whole, digits), digits) == whole


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 8))
def test_what_is_kept_is_what_was_read_and_written(whole: int, digits: int) -> None:
    text = format_minor(whole, digits)
    for _ in range(2):
        assert UNITS_OF[digits][text] == whole
        assert TEXT_OF[digits][whole] == text


def test_no_more_amounts_are_kept_than_the_limit_says() -> None:
    for units in range(KEPT_MAX + 10):
        assert UNITS_OF[8][TEXT_OF[8][units]] == units
    assert 10 <= len(TEXT_OF[8]) <= KEPT_MAX
    assert 10 <= len(UNITS_OF[8]) <= KEPT_MAX


@pytest.mark.parametrize("text", ["1.", "-0.00", "1e3", "0.001", "1000000000000000"])
def test_an_amount_that_is_none_is_refused_each_time(text: str) -> None:
    for _ in range(2):
        with pytest.raises(MoneyError):
            UNITS_OF[2][text]


def test_G26_rake_is_floored_to_the_minor_unit() -> None:
    rate = Rate.parse("0.05")
    assert [rake_of(units, rate, "floor") for units in (19, 20, 39, 3333)] == [0, 1, 1, 166]


def test_rake_rounding_half_up_and_min_one() -> None:
    rate = Rate.parse("0.05")
    assert [rake_of(units, rate, "half_up") for units in (9, 10, 29, 30)] == [0, 1, 1, 2]
    assert [rake_of(units, rate, "min_one") for units in (1, 39, 40)] == [1, 1, 2]


def test_ruling_5_no_rake_at_rate_zero_not_even_min_one() -> None:
    assert rake_of(100, Rate.parse("0"), "min_one") == 0
    assert rake_of(100, Rate.parse("0.00"), "min_one") == 0


def test_nobody_pays_rake_on_a_loss() -> None:
    assert [rake_of(units, Rate.parse("0.05"), "min_one") for units in (0, -1, -500)] == [0, 0, 0]


@pytest.mark.parametrize("text", ["", "-0.05", "5%", ".05", "0.", "1e-2", "inf"])
def test_a_rate_is_a_plain_decimal_of_zero_or_more(text: str) -> None:
    with pytest.raises(MoneyError):
        Rate.parse(text)


def test_G14_spare_units_go_to_the_earlier_seat_when_fractions_are_equal() -> None:
    assert share_largest_remainder(8000, [10000, 10000, 10000]) == [2667, 2667, 2666]


def test_G22_spare_unit_goes_to_the_largest_fraction() -> None:
    assert share_largest_remainder(10000, [120, 90, 60]) == [4445, 3333, 2222]


def test_ruling_3_the_last_sharing_seat_takes_the_rest() -> None:
    assert share_last_takes_rest(100, [1, 1, 1]) == [33, 33, 34]
    assert share_last_takes_rest(100, [1, 2, 0]) == [33, 67, 0]


weights = st.lists(st.integers(0, 10**6), min_size=1, max_size=3).filter(any)


@given(st.integers(0, 10**9), weights)
def test_an_exact_split_loses_nothing_and_gives_nothing_to_a_zero(
    total: int, parts: list[int]
) -> None:
    for shares in (share_largest_remainder(total, parts), share_last_takes_rest(total, parts)):
        assert sum(shares) == total
        assert all(share >= 0 for share in shares)
        assert all(share == 0 for share, part in zip(shares, parts, strict=True) if part == 0)


@given(st.integers(0, 10**9), weights)
def test_no_share_is_a_whole_unit_away_from_its_part(total: int, parts: list[int]) -> None:
    whole = sum(parts)
    for share, floor, part in zip(
        share_largest_remainder(total, parts), share_floor(total, parts), parts, strict=True
    ):
        assert floor == total * part // whole
        assert share in (floor, floor + 1)
