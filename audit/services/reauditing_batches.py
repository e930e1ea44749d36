"""Judging the batches of a re-audit: take a lease, judge its rows, store all in one transaction.

As with chunks, whoever stores must still hold the lease that it began with, so a task that comes
twice, or a worker that was thought lost, changes nothing. Locks are taken in the order batch,
refused lines, hands, uploads, re-audit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Min, Q
from django.utils import timezone

from audit.models import (
    ChunkState,
    Reaudit,
    ReauditBatch,
    ReauditFault,
    ReauditState,
    TableTouch,
)
from audit.selectors.reaudits_report import Instead
from audit.selectors.rulesets import ruleset_of_bytes, rulesets_as_of
from audit.services.judging import LEASE
from audit.services.queueing import queue_reaudit_on_commit, queue_tables_on_commit
from audit.services.reauditing_lines import store_lines
from audit.services.reauditing_storing import Counts, store_judged
from audit.services.reauditing_versions import judge_versions
from audit.services.replacing import replace_hands
from audit.services.sifting import is_passing, words_of
from audit.services.texts import storable

logger = logging.getLogger(__name__)

ATTEMPTS_MAX = 3
FIRST_WAIT_SECONDS = 5
ERROR_MAX = 500
# A batch that keeps failing is parted into so many.
PARTS = 16
# When so many open batches have failed, it is no single row: the whole job stops and says why.
FAILING_MAX = 200
OPEN = (ChunkState.QUEUED, ChunkState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A batch that is ours for a while; `upload_id` where its rows are refused lines of one.

    `known` are the rulesets that were known when the re-audit started, name to SHA-256.
    """

    batch_id: int
    reaudit_id: int
    attempt: int
    upload_id: int | None
    rows: tuple[int, ...]
    ruleset: str
    ruleset_sha256: str
    known: Mapping[str, str]
    started_at: datetime


def judge_some(*, reaudit_id: int) -> float | None:
    """Judge one batch of a running re-audit that waits, and store what came out.

    Returns: in how many seconds to come again; None when nothing is left to do here, because all
    is done or others have it.
    Raises: DatabaseError, InterfaceError when the database cannot be reached or was too busy.
    """
    lease = _take(reaudit_id)
    if not isinstance(lease, Lease):
        return lease
    try:
        if lease.upload_id is None:
            _judge_versions(lease)
        else:
            with transaction.atomic():
                if _still_ours(lease):
                    counts, faults = store_lines(
                        lease.rows,
                        upload_id=lease.upload_id,
                        reaudit_id=reaudit_id,
                        rulesets=rulesets_as_of(lease.known),
                        said_until=lease.started_at,
                    )
                    _set_aside(lease, refusals=faults)
                    _close(lease, replace(counts, aside=len(faults)))
    except Exception as error:
        if is_passing(error):
            _hand_back(lease)
            raise
        # Whatever it was, it is kept with the batch, which is tried again, parted or given up.
        logger.exception("reaudit_batch_failed", extra={"batch": lease.batch_id})
        return _give_back(lease, error)
    return 0.0


def _judge_versions(lease: Lease) -> None:
    rulesets = rulesets_as_of(lease.known)
    if lease.ruleset:
        ruleset = ruleset_of_bytes(lease.ruleset, lease.ruleset_sha256)
        assert ruleset is not None, "a re-audit that does not fit this process is not taken"
        rulesets = Instead(ruleset)
    judged = judge_versions(
        lease.rows, rulesets, said_until=lease.started_at, is_rehearsal=bool(lease.ruleset)
    )
    with transaction.atomic():
        if not _still_ours(lease):
            return
        counts, broken = store_judged(judged, reaudit_id=lease.reaudit_id, batch_id=lease.batch_id)
        faults = judged.faults | broken
        _set_aside(lease, versions=faults)
        if judged.renamed:
            replace_hands(judged.renamed, reaudit_id=lease.reaudit_id)
        _close(lease, replace(counts, aside=len(faults)))


