"""A line that kills each process which judges it, through a real broker and real workers."""

from __future__ import annotations

import json
import os
import textwrap
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from audit import selectors, services
from audit.models import Chunk, Hand, Refusal, Verdict
from audit.services.payloads import unpack_lines
from audit.zstd import unpacked
from tests.audit.logs import B, changed, log
from tests.integration.web import PATIENCE_SECONDS

pytestmark = pytest.mark.integration

# Every Python process that finds this first on its path dies of the line as of a fault in C.
DEADLY = """
import os, signal
import replay

sound = replay.audit_line

def audit_line(line, *args, **options):
    if b'"h7"' in line:
        with open(os.environ["DEATHS"], "ab") as file:
            file.write(b"x")
        os.kill(os.getpid(), signal.SIGKILL)
    return sound(line, *args, **options)

replay.audit_line = audit_line
"""


@pytest.fixture
def deaths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker_keeper) -> Path:
    """Start a worker whose processes die of hand h7; gives the file that grows with each death."""
    path = tmp_path / "deaths"
    path.touch()
    monkeypatch.setenv("DEATHS", str(path))
    (tmp_path / "sitecustomize.py").write_text(textwrap.dedent(DEADLY))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{settings.ROOT}")
    worker_keeper.running()
    return path


def test_svc_32_a_line_that_kills_its_worker_is_set_aside(deaths: Path, upload) -> None:
    upload_id = upload(log(*(changed(B, hand_id=f"h{number}") for number in range(1, 41))))
    limit = time.monotonic() + 2 * PATIENCE_SECONDS
    seen = 0
    while not (row := selectors.get_upload(upload_id, sources=None)).is_ended:
        assert time.monotonic() < limit, row
        time.sleep(0.2)
        if deaths.stat().st_size > seen:
            # Two minutes go by after each death, and no lease but of the dead ends meanwhile.
            seen += 1
            left = Chunk.objects.filter(pk__in=chunks_of("h7"), state="running")
            assert left.update(lease_until=timezone.now() - timedelta(seconds=1)) == 1
        # As `beat` does: a message may go with the worker that held it.
        services.sweep(quiet=timedelta(seconds=2))
    # Four of the whole, then one of each part in which the line is.
    assert deaths.stat().st_size == seen > 4
    assert (row.state, row.clean, row.failed, row.new) == ("partly", 39, 1, 39)
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.is_our_fault) == (7, True)
    assert refusal.reason.endswith("(each attempt was cut off)")
    assert json.loads(unpacked(refusal.raw))["hand_id"] == "h7"
    assert Hand.objects.count() == Verdict.objects.count() == 39
    assert set(Chunk.objects.values_list("state", flat=True)) == {"done"}


def chunks_of(hand_id: str) -> list[int]:
    """The chunks that hold the line of a hand."""
    name = f'"{hand_id}"'.encode()
    return [
        pk
        for pk, payload in Chunk.objects.exclude(payload=b"").values_list("pk", "payload")
        if any(name in line.data for line in unpack_lines(payload))
    ]
