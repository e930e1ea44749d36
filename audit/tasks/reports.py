"""The tasks around reports."""

from __future__ import annotations

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
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
    """Go on with a report; come again where something is left.

    What cannot be done ends the run with a sentence: it would be queued again for ever else.
    """
    try:
        is_more = reports.continue_report(run_id=run_id)
    except (OperationalError, InterfaceError):
        raise
    except SoftTimeLimitExceeded:
        reports.end_late_report(run_id=run_id)
    except Exception as error:
        reports.end_broken_report(run_id=run_id, error=error)
        raise
    else:
        if is_more:
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