def _take(reaudit_id: int) -> Lease | float | None:
    """Take a batch that waits or whose lease ran out; else as `judge_some` returns."""
    now = timezone.now()
    waiting = Q(state=ChunkState.QUEUED, due_at__lte=now) | Q(
        state=ChunkState.RUNNING, lease_until__lt=now
    )
    with transaction.atomic():
        batch = (
            ReauditBatch.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("reaudit")
            .filter(waiting, reaudit_id=reaudit_id)
            .order_by("id")
            .first()
        )
        if batch is None:
            return _wait_of(reaudit_id)
        if batch.attempts >= ATTEMPTS_MAX:
            # Each of its workers went down without a word.
            _part(batch, "each attempt was cut off")
            return 0.0
        running = Reaudit.objects.filter(pk=reaudit_id, state=ReauditState.RUNNING)
        if not running.update(worked_at=now):
            return None
        batch.state = ChunkState.RUNNING
        batch.attempts += 1
        batch.lease_until = now + LEASE
        batch.save(update_fields=["state", "attempts", "lease_until"])
        return Lease(
            batch_id=batch.pk,
            reaudit_id=reaudit_id,
            attempt=batch.attempts,
            upload_id=batch.upload_id,
            rows=tuple(batch.rows),
            ruleset=batch.reaudit.ruleset,
            ruleset_sha256=bytes(batch.reaudit.ruleset_sha256 or b"").hex(),
            known=batch.reaudit.rulesets,
            started_at=batch.reaudit.created_at,
        )


def _wait_of(reaudit_id: int) -> float | None:
    """Seconds until a batch may be tried again; None where none waits for that."""
    queued = ReauditBatch.objects.filter(reaudit_id=reaudit_id, state=ChunkState.QUEUED)
    due = queued.filter(due_at__gt=timezone.now()).aggregate(due=Min("due_at"))["due"]
    return None if due is None else max(0.0, (due - timezone.now()).total_seconds()) + 1


def _still_ours(lease: Lease) -> bool:
    """Lock the batch, and tell whether it is still ours to end."""
    return (
        ReauditBatch.objects.select_for_update()
        .filter(pk=lease.batch_id, state=ChunkState.RUNNING, attempts=lease.attempt)
        .exists()
    )


def _set_aside(
    lease: Lease,
    *,
    versions: dict[int, str] | None = None,
    refusals: dict[int, str] | None = None,
) -> None:
    """Keep by name what could not be judged, with its reason."""
    faults = [
        *(
            ReauditFault(
                reaudit_id=lease.reaudit_id, version_id=row, reason=storable(reason, ERROR_MAX)
            )
            for row, reason in (versions or {}).items()
        ),
        *(
            ReauditFault(
                reaudit_id=lease.reaudit_id, refusal_id=row, reason=storable(reason, ERROR_MAX)
            )
            for row, reason in (refusals or {}).items()
        ),
    ]
    ReauditFault.objects.bulk_create(faults)


def _close(lease: Lease, counts: Counts, state: ChunkState = ChunkState.DONE) -> None:
    """End the batch and count."""
    ReauditBatch.objects.filter(pk=lease.batch_id).update(state=state, lease_until=None, error="")
    shifts = {f"{name}_count": F(f"{name}_count") + n for name, n in asdict(counts).items() if n}
    Reaudit.objects.filter(pk=lease.reaudit_id).update(
        worked_at=timezone.now(), done_count=F("done_count") + counts.done, **shifts
    )
    settle_reaudit(lease.reaudit_id)


def settle_reaudit(reaudit_id: int) -> None:
    """Give a running re-audit its end if none of its batches is open.

    The caller's transaction must already have changed the row of the re-audit: that lock makes two
    last batches come here one after the other.
    """
    if ReauditBatch.objects.filter(reaudit_id=reaudit_id, state__in=OPEN).exists():
        return
    reaudit = Reaudit.objects.get(pk=reaudit_id)
    if reaudit.state != ReauditState.RUNNING:
        return
    assert reaudit.done_count == reaudit.total_count, "each row ends once"
    now = timezone.now()
    since = reaudit.running_since or now
    Reaudit.objects.filter(pk=reaudit_id).update(
        state=ReauditState.PARTLY if reaudit.aside_count else ReauditState.DONE,
        seconds_before=reaudit.seconds_before + (now - since).total_seconds(),
        running_since=None,
        finished_at=now,
    )
    _queue_touched()


def _queue_touched() -> None:
    """Queue the tables whose hands wait to be compared and were brought by no upload."""
    touches = TableTouch.objects.filter(upload=None).order_by("table_id")
    queue_tables_on_commit(list(touches.values_list("table_id", flat=True).distinct()))


