"""Pages by key: a cursor names the row that a page starts behind, so nothing is skipped or doubled
while rows come and go."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from replay import say

KEY_MAX = 2**63 - 1
LIMIT_MAX = 500

Row = TypeVar("Row")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_CURSOR = re.compile(r"([nb])((?:\.-?(?:0|[1-9]\d{0,18}))+)", re.ASCII)


class BadQuery(ValueError):
    """A filter or a cursor that is malformed; its text is a sentence for the reader."""


class NotFound(LookupError):
    """A row that is not there."""


class UploadNotFound(NotFound):
    """No upload has this number."""


class HandNotFound(NotFound):
    """No hand has this number, or it has no such version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """Some rows with the ways on and back; a cursor is None where there is nothing that way."""

    rows: tuple[Row, ...]
    next_cursor: str | None = None
    previous_cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a page starts: behind the row with this key, onward or back."""

    key: tuple[int, ...]
    is_back: bool

    def write(self) -> str:
        return ".".join(["b" if self.is_back else "n", *map(str, self.key)])


def read_cursor(text: str | None, parts: int) -> Cursor | None:
    """Read a cursor of so many numbers. Raises: BadQuery."""
    if text is None or text == "":
        return None
    match = _CURSOR.fullmatch(text)
    if match is None:
        raise BadQuery(say("The page cannot be found: its mark in the address is damaged."))
    key = tuple(int(part) for part in match.group(2)[1:].split("."))
    if len(key) != parts or any(abs(part) > KEY_MAX for part in key):
        raise BadQuery(say("The page cannot be found: its mark in the address is damaged."))
    return Cursor(key=key, is_back=match.group(1) == "b")


def check_limit(limit: int) -> int:
    """Raises: BadQuery when a page would hold no row, or more than LIMIT_MAX."""
    if not 1 <= limit <= LIMIT_MAX:
        raise BadQuery(say("A page holds 1 to {limit_max} rows.", limit_max=LIMIT_MAX))
    return limit


def make_page(
    found: Sequence[Row],
    *,
    cursor: Cursor | None,
    limit: int,
    key: Callable[[Row], tuple[int, ...]],
) -> Page[Row]:
    """Cut a page out of up to `limit` + 1 rows, which were read in the cursor's direction."""
    is_back = cursor is not None and cursor.is_back
    has_more = len(found) > limit
    rows = tuple(found[:limit])
    if is_back:
        rows = rows[::-1]
    if not rows:
        return Page(rows=())
    has_next = is_back or has_more
    has_previous = has_more if is_back else cursor is not None
    return Page(
        rows=rows,
        next_cursor=Cursor(key=key(rows[-1]), is_back=False).write() if has_next else None,
        previous_cursor=Cursor(key=key(rows[0]), is_back=True).write() if has_previous else None,
    )


def number_of(moment: datetime) -> int:
    """The microseconds since 1970 UTC, as a cursor has a moment."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(number: int) -> datetime:
    """The moment that `number_of` wrote. Raises: BadQuery, if no calendar has it."""
    try:
        return _EPOCH + number * _MICROSECOND
    except OverflowError:
        raise BadQuery(
            say("The page cannot be found: its mark in the address is damaged.")
        ) from None
