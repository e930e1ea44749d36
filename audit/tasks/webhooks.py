"""The task that tells webhooks of new findings."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services.webhooks_sending import gather_messages, send_messages

SECONDS_AT_ONCE = 45.0


@shared_task(
    name="audit.send_webhooks",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
)
def send_webhooks() -> None:
    """Gather what was sealed since the last time, and send what is due."""
    gather_messages()
    if send_messages(seconds=SECONDS_AT_ONCE):
        send_webhooks.delay()
