"""Telling the workers that something waits. A message is a nudge: the truth is in the rows."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import ChannelError, OperationalError

logger = logging.getLogger(__name__)

# The tasks are a layer above, so they are queued by name; a test checks that the names are known.
JUDGE_CHUNK = "audit.judge_chunk"
COMPARE_TABLE = "audit.compare_table"
WORK_ON_REAUDIT = "audit.work_on_reaudit"
CERTIFY = "audit.certify"
MAKE_REPORT = "audit.make_report"


def queue_on_commit(chunk_ids: Iterable[int]) -> None:
    """Queue chunks once their rows are committed."""
    transaction.on_commit(partial(_queue, JUDGE_CHUNK, list(chunk_ids)))


def queue_tables_on_commit(table_ids: Iterable[int]) -> None:
    """Queue tables whose hands wait to be compared, once that is committed."""
    transaction.on_commit(partial(_queue, COMPARE_TABLE, list(table_ids)))


def queue_reaudit_on_commit(reaudit_id: int) -> None:
    """Queue a re-audit once its row is committed; each message keeps one worker at it."""
    transaction.on_commit(partial(_queue, WORK_ON_REAUDIT, [reaudit_id]))


def queue_run_on_commit(run_id: int) -> None:
    """Queue a run of certificates, once its row is committed."""
    transaction.on_commit(partial(_queue, CERTIFY, [run_id]))


def queue_report_on_commit(run_id: int) -> None:
    """Queue the making of a report, once its row is committed."""
    transaction.on_commit(partial(_queue, MAKE_REPORT, [run_id]))


def messages_waiting() -> int | None:
    """How many messages no worker has taken yet; None where the broker does not answer."""
    name = current_app.conf.task_default_queue
    with current_app.connection_for_write() as line:
        away: tuple[type[BaseException], ...] = (*line.connection_errors, OperationalError)
        try:
            channel: Any = line.default_channel
            declared = channel.queue_declare(name, passive=True)
        except ChannelError:
            # Nothing was ever put into it, or all was taken out again.
            return 0
        except away:
            return None
    return int(declared.message_count)


def _queue(name: str, ids: list[int]) -> None:
    """Queue now. Without a broker all stays in the store, and a sweep queues it later."""
    task = current_app.signature(name)
    for one in ids:
        try:
            task.apply_async(args=(one,))
        except OperationalError:
            logger.warning("not_queued", extra={"task": name, "row": one})
            return
