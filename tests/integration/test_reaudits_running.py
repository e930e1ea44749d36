"""Re-audits through a real broker and real workers: killed, at once, under other locales."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import current_app
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

import replay
from audit import selectors, services
from audit.config.celery import app
from audit.models import (
    Chunk,
    Hand,
    Reaudit,
    ReauditBatch,
    ReauditResult,
    TableTouch,
    Verdict,
)
from audit.selectors.exports_sheet import check_sheet
from audit.selectors.reaudits import ReauditRow, get_reaudit
from audit.services.queueing import WORK_ON_REAUDIT
from audit.web import reaudits_csv
from tests.audit.chains import by_command
from tests.audit.logs import BASE_LINES, GOLDEN, B, W, changed, log
from tests.audit.reauditing import engine, start, without_rake
from tests.conftest import ROOT
from tests.integration.holding import HELD_HAND, held
from tests.integration.web import PATIENCE_SECONDS

pytestmark = pytest.mark.integration

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def stored(*lines: bytes) -> int:
    """Hand lines in and judge them here, before a worker can; gives the upload."""
    received = services.receive_upload(name="hands.ndjson", stream=io.BytesIO(log(*lines)))
    for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("pk"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    return received.upload_id


def every_game(turns: int) -> list[bytes]:
    return [
        changed(line, hand_id=f"{number}-{turn}")
        for turn in range(turns)
        for number, line in enumerate(BASE_LINES[:5])
    ]


def wait_for(job: int, is_there: Callable[[ReauditRow], bool]) -> ReauditRow:
    limit = time.monotonic() + PATIENCE_SECONDS
    while not is_there(row := get_reaudit(job, sources=None)):
        assert time.monotonic() < limit, row
        time.sleep(0.02)
    return row


def judged_twice() -> bool:
    """Whether each version has just one verdict of each engine, and the new one is current."""
    engines = Counter(Verdict.objects.values_list("version", "engine"))
    current = set(Hand.objects.values_list("verdict__engine", flat=True))
    return set(engines.values()) == {1} and current == {replay.ENGINE}


def test_the_names_of_the_tasks_are_known() -> None:
    """What is queued by name would otherwise be lost without a word."""
    current_app.loader.import_default_modules()
    assert {WORK_ON_REAUDIT, "audit.sweep_reaudits"} <= set(current_app.tasks)
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert "audit.sweep_reaudits" in scheduled


def test_svc_50_a_worker_that_is_killed_loses_and_doubles_nothing(
    worker_keeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILECOURT_REAUDIT_BATCH_MAX", "50")
    with engine("0.9.0"):
        stored(*every_game(300))
    first = worker_keeper.running()
    with held(HELD_HAND, Hand.objects.latest("pk").pk):
        job = start()
        wait_for(job, lambda row: row.done > 0)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        halfway = get_reaudit(job, sources=None)
        assert halfway.state == "running"
        assert 0 < halfway.done < halfway.total == 1500
    # Two minutes go by; a worker that starts looks for what was left.
    past = timezone.now() - timedelta(seconds=1)
    ReauditBatch.objects.filter(state="running").update(lease_until=past)
    second = worker_keeper.running()
    row = wait_for(job, lambda row: not row.is_open)
    os.killpg(second.pid, signal.SIGKILL)
    assert (row.state, row.done, row.written, row.aside) == ("done", 1500, 1500, 0)
    assert Verdict.objects.count() == 3000
    assert judged_twice()
    rows = [version for batch in ReauditBatch.objects.all() for version in batch.rows]
    assert len(rows) == len(set(rows)) == 1500


def test_a_broker_that_lost_everything_costs_time_only(
    worker_keeper: Any,
) -> None:
    with engine("0.9.0"):
        stored(B, W)
    first = worker_keeper.running()
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    job = start()
    with app.connection_for_write() as line:
        app.control.purge(connection=line)
    worker_keeper.running()
    assert wait_for(job, lambda row: not row.is_open).written == 2


def test_stopped_and_resumed_under_a_worker(
    worker_keeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILECOURT_REAUDIT_BATCH_MAX", "25")
    with engine("0.9.0"):
        stored(*every_game(200))
    worker_keeper.running()
    with held(HELD_HAND, Hand.objects.latest("pk").pk):
        job = start()
        wait_for(job, lambda row: row.done > 0)
        assert services.stop_reaudit(reaudit_id=job) is True
        # What was begun before is ended, but for the last batch, should that be among it.
        last = ReauditBatch.objects.latest("pk").pk
        begun = ReauditBatch.objects.filter(state="running").exclude(pk=last)
        wait_for(job, lambda row: not begun.exists())
        row = get_reaudit(job, sources=None)
        assert (row.state, 0 < row.done < row.total) == ("stopped", True)
        time.sleep(0.5)
        assert get_reaudit(job, sources=None).done == row.done, "nothing goes on"
    services.resume_reaudit(reaudit_id=job)
    row = wait_for(job, lambda row: not row.is_open)
    assert (row.state, row.written) == ("done", 1000)
    assert judged_twice()


def test_two_workers_and_an_upload_of_the_same_hands_at_once(
    transactional_db: Any, settings: Any
) -> None:
    """Each batch is one worker's; a chunk with the same bytes waits, and finds the verdicts."""
    settings.TILECOURT_REAUDIT_BATCH_MAX = 25
    settings.TILECOURT_CHUNK_LINES_MAX = 40
    lines = every_game(60)
    with engine("0.9.0", None):
        stored(*lines)
    job = start()
    while get_reaudit(job, sources=None).state == "gathering":
        services.work_on_reaudit(reaudit_id=job)
    received = services.receive_upload(name="again", stream=io.BytesIO(log(*reversed(lines))))
    chunks = list(
        Chunk.objects.filter(upload_id=received.upload_id).order_by("pk").values_list("pk")
    )
    errors: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    def again() -> None:
        while services.work_on_reaudit(reaudit_id=job) is not None:
            pass

    def upload() -> None:
        for (chunk,) in chunks:
            while services.judge_chunk(chunk_id=chunk) is not None:
                time.sleep(0.05)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in (again, again, upload)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    row = get_reaudit(job, sources=None)
    assert (row.state, row.done, row.aside) == ("done", 300, 0)
    assert Verdict.objects.count() == 600
    assert judged_twice()
    assert selectors.get_upload(received.upload_id, sources=None).duplicates == 300


