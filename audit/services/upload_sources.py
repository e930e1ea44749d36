"""Noting of which sources an upload has lines: that says who may see it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection

from audit.models import Upload

# In the order of their keys, as all who write them do.
_NOTE = """
INSERT INTO audit_uploadsource AS known (upload_id, source, has_hands)
SELECT %(upload)s, n.source, n.has_hands
FROM unnest(%(sources)s::text[], %(with_hands)s::bool[]) AS n (source, has_hands)
ORDER BY n.source COLLATE "C"
ON CONFLICT (upload_id, source) DO UPDATE SET has_hands = true
WHERE excluded.has_hands AND NOT known.has_hands
"""


def note_sources(upload_id: int, *, with_hands: Iterable[str], named: Iterable[str] = ()) -> None:
    """Note the sources of some hands of an upload, and those that refused lines of it name.

    In the caller's transaction, best at its end: whoever notes the same waits for it.
    """
    known = dict.fromkeys(named, False) | dict.fromkeys(with_hands, True)
    if not known:
        return
    values: dict[str, Any] = {
        "upload": upload_id,
        "sources": list(known),
        "with_hands": list(known.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, values)


def limit_of(upload_id: int) -> frozenset[str] | None:
    """The sources whose hands the sender may hand in; None where all."""
    found = Upload.objects.filter(pk=upload_id).values_list("limited_to", flat=True).first()
    return None if found is None else frozenset(found)
