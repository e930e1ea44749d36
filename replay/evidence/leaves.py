"""What a leaf of the log is made of: its kind and its fields, in one spelling.

A leaf is the JSON list of the kind's name and its fields: no blanks, keys sorted, bytes in
hexadecimal, instants in UTC with six decimals. The names carry a version, so that another
list of fields gets another name.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import msgspec

# A record that a hand was stored from: source, hand_id, number of the version, SHA-256 of the line,
# upload, line, instant of storing.
VERSION = "hand-version/1"
# source, hand_id, number, ruleset, SHA-256 of its file, engine, kind, settlement, digest, instant.
VERDICT = "verdict/1"
# source, hand_id, number, SHA-256 of the ruleset, engine, then the fields of a finding.
FINDING = "finding/1"
# source, hand_id, number, digest of the verdict, engine, kind, digest with the findings, instant,
# then source, hand_id, number and digest of the hand before (null where there is none).
COMPARISON = "comparison/1"
# source, hand_id, number, digest of the comparison, engine, then the fields of a finding.
COMPARISON_FINDING = "comparison-finding/1"
# source, hand_id, number now in force, number before, upload, line, instant.
RESTATEMENT = "restatement/1"
# source, hand_id, number, upload, line, SHA-256 of the line where its bytes differ, else null.
DUPLICATE = "duplicate/1"
# upload, line, byte at which it starts, place, reason, SHA-256 of the line, whether by our fault.
REFUSAL = "refusal/1"
# number, file name, account that handed it in, reason of a restatement, bytes, SHA-256 of the file
# as it came, lines, instant.
UPLOAD = "upload/1"
# kind and row that was announced for the log and gone when it was to be written down.
LOST = "lost/1"

_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def leaf_data(kind: str, fields: Iterable[Any]) -> bytes:
    """The bytes of a leaf; `merkle.leaf_hash` hashes them."""
    return _ENCODER.encode([kind, *(plain(value) for value in fields)])


def plain(value: Any) -> Any:
    """A value of a row as it is written in a leaf."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, date):
        return value.isoformat()
    return value
