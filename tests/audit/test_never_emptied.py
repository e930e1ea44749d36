"""No table that keeps its rows can be emptied at once, by its name or by that of a month."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from tests.audit.logs import B, Ingest, log

pytestmark = pytest.mark.django_db

# Tables and months of which a row cannot be deleted, by a trigger of their own or of their desk.
KEPT = """
SELECT c.relname FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND c.relname LIKE 'audit\\_%' AND EXISTS (
    SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid = c.oid AND t.tgtype & 8 = 8 AND t.tgtype & 2 = 2
        AND p.proname IN ('audit_refuse_rewrite', 'audit_keep_refusal', 'audit_leave_identity')
)
ORDER BY c.relname
"""


def test_what_keeps_its_rows_cannot_be_emptied(ingest: Ingest) -> None:
    """Each by itself and with all that hangs on it; as the owner, who here is a superuser."""
    ingest(log(B))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(KEPT)
        tables = [name for (name,) in cursor.fetchall()]
    assert {"audit_journal", "audit_hand", "audit_hand_rest", "audit_verdict"} <= set(tables)
    emptied = {table: words for table in tables if (words := refusal_of(table)) is not None}
    assert emptied == {}


def refusal_of(table: str) -> str | None:
    """What is wrong with how emptying a table was answered; None where its guard refused it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgtype & 32 = 32"
            " AND tgtype & 2 = 2 AND tgenabled = 'O'",
            [table],
        )
        if cursor.fetchone() != (1,):
            return "it has no guard of its own"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL tilecourt.guard = 'on'; TRUNCATE {table} CASCADE")
    except DatabaseError as error:
        is_refused = "never changed or deleted" in str(error)
        return None if is_refused else str(error)
    return "it was emptied"
