"""Telling the workers that a chunk waits. A message is a nudge: the truth is the chunk's row."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

# The tasks are a layer above, so they are queued by name; a test checks that the name is known.
JUDGE_CHUNK = "audit.judge_chunk"


def queue_on_commit(chunk_ids: Iterable[int]) -> None:
    """Queue chunks once their rows are committed."""
    transaction.on_commit(partial(queue_chunks, list(chunk_ids)))


def queue_chunks(chunk_ids: Iterable[int]) -> None:
    """Queue chunks now. Without a broker they stay in the store, and a sweep queues them later."""
    task = current_app.signature(JUDGE_CHUNK)
    for chunk_id in chunk_ids:
        try:
            task.apply_async(args=(chunk_id,))
        except OperationalError:
            logger.warning("chunk_not_queued", extra={"chunk": chunk_id})
            return
