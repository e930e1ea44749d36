"""Pages of tables that only grow, the newest row first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from django.db.models import Model, QuerySet

from audit.selectors.pages import Page, check_limit, make_page, read_cursor


class Numbered(Protocol):
    """A row as pages have it."""

    @property
    def id(self) -> int: ...


Stored = TypeVar("Stored", bound=Model)
Told = TypeVar("Told", bound=Numbered)


def newest_first(
    rows: QuerySet[Stored, Any],
    tell: Callable[[Any], Told],
    *,
    cursor: str | None,
    limit: int,
) -> Page[Told]:
    """A page of rows by their number, the highest first; one query. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    if at is None:
        rows = rows.order_by("-id")
    elif at.is_back:
        rows = rows.filter(id__gt=at.key[0]).order_by("id")
    else:
        rows = rows.filter(id__lt=at.key[0]).order_by("-id")
    found = [tell(row) for row in rows[: limit + 1]]
    return make_page(found, cursor=at, limit=limit, key=lambda row: (row.id,))
