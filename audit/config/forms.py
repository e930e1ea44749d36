"""What a form says is UTF-8: a field that is not is refused, never read as � or left out."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser
from django.http.response import HttpResponseBase

import replay
from audit.config.asked import Misread
from audit.config.utf8 import FORMS, answer_misread, unreadable

# UTF-8 in which a byte that is none stays to be found, as a lone surrogate; Django would ask for �.
KEPT = "utf-8-kept"
HEADS = "_tilecourt_heads"
# What Django calls for the body of such a form.
PARSING = "parse_file_upload"
# The head of a part is no longer than what Django reads of one.
HEAD_MAX = 64 * 1024
# A byte that `KEPT` found no character for.
_BYTE = re.compile("[\udc80-\udcff]")
_NAME = re.compile(rb'[; ]name="?([^";]*)')
# A name in percent signs with its charset (RFC 2231).
_PERCENT = re.compile(rb"\*=([^';\r\n]*)'[^']*'([^;\r\n]*)")


def _codec(name: str) -> codecs.CodecInfo | None:
    if name != KEPT.replace("-", "_"):
        return None

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return text.encode("utf-8", "surrogateescape"), len(text)

    def decode(data: Any, errors: str = "strict") -> tuple[str, int]:
        return bytes(data).decode("utf-8", "surrogateescape"), len(data)

    return codecs.CodecInfo(name=KEPT, encode=encode, decode=decode)


codecs.register(_codec)


class Forms:
    """Refuses a form with a field or a file's name that is no UTF-8, with the field's name.

    It stands behind the log-in and the check of the form's token, which reads the body: nobody's
    body is read who would be turned away unread. Forms in another charset are refused before.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.content_type == "multipart/form-data":
            _watch(request)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        # The API takes no form, and does not read one to say so.
        is_form = request.method == "POST" and request.content_type in FORMS
        if not is_form or getattr(view, "csrf_exempt", False):
            return None
        name = _unreadable_field(request)
        if name is None:
            return None
        message = replay.say("What the form says in “{name}” is no UTF-8.", name=name)
        return answer_misread(request, Misread(message))


def _watch(request: HttpRequest) -> None:
    """Have the parts of a form parsed so that what is no UTF-8 in them is found."""
    request.encoding = KEPT

    def parse(meta: Any, data: Any) -> Any:
        heads = Heads(data, str((request.content_params or {}).get("boundary", "")))
        setattr(request, HEADS, heads)
        body: Any = heads
        return MultiPartParser(meta, body, request.upload_handlers, KEPT).parse()

    setattr(request, PARSING, parse)


class Heads:
    """A body on its way to Django's parser, which leaves out a part whose head is no UTF-8; `bad`
    is the name of the first such part."""

    def __init__(self, body: Any, boundary: str) -> None:
        self._body = body
        self._edge = b"--" + boundary.encode("ascii", "replace")
        self._held = b""
        self.bad: str | None = None

    def read(self, size: int | None = None) -> bytes:
        data: bytes = self._body.read(size)
        if self.bad is None:
            self._look(self._held + data)
        return data

    def _look(self, held: bytes) -> None:
        start = held.find(self._edge)
        while start >= 0:
            end = held.find(b"\r\n\r\n", start)
            if end < 0:
                self._held = held[start:] if len(held) - start < HEAD_MAX else b""
                return
            self._check(held[start:end])
            held = held[end:]
            start = held.find(self._edge)
        self._held = held[-len(self._edge) :]

    def _check(self, head: bytes) -> None:
        try:
            head.decode()
            for charset, text in _PERCENT.findall(head):
                unquote_to_bytes(text).decode(charset.decode() or "utf-8")
        except (UnicodeDecodeError, LookupError):
            name = _NAME.search(head)
            self.bad = name[1].decode("utf-8", "replace") if name else ""


def _unreadable_field(request: HttpRequest) -> str | None:
    """The name of the first field that is no UTF-8."""
    if request.content_type != "multipart/form-data":
        return unreadable(request.body.decode("latin-1"))
    for name, values in request.POST.lists():
        if any(_BYTE.search(str(text)) for text in (name, *values)):
            return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    heads = getattr(request, HEADS, None)
    return heads.bad if isinstance(heads, Heads) else None
