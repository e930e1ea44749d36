"""What came out of the lines of one chunk, in the shape in which it is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import Any, Protocol

import msgspec

import replay
from audit.services.believing import believed_source
from audit.services.payloads import ChunkLine
from audit.services.texts import storable
from audit.zstd import packed_line

PLACE_MAX = 500
REASON_MAX = 500
OTHERS_SOURCE = "its sender may hand in nothing of this source"
# No name, option or code can hold a control character, so one can stand between them.
SEPARATOR = "\x1f"

_JSON = msgspec.json.Encoder()
# Nearly all times: to the second or the millisecond, and no leap second. What is of this form is
# read alike by `fromisoformat`, which takes a quarter of the time.
_USUAL_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?"
    r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_BY_SEAT = attrgetter("seat")
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


class Judged(Protocol):
    """What a line came to: of a hand log, or of a feed."""

    @property
    def verdict(self) -> Any: ...
    @property
    def hand(self) -> Any: ...
    @property
    def refusal(self) -> replay.Refusal | None: ...


@dataclass(slots=True)
class Outcomes:
    """The rows of one chunk. A hand, a finding or a refusal is a tuple in the order of
    `storing.ARRIVAL`, `storing.FINDING` and `storing.REFUSAL`. The bytes of a hand are packed only
    when it is stored, those of a refusal are packed already.

    `limited_to` are the sources whose hands are taken, None where all. `sources` are those of the
    hands, `named` those that refused lines name. `any_order`: lines are lists of rows whose order
    says nothing.
    """

    hands: list[tuple[Any, ...]] = field(default_factory=list)
    findings: list[tuple[Any, ...]] = field(default_factory=list)
    refusals: list[tuple[Any, ...]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    faults: int = 0
    limited_to: frozenset[str] | None = None
    any_order: bool = False
    sources: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)

    def add(self, line: ChunkLine, audited: Judged) -> bool:
        """Take in one judged line; returns whether it is a hand."""
        verdict = audited.verdict
        if audited.refusal is not None:
            place, reason = audited.refusal.place, audited.refusal.reason
            self._refuse(line, verdict, place, reason, believed_source(line.data))
            return False
        assert audited.hand is not None
        source = audited.hand.source
        if self.limited_to is not None and source not in self.limited_to:
            self._refuse(line, verdict, "$.source", OTHERS_SOURCE, source)
            return False
        self.sources.add(source)
        self.kinds[verdict.verdict] += 1
        position = len(self.hands)
        self.hands.append(_hand_row(position, line, audited.hand, verdict))
        for number, finding in enumerate(verdict.findings):
            self.findings.append((position, number, *_finding_row(finding)))
        return True

    def _refuse(
        self, line: ChunkLine, verdict: replay.Verdict, place: str, reason: str, source: str | None
    ) -> None:
        self.rejected += 1
        self.refusals.append(_refusal_row(line, verdict, place, reason))
        if source is not None:
            self.named.add(source)

    def add_fault(self, line: ChunkLine, reason: str) -> None:
        """Set a line aside that made the audit itself fail."""
        self.faults += 1
        if (source := believed_source(line.data)) is not None:
            self.named.add(source)
        words = f"this line could not be audited, through a fault of ours ({reason})"
        self.refusals.append(_refusal_row(line, None, "$", words))

    def count(self, other: Outcomes) -> None:
        """Add the counts of another piece, whose rows are stored."""
        self.kinds += other.kinds
        self.rejected += other.rejected
        self.faults += other.faults
        self.sources |= other.sources
        self.named |= other.named


def _hand_row(
    position: int, line: ChunkLine, hand: replay.Hand, verdict: replay.Verdict
) -> tuple[Any, ...]:
    assert verdict.record_sha256 is not None
    assert verdict.ruleset_sha256 is not None
    assert verdict.replay_digest is not None
    findings = verdict.findings
    error_code, codes = "", None
    if findings:
        error_code = next((one.code for one in findings if one.severity == "error"), "")
        codes = SEPARATOR.join(sorted({one.code for one in findings}))
    return (
        position,
        line.number,
        hand.source,
        hand.hand_id,
        verdict.game,
        hand.ruleset,
        hand.table,
        SEPARATOR.join(players_of(hand)),
        instant_of(hand.started_at),
        day_of(hand.started_at),
        hand.started_at,
        hand.currency,
        hand.minor_digits,
        verdict.verdict,
        error_code,
        codes,
        len(findings),
        line.data,
        bytes.fromhex(verdict.record_sha256),
        bytes.fromhex(verdict.ruleset_sha256),
        verdict.engine,
        None if verdict.settlement is None else _JSON.encode(verdict.settlement).decode(),
        bytes.fromhex(verdict.replay_digest),
    )


def _finding_row(finding: replay.Finding) -> tuple[Any, ...]:
    return (
        finding.code,
        finding.severity,
        finding.event,
        finding.seat,
        finding.subject,
        finding.logged,
        finding.expected,
        finding.rule,
        finding.confidence,
        finding.follows,
        SEPARATOR.join(finding.explained_by) if finding.explained_by else None,
        finding.message,
    )


def _refusal_row(
    line: ChunkLine, verdict: replay.Verdict | None, place: str, reason: str
) -> tuple[Any, ...]:
    sha256 = verdict.record_sha256 if verdict is not None else None
    return (
        line.number,
        line.offset,
        storable(place, PLACE_MAX),
        storable(reason, REASON_MAX),
        packed_line(line.data),
        None if sha256 is None else bytes.fromhex(sha256),
        verdict is None,
    )


def players_of(hand: replay.Hand) -> tuple[str, ...]:
    """Who played: by seat, or in a game without seats in the order of their first wager."""
    seats = getattr(hand, "seats", None)
    if seats is not None:
        return tuple([entry.player for entry in sorted(seats, key=_BY_SEAT)])
    return tuple(dict.fromkeys(_wagerers(hand)))


def _wagerers(hand: replay.Hand) -> Iterator[str]:
    for event in getattr(hand, "events", ()):
        player = getattr(event, "player", None)
        if isinstance(player, str):
            yield player


def instant_of(started_at: str) -> datetime:
    """The instant in UTC to the microsecond, moved to the nearest one that a `datetime` can hold.

    A leap second is the last microsecond of its minute, as FORMAT 6.2, 15 has it.
    """
    if _USUAL_TIME.fullmatch(started_at):
        try:
            return datetime.fromisoformat(started_at).astimezone(UTC)
        except (ValueError, OverflowError):
            # A day that does not exist, or one at an end of time, is left to the general way.
            pass
    instant, fraction = replay.parse_time(started_at)
    if instant.tzinfo is not UTC:
        return _FIRST if instant.year == 1 else _LAST
    if not fraction:
        return instant
    return instant.replace(microsecond=999_999 if fraction == "~" else int(f"{fraction:0<6.6}"))


def day_of(started_at: str) -> date:
    """The day in the offset of the log."""
    return date.fromisoformat(started_at[:10])
