"""Queueing again what a lost worker or broker forgot. Safe to call at any time, from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from audit.models import Chunk, ChunkState, TableTouch, Upload, UploadState
from audit.services.queueing import queue_on_commit, queue_tables_on_commit
from audit.services.receiving import discard_upload

# An open chunk whose message is older than this may have lost it. A second message does no harm: it
# finds the chunk done, or waits for the end of the lease.
QUIET = timedelta(minutes=10)
# A sender who has been silent for this long is gone.
SILENT = timedelta(hours=1)
CHUNKS_AT_ONCE = 10_000
TOUCHES_AT_ONCE = 10_000
OPEN = (UploadState.RECEIVING, UploadState.QUEUED, UploadState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """How many chunks were queued again, how many uploads were given up as incomplete, and how many
    tables were queued again whose hands wait to be compared."""

    queued: int
    given_up: int
    tables: int = 0


def sweep(*, quiet: timedelta = QUIET, silent: timedelta = SILENT) -> Swept:
    """Queue chunks again whose lease ran out or whose message is `quiet` old, and tables whose
    hands have waited as long; give up uploads that have been `silent` while being received."""
    now = timezone.now()
    with transaction.atomic():
        forgotten = list(
            Chunk.objects.select_for_update(skip_locked=True)
            .filter(
                Q(state=ChunkState.RUNNING, lease_until__lt=now)
                | Q(
                    state__in=[ChunkState.QUEUED, ChunkState.RUNNING],
                    queued_at__lte=now - quiet,
                    due_at__lte=now,
                )
            )
            .exclude(upload__state=UploadState.RECEIVING)
            .order_by("id")
            .values_list("id", flat=True)[:CHUNKS_AT_ONCE]
        )
        Chunk.objects.filter(pk__in=forgotten).update(queued_at=now)
        queue_on_commit(forgotten)
    given_up = 0
    abandoned = Upload.objects.filter(state=UploadState.RECEIVING, touched_at__lt=now - silent)
    for upload_id in abandoned.values_list("id", flat=True):
        given_up += discard_upload(upload_id, "Incomplete upload: it did not arrive to its end.")
    return Swept(queued=len(forgotten), given_up=given_up, tables=_sweep_tables(now - quiet))


def _sweep_tables(queued_before: datetime) -> int:
    """Queue tables again that an ended upload touched; the others are queued at its end."""
    with transaction.atomic():
        forgotten = list(
            TableTouch.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(queued_at__lte=queued_before)
            .exclude(upload__state__in=OPEN)
            .order_by("id")
            .values_list("id", "table_id")[:TOUCHES_AT_ONCE]
        )
        touches = [touch for touch, _ in forgotten]
        TableTouch.objects.filter(pk__in=touches).update(queued_at=timezone.now())
        tables = sorted({table for _, table in forgotten})
        queue_tables_on_commit(tables)
    return len(tables)
