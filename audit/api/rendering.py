"""Every answer as JSON: structs, dicts, times and raw parts of a record alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from rest_framework.renderers import BaseRenderer


def plain(value: object) -> object:
    """A text that remembers how it was made, as the text alone."""
    if isinstance(value, str):
        return "".join(value)
    raise NotImplementedError(f"no JSON for a {type(value).__name__}")


_encoder = msgspec.json.Encoder(enc_hook=plain)


def encode(data: Any) -> bytes:
    """What a view tells, as JSON. Times in UTC end in Z; a part of a record stays as it is."""
    return _encoder.encode(data)


class Json(BaseRenderer):
    """`application/json` in UTF-8; it never holds NaN or Infinity."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "text"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else encode(data)
