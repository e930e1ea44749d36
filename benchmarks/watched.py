"""The service's Celery app for a worker that is measured: `celery --app benchmarks.watched worker`.

For each task that ends a line is added to the file named by BENCH_SPANS: the process, and the
seconds of CPU that it had used when the task's own code began, and when that had ended. What a
process uses between two such spans is Celery's.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import process_time
from typing import Any

from celery.signals import task_postrun, task_prerun

from audit.config.celery import app

__all__ = ["app", "spans_of"]

_began = 0.0


@task_prerun.connect(weak=False)
def _begin(**_: Any) -> None:
    global _began  # noqa: PLW0603 - a process of the pool does one task at a time
    _began = process_time()


@task_postrun.connect(weak=False)
def _end(task: Any, **_: Any) -> None:
    ended = process_time()
    with Path(os.environ["BENCH_SPANS"]).open("a", encoding="utf-8") as spans:
        spans.write(f"{task.name} {os.getpid()} {_began} {ended}\n")


def spans_of(path: Path, name: str, *, skip: int) -> tuple[float, float]:
    """Seconds of CPU inside the tasks of this name behind the first `skip` lines, and in their
    process from the end of the task before to the end of the last. They must be of one process,
    and follow upon each other."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    own = [line for line in lines[skip:] if line[0] == name]
    assert own, f"no task {name} has ended"
    assert own == lines[skip : skip + len(own)], "another task came between"
    assert len({pid for _, pid, _, _ in lines[skip - 1 : skip + len(own)]}) == 1
    inside = sum(float(ended) - float(began) for _, _, began, ended in own)
    return inside, float(own[-1][3]) - float(lines[skip - 1][3])
