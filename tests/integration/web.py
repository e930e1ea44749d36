"""A real web server beside the tests, and a program that talks to it by bare HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from django.db import connection

from audit.devstack.supervisor import Supervisor
from audit.devstack.up import WEB_STOP

ROOT = Path(__file__).resolve().parents[2]
UPLOADS = "/api/v1/uploads/"
# Of a start, or of an answer, beside other work: only what never comes is to be caught.
PATIENCE_SECONDS = 120
_LISTENING = re.compile(rb"Listening at: http://127\.0\.0\.1:(\d+)")


def environment(**more: str) -> dict[str, str]:
    """The variables that lead a process of ours to the test's database and broker.

    What it writes there is committed, so a test that would only be rolled back must not start it:
    the rows would stay for every test after that.
    """
    blocks: list[Any] = connection.atomic_blocks
    is_rolled_back = any(block._from_testcase for block in blocks)
    assert not is_rolled_back, "ask for transactional_db, not db"
    parts = urlsplit(os.environ["DATABASE_URL"])
    name = quote(connection.settings_dict["NAME"])
    url = parts._replace(path=f"/{name}").geturl()
    return {**os.environ, "DATABASE_URL": url, **more}


class Web:
    """gunicorn as in service, with one process. `settings` are more variables for it."""

    def __init__(self, supervisor: Supervisor, **settings: str) -> None:
        self.log = supervisor.log_of("web")
        self.log.unlink(missing_ok=True)
        self.port = 0
        self.process: subprocess.Popen[bytes] = supervisor.start(
            "web",
            [
                *(sys.executable, "-m", "gunicorn", "audit.config.wsgi:application"),
                # The system gives a port that is free; one that we looked for could be taken since.
                *("--bind", "127.0.0.1:0", "--worker-class", "gthread"),
                *("--workers", "1", "--threads", "4", "--graceful-timeout", "5"),
                "--no-control-socket",
            ],
            stop=WEB_STOP,
            env=environment(**settings),
            cwd=ROOT,
            log=self.log,
        )
        supervisor.wait_ready("web", self.is_answering, seconds=PATIENCE_SECONDS)

    def is_answering(self) -> bool:
        said = _LISTENING.search(self.log.read_bytes())
        if said is None:
            return False
        self.port = int(said[1])
        try:
            return self.ask("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def ask(
        self, method: str, address: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """One request on a connection of its own; an iterable body is sent in chunks."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            line.request(method, address, body, named, encode_chunked=is_chunked(body))
            answer = line.getresponse()
            data = answer.read()
        finally:
            line.close()
        kind = answer.headers.get("Content-Type", "")
        told = json.loads(data) if kind.startswith("application/json") else data
        return answer.status, dict(answer.headers), told

    def workers(self) -> list[int]:
        """The processes that answer requests."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]


def is_chunked(body: object) -> bool:
    return body is not None and not isinstance(body, bytes)


def chunks(data: bytes, size: int) -> Iterable[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def memory_peak(pid: int) -> int:
    """The most bytes that a process has held in memory so far."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the system does not tell")


def processor_seconds(pid: int) -> float:
    """How long a process has had a processor so far: unlike a clock it tells nothing of others."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
