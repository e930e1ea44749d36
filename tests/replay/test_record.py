"""What every record shares: times, seats, the strict scan (FORMAT 6.2)."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import replay
from replay.record import (
    Refusal,
    needs_strict_scan,
    salvage,
    strict_scan,
)


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
