"""No list of the API reads a large table from end to end, whatever it is narrowed by."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import selectors
from audit.selectors import api_hands
from tests.audit.test_plans import FILTERS, many, scans

__all__ = ["many"]


@pytest.mark.parametrize("is_found", [False, True], ids=["hands", "findings"])
@pytest.mark.parametrize("sources", [None, frozenset({"house-1"})], ids=["every", "one-source"])
def test_no_list_by_when_hands_came_in_reads_them_all(
    many: None,
    sources: frozenset[str] | None,
    is_found: bool,
) -> None:
    read = {}
    for name, wanted in FILTERS.items():
        ask = partial(
            api_hands.list_hands,
            selectors.HandFilters(**wanted),
            sources=sources,
            is_found=is_found,
        )
        read[name] = scans(ask)
    assert read == {name: [] for name in FILTERS}


def test_a_page_far_behind_is_as_near_as_the_first(many: None) -> None:
    """The cursor leads into the index: nothing before it is read."""
    page = api_hands.list_hands(selectors.HandFilters(), sources=None, cursor="n.5000", limit=50)
    assert [row["id"] for row in page.rows] == list(range(4999, 4949, -1))
    with CaptureQueriesContext(connection) as asked:
        api_hands.list_hands(selectors.HandFilters(), sources=None, cursor="n.5000", limit=50)
    (query,) = asked.captured_queries
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS) " + query["sql"])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "rows=51 " in plan or "rows=51.00" in plan
    assert "Rows Removed" not in plan
    assert "Sort" not in plan


def test_what_hangs_on_a_page_of_hands_is_found_by_their_keys(many: None) -> None:
    page = api_hands.list_hands(selectors.HandFilters(), sources=None, is_found=True)
    for ask in (
        partial(api_hands.finding_rows, page.rows),
        partial(api_hands.verdict_rows, [row["id"] for row in page.rows]),
        partial(api_hands.version_rows, page.rows[0]["id"], sources=None),
        partial(api_hands.record_of, page.rows[0]["id"], sources=None),
        partial(api_hands.verdict_row, page.rows[0]["verdict_id"], sources=None),
        partial(api_hands.comparison_row, page.rows[0]["comparison_id"]),
    ):
        assert scans(ask) == []
