"""The tasks around chunks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import InterfaceError, OperationalError

from audit import services

# Asked to stop, then stopped, both before the lease ends and another worker begins.
SOFT_SECONDS = services.LEASE.seconds * 5 // 6
HARD_SECONDS = services.LEASE.seconds * 23 // 24


@shared_task(
    name="audit.judge_chunk",
    soft_time_limit=SOFT_SECONDS,
    time_limit=HARD_SECONDS,
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=20,
    max_retries=None,
)
def judge_chunk(chunk_id: int) -> None:
    """Judge one chunk; come again where it waits for another worker or for its next attempt."""
    seconds = services.judge_chunk(chunk_id=chunk_id)
    if seconds is not None:
        judge_chunk.apply_async(args=(chunk_id,), countdown=seconds)


@shared_task(
    name="audit.sweep",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=20,
    max_retries=None,
)
def sweep(is_start: bool = False) -> None:
    """Queue again what was forgotten."""
    if is_start:
        services.sweep(quiet=timedelta(0))
    else:
        services.sweep()


@worker_ready.connect
def sweep_at_start(**_: Any) -> None:
    """A worker that starts may come after a crash which took all messages, or some: look at once.

    What is queued twice costs a look at its chunk.
    """
    sweep.delay(is_start=True)
