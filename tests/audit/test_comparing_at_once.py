"""Tables that wait to be compared: queued, swept, and compared by several workers at once."""

from __future__ import annotations

import importlib
import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

import replay
from audit import selectors, services
from audit.models import Chunk, Comparison, Hand, HandVersion, Table, TableTouch, Upload
from audit.services import comparing, judging
from audit.services.payloads import unpack_lines
from audit.services.queueing import COMPARE_TABLE
from audit.services.storing import store_outcomes
from audit.tasks import compare_table as compare_task
from tests.audit.chains import (
    assert_counts_hold,
    assert_stands,
    by_command,
    clocked,
    compare_all,
    golden,
    hand_of,
    simulated,
)
from tests.audit.logs import Ingest, changed, log
from tests.golden_vectors import rulesets


@pytest.fixture(autouse=True)
def golden_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service know the test rulesets, too."""
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The tables whose messages went out."""
    sent: list[int] = []

    def send(signature: Any, args: tuple[int], **__: Any) -> None:
        if signature.task == COMPARE_TABLE:
            sent.append(args[0])

    monkeypatch.setattr("celery.canvas.Signature.apply_async", send)
    return sent


def receive(*lines: bytes) -> tuple[int, list[Chunk]]:
    received = services.receive_upload(name="hands.ndjson", stream=io.BytesIO(log(*lines)))
    chunks = Chunk.objects.filter(upload_id=received.upload_id)
    return received.upload_id, list(chunks.order_by("number"))


def gapped(hands: int = 6) -> list[bytes]:
    """Every second hand of a table: each but the first has a finding against the one before."""
    return clocked(simulated("tien-gow", 2 * hands)[::2])


# -- queued and swept -----------------------------------------------------------------------


def test_each_table_is_queued_once_when_the_last_chunk_has_ended(
    db, settings, queued, django_capture_on_commit_callbacks
) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 2
    lines = [changed(line, table=f"table {n % 2}") for n, line in enumerate(gapped(6))]
    _, chunks = receive(*lines)
    for chunk in chunks:
        assert queued == []
        with django_capture_on_commit_callbacks(execute=True):
            services.judge_chunk(chunk_id=chunk.pk)
    tables = Table.objects.order_by("pk")
    assert queued == [table.pk for table in tables]
    assert {table.name for table in tables} == {"table 0", "table 1"}
    assert TableTouch.objects.count() == 6, "one a chunk and table"


def test_known_hands_touch_nothing(ingest: Ingest) -> None:
    ingest(log(*gapped()))
    compare_all()
    ingest(log(*gapped()))
    assert not TableTouch.objects.exists()


def test_a_lost_message_is_swept_once_its_upload_has_ended(
    db, queued, django_capture_on_commit_callbacks
) -> None:
    def sweep(**options: Any) -> list[int]:
        queued.clear()
        with django_capture_on_commit_callbacks(execute=True):
            swept = services.sweep(**options)
        assert swept.tables == len(queued)
        return list(queued)

    upload, (chunk,) = receive(*gapped())
    services.judge_chunk(chunk_id=chunk.pk)
    table = Table.objects.get()
    assert sweep() == [], "its message went out a moment ago"
    TableTouch.objects.update(queued_at=timezone.now() - timedelta(minutes=11))
    Upload.objects.update(state="running", finished_at=None)
    assert sweep() == [], "it will be queued when its upload has ended"
    Upload.objects.update(state="done", finished_at=timezone.now())
    assert sweep() == [table.pk]
    assert sweep() == []
    assert sweep(quiet=timedelta(0)) == [table.pk]
    services.compare_table(table_id=table.pk)
    assert sweep(quiet=timedelta(0)) == []
    assert selectors.open_touches([upload]) == 0


