"""The task around what lay where in the hands."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services import holdings

SECONDS_AT_ONCE = 60.0


@shared_task(
    name="audit.note_holdings",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def note_holdings() -> None:
    """Note what lay where in the hands that uploads brought; come again where some are left."""
    if holdings.note_holdings(seconds=SECONDS_AT_ONCE):
        note_holdings.delay()
