"""What a line says, whatever its bytes; and where several lines differ."""

from __future__ import annotations

import hashlib
import json

import pytest

from replay import Difference, canonical_sha256, differences
from tests.audit.logs import BASE_LINES, B, changed, with_net


def reordered(line: bytes) -> bytes:
    """The same values: keys backwards, blanks between the parts, every letter escaped."""

    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(one) for one in value] if isinstance(value, list) else value

    return json.dumps(turned(json.loads(line)), separators=(" ,  ", " : ")).encode()


@pytest.mark.parametrize("line", BASE_LINES[:5])
def test_order_of_keys_blanks_and_escapes_say_nothing(line: bytes) -> None:
    assert reordered(line) != line
    assert canonical_sha256(reordered(line)) == canonical_sha256(line)
    assert differences([line, reordered(line), line]) == ()


def test_the_text_that_is_hashed_has_sorted_keys_and_no_blanks() -> None:
    line = '{"b": [1, "é", null, true], "a": {"d": -0.50, "c": "/"}}'.encode()
    bare = b'{"a":{"c":"/","d":-0.50},"b":[1,"\\u00e9",null,true]}'
    assert canonical_sha256(line) == canonical_sha256(bare)
    assert canonical_sha256(line) == hashlib.sha256(bare).digest()


def spelt(line: bytes) -> bytes:
    """What the format says is all one: amounts with more decimals or fewer, seats in another order,
    an `auto` that is false."""
    hand = json.loads(line)
    for stake in ("base", "min", "max"):
        if stake in hand["stakes"]:
            hand["stakes"][stake] = f"{float(hand['stakes'][stake]):.2f}"
    hand.get("seats", []).reverse()
    for seat in hand.get("seats", []):
        seat["carry_in"] = seat["carry_in"].removesuffix(".00")
    hand["result"].get("seats", []).reverse()
    for figures in (*hand["result"].get("seats", []), *hand["result"].get("bets", [])):
        for name in ("gross", "net", "profit", "valid_bet"):
            if name in figures:
                figures[name] = f"{float(figures[name]):g}"
    for event in hand["events"]:
        if event["type"] in ("bid", "bet", "play"):
            event.setdefault("auto", False)
    return json.dumps(hand).encode()


@pytest.mark.parametrize("line", BASE_LINES[:5])
def test_svc_01_what_the_format_says_is_all_one_is_no_difference(line: bytes) -> None:
    assert reordered(spelt(line)) != reordered(line)
    assert canonical_sha256(spelt(line)) == canonical_sha256(line)
    assert differences([line, spelt(line)]) == ()


def test_an_amount_is_shown_as_it_was_written_where_its_value_differs() -> None:
    one, other = with_net(B, 1, "-99"), with_net(spelt(B), 1, "-99.5")
    path = "result.seats.1.net"
    assert differences([one, other]) == (Difference(path=path, values=("-99", "-99.5")),)
    assert differences([with_net(B, 1, "0.00"), with_net(B, 1, "0")]) == ()
    hundred, ten = with_net(B, 1, "100"), with_net(B, 1, "10")
    assert canonical_sha256(hundred) != canonical_sha256(ten)


@pytest.mark.parametrize(
    "fields",
    [
        {"ext": {"net": "9.50"}},
        {"table": "9.50"},
        {"round": {"id": "9.50", "hand": 1}},
        {"ext": {"seats": [{"seat": 0}, {"seat": 1}]}},
        {"ext": {"auto": False}},
    ],
)
def test_what_is_no_amount_is_compared_letter_by_letter(fields: dict[str, object]) -> None:
    one = changed(B, **fields)
    other = one.replace(b'"9.50"}', b'"9.5"}').replace(b'"table": "9.50"', b'"table": "9.5"')
    other = other.replace(b'"id": "9.50"', b'"id": "9.5"').replace(b', "ext": {"auto": false}', b"")
    other = other.replace(b'[{"seat": 0}, {"seat": 1}]', b'[{"seat": 1}, {"seat": 0}]')
    assert other != one
    assert canonical_sha256(one) != canonical_sha256(other)


