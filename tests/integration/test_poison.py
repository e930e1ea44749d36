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

from audit import selectors, services
from audit.models import Chunk, Hand, Refusal, Verdict
from audit.zstd import unpacked
from tests.audit.logs import B, changed, log

pytestmark = pytest.mark.integration

# Every Python process that finds this first on its path dies of the line as of a fault in C.
DEADLY = """
import os, signal
import replay

sound = replay.audit_line

def audit_line(line, *args, **options):
    if b'"h7"' in line:
        os.kill(os.getpid(), signal.SIGKILL)
    return sound(line, *args, **options)

replay.audit_line = audit_line
"""


@pytest.fixture
def deadly_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker_keeper):
    """Give a worker whose processes die of hand h7, with leases of a few seconds."""
    (tmp_path / "sitecustomize.py").write_text(textwrap.dedent(DEADLY))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{settings.ROOT}")
    monkeypatch.setenv("TILECOURT_LEASE_SECONDS", "4")
    return worker_keeper.running()


def test_svc_32_a_line_that_kills_its_worker_is_set_aside(deadly_workers, upload) -> None:
    upload_id = upload(log(*(changed(B, hand_id=f"h{number}") for number in range(1, 41))))
    limit = time.monotonic() + 100
    while not (row := selectors.get_upload(upload_id, sources=None)).is_ended:
        assert time.monotonic() < limit, row
        time.sleep(1)
        # As `beat` does: a message may go with the worker that held it.
        services.sweep(quiet=timedelta(seconds=2))
    assert (row.state, row.clean, row.failed, row.new) == ("partly", 39, 1, 39)
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.is_our_fault) == (7, True)
    assert refusal.reason.endswith("(each attempt was cut off)")
    assert json.loads(unpacked(refusal.raw))["hand_id"] == "h7"
    assert Hand.objects.count() == Verdict.objects.count() == 39
    assert set(Chunk.objects.values_list("state", flat=True)) == {"done"}
