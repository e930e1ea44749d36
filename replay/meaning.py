"""What a record says, whatever its bytes: two lines are compared as JSON values.

The order of keys, blanks and escapes say nothing; nor, in a hand log, what its format says is all
one: an amount of the same value (FORMAT 6.2, 13), the order of `seats`, an `auto` that is false
(17). The order of any other list says something, and so does the spelling of a number: `80` and
`80.0` are two values, for what is meant by a number under `ext` only its writer knows. Lines are
taken as the strict reading lets them through (FORMAT 6.2): UTF-8, not deep, no key twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# The formats whose fields are known, and in them the fields that are amounts.
_FORMATS = frozenset({"hand-log/1", "hand-log/1-partial"})
_AMOUNTS = frozenset(
    {"base", "carry_in", "carry_out", "entry", "gross", "max", "min", "net", "profit", "rake",
     "stake", "theoretical", "valid_bet"}
)  # fmt: skip
_SPELT_LONGER = re.compile(r"-?[0-9]+\.[0-9]*0", re.ASCII)


class _Number(str):
    """A number as it was written, which no string can be taken for."""

    __slots__ = ()


class _Amount(str):
    """An amount as it was written, which is compared by its value."""

    __slots__ = ()


class _Absent:
    """Stands for what one of several records lacks."""

    __slots__ = ()


_ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where records differ, as `result.seats.1.net`; `values` has one text a record.

    Entries of a list that name a seat go by its number, others by their place from 0. None: the
    record has nothing there. A value is shown as JSON, strings without their quotes unless another
    record has the same text there as a number.
    """

    path: str
    values: tuple[str | None, ...]


def canonical_sha256(
    line: bytes, *, without: Collection[str] = (), any_order: bool = False
) -> bytes:
    """The SHA-256 of what a line says: equal for lines that say the same, and for them only.

    Fields of the record that are named in `without` are left out. `any_order`: the line is a list
    of rows whose order says nothing.
    """
    value = _read(line)
    if isinstance(value, dict):
        value = {key: kept for key, kept in value.items() if key not in without}
    elif any_order and isinstance(value, list):
        return hashlib.sha256(f"[{','.join(sorted(map(_text, value)))}]".encode()).digest()
    return hashlib.sha256(_text(value).encode()).digest()


def differences(lines: Sequence[bytes]) -> tuple[Difference, ...]:
    """Where records differ, in the order of the first of them; empty where all say the same."""
    return tuple(_differences("", [_read(line) for line in lines]))


def _read(line: bytes) -> object:
    value = json.loads(line.decode(), parse_int=_Number, parse_float=_Number)
    if isinstance(value, dict) and value.get("format") in _FORMATS:
        return {key: kept if key == "ext" else _meant(key, kept) for key, kept in value.items()}
    return value


def _meant(name: str, value: object) -> object:
    """What the format makes of a field: amounts by value, seats by number, no `auto` for false."""
    if isinstance(value, dict):
        return {
            key: _meant(key, kept)
            for key, kept in value.items()
            if not (key == "auto" and kept is False)
        }
    if isinstance(value, list):
        entries = [_meant("", one) for one in value]
        seated = _by_seat(entries) if name == "seats" else None
        return entries if seated is None else [seated[seat] for seat in sorted(seated)]
    if isinstance(value, str) and not isinstance(value, _Number) and name in _AMOUNTS:
        return _Amount(value)
    return value


def _text(value: object) -> str:
    """JSON with sorted keys, without blanks, in ASCII."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{_text(value[key])}" for key in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, _Amount) and _SPELT_LONGER.fullmatch(value):
        return json.dumps(value.rstrip("0").rstrip("."))
    return json.dumps(value)


def _differences(path: str, values: list[object]) -> Iterator[Difference]:
    texts = {None if value is _ABSENT else _text(value) for value in values}
    if len(texts) == 1:
        return
    if all(isinstance(value, dict) for value in values):
        yield from _members(path, [value for value in values if isinstance(value, dict)])
        return
    if all(isinstance(value, list) for value in values):
        lists = [value for value in values if isinstance(value, list)]
        seated = [_by_seat(value) for value in lists]
        by_seat = [one for one in seated if one is not None]
        if len(by_seat) < len(lists):
            yield from _members(path, [_by_place(value) for value in lists])
            return
        if len({tuple(one) for one in by_seat}) > 1:
            orders = tuple(", ".join(one) for one in by_seat)
            yield Difference(path=f"{path} (order)", values=orders)
        yield from _members(path, by_seat)
        return
    yield Difference(path=path or "$", values=_shown(values))


def _members(path: str, records: Sequence[Mapping[str, object]]) -> Iterator[Difference]:
    for name in dict.fromkeys(name for record in records for name in record):
        below = f"{path}.{name}" if path else name
        yield from _differences(below, [record.get(name, _ABSENT) for record in records])


def _by_place(values: list[object]) -> dict[str, object]:
    return {str(place): value for place, value in enumerate(values)}


def _by_seat(values: list[object]) -> dict[str, object] | None:
    """The entries by the seat that each of them names; None where they do not, or one twice."""
    entries: dict[str, object] = {}
    for value in values:
        seat = value.get("seat") if isinstance(value, dict) else None
        if not isinstance(seat, _Number) or str(seat) in entries:
            return None
        entries[str(seat)] = value
    return entries


def _shown(values: list[object]) -> tuple[str | None, ...]:
    texts = tuple(_plain(value) for value in values)
    known = {
        (text, _text(value))
        for text, value in zip(texts, values, strict=True)
        if value is not _ABSENT
    }
    if len({text for text, _ in known}) == len(known):
        return texts
    return tuple(None if value is _ABSENT else _text(value) for value in values)


def _plain(value: object) -> str | None:
    """For the eye: strings as they are, the rest as JSON that keeps every letter."""
    if value is _ABSENT:
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(key, ensure_ascii=False)}: {_json(value[key])}" for key in value)
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value)


def _json(value: object) -> str:
    if isinstance(value, str) and not isinstance(value, _Number):
        return json.dumps(value, ensure_ascii=False)
    return _plain(value) or ""
