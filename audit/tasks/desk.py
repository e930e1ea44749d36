"""The task that keeps the cases of the desk up to what is stored."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services import desk


@shared_task(
    name="audit.gather_cases",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def gather_cases() -> None:
    """Gather findings into cases; come again at once where the time did not suffice."""
    if not desk.gather_cases().is_done:
        gather_cases.delay()
