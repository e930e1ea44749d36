"""Fixtures for every test.

PostgreSQL and Valkey themselves come from audit/devstack/pytest_plugin.py.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import redis
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connection

from audit.devstack.processes import end, launch, record
from audit.devstack.up import WORKER_STOP

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session", autouse=True)
def quick_passwords():
    """Hash passwords by Argon2 as ever, but cheaply: a good hash is slow on purpose."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("time_cost", 1), ("memory_cost", 64), ("parallelism", 1)):
            patch.setattr(Argon2PasswordHasher, name, value)
        yield


class WorkerKeeper:
    """A real Celery worker on the test database and broker, started anew when a test killed it."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.known = None

    def running(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        self.stop()
        self.log.write_bytes(b"")
        parts = urlsplit(os.environ["DATABASE_URL"])
        name = quote(connection.settings_dict["NAME"])
        self.process = launch(
            [
                *(sys.executable, "-m", "celery", "--app", "audit.config.celery", "worker"),
                *("--concurrency", "1", "--without-gossip", "--without-mingle"),
            ],
            log=self.log,
            env={**os.environ, "DATABASE_URL": parts._replace(path=f"/{name}").geturl()},
            cwd=ROOT,
        )
        self.known = record("worker", self.process, WORKER_STOP)
        limit = time.monotonic() + 30
        while b" ready." not in self.log.read_bytes():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < limit, self.log.read_text()
            time.sleep(0.05)
        return self.process

    def settle(self) -> None:
        """Wait until nothing is queued or being done, so that the database can be emptied.

        What a killed worker left unfinished is thrown away.
        """
        url = settings.CELERY_BROKER_URL.replace("redis+socket:", "unix:")
        with redis.Redis.from_url(url.replace("virtual_host=", "db=")) as broker:
            limit = time.monotonic() + 30
            quiet = 0
            while self.process is not None and self.process.poll() is None and quiet < 2:
                assert time.monotonic() < limit, f"The worker is still busy: {self.log}"
                is_quiet = not broker.llen("celery") and not broker.hlen("unacked")
                quiet = quiet + 1 if is_quiet else 0
                time.sleep(0.05)
            if self.process is None or self.process.poll() is not None:
                broker.flushdb()

    def stop(self) -> None:
        if self.process is not None and self.known is not None:
            end(self.known)
            self.process.wait()


@pytest.fixture(scope="session")
def worker_keeper(django_db_setup, tmp_path_factory):
    keeper = WorkerKeeper(tmp_path_factory.mktemp("worker") / "worker.log")
    yield keeper
    keeper.stop()


@pytest.fixture
def celery_worker_process(transactional_db, worker_keeper):
    """Give a running worker's process. The test may kill it; the next test gets a new one."""
    yield worker_keeper.running()
    worker_keeper.settle()


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
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - slow, and rarely needed

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
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()
