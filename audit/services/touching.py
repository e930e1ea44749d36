"""Having hands compared again that an upload did not bring.

A chunk writes its touches itself, as it stores its hands.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from audit.services.queueing import queue_tables_on_commit

_TABLES = """
INSERT INTO audit_table (source, name)
SELECT DISTINCT source, "table" FROM audit_hand WHERE id = ANY(%s)
ORDER BY source, "table"
ON CONFLICT (source, name) DO NOTHING
"""

_TOUCHES = """
INSERT INTO audit_tabletouch (table_id, since, until)
SELECT t.id, h.played_at, h.played_at
FROM audit_hand h JOIN audit_table t ON t.source = h.source AND t.name = h."table"
WHERE h.id = ANY(%s)
RETURNING table_id
"""


def touch_hands(*, hand_ids: Iterable[int]) -> None:
    """Have hands and those behind them compared again, where they stand now.

    Whoever gives a hand another current version calls this in the same transaction, before and
    after: the hand may leave one place in the order and take another.
    """
    hands = list(hand_ids)
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [hands])
        cursor.execute(_TOUCHES, [hands])
        queue_tables_on_commit(sorted({table_id for (table_id,) in cursor.fetchall()}))