def test_hands_stand_as_compared_after_a_re_audit_by_workers(worker_keeper: Any) -> None:
    lines = (GOLDEN / "odd" / "mixed-games.ndjson").read_bytes().splitlines()
    with engine("0.9.0", None):
        upload = stored(*lines)
    TableTouch.objects.all().delete()
    worker_keeper.running()
    job = start(query={"upload": str(upload)})
    assert wait_for(job, lambda row: not row.is_open).written == len(lines)
    limit = time.monotonic() + PATIENCE_SECONDS
    while TableTouch.objects.exists():
        assert time.monotonic() < limit
        time.sleep(0.05)
    expected = by_command(lines)
    for hand in Hand.objects.all():
        detail = selectors.hand_detail(hand.pk, sources=None)
        assert detail.kind == expected[hand.source, hand.hand_id].verdict
        assert detail.findings == expected[hand.source, hand.hand_id].findings


def test_svc_23_no_memory_between_hands(worker_keeper: Any) -> None:
    """Judged again in reverse order and one by one, each hand has the verdict that it had."""
    lines = (GOLDEN / "odd" / "mixed-games.ndjson").read_bytes().splitlines()
    stored(*lines)
    worker_keeper.running()
    before = list(Verdict.objects.order_by("pk").values())
    jobs = [
        start(query={"q": hand_id})
        for hand_id in Hand.objects.order_by("-pk").values_list("hand_id", flat=True)
    ]
    rows = [wait_for(job, lambda row: not row.is_open) for job in jobs]
    assert all(row.confirmed == row.total >= 1 for row in rows), rows
    assert list(Verdict.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("locale", ["C", "de_DE.UTF-8"])
def test_svc_75_other_locales_give_the_same_digests_and_files(
    worker_keeper: Any, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    lines = [
        *(GOLDEN / "odd" / "minor-digits.ndjson").read_bytes().splitlines(),
        *(GOLDEN / "odd" / "names-accepted.ndjson").read_bytes().splitlines(),
    ]
    stored(*lines)
    with engine("0.9.0", without_rake_where_seats):
        stored(*(changed(line, source="older") for line in lines))
    count = Hand.objects.filter(source="older").count()
    assert count * 2 == Hand.objects.count() > 30
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("LANG", locale)
    worker_keeper.running()
    row = wait_for(start(), lambda row: not row.is_open)
    assert (row.state, row.confirmed, row.written) == ("done", count, count)
    here = (
        b"".join(reaudits_csv.changes(row, made_at=NOON)),
        b"".join(reaudits_csv.amounts(row, "player", made_at=NOON)),
    )
    found = check_sheet(here[0].splitlines(keepends=True))
    assert found.rows == ReauditResult.objects.count() > 0
    assert there(row.id, locale) == here


def without_rake_where_seats(audited: replay.Audited) -> replay.Verdict:
    settlement = audited.verdict.settlement or {}
    return without_rake(audited) if "rake" in str(settlement) else audited.verdict


def there(job: int, locale: str) -> tuple[bytes, bytes]:
    """The two files as a process of that locale makes them."""
    program = (
        "import sys; from audit.web import reaudits_csv as c; from datetime import *;"
        "from audit.selectors.reaudits import get_reaudit;"
        f"row = get_reaudit({job}, sources=None); at = datetime(2025, 3, 1, 12, tzinfo=UTC);"
        "sys.stdout.buffer.write(b''.join(c.changes(row, made_at=at)) + b'|||'"
        " + b''.join(c.amounts(row, 'player', made_at=at)))"
    )
    name = connection.settings_dict["NAME"]
    url = os.environ["DATABASE_URL"].split("?")
    base, _, _ = url[0].rpartition("/")
    address = "?".join([f"{base}/{name}", *url[1:]])
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", program],
        env={**os.environ, "DATABASE_URL": address, "LC_ALL": locale, "PYTHONUTF8": "0"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    first, _, second = done.stdout.partition(b"|||")
    return first, second


def test_the_command_waits_for_the_worker(worker_keeper: Any) -> None:
    with engine("0.9.0", without_rake):
        stored(B)
    worker_keeper.running()
    out = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("reaudit", "--all", "--reason", "a mended reader", stdout=out)
    assert stopped.value.code == 1
    job = Reaudit.objects.get()
    assert out.getvalue().splitlines() == [
        f"Re-audit {job.pk}: 1 of 1 judged again: 1 new verdicts; 1 flipped, 1 judged otherwise",
        "  1 × discrepant rake-mismatch → clean",
        "  CNY: net 0.00 → -5.00, rake 0.00 → 5.00, valid bet 200.00 → 200.00",
    ]
