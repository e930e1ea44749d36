"""Finding the lines that a chunk fails on, so that they are set aside and the rest goes through.

Where an error says so, the chunk is halved within one lease until the line stands alone. Where a
worker ends without a word there is nobody to ask, so the chunk is divided into smaller ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Max

from audit.models import Chunk, ChunkState, Upload
from audit.services.payloads import ChunkLine, pack_lines, unpack_lines
from audit.services.queueing import queue_on_commit

# A chunk whose workers die is divided so often until its line stands alone: a chunk of 5,000 lines
# four times, each at the price of one lease.
PARTS = 16
# SQLSTATE classes that speak of the database's own state and not of what it was given: connection,
# rollback of a transaction, resources, locks, an operator, the system.
PASSING_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

Counted = TypeVar("Counted")


def is_passing(error: BaseException) -> bool:
    """Whether the database went away, or was busy, and no line is to blame."""
    if not isinstance(error, (DatabaseError, InterfaceError)):
        return False
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    if sqlstate is None:
        return isinstance(error, (OperationalError, InterfaceError))
    return sqlstate[:2] in PASSING_CLASSES


def words_of(error: BaseException) -> str:
    """What an error says, without the context that a database appends."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def sift_lines(
    lines: list[ChunkLine],
    *,
    store: Callable[[list[ChunkLine]], Counted],
    set_aside: Callable[[ChunkLine, str], Counted],
) -> list[Counted]:
    """Store lines that failed together, by halves; a line that fails alone is set aside.

    Bounded: of n lines at most 2n pieces are tried, and each line log2(n) + 1 times. The caller's
    transaction holds it all; each piece has a savepoint, and meets there what is otherwise checked
    at the commit. Raises what says nothing of a line: a database that went away, a time that ran
    out, and whatever `set_aside` fails with.
    """
    if len(lines) == 1:
        pieces = [lines]
    else:
        middle = len(lines) // 2
        pieces = [lines[:middle], lines[middle:]]
    counted: list[Counted] = []
    for piece in pieces:
        try:
            with transaction.atomic():
                result = store(piece)
                _check_now()
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            if is_passing(error):
                raise
            if len(piece) > 1:
                counted += sift_lines(piece, store=store, set_aside=set_aside)
            else:
                with transaction.atomic():
                    counted.append(set_aside(piece[0], words_of(error)))
        else:
            counted.append(result)
    return counted


def _check_now() -> None:
    """Have deferred constraints checked here and not at the commit, where no line is known."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def divide_chunk(chunk: Chunk, *, attempts: int) -> None:
    """Turn a chunk of several lines into up to PARTS chunks that have had `attempts`, and queue
    the new ones; the chunk itself keeps the first lines.

    The caller's transaction holds the chunk locked. Raises where its payload is damaged.
    """
    lines = unpack_lines(chunk.payload)
    assert len(lines) == chunk.line_count > 1
    size = -(-len(lines) // PARTS)
    # The upload's lock makes two chunks that divide at once number their parts one after the other.
    Upload.objects.select_for_update().get(pk=chunk.upload_id)
    last = Chunk.objects.filter(upload_id=chunk.upload_id).aggregate(last=Max("number"))["last"]
    parts = [
        Chunk(
            upload_id=chunk.upload_id,
            number=last + start // size,
            first_line=lines[start].number,
            line_count=len(lines[start : start + size]),
            payload=pack_lines(lines[start : start + size]),
            attempts=attempts,
            error=chunk.error,
        )
        for start in range(size, len(lines), size)
    ]
    queue_on_commit([part.pk for part in Chunk.objects.bulk_create(parts)])
    Chunk.objects.filter(pk=chunk.pk).update(
        line_count=size,
        payload=pack_lines(lines[:size]),
        attempts=attempts,
        state=ChunkState.QUEUED,
        lease_until=None,
        error=chunk.error,
    )
