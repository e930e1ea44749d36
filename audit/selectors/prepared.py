"""Statements that the database plans once for a connection, and then only carries out.

What a step's page asks is planned for longer than it is looked for, the more so the more months
there are. PostgreSQL keeps a plan that fits every hand where that seems no dearer than one for the
hand at hand. Of a row in some month it knows only that each month may have one: where `LIMIT 1`
stands with it, it is not taken for as many rows as there are months.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.types.numeric import Int8

# psycopg prepares what was asked more often than this; Django tells it None, which is never.
AT_ONCE = 0


def prepared_row(statement: str, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The first row that a statement gives, None where it gives none. It is prepared with its first
    use on a connection, and should be one of a few: what changes stands in `parameters` alone."""
    if connection.queries_logged:
        # Whoever has the questions written down reads them with their values.
        with connection.cursor() as cursor:
            return _first(cursor, statement, parameters)
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    line = connection.connection
    # psycopg tells small numbers from large ones, and each kind would be another statement.
    sized = {name: Int8(one) if type(one) is int else one for name, one in parameters.items()}
    line.prepare_threshold, before = AT_ONCE, line.prepare_threshold
    try:
        # Django's own cursors write values into the text, and each would be another statement, too.
        with CursorWrapper(psycopg.Cursor(line), connection) as cursor:
            return _first(cursor, statement, sized)
    finally:
        line.prepare_threshold = before


def _first(
    cursor: CursorWrapper, statement: str, parameters: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    cursor.execute(statement, parameters)
    row: tuple[Any, ...] | None = cursor.fetchone() if cursor.description else None
    return row
