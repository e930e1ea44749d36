"""A small JSON body, read whole and strictly."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from rest_framework.request import Request

from audit.api.body import body_of
from audit.api.errors import ApiError

BODY_BYTES_MAX = 64 * 1024
T = TypeVar("T")


def read_json(request: Request, decoder: msgspec.json.Decoder[T]) -> T:
    """Raises: ApiError 400 with the place in the body, 411, 413."""
    body, parts, left = body_of(request), [], BODY_BYTES_MAX + 1
    try:
        while left and (piece := body.read(left)):
            parts.append(piece)
            left -= len(piece)
    except OSError as error:
        reason = error.strerror or "the sender hung up"
        raise ApiError(400, "incomplete", f"The body broke off: {reason}.") from None
    if not left:
        raise ApiError(413, "too-large", f"The body is longer than {BODY_BYTES_MAX} bytes.")
    try:
        return decoder.decode(b"".join(parts))
    except msgspec.ValidationError as error:
        reason, found, place = str(error).rpartition(" - at `")
        if not found:
            reason, place = str(error), "$"
        raise ApiError(400, "bad-body", f"{reason}.", place=place.rstrip("`")) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise ApiError(400, "bad-body", "The body is no JSON document.", place="$") from None
