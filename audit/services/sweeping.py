"""Queueing again what a lost worker or broker forgot. Safe to call at any time, from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from audit.models import Chunk, ChunkState, Table, TableTouch, Upload, UploadState
from audit.services.queueing import messages_waiting, queue_on_commit, queue_tables_on_commit
from audit.services.receiving import discard_upload

# While messages wait to be taken, one that is out for less than this may be among them.
QUIET = timedelta(minutes=10)
# Where none waits, one that is out for longer than this was lost, or is as good as lost. A second
# message does no harm: it finds its chunk done, or waits for the end of the lease.
LOST = timedelta(seconds=settings.TILECOURT_SWEEP_SECONDS)
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


def sweep(*, quiet: timedelta | None = None, silent: timedelta = SILENT) -> Swept:
    """Queue chunks again whose lease ran out or whose message is `quiet` old, and tables whose
    hands have waited as long; give up uploads that have been `silent` while being received.

    Without `quiet` the broker is asked: as long as it has messages to give out, those of the last
    ten minutes may be among them, else those of the last half minute are all that can be.
    """
    now = timezone.now()
    waited = quiet
    if waited is None:
        waited = LOST if messages_waiting() == 0 else QUIET
    queued = _sweep_chunks(now, waited, QUIET if quiet is None else quiet)
    given_up = 0
    abandoned = Upload.objects.filter(state=UploadState.RECEIVING, touched_at__lt=now - silent)
    for upload_id in abandoned.values_list("id", flat=True):
        given_up += discard_upload(upload_id, "Incomplete upload: it did not arrive to its end.")
    return Swept(queued=queued, given_up=given_up, tables=_sweep_tables(now - waited))


def _sweep_chunks(now: datetime, waited: timedelta, running: timedelta) -> int:
    """Queue chunks again that wait and whose message is `waited` old, or that a worker has for
    longer than its lease, or for `running`. A lease that ran out is taken back, so that its chunk
    is one that waits."""
    is_lost = Q(state=ChunkState.QUEUED, queued_at__lte=now - waited, due_at__lte=now)
    is_left = Q(state=ChunkState.RUNNING, lease_until__lt=now)
    is_long = Q(state=ChunkState.RUNNING, queued_at__lte=now - running)
    with transaction.atomic():
        forgotten = list(
            Chunk.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(is_lost | is_left | is_long)
            .exclude(upload__state=UploadState.RECEIVING)
            .order_by("id")
            .values_list("id", flat=True)[:CHUNKS_AT_ONCE]
        )
        found = Chunk.objects.filter(pk__in=forgotten)
        found.filter(is_left).update(state=ChunkState.QUEUED, lease_until=None)
        found.update(queued_at=now)
        queue_on_commit(forgotten)
    return len(forgotten)


def _sweep_tables(queued_before: datetime) -> int:
    """Queue tables again that an ended upload touched; the others are queued at its end, and one
    that is being compared at this moment goes on by itself."""
    with transaction.atomic():
        forgotten = list(
            TableTouch.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(queued_at__lte=queued_before)
            .exclude(upload__state__in=OPEN)
            .order_by("id")
            .values_list("id", "table_id")[:TOUCHES_AT_ONCE]
        )
        free = (
            Table.objects.select_for_update(skip_locked=True, no_key=True)
            .filter(pk__in={table for _, table in forgotten})
            .order_by("id")
        )
        tables = list(free.values_list("id", flat=True))
        queued = set(tables)
        touches = [touch for touch, table in forgotten if table in queued]
        TableTouch.objects.filter(pk__in=touches).update(queued_at=timezone.now())
        queue_tables_on_commit(tables)
    return len(tables)
