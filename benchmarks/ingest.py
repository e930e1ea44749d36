"""Ingest: one worker from the file to stored verdicts, against bare COPY and the bare audit.

Contenders take turns on throw-away services of their own, and the median of each one's turns
counts. Those that go slowly show what workers reach where cores are free, which they are not on a
small machine: see benchmarks/slowly.py. Times are of the wall, for what is measured runs in
several processes: whatever else runs on the machine is in them, hence the load in the first line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic

import psycopg

import replay
from audit.devstack.processes import Stop
from audit.devstack.supervisor import Supervisor
from audit.devstack.up import ROOT, WORKER_STOP
from audit.zstd import packed_line
from benchmarks.logs import SEED, hands_of
from benchmarks.slowly import held_to
from benchmarks.stack import process_seconds, services
from benchmarks.waiting import KINDS, waits_until
from benchmarks.watched import spans_of
from replay.simulate import source_of

GOAL_OF_AUDIT = 0.6
GOAL_OF_TWO = 1.7
GOAL_OF_CELERY = 2
GOAL_OF_AGAIN = 0.8
# As large as eight processes can have at once on two cores; see benchmarks/slowly.py.
SHARE = 0.25
# Seconds besides those that the contenders took.
BESIDE = (
    "start of the audit", "CPU of the audit", "CPU of one process", "CPU of its database",
    "CPU of the re-audit", "CPU of Celery", "CPU of its tasks", *KINDS,
)  # fmt: skip
# Hands that go first, so that no contender pays for what it loads only once.
FEW = 50
READY_SECONDS = 60
# Of 16 MB each: what a round or two of all contenders writes.
LOG_FILES = 50
STEP_STOP: Stop = ((9, 1.0),)

# What ingest stores of a hand, in the order in which it may be copied back.
TABLES = (
    "audit_identity", "audit_hand", "audit_handversion", "audit_verdict", "audit_finding",
)  # fmt: skip

_WAITING = """
SELECT (SELECT count(*) FROM audit_chunk WHERE state IN ('queued', 'running'))
    + (SELECT count(*) FROM audit_upload WHERE state IN ('receiving', 'queued', 'running'))
"""

# Also what is compared behind an upload.
_WORKING = f"{_WAITING} + (SELECT count(*) FROM audit_tabletouch)"  # noqa: S608 - from constants

# With everything that hangs on them, as far as the database knows it, and what only names them.
_EMPTY = (
    "TRUNCATE audit_upload, audit_table, audit_sealpending, audit_comparison, audit_duplicate,"
    f" audit_restatement, {', '.join(TABLES)} CASCADE"
)


def report(hands: int, rounds: int) -> str:
    """Measure so many Tien Gow hands, and say what was found."""
    lines = hands_of("tien-gow", hands, replay.load_rulesets())
    with tempfile.TemporaryDirectory(prefix="tilecourt-bench-") as folder:
        log = Path(folder, "hands.ndjson")
        log.write_bytes(b"".join(line + b"\n" for line in lines))
        with services(is_safe=True) as (supervisor, env):
            _make_log_files(env["DATABASE_URL"])
            bench = _Bench(supervisor, env, log)
            times: dict[str, list[float]] = {}
            for _ in range(rounds):
                for name, run in bench.contenders().items():
                    times.setdefault(name, []).append(run())
                for name, seconds in bench.seconds_beside().items():
                    times.setdefault(name, []).append(seconds)
    took = {name: median(found) for name, found in times.items()}
    return "\n".join((_words(hands, rounds, took), _words_of_processor(hands, took)))


def _make_log_files(url: str) -> None:
    """Give the server what one has that has been at work: files of its log to be used again.

    A new one makes each when it is first needed, 16 MB of zeros, and whoever writes waits for that.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET min_wal_size = '1GB'")
        connection.execute("SELECT pg_reload_conf()")
        for _ in range(LOG_FILES):
            connection.execute("SELECT pg_logical_emit_message(false, 'bench', 'one more')")
            connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")


def _words_of_processor(hands: int, took: dict[str, float]) -> str:
    """What other work on the machine lengthens less."""
    audit, own, database, again = (1e6 / hands * took[name] for name in BESIDE[1:5])
    again_of_audit = took["audit"] / took["re-audit of what is stored"]
    return f"""\
(e) CPU of a hand: audit {audit:.0f} µs; receiving, judging and storing {own:.0f} µs in one process,
    {audit / own:.2f} of its rate, and {database:.0f} µs in the database's, partly at the same time
(f) COPY of the lines packed with the dictionary as bytea, packing included, is
    {took["as jsonb"] / took["as bytea"]:.1f} times as fast as COPY of them as jsonb
(g) a re-audit reaches {again_of_audit:.2f} of the rate of the audit (goal {GOAL_OF_AGAIN}),
    and {audit / again:.2f} by CPU of its process"""


