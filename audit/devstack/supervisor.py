"""Keeps the processes of one state folder: starts them, writes them down, ends them in order."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from audit.devstack.errors import StackError, StopRequested
from audit.devstack.processes import (
    KILL_SECONDS,
    POLL_SECONDS,
    Account,
    Record,
    Stop,
    end,
    launch,
    record,
)
from audit.devstack.state import SERVICES, make_folder, write_json

RECORDS = "processes.json"
LOG_BYTES_MAX = 5 * 1024 * 1024


@dataclass(slots=True)
class Interrupts:
    """Counts Ctrl-C, SIGTERM and a closed terminal.

    A handler only counts: nothing is ever cut off between starting a process and writing it down.
    """

    count: int = 0

    def install(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def check(self) -> None:
        if self.count:
            raise StopRequested


@dataclass(slots=True)
class Supervisor:
    state: Path
    interrupts: Interrupts = field(default_factory=Interrupts)
    running: list[tuple[Record, subprocess.Popen[bytes]]] = field(default_factory=list)

    def log_of(self, name: str) -> Path:
        """Name a process's log file; one that has grown large is put aside once."""
        path = make_folder(self.state / "logs") / f"{name.lower().replace(' ', '-')}.log"
        if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
            path.replace(path.with_suffix(".old.log"))
        return path

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        stop: Stop,
        env: Mapping[str, str],
        cwd: Path,
        account: Account | None = None,
        log: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        self.interrupts.check()
        process = launch(command, log=log, env=env, cwd=cwd, account=account)
        self.running.append((record(name, process, stop), process))
        self.write()
        return process

    def wait_ready(self, name: str, is_ready: Callable[[], bool], *, seconds: float) -> None:
        """Wait until a process that was started says that it is ready.

        Raises: StackError with the last words of its log when it ends or takes too long.
        """
        process = self.process(name)
        limit = time.monotonic() + seconds
        while not is_ready():
            self.interrupts.check()
            if process.poll() is not None:
                raise StackError(f"{name} did not start: {self.last_words(name)}")
            if time.monotonic() > limit:
                raise StackError(
                    f"{name} was not ready within {seconds:.0f} s: {self.last_words(name)}"
                )
            time.sleep(POLL_SECONDS)

    def wait_done(self, name: str) -> int:
        """Wait until a process has run to its end, and give its exit status."""
        process = self.process(name)
        while process.poll() is None:
            self.interrupts.check()
            time.sleep(POLL_SECONDS)
        self.running = [kept for kept in self.running if kept[0].name != name]
        self.write()
        return process.returncode

    def watch(self) -> None:
        """Wait for Ctrl-C.

        Raises: StopRequested; StackError when a process ends by itself.
        """
        while True:
            for known, process in self.running:
                if process.poll() is not None:
                    raise StackError(
                        f"{known.name} ended by itself (status {process.returncode}):"
                        f" {self.last_words(known.name)}"
                    )
            self.interrupts.check()
            time.sleep(POLL_SECONDS * 4)

    def process(self, name: str) -> subprocess.Popen[bytes]:
        return next(process for known, process in self.running if known.name == name)

    def last_words(self, name: str) -> str:
        path = self.log_of(name)
        lines = path.read_text(errors="replace").strip().splitlines() if path.exists() else []
        return f"{lines[-1].strip() if lines else 'it said nothing'} (log: {path})"

    def stop_all(self, say: Callable[[str], None] = lambda _: None) -> None:
        """End everything in the opposite order. A signal meanwhile cuts the waits short."""
        before = self.interrupts.count
        while self.running:
            known, process = self.running[-1]
            say(f"Stopping {known.name} …")
            end(known, is_hurried=lambda: self.interrupts.count > before)
            # The last of its threads may go a moment later than what the system shows as gone.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=KILL_SECONDS)
            self.running.pop()
            self.write()

    def write(self) -> None:
        write_json(self.state / RECORDS, [known.to_json() for known, _ in self.running])


def reap(state: Path) -> list[str]:
    """End what a killed launcher left behind, and give the names. The lock must be ours."""
    try:
        records = [Record.from_json(found) for found in json.loads((state / RECORDS).read_text())]
    except FileNotFoundError:
        records = []
    except (OSError, ValueError, KeyError, TypeError):
        raise StackError(
            f"The list of processes {state / RECORDS} cannot be read: remove it."
        ) from None
    names = [known.name for known in reversed(records) if end(known)]
    (state / RECORDS).unlink(missing_ok=True)
    (state / SERVICES).unlink(missing_ok=True)
    return names
