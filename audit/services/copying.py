"""Rows in by COPY and out by a query, in binary, with what psycopg itself does slowly or not at all
encoded here."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg
from django.db import connection

# Name and type of each column. A value of type `encoded` is bytes as PostgreSQL wants them.
Columns = tuple[tuple[str, str], ...]
_ENCODED = "encoded"

_VARCHAR_OID, _TEXT_OID = 1043, 25
_ARRAY = struct.Struct(">iiiii")
_LENGTH = struct.Struct(">i")
_EMPTY_ARRAY = struct.Struct(">iii")
NO_NAMES = _EMPTY_ARRAY.pack(0, 0, _VARCHAR_OID)
NO_TEXTS = _EMPTY_ARRAY.pack(0, 0, _TEXT_OID)


def copy_rows(cursor: Any, table: str, columns: Columns, rows: Iterable[tuple[Any, ...]]) -> None:
    """Append rows to a table, in the order of the columns."""
    names = ", ".join(f'"{name}"' for name, _ in columns)
    statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        # A bytea is sent as it is, and so is what is encoded already.
        copy.set_types(["bytea" if kind == _ENCODED else kind for _, kind in columns])
        for row in rows:
            copy.write_row(row)


def fetch_rows(statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """All rows of a query. Its values, long arrays among them, are bound by the server and not
    written into its text; bytes come as they are and not as digits."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), values, binary=True).fetchall()


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
