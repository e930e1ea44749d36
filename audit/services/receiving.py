"""Taking a file in: read it once, bounded, and keep its lines in chunks before anything is queued.

Nothing of a file is judged before all of it has arrived, so that a sender who hangs up leaves no
half of a log among the hands.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Protocol

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

import replay
from audit.models import Chunk, Refusal, Upload, UploadState
from audit.selectors.access import Sources
from audit.services.payloads import ChunkLine, store_chunk
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
from audit.services.texts import storable
from audit.services.upload_sources import note_sources
from audit.zstd import packed

NAME_MAX = 255
PLACE_MAX = 500
REASON_MAX = 500
REFUSALS_AT_ONCE = 1_000
READ_BYTES = 1 << 16
# A receiver at work gives a sign of life so often; one without any for so many times the wait for a
# silent sender is gone.
BEAT_SECONDS = 5
SILENT_TIMES = 2


class UploadRefused(Exception):
    """A file that was not taken; its text is a sentence for whoever sent it."""


class UploadTooLarge(UploadRefused):
    """More bytes or lines than this service takes at once."""


class RestatementIncomplete(UploadRefused):
    """A restatement without a reason that can be kept, or without somebody who announces it."""


class SourceRefused(UploadRefused):
    """A file of a source whose hands its sender may not hand in."""


class UploadInterrupted(UploadRefused):
    """The file did not arrive to its end."""


class ByteStream(Protocol):
    """Anything that is read in pieces."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; empty at the end."""


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
    place of the file's lines. `on_progress` hears the bytes read so far. Memory holds one chunk at
    most.
    Under a `key` that stands for a file already, this one is only read to see that it is the same.
    Raises: UploadTooLarge, UploadInterrupted; the upload then stands as failed, with the sentence,
    and nothing else of it is kept. RestatementIncomplete, SubmissionInProgress,
    SubmissionKeyReused; nothing is kept.
    """
    source = _Source(stream, on_progress)
    reason = _reason(restatement, user)
    try:
        upload = _open(name, user, sources, key, reason, records)
    except SubmissionKnown as known:
        return _seen_before(known.upload, source, reason, records)
    lines = _LineStore(upload.pk, source)
    source.on_beat = partial(_sign_of_life, upload.pk)
    try:
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
    reason = restatement.strip()
    if not reason:
        raise RestatementIncomplete(replay.say("A restatement needs a reason."))
    # As it was sent, blanks at its ends included.
    if len(restatement) > REASON_MAX:
        raise RestatementIncomplete(
            replay.say("The reason is longer than {reason_max} characters.", reason_max=REASON_MAX)
        )
    if user is None:
        raise RestatementIncomplete(replay.say("A restatement needs somebody who announces it."))
    return storable(reason, REASON_MAX)


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


def _seen_before(known: Upload, source: _Source, reason: str, records: Records | None) -> Received:
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


class _Source:
    """The sender's bytes on their way in: counted, hashed and bounded."""

    def __init__(self, stream: ByteStream, on_progress: Callable[[int], None] | None) -> None:
        self._stream = stream
        self._on_progress = on_progress
        self._hash = hashlib.sha256()
        self._beaten = time.monotonic()
        self.on_beat: Callable[[], None] | None = None
        self.byte_count = 0

    def read(self, size: int, /) -> bytes:
        # Not an OSError on the way out: the core takes one for a broken file, but a sender who is
        # gone has left us with half of one.
        try:
            piece = self._stream.read(size)
        except OSError as error:
            reason = storable(error.strerror or "the sender hung up", REASON_MAX)
            raise UploadInterrupted(
                replay.say(
                    "Incomplete upload: after {byte_count} bytes it broke off ({reason}).",
                    byte_count=self.byte_count,
                    reason=reason,
                )
            ) from error
        self.byte_count += len(piece)
        most = settings.TILECOURT_UPLOAD_BYTES_MAX
        if self.byte_count > most:
            raise UploadTooLarge(
                replay.say("The file is larger than {most} bytes: send it in parts.", most=most)
            )
        self._hash.update(piece)
        if self.on_beat is not None and time.monotonic() - self._beaten >= BEAT_SECONDS:
            self._beaten = time.monotonic()
            self.on_beat()
        if self._on_progress is not None:
            self._on_progress(self.byte_count)
        return piece

    def drain(self) -> None:
        """Read what the lines left over (behind a break), for the hash is of the whole file."""
        while self.read(READ_BYTES):
            pass

    def digest(self) -> bytes:
        return self._hash.digest()

    def check_unpacked(self, unpacked: int) -> None:
        """Hear how many bytes have come out so far. Raises: UploadTooLarge."""
        most = settings.TILECOURT_UNPACKED_BYTES_MAX
        if unpacked > most:
            raise UploadTooLarge(
                replay.say(
                    "The file unpacks to more than {most} bytes: send it in parts.", most=most
                )
            )
        free, ratio = settings.TILECOURT_UNPACKED_BYTES_FREE, settings.TILECOURT_UNPACKED_RATIO_MAX
        if unpacked > free and unpacked > ratio * self.byte_count:
            # No log packs so well: it is nothing but repetition.
            raise UploadTooLarge(
                replay.say(
                    "The file unpacks to more than {free} bytes and to more than {ratio}"
                    " times its size: send the log plain.",
                    free=free,
                    ratio=ratio,
                )
            )


