"""What the API tells of the journal."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from audit.api.shapes import Key, Shape, Utc


class JournalEntry(Shape, frozen=True, kw_only=True):
    """Somebody looked at something, or changed who may."""

    id: Key
    at: Utc
    actor: str
    act: str
    subject: str
    source: str | None
    hand: Key | None
    player: str | None
    detail: dict[str, Any]
    address: Annotated[str | None, Meta(description="From which address.")]
    visit: Annotated[Key | None, Meta(description="The stay in a browser in which it happened.")]
    key: Annotated[Key | None, Meta(description="The key of the API that was shown.")]


class JournalPage(Shape, frozen=True, kw_only=True):
    """A page of the journal, the newest first."""

    entries: list[JournalEntry]
    next: str | None
    previous: str | None
