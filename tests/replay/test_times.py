"""Times (FORMAT 6.2, 15): what is one, and which comes first."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from replay.record import Refusal, check_times
from replay.times import _USUAL_TIME, parse_time


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-17T21:14:06Z", "2024-05-17t21:14:06z", "2024-05-17T21:14:06.123456789012345Z",
        "2024-05-17T21:14:06+08:00", "2024-05-17T21:14:06-00:00", "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59", "2024-02-29T00:00:00Z", "2016-12-31T23:59:60Z",
        "2017-01-01T07:59:60+08:00", "2024-06-30T23:59:60.5Z", "2024-02-29T23:59:60Z",
        "0001-01-01T00:00:60+00:01",
    ],
)  # fmt: skip
def test_rule_15_times_that_are_read(text: str) -> None:
    parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-17T21:14:06", "2024-05-17 21:14:06Z", "2024-05-17T21:14:06+0800",
        "2024-05-17T21:14:06,5Z", "2024-05-17T21:14:06.Z", "2024-05-17T24:00:00Z",
        "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "0000-01-01T00:00:00Z",
        "2024-05-17T21:14:06+24:00", "2024-05-17T21:14:06+08:60", "2024-05-17T21:14:60Z",
        "2024-05-17T23:59:60Z", "2024-12-31T23:59:60+01:00", "2024-12-31T23:58:60Z",
        "２024-05-17T21:14:06Z", "2024-05-17T21:14:06Z ", "20240517T211406Z",
        "9999-12-31T23:59:60-00:01", "2024-05-17T21:14Z", "",
    ],
)  # fmt: skip
def test_rule_15_times_that_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_time(text)


def test_rule_15_second_60_is_the_last_instant_of_its_minute() -> None:
    assert parse_time("2016-12-31T23:59:59.999Z") < parse_time("2016-12-31T23:59:60Z")
    assert parse_time("2016-12-31T23:59:60Z") < parse_time("2017-01-01T00:00:00Z")


def test_a_fraction_of_any_length_counts_exactly() -> None:
    early, late = "2024-05-17T21:14:06.1230000000001Z", "2024-05-17T21:14:06.1230000000002Z"
    check_times(early, late)
    with pytest.raises(Refusal, match=r"ended_at: before"):
        check_times(late, early)
    assert parse_time("2024-05-17T21:14:06.5Z") == parse_time("2024-05-17T21:14:06.500Z")


days = st.one_of(
    st.dates().map(lambda day: f"{day:%m-%d}"),
    st.sampled_from(["01-31", "04-30", "12-31", "02-28"]),
)
usual_times = st.tuples(
    st.sampled_from(["0001-", "2024-", "2025-", "9999-"]),
    days,
    st.times().map(lambda time: f"T{time:%H:%M:%S}"),
    st.sampled_from(["", ".5", ".50", ".499", ".123456789012"]),
    st.sampled_from(["Z", "+00:00", "-00:00", "+08:00", "-23:59", "+23:59"]),
)


@settings(deadline=None)
@given(usual_times, usual_times, st.lists(st.booleans(), min_size=5, max_size=5))
def test_usual_times_are_told_apart_as_all_times_are(
    one: tuple[str, ...], other: tuple[str, ...], same: list[bool]
) -> None:
    parts = [mine if is_same else its for mine, its, is_same in zip(one, other, same, strict=True)]
    early, late = "".join(one), "".join(parts)
    assume("02-29" not in early + late)
    assert _USUAL_TIME.fullmatch(early)
    assert _USUAL_TIME.fullmatch(late)
    if parse_time(early) <= parse_time(late):
        check_times(early, late)
    else:
        with pytest.raises(Refusal, match="before started_at"):
            check_times(early, late)


@given(st.from_regex(_USUAL_TIME, fullmatch=True))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_usual_time_is_a_time(text: str) -> None:
    parse_time(text)


def test_offsets_are_taken_into_account() -> None:
    check_times("2024-05-17T23:00:00+02:00", "2024-05-17T21:00:00Z")
    check_times("0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00+23:58")
    with pytest.raises(Refusal):
        check_times("2024-05-17T21:00:01Z", "2024-05-17T23:00:00+02:00")
