"""Fixtures for every test.

PostgreSQL and Valkey themselves come from audit/devstack/pytest_plugin.py.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.management import CommandError
from django.core.management.commands import flush
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as properties
from psycopg.errors import DeadlockDetected

from audit.config import settings as configured
from audit.config.celery import app
from audit.devstack.supervisor import Supervisor
from audit.devstack.up import WORKER_STOP

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Of a start beside other work: only one that never ends is to be caught.
START_SECONDS = 120
# The same of a page.
PATIENCE_MS = 60_000


def pytest_configure(config: pytest.Config) -> None:
    """Let the properties be tried on the same examples in each run, however slow the machine is.

    Other examples are asked for with `--hypothesis-seed`.
    """
    properties.register_profile(
        "tests",
        deadline=None,
        derandomize=config.getoption("--hypothesis-seed", None) is None,
        database=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    properties.load_profile("tests")


@pytest.fixture(scope="session", autouse=True)
def quick_passwords():
    """Hash passwords by Argon2 as ever, but cheaply: a good hash is slow on purpose."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("time_cost", 1), ("memory_cost", 64), ("parallelism", 1)):
            patch.setattr(Argon2PasswordHasher, name, value)
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_makers():
    """Let a page that makes a report or a certificate at once take its time beside other work.

    With the time it has elsewhere it would sometimes show a run that is not done instead.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in ("reports", "certificates"):
            patch.setattr(f"audit.web.{module}.PATIENCE_SECONDS", 60.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_flush():
    """Empty the tables once more where a worker that outlives a test read two of them just then.

    Of two that wait for each other the database ends one, and that may be the one who empties.
    With the log go the heads that a worker or a command kept of it in the state folder: no later
    log is the one that they signed.
    """
    empty = flush.Command.handle

    def handle(self, **options):
        for more in (3, 2, 1, 0):
            try:
                empty(self, **options)
            except CommandError as error:
                if not more or not isinstance(root_of(error), DeadlockDetected):
                    raise
            else:
                break
        shutil.rmtree(configured.TILECOURT_SEAL_HEADS, ignore_errors=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush.Command, "handle", handle)
        yield


def root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


class WorkerKeeper:
    """Starts a real Celery worker on the test database and broker, again if a test killed it.

    It is written down where the next run looks, should this one be killed.
    """

    def __init__(self) -> None:
        self.supervisor = Supervisor(Path(os.environ["TILECOURT_HOME"], f"worker-{os.getpid()}"))

    def running(self) -> subprocess.Popen[bytes]:
        for _, process in self.supervisor.running:
            if process.poll() is None:
                return process
        self.supervisor.stop_all()
        log = self.supervisor.log_of("worker")
        log.unlink(missing_ok=True)
        parts = urlsplit(os.environ["DATABASE_URL"])
        name = quote(connection.settings_dict["NAME"])
        process = self.supervisor.start(
            "worker",
            [
                *(sys.executable, "-m", "celery", "--app", "audit.config.celery", "worker"),
                *("--concurrency", "1", "--without-gossip", "--without-mingle"),
            ],
            stop=WORKER_STOP,
            env={**os.environ, "DATABASE_URL": parts._replace(path=f"/{name}").geturl()},
            cwd=ROOT,
            log=log,
        )
        self.supervisor.wait_ready(
            "worker", lambda: b" ready." in log.read_bytes(), seconds=START_SECONDS
        )
        return process


def forget_messages() -> None:
    """Empty the broker, also of what a worker held that was killed: it would come again later."""
    with app.connection_for_write() as line:
        app.control.purge(connection=line)
        channel: Any = line.default_channel
        channel.client.delete("unacked", "unacked_index")


@pytest.fixture
def worker_keeper(transactional_db):
    """Give a keeper for one test: a worker that outlived it would see other tests' messages."""
    forget_messages()
    keeper = WorkerKeeper()
    yield keeper
    keeper.supervisor.stop_all()


@pytest.fixture
def celery_worker_process(worker_keeper):
    """Give a running worker's process. The test may kill it and ask the keeper for another."""
    return worker_keeper.running()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Give the path of the system's Chromium; skip where there is none, but fail in CI."""
    for name in (os.environ.get("CHROMIUM"), *BROWSERS):
        if name and (path := shutil.which(name)):
            return path
    sentence = "No Chromium was found (CHROMIUM may name one)"
    if os.environ.get("CI"):
        pytest.fail(f"{sentence}: the browser tests must run in CI.")
    pytest.skip(f"{sentence}: the browser tests did not run.")


@pytest.fixture(scope="session")
def browser(chromium_path):
    """Give a headless browser. Playwright's loop stays in this thread, which Django must allow."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 - slow, rarely needed

    expect.set_options(timeout=PATIENCE_MS)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # Chromium refuses its sandbox to root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, live_server):
    """Give an empty page of a new profile; addresses are relative to the live server's."""
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()
