"""The sweeper finds what a lost worker, broker or sender left behind, and touches nothing else."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from audit import services
from audit.config.celery import app
from audit.models import Chunk, Table, TableTouch, Upload
from audit.services import judging
from audit.services.queueing import JUDGE_CHUNK
from tests.audit.logs import B, changed, log


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The chunks whose messages went out."""
    sent: list[int] = []

    def send(signature: Any, args: tuple[int], **__: Any) -> None:
        if signature.task == JUDGE_CHUNK:
            sent.append(args[0])

    monkeypatch.setattr("celery.canvas.Signature.apply_async", send)
    return sent


def receive() -> int:
    services.receive_upload(name="x", stream=io.BytesIO(log(B)))
    return Chunk.objects.latest("id").pk


@pytest.fixture
def celery_queue_length() -> Iterator[Callable[[int], None]]:
    """Let so many messages wait in the real broker, which no worker takes them from."""

    def be(length: int) -> None:
        with app.connection_for_write() as line:
            app.control.purge(connection=line)
            for _ in range(length):
                app.send_task(JUDGE_CHUNK, (0,), connection=line)

    yield be
    be(0)


@pytest.fixture
def sweep(queued, django_capture_on_commit_callbacks):
    def run(**options: Any) -> tuple[services.Swept, list[int]]:
        queued.clear()
        with django_capture_on_commit_callbacks(execute=True):
            swept = services.sweep(**options)
        return swept, list(queued)

    return run


def test_a_chunk_that_was_queued_a_moment_ago_is_left_alone(db, sweep) -> None:
    receive()
    assert sweep() == (services.Swept(queued=0, given_up=0), [])


def test_a_chunk_whose_message_is_old_is_queued_again_but_not_at_every_look(db, sweep) -> None:
    chunk = receive()
    Chunk.objects.update(queued_at=timezone.now() - timedelta(minutes=11))
    assert sweep() == (services.Swept(queued=1, given_up=0), [chunk])
    assert sweep() == (services.Swept(queued=0, given_up=0), [])


def test_a_message_is_lost_when_the_broker_has_none_left_to_give_out(
    db, sweep, celery_queue_length
) -> None:
    chunk = receive()
    celery_queue_length(1)
    Chunk.objects.update(queued_at=timezone.now() - timedelta(seconds=35))
    assert sweep()[1] == []
    celery_queue_length(0)
    assert sweep()[1] == [chunk]
    assert sweep()[1] == []


def test_after_a_restart_every_open_chunk_is_queued_again(db, sweep) -> None:
    waiting, running, done = receive(), receive(), receive()
    assert isinstance(judging._take(running), judging.Lease)
    services.judge_chunk(chunk_id=done)
    swept, sent = sweep(quiet=timedelta(0))
    assert (swept.queued, swept.tables) == (2, 1)
    assert sent == [waiting, running]


def test_a_chunk_whose_lease_ran_out_is_queued_again(db, sweep) -> None:
    chunk = receive()
    judging._take(chunk)
    assert sweep()[1] == []
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sweep()[1] == [chunk]


def test_a_lease_that_ran_out_is_taken_back_once(db, sweep) -> None:
    chunk = receive()
    lease = judging._take(chunk)
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sweep()[1] == [chunk]
    assert Chunk.objects.get().state == "queued"
    assert not judging._still_ours(lease)
    assert sweep()[1] == []


def test_a_table_that_is_being_compared_is_left_to_it(transactional_db, sweep) -> None:
    chunk = receive()
    services.judge_chunk(chunk_id=chunk)
    TableTouch.objects.update(queued_at=timezone.now() - timedelta(minutes=11))
    table = Table.objects.get()
    database = os.environ["DATABASE_URL"]
    name = psycopg.conninfo.make_conninfo(database, dbname=connection.settings_dict["NAME"])
    with psycopg.connect(name) as other:
        other.execute("SELECT 1 FROM audit_table WHERE id = %s FOR NO KEY UPDATE", [table.pk])
        assert sweep()[0].tables == 0
    assert sweep()[0].tables == 1


def test_a_chunk_that_waits_for_its_next_attempt_is_left_alone(db, sweep) -> None:
    receive()
    Chunk.objects.update(
        queued_at=timezone.now() - timedelta(hours=1), due_at=timezone.now() + timedelta(minutes=9)
    )
    assert sweep()[1] == []


def test_chunks_of_a_file_that_is_still_coming_are_not_queued(db, sweep) -> None:
    receive()
    Upload.objects.update(state="receiving")
    Chunk.objects.update(queued_at=timezone.now() - timedelta(minutes=30))
    assert sweep() == (services.Swept(queued=0, given_up=0), [])


def test_a_file_that_stopped_coming_is_given_up(db, sweep) -> None:
    upload = Upload.objects.create(name="x", touched_at=timezone.now() - timedelta(minutes=61))
    Chunk.objects.create(upload=upload, number=1, first_line=1, line_count=1, payload=b"")
    assert sweep() == (services.Swept(queued=0, given_up=1), [])
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert upload.error == "Incomplete upload: it did not arrive to its end."
    assert upload.finished_at is not None
    assert not Chunk.objects.exists()


def test_many_chunks_are_all_found(db, sweep, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 1
    data = log(*(changed(B, hand_id=str(number)) for number in range(30)))
    services.receive_upload(name="x", stream=io.BytesIO(data))
    assert sweep(quiet=timedelta(0))[0].queued == 30
