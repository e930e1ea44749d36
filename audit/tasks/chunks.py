"""The tasks around chunks."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit import services


@shared_task(
    name="audit.judge_chunk",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def judge_chunk(chunk_id: int) -> None:
    """Judge one chunk; come again where it waits for another worker or for its next attempt."""
    seconds = services.judge_chunk(chunk_id=chunk_id)
    if seconds is not None:
        judge_chunk.apply_async(args=(chunk_id,), countdown=seconds)


@shared_task(name="audit.sweep")
def sweep_chunks() -> None:
    """Queue again what was forgotten."""
    services.sweep()
