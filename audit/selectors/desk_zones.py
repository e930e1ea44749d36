"""The zone of a table, and days counted in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from django.db.models import Q

from audit.models import DayRule


def zone_of(source: str, table: str, started_at: str | None = None) -> tzinfo:
    """The zone of the newest day rule of a table, else of its source, else of all sources.

    Where none names a zone it is the offset that a hand was logged with, or UTC.
    """
    places = Q(source=source, table=table) | Q(source=source, table="") | Q(source="", table="")
    rules = {
        (rule.source, rule.table): rule.time_zone
        for rule in DayRule.objects.filter(places).order_by("id")
    }
    for place in ((source, table), (source, ""), ("", "")):
        if place in rules:
            if rules[place]:
                return ZoneInfo(rules[place])
            break
    return offset_of(started_at) if started_at is not None else UTC


def offset_of(started_at: str) -> tzinfo:
    """The offset of a logged time as a zone."""
    if started_at[-1:] in ("Z", "z"):
        return UTC
    return datetime.fromisoformat(f"2000-01-01T00:00:00{started_at[-6:]}").tzinfo or UTC


def days_after(instant: datetime, days: int, zone: tzinfo) -> datetime:
    """The same time of day so many calendar days later, whatever the clocks do meanwhile.

    A time that comes twice means the later one, and one that never comes is moved on: who has a
    deadline is never given less than the days promised.
    """
    wall = instant.astimezone(zone).replace(tzinfo=None) + timedelta(days=days)
    both = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return max(both)
