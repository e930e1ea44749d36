"""The tasks around the log and the software check."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import InterfaceError, OperationalError, connections

from audit.models import CheckOccasion
from audit.services import self_check
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


@shared_task(
    name="audit.self_check",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def check_software() -> None:
    """Compare the software with what was accepted, the files of its libraries as well."""
    self_check.check_software(occasion=CheckOccasion.DAILY, process="worker", with_libraries=True)


@worker_ready.connect
def check_at_start(**_: Any) -> None:
    """A worker looks at its software once, when it begins."""
    self_check.check_at_start("worker")
    # The processes that it forks later must not find this connection.
    connections.close_all()
