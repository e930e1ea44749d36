"""A page of a case's hands costs the same whether ten stand in it or a hundred thousand."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import Case
from audit.selectors.desk_members import list_members, list_standing
from audit.selectors.pages import number_of

HANDS = 100_000
# As many that were played later have left the case, and as many again stand in another.
FILL = """
INSERT INTO audit_casehand (
    case_id, hand_id, verdict_id, played_at, "table", currency, minor_digits, at_risk_minor,
    is_known, joined_at, left_at
)
SELECT CASE WHEN n > 2 * %(hands)s THEN %(other)s ELSE %(case)s END, n, n,
    '2025-01-01Z'::timestamptz + (n / 4) * interval '1 min', 'T' || n %% 50, 'CNY', 2, 100, true,
    '2025-06-01Z',
    CASE WHEN n BETWEEN %(hands)s + 1 AND 2 * %(hands)s THEN '2025-07-01Z'::timestamptz END
FROM generate_series(1, 3 * %(hands)s) n
"""


@pytest.fixture
def case(db: Any) -> Case:
    """A case in which HANDS hands stand."""
    day = datetime(2025, 6, 1, tzinfo=UTC)
    with connection.cursor() as cursor:
        # Nobody acted, and no hand is stored: this is about what is read, and how.
        cursor.execute("SET session_replication_role = replica")
        kept, other = (Case.objects.create(source="s", opened_at=day, due_at=day) for _ in range(2))
        cursor.execute(FILL, {"case": kept.pk, "other": other.pk, "hands": HANDS})
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("ANALYZE audit_casehand")
    return kept


def plan_of(ask: Callable[[], Any]) -> dict[str, Any]:
    """The plan, as it ran, of the query for the members themselves."""
    with CaptureQueriesContext(connection) as asked, suppress(KeyError):
        # The hands themselves are not there.
        ask()
    (query,) = (
        one["sql"] for one in asked.captured_queries
        if 'FROM "audit_casehand"' in one["sql"] and "ORDER BY" in one["sql"]
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}")
        ((found,),) = cursor.fetchall()
    plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for one in plan.get("Plans", ()) for node in nodes(one))]


def test_no_list_of_the_hands_of_a_case_reads_others_or_sorts(case: Case) -> None:
    """A hundred thousand rows are in the way of each, if they are read."""
    for name, ask in asks(case.pk).items():
        found = nodes(plan_of(ask))
        kinds = {node["Node Type"] for node in found}
        assert (name, kinds) == (name, {"Limit", "Index Scan"})
        assert (name, sum(node.get("Rows Removed by Filter", 0) for node in found)) == (name, 0)
        assert (name, found[0]["Shared Hit Blocks"] + found[0]["Shared Read Blocks"] < 20) == (
            name, True,
        )  # fmt: skip


def asks(case: int) -> dict[str, Callable[[], Any]]:
    """Pages at the beginning, and in the middle in both directions."""
    hand = HANDS // 2
    at = number_of(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=hand // 4))
    return {
        "standing": partial(list_standing, case),
        "standing, onward": partial(list_standing, case, cursor=f"n.{hand}"),
        "standing, back": partial(list_standing, case, cursor=f"b.{hand}"),
        **{
            f"{name}, {way}": partial(list_members, case, left=left, cursor=cursor)
            for name, left in (("of the page", False), ("left", True))
            for way, cursor in (
                ("first", None), ("onward", f"n.{at}.{hand}"), ("back", f"b.{at}.{hand}"),
            )
        },
    }  # fmt: skip
