"""Whose lines a sender may hand in, who may see an upload, and what is told of one unseen."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

import pytest
from django.db import connection

from audit import selectors, services
from audit.models import Chunk, Hand, Reaudit, Refusal
from audit.models.uploads import UploadSource
from audit.selectors.belonging import uploads_seen
from audit.services.certifying_refusals import sort_refusals
from audit.services.outcomes import OTHERS_SOURCE
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import reaudited

SOUTH, NORTH = frozenset({"south"}), frozenset({"north"})


def line(source: str, name: str, **fields: Any) -> bytes:
    return changed(B, source=source, hand_id=f"{source}-{name}", **fields)


def refused(source: str) -> bytes:
    """A line that no hand can come of, and that names its source without doubt."""
    return json.dumps({**json.loads(line(source, "x")), "events": "none"}).encode()


@pytest.fixture
def osman(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("osman.bey", password="staple battery")


def hand_in(*lines: bytes, user: Any = None, sources: frozenset[str] | None = None) -> int:
    received = services.receive_upload(
        name="day.ndjson", stream=io.BytesIO(log(*lines)), user=user, sources=sources
    )
    for chunk in Chunk.objects.filter(upload_id=received.upload_id):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    return received.upload_id


def seen_by(sources: frozenset[str] | None, *uploads: int, account: int | None = None) -> list[int]:
    return sorted(uploads_seen(uploads, sources=sources, account_id=account))


def named(upload: int) -> dict[str, bool]:
    return dict(UploadSource.objects.filter(upload=upload).values_list("source", "has_hands"))


def test_a_line_of_another_source_is_refused_at_its_place(osman: Any) -> None:
    upload = hand_in(line("south", "1"), line("north", "1"), user=osman, sources=SOUTH)

    row = selectors.get_upload(upload, sources=None)
    assert (row.hands, row.rejected, row.lines) == (1, 1, 2)
    assert list(Hand.objects.values_list("source", flat=True)) == ["south"]
    (one,) = selectors.list_refusals(upload, sources=None).rows
    assert (one.line, one.place, one.reason) == (2, "$.source", OTHERS_SOURCE)


def test_a_sender_of_every_source_is_limited_to_none(osman: Any) -> None:
    upload = hand_in(line("south", "1"), line("north", "1"), user=osman)

    assert selectors.get_upload(upload, sources=None).hands == 2
    assert named(upload) == {"south": True, "north": True}


def test_judged_again_the_line_stays_refused(osman: Any) -> None:
    upload = hand_in(line("north", "1"), user=osman, sources=SOUTH)

    reaudit = reaudited(query={"upload": str(upload)}, refused_lines="all")

    assert (reaudit.admitted_count, reaudit.refused_count) == (0, 1)
    assert not Hand.objects.exists()


def test_an_upload_is_seen_by_whoever_sees_all_that_it_names(osman: Any) -> None:
    south, north = hand_in(line("south", "1")), hand_in(line("north", "1"))
    both = hand_in(line("south", "2"), line("north", "2"))
    with_refused = hand_in(line("south", "3"), refused("north"))
    again = hand_in(line("south", "1"))
    every = (south, north, both, with_refused, again)

    assert seen_by(None, *every) == sorted(every)
    assert seen_by(SOUTH | NORTH, *every) == sorted(every)
    assert seen_by(SOUTH, *every) == sorted((south, again))
    assert seen_by(NORTH, *every) == [north]
    assert seen_by(frozenset(), *every, account=osman.pk) == []
    rows = selectors.list_uploads(sources=SOUTH).rows
    assert [row.id for row in rows] == [again, south]


def test_a_sender_sees_why_his_own_lines_were_refused_and_nobody_else_of_his_source(
    osman: Any,
) -> None:
    mine = hand_in(line("south", "1"), line("north", "1"), user=osman, sources=SOUTH)
    unreadable = hand_in(b"{", user=osman, sources=SOUTH)
    # His own of the time when he could hand in for all.
    earlier = hand_in(line("north", "9"), user=osman)

    assert named(mine) == {"south": True, "north": False}
    assert named(unreadable) == {}
    assert seen_by(SOUTH, mine, unreadable, earlier, account=osman.pk) == [mine, unreadable]
    assert seen_by(SOUTH, mine, unreadable, earlier) == []
    page = selectors.list_refusals(unreadable, sources=SOUTH, account_id=osman.pk)
    assert len(page.rows) == 1
    assert selectors.list_refusals(unreadable, sources=SOUTH).rows == ()


def test_a_refused_line_is_believed_no_further_than_the_format_says(osman: Any) -> None:
    doubled = refused("north")[:-1] + b', "source": "north"}'
    unnamed = refused("north").replace(b'"north"', b'"nor\\u0007th"', 1)
    upload = hand_in(line("south", "1"), doubled, unnamed)

    assert Refusal.objects.filter(upload=upload).count() == 2
    assert named(upload) == {"south": True}


def test_a_hand_does_not_tell_of_an_upload_that_one_may_not_see(osman: Any) -> None:
    hand_in(line("south", "1"))
    other = line("south", "1").replace(b'"table"', b'"ext":{"n":1},"table"', 1)
    hand_in(other, line("north", "1"), line("south", "2"))
    hand_in(line("south", "1"), line("north", "1"))
    first, second = Hand.objects.filter(source="south").order_by("pk")

    shown = selectors.hand_detail(first.pk, sources=SOUTH)
    whole = selectors.hand_detail(first.pk, sources=None)

    names = [(one.upload_name, one.upload_id is None) for one in shown.versions]
    assert names == [("day.ndjson", False), ("", True)]
    assert [(one.upload_name, one.upload_id) for one in shown.duplicates] == [("", None)]
    assert None not in {one.upload_id for one in (*whole.versions, *whole.duplicates)}
    page = selectors.played_hand(second.pk, sources=SOUTH, is_page=True)
    assert (page.version.upload_id, page.version.upload_name) == (None, "")
    assert (shown.raw, shown.hand) == (whole.raw, whole.hand)


def test_an_upload_in_parts_is_asked_for_by_its_number_in_vain(osman: Any) -> None:
    both = hand_in(line("south", "1"), line("north", "1"))
    asked = selectors.HandFilters(upload=both)

    assert selectors.list_hands(asked, sources=SOUTH).rows == ()
    assert len(selectors.list_hands(asked, sources=None).rows) == 2
    assert len(selectors.list_hands(asked, sources=SOUTH | NORTH).rows) == 2


def test_a_feed_of_another_source_is_not_taken(osman: Any) -> None:
    with pytest.raises(services.SourceRefused, match="nothing of this source"):
        services.receive_feed(
            name="feed.json",
            stream=io.BytesIO(b"{}"),
            feed="ky-730",
            source="north",
            user=osman,
            sources=SOUTH,
        )


def test_a_re_audit_lies_in_the_sources_that_it_was_given(osman: Any) -> None:
    hand_in(line("south", "1"))
    hand_in(line("north", "1"))

    mine = reaudited(user=osman, sources=SOUTH)
    of_one = reaudited(query={"source": "north"})
    of_all = reaudited()

    assert [one.total_count for one in (mine, of_one, of_all)] == [1, 1, 2]
    assert [one.limited_to for one in (mine, of_one, of_all)] == [["south"], ["north"], None]
    with pytest.raises(services.ReauditRefused):
        reaudited(user=osman, sources=SOUTH, query={"source": "north"})


def test_what_was_stored_before_gets_its_sources_from_its_hands(osman: Any) -> None:
    uploads = [
        hand_in(line("south", "1"), line("north", "1")),
        hand_in(line("south", "1")),
        hand_in(line("north", "2"), refused("south")),
    ]
    assert not sort_refusals(seconds=240)
    noted = {upload: named(upload) for upload in uploads}
    reaudit = reaudited(query={"source": "north"})
    UploadSource.objects.all().delete()
    Reaudit.objects.update(limited_to=None)

    migration = import_module("audit.migrations.0024_sources_of_uploads")
    with connection.cursor() as cursor:
        cursor.execute(migration._SOURCES)
        cursor.execute(migration._REAUDITS)

    assert {upload: named(upload) for upload in uploads} == noted
    assert Reaudit.objects.get(pk=reaudit.pk).limited_to == ["north"]
