"""The gaming day of a table: which rule holds there, where a day begins and ends, whose day it is.

With a time zone a day is a span of instants, from one reaching of its hour to the next: 23 or 25
hours where the clocks change. Without one each hand is taken in the offset that was logged with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from audit.models import DayRule, Numbering
from audit.selectors.access import Sources

FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How days are reckoned at a place; see models.DayRule. `made_by` is empty for the default."""

    source: str = ""
    table: str = ""
    time_zone: str = ""
    starts_at: int = 0
    numbering: str = Numbering.DETECT.value
    made_by: str = ""
    made_at: datetime | None = None

    @property
    def starts(self) -> str:
        """The hour at which a day begins, as 06:00."""
        return f"{self.starts_at // 60:02d}:{self.starts_at % 60:02d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where the hands of one day lie, both ends included.

    With a time zone that is all. Else `wall` is the day in the logged offset and `starts` its first
    minute there: hands of that day before it belong to the day before, and those of the next day
    before it to this one.
    """

    since: datetime
    until: datetime
    wall: date | None = None
    starts: str = "00:00"

    @property
    def first_minute(self) -> str:
        """Before the first day that there is lies none that could have its early hands."""
        return "00:00" if self.wall == date.min else self.starts


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force, by place."""

    by_place: Mapping[tuple[str, str], Rule]

    def of(self, source: str, table: str) -> Rule:
        """The rule of a table: its own, else its source's, else that of all, else the default."""
        for place in ((source, table), (source, ""), ("", "")):
            if place in self.by_place:
                return self.by_place[place]
        return Rule()


def rules_shown(*, sources: Sources) -> Rules:
    """The rules in force of these sources and their tables, and that of all places, which holds
    for them, too."""
    rules = current_rules()
    if sources is None:
        return rules
    return Rules(
        {
            (source, table): rule
            for (source, table), rule in rules.by_place.items()
            if not source or source in sources
        }
    )


def current_rules() -> Rules:
    """The newest rule of each place."""
    newest = DayRule.objects.order_by("source", "table", "-id").distinct("source", "table")
    rows = newest.values_list(
        "source", "table", "time_zone", "starts_at", "numbering", "made_by__username", "made_at"
    )
    return Rules(
        {
            (source, table): Rule(
                source=source,
                table=table,
                time_zone=zone,
                starts_at=starts_at,
                numbering=numbering,
                made_by=made_by,
                made_at=made_at,
            )
            for source, table, zone, starts_at, numbering, made_by, made_at in rows
        }
    )


@cache
def zone_names() -> tuple[str, ...]:
    """The time zones that may be named, sorted."""
    return tuple(sorted(available_timezones()))


def is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return name in zone_names()


def day_span(rule: Rule, day: date) -> Span:
    """Where the hands of a gaming day lie."""
    if not rule.time_zone:
        return Span(since=_moved(day, -1), until=_moved(day, 3), wall=day, starts=rule.starts)
    zone = ZoneInfo(rule.time_zone)
    # The first and the last day that there are take in what lies beyond them.
    return Span(
        since=FIRST if day == date.min else start_of(zone, day, rule.starts_at),
        until=LAST if day == date.max else start_of(zone, day + _DAY, rule.starts_at) - _TICK,
    )


def gaming_day(rule: Rule, played_at: datetime, started_at: str) -> date:
    """The day to which a hand belongs, by its instant and the time as it was logged."""
    if not rule.time_zone:
        wall = date.fromisoformat(started_at[:10])
        is_before = started_at[11:16] < rule.starts and wall > date.min
        return wall - _DAY if is_before else wall
    zone = ZoneInfo(rule.time_zone)
    try:
        day = (played_at.astimezone(zone) - timedelta(minutes=rule.starts_at)).date()
    except OverflowError:
        return date.min if played_at.year == 1 else date.max
    # Where the clock is put back a local time comes twice: the day began with the first.
    if played_at < start_of(zone, day, rule.starts_at):
        return day - _DAY if day > date.min else day
    if day < date.max and played_at >= start_of(zone, day + _DAY, rule.starts_at):
        return day + _DAY
    return day


def start_of(zone: ZoneInfo, day: date, minutes: int) -> datetime:
    """The first instant of a day: when its clock first shows the hour, or has leapt past it."""
    wall = datetime.combine(day, time(minutes // 60, minutes % 60))
    try:
        early = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if early.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
            return early
        # The hour does not exist that day; the leap lies between the two readings of it.
        low, high = wall.replace(tzinfo=zone, fold=1).astimezone(UTC), early
    except OverflowError:
        return FIRST if day.year == 1 else LAST
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)


def _moved(day: date, days: int) -> datetime:
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    try:
        return midnight + days * _DAY
    except OverflowError:
        return FIRST if days < 0 else LAST


# Columns of `p`, one row a place; what is asked of `h` (or whatever `{of}` names) to lie in it.
PLACES = """
unnest(%s::int4[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::date[],
    %s::text[], %s::text[])
    AS p (position, source, name, since, until, wall, first_minute, starts)
"""
IN_PLACE = """
{of}.source = p.source AND {of}."table" = p.name
AND {of}.played_at >= p.since AND {of}.played_at <= p.until
AND (
    p.wall IS NULL
    OR ({of}.played_on = p.wall AND substr({of}.started_at, 12, 5) >= p.first_minute)
    OR ({of}.played_on = p.wall + 1 AND substr({of}.started_at, 12, 5) < p.starts)
)
"""


def place_columns(places: Sequence[tuple[str, str, Span]]) -> list[list[Any]]:
    """The parameters of PLACES: source, table and day of each."""
    return [
        list(range(len(places))),
        [source for source, _, _ in places],
        [table for _, table, _ in places],
        [span.since for _, _, span in places],
        [span.until for _, _, span in places],
        [span.wall for _, _, span in places],
        [span.first_minute for _, _, span in places],
        [span.starts for _, _, span in places],
    ]
