"""Keeping count of the lines whose hands are discrepant because of the hand before them.

Whoever calls this holds the locks of these hands, so that no line comes to them meanwhile; uploads
are locked last, and in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.selectors.months import in_month_of

_LINES = f"""
SELECT upload_id, sum(shift)::int8
FROM (
    SELECT v.upload_id, c.shift
    FROM unnest(%(versions)s::int8[], %(shifts)s::int8[]) AS c (version, shift)
    JOIN audit_handversion v ON v.id = c.version AND {in_month_of("v.hand_id", "c.version")}
    UNION ALL
    SELECT d.upload_id, c.shift
    FROM unnest(%(versions)s::int8[], %(shifts)s::int8[]) AS c (version, shift)
    JOIN audit_duplicate d ON d.version_id = c.version
    WHERE NOT (d.upload_id = %(upload)s AND d.line = ANY(%(lines)s::int8[]))
) changed
GROUP BY upload_id
"""  # noqa: S608 - from constants

_LOCK = "SELECT id FROM audit_upload WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"

_SHIFT = """
UPDATE audit_upload u SET turned_count = turned_count + s.shift
FROM unnest(%s::int8[], %s::int8[]) AS s (id, shift)
WHERE u.id = s.id
"""


def count_turned(
    cursor: Any,
    shifts: Mapping[int, int],
    *,
    upload_id: int = 0,
    but_lines: Sequence[int] = (),
) -> None:
    """Count each line of these versions: 1 where its hand turned, -1 where it turned back.

    Not `but_lines` of an upload, which are not counted yet.
    """
    values = {
        "versions": list(shifts),
        "shifts": list(shifts.values()),
        "upload": upload_id,
        "lines": list(but_lines),
    }
    cursor.execute(_LINES, values)
    uploads = dict(cursor.fetchall())
    # With the caller's own upload, whose row it will want next.
    cursor.execute(_LOCK, [sorted({*uploads, upload_id})])
    cursor.execute(_SHIFT, [list(uploads), list(uploads.values())])