def test_hands_from_before_there_were_comparisons_are_touched_and_swept(
    ingest: Ingest, queued, django_capture_on_commit_callbacks
) -> None:
    lines = [changed(line, table=f"table {n % 2}") for n, line in enumerate(gapped(8))]
    ingest(log(*lines))
    TableTouch.objects.all().delete()
    Table.objects.filter(name="table 1").delete()
    migration = importlib.import_module("audit.migrations.0006_known_hands_touched")
    with connection.cursor() as cursor:
        cursor.execute(migration.TABLES)
        cursor.execute(migration.TOUCHES)
    assert TableTouch.objects.count() == 2
    with django_capture_on_commit_callbacks(execute=True):
        services.sweep()
    assert queued == list(Table.objects.order_by("pk").values_list("pk", flat=True))
    compare_all()
    assert_stands(by_command(lines))


def test_a_task_that_has_no_more_time_comes_again(ingest: Ingest, monkeypatch) -> None:
    monkeypatch.setattr(comparing, "HANDS_AT_ONCE", 2)
    monkeypatch.setattr(comparing, "SECONDS_AT_ONCE", 0)
    again: list[int] = []
    monkeypatch.setattr(compare_task, "delay", again.append)
    lines = gapped(6)
    ingest(log(*lines))
    table = Table.objects.get()
    compare_task(table.pk)
    assert again == [table.pk]
    assert Comparison.objects.count() == 1
    while TableTouch.objects.exists():
        compare_task(table.pk)
    compare_task(table.pk)
    assert len(again) == 3
    assert_stands(by_command(lines))


def test_a_table_that_is_gone_is_no_error(db) -> None:
    assert services.compare_table(table_id=987_654) is False


def test_spans_far_apart_leave_the_hands_between_alone(ingest: Ingest, monkeypatch) -> None:
    lines = clocked(simulated("tien-gow", 30))
    ingest(log(*lines[1:10], *lines[11:28]))
    compare_all()
    ingest(log(lines[28]))
    ingest(log(lines[0]))
    ingest(log(lines[10]))
    read: list[int] = []
    sound = comparing._read

    def counted(stored: Any, *args: Any) -> Any:
        read.append(stored.pk)
        return sound(stored, *args)

    monkeypatch.setattr(comparing, "_read", counted)
    compare_all()
    asked = [lines[0], lines[1], *lines[9:12], *lines[27:29]]
    assert read == [hand_of(line).pk for line in asked]


def test_a_hand_that_takes_another_place_is_compared_at_both(ingest: Ingest) -> None:
    """As when another version becomes the current one."""
    lines = clocked(simulated("tien-gow", 5))
    # Until then the first record stands for the hand, which of two in conflict is by what they say.
    elsewhere, moved = next(
        (table, record)
        for table in (f"elsewhere-{number}" for number in range(100))
        if replay.canonical_sha256(record := changed(lines[2], table=table))
        > replay.canonical_sha256(lines[2])
    )
    ingest(log(*lines))
    ingest(log(moved))
    compare_all()
    assert_stands(by_command(lines))
    hand = hand_of(lines[2])
    with transaction.atomic():
        services.touch_hands(hand_ids=[hand.pk])
        version = HandVersion.objects.get(hand=hand, number=2)
        verdict = version.verdicts.get()
        Hand.objects.filter(pk=hand.pk).update(version=version, verdict=verdict, table=elsewhere)
        services.touch_hands(hand_ids=[hand.pk])
    compare_all()
    left = by_command([*lines[:2], *lines[3:]])
    for line in (*lines[:2], *lines[3:]):
        stands = hand_of(line)
        assert (
            selectors.hand_detail(stands.pk, sources=None).findings
            == left[stands.source, stands.hand_id].findings
        )
    assert selectors.hand_detail(hand.pk, sources=None).findings == ()
    assert hand_of(lines[3]).finding_count > 0


# -- at once --------------------------------------------------------------------------------


