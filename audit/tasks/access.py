"""Ending the visits that nobody came back to, and telling how much was refused beyond the rows."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import InterfaceError, OperationalError

from audit.services.journal import record_counted_refusals
from audit.services.visits import end_idle_visits


@shared_task(
    name="audit.end_visits",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
)
def end_visits() -> None:
    """End visits that were idle for too long."""
    end_idle_visits(idle=timedelta(minutes=settings.TILECOURT_IDLE_MINUTES))


@shared_task(
    name="audit.count_refusals",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
)
def count_refusals() -> None:
    """Write into the journal how often each account was refused beyond what it has rows of."""
    record_counted_refusals()
