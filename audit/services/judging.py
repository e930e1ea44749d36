"""Judging one chunk: take a lease, replay its lines, store all outcomes in one transaction.

Whoever stores must still hold the lease that it began with: `attempts` is its number. A message
that comes twice, or a worker that was thought lost, therefore changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F
from django.utils import timezone

import replay
from audit.models import Chunk, ChunkState, Upload, UploadState
from audit.selectors import current_rulesets
from audit.services.feeding import FeedOutcomes, feed_of, judge_records, store_feed
from audit.services.outcomes import Outcomes
from audit.services.payloads import ChunkLine, load_payload, unpack_lines
from audit.services.settling import settle_upload
from audit.services.sifting import divide_chunk, is_passing, sift_lines, words_of
from audit.services.storing import Stored, store_outcomes
from audit.services.storing_new import PIECE_HANDS, JudgeOn
from audit.services.texts import storable
from audit.services.upload_sources import limit_of, note_sources

logger = logging.getLogger(__name__)

# A worker that was killed costs this much time at most; a task is stopped before its lease ends.
LEASE = timedelta(seconds=settings.TILECOURT_LEASE_SECONDS)
ATTEMPTS_MAX = 4
FIRST_WAIT_SECONDS = 5
# Judged at a time while the database draws the keys of a piece of hands, and twice for each of its
# three tables: so the next piece is ready when the last one is in.
STEP_LINES = 1 + PIECE_HANDS // 7
ERROR_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A chunk that is ours for a while."""

    chunk_id: int
    upload_id: int
    attempt: int
    line_count: int
    payload: bytes


def judge_chunk(*, chunk_id: int) -> float | None:
    """Judge a chunk that waits, and store what came out.

    Returns: None when nothing is left to do here, else in how many seconds to come again, because
    another worker has it or it failed and is to be tried once more.
    Raises: DatabaseError, InterfaceError when the database cannot be reached or was too busy.
    """
    lease = _take(chunk_id)
    if not isinstance(lease, Lease):
        return lease
    try:
        _judge(lease)
    except Exception as error:
        if is_passing(error):
            _hand_back(lease)
            raise
        # Whatever it was, it is kept with the chunk, and the chunk is tried again or ended.
        logger.exception("chunk_failed", extra={"chunk": chunk_id, "attempt": lease.attempt})
        return _give_back(lease, error)
    return None


def _judge(lease: Lease) -> None:
    """Store all that a chunk brings; in its last attempt all but the lines that it fails on.

    Hands are stored while those behind them are judged, in the one transaction that ends the chunk.
    """
    lines = unpack_lines(lease.payload)
    if len(lines) != lease.line_count:
        raise ValueError(f"the chunk holds {len(lines)} lines instead of {lease.line_count}")
    rulesets = current_rulesets()
    try:
        outcomes, judge_on = _begin(lines, rulesets, upload_id=lease.upload_id)
        with transaction.atomic():
            if _still_ours(lease):
                _close(lease, outcomes, _store(lease.upload_id, outcomes, judge_on))
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if lease.attempt < ATTEMPTS_MAX or is_passing(error):
            raise
        logger.exception("chunk_sifted", extra={"chunk": lease.chunk_id})
        with transaction.atomic():
            if _still_ours(lease):
                _close(lease, *_sift(lease.upload_id, lines, rulesets))


def _sift(
    upload_id: int, lines: list[ChunkLine], rulesets: replay.Rulesets
) -> tuple[Outcomes, Stored]:
    """Store the lines that can be stored and set the others aside; gives the counts of all."""

    def store(piece: list[ChunkLine]) -> tuple[Outcomes, Stored]:
        outcomes = judge_lines(piece, rulesets, upload_id=upload_id)
        return outcomes, _store(upload_id, outcomes)

    def set_aside(line: ChunkLine, reason: str) -> tuple[Outcomes, Stored]:
        outcomes = Outcomes()
        outcomes.add_fault(line, reason)
        return outcomes, store_outcomes(upload_id, outcomes)

    outcomes, stored = Outcomes(), Stored(new=0, duplicates=0, conflicts=0)
    for piece, stored_piece in sift_lines(lines, store=store, set_aside=set_aside):
        outcomes.count(piece)
        stored += stored_piece
    return outcomes, stored


