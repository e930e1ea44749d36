"""The journal as the API lists it: the newest first, by a number that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from audit.models import JournalEntry
from audit.selectors.access import Act, Sources
from audit.selectors.belonging import in_sources
from audit.selectors.pages import KEY_MAX, BadQuery, Page, check_limit, make_page, read_cursor

NAME_MAX = 150
COLUMNS = (
    "id", "at", "account_id", "actor", "act", "subject", "source", "hand", "player", "detail",
    "address", "visit", "key",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalFilters:
    """What was asked for; empty or None where nothing was."""

    actor: str = ""
    act: str = ""
    hand: int | None = None
    player: str = ""
    source: str = ""

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> JournalFilters:
        """Read `actor act hand player source`. Raises: BadQuery."""
        act, hand = query.get("act", ""), query.get("hand", "")
        if act and act not in list(Act):
            raise BadQuery("There is no such act.")
        if hand and not (hand.isascii() and hand.isdecimal() and len(hand) <= 19):
            raise BadQuery("The hand is no number.")
        if hand and not 1 <= int(hand) <= KEY_MAX:
            raise BadQuery("The hand is out of range.")
        for name in ("actor", "player", "source"):
            text = query.get(name, "")
            if len(text) > NAME_MAX or "\0" in text:
                raise BadQuery(f"The filter “{name}” is no name.")
        return cls(
            actor=query.get("actor", ""),
            act=act,
            hand=int(hand) if hand else None,
            player=query.get("player", ""),
            source=query.get("source", ""),
        )

    def condition(self) -> Q:
        wanted = Q()
        for column in ("actor", "act", "player", "source"):
            if value := getattr(self, column):
                wanted &= Q(**{column: value})
        return wanted if self.hand is None else wanted & Q(hand=self.hand)


def list_entries(
    filters: JournalFilters, *, sources: Sources, cursor: str | None = None, limit: int = 50
) -> Page[dict[str, Any]]:
    """Entries as dicts; of an account for some sources those about them alone. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    is_back = at is not None and at.is_back
    found = JournalEntry.objects.filter(filters.condition() & in_sources(sources))
    if at is not None:
        found = found.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    rows = found.order_by("id" if is_back else "-id").values(*COLUMNS)[: limit + 1]
    return make_page(list(rows), cursor=at, limit=limit, key=lambda row: (row["id"],))
