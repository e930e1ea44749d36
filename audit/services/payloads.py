"""How a chunk keeps its lines: MessagePack lists of number, offset and exact bytes, each list a
frame of zstd, one frame behind the other.

A list of so many lines fits into the processor's cache: the lines of a whole chunk in one frame
took nearly twice as long to unpack.

A payload has some megabytes, so it goes to the database and back in binary: written into a
statement as text it would be twice as large and be read letter by letter.
"""

from __future__ import annotations

from typing import Any

import msgspec
import psycopg
from django.db import connection

from audit.zstd import packed, unpacked, zstd

FRAME_LINES = 500


class ChunkLine(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line: its number from 1, the byte at which it starts after unpacking, its bytes."""

    number: int
    offset: int
    data: bytes


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[ChunkLine])


def pack_lines(lines: list[ChunkLine]) -> bytes:
    starts = range(0, len(lines), FRAME_LINES)
    return b"".join([pack_frame(lines[start : start + FRAME_LINES]) for start in starts])


def pack_frame(lines: list[ChunkLine]) -> bytes:
    """The next lines of a chunk, of which FRAME_LINES make a frame; behind other frames of it."""
    return packed(_ENCODER.encode(lines))


def unpack_lines(payload: bytes | memoryview) -> list[ChunkLine]:
    """All lines of a chunk. Raises: zstd.ZstdError when it is damaged, or empty."""
    lines: list[ChunkLine] = []
    rest = memoryview(payload)
    while True:
        size = zstd.get_frame_size(rest)
        lines += _DECODER.decode(unpacked(rest[:size]))
        rest = rest[size:]
        if not rest:
            return lines


_INSERT = """
INSERT INTO audit_chunk (upload_id, number, first_line, line_count, payload, state, attempts, error)
VALUES (%s, %s, %s, %s, %b, 'queued', 0, '')
RETURNING id
"""
_LOAD = "SELECT payload FROM audit_chunk WHERE id = %s"


def store_chunk(
    *, upload_id: int, number: int, first_line: int, line_count: int, payload: bytes
) -> int:
    """Insert a chunk of packed lines that waits for its first attempt; returns its key."""
    chunk_id = _ask(_INSERT, [upload_id, number, first_line, line_count, payload])
    assert isinstance(chunk_id, int)
    return chunk_id


def load_payload(chunk_id: int) -> bytes:
    """The payload of a chunk that is there."""
    payload = _ask(_LOAD, [chunk_id])
    assert isinstance(payload, bytes)
    return payload


def _ask(statement: str, values: list[Any]) -> Any:
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        row = cursor.execute(statement, values, binary=True).fetchone()
    assert row is not None
    return row[0]
