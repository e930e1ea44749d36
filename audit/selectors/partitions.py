"""The partitions of hands, versions, verdicts and findings: what there is, and what is amiss.

Each of the four tables has the same months (ADR 6), one for what was stored before there were
months, and one for what has no month of its own, which is to be empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from django.db import connection

from audit.selectors.months import MONTH_BITS, day_of, month_at

# Each with the column by whose ranges it is parted.
PARTED = {
    "audit_hand": "id",
    "audit_handversion": "hand_id",
    "audit_verdict": "version_id",
    "audit_finding": "verdict_id",
}
BEFORE, REST = "before", "rest"
# So many months stand ready beside this one.
AHEAD = 3

_PARTITIONS = """
SELECT p.relname, c.relname, pg_get_expr(c.relpartbound, c.oid), greatest(c.reltuples, 0)::int8,
    pg_total_relation_size(c.oid)
FROM pg_inherits i
JOIN pg_class p ON p.oid = i.inhparent
JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = ANY(%s::text[]::regclass[])
ORDER BY p.relname, c.relname
"""
_BOUNDS = re.compile(r"FOR VALUES FROM \('(\d+)'\) TO \('(\d+)'\)")

# A trigger of a statement is not handed down by a parent, one of a row is.
_UNGUARDED = """
SELECT c.relname, t.tgname
FROM pg_trigger t
JOIN pg_inherits i ON i.inhparent = t.tgrelid
JOIN pg_class c ON c.oid = i.inhrelid
WHERE t.tgrelid = ANY(%s::text[]::regclass[]) AND NOT t.tgisinternal
    AND NOT EXISTS (
        SELECT FROM pg_trigger o
        WHERE o.tgrelid = c.oid AND o.tgname = t.tgname AND o.tgenabled = t.tgenabled
    )
ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One partition of one table; `first` and `until` are numbers of months, the last one not
    included, None for the two that are no months. `rows` is what the planner thinks."""

    table: str
    name: str
    first: int | None
    until: int | None
    rows: int
    size: int

    @property
    def part(self) -> str:
        """The name without the table's, as 2026_11."""
        return self.name.removeprefix(f"{self.table}_")


def list_partitions() -> tuple[Partition, ...]:
    """All partitions of the four tables, by table and name."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTITIONS, [list(PARTED)])
        rows = cursor.fetchall()
    found = []
    for table, name, bounds, count, size in rows:
        range_ = _BOUNDS.fullmatch(bounds)
        first, until = (
            (None, None)
            if range_ is None
            else (int(range_[1]) >> MONTH_BITS, int(range_[2]) >> MONTH_BITS)
        )
        found.append(
            Partition(table=table, name=name, first=first, until=until, rows=count, size=size)
        )
    return tuple(found)


def missing_months(today: date, *, ahead: int = AHEAD) -> tuple[int, ...]:
    """The months from this one on that have no partition in some of the tables."""
    now = month_at(today)
    found = list_partitions()
    return tuple(
        month
        for month in range(now, now + ahead + 1)
        if {one.table for one in found if _covers(one, month)} != set(PARTED)
    )


def _covers(partition: Partition, month: int) -> bool:
    if partition.first is None or partition.until is None:
        return False
    return partition.first <= month < partition.until


def months_of_rest() -> tuple[int, int] | None:
    """The first and the last month of the rows that have no month of their own; None: no rows."""
    parts = " UNION ALL ".join(
        f"SELECT min({column}) AS least, max({column}) AS most FROM {table}_{REST}"  # noqa: S608
        for table, column in PARTED.items()
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT min(least), max(most) FROM ({parts}) parts")  # noqa: S608
        least, most = cursor.fetchone()
    return None if least is None else (least >> MONTH_BITS, most >> MONTH_BITS)


def unguarded() -> tuple[tuple[str, str], ...]:
    """Each partition that lacks a trigger of its table, with the trigger's name."""
    with connection.cursor() as cursor:
        cursor.execute(_UNGUARDED, [list(PARTED)])
        return tuple((name, trigger) for name, trigger in cursor.fetchall())


def month_name(month: int) -> str:
    """A month as the name of a partition has it."""
    return f"{day_of(month):%Y_%m}"


def partition_trouble(today: date) -> str | None:
    """What is amiss with the partitions, in a sentence that says what to do; None: nothing."""
    missing = unguarded()
    if missing:
        name, trigger = missing[0]
        return (
            f"The partition {name} lacks the guard {trigger} of its table"
            f" ({len(missing)} in all): run manage.py partitions make."
        )
    rest = months_of_rest()
    if rest is not None:
        return (
            f"Rows lie in no month of their own (from {day_of(rest[0]):%Y-%m} to"
            f" {day_of(rest[1]):%Y-%m}): see that the clock is right and that beat runs, then"
            " manage.py partitions make."
        )
    late = missing_months(today, ahead=1)
    if late:
        return (
            f"The partition of {day_of(late[0]):%Y-%m} is missing: see that beat runs, then"
            " manage.py partitions make."
        )
    return None