def _store(upload_id: int, outcomes: Outcomes, judge_on: JudgeOn | None = None) -> Stored:
    stored = store_outcomes(upload_id, outcomes, judge_on)
    if isinstance(outcomes, FeedOutcomes):
        store_feed(upload_id, outcomes)
    return stored


def judge_lines(
    lines: list[ChunkLine],
    rulesets: replay.Rulesets,
    *,
    upload_id: int = 0,
    said_until: datetime | None = None,
) -> Outcomes:
    """Judge each line by itself; one that makes the core fail is set aside with the reason.

    The lines of an upload from a feed are records of that feed, judged by what is in force as far
    as it had been said until then.
    """
    outcomes, judge_on = _begin(lines, rulesets, upload_id=upload_id, said_until=said_until)
    while judge_on():
        pass
    return outcomes


def _begin(
    lines: list[ChunkLine],
    rulesets: replay.Rulesets,
    *,
    upload_id: int,
    said_until: datetime | None = None,
) -> tuple[Outcomes, JudgeOn]:
    """The outcomes of lines, and what judges some more of them into these, without a query.

    Records of a feed, for which the database is asked, are judged at once.
    """
    feed, limit = feed_of(upload_id, said_until=said_until), limit_of(upload_id)
    if feed is not None:
        return judge_records(lines, rulesets, feed, limited_to=limit), lambda: False
    outcomes = Outcomes(limited_to=limit)
    steps = _steps(lines, rulesets, outcomes)
    return outcomes, lambda: next(steps, False)


def _steps(lines: list[ChunkLine], rulesets: replay.Rulesets, outcomes: Outcomes) -> Iterator[bool]:
    for start in range(0, len(lines), STEP_LINES):
        for line in lines[start : start + STEP_LINES]:
            try:
                audited = replay.audit_line(line.data, rulesets, number=line.number)
            except (SoftTimeLimitExceeded, MemoryError):
                raise
            except Exception as error:
                logger.exception("line_failed", extra={"line": line.number})
                outcomes.add_fault(line, words_of(error))
            else:
                outcomes.add(line, audited)
        yield True


def _take(chunk_id: int) -> Lease | float | None:
    """Take a chunk that waits or whose lease ran out; else as `judge_chunk` returns."""
    now = timezone.now()
    with transaction.atomic():
        waiting = Chunk.objects.select_for_update(skip_locked=True).defer("payload")
        chunk = waiting.filter(pk=chunk_id).first()
        if chunk is None:
            # Gone with its upload, or another worker is taking or ending it at this moment.
            is_there = Chunk.objects.filter(pk=chunk_id).exists()
            return LEASE.total_seconds() if is_there else None
        if chunk.state in (ChunkState.DONE, ChunkState.FAILED):
            return None
        wait = _wait_of(chunk, now)
        if wait > timedelta(0):
            return wait.total_seconds() + 1
        if chunk.attempts >= ATTEMPTS_MAX:
            # Each of its workers went down without a word.
            return _part(chunk, "each attempt was cut off")
        chunk.state = ChunkState.RUNNING
        chunk.attempts += 1
        chunk.lease_until = now + LEASE
        chunk.save(update_fields=["state", "attempts", "lease_until"])
        Upload.objects.filter(pk=chunk.upload_id, state=UploadState.QUEUED).update(
            state=UploadState.RUNNING, started_at=now
        )
        return Lease(
            chunk_id=chunk.pk,
            upload_id=chunk.upload_id,
            attempt=chunk.attempts,
            line_count=chunk.line_count,
            payload=load_payload(chunk.pk),
        )


def _wait_of(chunk: Chunk, now: datetime) -> timedelta:
    until = chunk.lease_until if chunk.state == ChunkState.RUNNING else chunk.due_at
    assert until is not None
    return until - now


def _still_ours(lease: Lease) -> bool:
    """Lock the chunk, and tell whether it is still ours to end."""
    return (
        Chunk.objects.select_for_update()
        .filter(pk=lease.chunk_id, state=ChunkState.RUNNING, attempts=lease.attempt)
        .exists()
    )