def test_rows_whose_order_says_nothing() -> None:
    one, other, doubled = (
        b'[{"a": 1}, {"a": 2}]',
        b'[{"a":2},{"a":1}]',
        b'[{"a":1},{"a":2},{"a":2}]',
    )
    assert canonical_sha256(one) != canonical_sha256(other)
    assert canonical_sha256(one, any_order=True) == canonical_sha256(other, any_order=True)
    assert canonical_sha256(one, any_order=True) != canonical_sha256(doubled, any_order=True)
    nested = (b'[{"a": [1, 2]}]', b'[{"a": [2, 1]}]')
    assert len({canonical_sha256(line, any_order=True) for line in nested}) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 80}', '{"a": "80"}'),
        ('{"a": "80"}', '{"a": "80.00"}'),
        ('{"a": 80}', '{"a": 80.0}'),
        ('{"a": 9007199254740993}', '{"a": 9007199254740992}'),
        ('{"a": 0.1}', '{"a": 0.1000000000000000000001}'),
        ('{"a": null}', "{}"),
        ('{"a": []}', '{"a": {}}'),
        ('{"a": true}', '{"a": "true"}'),
        ('{"a": [1, 2]}', '{"a": [2, 1]}'),
        ('{"a": "abc"}', '{"a": "abc "}'),
        ('{"a": "e\u0301"}', '{"a": "\u00e9"}'),
        ('{"a": "x"}', '{"a": "x\\u0000"}'),
    ],
)
def test_other_values_are_another_meaning(one: str, other: str) -> None:
    lines = [one.encode(), other.encode()]
    assert canonical_sha256(lines[0]) != canonical_sha256(lines[1])
    found = differences(lines)
    assert {one.path.partition(".")[0] for one in found} == {"a"}
    assert [one for one in found if one.values[0] == one.values[1]] == []


def test_a_number_of_any_length_is_compared_exactly() -> None:
    long = "9" * 5_000
    assert canonical_sha256(f'{{"a":{long}}}'.encode()) != canonical_sha256(
        f'{{"a":{long[1:]}}}'.encode()
    )


def test_svc_02_a_field_goes_by_its_seat() -> None:
    other = with_net(B, 1, "-99.00")
    path = "result.seats.1.net"
    assert differences([B, other]) == (Difference(path=path, values=("-100.00", "-99.00")),)
    assert differences([other, B]) == (Difference(path=path, values=("-99.00", "-100.00")),)
    third = with_net(B, 1, "-98.00")
    assert differences([B, other, third]) == (
        Difference(path=path, values=("-100.00", "-99.00", "-98.00")),
    )


def test_an_event_goes_by_its_place_and_a_field_may_be_absent() -> None:
    one = b'{"events": [{"type": "deal"}, {"type": "play", "seat": 1}]}'
    other = b'{"events": [{"type": "deal", "t": 5}, {"type": "play", "seat": 2}, {"type": "x"}]}'
    assert differences([one, other]) == (
        Difference(path="events.0.t", values=(None, "5")),
        Difference(path="events.1.seat", values=("1", "2")),
        Difference(path="events.2", values=(None, '{"type": "x"}')),
    )


def test_another_order_of_seats_is_shown_as_one() -> None:
    one = b'{"seats": [{"seat": 0, "x": 1}, {"seat": 1, "x": 2}]}'
    other = b'{"seats": [{"seat": 1, "x": 2}, {"seat": 0, "x": 1}]}'
    assert differences([one, other]) == (Difference(path="seats (order)", values=("0, 1", "1, 0")),)


def test_a_text_and_a_number_of_the_same_letters_are_told_apart() -> None:
    found = differences([b'{"ext": {"a": 80}}', b'{"ext": {"a": "80"}}'])
    assert found == (Difference(path="ext.a", values=("80", '"80"')),)


def test_svc_04_a_field_can_be_left_out() -> None:
    twin = changed(B, hand_id="base-1b")
    assert canonical_sha256(twin) != canonical_sha256(B)
    without = ("hand_id",)
    assert canonical_sha256(twin, without=without) == canonical_sha256(B, without=without)
    third = changed(twin, table="other")
    assert canonical_sha256(third, without=without) != canonical_sha256(B, without=without)
