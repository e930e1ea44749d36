"""What the API tells of the work on logs: uploads, steps, certificates, re-audits."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

import replay
from audit.api.shapes import Path, Sha256, Shape

Name = Annotated[str, Meta(max_length=128, pattern="^[^\\u0000]*$")]
Moment = Annotated[datetime, Meta(description="UTC.")]


class UploadTaken(Shape, frozen=True, kw_only=True, omit_defaults=True):
    """The receipt of a file: it has come whole and is kept."""

    id: int
    url: Path
    bytes: int
    sha256: Annotated[Sha256, Meta(description="Of the bytes as they came.")]
    lines: int
    restating: Annotated[
        Path | msgspec.UnsetType,
        Meta(description="The upload that holds what a feed settled anew."),
    ] = msgspec.UNSET


class UploadVerdicts(Shape, frozen=True, kw_only=True):
    """The lines by their outcome; they add up to `lines`."""

    clean: int
    consistent: int
    discrepant: int
    void: int
    rejected: int
    failed: int


class UploadHands(Shape, frozen=True, kw_only=True):
    """The hands by how they stood to those that were known."""

    new: int
    duplicate: int
    conflict: int
    restated: int


class Upload(Shape, frozen=True, kw_only=True):
    """How far an upload is."""

    id: int
    url: Path
    page: Path
    name: str
    feed: str | None
    restatement: str | None
    received_by: str | None
    state: str
    is_ended: bool
    error: str | None
    percent: int | None
    bytes: int
    sha256: Sha256 | None
    lines: int
    audited: int
    verdicts: UploadVerdicts
    hands: UploadHands
    turned: int
    admitted_later: int
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class UploadPage(Shape, frozen=True, kw_only=True):
    """A page of uploads, the newest first."""

    uploads: list[Upload]
    next: str | None
    previous: str | None


class RefusedLine(Shape, frozen=True, kw_only=True):
    """A line that could not be read as a hand, where it is wrong and why."""

    line: int
    offset: Annotated[int, Meta(description="The byte at which the line starts, unpacked.")]
    place: str
    reason: str
    begins: Annotated[
        str | None, Meta(description="Its beginning; null where not kept or not shown.")
    ]
    is_cut: bool
    sha256: Sha256 | None
    is_our_fault: bool
    hand: Annotated[str | None, Meta(description="The hand that stands for it since.")]


class RefusedPage(Shape, frozen=True, kw_only=True):
    """A page of refused lines, by line."""

    refused: list[RefusedLine]
    next: str | None
    previous: str | None


class StepEvent(Shape, frozen=True, kw_only=True):
    """What happened, in words."""

    number: int
    event: int | None
    kind: str
    part: replay.Part
    text: str
    sentence: str
    seat: int | None
    tiles: list[str]
    is_auto: bool
    ms: int | None
    think_ms: int | None
    is_judged: bool
    findings: list[replay.Finding]


class Step(Shape, frozen=True, kw_only=True):
    """A hand after one event, as one viewer saw it; amounts are in minor units."""

    hand: str
    source: str
    hand_id: str
    game: str
    ruleset: str
    currency: str
    minor_digits: int
    viewer: Annotated[str, Meta(description="Who looks.")] = msgspec.field(name="as")
    number: int
    has_next: bool
    is_revealed: bool
    board: replay.Board
    decision: replay.Decision | None
    events: list[StepEvent]
    figures: list[replay.Figure]


class CertificateShort(Shape, frozen=True, kw_only=True):
    """What a list says of a certificate."""

    number: int
    url: Path
    source: str
    table: str
    day: str
    edition: int
    is_complete: bool
    hands: int
    missing: int
    refused: int
    standing: str
    made_at: str
    made_by: str | None
    engine: str
    sha256: Sha256


class CertificatePage(Shape, frozen=True, kw_only=True):
    """A page of certificates, the latest day first."""

    certificates: list[CertificateShort]
    next: str | None
    previous: str | None


class CertificateChange(Shape, frozen=True, kw_only=True):
    """Where the facts of now differ from a certificate."""

    path: str
    then: Any
    now: Any


class Certificate(Shape, frozen=True, kw_only=True):
    """A certificate whole; `sha256` is over the canonical JSON of `certificate`."""

    number: int
    source: str
    table: str
    day: str
    edition: int
    is_complete: bool
    hands: int
    missing: int
    refused: int
    standing: str
    made_at: str
    made_by: str | None
    engine: str
    sha256: Sha256
    certificate: dict[str, Any]
    changes: list[CertificateChange] | None


class CertificateRun(Shape, frozen=True, kw_only=True):
    """How far the making of a day's certificates is."""

    id: int
    url: Path
    day: str
    source: str | None
    table: str | None
    state: str
    percent: int | None
    tables: int
    looked_at: int
    made: int
    still_hold: int
    without_anything: int
    certificate: Path | None
    created_at: str
    finished_at: str | None


