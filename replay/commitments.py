"""A hash of the deal that a feed published before play, and the value that it told afterwards.

A log carries them in `ext`, which no verdict reads (docs/viewer.md):

    "ext": {"commitment": {"algorithm": "sha256", "hash": "9f86…", "value": "…", "encoding": "hex"}}

`value` is there once the feed has told it; `encoding` says how its text becomes the bytes that were
hashed: `utf-8`, as where nothing is said, or `hex`. Whether the hash is of the value, and whether
it could have been guessed before, is told here as a fact and is never a finding.
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from replay.record import Hand

# By the name that a feed gives, without dashes and in lower case.
_ALGORITHMS = {
    name.replace("_", ""): name
    for name in ("sha256", "sha384", "sha512", "sha3_256", "sha3_384", "sha3_512")
}
TEXT_MAX = 4_096
_DIGITS = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_CLOCK = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?.{0,6}")
# Seconds from 2001 to 2286; a thousand, a million and a milliard times as many of its parts.
_SECONDS_MIN, _SECONDS_MAX = 10**9, 10**10
_PARTS = (10**3, 10**6, 10**9)
SHORT_BYTES = 4


class Standing(StrEnum):
    """How a commitment stands."""

    CLOSED = "closed"  # the value was not told
    KEPT = "kept"  # the hash is of the value
    BROKEN = "broken"  # the hash is of something else
    UNKNOWN = "unknown"  # it cannot be checked: another algorithm, or a value of another form


class Guessable(StrEnum):
    """Why whoever saw the hash could have found the value by trying."""

    NUMBER = "number"  # a number of 32 bits, or four bytes or fewer
    TIME = "time"  # a time stamp


class Commitment(msgspec.Struct, frozen=True, kw_only=True):
    """What a feed published and what it told. `value` is None where it told nothing."""

    algorithm: str
    hash: str
    value: str | None
    standing: Standing
    guessable: Guessable | None


class _Told(msgspec.Struct, frozen=True):
    algorithm: str
    hash: str
    value: msgspec.Raw | UnsetType = UNSET
    encoding: str = "utf-8"


class _Ext(msgspec.Struct, frozen=True):
    commitment: msgspec.Raw | UnsetType = UNSET


def commitment_of(hand: Hand) -> Commitment | None:
    """What the log of a hand says of a commitment; None where it says nothing that can be read."""
    if isinstance(hand.ext, UnsetType):
        return None
    try:
        found = msgspec.json.decode(hand.ext, type=_Ext).commitment
        if isinstance(found, UnsetType):
            return None
        told = msgspec.json.decode(found, type=_Told)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    value = _text(told.value)
    if len(told.algorithm) > TEXT_MAX or len(told.hash) > TEXT_MAX or len(value or "") > TEXT_MAX:
        return None
    return Commitment(
        algorithm=told.algorithm,
        hash=told.hash,
        value=value,
        standing=_standing(told, value),
        guessable=None if value is None else guessable(value, told.encoding),
    )


def _text(value: Any) -> str | None:
    """A value as text: a number in the very digits in which it stands."""
    if isinstance(value, UnsetType):
        return None
    raw = bytes(value)
    if raw == b"null":
        return None
    return msgspec.json.decode(raw, type=str) if raw[:1] == b'"' else raw.decode()


def _standing(told: _Told, value: str | None) -> Standing:
    if value is None:
        return Standing.CLOSED
    name = _ALGORITHMS.get(re.sub("[-_ ]", "", told.algorithm.lower()))
    data = _bytes(value, told.encoding)
    if name is None or data is None:
        return Standing.UNKNOWN
    is_kept = hashlib.new(name, data).hexdigest() == told.hash.lower()
    return Standing.KEPT if is_kept else Standing.BROKEN


def _bytes(value: str, encoding: str) -> bytes | None:
    """The bytes that were hashed; None where the value is not of its encoding."""
    if encoding == "utf-8":
        return value.encode()
    if encoding != "hex":
        return None
    try:
        return bytes.fromhex(value)
    except ValueError:
        return None


def guessable(value: str, encoding: str = "utf-8") -> Guessable | None:
    """Whether there are so few values of this form that trying them all is nothing."""
    text = value.strip()
    if encoding == "hex":
        data = _bytes(text, encoding)
        if data is None:
            return None
        if len(data) <= SHORT_BYTES or not any(data[:-SHORT_BYTES]):
            return Guessable.NUMBER
        return _is_time(int.from_bytes(data, "big")) if len(data) <= 2 * SHORT_BYTES else None
    if _CLOCK.fullmatch(text):
        return Guessable.TIME
    if not _DIGITS.fullmatch(text):
        return None
    number = int(text)
    return _is_time(number) or (Guessable.NUMBER if -(2**31) <= number < 2**32 else None)


def _is_time(number: int) -> Guessable | None:
    """Whether a number counts the seconds of an epoch in this time, or their parts."""
    spans = [(_SECONDS_MIN, min(_SECONDS_MAX, 2**32))]
    spans += [(_SECONDS_MIN * part, _SECONDS_MAX * part) for part in _PARTS]
    return Guessable.TIME if any(low <= number < high for low, high in spans) else None
