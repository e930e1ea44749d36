"""Keeping the counts of uploads true when hands change from one kind to another.

A line of the current version of a hand counts as its hand stands. Whoever calls this holds the
locks of these hands, so that no line comes to them meanwhile; uploads are locked last, and in the
order of their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """The current version of a hand and the kinds that the hand was and is."""

    version_id: int
    before: str
    after: str


_LINES = """
SELECT upload_id, before, after, count(*)
FROM (
    SELECT v.upload_id, c.before, c.after
    FROM unnest(%(versions)s::int8[], %(before)s::text[], %(after)s::text[])
        AS c (version, before, after)
    JOIN audit_handversion v ON v.id = c.version
    UNION ALL
    SELECT d.upload_id, c.before, c.after
    FROM unnest(%(versions)s::int8[], %(before)s::text[], %(after)s::text[])
        AS c (version, before, after)
    JOIN audit_duplicate d ON d.version_id = c.version
    WHERE NOT (d.upload_id = %(upload)s AND d.line = ANY(%(lines)s::int8[]))
) changed
GROUP BY upload_id, before, after
"""

_LOCK = "SELECT id FROM audit_upload WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"

_SHIFT = """
UPDATE audit_upload u SET
    clean_count = clean_count + s.clean,
    discrepant_count = discrepant_count + s.discrepant,
    void_count = void_count + s.void
FROM unnest(%s::int8[], %s::int8[], %s::int8[], %s::int8[]) AS s (id, clean, discrepant, void)
WHERE u.id = s.id
"""


def recount(
    cursor: Any, changes: Sequence[Change], *, upload_id: int = 0, but_lines: Sequence[int] = ()
) -> None:
    """Count the lines of these versions anew; not `but_lines` of an upload, not yet counted."""
    values = {
        "versions": [change.version_id for change in changes],
        "before": [change.before for change in changes],
        "after": [change.after for change in changes],
        "upload": upload_id,
        "lines": list(but_lines),
    }
    cursor.execute(_LINES, values)
    shifts: dict[int, dict[str, int]] = {}
    for upload, before, after, count in cursor.fetchall():
        shift = shifts.setdefault(upload, {"clean": 0, "discrepant": 0, "void": 0})
        shift[before] -= count
        shift[after] += count
    # With the caller's own upload, whose row it will want next.
    cursor.execute(_LOCK, [sorted({*shifts, upload_id})])
    columns = [
        [shift[kind] for shift in shifts.values()] for kind in ("clean", "discrepant", "void")
    ]
    cursor.execute(_SHIFT, [list(shifts), *columns])
