"""Rows in by COPY and out by a query, in binary, with what psycopg itself does slowly or not at all
encoded here."""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import psycopg
from django.db import connection
from psycopg.abc import PQGen
from psycopg.copy import LibpqWriter
from psycopg.generators import fetch_many
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait

# Name and type of each column. A value of type `encoded` is bytes as PostgreSQL wants them.
Columns = tuple[tuple[str, str], ...]
_ENCODED = "encoded"

_VARCHAR_OID, _TEXT_OID = 1043, 25
_ARRAY = struct.Struct(">iiiii")
_LENGTH = struct.Struct(">i")
_EMPTY_ARRAY = struct.Struct(">iii")
# So many rows of a query are handed over at a time.
STREAMED_ROWS = 100
NO_NAMES = _EMPTY_ARRAY.pack(0, 0, _VARCHAR_OID)
NO_TEXTS = _EMPTY_ARRAY.pack(0, 0, _TEXT_OID)


def copy_rows(
    cursor: Any,
    table: str,
    columns: Columns,
    rows: Iterable[tuple[Any, ...]],
    *,
    meanwhile: Callable[[], object] | None = None,
) -> None:
    """Append rows to a table, in the order of the columns.

    `meanwhile` is called twice while the database takes them in: what it does then costs no time
    by the clock where a core is free. It must leave the connection alone; where it raises, the rows
    may or may not be in, and the transaction is to be rolled back.
    """
    names = ", ".join(f'"{name}"' for name, _ in columns)
    statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
    if meanwhile is None:
        copying = cursor.copy(statement)
    else:
        # The cursor that Django wraps: its own `copy` takes no writer where queries are noted.
        copying = cursor.cursor.copy(statement, writer=_Ahead(cursor.cursor, meanwhile))
    with connection.wrap_database_errors, copying as copy:
        # A bytea is sent as it is, and so is what is encoded already.
        copy.set_types(["bytea" if kind == _ENCODED else kind for _, kind in columns])
        for row in rows:
            copy.write_row(row)
        if meanwhile is not None:
            # So much as a socket holds is with the database by now.
            meanwhile()


class _Ahead(LibpqWriter):
    """Does something else between the end of the rows and the database's answer."""

    def __init__(self, cursor: psycopg.Cursor[Any], meanwhile: Callable[[], object]) -> None:
        super().__init__(cursor)
        self._meanwhile = meanwhile

    def finish(self, exc: BaseException | None = None) -> None:
        if exc is not None:
            super().finish(exc)
            return
        pgconn = self.connection.pgconn
        self.connection.wait(_send_end(pgconn))
        try:
            self._meanwhile()
        except BaseException:
            # The answer is read all the same: before that the connection takes no rollback.
            with suppress(psycopg.Error):
                self.connection.wait(_read_answer(pgconn))
            raise
        self.connection.wait(_read_answer(pgconn))


def _send_end(pgconn: PGconn) -> PQGen[None]:
    while pgconn.put_copy_end() == 0:
        yield Wait.W
    while pgconn.flush():
        yield Wait.W


def _read_answer(pgconn: PGconn) -> PQGen[None]:
    """Raises: psycopg.Error when the rows were not taken."""
    (result,) = yield from fetch_many(pgconn)
    if result.status != ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(result)


def fetch_rows(
    statement: str,
    values: Sequence[Any] | Mapping[str, Any],
    *,
    meanwhile: Callable[[], object] | None = None,
) -> list[tuple[Any, ...]]:
    """All rows of a query. Its values, long arrays among them, are bound by the server and not
    written into its text; bytes come as they are and not as digits.

    `meanwhile` is called while the database finds them, as that of `copy_rows` is.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        if meanwhile is None:
            cursor.execute(statement.encode(), values, binary=True)
        else:
            # What is sent in a pipeline is not waited for before its end.
            with connection.connection.pipeline():
                cursor.execute(statement.encode(), values, binary=True)
                meanwhile()
        return cursor.fetchall()


def stream_rows(
    statement: str, values: Sequence[Any] | Mapping[str, Any]
) -> Generator[tuple[Any, ...]]:
    """The rows of a query as `fetch_rows` gives them, while the database finds those behind them.

    Until they have come to an end, or are closed, the connection takes nothing else: whoever asked
    it in the meantime would wait for himself.
    """
    connection.ensure_connection()
    size = STREAMED_ROWS if psycopg.capabilities.has_stream_chunked() else 1
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield from cursor.stream(statement.encode(), values, binary=True, size=size)


def keys_text(keys: Iterable[int]) -> str:
    """Keys as the text of an array: in binary psycopg takes several times as long for each."""
    return f"{{{','.join(map(str, keys))}}}"


def encoded_names(names: Sequence[str]) -> bytes:
    """An array of varchar."""
    return _encoded_array(names, _VARCHAR_OID) if names else NO_NAMES


def encoded_texts(texts: Sequence[str]) -> bytes:
    """An array of text."""
    return _encoded_array(texts, _TEXT_OID) if texts else NO_TEXTS


def encoded_json(text: str | None) -> bytes | None:
    """A jsonb in its first and only version."""
    return None if text is None else b"\x01" + text.encode()


def _encoded_array(texts: Sequence[str], oid: int) -> bytes:
    parts = [_ARRAY.pack(1, 0, oid, len(texts), 1)]
    for text in texts:
        data = text.encode()
        parts.append(_LENGTH.pack(len(data)))
        parts.append(data)
    return b"".join(parts)
