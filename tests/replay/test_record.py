"""What every record shares: times, seats, the strict scan (FORMAT 6.2)."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import replay
from replay.record import (
    _USUAL_TIME,
    Refusal,
    check_times,
    needs_strict_scan,
    parse_time,
    salvage,
    strict_scan,
)


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


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a":1,"a":1}', "twice"),
        (b'{"a":1,"\\u0061":1}', "twice"),
        (b'{"ext":{"b":{"c":1,"c":2}}}', "twice"),
        (b'{"ext":{"b":NaN}}', "NaN"),
        (b'{"ext":{"a":[-Infinity]}}', "Infinity"),
        (b'{"ext":[]}', "not an object"),
        (b'{"ext":null}', "not an object"),
        (b'{"a":"\\u0007"}', "control"),
        (b'{"a":"\\u0085"}', "control"),
        (b'{"a":"\xc2\x85"}', "control"),
        (b'{"a":["\x7f"]}', "control"),
        (b'{"ext":{"a":"\\ud800"}}', "surrogate"),
        (b'{"ext":{"\\udfff":1}}', "surrogate"),
        (b'{"ext":{"a":' + b"[" * 7 + b"]" * 7 + b"}}", "deeper than 8"),
        (b'{"ext":' + b"[" * 500_000 + b"}", "deeper than 8"),
        (b'{"a":"\xff"}', "UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "UTF-8"),
        (b"[1]", "not a JSON object"),
        (b'{"a":1} x', "not JSON"),
    ],
)
def test_what_a_strict_scan_refuses(line: bytes, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        strict_scan(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"ext":{"a":' + b"[" * 6 + b"]" * 6 + b"}}",
        b'{"ext":{"a":"\\u0000\\u0085","b":1e999,"c":' + b"9" * 10_000 + b"}}",
        b'{"ext":{"a":"[[[[[[[[[[{{{{{{{{{{\\"[[[[["}}',
        '{"a":"\\ud83d\\ude00 \\u2028 \\u200b 手"}'.encode(),
    ],
)
def test_what_a_strict_scan_lets_pass(line: bytes) -> None:
    strict_scan(line)


def test_rule_18_names_of_a_refused_line_are_given_where_they_are_well_formed() -> None:
    whole = b'{"source":"s","hand_id":"7","game":"tien-gow","ruleset":"r@1","x":1}'
    assert salvage(whole) == {
        "source": "s", "hand_id": "7", "game": "tien-gow", "ruleset": "r@1",
    }  # fmt: skip
    nothing = dict.fromkeys(("source", "hand_id", "game", "ruleset"))
    assert salvage(b'{"source":7,"hand_id":"","game":"\\u0001"}') == nothing
    assert salvage(b'{"source":"s","source":"s"}') == nothing
    assert salvage(b'["source"]') == nothing
    assert salvage(b'{"source":"s"') == nothing
    assert salvage(b"[" * 100_000) == nothing
    assert salvage(b'{"source":"' + b"x" * 129 + b'","hand_id":"a"}')["hand_id"] == "a"


@given(st.binary(max_size=200))
def test_no_bytes_make_the_salvage_raise(line: bytes) -> None:
    assert set(salvage(line)) == {"source", "hand_id", "game", "ruleset"}


def _structs(game: replay.Game) -> list[type]:
    """The hand's type of a game, and each type that stands in it."""
    found: list[type] = []
    waiting = [msgspec.inspect.type_info(game.hand_type)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType) and info.cls not in found:
            found.append(info.cls)
            waiting += [field.type for field in info.fields]
        waiting += getattr(info, "types", ()) or getattr(info, "item_types", ())
        if getattr(info, "item_type", None) is not None:
            waiting.append(info.item_type)
    return found


@pytest.mark.parametrize("game", replay.GAMES.values(), ids=replay.GAMES)
def test_a_hand_written_out_has_nothing_that_its_line_lacks(game: replay.Game) -> None:
    # `needs_strict_scan` rests on it: a field with a default would hide a repeated key.
    structs = _structs(game)
    assert len(structs) > 8
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            assert field.default in (msgspec.NODEFAULT, msgspec.UNSET), (struct, field)
            assert field.default_factory is msgspec.NODEFAULT, (struct, field)


@pytest.mark.parametrize("game", replay.GAMES)
def test_a_repeated_key_is_seen_whether_or_not_the_line_has_blanks(game: str) -> None:
    ruleset = next(known for known in replay.load_rulesets() if known.game == game)
    (line,) = replay.simulate(game, 1, 1, ruleset)
    hand = replay.read(line).hand
    spaced = json.dumps(json.loads(line), ensure_ascii=False).encode()
    for text in (line, spaced):
        assert not needs_strict_scan(text, hand)
        for key in (b'"table"', b'"type"'):
            doubled = text.replace(key, key + b':"",' + key, 1)
            assert doubled != text
            assert needs_strict_scan(doubled, hand)
