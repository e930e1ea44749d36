"""The task around players' names."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit.services import players

SECONDS_AT_ONCE = 60.0


@shared_task(
    name="audit.note_players",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=None,
)
def note_players() -> None:
    """Note the names that uploads brought; come again where some are left."""
    if players.note_players(seconds=SECONDS_AT_ONCE):
        note_players.delay()
