"""What the doctor says, and with which exit status."""

from __future__ import annotations

import io
import re
import shutil
from collections import namedtuple
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

import replay
from audit import services
from audit.models import Chunk, TableTouch, Upload
from audit.selectors import diagnosis, vitals
from audit.selectors.diagnosis import GIB, Level
from tests.audit.logs import B, log

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def well(db: Any, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A service in which nothing is wrong: a worker answers and the disks are half empty."""
    monkeypatch.setattr(diagnosis, "live_workers", lambda: ("celery@one", "celery@two"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 * GIB, 50 * GIB, 50 * GIB))
    return monkeypatch


def doctor() -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("doctor", stdout=out)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue()
    return 0, out.getvalue()


def sentences(about: str, level: Level) -> list[str]:
    """What is said about one thing, which must stand at this level."""
    found = [check for check in diagnosis.examine() if check.about == about]
    assert {check.level for check in found} <= {level}
    return [check.sentence for check in found]


def test_when_all_is_well_each_thing_has_a_line_and_the_status_is_0(well: Any) -> None:
    status, said = doctor()
    *lines, last = said.splitlines()
    assert (status, last) == (0, "All is well.")
    assert [line.split(":")[0] for line in lines[:13]] == [
        f"ok    {about}"
        for about in ("database", "broker", "workers", "rulesets", "migrations", "clock", "chunks",
                      "tables", "uploads", "references", "partitions", "seals", "software")
    ]  # fmt: skip
    assert lines[13:]
    assert {line.split(":")[0] for line in lines[13:]} == {"ok    disk"}
    assert all(re.fullmatch(r"ok    \w+: .+\.", line) for line in lines)
    assert "2 workers answer: celery@one, celery@two." in lines[2]


def test_without_workers_the_status_is_1_and_the_sentence_says_what_to_do(well: Any) -> None:
    well.setattr(diagnosis, "live_workers", lambda: ())
    status, said = doctor()
    assert status == 1
    assert "BAD   workers: No worker answers: start one, or look into its log.\n" in said
    assert said.endswith("\n1 in trouble.\n")


def test_nobody_answers_where_no_worker_runs(db: Any) -> None:
    assert vitals.live_workers() == ()


def test_without_the_database_the_rest_is_looked_at_all_the_same(well: Any) -> None:
    with well.context() as patch:
        patch.setitem(connection.settings_dict, "PORT", "1")
        status, said = doctor()
    assert status == 1
    first, *rest, last = said.splitlines()
    assert first.startswith("BAD   database: The database does not answer (connection ")
    assert first.endswith("): start it, or mend DATABASE_URL.")
    assert {line[:4] for line in rest} == {"ok  "}
    assert last == "1 in trouble."


def test_without_the_broker_nobody_waits_for_workers(well: Any) -> None:
    well.setattr(diagnosis, "broker_trouble", lambda: "connection refused")
    assert sentences("broker", Level.TROUBLE) == [
        (
            "The broker does not answer (connection refused): start it, or mend BROKER_URL;"
            " what is received meanwhile waits in the database."
        )
    ]
    assert sentences("workers", Level.TROUBLE) == []


def test_an_old_database_is_told(well: Any) -> None:
    well.setattr(diagnosis, "POSTGRES_MIN", 99)
    (sentence,) = sentences("database", Level.TROUBLE)
    assert sentence.endswith("move to 99 or newer.")


def test_migrations_that_are_not_applied_are_counted(well: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE id ="
            " (SELECT max(id) FROM django_migrations WHERE app = 'audit') RETURNING name"
        )
        (name,) = cursor.fetchone()
    assert sentences("migrations", Level.TROUBLE) == [
        f"1 migration is not applied, audit.{name} first: run manage.py migrate."
    ]
    assert sentences("chunks", Level.GOOD) == []


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_off_is_told(well: Any, hours: int) -> None:
    now = timezone.now
    well.setattr(diagnosis.timezone, "now", lambda: now() + timedelta(hours=hours))
    (sentence,) = sentences("clock", Level.TROUBLE)
    told = re.match(r"This machine's clock and the database's differ by (\d+\.\d) s:", sentence)
    assert told is not None, sentence
    # Less by the time between the two looks, which is not known.
    assert 3_500 < float(told[1]) <= 3_600
    assert sentence.endswith("for leases are counted in seconds.")


def receive() -> int:
    return services.receive_upload(name="x", stream=io.BytesIO(log(B))).upload_id


def test_a_chunk_that_nobody_swept_is_stuck(well: Any) -> None:
    upload = receive()
    assert sentences("chunks", Level.GOOD) == ["No chunk lies still (1 are open)."]
    Chunk.objects.update(queued_at=timezone.now() - timedelta(minutes=13))
    Chunk.objects.update(due_at=timezone.now() - timedelta(minutes=13))
    assert sentences("chunks", Level.TROUBLE) == [
        (
            f"1 chunk lies still, upload {upload} first: see that beat and the workers run,"
            " then manage.py sweep."
        )
    ]
    services.sweep()
    assert sentences("chunks", Level.GOOD) == ["No chunk lies still (1 are open)."]


def test_chunks_of_a_file_that_is_arriving_are_not_stuck(well: Any) -> None:
    receive()
    Chunk.objects.update(queued_at="2020-01-01T00:00:00Z", due_at="2020-01-01T00:00:00Z")
    Upload.objects.update(state="receiving")
    assert sentences("chunks", Level.GOOD) == ["No chunk lies still (1 are open)."]


def test_a_table_that_nobody_compares_is_told(well: Any) -> None:
    upload = receive()
    services.judge_chunk(chunk_id=Chunk.objects.get().pk)
    touch = TableTouch.objects.select_related("table").get(upload_id=upload)
    assert sentences("tables", Level.GOOD) == ["No table waits too long to be compared (1 wait)."]
    TableTouch.objects.update(queued_at=timezone.now() - timedelta(minutes=13))
    Upload.objects.update(state="running", finished_at=None)
    assert sentences("tables", Level.GOOD) != []
    Upload.objects.update(state="done", finished_at=timezone.now())
    assert sentences("tables", Level.TROUBLE) == [
        (
            f"1 table waits to be compared, {touch.table.name!r} among them: see that beat and"
            " the workers run, then manage.py sweep."
        )
    ]


def test_a_chunk_that_failed_for_good_wants_a_look_for_a_day(well: Any) -> None:
    upload = receive()
    Chunk.objects.update(attempts=4, payload=b"damaged")
    services.judge_chunk(chunk_id=Chunk.objects.get().pk)
    assert sentences("chunks", Level.WARNING) == [
        (
            f"1 chunk failed for good in the last day, upload {upload} first: its page and the"
            " workers' log say why."
        )
    ]
    assert doctor()[0] == 0
    Upload.objects.update(finished_at=timezone.now() - timedelta(days=2))
    assert sentences("chunks", Level.GOOD) == ["No chunk lies still (0 are open)."]


def test_a_line_that_was_set_aside_through_our_fault_wants_a_look_for_a_day(well: Any) -> None:
    upload = receive()
    Chunk.objects.update(attempts=4)
    services.judge_chunk(chunk_id=Chunk.objects.get().pk)
    assert sentences("chunks", Level.WARNING) == [
        (
            f"1 line was set aside through a fault of ours in the last day, upload {upload} first:"
            " its page says why."
        )
    ]
    assert doctor()[0] == 0
    Upload.objects.update(finished_at=timezone.now() - timedelta(days=2))
    assert sentences("chunks", Level.GOOD) == ["No chunk lies still (0 are open)."]


def test_a_sender_who_left_long_ago_wants_a_look(well: Any) -> None:
    silent = Upload.objects.create(name="x", touched_at=timezone.now() - timedelta(minutes=70))
    assert sentences("uploads", Level.WARNING) == [
        (
            f"1 upload has been silent for over an hour, {silent.pk} first: see that beat runs,"
            " or manage.py sweep."
        )
    ]
    services.sweep()
    assert sentences("uploads", Level.GOOD) == ["No upload is stuck half-way."]


@pytest.mark.parametrize("usage", [Usage(1000 * GIB, 951 * GIB, 49 * GIB),
                                   Usage(10 * GIB, 9 * GIB, GIB)])  # fmt: skip
def test_a_disk_that_is_nearly_full_is_told(well: Any, usage: Usage) -> None:
    well.setattr(shutil, "disk_usage", lambda _: usage)
    told = sentences("disk", Level.TROUBLE)
    assert told
    assert all(sentence.endswith("make room or move it.") for sentence in told)


def test_a_ruleset_that_cannot_be_read_is_told(well: Any) -> None:
    def broken() -> None:
        raise replay.RulesetError("house.toml: line 3 is no TOML")

    well.setattr(diagnosis, "current_rulesets", broken)
    assert sentences("rulesets", Level.TROUBLE) == [
        "The rulesets cannot be read (house.toml: line 3 is no TOML): mend or take back the file."
    ]
