"""A small JSON body, read whole and strictly."""

from __future__ import annotations

import json
from typing import Any, TypeVar

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
    data = b"".join(parts)
    try:
        asked = decoder.decode(data)
    except msgspec.ValidationError as error:
        reason, found, place = str(error).rpartition(" - at `")
        if not found:
            reason, place = str(error), "$"
        raise ApiError(400, "bad-body", f"{reason}.", place=place.rstrip("`")) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise ApiError(400, "bad-body", "The body is no JSON document.", place="$") from None
    # Only now: its shape bounds how deep it goes.
    json.loads(data, object_pairs_hook=_check_once, parse_int=str, parse_float=str)
    return asked


def _check_once(pairs: list[tuple[str, Any]]) -> None:
    """Of a key that stands twice the decoder takes the last. Raises: ApiError 400."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            message = f"“{key}” stands more than once in one object."
            raise ApiError(400, "bad-body", message, place="$")
        seen.add(key)