class _LineStore:
    """Puts lines away as they come: readable ones in chunks, refused ones as refusals."""

    def __init__(self, upload_id: int, source: _Source) -> None:
        self._upload_id = upload_id
        self._source = source
        self._lines: list[ChunkLine] = []
        self._size = 0
        self._refused: list[Refusal] = []
        self.count = 0
        self.refused = 0
        self.chunks: list[int] = []
        # Asked for once: of each line they would cost a tenth of its time.
        self._lines_most = settings.TILECOURT_UPLOAD_LINES_MAX
        self._chunk_bytes = settings.TILECOURT_CHUNK_BYTES_MAX
        self._chunk_lines = settings.TILECOURT_CHUNK_LINES_MAX

    def add(self, line: replay.Line) -> None:
        self.count += 1
        if self.count > self._lines_most:
            raise UploadTooLarge(
                replay.say(
                    "The file has more than {most} lines: send it in parts.", most=self._lines_most
                )
            )
        if line.refusal is not None or line.data is None:
            self._refuse(line)
            return
        # An overfull chunk is closed before the line, so that only a single line can be over.
        if self._size + len(line.data) > self._chunk_bytes:
            self._close_chunk()
        self._lines.append(ChunkLine(line.number, line.offset, line.data))
        self._size += len(line.data)
        if len(self._lines) >= self._chunk_lines:
            self._close_chunk()

    def _refuse(self, line: replay.Line) -> None:
        assert line.refusal is not None
        self.refused += 1
        self._refused.append(
            Refusal(
                upload_id=self._upload_id,
                line=line.number,
                offset=line.offset,
                place=storable(line.refusal.place, PLACE_MAX),
                reason=storable(line.refusal.reason, REASON_MAX),
                raw=None if line.data is None else packed(line.data),
                sha256=None if line.sha256 is None else bytes.fromhex(line.sha256),
            )
        )
        if len(self._refused) >= REFUSALS_AT_ONCE:
            self._store_refusals()

    def flush(self) -> None:
        self._close_chunk()
        self._store_refusals()

    def _store_refusals(self) -> None:
        Refusal.objects.bulk_create(self._refused)
        self._refused = []

    def _close_chunk(self) -> None:
        if not self._lines:
            return
        lines, self._lines, self._size = self._lines, [], 0
        with transaction.atomic():
            chunk_id = store_chunk(
                upload_id=self._upload_id, number=len(self.chunks) + 1, lines=lines
            )
            still_open = Upload.objects.filter(
                pk=self._upload_id, state=UploadState.RECEIVING
            ).update(
                touched_at=timezone.now(),
                byte_count=self._source.byte_count,
                line_count=self.count,
            )
            if not still_open:
                raise UploadInterrupted(
                    replay.say("Incomplete upload: it took too long and was given up.")
                )
        self.chunks.append(chunk_id)


def _close(upload_id: int, source: _Source, lines: _LineStore) -> None:
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