@contextmanager
def at_once(*works: Callable[[], Any]) -> Iterator[list[threading.Thread]]:
    """Run each in a thread with a connection of its own; what one raises is raised at the end."""
    raised: list[BaseException] = []

    def run(work: Callable[[], Any]) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    yield threads
    for thread in threads:
        thread.join(240)
        assert not thread.is_alive()
    if raised:
        raise raised[0]


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_one_table_come_to_one_end(ingest: Ingest, monkeypatch) -> None:
    monkeypatch.setattr(comparing, "HANDS_AT_ONCE", 3)
    lines = golden("tien-gow", "continuity")
    ingest(log(*lines[::2]))
    ingest(log(*lines[1::2]))
    tables = list(Table.objects.values_list("pk", flat=True))

    def work() -> None:
        for table in tables:
            assert services.compare_table(table_id=table) is False

    with at_once(work, work, work):
        pass
    assert not TableTouch.objects.exists()
    assert_stands(by_command(lines))


@pytest.mark.django_db(transaction=True)
def test_comparing_waits_for_the_table_and_sees_what_was_committed(ingest: Ingest) -> None:
    lines = gapped()
    ingest(log(*lines))
    table = Table.objects.get()
    is_locked, may_commit = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Table.objects.select_for_update(no_key=True).get(pk=table.pk)
            is_locked.set()
            assert may_commit.wait(240)
            TableTouch.objects.all().delete()

    def work() -> None:
        assert is_locked.wait(240)
        services.compare_table(table_id=table.pk)

    with at_once(hold, work) as (_, worker):
        assert is_locked.wait(240)
        worker.join(0.3)
        assert worker.is_alive()
        may_commit.set()
    assert not Comparison.objects.exists(), "there was nothing left to do"


@pytest.mark.django_db(transaction=True)
def test_a_line_that_repeats_a_hand_while_it_turns_is_counted_as_it_stands(ingest: Ingest) -> None:
    """The chunk holds the hand: it is counted as it is, and turned, with this line, behind it."""
    lines = gapped(2)
    first = ingest(log(*lines))
    upload, (chunk,) = receive(lines[1])
    lease = judging._take(chunk.pk)
    assert isinstance(lease, judging.Lease)
    is_stored, may_commit = threading.Event(), threading.Event()
    before = hand_of(lines[1]).verdict_kind

    def repeat() -> None:
        outcomes = judging.judge_lines(unpack_lines(lease.payload), rulesets())
        with transaction.atomic():
            assert judging._still_ours(lease)
            judging._close(lease, outcomes, store_outcomes(upload, outcomes))
            is_stored.set()
            assert may_commit.wait(240)

    def turn() -> None:
        assert is_stored.wait(240)
        services.compare_table(table_id=Table.objects.get().pk)

    with at_once(repeat, turn) as (_, turning):
        assert is_stored.wait(240)
        turning.join(0.3)
        assert turning.is_alive(), "it should wait for the line to be counted"
        may_commit.set()
    assert (before, hand_of(lines[1]).verdict_kind) == ("clean", "discrepant")
    rows = [selectors.get_upload(one, sources=None) for one in (first.id, upload)]
    assert [(row.clean, row.discrepant, row.turned) for row in rows] == [(2, 0, 1), (1, 0, 1)]
    assert_counts_hold()


@pytest.mark.django_db(transaction=True)
def test_uploads_repeats_and_comparisons_at_once_leave_true_counts(ingest: Ingest) -> None:
    lines = golden("banker-pai-gow", "continuity")

    def take(part: list[bytes]) -> Callable[[], None]:
        def work() -> None:
            for start in range(0, len(part), 7):
                _, chunks = receive(*part[start : start + 7])
                for chunk in chunks:
                    assert services.judge_chunk(chunk_id=chunk.pk) is None
                for table in Table.objects.values_list("pk", flat=True):
                    services.compare_table(table_id=table)

        return work

    with at_once(take(lines[::2]), take(lines[1::2]), take(lines), take(lines[::-1])):
        pass
    compare_all()
    assert_stands(by_command(lines))
