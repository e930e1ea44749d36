"""Strict reading of what feeds send: exact bytes of rows, repeated keys, amounts, times.

A number keeps the text that it was written with, so no amount ever passes through a float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Never

import msgspec

import replay
from audit.importers.feed import EXAMPLE_MAX, FIELD_MAX, refuse

DIGITS_LEAST = 2
DIGITS_MOST = 8
ROW_DEPTH_MAX = 8

_MONEY = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.([0-9]{1,8}))?", re.ASCII)
_LOCAL = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?", re.ASCII
)
_EPOCH = re.compile(r"[1-9][0-9]{9}(?:[0-9]{3})?", re.ASCII)
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)

Row = dict[str, Any]
# What a decoder raises for bytes that it cannot read.
UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class Number(str):
    """A number as it was written."""

    __slots__ = ()


# -- rows out of a file ---------------------------------------------------------------------


def rows_of(
    data: bytes, *, key: str, row_fields: Collection[str] = ()
) -> tuple[list[tuple[int, bytes]], dict[str, str]]:
    """The rows of a file: an array, an object that holds one under `key`, or a row a line.

    Gives each row's byte and its exact bytes, and the other fields of the object. Where rows have a
    field of the same name, `row_fields` (in small letters) tell a row whose own is a list, which is
    then for the reader of rows to refuse, from an object that holds rows.
    Raises: Refusal.
    """
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"[":
        return _placed(data, _array(data, "$")), {}
    if start != b"{":
        raise refuse("$", "neither a JSON object nor an array of them")
    try:
        whole = msgspec.json.decode(_unmarked(data), type=dict[str, msgspec.Raw])
    except UNREADABLE:
        return list(_lines(data)), {}
    is_row = any(name.lower() in row_fields for name in whole if name != key)
    if is_row or not bytes(whole.get(key, b"")).lstrip().startswith(b"["):
        # One row by itself.
        return _placed(data, [bytes(data.strip(b"\xef\xbb\xbf \t\r\n"))]), {}
    check_keys(data)
    others = {name: shown(bytes(raw)) for name, raw in whole.items() if name != key}
    return _placed(data, _array(bytes(whole[key]), f"$.{key}")), others


def _unmarked(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf")


def _array(data: bytes, place: str) -> list[bytes]:
    try:
        return [bytes(raw) for raw in msgspec.json.decode(_unmarked(data), type=list[msgspec.Raw])]
    except UNREADABLE as error:
        raise refuse(place, f"no array of rows: {error}") from None


def _placed(data: bytes, rows: Iterable[bytes]) -> list[tuple[int, bytes]]:
    """Each row with the byte at which it stands; they come in their order."""
    placed, at = [], 0
    for row in rows:
        at = data.index(row, at)
        placed.append((at, row))
        at += len(row)
    return placed


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for raw in data.split(b"\n"):
        row = raw.removeprefix(b"\xef\xbb\xbf") if at == 0 else raw
        if row.strip(b" \t\r"):
            yield at, row.rstrip(b"\r")
        at += len(raw) + 1


def check_keys(data: bytes) -> None:
    """Raises: Refusal where an object of the outermost two levels has a key twice."""
    strict(data, "$")


def strict(data: bytes, place: str) -> Any:
    """Read JSON with numbers as `Number`. Raises: Refusal, also for a key that is there twice."""
    try:
        text = _unmarked(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise refuse(place, f"not UTF-8 (byte {error.start})") from None

    def unique(pairs: list[tuple[str, Any]]) -> Row:
        parts = dict(pairs)
        if len(parts) != len(pairs):
            raise refuse(place, "a key is there twice in one object")
        return parts

    def constant(word: str) -> Never:
        raise refuse(place, f"{word} is not JSON")

    try:
        return json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=Number,
            parse_float=Number,
            parse_constant=constant,
        )
    except json.JSONDecodeError as error:
        raise refuse(place, f"not JSON: {error.msg} (character {error.pos})") from None
    except RecursionError:
        raise refuse(place, "nested too deep") from None


def joined_rows(rows: Iterable[bytes]) -> bytes:
    """The rows of one hand as the record that is kept: an array of their exact bytes."""
    return b"[" + b",".join(rows) + b"]"


def read_rows(data: bytes) -> list[Row]:
    """The rows of a kept record. Raises: Refusal with the place."""
    check_depth(data)
    rows = strict(data, "$")
    if not isinstance(rows, list) or not rows:
        raise refuse("$", "no rows")
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            raise refuse(f"$[{position}]", "not an object")
    return rows


def check_depth(data: bytes) -> None:
    """Raises: Refusal where a record nests deeper than any row of a known feed does."""
    depth = 0
    for match in _STRUCTURE.finditer(data.decode("utf-8", "replace")):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > ROW_DEPTH_MAX:
                raise refuse("$", f"deeper than {ROW_DEPTH_MAX}")
        elif mark in "]}":
            depth -= 1


# -- the fields of a row --------------------------------------------------------------------


def plain_name(name: str) -> str:
    """A field's name without what writers differ in: roundId, round_id and RoundID are one."""
    return name.replace("_", "").replace(" ", "").lower()


