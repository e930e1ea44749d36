"""Making partitions ahead, and dropping those of months that retention has emptied.

How a partition is made is said in the database (`audit_add_partition`), so that it holds whatever
its table holds, guards included.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection, transaction

from audit.selectors.months import day_of, month_at
from audit.selectors.partitions import (
    AHEAD,
    PARTED,
    REST,
    Partition,
    list_partitions,
    missing_months,
    month_name,
    months_of_rest,
)

# Who waits for a lock keeps everybody behind it waiting.
LOCK_SECONDS = 5
# From here on statistics of a parted table can be had without those of each partition.
_ANALYZE_ONLY = 180000


class PartitionsRefused(Exception):
    """What was asked cannot be done; the text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What dropping a month frees, or would."""

    month: date
    names: tuple[str, ...]
    size: int


def make_months(*, today: date, ahead: int = AHEAD) -> tuple[date, ...]:
    """Make the partitions of this month and of those ahead that are missing; returns their days.

    Rows that have no month of their own get one first. Safe to run twice and at once.
    Raises: PartitionsRefused; OperationalError where somebody holds a lock for too long.
    """
    with _locked() as cursor:
        _settle_rest(cursor)
        made = missing_months(today, ahead=ahead)
        there = {one.name for one in list_partitions()}
        for month in made:
            for table in PARTED:
                name = f"{table}_{month_name(month)}"
                if name not in there:
                    _add(cursor, table, name, month, month + 1)
        for one in list_partitions():
            cursor.execute("SELECT audit_dress_partition(%s, %s)", [one.table, one.name])
    return tuple(day_of(month) for month in made)


def _settle_rest(cursor: Any) -> None:
    """Let the partition of what has no month be the one of the months that its rows are of.

    Nothing is copied. An empty one takes its place.
    """
    span = months_of_rest()
    if span is None:
        return
    first, until = span[0], span[1] + 1
    part = month_name(first) if until == first + 1 else f"{month_name(first)}_on"
    taken = [
        one.name
        for one in list_partitions()
        if one.first is not None
        and one.until is not None
        and one.first < until
        and one.until > first
    ]
    if taken:
        raise PartitionsRefused(
            f"Rows without a month are of {day_of(first):%Y-%m} to {day_of(span[1]):%Y-%m}, and"
            f" {taken[0]} lies between: docs/operations.md says what to do."
        )
    for table in PARTED:
        rest, name = f"{table}_{REST}", f"{table}_{part}"
        cursor.execute(f"ALTER TABLE {table} DETACH PARTITION {rest}")
        cursor.execute(f"ALTER TABLE {rest} RENAME TO {name}")
        cursor.execute(
            f"ALTER TABLE {table} ATTACH PARTITION {name}"
            f" FOR VALUES FROM ({first}::int8 << 40) TO ({until}::int8 << 40)"
        )
        cursor.execute("SELECT audit_name_indexes(%s, %s)", [table, name])
        _add(cursor, table, rest, None, None)


def _add(cursor: Any, table: str, name: str, first: int | None, until: int | None) -> None:
    cursor.execute("SELECT audit_add_partition(%s, %s, %s, %s)", [table, name, first, until])


def drop_month(*, month: date, today: date, is_rehearsal: bool) -> Dropped:
    """Drop the partitions of a month that is over and whose rows a retention run has deleted.

    The rows are asked for under the lock, so that none is lost that came meanwhile.
    Raises: PartitionsRefused; OperationalError where somebody holds a lock for too long.
    """
    number = month_at(month)
    if number >= month_at(today):
        raise PartitionsRefused(f"{month:%Y-%m} is not over.")
    parts = tuple(
        one for one in list_partitions() if one.first == number and one.until == number + 1
    )
    if not parts:
        raise PartitionsRefused(f"{month:%Y-%m} has no partition.")
    with _locked() as cursor:
        for one in parts:
            if not is_rehearsal:
                cursor.execute(f"LOCK TABLE {one.name} IN ACCESS EXCLUSIVE MODE")
            _refuse_filled(cursor, one, month)
        if not is_rehearsal:
            for one in parts:
                cursor.execute(f"ALTER TABLE {one.table} DETACH PARTITION {one.name}")
                cursor.execute(f"DROP TABLE {one.name}")
    return Dropped(
        month=month, names=tuple(one.name for one in parts), size=sum(one.size for one in parts)
    )


def _refuse_filled(cursor: Any, one: Partition, month: date) -> None:
    cursor.execute(f"SELECT EXISTS (SELECT FROM {one.name})")  # noqa: S608 - from the catalogue
    if cursor.fetchone()[0]:
        raise PartitionsRefused(
            f"{one.name} holds rows: manage.py retention deletes what is of age, under a run with a"
            f" certificate; what it leaves of {month:%Y-%m} is to be kept."
        )


def analyze_parents() -> None:
    """Let the planner know the four tables as wholes: by itself the server only looks at parts."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        word = "ONLY " if int(cursor.fetchone()[0]) >= _ANALYZE_ONLY else ""
        for table in PARTED:
            cursor.execute(f"ANALYZE {word}{table}")


@contextmanager
def _locked() -> Iterator[Any]:
    """A transaction in which one at a time changes the partitions."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('tilecourt partitions'))")
        yield cursor
