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

# A row that was announced and gone when it was to be written down: the name of its kind, its key.
LOST = "lost/1"

VERSION = "hand-version/1"
VERDICT = "verdict/1"
FINDING = "finding/1"
COMPARISON = "comparison/1"
COMPARISON_FINDING = "comparison-finding/1"
RESTATEMENT = "restatement/1"
DUPLICATE = "duplicate/1"
UPLOAD = "upload/1"
# The same with commitments in the place of names and of what would betray one (`veil`).
VEILED_VERSION = "hand-version/2"
VEILED_VERDICT = "verdict/2"
VEILED_FINDING = "finding/2"
VEILED_COMPARISON = "comparison/2"
VEILED_COMPARISON_FINDING = "comparison-finding/2"
VEILED_DUPLICATE = "duplicate/2"
VEILED_UPLOAD = "upload/2"

FINDING_FIELDS = (
    "position", "code", "severity", "event", "seat", "subject", "logged", "expected", "rule",
    "confidence", "follows", "explained_by", "message",
)  # fmt: skip

# The fields of the leaves that a bundle can hold, in their order. `number` is that of the version
# of a hand, `at` the instant of storing; `digest` of a finding is that of its comparison; `earlier`
# is the hand before at the table, null where there is none; `account` the one that handed it in.
FIELDS: dict[str, tuple[str, ...]] = {
    VERSION: ("source", "hand_id", "number", "sha256", "upload", "line", "at"),
    VERDICT: (
        "source", "hand_id", "number", "ruleset", "ruleset_sha256", "engine", "kind", "settlement",
        "digest", "at",
    ),
    FINDING: ("source", "hand_id", "number", "ruleset_sha256", "engine", *FINDING_FIELDS),
    COMPARISON: (
        "source", "hand_id", "number", "verdict_digest", "engine", "kind", "digest", "at",
        "earlier_source", "earlier_hand_id", "earlier_number", "earlier_digest",
    ),
    COMPARISON_FINDING: ("source", "hand_id", "number", "digest", "engine", *FINDING_FIELDS),
    RESTATEMENT: ("source", "hand_id", "number", "replaced", "upload", "line", "at"),
    DUPLICATE: ("source", "hand_id", "number", "upload", "line", "sha256"),
    UPLOAD: (
        "upload", "name", "account", "restatement", "feed", "bytes", "sha256", "lines", "at",
    ),
    # `veiled` is the SHA-256 of the record with tokens for its names; `sealed` a commitment to the
    # SHA-256 of its exact bytes, to the digest of a verdict or of a comparison.
    VEILED_VERSION: ("source", "hand_id", "number", "veiled", "sealed", "upload", "line", "at"),
    VEILED_VERDICT: (
        "source", "hand_id", "number", "ruleset", "ruleset_sha256", "engine", "kind", "settlement",
        "sealed", "at",
    ),
    VEILED_FINDING: ("source", "hand_id", "number", "ruleset_sha256", "engine", *FINDING_FIELDS),
    VEILED_COMPARISON: (
        "source", "hand_id", "number", "ruleset_sha256", "verdict_engine", "engine", "kind",
        "sealed", "at", "earlier_source", "earlier_hand_id", "earlier_number",
        "earlier_ruleset_sha256", "earlier_engine",
    ),
    VEILED_COMPARISON_FINDING: (
        "source", "hand_id", "number", "ruleset_sha256", "verdict_engine", "engine",
        "earlier_hand_id", "earlier_number", *FINDING_FIELDS,
    ),
    VEILED_DUPLICATE: ("source", "hand_id", "number", "upload", "line", "sealed"),
    # What is open of a file; `sealed` is a commitment to its name, reason and SHA-256.
    VEILED_UPLOAD: ("upload", "account", "feed", "bytes", "lines", "at", "sealed"),
}  # fmt: skip

_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def leaf_data(kind: str, index: int, fields: Iterable[Any]) -> bytes:
    """The bytes of a leaf; `merkle.leaf_hash` hashes them."""
    return _ENCODER.encode([kind, index, *(plain(value) for value in fields)])


def plain(value: Any) -> Any:
    """A value of a row as it is written in a leaf."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, date):
        return value.isoformat()
    return value
