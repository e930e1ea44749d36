"""One side of `bench ingest`, in a process with Django: take a file in, with or without Celery.

`python -m benchmarks.ingesting WHAT FEW FILE` prints the seconds of WHAT by the wall, of CPU in
this process, and of CPU in the database's process for it (0 where that cannot be known), and when
it began by the machine's clock that never goes back: until this process has gone others have long
been at work. WHAT is `receive` or `without-celery` for FILE, or `re-audit` for what is stored. FEW,
a few hands, go first: what a process loads for its first hands is not ingest.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic, process_time, sleep
from unittest import mock

import django

django.setup()

from audit import services  # noqa: E402 - Django must stand first
from audit.models import Chunk, ChunkState, Reaudit, ReauditState  # noqa: E402
from benchmarks.stack import database_seconds  # noqa: E402

POLL_SECONDS = 0.02


def main(what: str, few: Path, log: Path) -> tuple[float, float, float, float]:
    """The seconds of receiving alone, of receiving and of judging every chunk, or of a re-audit;
    and when it began."""
    is_alone = what != "receive"
    take(few, is_alone=is_alone)
    while Chunk.objects.filter(state__in=[ChunkState.QUEUED, ChunkState.RUNNING]).exists():
        sleep(POLL_SECONDS)
    start, own, databases = monotonic(), process_time(), database_seconds()
    if what == "re-audit":
        judge_again()
    else:
        take(log, is_alone=is_alone)
    return monotonic() - start, process_time() - own, database_seconds() - databases, start


def take(log: Path, *, is_alone: bool) -> None:
    """Take one file in; where it is alone its chunks are judged here, too."""
    # Nothing is sent to a broker where no worker is to hear of it.
    silence = mock.patch("audit.services.queueing._queue") if is_alone else nullcontext()
    with silence, log.open("rb") as stream:
        received = services.receive_upload(name=log.name, stream=stream)
        if is_alone:
            chunks = Chunk.objects.filter(upload_id=received.upload_id).order_by("number")
            for chunk_id in list(chunks.values_list("pk", flat=True)):
                assert services.judge_chunk(chunk_id=chunk_id) is None


def judge_again() -> None:
    """Judge every stored hand again, as the workers do, but one batch after the other here."""
    with mock.patch("audit.services.queueing._queue"):
        reaudit_id = services.open_reaudit(user=None, sources=None, reason="benchmark", query={})
        open_ones = Reaudit.objects.filter(
            pk=reaudit_id, state__in=[ReauditState.GATHERING, ReauditState.RUNNING]
        )
        while open_ones.exists():
            services.work_on_reaudit(reaudit_id=reaudit_id)
    assert Reaudit.objects.get(pk=reaudit_id).state == ReauditState.DONE


if __name__ == "__main__":
    found = main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    sys.stdout.write(" ".join(f"{seconds:.6f}" for seconds in found) + "\n")
    sys.stdout.flush()
    # At once: Python would tidy up for 0.2 s on a core that the workers and the database need by
    # now. What takes files in otherwise, a web process or `manage.py ingest`, does not end here.
    os._exit(0)
