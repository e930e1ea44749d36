"""The months that the tables of hands, versions, verdicts and findings are parted by, for tests."""

from __future__ import annotations

from django.db import connection


def partitions_of(table: str) -> list[str]:
    """The names of its partitions; of a table that has none, its own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass"
            " ORDER BY 1",
            [table],
        )
        return [name for (name,) in cursor.fetchall()] or [table]


def filled(*tables: str) -> set[str]:
    """The partitions of these tables that hold rows: reading an empty one costs nothing."""
    found = set()
    with connection.cursor() as cursor:
        for table in tables:
            for name in partitions_of(table):
                cursor.execute(f"SELECT EXISTS (SELECT FROM {name})")
                found |= {name for (is_any,) in cursor.fetchall() if is_any}
    return found
