"""The tasks around re-audits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import DatabaseError, InterfaceError

from audit import services
from audit.tasks.chunks import HARD_SECONDS, SOFT_SECONDS


@shared_task(
    name="audit.work_on_reaudit",
    soft_time_limit=SOFT_SECONDS,
    time_limit=HARD_SECONDS,
    autoretry_for=(DatabaseError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def work_on_reaudit(reaudit_id: int) -> None:
    """Do one piece of a re-audit, and come again while there is more.

    Between two pieces others have their turn: an upload does not wait for a whole re-audit.
    """
    seconds = services.work_on_reaudit(reaudit_id=reaudit_id)
    if seconds is not None:
        work_on_reaudit.apply_async(args=(reaudit_id,), countdown=seconds)


@shared_task(
    name="audit.sweep_reaudits",
    autoretry_for=(DatabaseError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def sweep_reaudits(quiet_seconds: float | None = None) -> None:
    """Queue re-audits again whose messages were lost."""
    if quiet_seconds is None:
        services.sweep_reaudits()
    else:
        services.sweep_reaudits(quiet=timedelta(seconds=quiet_seconds))


@worker_ready.connect
def sweep_reaudits_at_start(**_: Any) -> None:
    """A worker that starts may come after a crash which took all messages: look at once."""
    sweep_reaudits.delay(quiet_seconds=0)
