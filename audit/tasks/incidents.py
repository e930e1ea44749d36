"""Looking at the clock now and then."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services.incidents import Reading, watch_clock


class _Last:
    """What this process read before; each worker process has its own."""

    reading: Reading | None = None


@shared_task(
    name="audit.watch_clock",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=3,
)
def watch_the_clock() -> None:
    """Notice when somebody or something set the clock of this machine."""
    before, _Last.reading = _Last.reading, Reading.now()
    watch_clock(before=before, now=_Last.reading)
