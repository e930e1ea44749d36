"""The entries of a bundle: leaves of the log with their places, one JSON object a line.

An entry has `leaf` (the kind), `index` (the place in the log) and the fields of its kind. Keys are
sorted and there are no blanks, so that there is one spelling of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from replay.evidence.leaves import FIELDS, leaf_data, plain
from replay.evidence.merkle import leaf_hash

_TEXTS = {
    "source", "hand_id", "ruleset", "ruleset_sha256", "engine", "kind", "digest", "verdict_digest",
}  # fmt: skip
_NUMBERS = {"index", "number", "replaced", "position", "upload", "line"}
_ENCODER = msgspec.json.Encoder(order="deterministic")


class EntryError(ValueError):
    """A line that is no entry."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One leaf: its kind, its place and its fields by name."""

    leaf: str
    index: int
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def hash(self) -> bytes:
        """The leaf hash."""
        values = (self.fields[name] for name in FIELDS[self.leaf])
        return leaf_hash(leaf_data(self.leaf, self.index, values))

    def with_fields(self, **fields: Any) -> Entry:
        return Entry(leaf=self.leaf, index=self.index, fields={**self.fields, **fields})


def entry(leaf: str, index: int, values: Sequence[Any]) -> Entry:
    """An entry out of the values of a row, in the order of `FIELDS`."""
    names = FIELDS[leaf]
    return Entry(
        leaf=leaf,
        index=index,
        fields={name: plain(value) for name, value in zip(names, values, strict=True)},
    )


def write_entries(entries: Iterable[Entry]) -> bytes:
    return b"".join(
        _ENCODER.encode({"leaf": one.leaf, "index": one.index, **one.fields}) + b"\n"
        for one in entries
    )


def read_entries(data: bytes) -> list[Entry]:
    """Raises: EntryError."""
    return [_read(number, line) for number, line in enumerate(data.splitlines(), start=1)]


def _read(number: int, line: bytes) -> Entry:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise EntryError(f"line {number}: {error}") from None
    if not isinstance(found, dict):
        raise EntryError(f"line {number} is no object")
    leaf, index = found.pop("leaf", None), found.pop("index", None)
    if not isinstance(leaf, str) or leaf not in FIELDS or set(found) != set(FIELDS[leaf]):
        raise EntryError(f"line {number} has not the fields of an entry")
    for name, value in (("index", index), *found.items()):
        if not _is_plain(name, value):
            raise EntryError(f"line {number}: {name} is of another kind")
    return Entry(leaf=leaf, index=index, fields=found)


def _is_plain(name: str, value: object) -> bool:
    """Whether a field is of its kind, as far as whoever reads it relies on that."""
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _NUMBERS:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if name == "settlement":
        return value is None or isinstance(value, dict)
    if name == "explained_by":
        return isinstance(value, list)
    return not isinstance(value, (list, dict))
