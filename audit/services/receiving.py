"""Taking a file in: read it once, bounded, and keep its lines in chunks before anything is queued.

Nothing of a file is judged before all of it has arrived, so that a sender who hangs up leaves no
half of a log among the hands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

import replay
from audit.models import Chunk, Refusal, Upload, UploadState
from audit.selectors.access import Sources
from audit.services.arriving import (
    REASON_MAX,
    Arriving,
    ByteStream,
    RestatementIncomplete,
    UploadInterrupted,
    UploadRefused,
)
from audit.services.chunking import LineStore
from audit.services.queueing import queue_on_commit
from audit.services.records import Records
from audit.services.settling import settle_upload
from audit.services.submissions import (
    SubmissionInProgress,
    SubmissionKey,
    SubmissionKnown,
    check_same_file,
    claim_key,
)
from audit.services.texts import storable, written
from audit.services.upload_sources import note_sources

NAME_MAX = 255
# One that gave no sign of life for so many times the wait for a silent sender is gone.
SILENT_TIMES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A file that was taken whole; `lines` are those that are not blank.

    `is_known`: the same file came before under the same key, and nothing was taken now.
    `restating_id` is the upload of those records by which a feed settles hands anew.
    """

    upload_id: int
    sha256: bytes
    byte_count: int
    lines: int
    is_known: bool = False
    restating_id: int | None = None


