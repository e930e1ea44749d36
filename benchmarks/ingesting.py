"""One side of `bench ingest`, in a process with Django: take a file in, with or without Celery.

`python -m benchmarks.ingesting receive|without-celery FEW FILE` prints the seconds of FILE. FEW, a
few hands, go first: what a process loads for its first hands is not ingest.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from unittest import mock

import django

django.setup()

from audit import services  # noqa: E402 - Django must stand first
from audit.models import Chunk  # noqa: E402


def main(what: str, few: Path, log: Path) -> float:
    """The seconds of receiving alone, or of receiving and of judging every chunk."""
    if what == "receive":
        return take(log, is_alone=False)
    take(few, is_alone=True)
    return take(log, is_alone=True)


def take(log: Path, *, is_alone: bool) -> float:
    """The seconds of one file; where it is alone its chunks are judged here, too."""
    # Nothing is sent to a broker where no worker is to hear of it.
    silence = mock.patch("audit.services.queueing._queue") if is_alone else nullcontext()
    with silence, log.open("rb") as stream:
        start = monotonic()
        received = services.receive_upload(name=log.name, stream=stream)
        if is_alone:
            chunks = Chunk.objects.filter(upload_id=received.upload_id).order_by("number")
            for chunk_id in list(chunks.values_list("pk", flat=True)):
                assert services.judge_chunk(chunk_id=chunk_id) is None
        return monotonic() - start


if __name__ == "__main__":
    sys.stdout.write(f"{main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])):.6f}\n")
