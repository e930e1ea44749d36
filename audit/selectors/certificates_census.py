"""Cheap questions about many table-days at once: is anything there, and is it still the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date

from django.db import connection

from audit.selectors.certificates_days import (
    IN_PLACE,
    PLACES,
    Rule,
    Span,
    day_span,
    place_columns,
)

_SOMETHING = f"""
SELECT p.position FROM {PLACES}
WHERE EXISTS (SELECT FROM audit_hand h WHERE {IN_PLACE.format(of="h")})
    OR EXISTS (SELECT FROM audit_sortedrefusal r WHERE {IN_PLACE.format(of="r")})
"""  # noqa: S608 - from constants

# Which hands in which version with which verdict, and which records and lines came besides.
_DIGESTS = f"""
SELECT p.position, hands.*, more.*, refused.*
FROM {PLACES}
CROSS JOIN LATERAL (
    SELECT count(*), sum(hashtextextended(concat_ws(
        ',', h.id, h.version_id, h.verdict_id, h.verdict_kind, h.is_conflict
    ), 0))
    FROM audit_hand h WHERE {IN_PLACE.format(of="h")} AND NOT h.is_replaced
) hands
CROSS JOIN LATERAL (
    SELECT count(*), sum(hashtextextended(concat_ws(',', v.id, coalesce(d.id, 0)), 0))
    FROM audit_hand h JOIN audit_handversion v ON v.hand_id = h.id
    LEFT JOIN audit_duplicate d ON d.version_id = v.id
    WHERE {IN_PLACE.format(of="h")}
) more
CROSS JOIN LATERAL (
    SELECT count(*), sum(hashtextextended(concat_ws(',', r.upload_id, r.line), 0))
    FROM audit_sortedrefusal r WHERE {IN_PLACE.format(of="r")}
) refused
ORDER BY p.position
"""  # noqa: S608


def tables_with_something(places: Sequence[tuple[str, str, Span]]) -> set[int]:
    """The positions of the places that have a hand or a refused line."""
    if not places:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(_SOMETHING, place_columns(places))
        return {position for (position,) in cursor.fetchall()}


def facts_digests(places: Sequence[tuple[str, str, Rule, date]]) -> list[bytes]:
    """A digest of the rows that the certificate of each place is made of, in the order given.

    Rows elsewhere that a content depends on, too (a missing number found at another table, the next
    day's first hand, the hand of a refused id), are not in it: only drawing the content up again
    tells of those, and most that come there change nothing.
    """
    if not places:
        return []
    spans = [(source, table, day_span(rule, day)) for source, table, rule, day in places]
    with connection.cursor() as cursor:
        cursor.execute(_DIGESTS, place_columns(spans))
        rows = cursor.fetchall()
    return [
        hashlib.sha256(
            "|".join(map(str, (*row[1:], rule.time_zone, rule.starts_at, rule.numbering))).encode()
        ).digest()
        for row, (_, _, rule, _) in zip(rows, places, strict=True)
    ]
