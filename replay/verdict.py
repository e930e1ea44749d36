"""verdict/1: what the audit says of one line, how it is written, and its digest (FORMAT 3)."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from replay.findings import Finding

ENGINE = "1.0.0"

VerdictKind = Literal["clean", "discrepant", "void", "rejected"]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One line of verdict/1. `error` is there for a rejected line only: place and reason."""

    format: Literal["verdict/1"] = "verdict/1"
    file: str | None
    line: int
    source: str | None
    hand_id: str | None
    game: str | None
    ruleset: str | None
    ruleset_sha256: str | None
    record_sha256: str | None
    engine: str = ENGINE
    verdict: VerdictKind
    error: str | UnsetType = UNSET
    findings: tuple[Finding, ...] = ()
    settlement: dict[str, Any] | None = None
    replay_digest: str | None = None


_ENCODER = msgspec.json.Encoder()
# Whoever keeps a settlement need not keep the order of its keys.
_SORTED = msgspec.json.Encoder(order="deterministic")


def format_verdict(verdict: msgspec.Struct) -> bytes:
    """One line of NDJSON, without its line end: of a Verdict, or of a record with gaps."""
    return _ENCODER.encode(verdict)


def digest_of(
    *,
    record_sha256: str,
    ruleset_sha256: str,
    kind: VerdictKind,
    findings: tuple[Finding, ...],
    settlement: dict[str, Any] | None,
) -> str:
    """SHA-256 over what the replay made of a record under a ruleset, in a fixed form.

    Words (messages) and the version of the engine are left out, so that equal digests mean equal
    judgements, whoever made them.
    """
    body = [
        record_sha256,
        ruleset_sha256,
        kind,
        [
            [
                finding.code, finding.severity, finding.event, finding.seat, finding.subject,
                finding.logged, finding.expected, finding.rule, finding.follows,
                finding.explained_by,
            ]
            for finding in findings
        ],
        settlement,
    ]  # fmt: skip
    return hashlib.sha256(_SORTED.encode(body)).hexdigest()
