"""verdict/1-partial: what the audit says of a record with gaps, and what it could not check."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from replay.findings import Finding
from replay.partial.gaps import GapName
from replay.partial.record import Assumption
from replay.verdict import ENGINE

# Nothing wrong was found, but not everything could be checked: never `clean`.
PartialKind = Literal["consistent", "discrepant", "rejected"]


class NotCheckable(msgspec.Struct, frozen=True, kw_only=True):
    """A check that was not made, with the gaps that prevent it.

    `seats` are those that it was not made for where it was made for others; None where it was made
    for none.
    """

    check: str
    gaps: tuple[GapName, ...]
    rules: tuple[str, ...]
    seats: tuple[int, ...] | None
    message: str


class PartialVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One line of verdict/1-partial: the fields of verdict/1, then what the record lacks.

    `record_sha256` is of the bytes that were handed in; `settlement` is None where it could not be
    recomputed from what the record carries.
    """

    format: Literal["verdict/1-partial"] = "verdict/1-partial"
    file: str | None
    line: int
    source: str | None
    hand_id: str | None
    game: str | None
    ruleset: str | None
    ruleset_sha256: str | None
    record_sha256: str | None
    engine: str = ENGINE
    verdict: PartialKind
    error: str | UnsetType = UNSET
    findings: tuple[Finding, ...] = ()
    settlement: dict[str, Any] | None = None
    replay_digest: str | None = None
    feed: str | None = None
    gaps: tuple[GapName, ...] = ()
    not_checkable: tuple[NotCheckable, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


_SORTED = msgspec.json.Encoder(order="deterministic")


def digest_of_partial(verdict: PartialVerdict) -> str:
    """SHA-256 over what was made of a record under a ruleset; words are left out."""
    body = [
        verdict.record_sha256,
        verdict.ruleset_sha256,
        verdict.verdict,
        [
            [
                one.code, one.severity, one.seat, one.subject, one.logged, one.expected, one.rule,
                one.follows, one.explained_by,
            ]
            for one in verdict.findings
        ],
        verdict.settlement,
        [[one.check, one.gaps, one.seats] for one in verdict.not_checkable],
    ]  # fmt: skip
    return hashlib.sha256(_SORTED.encode(body)).hexdigest()
