"""The tasks around certificates of completeness."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.selectors.holdings import unsearched
from audit.services import certifying, certifying_refusals, players
from audit.tasks.holdings import note_holdings
from audit.tasks.players import note_players

SECONDS_FOR_REFUSALS = 60.0
SWEEP_SECONDS = 30.0


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
    name="audit.sort_refusals",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def sort_refusals() -> None:
    """Look through refused lines that came in, for the table that they name."""
    certifying_refusals.sort_refusals(seconds=SECONDS_FOR_REFUSALS)


@shared_task(
    name="audit.sweep_certificates",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def sweep_certificates() -> None:
    """Queue again runs that were forgotten, and what came in and waits to be looked through:
    refused lines, names, and what lay where in the hands."""
    certifying.sweep_runs()
    if certifying_refusals.is_unsorted():
        # One that comes too late finds the next on its way.
        sort_refusals.apply_async(expires=SWEEP_SECONDS)
    if unsearched(sources=None).exists():
        note_holdings.apply_async(expires=SWEEP_SECONDS)
    if players.has_unnoted():
        note_players.apply_async(expires=SWEEP_SECONDS)
