"""Processes: started apart from the terminal, known again later, stopped with all they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from audit.devstack.errors import StackError

POLL_SECONDS = 0.05
KILL_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One living process. `started` is in the system's own words and only good for comparing."""

    pid: int
    group: int
    started: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user that processes are started as; None stands for whoever runs this."""

    name: str
    uid: int
    gid: int


# How a process is asked to end: each signal in turn, with the seconds that it is given.
Stop = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is written down about a process, to know it again after the launcher was killed."""

    name: str
    pid: int
    started: str
    command: str
    stop: Stop

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Record:
        stop = tuple((int(number), float(seconds)) for number, seconds in found["stop"])
        return cls(
            name=str(found["name"]),
            pid=int(found["pid"]),
            started=str(found["started"]),
            command=str(found["command"]),
            stop=stop,
        )


def living() -> list[Seen]:
    """List the processes of this machine that are not zombies."""
    if Path("/proc/self/stat").exists():
        numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        return [seen for number in numbers if (seen := look(number))]
    return living_by_ps()


def look(pid: int) -> Seen | None:
    if sys.platform != "linux":
        return next((seen for seen in living_by_ps() if seen.pid == pid), None)
    try:
        # The second field is the program's name in brackets and may itself hold spaces.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ")
    except OSError:
        return None
    state, group, started = fields[0], int(fields[2]), fields[19]
    if state in "ZX":
        return None
    return Seen(pid=pid, group=group, started=started, command=os.fsdecode(command))


def living_by_ps() -> list[Seen]:
    try:
        listing = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,pgid=,stat=,lstart=,command="],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise StackError("The tool `ps` is missing: it is needed to find old processes.") from error
    found = []
    for line in listing.splitlines():
        pid, group, state, *rest = line.split(None, 8)
        if not state.startswith("Z") and len(rest) == 6:
            started, command = " ".join(rest[:5]), rest[5]
            found.append(Seen(pid=int(pid), group=int(group), started=started, command=command))
    return found


def launch(
    command: Sequence[str | Path],
    *,
    log: Path | None,
    env: Mapping[str, str],
    account: Account | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, so that Ctrl-C reaches the launcher alone.

    Its output goes to the log file, or to ours when there is none.
    """
    as_user: dict[str, Any] = {}
    if account is not None:
        as_user = {"user": account.uid, "group": account.gid, "extra_groups": []}
    output = None if log is None else log.open("ab")
    try:
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=None if output is None else subprocess.STDOUT,
            start_new_session=True,
            env=dict(env),
            cwd=cwd,
            **as_user,
        )
    except OSError as error:
        raise StackError(f"{command[0]} cannot be started ({error.strerror}).") from error
    finally:
        if output is not None:
            output.close()


def record(name: str, process: subprocess.Popen[bytes], stop: Stop) -> Record:
    """Write down a process just started. One that has already ended gets an empty start time."""
    seen = look(process.pid)
    return Record(
        name=name,
        pid=process.pid,
        started=seen.started if seen else "",
        command=seen.command if seen else "",
        stop=stop,
    )


def remains(known: Record) -> list[Seen]:
    """Find what is left of a recorded process: itself, or children that outlived it.

    A number can have been given to another process since: the leader must have the same start
    time, its children the leader's group and command line.
    """
    leader = look(known.pid)
    if leader is not None and leader.started != known.started:
        return []
    return [
        seen
        for seen in living()
        if seen.group == known.pid
        and (seen.pid == known.pid or seen.command == known.command or leader is not None)
    ]


def end(known: Record, *, is_hurried: Callable[[], bool] = lambda: False) -> bool:
    """Ask a recorded process to end, signal by signal, and kill what is left of its group.

    Returns: whether there was anything to end.
    """
    if not remains(known):
        return False
    for number, seconds in known.stop:
        left = remains(known)
        if not left:
            return True
        # Only the leader is asked: it ends its own children in good order.
        if any(seen.pid == known.pid for seen in left):
            send(known.pid, number)
        if wait_gone(known, 0.5 if is_hurried() else seconds, is_hurried):
            return True
    for seen in remains(known):
        send(seen.pid, signal.SIGKILL)
    wait_gone(known, KILL_SECONDS, lambda: False)
    return True


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise StackError(f"Process {pid} belongs to another user and cannot be stopped.") from error


def wait_gone(known: Record, seconds: float, is_hurried: Callable[[], bool]) -> bool:
    """Wait until nothing is left of a process; a hurry cuts the wait short."""
    limit = time.monotonic() + seconds
    was_hurried = is_hurried()
    while remains(known):
        if time.monotonic() > limit or (is_hurried() and not was_hurried):
            return False
        time.sleep(POLL_SECONDS)
    return True