class Fields:
    """The fields of one row by their plain names, and those that nobody knows."""

    def __init__(self, row: Mapping[str, Any], place: str, known: frozenset[str]) -> None:
        self._place = place
        self._values: Row = {}
        self._names: dict[str, str] = {}
        self.drift: dict[str, str] = {}
        for name, value in row.items():
            plain = plain_name(name)
            if plain not in known:
                self.drift[name[:FIELD_MAX]] = shown_value(value)
                continue
            if plain in self._values:
                raise refuse(self.place(plain), f"the field is there twice, also as {name}")
            self._values[plain] = value
            self._names[plain] = name

    def place(self, plain: str) -> str:
        return f"{self._place}.{self._names.get(plain, plain)}"

    def has(self, plain: str) -> bool:
        return plain in self._values

    def value(self, plain: str) -> Any:
        """Raises: Refusal where the field is missing."""
        if plain not in self._values:
            raise refuse(self.place(plain), "missing")
        return self._values[plain]

    def text(self, plain: str) -> str:
        """A string, or a number as it was written. Raises: Refusal."""
        value = self.value(plain)
        if not isinstance(value, str) or not value:
            raise refuse(self.place(plain), "neither a text nor a number")
        return str(value)

    def whole(self, plain: str, least: int, most: int) -> int:
        text = self.text(plain)
        if not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,8})", text, re.ASCII):
            raise refuse(self.place(plain), f"not a whole number: {text[:40]}")
        if not least <= int(text) <= most:
            raise refuse(self.place(plain), f"not from {least} to {most}: {text}")
        return int(text)

    def money(self, plain: str, *, only_text: bool = False) -> str:
        """A plain decimal. Raises: Refusal; also for a JSON number under `only_text`."""
        value = self.value(plain)
        if not isinstance(value, str) or (only_text and isinstance(value, Number)):
            raise refuse(self.place(plain), "not an amount in quotes")
        if _MONEY.fullmatch(value) is None:
            raise refuse(self.place(plain), f"not a plain decimal amount: {value[:40]}")
        if value.startswith("-") and not value.strip("-0."):
            raise refuse(self.place(plain), f"a negative zero: {value[:40]}")
        return str(value)

    def time(self, plain: str) -> tuple[str, bool]:
        """A time as hand-log writes it, and whether it has an offset.

        Raises: Refusal.
        """
        text = self.text(plain)
        if _EPOCH.fullmatch(text):
            return _from_epoch(text), True
        if _LOCAL.fullmatch(text):
            return text.replace(" ", "T", 1), False
        try:
            replay.parse_time(text)
        except ValueError:
            raise refuse(self.place(plain), f"not a time: {text[:40]}") from None
        return text, True


def _from_epoch(text: str) -> str:
    """Seconds or milliseconds since 1970, told by their length, in UTC."""
    moment = datetime.fromtimestamp(int(text[:10]), tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{text[10:]}Z" if len(text) > 10 else f"{moment}Z"


def shown(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")[:EXAMPLE_MAX]


def shown_value(value: Any) -> str:
    """A value as JSON for the eye, cut where it is long."""
    return json.dumps(value, ensure_ascii=True)[:EXAMPLE_MAX]


# -- amounts --------------------------------------------------------------------------------


def digits_of(amounts: Iterable[str]) -> int:
    """The decimals of the smallest amount there is, as far as these say: at least two.

    A feed does not tell its smallest unit; one that writes 0.525 counts in thousandths.
    """
    most = DIGITS_LEAST
    for amount in amounts:
        most = max(most, len(amount.partition(".")[2].rstrip("0")))
    return most


def minor(amount: str, digits: int) -> int:
    """Minor units of an amount that `Fields.money` let pass; zeros at its end do not count."""
    whole, _, fraction = amount.partition(".")
    sign = -1 if whole.startswith("-") else 1
    return sign * int(whole.lstrip("-") + fraction.rstrip("0").ljust(digits, "0"))