def _hand_back(lease: Lease) -> None:
    """Give up an attempt that a busy database ended, uncounted; where the connection is gone this
    fails, and the lease ends in its time."""
    with suppress(DatabaseError, InterfaceError), transaction.atomic():
        if _still_ours(lease):
            ReauditBatch.objects.filter(pk=lease.batch_id).update(
                state=ChunkState.QUEUED, lease_until=None, attempts=lease.attempt - 1
            )


def _give_back(lease: Lease, error: Exception) -> float:
    """Let the batch be tried again later; after its last attempt part it, or set its row aside."""
    reason = storable(words_of(error), ERROR_MAX)
    with transaction.atomic():
        if not _still_ours(lease):
            return 0.0
        batch = ReauditBatch.objects.get(pk=lease.batch_id)
        if lease.attempt >= ATTEMPTS_MAX:
            _part(batch, reason)
        else:
            wait = FIRST_WAIT_SECONDS << (lease.attempt - 1)
            batch.state = ChunkState.QUEUED
            batch.lease_until = None
            batch.due_at = timezone.now() + timedelta(seconds=wait)
            batch.error = reason
            batch.save(update_fields=["state", "lease_until", "due_at", "error"])
        _stop_if_all_fails(lease.reaudit_id, reason)
    return 0.0


def _part(batch: ReauditBatch, reason: str) -> None:
    """Narrow down which row a locked batch fails on, or set that row aside.

    The parts have one attempt each, for the whole has had its tries.
    """
    if len(batch.rows) == 1:
        lease = Lease(
            batch_id=batch.pk,
            reaudit_id=batch.reaudit_id,
            attempt=batch.attempts,
            upload_id=batch.upload_id,
            rows=tuple(batch.rows),
            ruleset="",
            ruleset_sha256="",
            known={},
            started_at=timezone.now(),
        )
        fault = {batch.rows[0]: f"could not be stored: {reason}"}
        if batch.upload_id is None:
            _set_aside(lease, versions=fault)
        else:
            _set_aside(lease, refusals=fault)
        _close(lease, Counts(aside=1), ChunkState.FAILED)
        return
    size = -(-len(batch.rows) // PARTS)
    parts = [batch.rows[start : start + size] for start in range(0, len(batch.rows), size)]
    now = timezone.now()
    ReauditBatch.objects.filter(pk=batch.pk).update(
        rows=parts[0],
        attempts=ATTEMPTS_MAX - 1,
        state=ChunkState.QUEUED,
        lease_until=None,
        due_at=now,
        error=reason,
    )
    ReauditBatch.objects.bulk_create(
        ReauditBatch(
            reaudit_id=batch.reaudit_id,
            upload_id=batch.upload_id,
            rows=rows,
            attempts=ATTEMPTS_MAX - 1,
            due_at=now,
            error=reason,
        )
        for rows in parts[1:]
    )


def _stop_if_all_fails(reaudit_id: int, reason: str) -> None:
    failing = ReauditBatch.objects.filter(reaudit_id=reaudit_id, state__in=OPEN).exclude(error="")
    if failing.count() >= FAILING_MAX:
        halt_reaudit(reaudit_id, f"Stopped, because nearly everything fails: {reason}")


def halt_reaudit(reaudit_id: int, error: str) -> bool:
    """Stop an open re-audit; tells whether it was open. A batch being judged may still end."""
    with transaction.atomic():
        reaudit = Reaudit.objects.select_for_update().get(pk=reaudit_id)
        if reaudit.state not in (ReauditState.GATHERING, ReauditState.RUNNING):
            return False
        now = timezone.now()
        if reaudit.running_since is not None:
            reaudit.seconds_before += (now - reaudit.running_since).total_seconds()
        reaudit.running_since = None
        reaudit.state = ReauditState.STOPPED
        reaudit.error = storable(error, ERROR_MAX)
        reaudit.save(update_fields=["seconds_before", "running_since", "state", "error"])
        _queue_touched()
    return True


def start_lanes(reaudit_id: int, lanes: int) -> None:
    """Queue the re-audit so many times once that is committed: as many workers may take part."""
    for _ in range(lanes):
        queue_reaudit_on_commit(reaudit_id)
