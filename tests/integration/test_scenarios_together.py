"""Scenarios of the service about what happens at the same time, through a real broker."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import redis
from django.db import connection, transaction

import replay
from audit import selectors, services
from audit.models import Chunk, Finding, Hand, HandVersion, Upload, Verdict
from audit.services.outcomes import Outcomes
from audit.services.payloads import ChunkLine
from audit.services.queueing import JUDGE_CHUNK
from audit.services.storing import store_outcomes
from audit.zstd import unpacked
from tests.audit.logs import BASE_LINES, B, changed, log, with_net
from tests.integration.conftest import receive, wait_for
from tests.integration.crew import Crew
from tests.integration.holding import HELD_NAME, held
from tests.integration.web import PATIENCE_SECONDS, UPLOADS, Web

pytestmark = pytest.mark.integration


def five_hundred(source: str, net: str = "-100.00") -> bytes:
    line = with_net(B, 1, net)
    return log(*(changed(line, source=source, hand_id=str(number)) for number in range(500)))


def test_svc_45_one_file_eight_uploads(crew: Crew, module_web: Web, feed: dict[str, str]) -> None:
    data = five_hundred("odd")
    answers = send_together(module_web, feed, [data] * 8)
    assert [status for status, _ in answers] == [201] * 8
    rows = wait_for(*(upload for _, upload in answers))
    assert len({row.id for row in rows}) == 8
    assert {row.state for row in rows} == {"done"}
    assert sum(row.new for row in rows) == 500
    assert sum(row.duplicates for row in rows) == 3_500
    assert Hand.objects.count() == HandVersion.objects.count() == Verdict.objects.count() == 500


def send_together(web: Web, feed: dict[str, str], files: list[bytes]) -> list[tuple[int, int]]:
    """Send files by as many connections at once; gives the status and the upload of each."""
    barrier = threading.Barrier(len(files))
    answers: list[tuple[int, int]] = []

    def send(data: bytes) -> None:
        barrier.wait(PATIENCE_SECONDS)
        status, _, told = web.ask("POST", UPLOADS, data, **feed)
        answers.append((status, told["id"] if status == 201 else 0))

    senders = [threading.Thread(target=send, args=(data,)) for data in files]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return sorted(answers)


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.timeout(600)
def test_svc_46_two_files_at_once(
    crew: Crew, module_web: Web, feed: dict[str, str], rounds: int
) -> None:
    """Rounds of two times 500 hands: whatever stands of a hand is of its own file."""
    for turn in range(rounds):
        files = [five_hundred(f"right-{turn}"), five_hundred(f"wrong-{turn}", "-99.00")]
        answers = send_together(module_web, feed, files)
        assert [status for status, _ in answers] == [201, 201]
        rows = wait_for(*(upload for _, upload in answers))
        assert sorted((row.clean, row.discrepant, row.new) for row in rows) == [
            (0, 500, 500),
            (500, 0, 500),
        ]
        for data in files:
            sent = data.splitlines()
            source = json.loads(sent[0])["source"]
            versions = HandVersion.objects.filter(hand__source=source)
            assert {unpacked(raw) for raw in versions.values_list("raw", flat=True)} == set(sent)
    found = Finding.objects.values_list("verdict__version__hand__source", flat=True).distinct()
    assert set(found) == {f"wrong-{turn}" for turn in range(rounds)}
    assert Finding.objects.filter(code="net-mismatch").count() == rounds * 500


def test_svc_47_rollback_beside_a_duplicate(crew: Crew) -> None:
    """The worker waits for a hand that another transaction has put in, and gets it."""
    first = Upload.objects.create(name="first")
    with transaction.atomic():
        outcomes = Outcomes()
        outcomes.add(ChunkLine(1, 0, B), replay.audit_line(B, selectors.current_rulesets()))
        stored = store_outcomes(first.pk, outcomes)
        assert stored.new == 1
        second = sent_aside(log(B))
        crew.wait(is_waiting_for_a_lock)
        transaction.set_rollback(True)
    (row,) = wait_for(second)
    assert (row.state, row.new, row.duplicates) == ("done", 1, 0)
    assert Hand.objects.get().versions.get().upload_id == second


def sent_aside(data: bytes) -> int:
    """Hand a file in while the test's own connection is in the middle of something."""
    uploads: list[int] = []

    def send() -> None:
        try:
            uploads.append(receive(data))
        finally:
            connection.close()

    sender = threading.Thread(target=send)
    sender.start()
    sender.join()
    return uploads[0]


