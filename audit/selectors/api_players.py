"""Names of players as the API lists them: by when they were noted, which never changes."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from audit.models import Player
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.filters import TEXT_MAX
from audit.selectors.pages import BadQuery, Page, check_limit, make_page, read_cursor
from audit.selectors.players_names import skeleton
from replay import say

COLUMNS = ("id", "source", "name", "skeleton", "is_unusual", "noted_at")


def list_players(
    *,
    sources: Sources,
    source: str = "",
    name: str = "",
    unusual: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[dict[str, Any]]:
    """Names, the last noted first; `name` finds what is written so, looks so, or begins to look so.

    Raises: BadQuery.
    """
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    is_back = at is not None and at.is_back
    if any("\0" in text or len(text) > TEXT_MAX for text in (source, name)):
        raise BadQuery(say("A name has no such character, or is shorter."))
    wanted = in_sources(sources)
    if source:
        wanted &= Q(source=source)
    if unusual:
        wanted &= Q(is_unusual=True)
    if name:
        look = skeleton(name)
        alike = Q(skeleton=look) | Q(name=name)
        wanted &= alike | Q(skeleton__startswith=look) if look else alike
    found = Player.objects.filter(wanted)
    if at is not None:
        found = found.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    rows = found.order_by("id" if is_back else "-id").values(*COLUMNS)[: limit + 1]
    return make_page(list(rows), cursor=at, limit=limit, key=lambda row: (row["id"],))
