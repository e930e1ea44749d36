"""Figures for a dashboard, out of the counters that uploads and chunks carry: one query, so that
whichever process is asked gives the same answer. No hand is read for it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from audit.models import ChunkState, UploadState

VERDICTS = ("clean", "consistent", "discrepant", "void", "rejected", "failed")
ARRIVALS = ("new", "duplicate", "conflict", "restated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`lines` by verdict, `hands` by how they stood to those known, uploads and chunks by state.

    Of a file that is still arriving nothing is counted but the upload. `queue_seconds` is how long
    the oldest chunk has waited since its file was whole, 0 when none waits. `tables_waiting` have
    hands that are still to be compared with the ones before them.
    """

    lines: dict[str, int]
    hands: dict[str, int]
    byte_count: int
    uploads: dict[str, int]
    chunks: dict[str, int]
    queue_seconds: float
    tables_waiting: int


def _sums(names: tuple[str, ...]) -> str:
    return ", ".join(f"coalesce(sum({name}_count), 0)::bigint" for name in names)


def _states(values: list[str]) -> str:
    return ", ".join(f"count(*) FILTER (WHERE state = '{value}')" for value in values)


# Only an upload that is whole has counts other than 0, so the sums never fall.
_QUERY = f"""
SELECT u.*, c.*, q.*, t.* FROM
    (SELECT {_sums(VERDICTS)}, {_sums(ARRIVALS)},
        coalesce(sum(byte_count) FILTER (WHERE sha256 IS NOT NULL), 0)::bigint,
        {_states(UploadState.values)} FROM audit_upload) u,
    (SELECT {_states(ChunkState.values)} FROM audit_chunk) c,
    (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(f.touched_at)), 0)::float8
        FROM audit_chunk o JOIN audit_upload f ON f.id = o.upload_id
        WHERE o.state IN ('queued', 'running') AND f.state <> 'receiving') q,
    (SELECT count(DISTINCT table_id) FROM audit_tabletouch) t
"""  # noqa: S608 - from constants


def read_figures() -> Figures:
    """Raises: django.db.DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute(_QUERY)
        row = iter(cursor.fetchone())
    return Figures(
        lines={name: next(row) for name in VERDICTS},
        hands={name: next(row) for name in ARRIVALS},
        byte_count=next(row),
        uploads={name: next(row) for name in UploadState.values},
        chunks={name: next(row) for name in ChunkState.values},
        queue_seconds=max(0.0, next(row)),
        tables_waiting=next(row),
    )
