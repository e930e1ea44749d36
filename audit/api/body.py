"""The body of a request as a stream: bounded, told apart from one that breaks off, never held.

Under WSGI a chunked body has no length. gunicorn ends it itself (`wsgi.input_terminated`); a server
that does not would leave us waiting for ever, so there it is refused with 411.
"""

from __future__ import annotations

import errno
from typing import Any, Protocol

from django.conf import settings
from rest_framework.request import Request

from audit.api.errors import ApiError


class Input(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Body:
    """What `read` gives has come from the sender; an end before the length that was said, or a
    damaged chunk, is an OSError."""

    def __init__(self, stream: Input, length: int | None) -> None:
        self._stream = stream
        self._length = length
        self._count = 0

    def read(self, size: int, /) -> bytes:
        try:
            piece = self._stream.read(size)
        except OSError as error:
            # Django puts an exception of its own around the socket's.
            if isinstance(error.__cause__ or error, TimeoutError):
                seconds = settings.TILECOURT_SENDER_SECONDS
                raise OSError(errno.ETIMEDOUT, f"nothing came for {seconds} seconds") from None
            raise
        except Exception as error:
            # The server's own kinds: it could not make sense of the chunks.
            raise OSError(errno.EPROTO, f"damaged chunks, {type(error).__name__}") from error
        self._count += len(piece)
        if not piece and self._length is not None and self._count < self._length:
            raise OSError(errno.ECONNRESET, "the sender hung up")
        return piece


def body_of(request: Request) -> Body:
    """The body, of which nothing has been read yet. Raises: ApiError 400, 411, 413."""
    meta = request.META
    stop_waiting(meta)
    text = meta.get("CONTENT_LENGTH") or ""
    if text:
        if not (text.isascii() and text.isdecimal()):
            raise ApiError(400, "bad-length", "The length is no number.", place="Content-Length")
        most = settings.TILECOURT_UPLOAD_BYTES_MAX
        # Compared by their digits first: a number of a thousand digits is a length too.
        if len(text) > 19 or int(text) > most:
            message = f"The file is larger than {most} bytes: send it in parts."
            raise ApiError(413, "too-large", message, place="Content-Length")
        return Body(request, int(text))
    if "HTTP_TRANSFER_ENCODING" in meta and meta.get("wsgi.input_terminated"):
        return Body(meta["wsgi.input"], None)
    raise ApiError(411, "length-required", "Say the length of the body.", place="Content-Length")


def stop_waiting(meta: dict[str, Any]) -> None:
    """Bound the wait for a silent sender, where the server lets us have its socket."""
    connection = meta.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(settings.TILECOURT_SENDER_SECONDS)
