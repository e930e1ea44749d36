"""Scenarios of the service about very large files and very many, through a real worker."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from audit import selectors, services
from audit.devstack.throwaway import throwaway_folder
from tests.audit.logs import BASE_LINES
from tests.integration.crew import Crew, children_of
from tests.integration.web import memory_peak

pytestmark = pytest.mark.integration

LIMIT = 512 << 20


@pytest.fixture
def small_worker(transactional_db: Any) -> Iterator[Callable[[], Crew]]:
    """Gives workers of one process that get no more than 512 MB of memory."""
    # The shell sets the limit in KiB and becomes the worker; every system has it.
    limited = ("/bin/sh", "-c", f'ulimit -d {LIMIT >> 10} && exec "$@"', "sh")
    with throwaway_folder() as supervisor:
        crew = Crew(supervisor)

        def start() -> Crew:
            if supervisor.running:
                supervisor.stop_all()
            crew.start("--concurrency", "1", before=limited)
            return crew

        yield start


def process_of(crew: Crew) -> int:
    (pid,) = children_of(crew.supervisor.process("worker").pid)
    return pid


def lines_of(hands: int, tables: int = 50) -> Iterator[bytes]:
    """Hands of all games, written one after the other."""
    parts = [
        line.replace(json.loads(line)["hand_id"].encode(), b"@@@", 1) for line in BASE_LINES[:5]
    ]
    for number in range(hands):
        yield (
            parts[number % 5]
            .replace(b"@@@", f"h{number}".encode(), 1)
            .replace(b'"table":"T', f'"table":"N{number % tables}-'.encode(), 1)
            + b"\n"
        )


class Written:
    """A file that is written while it is read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self.lines = lines
        self.rest = b""

    def read(self, size: int, /) -> bytes:
        while len(self.rest) < size:
            line = next(self.lines, None)
            if line is None:
                break
            self.rest += line
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece


def take(hands: int, seconds: float) -> tuple[selectors.UploadRow, list[int]]:
    """Hand a log in and wait for its end; gives the progress that was seen on the way, too."""
    stream = Written(lines_of(hands))
    upload = services.receive_upload(name=f"{hands}.ndjson", stream=stream).upload_id
    seen: list[int] = []
    limit = time.monotonic() + seconds
    while not (row := selectors.get_upload(upload, sources=None)).is_ended:
        assert time.monotonic() < limit, row
        if row.percent is not None and row.percent not in seen:
            seen.append(row.percent)
        time.sleep(0.05)
    return row, seen


@pytest.mark.parametrize(
    ("few", "many"),
    [
        pytest.param(2_000, 20_000, marks=pytest.mark.slow),
        pytest.param(2_000, 200_000, marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(1_800)
def test_svc_38_a_very_large_file(
    small_worker: Callable[[], Crew], settings: Any, few: int, many: int
) -> None:
    """Memory is that of the small file within 10 %, for a chunk is a chunk."""
    settings.TILECOURT_CHUNK_LINES_MAX = 1_000
    peaks = []
    for hands in (few, many):
        crew = small_worker()
        row, seen = take(hands, seconds=1_500)
        assert (row.state, row.hands, row.failed) == ("done", hands, 0)
        peaks.append(memory_peak(process_of(crew)))
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert peaks[1] < LIMIT
    assert peaks[1] <= peaks[0] * 1.1, peaks


@pytest.mark.parametrize(
    "hands",
    [pytest.param(1_000, marks=pytest.mark.slow), pytest.param(5_000, marks=pytest.mark.long)],
)
@pytest.mark.timeout(900)
def test_svc_39_again_and_again(
    small_worker: Callable[[], Crew],
    wait: Callable[..., Any],
    upload: Callable[..., int],
    hands: int,
) -> None:
    """One batch 20 times in one worker: its memory after the last is that after the third."""
    crew = small_worker()
    pid = process_of(crew)
    data = b"".join(lines_of(hands))
    peaks = []
    for turn in range(20):
        (row,) = wait(upload(data))
        assert row.hands == hands
        assert (row.new, row.duplicates) == ((hands, 0) if turn == 0 else (0, hands))
        peaks.append(resident(pid))
    assert process_of(crew) == pid
    assert peaks[19] <= peaks[2] * 1.1, peaks


def resident(pid: int) -> int:
    """The bytes that a process holds in memory now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()
