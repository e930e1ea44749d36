"""Every list that comes in pages, out of the addresses: nothing that was there when a walk began is
skipped or told twice, whatever comes and changes on the way (SVC-55)."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from audit.api.describing import operation_of
from audit.api.urls import urlpatterns
from tests.api.arriving import LISTS, Walked
from tests.api.conftest import Send, World

WALKS = [(name, walked) for name, kinds in LISTS.items() for walked in kinds]
# Lists that lead onward only.
ONWARD = {"api-case-acts"}
# Lists of which a walk tells what there was when it began, also on the way back.
AS_IT_BEGAN = {"api-certificates"}


def test_each_list_with_a_cursor_is_walked() -> None:
    found = set()
    for pattern in urlpatterns:
        view = getattr(pattern.callback, "view_class", None)
        operation = operation_of(getattr(view, "get", None))
        if operation and any(one.name == "cursor" for one in operation.parameters):
            found.add(pattern.name)
    assert found == set(LISTS)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("name", "walked"), WALKS)
def test_svc_55_no_list_skips_or_repeats_while_rows_come(
    world: World, ask: Send, name: str, walked: Walked
) -> None:
    arrivals = walked.arrivals(world)
    address = reverse(name, kwargs=next(arrivals)) + f"?{walked.query}"

    def page(cursor: str = "", limit: int = 3) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
        answer = ask(f"{address}&limit={limit}&cursor={cursor}")
        assert answer.status_code == 200, answer.content
        told = answer.json()
        return [tuple(row[key] for key in walked.keys) for row in told[walked.rows]], told

    def walk(way: str, cursor: str = "") -> tuple[list[tuple[Any, ...]], str]:
        """All rows this way, while something comes between the first pages; where one ends."""
        there, _ = page(limit=500)
        seen: list[tuple[Any, ...]] = []
        for number in range(len(there) + 20):
            rows, told = page(cursor)
            seen += rows if way == "next" else rows[::-1]
            if told[way] is None:
                break
            cursor = told[way]
            if number < 3:
                next(arrivals)
        assert told[way] is None
        assert len(seen) == len(set(seen))
        return seen, cursor

    there, _ = page(limit=500)
    assert len(there) >= 8
    seen, last = walk("next")
    assert set(there) <= set(seen)
    if name in ONWARD:
        return
    # Back from the last page, whose rows are told by going on once more.
    rows, told = page(last)
    there = seen if name in AS_IT_BEGAN else page(limit=500)[0]
    back, _ = walk("previous", told["previous"])
    assert set(there) <= {*back, *rows}