def is_waiting_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None


def two_sources(turn: int, few: int, many: int) -> list[bytes]:
    lines = BASE_LINES[:5]
    return [
        log(
            *(
                changed(lines[number % 5], source=f"{name}-{turn}", hand_id=f"h{number}")
                for number in range(count)
            )
        )
        for name, count in (("few", few), ("many", many))
    ]


@pytest.mark.parametrize(
    ("rounds", "few", "many"),
    [(3, 200, 1_500), pytest.param(20, 200, 5_000, marks=pytest.mark.long)],
)
@pytest.mark.timeout(900)
def test_svc_48_ids_under_load(crew: Crew, rounds: int, few: int, many: int) -> None:
    for turn in range(rounds):
        uploads = [receive(data) for data in two_sources(turn, few, many)]
        rows = wait_for(*uploads)
        assert [(row.state, row.new, row.failed) for row in rows] == [
            ("done", few, 0),
            ("done", many, 0),
        ]
    assert Hand.objects.count() == Verdict.objects.count() == rounds * (few + many)
    assert not Chunk.objects.exclude(state="done").exists()


def test_svc_51_what_the_broker_knew_vanishes(
    crew: Crew, module_web: Web, feed: dict[str, str], settings
) -> None:
    """There is no store of results: all that the broker holds is thrown away in mid-batch."""
    settings.TILECOURT_CHUNK_LINES_MAX = 100
    data = log(*(changed(B, source="odd", hand_id=str(number)) for number in range(3_000)))
    path = os.environ["BROKER_URL"].removeprefix("redis+socket://").partition("?")[0]
    with held(HELD_NAME, "odd", "2999"):
        upload = receive(data)
        crew.wait(lambda: selectors.get_upload(upload, sources=None).audited > 0)
        with redis.Redis(unix_socket_path=path) as broker:
            broker.flushall()
        assert not selectors.get_upload(upload, sources=None).is_ended
    limit = time.monotonic() + PATIENCE_SECONDS
    while not (row := selectors.get_upload(upload, sources=None)).is_ended:
        assert time.monotonic() < limit
        services.sweep(quiet=timedelta(seconds=1))
        time.sleep(0.5)
    assert (row.state, row.new, row.clean) == ("done", 3_000, 3_000)
    status, _, told = module_web.ask("GET", f"{UPLOADS}{upload + 1_000}/", **feed)
    assert (status, told["error"]["code"]) == (404, "not-found")


def test_svc_52_queued_before_stored(crew: Crew) -> None:
    """The worker is idle while the transaction waits, and hears nothing before it is committed."""
    before = received(crew)
    with pause_before_commit(rolls_back=False):
        receive(log(B))
        time.sleep(2)
        assert received(crew) == before
    (upload,) = Upload.objects.values_list("pk", flat=True)
    (row,) = wait_for(upload)
    assert (row.state, row.new) == ("done", 1)
    assert received(crew) >= before + 1
    assert Chunk.objects.get().attempts == 1
    assert b"DoesNotExist" not in crew.log_of()


def test_svc_52_a_rollback_sends_no_message(crew: Crew) -> None:
    before = received(crew)
    with pause_before_commit(rolls_back=True):
        receive(log(B))
    time.sleep(1)
    assert received(crew) == before
    assert not Upload.objects.exists()


@contextmanager
def pause_before_commit(*, rolls_back: bool) -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(rolls_back)


def received(crew: Crew) -> int:
    """How many messages about chunks the worker has had; one held for later came when it came."""
    return len(re.findall(rf"Task {re.escape(JUDGE_CHUNK)}\[\S+ received".encode(), crew.log_of()))
