"""Cores for all on a machine that has few: each process is held to the same part of a core.

A process that may use a quarter of a core does in four seconds what it would do in one on a core
of its own, so that eight of them fit on two cores and none waits for another's. What a process may
still use is counted by Linux's account of its CPU; one that has used it up is stopped until it has
earned more. Times taken meanwhile are long by the same factor, their ratios are those of a machine
with a core for each process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import clock_gettime, monotonic

TICK_SECONDS = 0.001
# What an idle process can save up: more, and it would run at full speed after each wait.
PURSE_SECONDS = 0.002
LOOK_SECONDS = 0.05


@contextmanager
def held_to(share: float) -> Iterator[None]:
    """Hold all that this process has started, and what that starts meanwhile, each to `share` of a
    core."""
    ended = Event()
    holder = Thread(target=_hold, args=(share, ended), name="slowly")
    holder.start()
    try:
        yield
    finally:
        ended.set()
        holder.join()


def _hold(share: float, ended: Event) -> None:
    held: dict[int, _Held] = {}
    looked, now = 0.0, monotonic()
    try:
        while not ended.wait(TICK_SECONDS):
            before, now = now, monotonic()
            if now - looked >= LOOK_SECONDS:
                looked = now
                for pid in descendants_of(os.getpid()) - held.keys():
                    with suppress(OSError):
                        held[pid] = _Held(pid)
            for one in list(held.values()):
                if not one.pay((now - before) * share):
                    del held[one.pid]
    finally:
        for one in held.values():
            one.let_go()


class _Held:
    """One process, and the seconds of CPU that it may still use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._purse = PURSE_SECONDS
        self._used = used_seconds(pid)
        self._is_stopped = False

    def pay(self, seconds: float) -> bool:
        """Give it what it has earned, take what it has used, and stop it or let it go on.

        Returns: whether it is still there.
        """
        try:
            used = used_seconds(self.pid)
            self._purse = min(PURSE_SECONDS, self._purse + seconds) - (used - self._used)
            self._used = used
            if self._is_stopped != (self._purse < 0):
                os.kill(self.pid, signal.SIGCONT if self._is_stopped else signal.SIGSTOP)
                self._is_stopped = not self._is_stopped
        except OSError:
            return False
        return True

    def let_go(self) -> None:
        if self._is_stopped:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGCONT)


def used_seconds(pid: int) -> float:
    """CPU of a process with its threads, those that have ended, too. Raises: OSError when it is
    gone."""
    # The number by which Linux knows the clock of another process (clock_getcpuclockid).
    return clock_gettime(~pid << 3 | 2)


def descendants_of(pid: int) -> set[int]:
    """The processes that a process has started, and theirs, where Linux tells it."""
    found: set[int] = set()
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in told.read_text().split():
                found |= {int(child)} | descendants_of(int(child))
    return found
