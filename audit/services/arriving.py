"""The bytes of a file on their way in, counted, hashed and bounded; and why one is not taken."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Protocol

from django.conf import settings

import replay
from audit.services.texts import storable

REASON_MAX = 500
READ_BYTES = 1 << 16
# A receiver at work gives a sign of life so often.
BEAT_SECONDS = 5


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


class Arriving:
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
