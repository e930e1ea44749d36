"""The journal as its page lists it: who looked at what, narrowed to what one may see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.contrib.auth.models import User

from audit.models import JournalEntry, Review, ReviewKind
from audit.selectors.access import Act, Sources
from audit.selectors.newest import newest_first
from audit.selectors.pages import KEY_MAX, BadQuery, Page
from replay import say

LIMIT = 50
PLAYER_MAX = 128
FILTERS = ("actor", "act", "hand", "player", "source", "visit", "from", "to", "refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRow:
    """One row; see models.JournalEntry."""

    id: int
    at: datetime
    account_id: int | None
    actor: str
    act: str
    subject: str
    source: str | None
    hand: int | None
    player: str | None
    detail: Mapping[str, Any]
    address: str | None
    visit: int | None
    key: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalFilters:
    """What is looked for; None or empty where it does not narrow. Days are days in UTC."""

    actor: str = ""
    act: str = ""
    hand: int | None = None
    player: str = ""
    source: str = ""
    visit: int | None = None
    day_from: date | None = None
    day_to: date | None = None
    is_refused: bool = False

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> JournalFilters:
        """Read the query of the page. Raises: BadQuery."""
        act = query.get("act", "")
        if act and act not in {one.value for one in Act}:
            raise BadQuery(say("“act” names no act."))
        for key in ("actor", "player", "source"):
            if "\x00" in query.get(key, "") or len(query.get(key, "")) > 150:
                raise BadQuery(say("“{key}” is no name.", key=key))
        if query.get("refused", "") not in ("", "1"):
            raise BadQuery(say("“refused” is 1, or left out."))
        found = cls(
            is_refused=query.get("refused") == "1",
            actor=query.get("actor", ""),
            act=act,
            hand=_number(query, "hand"),
            player=query.get("player", ""),
            source=query.get("source", ""),
            visit=_number(query, "visit"),
            day_from=_day(query, "from"),
            day_to=_day(query, "to"),
        )
        if found.day_from and found.day_to and found.day_from > found.day_to:
            raise BadQuery(say("“from” is after “to”."))
        return found


def list_journal(
    filters: JournalFilters, *, sources: Sources, cursor: str | None = None, limit: int = LIMIT
) -> Page[JournalRow]:
    """Rows, the newest first. Who may see some sources alone sees the rows that name one of them.

    Raises: BadQuery.
    """
    rows = JournalEntry.objects.all()
    if sources is not None:
        rows = rows.filter(source__in=sources)
    if filters.actor:
        # By the account where there is one, which has an index; else a command or a link.
        account = User.objects.filter(username=filters.actor).values_list("pk", flat=True).first()
        rows = rows.filter(actor=filters.actor) if account is None else rows.filter(
            account_id=account
        )  # fmt: skip
    for field in ("act", "hand", "player", "source", "visit"):
        if value := getattr(filters, field):
            rows = rows.filter(**{field: value})
    if filters.is_refused:
        rows = rows.filter(detail__has_key="refused")
    if filters.day_from:
        rows = rows.filter(at__gte=_start(filters.day_from))
    if filters.day_to:
        rows = rows.filter(at__lt=_start(filters.day_to) + timedelta(days=1))
    return newest_first(rows, _row, cursor=cursor, limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """One review; see models.Review."""

    id: int
    kind: ReviewKind
    reviewed_at: datetime
    reviewed_by: str
    first: int
    last: int
    note: str
    facts: Mapping[str, Any]


def list_reviews(
    *, kind: ReviewKind | None = None, cursor: str | None = None, limit: int = LIMIT
) -> Page[ReviewRow]:
    """Reviews, the newest first. Raises: BadQuery."""
    rows = Review.objects.select_related("reviewed_by")
    if kind is not None:
        rows = rows.filter(kind=kind)
    return newest_first(rows, _review, cursor=cursor, limit=limit)


def last_entry() -> int:
    """The number of the newest row; 0 where there is none."""
    return JournalEntry.objects.order_by("-id").values_list("pk", flat=True).first() or 0


def _number(query: Mapping[str, str], key: str) -> int | None:
    text = query.get(key, "").strip()
    if not text:
        return None
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    if not is_number or not 1 <= int(text) <= KEY_MAX:
        raise BadQuery(say("“{key}” is no number.", key=key))
    return int(text)


def _day(query: Mapping[str, str], key: str) -> date | None:
    text = query.get(key, "")
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text or day.year == date.max.year:
        raise BadQuery(say("“{key}” is no day: write it as 2026-03-01.", key=key))
    return day


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _row(row: JournalEntry) -> JournalRow:
    return JournalRow(
        id=row.pk,
        at=row.at,
        account_id=row.account_id,
        actor=row.actor,
        act=row.act,
        subject=row.subject,
        source=row.source,
        hand=row.hand,
        player=row.player,
        detail=row.detail,
        address=row.address,
        visit=row.visit,
        key=row.key,
    )


def _review(row: Review) -> ReviewRow:
    return ReviewRow(
        id=row.pk,
        kind=ReviewKind(row.kind),
        reviewed_at=row.reviewed_at,
        reviewed_by=row.reviewed_by.get_username(),
        first=row.first,
        last=row.last,
        note=row.note,
        facts=row.facts,
    )
