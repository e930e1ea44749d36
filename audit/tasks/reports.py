"""The tasks around reports."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services import reports, reports_daily


@shared_task(
    name="audit.make_report",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def make_report(run_id: int) -> None:
    """Go on with a report; come again where something is left."""
    if reports.continue_report(run_id=run_id):
        make_report.delay(run_id)


@shared_task(
    name="audit.daily_reports",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def daily_reports() -> None:
    """Ask for the reports of each gaming day that is over and has none of the clock yet."""
    reports_daily.request_daily_reports()


@shared_task(
    name="audit.sweep_reports",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def sweep_reports() -> None:
    """Queue reports again that were forgotten."""
    reports.sweep_reports()
