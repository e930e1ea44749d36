"""What workers wait for while they judge: for a core, for each other's locks, for the disk.

Linux counts for each process how long it could have run and had no core. What a connection waits
for PostgreSQL tells whoever looks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep

import psycopg

POLL_SECONDS = 0.02
# `Lock`: rows, tables, the end of another's transaction. `LWLock`: what several processes write to
# in turn, above all the log. `IO`: files.
KINDS = ("Lock", "LWLock", "IO")

_LOOK = """
SELECT pid, coalesce(wait_event_type, '') FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'
"""


@dataclass(slots=True, kw_only=True)
class Waits:
    """Of the time since a watch began.

    `seen` counts for each kind of wait how often a connection that was in use was met in it, and
    under "" how often one was met at all. `workers` and `databases` are the seconds for which each
    process that had work waited for a core.
    """

    seen: Counter[str] = field(default_factory=Counter)
    workers: list[float] = field(default_factory=list)
    databases: list[float] = field(default_factory=list)

    def share(self, kind: str) -> float:
        """Which part of its time in use a connection waited for this."""
        return self.seen[kind] / max(1, self.seen[""])


class Watch:
    """Counts from when it is made; `pid` is the process whose children work, each with one
    connection to the database."""

    def __init__(self, url: str, pid: int) -> None:
        self._url = url
        self._workers = {child: core_waits(child) for child in children_of(pid)}
        known = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
        with psycopg.connect(url, autocommit=True) as connection:
            found = connection.execute(known).fetchall()
        self._before = {pid: core_waits(pid) for (pid,) in found}

    def until(self, ended: str) -> Waits:
        """Look on until the query `ended` gives zero."""
        waits = Waits()
        databases: dict[int, float] = {}
        met: Counter[int] = Counter()
        with psycopg.connect(self._url, autocommit=True) as connection:
            while True:
                for pid, kind in connection.execute(_LOOK).fetchall():
                    waits.seen[""] += 1
                    waits.seen[kind or "runs"] += 1
                    # One that was not there before has waited for this alone.
                    databases[pid] = core_waits(pid) - self._before.get(pid, 0.0)
                    met[pid] += 1
                found = connection.execute(ended.encode()).fetchone()
                assert found is not None
                if not found[0]:
                    break
                sleep(POLL_SECONDS)
        waits.workers = [core_waits(child) - first for child, first in self._workers.items()]
        busiest = met.most_common(len(self._workers))
        waits.databases = [databases[pid] for pid, _ in busiest]
        return waits


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, where Linux tells it."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in told.read_text().split()] if told.exists() else []


def core_waits(pid: int) -> float:
    """Seconds for which a process and its threads have waited for a core, where Linux tells it."""
    try:
        told = [one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    except FileNotFoundError:
        # It has ended meanwhile.
        return 0.0
    return sum(int(one.split()[1]) for one in told) / 1e9