def _words(hands: int, rounds: int, took: dict[str, float]) -> str:
    one, two, audit = took["one worker"], took["two workers"], took["audit"]
    alone = audit - took["start of the audit"]
    celery, tasks = took["CPU of Celery"], took["CPU of its tasks"]
    slow_one, slow_two = took["  one, slowly"], took["  two, slowly"]
    lock, latch, disk = (100 * took[kind] for kind in KINDS)
    rows = "\n".join(
        f"  {name:<50}{seconds:8.2f} s   {hands / seconds:,.0f} hands/s"
        for name, seconds in took.items()
        if name not in BESIDE
    )
    load = os.getloadavg()[0]
    return f"""\
{hands:,} simulated Tien Gow hands, wall time, median of {rounds} rounds.
{os.cpu_count()} cores, load {load:.1f} at the end (what is measured counts for one or two).

{rows}

(a) one worker, from receiving to stored verdicts, reaches {audit / one:.2f} of the rate of
    python -m replay audit on the same file (goal {GOAL_OF_AUDIT}), and {alone / one:.2f} of that
    without its start
(b) it takes {one / took["COPY"]:.1f} times as long as COPY of the same rows into empty tables
(c) two workers: {slow_one / slow_two:.2f} times as fast as one where cores are free (goal \
{GOAL_OF_TWO}): slowly, with
    each process of all this held to {SHARE:.0%} of a core, so that none takes another's;
    {one / two:.2f} times on the {os.cpu_count()} cores here, which also receive, store and queue.
    Slowly, connections of two wait {lock:.1f} % of their time in use for locks of each other,
    {latch:.1f} % for what all write to in turn (the database's log), {disk:.1f} % for the disk
(d) Celery's own share of one worker's CPU, outside of its tasks:
    {100 * celery / (celery + tasks):.1f} % (goal below {GOAL_OF_CELERY} %)"""


