"""The tasks around the log and the software check."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services.sealing import seal

# A turn ends before the next one is due; what is left goes on then.
SECONDS_AT_ONCE = 45


@shared_task(
    name="audit.seal",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
)
def seal_log() -> None:
    """Seal what waits."""
    seal(seconds=SECONDS_AT_ONCE)