def _close(lease: Lease, outcomes: Outcomes, stored: Stored) -> None:
    """End the chunk and count; its bytes now stand with the hands and the refusals."""
    Chunk.objects.filter(pk=lease.chunk_id).update(
        state=ChunkState.DONE, lease_until=None, payload=b"", error=""
    )
    Upload.objects.filter(pk=lease.upload_id).update(
        clean_count=F("clean_count") + outcomes.kinds["clean"],
        consistent_count=F("consistent_count") + outcomes.kinds["consistent"],
        discrepant_count=F("discrepant_count") + outcomes.kinds["discrepant"],
        void_count=F("void_count") + outcomes.kinds["void"],
        rejected_count=F("rejected_count") + outcomes.rejected,
        failed_count=F("failed_count") + outcomes.faults,
        turned_count=F("turned_count") + stored.turned,
        new_count=F("new_count") + stored.new,
        duplicate_count=F("duplicate_count") + stored.duplicates,
        conflict_count=F("conflict_count") + stored.conflicts,
        restated_count=F("restated_count") + stored.restated,
    )
    # The row of the upload is ours by now: whoever notes its sources, too, waited for it.
    note_sources(lease.upload_id, with_hands=outcomes.sources, named=outcomes.named)
    settle_upload(lease.upload_id)


def _hand_back(lease: Lease) -> None:
    """Give up an attempt that a busy database ended, uncounted.

    Where the connection is gone this fails, and the lease ends in its time: it counts, for it may
    be a line that the database goes down with.
    """
    with suppress(DatabaseError, InterfaceError), transaction.atomic():
        if _still_ours(lease):
            Chunk.objects.filter(pk=lease.chunk_id).update(
                state=ChunkState.QUEUED, lease_until=None, attempts=lease.attempt - 1
            )


def _give_back(lease: Lease, error: Exception) -> float | None:
    """Let the chunk be tried again later; after its last attempt part it, or end it as failed."""
    reason = storable(words_of(error), ERROR_MAX)
    with transaction.atomic():
        if not _still_ours(lease):
            return None
        if lease.attempt >= ATTEMPTS_MAX:
            if isinstance(error, SoftTimeLimitExceeded):
                return _part(Chunk.objects.get(pk=lease.chunk_id), reason)
            # Not even setting its lines aside went well, or it is damaged.
            _fail(lease.chunk_id, lease.upload_id, lease.line_count, reason)
            return None
        wait = FIRST_WAIT_SECONDS << (lease.attempt - 1)
        Chunk.objects.filter(pk=lease.chunk_id).update(
            state=ChunkState.QUEUED,
            lease_until=None,
            due_at=timezone.now() + timedelta(seconds=wait),
            error=reason,
        )
    return wait + 1


def _part(chunk: Chunk, reason: str) -> float | None:
    """Narrow down which line takes the workers of a locked chunk with it, or set that line aside.

    Returns: as `judge_chunk` does.
    """
    try:
        with transaction.atomic():
            if chunk.line_count > 1:
                chunk.error = reason
                # One attempt each: the whole has had its tries.
                divide_chunk(chunk, attempts=ATTEMPTS_MAX - 1)
                return 0.0
            _set_aside(chunk, reason)
    except Exception as error:
        if is_passing(error):
            raise
        logger.exception("chunk_not_parted", extra={"chunk": chunk.pk})
        _fail(chunk.pk, chunk.upload_id, chunk.line_count, reason)
    return None


def _set_aside(chunk: Chunk, reason: str) -> None:
    """End a chunk whose only line was given up."""
    (line,) = unpack_lines(chunk.payload)
    outcomes = Outcomes()
    outcomes.add_fault(line, reason)
    lease = Lease(
        chunk_id=chunk.pk,
        upload_id=chunk.upload_id,
        attempt=chunk.attempts,
        line_count=chunk.line_count,
        payload=b"",
    )
    _close(lease, outcomes, store_outcomes(chunk.upload_id, outcomes))


def _fail(chunk_id: int, upload_id: int, line_count: int, reason: str) -> None:
    Chunk.objects.filter(pk=chunk_id).update(
        state=ChunkState.FAILED, lease_until=None, error=reason
    )
    Upload.objects.filter(pk=upload_id).update(failed_count=F("failed_count") + line_count)
    settle_upload(upload_id)
