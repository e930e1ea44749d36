"""The task around the hands of a table."""

from __future__ import annotations

from celery import shared_task
from django.db import InterfaceError, OperationalError

from audit import services


@shared_task(
    name="audit.compare_table",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=20,
    max_retries=None,
)
def compare_table(table_id: int) -> None:
    """Compare the hands of a table that wait for it; come again where some are left."""
    if services.compare_table(table_id=table_id):
        compare_table.delay(table_id)
