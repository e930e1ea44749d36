"""Veiled lines: names and what holds them go, everything else stays byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay import audit, read
from replay.evidence import erased, names_of, seal_key, sealed, token_of, veiled
from replay.evidence.veil import _Hider, _rewrite_parts, is_token
from tests.golden_vectors import rulesets

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
BASE = (GOLDEN / "odd" / "base-hands.ndjson").read_bytes().splitlines()
SALT = b"s" * 32


def veil(line: bytes) -> tuple[dict[str, str], bytes, bytes]:
    names = names_of(line)
    tokens = {name: token_of(SALT + name.encode("utf-8", "surrogatepass"), name) for name in names}
    key = seal_key(SALT + name.encode("utf-8", "surrogatepass") for name in names)
    return tokens, key, veiled(line, tokens, key)


def every_line() -> list[bytes]:
    found = []
    for path in sorted(one for one in GOLDEN.glob("*/*.ndjson") if one.is_file()):
        lines = path.read_bytes().split(b"\n")
        found += [one for one in lines if audit(one, rulesets()).verdict != "rejected"]
    return found


def test_every_golden_hand_is_judged_alike_behind_its_veil() -> None:
    lines = every_line()
    assert len(lines) > 500
    for line in lines:
        tokens, key, after = veil(line)
        assert set(names_of(after)) == set(tokens.values())
        assert veiled(after, {token: token for token in tokens.values()}, None) == after
        before, again = audit(line, rulesets()), audit(after, rulesets())
        assert again.verdict == before.verdict
        assert [one.code for one in again.findings] == [one.code for one in before.findings]
        slowly = b"".join(_rewrite_parts(line, tokens.__getitem__, _Hider(tokens, key)))
        assert slowly == after
        for name, token in tokens.items():
            own = erased(line, name, tokens, key)
            rest = {**tokens, token: token}
            assert veiled(own, rest, None) == after


def test_extras_and_reasons_that_hold_a_name_go_under_a_commitment() -> None:
    hand = json.loads(BASE[0])
    name = hand["seats"][0]["player"]
    events = [{"type": "void", "reason": f"{name} left"}, {"type": "void", "reason": "power"}]
    line = json.dumps(hand | {"ext": {"nick": name, "x": 1.50}, "events": events[:1]}).encode()
    _, key, after = veil(line)
    assert name.encode() not in after
    raw = line[line.index(b'"ext": ') + 7 :]
    raw = raw[: raw.index(b"}") + 1]
    assert json.loads(after)["ext"] == {"sealed": sealed(key, raw).hex()}
    assert json.loads(after)["events"][0]["reason"].startswith("sealed ")
    read(after)
    other = json.dumps(hand | {"events": events[1:]}).encode()
    assert json.loads(veil(other)[2])["events"][0]["reason"] == "power"


@pytest.mark.parametrize(
    "line",
    [
        b'{"format":"hand-log/1","pl\\u0061yer":"Ann","x":"player"}',
        b'{"format":"hand-log/1","player":"A\\"n\\\\n","bet":"player","ext":{"player":"no"}}',
        b'[{"Accounts":"agent_Ann","x":{"UserName":"Bo"}},{"user":"Cy","player":"Di"}]',
        b'{"player":"ext","format":"hand-log/1"}',
    ],
)
def test_names_are_found_however_they_are_spelt(line: bytes) -> None:
    expected = {0: ("Ann",), 1: ('A"n\\n',), 2: ("Ann", "Bo", "Cy", "Di"), 3: ("ext",)}
    place = [b"pl\\u", b"A\\", b"Accounts", b'"ext","format']
    (number,) = [n for n, mark in enumerate(place) if mark in line]
    assert names_of(line) == expected[number]
    _, _, after = veil(line)
    assert all(is_token(name) for name in names_of(after))


@given(st.text(min_size=1, max_size=20), st.booleans())
def test_any_name_goes_and_comes_out_as_a_token(name: str, is_ascii: bool) -> None:
    hand = json.loads(BASE[4])
    for event in hand["events"]:
        if event["type"] == "wager":
            event["player"] = name
    line = json.dumps(hand, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    if any("\ud800" <= one <= "\udfff" for one in name):
        return
    assert names_of(line) == (name,)
    tokens, _, after = veil(line)
    assert names_of(after) == (tokens[name],)


def test_what_is_no_json_is_refused() -> None:
    for line in (b"{", b"]", b'{"ext":{"hand-log/1"'):
        with pytest.raises(ValueError, match=r"bracket|ends"):
            names_of(line)
