"""What the API tells of hands: the shapes that views fill and the description is made of.

Keys are text, because a hand's may be longer than a browser's numbers are exact (SVC-06). Amounts
are decimal texts of the currency that stands beside them. `started_at` and the times of events are
as logged; every other time is UTC.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Kind = Literal["clean", "consistent", "discrepant", "void"]
HandKind = Literal["clean", "consistent", "discrepant", "void", "conflict"]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Key = Annotated[str, Meta(pattern="^[0-9]{1,19}$", description="A key, as text.")]
Path = Annotated[str, Meta(description="An address of this service, to be asked as it is.")]
Utc = Annotated[datetime, Meta(description="UTC.")]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, or a part of one."""


class HandShort(Shape, frozen=True, kw_only=True):
    """A hand as lists have it; what it says is out of its current record."""

    id: Key
    url: Path
    page: Path
    source: str
    hand_id: Annotated[str, Meta(description="Its id as logged, every digit and zero of it.")]
    game: str
    ruleset: Annotated[str, Meta(description="The ruleset that the log names.")]
    table: str
    players: list[str]
    started_at: Annotated[str, Meta(description="As logged, with its offset.")]
    played_at: Utc
    day: Annotated[date, Meta(description="The day by the clock of the log.")]
    currency: str
    minor_digits: Annotated[int, Meta(description="How many decimals its amounts have.")]
    verdict: HandKind
    primary_code: Annotated[
        str | None, Meta(description="The code of the first error; null without one.")
    ]
    codes: Annotated[list[str], Meta(description="Every code that was found, each once.")]
    findings: int
    is_conflict: Annotated[
        bool,
        Meta(
            description="Records of another meaning came under the same id, and none is chosen:"
            " codes and players are those of all of them."
        ),
    ]


class HandPage(Shape, frozen=True, kw_only=True):
    """A page of hands."""

    hands: list[HandShort]
    next: str | None
    previous: str | None


class Version(Shape, frozen=True, kw_only=True):
    """A record that claims to be the hand."""

    number: int
    url: Path
    record: Path
    sha256: Annotated[Sha256, Meta(description="Of the exact line, without its line end.")]
    upload: Annotated[
        int | None, Meta(description="Which upload brought it; null where you may not see that.")
    ]
    line: int
    feed: str | None
    received_at: Utc
    is_current: Annotated[
        bool,
        Meta(description="It claims to be the hand now: in a conflict each does, none is chosen."),
    ]


class Difference(Shape, frozen=True, kw_only=True):
    """A field in which records differ, with what each of them says; null where one lacks it."""

    path: Annotated[str, Meta(description="As result.seats.1.net: entries go by their seat.")]
    values: list[str | None]


class CameAgain(Shape, frozen=True, kw_only=True):
    """A line that said the same as a record; `is_respelt`: in other bytes."""

    version: int
    upload: Annotated[int | None, Meta(description="Null where you may not see it.")]
    line: int
    is_respelt: bool


class Restated(Shape, frozen=True, kw_only=True):
    """Who put a record in force in the place of another, when, and why."""

    version: int
    replaced: int
    reason: str
    announced_by: str | None
    announced_at: Utc
    upload: Annotated[int | None, Meta(description="Null where you may not see it.")]
    line: int


class VersionList(Shape, frozen=True, kw_only=True):
    """The records of a hand, by number.

    `differences` has a value for each of the records in `compared`, eight at most. Of the lines
    that came again the first hundred are told, of the restatements the last hundred.
    """

    hand: Key
    versions: list[Version]
    compared: list[int]
    differences: list[Difference]
    came_again: list[CameAgain]
    restatements: list[Restated]


class FindingRow(Shape, frozen=True, kw_only=True):
    """One disagreement, in the fields of verdict/1.

    `against` says whether it was found in the hand by itself or against the one before it at its
    table. `logged` and `expected` are amounts of the hand's currency where the code is of money.
    """

    position: int
    against: Literal["itself", "hand-before"]
    code: str
    severity: Literal["error", "warning"]
    event: int | None
    seat: int | None
    subject: str | None
    logged: str | None
    expected: str | None
    rule: str | None
    confidence: str | None
    follows: bool
    explained_by: list[str]
    message: str


