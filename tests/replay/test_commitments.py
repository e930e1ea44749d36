"""Hashes that feeds publish of their deal (SVC-77)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from replay import read
from replay.commitments import Guessable, Standing, commitment_of, guessable

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
BASE = json.loads((GOLDEN / "odd" / "base-hands.ndjson").read_bytes().splitlines()[0])


def told(ext):
    return commitment_of(read(json.dumps(BASE | {"ext": ext}).encode()).hand)


def of(value, algorithm="sha256", encoding=None, **more):
    data = bytes.fromhex(value) if encoding == "hex" else str(value).encode()
    found = {"algorithm": algorithm, "hash": hashlib.sha256(data).hexdigest(), "value": value}
    return {"commitment": found | ({"encoding": encoding} if encoding else {}) | more}


def test_a_kept_a_broken_and_a_closed_one():
    seed = "9b1c7be54e6f4d21a1d0c0ffee15dead00112233445566778899aabbccddeeff"
    assert told(of(seed)).standing == Standing.KEPT
    assert told(of(seed, encoding="hex")).standing == Standing.KEPT
    assert told(of(seed, "SHA-256")).standing == Standing.KEPT
    assert told(of(seed, hash="00" * 32)).standing == Standing.BROKEN
    closed = of(seed)
    del closed["commitment"]["value"]
    found = told(closed)
    assert (found.standing, found.value, found.guessable) == (Standing.CLOSED, None, None)
    assert told(of(seed, "crc32")).standing == Standing.UNKNOWN
    assert told(
        of(seed) | {"commitment": of("zz")["commitment"] | {"encoding": "hex"}}
    ).standing == (Standing.UNKNOWN)


@pytest.mark.parametrize(
    "ext", [{}, {"commitment": 3}, {"commitment": {"hash": "x"}}, {"commitment": None}, {"x": 1}]
)
def test_what_is_none_says_nothing(ext):
    assert told(ext) is None


def test_a_number_is_hashed_in_its_own_digits():
    found = told({"commitment": {
        "algorithm": "sha256", "hash": hashlib.sha256(b"1740794400").hexdigest(),
        "value": 1740794400,
    }})  # fmt: skip
    assert (found.value, found.standing) == ("1740794400", Standing.KEPT)
    assert found.guessable == Guessable.TIME


@pytest.mark.parametrize(
    ("value", "encoding", "expected"),
    [
        ("0", "utf-8", "number"),
        ("4294967295", "utf-8", "time"),
        ("4294967296", "utf-8", None),
        ("-2147483648", "utf-8", "number"),
        ("-2147483649", "utf-8", None),
        ("999999999", "utf-8", "number"),
        ("1740794400", "utf-8", "time"),
        ("1740794400123", "utf-8", "time"),
        ("1740794400123456", "utf-8", "time"),
        ("1740794400123456789", "utf-8", "time"),
        ("2025-03-01T10:00:00+08:00", "utf-8", "time"),
        ("2025-03-01 10:00", "utf-8", "time"),
        ("deadbeef", "hex", "number"),
        ("00000000deadbeef", "hex", "number"),
        ("0000018f5e66e800", "hex", "time"),
        ("deadbeefdeadbeef", "hex", None),
        ("a long sentence that nobody guesses", "utf-8", None),
        ("deadbeef", "utf-8", None),
    ],
)
def test_what_can_be_guessed(value, encoding, expected):
    assert guessable(value, encoding) == expected