def receive_upload(
    *,
    name: str,
    stream: ByteStream,
    user: User | None = None,
    sources: Sources = None,
    key: SubmissionKey | None = None,
    restatement: str | None = None,
    records: Records | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Received:
    """Read a file to its end, store its lines as chunks and queue them.

    `restatement` is the reason why its records replace those that its source sent before; None
    where the file is not announced as one. `user` announces it. `sources` are those whose hands the
    sender may hand in, None where all: any other line will be refused. `records` are taken in the
    place of the file's lines. `on_progress` hears the bytes read so far. Memory holds two chunks at
    most: one is packed while the next is read.
    Under a `key` that stands for a file already, this one is only read to see that it is the same.
    Raises: UploadTooLarge, UploadInterrupted; the upload then stands as failed, with the sentence,
    and nothing else of it is kept. RestatementIncomplete, SubmissionInProgress,
    SubmissionKeyReused; nothing is kept.
    """
    source = Arriving(stream, on_progress)
    reason = _reason(restatement, user)
    try:
        upload = _open(name, user, sources, key, reason, records)
    except SubmissionKnown as known:
        return _seen_before(known.upload, source, reason, records)
    source.on_beat = partial(_sign_of_life, upload.pk)
    try:
        with LineStore(upload.pk, source) as lines:
            whole = replay.read_lines(source, on_bytes=source.check_unpacked)
            for line in whole if records is None else records.lines:
                lines.add(line)
            source.drain()
            lines.flush()
        _close(upload.pk, source, lines)
    except BaseException as error:
        discard_upload(upload.pk, _sentence(error))
        raise
    return Received(
        upload_id=upload.pk,
        sha256=source.digest(),
        byte_count=source.byte_count,
        lines=lines.count,
    )


def _reason(restatement: str | None, user: User | None) -> str:
    """The reason as it is kept; empty where there is no restatement."""
    if restatement is None:
        return ""
    reason = written(restatement)
    if not reason:
        raise RestatementIncomplete(replay.say("A restatement needs a reason."))
    # As it was sent, blanks at its ends included.
    if len(restatement) > REASON_MAX:
        raise RestatementIncomplete(
            replay.say("The reason is longer than {reason_max} characters.", reason_max=REASON_MAX)
        )
    if user is None:
        raise RestatementIncomplete(replay.say("A restatement needs somebody who announces it."))
    if storable(reason, REASON_MAX) != reason:
        raise RestatementIncomplete(replay.say("The reason holds a character that cannot be kept."))
    return reason


def _open(
    name: str,
    user: User | None,
    sources: Sources,
    key: SubmissionKey | None,
    restatement: str,
    records: Records | None,
) -> Upload:
    """Open an upload, under its key in the place of one whose receiver was killed."""
    try:
        return _open_once(name, user, sources, key, restatement, records)
    except SubmissionInProgress:
        silent = timedelta(seconds=SILENT_TIMES * settings.TILECOURT_SENDER_SECONDS)
        if key is None or not give_up_upload(key, silent=silent):
            raise
    return _open_once(name, user, sources, key, restatement, records)


def _open_once(
    name: str,
    user: User | None,
    sources: Sources,
    key: SubmissionKey | None,
    restatement: str,
    records: Records | None,
) -> Upload:
    with transaction.atomic():
        upload = Upload.objects.create(
            name=file_name(name),
            received_by=user,
            limited_to=None if sources is None else sorted(sources),
            restatement=restatement,
            feed="" if records is None else records.feed,
            feed_facts={} if records is None else dict(records.facts),
        )
        if records is not None and "source" in records.facts:
            note_sources(upload.pk, with_hands=(), named=[records.facts["source"]])
        if key is not None:
            claim_key(key, upload.pk)
    return upload


def _seen_before(known: Upload, source: Arriving, reason: str, records: Records | None) -> Received:
    source.drain()
    check_same_file(
        known,
        source.digest(),
        restatement=reason,
        feed="" if records is None else records.feed,
        source="" if records is None else records.facts.get("source", ""),
    )
    return Received(
        upload_id=known.pk,
        sha256=source.digest(),
        byte_count=source.byte_count,
        lines=known.line_count,
        is_known=True,
    )


def file_name(name: str) -> str:
    """The last part of a path, as text that can be stored and shown."""
    last = re.split(r"[/\\]", name)[-1].strip()
    return (
        storable(re.sub("[\x00-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", last), NAME_MAX)
        or "unnamed"
    )


def discard_upload(upload_id: int, sentence: str) -> bool:
    """End an upload that is still being received as failed; returns whether it was."""
    with transaction.atomic():
        was_open = Upload.objects.filter(pk=upload_id, state=UploadState.RECEIVING).update(
            state=UploadState.FAILED,
            error=sentence,
            finished_at=timezone.now(),
            line_count=0,
            rejected_count=0,
        )
        if was_open:
            Chunk.objects.filter(upload_id=upload_id).delete()
            Refusal.objects.filter(upload_id=upload_id).delete()
    return bool(was_open)


def give_up_upload(key: SubmissionKey, *, silent: timedelta = timedelta(0)) -> bool:
    """End what a receiver that was killed left under a key, if it gave no sign of life for so long.

    Without `silent` nobody else may use the key. Returns whether there was such an upload. Should
    its receiver live all the same, it will find the upload ended and take nothing.
    """
    left = Upload.objects.filter(
        submission__sender=key.sender,
        submission__key=key.key,
        state=UploadState.RECEIVING,
        touched_at__lte=timezone.now() - silent,
    ).first()
    return left is not None and discard_upload(
        left.pk, "Incomplete upload: whoever took it in was stopped."
    )


def _sentence(error: BaseException) -> str:
    if isinstance(error, UploadRefused):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return "Incomplete upload: it was interrupted."
    return f"The file could not be stored: {type(error).__name__}."


def _sign_of_life(upload_id: int) -> None:
    Upload.objects.filter(pk=upload_id, state=UploadState.RECEIVING).update(
        touched_at=timezone.now()
    )


def _close(upload_id: int, source: Arriving, lines: LineStore) -> None:
    """All is here: let the workers have it."""
    with transaction.atomic():
        was_open = Upload.objects.filter(pk=upload_id, state=UploadState.RECEIVING).update(
            state=UploadState.QUEUED,
            byte_count=source.byte_count,
            sha256=source.digest(),
            line_count=lines.count,
            rejected_count=lines.refused,
            touched_at=timezone.now(),
        )
        if not was_open:
            raise UploadInterrupted(
                replay.say("Incomplete upload: it took too long and was given up.")
            )
        Chunk.objects.filter(upload_id=upload_id).update(
            queued_at=timezone.now(), due_at=timezone.now()
        )
        settle_upload(upload_id)
        queue_on_commit(lines.chunks)
