"""One act on many cases, and its undoing."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import BulkAct, Case, CaseAct
from audit.services import desk
from tests.audit.desk.wrong import Gather, wrong


def seen(*cases: Case) -> dict[int, int]:
    return {case.pk: case.revision for case in cases}


def states() -> list[tuple[str, str, str | None]]:
    rows = Case.objects.order_by("pk")
    return list(rows.values_list("state", "decision", "assignee__username"))


@pytest.fixture
def three(gather: Gather) -> list[Case]:
    return gather(*(wrong(f"h{number}", source=f"s{number}") for number in range(3)))


def test_a_bulk_decision_and_its_undoing(three: list[Case], ines: Any, tom: Any) -> None:
    desk.assign_case(case_id=three[0].pk, user=tom, to=ines, sources=None)
    three[0].refresh_from_db()
    done = desk.act_in_bulk(
        user=ines,
        kind="decided",
        seen=seen(*three),
        reason="one release",
        decision="operator",
        sources=None,
    )
    assert (done.done, done.left_out) == (tuple(case.pk for case in three), ())
    assert states() == [("decided", "operator", None)] * 3
    assert done.bulk_id is not None
    undone = desk.undo_bulk(
        bulk_id=done.bulk_id, user=tom, reason="the wrong release", sources=None
    )
    assert (undone.done, undone.left_out) == (done.done, ())
    assert states() == [("open", "", "ines.castro"), ("open", "", None), ("open", "", None)]
    kinds = list(CaseAct.objects.filter(case=three[1]).order_by("number").values_list("kind"))
    assert kinds == [("opened",), ("joined",), ("decided",), ("undone",)]
    with pytest.raises(desk.DeskConflict, match="undone already"):
        desk.undo_bulk(bulk_id=done.bulk_id, user=tom, reason="again", sources=None)
    assert undone.bulk_id is not None
    with pytest.raises(desk.DeskConflict, match="undone already"):
        desk.undo_bulk(bulk_id=undone.bulk_id, user=tom, reason="back", sources=None)


def test_what_changed_since_the_preview_is_left_out_and_named(
    three: list[Case], ines: Any, tom: Any
) -> None:
    before = seen(*three)
    desk.comment_case(case_id=three[1].pk, user=tom, text="wait", sources=None)
    done = desk.act_in_bulk(
        user=ines, kind="assigned", seen=before, reason="yours", to=tom, sources=None
    )
    assert done.done == (three[0].pk, three[2].pk)
    assert done.left_out == ((three[1].pk, f"Somebody else was quicker: C-{three[1].pk} is open."),)
    assert [one[2] for one in states()] == ["tom.reyes", None, "tom.reyes"]


def test_undoing_leaves_what_somebody_touched_since(three: list[Case], ines: Any, tom: Any) -> None:
    done = desk.act_in_bulk(
        user=ines, kind="withdrawn", seen=seen(*three), reason="a test log", sources=None
    )
    desk.reopen_case(case_id=three[2].pk, user=tom, reason="no test", sources=None)
    assert done.bulk_id is not None
    undone = desk.undo_bulk(bulk_id=done.bulk_id, user=ines, reason="no test at all", sources=None)
    assert undone.done == (three[0].pk, three[1].pk)
    assert undone.left_out == (
        (three[2].pk, f"C-{three[2].pk} was changed since; it stays as it is."),
    )
    assert states() == [("open", "", None)] * 3


def test_a_bulk_act_that_makes_no_sense_does_nothing(three: list[Case], ines: Any) -> None:
    for kind, fields in (
        ("decided", {"decision": "maybe"}),
        ("assigned", {}),
        ("joined", {}),
        ("deleted", {}),
    ):
        with pytest.raises(desk.DeskRefused):
            desk.act_in_bulk(
                user=ines, kind=kind, seen=seen(*three), reason="so", **fields, sources=None
            )
    with pytest.raises(desk.DeskRefused):
        desk.act_in_bulk(user=ines, kind="withdrawn", seen={}, reason="so", sources=None)
    with pytest.raises(desk.DeskRefused):
        desk.act_in_bulk(user=ines, kind="withdrawn", seen=seen(*three), reason="", sources=None)
    assert states() == [("open", "", None)] * 3
    assert BulkAct.objects.count() == 0
    with pytest.raises(desk.CaseNotFound):
        desk.undo_bulk(bulk_id=1, user=ines, reason="so", sources=None)
