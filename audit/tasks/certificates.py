"""The tasks around certificates of completeness."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services import certifying, certifying_refusals

SECONDS_FOR_REFUSALS = 20.0


@shared_task(
    name="audit.certify",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def certify(run_id: int) -> None:
    """Go on with a run; come again where something is left."""
    if certifying.continue_run(run_id=run_id):
        certify.delay(run_id)


@shared_task(
    name="audit.sweep_certificates",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def sweep_certificates() -> None:
    """Look through refused lines that came in, and queue again runs that were forgotten."""
    certifying_refusals.sort_refusals(seconds=SECONDS_FOR_REFUSALS)
    certifying.sweep_runs()
