"""The drill of docs/operations.md: dump, restore into a fresh server, doctor, equal census."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from audit import services
from audit.devstack.postgres import find_binaries
from audit.devstack.services import start_postgres
from audit.devstack.state import make_state
from audit.devstack.supervisor import Supervisor
from audit.devstack.throwaway import remove
from audit.models import Hand
from tests.audit.logs import BASE_LINES, GOLDEN, B, changed, log, with_net
from tests.integration.web import ROOT, environment

pytestmark = pytest.mark.integration


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """A PostgreSQL on an empty folder of its own; gives its address."""
    folder = make_state(Path(tempfile.mkdtemp(prefix="tilecourt-restore-")).resolve())
    supervisor = Supervisor(folder)
    yield start_postgres(supervisor, True)
    supervisor.stop_all()
    remove(folder)


def run(program: str, *arguments: str) -> None:
    done = subprocess.run(
        [str(find_binaries() / program), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def manage(*arguments: str, url: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**environment(), "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_dump_restored_elsewhere_is_the_same_store(
    celery_worker_process: Any,
    worker_keeper: Any,
    upload: Any,
    wait: Any,
    fresh_server: str,
    tmp_path: Path,
) -> None:
    repeats = (GOLDEN / "odd" / "repeats-clocks-timers.ndjson").read_bytes()
    wait(upload(log(*BASE_LINES[:5], b"junk")), upload(repeats))
    wait(upload(log(B, with_net(B, 1, "-99.00"), changed(B, hand_id="手牌\\u0000", ext={"a": 1}))))
    # What the worker still has to do would change the store behind the dump's back.
    os.killpg(celery_worker_process.pid, signal.SIGTERM)
    celery_worker_process.wait()
    url = environment()["DATABASE_URL"]
    dump = str(tmp_path / "tilecourt.dump")
    run("pg_dump", "--format=custom", f"--file={dump}", url)
    run("pg_restore", "--no-owner", "--exit-on-error", "--jobs=2", f"--dbname={fresh_server}", dump)
    there, here = (manage("census", url=one) for one in (fresh_server, url))
    assert here[0] == 0
    assert there == here
    assert f"audit_hand {Hand.objects.count()} " in here[1]
    worker_keeper.running()
    status, said = manage("doctor", url=fresh_server)
    assert (status, said.splitlines()[-1]) == (0, "All is well."), said
    assert "\nok    migrations: The tables are those of this version.\n" in said
    # What is append-only here is so there.
    with_trigger = "UPDATE audit_verdict SET kind = 'clean'"
    refused = subprocess.run(
        [str(find_binaries() / "psql"), fresh_server, "-c", with_trigger],
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(
        r"rows of audit_verdict_\d{4}_\d\d are never changed or deleted", refused.stderr
    )


def test_the_census_tells_any_change(db: Any) -> None:
    def census() -> str:
        out = io.StringIO()
        call_command("census", stdout=out)
        return out.getvalue()

    services.receive_upload(name="x", stream=io.BytesIO(log(B)))
    before = census()
    assert census() == before
    assert "audit_upload 1 " in before
    with connection.cursor() as cursor:
        cursor.execute("UPDATE audit_upload SET error = 'y'")
    assert census() != before
    with connection.cursor() as cursor:
        cursor.execute("UPDATE audit_upload SET error = ''")
    assert census() == before
