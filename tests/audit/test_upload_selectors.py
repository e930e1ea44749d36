"""Uploads, their progress and their refused lines."""

from __future__ import annotations

import hashlib
import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from audit import selectors, services
from audit.models import Upload
from tests.audit.logs import B, changed, log


def test_uploads_are_listed_newest_first_in_pages(ingest) -> None:
    for number in range(5):
        ingest(log(B), f"{number}.ndjson")
    first = selectors.list_uploads(limit=2, sources=None)
    second = selectors.list_uploads(cursor=first.next_cursor, limit=2, sources=None)
    third = selectors.list_uploads(cursor=second.next_cursor, limit=2, sources=None)
    names = [[row.name[0] for row in page.rows] for page in (first, second, third)]
    assert names == [["4", "3"], ["2", "1"], ["0"]]
    assert (first.previous_cursor, third.next_cursor) == (None, None)
    assert selectors.list_uploads(cursor=third.previous_cursor, limit=2, sources=None) == second
    assert selectors.list_uploads(cursor=second.previous_cursor, limit=2, sources=None) == first


@pytest.mark.parametrize("count", [1, 3])
def test_a_page_of_uploads_is_one_query(ingest, django_assert_num_queries, count: int) -> None:
    user = User.objects.create_user("ann")
    for _ in range(count):
        services.receive_upload(name="x", stream=io.BytesIO(log(B)), user=user)
    with django_assert_num_queries(1):
        rows = selectors.list_uploads(sources=None).rows
    assert [row.received_by for row in rows] == ["ann"] * count


def test_an_upload_that_is_polled_costs_one_query(ingest, django_assert_num_queries) -> None:
    upload = ingest(log(B))
    with django_assert_num_queries(1):
        selectors.get_upload(upload.id, sources=None)


@pytest.mark.parametrize("upload_id", [0, -1, 987_654, 2**63, 10**30])
def test_svc_34_an_upload_that_is_not_there(db, upload_id: int) -> None:
    with pytest.raises(selectors.UploadNotFound):
        selectors.get_upload(upload_id, sources=None)
    assert selectors.list_refusals(upload_id, sources=None).rows == ()


def test_progress_is_the_share_and_the_rate_of_audited_lines(db) -> None:
    upload = Upload.objects.create(
        name="x",
        state="running",
        line_count=40_000,
        clean_count=9_900,
        rejected_count=100,
        # So long ago that it is no matter how late somebody looks.
        started_at=timezone.now() - timedelta(seconds=1_000),
    )
    row = selectors.get_upload(upload.pk, sources=None)
    assert (row.audited, row.lines, row.percent, row.is_ended) == (10_000, 40_000, 25, False)
    assert row.rate == pytest.approx(10, rel=0.05)


def test_an_upload_that_is_still_coming_has_no_share(db) -> None:
    row = selectors.get_upload(Upload.objects.create(name="x").pk, sources=None)
    assert (row.state, row.percent, row.rate, row.sha256) == ("receiving", None, None, None)


def test_refusals_are_listed_by_line_in_pages(ingest) -> None:
    row = ingest(log(*(b"x%d" % number for number in range(5)), B))
    first = selectors.list_refusals(row.id, limit=2, sources=None, raw_sources=None)
    second = selectors.list_refusals(row.id, cursor=first.next_cursor, limit=2, sources=None)
    third = selectors.list_refusals(row.id, cursor=second.next_cursor, limit=2, sources=None)
    assert [[one.line for one in page.rows] for page in (first, second, third)] == [
        [1, 2],
        [3, 4],
        [5],
    ]
    assert third.next_cursor is None
    assert (
        selectors.list_refusals(row.id, cursor=third.previous_cursor, limit=2, sources=None)
        == second
    )
    assert [one.raw for one in first.rows] == ["x0", "x1"]
    assert [one.offset for one in first.rows] == [0, 3]


@pytest.mark.parametrize("count", [1, 3])
def test_a_page_of_refusals_is_one_query(ingest, django_assert_num_queries, count: int) -> None:
    row = ingest(log(*[b"x"] * count))
    with django_assert_num_queries(1):
        assert len(selectors.list_refusals(row.id, sources=None).rows) == count


def test_of_a_long_refused_line_only_the_beginning_is_shown(ingest) -> None:
    noise = hashlib.shake_256(b"seed").digest(500_000).replace(b"\n", b"").replace(b"\r", b"")
    line = b"x" * 10 + noise
    row = ingest(log(line, b"short"))
    long, short = selectors.list_refusals(row.id, sources=None, raw_sources=None).rows
    assert long.is_raw_cut
    assert long.raw == line[:2_000].decode("utf-8", "backslashreplace")
    assert long.sha256 == hashlib.sha256(line).hexdigest()
    assert (short.raw, short.is_raw_cut) == ("short", False)


def test_bytes_that_are_no_text_are_shown_as_escapes(ingest) -> None:
    row = ingest(b"\xff\xfe\xfd" + b"\n" + b"\xe4\x80" + b"\n")
    row = ingest(b"a\xff\x00b\n")
    (refusal,) = selectors.list_refusals(row.id, sources=None, raw_sources=None).rows
    assert refusal.raw == "a\\xff\0b"


def test_known_files_are_those_received_whole(ingest) -> None:
    data = log(changed(B, hand_id="k"))
    row = ingest(data)
    failed = ingest(b"junk")
    digests = [bytes.fromhex(one.sha256) for one in (row, failed)]
    assert selectors.known_files([*digests, b"\0" * 32]) == {digests[0]: row.id}