class VerdictShort(Shape, frozen=True, kw_only=True):
    """What one engine said of one record under one ruleset."""

    id: Key
    url: Path
    hand: Key
    version: int
    is_in_force: Annotated[bool, Meta(description="The current one, of a record that is current.")]
    kind: Kind
    ruleset: str
    ruleset_sha256: Sha256
    engine: str
    digest: Annotated[Sha256, Meta(description="Of the verdict, as verdict/1 has it.")]
    made_at: Utc


class VerdictOne(VerdictShort, frozen=True, kw_only=True):
    """A verdict whole."""

    currency: str
    minor_digits: int
    settlement: Annotated[
        dict[str, Any] | None,
        Meta(description="Recomputed, as FORMAT 6.4 has it; null where the replay stopped."),
    ]
    findings: list[FindingRow]


class HandVerdicts(Shape, frozen=True, kw_only=True):
    """A hand with each verdict of each of its records, the last first."""

    hand: Key
    source: str
    hand_id: str
    verdicts: list[VerdictShort]


class VerdictPage(Shape, frozen=True, kw_only=True):
    """Verdicts by hand: a page has whole hands."""

    hands: list[HandVerdicts]
    next: str | None
    previous: str | None


class Comparison(Shape, frozen=True, kw_only=True):
    """What was found against the hand before it at its table."""

    id: Key
    earlier: Annotated[Key | None, Meta(description="The hand before; null where none is left.")]
    kind: Annotated[Kind, Meta(description="Of verdict and comparison together.")]
    digest: Sha256
    engine: str
    made_at: Utc


class InForce(Shape, frozen=True, kw_only=True):
    """Which rules were in force at the source when the hand was played.

    A hand is judged by what it names; `is_out` says that this was not in force then.
    """

    rulesets: Annotated[
        list[str], Meta(description="None where the source has not said what is in force.")
    ]
    is_out: bool


class Named(Shape, frozen=True, kw_only=True):
    """Another hand of the same source."""

    id: Key
    url: Path
    hand_id: str


class ReplacedBy(Shape, frozen=True, kw_only=True):
    """The hand as which the record is read now; `id` is null until that has been judged."""

    id: Key | None
    url: Path | None
    source: str
    hand_id: str
    engine: str


class HandOne(HandShort, frozen=True, kw_only=True):
    """A hand with what holds of it now, and the ways to the rest."""

    possible_duplicate_of: Annotated[
        list[Named], Meta(description="Earlier hands that say the same under another id.")
    ]
    replaced_by: Annotated[
        ReplacedBy | None, Meta(description="What stands for it; null where it stands for itself.")
    ]
    version: Version
    judged: VerdictOne
    comparison: Comparison | None
    in_force: InForce
    versions: Path
    verdicts: Path
    found: Path
    events: Path


class FindingList(Shape, frozen=True, kw_only=True):
    """What is held against a hand now, in the order of its verdict."""

    hand: Key
    currency: str
    minor_digits: int
    findings: list[FindingRow]


class HandFindings(Shape, frozen=True, kw_only=True):
    """A hand with what is held against it now."""

    hand: Key
    source: str
    hand_id: str
    game: str
    ruleset: str
    currency: str
    minor_digits: int
    verdict: HandKind
    findings: list[FindingRow]


class FindingPage(Shape, frozen=True, kw_only=True):
    """Findings by hand: a page has whole hands, clean ones left out."""

    hands: list[HandFindings]
    next: str | None
    previous: str | None


class Event(Shape, frozen=True, kw_only=True):
    """An event of the record: where it stands in its file, and what it says, to the byte."""

    index: int
    event: Annotated[msgspec.Raw, Meta(description="As logged.")]


class EventList(Shape, frozen=True, kw_only=True):
    """The events of a record in the order of its file, whatever their times say (SVC-25)."""

    hand: Key
    version: int
    sha256: Sha256
    events: list[Event]
