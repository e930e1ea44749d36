"""Workers of a test, and a broker that it may kill."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from celery import current_app
from kombu import Connection

from audit.devstack.services import start_broker
from audit.devstack.supervisor import Supervisor
from audit.devstack.up import WORKER_STOP
from tests.integration.web import PATIENCE_SECONDS, ROOT, environment

POLL_SECONDS = 0.01
SWEPT = re.compile(rb"Task audit\.sweep\[\S+ succeeded")


class Crew:
    """Workers under a supervisor. Without a broker's address they share the test's own."""

    def __init__(self, supervisor: Supervisor, broker: str | None = None) -> None:
        self.supervisor = supervisor
        self.more = {} if broker is None else {"BROKER_URL": broker}

    def start(
        self, *options: str, name: str = "worker", before: tuple[str, ...] = (), **settings: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker and wait until it has looked for lost messages, as it does first."""
        log = self.supervisor.log_of(name)
        log.unlink(missing_ok=True)
        process = self.supervisor.start(
            name,
            [
                *before,
                *(sys.executable, "-m", "celery", "--app", "audit.config.celery", "worker"),
                *("--without-gossip", "--without-mingle"),
                *(options or ("--concurrency", "2")),
                *("--hostname", f"{name}@test"),
            ],
            stop=WORKER_STOP,
            env=environment(**self.more, **settings),
            cwd=ROOT,
            log=log,
        )
        self.wait(lambda: SWEPT.search(log.read_bytes()) is not None)
        return process

    def kill(self, name: str) -> None:
        self.supervisor.process(name).send_signal(signal.SIGKILL)
        self.supervisor.wait_done(name)

    def wait(self, is_so: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        limit = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < limit, self.supervisor.last_words("worker")
            time.sleep(POLL_SECONDS)

    def log_of(self, name: str = "worker") -> bytes:
        return self.supervisor.log_of(name).read_bytes()


class Shop(Crew):
    """A broker and workers of their own, which a test may kill without harm to others."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.url = start_broker(supervisor)
        super().__init__(supervisor, self.url)

    @property
    def socket(self) -> str:
        return self.url.removeprefix("redis+socket://")

    def restart_broker(self) -> None:
        start_broker(self.supervisor)

    def send(self, name: str, *arguments: int, countdown: int | None = None) -> None:
        with Connection(self.url) as line:
            current_app.send_task(name, arguments, connection=line, countdown=countdown)


def children_of(pid: int) -> list[int]:
    """The processes of a worker's pool."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in told]
