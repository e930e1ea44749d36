"""What the API tells of rulesets, sources, players and the caller's own keys."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta

from audit.api.shapes import Key, Path, Sha256, Shape, Utc


class RulesetShort(Shape, frozen=True, kw_only=True):
    """A revision of the rules, by which hands that name it are judged."""

    name: Annotated[str, Meta(description="`id@revision`, as a hand names it.")]
    url: Path
    id: str
    revision: int
    game: str
    title: str
    sha256: Annotated[Sha256, Meta(description="Of the bytes of its file.")]


class RulesetList(Shape, frozen=True, kw_only=True):
    """Every ruleset by which hands are judged now, by name."""

    rulesets: list[RulesetShort]


class RulesetOne(RulesetShort, frozen=True, kw_only=True):
    """A ruleset with its options, and on whose word each stands."""

    options: dict[str, str | int | bool | list[str]]
    said_by: dict[str, str]
    content: Annotated[Path, Meta(description="Where its exact bytes are.")]
    rehearsed: Annotated[
        int | None,
        Meta(
            description="On how many hands it was rehearsed before it was published; null for one"
            " that was shipped, and for callers who do not see the rulesets of every source."
        ),
    ]
    rehearsed_of: Annotated[
        int | None, Meta(description="How many hands it could have been rehearsed on then.")
    ]
    rehearsed_few: Annotated[
        str | None,
        Meta(description="Why so few were enough, by whoever published it."),
    ]


class SourceShort(Shape, frozen=True, kw_only=True):
    """A source with what it sent."""

    name: str
    url: Path
    feed: str | None
    hands: int
    is_more: Annotated[bool, Meta(description="There are more hands than were counted.")]
    tables: int
    first_day: date | None
    last_day: date | None
    unknown_fields: int


class SourceList(Shape, frozen=True, kw_only=True):
    """The sources that the caller may see, by name."""

    sources: list[SourceShort]


class UnknownField(Shape, frozen=True, kw_only=True):
    """A field of a feed that its importer does not know, and where it came first."""

    feed: str
    field: str
    records: int
    first_seen_at: Utc
    upload: int | None
    line: int
    example: Annotated[str | None, Meta(description="Its value there; null without `see-raw`.")]


class SourceOne(SourceShort, frozen=True, kw_only=True):
    """A source with the gaps of its latest records."""

    records: int
    gaps: dict[str, int]
    drift: list[UnknownField]


class PlayerName(Shape, frozen=True, kw_only=True):
    """A name that was seen at a source, exactly; names are never merged by a machine."""

    source: str
    name: str
    first_noted_at: Utc
    is_unusual: bool
    looks_like: Annotated[str, Meta(description="Names with the same look alike to a reader.")]


class PlayerPage(Shape, frozen=True, kw_only=True):
    """A page of names, the last noted first."""

    players: list[PlayerName]
    next: str | None
    previous: str | None


class RenameShort(Shape, frozen=True, kw_only=True):
    """A name that probably took another's place."""

    source: str
    table: str
    seat: int
    old_name: str
    new_name: str
    hand: Key
    found_at: Utc
    is_decided: bool


class NameDecision(Shape, frozen=True, kw_only=True):
    """What a person said of two names."""

    source: str
    names: list[str]
    is_one: bool
    reason: str
    by: str
    at: Utc
    holds: bool


class RenamePage(Shape, frozen=True, kw_only=True):
    """Probable renames, the newest first."""

    renames: list[RenameShort]
    next: str | None
    previous: str | None


class NameDecisionPage(Shape, frozen=True, kw_only=True):
    """What persons decided, the newest first."""

    decisions: list[NameDecision]
    next: str | None
    previous: str | None


class OwnKey(Shape, frozen=True, kw_only=True):
    """One of your keys; the key itself is kept nowhere."""

    id: Key
    url: Path
    name: str
    prefix: str
    acts: Annotated[list[str] | None, Meta(description="Null: whatever its account may do.")]
    sources: Annotated[list[str] | None, Meta(description="Null: whatever its account may see.")]
    created_at: Utc
    expires_at: Utc
    revoked_at: Utc | None
    last_used_at: Annotated[Utc | None, Meta(description="Exact to a minute.")]
    is_this: Annotated[bool, Meta(description="The one that asks.")]


class OwnKeys(Shape, frozen=True, kw_only=True):
    """Your keys, the newest first, those that have ended included."""

    keys: list[OwnKey]
