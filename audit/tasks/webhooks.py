"""The tasks that tell webhooks of new findings: each webhook by a task of its own."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services.webhooks_sending import due_webhooks, gather_messages, send_waiting

SECONDS_AT_ONCE = 20.0
# A task that was not taken up for so long is asked for again by the clock.
EXPIRES_SECONDS = 60
# The seconds above, and one attempt that begins at their end.
SOFT_LIMIT_SECONDS = 50


@shared_task(
    name="audit.send_webhooks",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
)
def send_webhooks() -> None:
    """Gather what was sealed since the last time, and let each webhook have what is due."""
    gather_messages()
    for pk in due_webhooks():
        send_to_webhook.apply_async((pk,), expires=EXPIRES_SECONDS)


@shared_task(
    name="audit.send_to_webhook",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=30,
    max_retries=3,
    soft_time_limit=SOFT_LIMIT_SECONDS,
    time_limit=SOFT_LIMIT_SECONDS + 10,
)
def send_to_webhook(pk: int) -> None:
    """Send one webhook what is due; one that nobody answers at costs this task alone its time."""
    if send_waiting(pk, seconds=SECONDS_AT_ONCE):
        send_to_webhook.apply_async((pk,), expires=EXPIRES_SECONDS)
