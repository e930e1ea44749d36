"""The arithmetic of the charts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.web.markup import grouped
from audit.web.presenters.charts import (
    LEAST,
    TICKS_MAX,
    polyline,
    scale_of,
    scale_through,
    share,
    stacked,
    steps_between,
)
from audit.web.presenters.overview import percent


@given(st.integers(-(10**18), 10**18), st.integers(0, 10**18))
def test_lines_are_round_and_enclose_the_values(least: int, span: int) -> None:
    most = least + span
    lines = steps_between(least, most)
    assert lines[0] <= least
    assert most <= lines[-1]
    assert 2 <= len(lines) <= TICKS_MAX + 2
    step = lines[1] - lines[0]
    assert str(step).rstrip("0") in {"1", "2", "5"}
    assert lines == list(range(lines[0], lines[-1] + 1, step))
    assert lines[0] % step == 0


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ((0, 3104), [0, 1000, 2000, 3000, 4000]),
        ((0, 0), [0, 1]),
        ((-180, 20), [-200, -150, -100, -50, 0, 50]),
        ((410_218, 470_236), [400_000, 420_000, 440_000, 460_000, 480_000]),
    ],
)
def test_lines_of_usual_values(values: tuple[int, int], lines: list[int]) -> None:
    assert steps_between(*values) == lines


def test_heights_go_from_the_bottom_up() -> None:
    ticks = scale_of([0, 40], top=22, bottom=226, from_zero=True)
    assert [(tick.value, tick.y) for tick in ticks] == [
        (0, 226.0), (10, 175.0), (20, 124.0), (30, 73.0), (40, 22.0),
    ]  # fmt: skip
    assert polyline([1, 2.5], [10, 40], scale_through(ticks)) == "1,175 2.5,22"


def test_values_below_zero_hang_below_the_axis() -> None:
    scale = scale_through(scale_of([-50, -10], top=0, bottom=100, from_zero=True))
    assert (scale.least, scale.most) == (-50, 0)
    assert (scale.y(0), scale.y(-50)) == (0.0, 100.0)


def test_parts_stand_on_each_other_and_the_smallest_can_be_seen() -> None:
    scale = scale_through(scale_of([0, 1000], top=0, bottom=100, from_zero=True))
    bars = stacked([("discrepant", 1), ("void", 0), ("clean", 500)], scale, x=4, width=8)
    assert [(bar.kind, bar.y, bar.height) for bar in bars] == [
        ("discrepant", 98.5, LEAST),
        ("clean", 48.5, 50.0),
    ]
    assert stacked([("clean", 0)], scale, x=4, width=8) == ()


@pytest.mark.parametrize(
    ("value", "most", "width"), [(0, 10, 0.0), (5, 10, 50.0), (1, 100_000, 0.6), (0, 0, 0.0)]
)
def test_the_length_of_a_bar(value: int, most: int, width: float) -> None:
    assert share(value, most) == width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.00", "0.00"),
        ("-1234.50", "−1,234.50"),
        ("1234567", "1,234,567"),
        ("-0.00000236", "−0.00000236"),
        ("999.9", "999.9"),
    ],
)
def test_amounts_keep_every_decimal(text: str, shown: str) -> None:
    assert grouped(text) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "–"),
        (0, 7, "0.0 %"),
        (1, 8, "12.5 %"),
        (1, 3, "33.3 %"),
        (2, 3, "66.7 %"),
        (1, 10_000, "under 0.1 %"),
        (7, 7, "100.0 %"),
    ],
)
def test_a_share_of_nothing_is_a_dash_and_of_something_never_nothing(
    part: int, whole: int, shown: str
) -> None:
    assert percent(part, whole) == shown