class _Bench:
    """Runs each contender once and gives its seconds. Nothing else may use the services."""

    def __init__(self, supervisor: Supervisor, env: dict[str, str], log: Path) -> None:
        self._supervisor = supervisor
        self._env = env
        self._url = env["DATABASE_URL"]
        self._log = log
        self._received = self._slowly = self._began = 0.0
        self._beside = dict.fromkeys(BESIDE, 0.0)
        self._spans = log.with_name("spans")
        with log.open("rb") as stream:
            self._few = log.with_name("few.ndjson")
            lines = [line for _, line in zip(range(FEW), stream, strict=False)]
            self._count = 2 * len(lines) + sum(1 for _ in stream)
        ours, theirs = f'"source":"{source_of(SEED)}"'.encode(), b'"source":"few"'
        self._few.write_bytes(b"".join(line.replace(ours, theirs, 1) for line in lines))

    def contenders(self) -> dict[str, Callable[[], float]]:
        """By name. What is set in is of the turn before; COPY reads the rows that are there."""
        return {
            "audit": self._audit,
            "without Celery": self._without_celery,
            "re-audit of what is stored": lambda: self._run("re-audit", self._log),
            "two workers": lambda: self._with_workers(2),
            "  two, slowly": lambda: self._slowly,
            "one worker": lambda: self._with_workers(1),
            "  of it receiving": lambda: self._received,
            "  one, slowly": lambda: self._slowly,
            "COPY": self._copy,
            "as bytea": lambda: self._copy_lines("bytea", packed_line),
            "as jsonb": lambda: self._copy_lines("jsonb", b"\x01".__add__),
        }

    def seconds_beside(self) -> dict[str, float]:
        """Of the turns just taken, in the order of BESIDE."""
        return self._beside

    def _audit(self) -> float:
        self._beside["start of the audit"] = self._audited(self._few)
        before = os.times()
        seconds = self._audited(self._log)
        after = os.times()
        self._beside["CPU of the audit"] = (after.children_user + after.children_system) - (
            before.children_user + before.children_system
        )
        return seconds

    def _audited(self, log: Path) -> float:
        start = monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "replay", "audit", str(log)],
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
            check=False,
        )
        assert done.returncode == 0, done
        return monotonic() - start

    def _with_workers(self, count: int) -> float:
        """From the file to the end of its upload, with workers that are already there; and then
        once more, slowly."""
        self._empty()
        log = self._supervisor.log_of("worker")
        log.unlink(missing_ok=True)
        self._spans.unlink(missing_ok=True)
        self._supervisor.start(
            "worker",
            [
                *(sys.executable, "-m", "celery", "--app", "benchmarks.watched", "worker"),
                *("--concurrency", str(count), "--loglevel", "INFO"),
                *("--without-gossip", "--without-mingle"),
            ],
            stop=WORKER_STOP,
            env=self._env | {"BENCH_SPANS": str(self._spans)},
            cwd=ROOT,
            log=log,
        )
        self._supervisor.wait_ready(
            "worker", lambda: b" ready." in log.read_bytes(), seconds=READY_SECONDS
        )
        # The first chunk of a process pays for what it loads; that is not ingest.
        self._receive(self._few)
        waits_until(_WORKING, self._url)
        begun = len(self._spans.read_bytes().splitlines())
        pid = self._supervisor.process("worker").pid
        before = process_seconds(pid)
        seconds, _ = self._ingest()
        consumer, received = process_seconds(pid) - before, self._received
        if count == 1:
            inside, all_of_it = spans_of(self._spans, "audit.judge_chunk", skip=begun)
            self._beside["CPU of its tasks"] = inside
            self._beside["CPU of Celery"] = consumer + all_of_it - inside
        waits_until(_WORKING, self._url)
        self._empty()
        with held_to(SHARE):
            self._slowly, waits = self._ingest()
        self._received = received
        if count == 2:
            self._beside |= waits
        self._stop("worker")
        return seconds

    def _ingest(self) -> tuple[float, dict[str, float]]:
        """The seconds, and what connections waited for.

        Counted is from when receiving began: its process is at an end after its work is, and the
        workers do not wait for that.
        """
        self._received = self._receive(self._log)
        waits = waits_until(_WAITING, self._url)
        seconds = monotonic() - self._began
        self._check()
        return seconds, waits

    def _without_celery(self) -> float:
        """The same services called one after the other in one process, with no broker between."""
        self._empty()
        seconds = self._run("without-celery", self._log)
        self._check()
        return seconds

    def _receive(self, log: Path) -> float:
        return self._run("receive", log)

    def _run(self, what: str, log: Path) -> float:
        """The seconds that a program of this folder says of itself: its start is not in them."""
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.ingesting", what, self._few, log],
            env=self._env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        wall, own, database, self._began = (float(part) for part in done.stdout.split())
        if what == "without-celery":
            self._beside["CPU of one process"] = own
            self._beside["CPU of its database"] = database
        elif what == "re-audit":
            self._beside["CPU of the re-audit"] = own
        return wall

    def _copy(self) -> float:
        """COPY of what the contender before has stored, in binary, indexes and all."""
        with psycopg.connect(self._url) as connection:
            rows = {}
            for table in TABLES:
                out = f"COPY (SELECT * FROM {table}) TO STDOUT (FORMAT BINARY)"  # noqa: S608
                with connection.cursor().copy(out) as copy:
                    rows[table] = b"".join(copy)
            # Without triggers: the store keeps what is in it, and the rows name uploads that are
            # gone; neither is what is measured.
            connection.execute("SET session_replication_role = replica")
            connection.execute(_EMPTY)
            connection.commit()
            start = monotonic()
            for table, data in rows.items():
                with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
                    copy.write(data)
            connection.commit()
            return monotonic() - start

    def _copy_lines(self, kind: str, encode: Callable[[bytes], bytes]) -> float:
        """COPY of the lines alone into a table of one column, in binary."""
        lines = self._log.read_bytes().splitlines()
        with psycopg.connect(self._url) as connection:
            connection.execute(f"CREATE TABLE only_lines (line {kind})")
            connection.commit()
            start = monotonic()
            statement = "COPY only_lines FROM STDIN (FORMAT BINARY)"
            with connection.cursor().copy(statement) as copy:
                copy.set_types(["bytea"])
                for line in lines:
                    copy.write_row([encode(line)])
            connection.commit()
            seconds = monotonic() - start
            connection.execute("DROP TABLE only_lines")
        return seconds

    def _check(self) -> None:
        """All of it must be there, or the time means nothing."""
        with psycopg.connect(self._url) as connection:
            found = connection.execute("SELECT count(*) FROM audit_verdict").fetchone()
        assert found == (self._count,), found

    def _empty(self) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(_EMPTY)

    def _stop(self, name: str) -> None:
        self._supervisor.process(name).terminate()
        self._supervisor.wait_done(name)
