"""The task around the months of the large tables."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from audit.services.partitions import analyze_parents, make_months


@shared_task(
    name="audit.make_months",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=600,
    max_retries=10,
)
def make_months_ahead() -> None:
    """Make the partitions of the months to come."""
    make_months(today=timezone.now().date())
    analyze_parents()
