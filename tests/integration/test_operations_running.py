"""The watched folder and the doctor as processes of their own, beside a real worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from audit import services
from audit.config.settings import CELERY_BEAT_SCHEDULE
from audit.devstack.supervisor import Supervisor
from audit.models import Hand, SoftwareCheck, Upload, Verdict
from audit.tasks import check_software
from tests.audit.logs import BASE_LINES, B, changed, log
from tests.integration.web import PATIENCE_SECONDS, ROOT, Web, environment

pytestmark = pytest.mark.integration


def manage(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(is_so: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.02)


@pytest.fixture
def watcher() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path) -> subprocess.Popen[str]:
        process = manage(
            "watch", str(folder), "--quiet-seconds", "0.5", "--poll-seconds", "0.05",
            TILECOURT_CHUNK_LINES_MAX="50",
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_watch_survives_kills_takes_each_file_once_and_ends_on_sigterm(
    celery_worker_process: Any, watcher: Callable[[Path], subprocess.Popen[str]], tmp_path: Path
) -> None:
    """Eight files while the watcher is killed again and again, at whatever it is doing then."""
    hands = 0
    for number in range(8):
        lines = [
            changed(line, hand_id=f"{number}-{turn}-{game}")
            for turn in range(60)
            for game, line in enumerate(BASE_LINES[:5])
        ]
        hands += len(lines)
        laid = tmp_path / f".{number}.ndjson"
        laid.write_bytes(log(*lines))
        laid.rename(tmp_path / f"{number}.ndjson")
        process = watcher(tmp_path)
        first = f"Watching {tmp_path}.\n"
        assert process.stdout is not None
        assert process.stdout.readline() == first
        time.sleep(0.02 * number)
        process.kill()
        process.wait()
    (tmp_path / "junk.ndjson").write_bytes(b"no hand\n")
    process = watcher(tmp_path)
    done, refused = tmp_path / "done", tmp_path / "refused"
    # A kill between the commit and the message costs time, which beat's sweep ends; here we do.
    services.sweep(quiet=timedelta(0))
    wait_until(lambda: len(list(done.iterdir())) == 8 and len(list(refused.iterdir())) == 2)
    process.send_signal(signal.SIGTERM)
    said, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, errors
    assert said.endswith("The watch is ended.\n")
    assert sorted(path.name for path in done.iterdir()) == [f"{n}.ndjson" for n in range(8)]
    assert [path for path in tmp_path.iterdir() if path.is_file() and path.name[0] != "."] == []
    assert Hand.objects.count() == Verdict.objects.count() == hands
    whole = Upload.objects.exclude(sha256=None)
    assert whole.count() == 9
    assert sum(whole.values_list("duplicate_count", flat=True)) == 0


def test_the_doctor_knows_whether_a_worker_runs(celery_worker_process: Any, tmp_path: Path) -> None:
    # It waits two seconds for an answer, which beside much other work may come later.
    limit = time.monotonic() + PATIENCE_SECONDS
    said = errors = ""
    while "\nok    workers: 1 worker answers: celery@" not in said:
        assert time.monotonic() < limit, said + errors
        well = manage("doctor")
        said, errors = well.communicate(timeout=PATIENCE_SECONDS)
    assert [line for line in said.splitlines() if line.startswith("BAD")] == []
    assert (well.returncode, said.splitlines()[-1]) == (0, "All is well.")
    os.killpg(celery_worker_process.pid, signal.SIGKILL)
    celery_worker_process.wait()
    ill = manage("doctor")
    said, _ = ill.communicate(timeout=PATIENCE_SECONDS)
    assert "\nBAD   workers: No worker answers: start one, or look into its log.\n" in said
    assert (ill.returncode, said.splitlines()[-1]) == (1, "1 in trouble.")


def test_the_doctor_says_what_is_not_there(transactional_db: Any) -> None:
    lost = manage(
        "doctor",
        DATABASE_URL="postgresql://x@127.0.0.1:1/x",
        BROKER_URL="redis+socket:///nowhere/valkey.sock",
    )
    said, errors = lost.communicate(timeout=PATIENCE_SECONDS)
    assert lost.returncode == 1, errors
    bad = [line.split(" (")[0] for line in said.splitlines() if line.startswith("BAD")]
    assert bad == [
        "BAD   database: The database does not answer",
        "BAD   broker: The broker does not answer",
    ]
    assert said.splitlines()[-1] == "2 in trouble."


def test_one_pass_over_a_folder(celery_worker_process: Any, tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(log(B))
    once = manage("watch", str(tmp_path), "--once", "--quiet-seconds", "0.2")
    said, errors = once.communicate(timeout=PATIENCE_SECONDS)
    assert once.returncode == 0, errors
    assert [path.name for path in (tmp_path / "done").iterdir()] == ["a.ndjson"]
    assert "a.ndjson → done/a.ndjson: Upload " in said


def test_each_process_looks_at_its_software_when_it_begins_and_one_does_each_day(
    celery_worker_process: Any, tmp_path: Path
) -> None:
    """S30, S32: a real worker and a real web process."""
    wait_until(lambda: SoftwareCheck.objects.filter(process__startswith="worker on ").exists())
    supervisor = Supervisor(tmp_path / "web")
    try:
        Web(supervisor)
    finally:
        supervisor.stop_all()
    looked = {check.process.partition(" on ")[0] for check in SoftwareCheck.objects.all()}
    assert looked == {"worker", "web"}
    assert not SoftwareCheck.objects.filter(is_good=False).exists()
    daily = CELERY_BEAT_SCHEDULE["self_check"]
    assert daily["task"] == check_software.name
    when = daily["schedule"]
    assert (len(when.minute), len(when.hour)) == (1, 1)
    assert (len(when.day_of_week), len(when.day_of_month), len(when.month_of_year)) == (7, 31, 12)
