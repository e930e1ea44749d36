"""The service as `dev.py up` starts it, each part of which may be killed and started again.

PostgreSQL writes through to the disk, unlike in the tests: what it has said to be stored must be.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from audit.devstack.processes import living, send
from audit.devstack.services import start_broker, start_postgres
from audit.devstack.supervisor import Supervisor
from audit.devstack.throwaway import throwaway_environment, throwaway_folder
from audit.devstack.up import HOST, Launch

# What can be killed. `pool` is one process of the worker's pool, all others die whole.
VICTIMS = ("worker", "pool", "web", "Valkey", "PostgreSQL")
GONE_SECONDS = 60
# Below the ports that a system gives out by itself.
PORTS = range(20_000, 32_000)


@dataclass(slots=True)
class Stack:
    """Everything that runs, and the environment that leads to it."""

    supervisor: Supervisor
    launch: Launch
    token: str = ""
    killed: list[str] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        return self.launch.env or {}

    @property
    def database(self) -> str:
        return self.env["DATABASE_URL"]

    def kill(self, victim: str) -> None:
        """Send SIGKILL to a part with all its processes, or to one process of the pool."""
        self.killed.append(victim)
        leader = self.supervisor.process("worker" if victim == "pool" else victim).pid
        family = family_of(leader)
        if victim == "pool":
            for pid in family[1:2]:
                send(pid, signal.SIGKILL)
            return
        for pid in family:
            send(pid, signal.SIGKILL)
        self.supervisor.wait_done(victim)
        # A server's children hold its memory for a moment longer, and keep the next one out.
        limit = time.monotonic() + GONE_SECONDS
        while any(seen.pid in family for seen in living()):
            assert time.monotonic() < limit, f"{victim} does not go away"
            time.sleep(0.02)

    def restart(self, victim: str) -> None:
        """Start what was killed as it was started first; a pool fills itself up again."""
        if victim == "PostgreSQL":
            start_postgres(self.supervisor, False)
        elif victim == "Valkey":
            start_broker(self.supervisor)
        elif victim == "web":
            self.launch.start_web()
        elif victim == "worker":
            self.launch.start_worker()

    def gone(self) -> str:
        """Which process has ended though nobody killed it, with its last words; else empty."""
        for known, process in self.supervisor.running:
            if process.poll() is not None:
                return f"{known.name} ended by itself: {self.supervisor.last_words(known.name)}"
        return ""


def family_of(leader: int) -> list[int]:
    """A process and all that came from it, the oldest first."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(path.name))
    found = [leader]
    for pid in found:
        found += sorted(children.get(pid, ()))
    return found


def free_port() -> int:
    """A port that nobody is given while we do not use it, as when the web server is killed."""
    first = os.getpid() % len(PORTS)
    for port in chain(PORTS[first:], PORTS[:first]):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise AssertionError(f"no port from {PORTS[0]} on is free")


@contextmanager
def running_stack(**settings: str) -> Iterator[Stack]:
    """Start everything on an empty folder; nothing of it is left afterwards."""
    with throwaway_folder() as supervisor:
        launch = Launch(supervisor, free_port())
        launch.env = {
            **os.environ,
            **throwaway_environment(supervisor.state),
            "DATABASE_URL": start_postgres(supervisor, False),
            "BROKER_URL": start_broker(supervisor),
            "PYTHONUNBUFFERED": "1",
            "TILECOURT_SECRET_KEY": secrets.token_urlsafe(48),
            **settings,
        }
        launch.step("migrate", "migrate", "--no-input")
        launch.step("first account", "first_account")
        stack = Stack(supervisor, launch)
        said = launch.step("token", "api_token", "crash-test")
        stack.token = next(word for word in said.split() if word.startswith("tc_"))
        launch.start_worker()
        launch.start_web()
        yield stack
