"""How many rows each table holds and a sum over all that stands in them, to compare two stores."""

from __future__ import annotations

from dataclasses import dataclass

from django.apps import apps
from django.db import connection, transaction

_QUERY = """
SELECT count(*), coalesce(sum(hashtextextended(line::text, 0)), 0)::text FROM "{}" line
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCount:
    """`checksum` is over each row's whole text; the order of the rows does not matter."""

    table: str
    rows: int
    checksum: str


def take_census() -> tuple[TableCount, ...]:
    """Every table of ours as it stands at one instant. Reads all rows."""
    models = apps.get_app_config("audit").get_models()
    tables = sorted(model._meta.db_table for model in models)  # noqa: SLF001 - it is public
    counts = []
    with transaction.atomic(), connection.cursor() as cursor:
        if not connection.savepoint_ids:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for table in tables:
            cursor.execute(_QUERY.format(table))
            rows, checksum = cursor.fetchone()
            counts.append(TableCount(table=table, rows=rows, checksum=checksum))
    return tuple(counts)
