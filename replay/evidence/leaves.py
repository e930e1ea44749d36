"""What a leaf of the log is made of: its kind and its fields, in one spelling.

A leaf is the JSON list of the kind's name, its place in the log from 0, and its fields: no blanks,
keys sorted, bytes in hexadecimal, instants in UTC with six decimals. The names carry a version, so
that another list of fields gets another name; the place makes a leaf that was moved show it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import msgspec

# kind and row that was announced for the log and gone when it was to be written down.
LOST = "lost/1"

_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def leaf_data(kind: str, index: int, fields: Iterable[Any]) -> bytes:
    """The bytes of a leaf; `merkle.leaf_hash` hashes them."""
    return _ENCODER.encode([kind, index, *(plain(value) for value in fields)])


def plain(value: Any) -> Any:
    """A value of a row as it is written in a leaf."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, date):
        return value.isoformat()
    return value
