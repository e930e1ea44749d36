"""Everything that a dump of the store holds, read as somebody would who looks for a name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from django.db import connection

from audit.zstd import unpacked


def everything() -> Iterator[tuple[str, bytes]]:
    """Each value of each row of each table, with its place; packed bytes unpacked, too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name)"
            " WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
            " ORDER BY c.table_name, c.ordinal_position"
        )
        for table, column, kind in cursor.fetchall():
            cast = "" if kind == "bytea" else "::text"
            cursor.execute(f'SELECT "{column}"{cast} FROM "{table}" WHERE "{column}" IS NOT NULL')
            for (value,) in cursor.fetchall():
                data = value.encode() if isinstance(value, str) else bytes(value)
                yield f"{table}.{column}", data
                if kind == "bytea":
                    yield f"{table}.{column}", _unpacked(data)


def _unpacked(data: bytes) -> bytes:
    try:
        return unpacked(data)
    except Exception:
        return b""


def places_of(name: str) -> set[str]:
    """Where the name stands, spelt in any way in which a log, an address or the store spells it."""
    spelt = {name.encode(), json.dumps(name)[1:-1].encode(), name.encode("utf-16-le")}
    spelt |= {quote(name).encode(), quote_plus(name).encode(), repr(name)[1:-1].encode()}
    return {place for place, data in everything() if any(one in data for one in spelt)}


def places_of_hashes(hashes: set[bytes]) -> set[str]:
    """Where one of these hashes stands, as bytes or in hexadecimal."""
    spelt = hashes | {one.hex().encode() for one in hashes}
    return {place for place, data in everything() if any(one in data for one in spelt)}