class ReauditAsked(msgspec.Struct, forbid_unknown_fields=True):
    """Which hands to judge again, why, and under which rules; see docs/reaudit.md."""

    reason: str
    filter: Annotated[
        dict[str, str], Meta(description="The filters of the list of hands; all without one.")
    ] = {}
    named: Annotated[Name, Meta(description="Only hands that name this ruleset.")] = ""
    ruleset: Annotated[Name, Meta(description="A rehearsal under this one instead.")] = ""
    refused_lines: str = "none"


class ReauditCounts(Shape, frozen=True, kw_only=True):
    """What became of what was judged again."""

    written: int
    confirmed: int
    rehearsed: int
    admitted: int
    refused: int
    aside: int


class Reaudit(Shape, frozen=True, kw_only=True):
    """How far a re-audit is."""

    id: int
    url: Path
    page: Path
    requested_by: str
    reason: str
    filter: dict[str, str]
    filter_text: str
    named: str | None
    ruleset: str | None
    ruleset_sha256: str | None
    is_rehearsal: bool
    refused_lines: str
    engine: str
    state: str
    is_ended: bool
    error: str | None
    percent: int | None
    total: int
    done: int
    counts: ReauditCounts
    changed: int
    flipped: int
    unsettled: int
    seconds_left: int | None
    created_at: Moment
    finished_at: Moment | None


class ReauditPage(Shape, frozen=True, kw_only=True):
    """A page of re-audits, the newest first."""

    reaudits: list[Reaudit]
    next: str | None
    previous: str | None


class Judged(Shape, frozen=True, kw_only=True):
    """A verdict with its primary finding."""

    verdict: str
    finding: str | None


class ReauditFlip(Shape, frozen=True, kw_only=True):
    """How many hands went from one judgement to another."""

    before: Judged
    after: Judged
    is_flipped: bool
    hands: int
    flip: Annotated[str, Meta(description="To ask for these hands by.")]


class Changed(Shape, frozen=True, kw_only=True):
    """An amount before and after."""

    before: str | None
    after: str | None


class ReauditAmount(Shape, frozen=True, kw_only=True):
    """Money before and after, of all, of a table or of a player."""

    source: str | None
    table: str | None
    player: str | None
    currency: str
    minor_digits: int
    hands: int
    net: Changed
    rake: Changed
    valid_bet: Changed


class ReauditSummed(Shape, frozen=True, kw_only=True):
    """What a re-audit found so far."""

    reaudit: Reaudit
    flips: list[ReauditFlip]
    money: list[ReauditAmount]
    tables: list[ReauditAmount]
    has_more_tables: bool
    players: list[ReauditAmount]
    has_more_players: bool


class ReauditChange(Shape, frozen=True, kw_only=True):
    """A hand that was judged otherwise."""

    hand: int
    page: Path
    source: str
    hand_id: str
    version: int
    is_in_force: bool
    game: str
    ruleset: str
    table: str
    started_at: str
    before: Judged
    after: Judged
    is_flipped: bool


class ReauditChangePage(Shape, frozen=True, kw_only=True):
    """A page of hands that were judged otherwise."""

    changes: list[ReauditChange]
    next: str | None
    previous: str | None


class ReauditFault(Shape, frozen=True, kw_only=True):
    """What was set aside, and why."""

    hand: int | None
    hand_id: str | None
    version: int | None
    upload: int | None
    line: int | None
    reason: str


class ReauditFaultPage(Shape, frozen=True, kw_only=True):
    """A page of what was set aside."""

    aside: list[ReauditFault]
    next: str | None
    previous: str | None
