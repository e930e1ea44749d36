"""What addresses and forms say is UTF-8, whatever their sender calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import unquote_to_bytes

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import get_resolver
from django.utils.http import parse_header_parameters

import replay
from audit.config.asked import Misread
from audit.config.languages import is_data

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
CHARSET = "utf-8"


class Utf8Request(WSGIRequest):
    """A request whose address is UTF-8 though its body is announced in another charset.

    Django would read the address in that charset: with `charset=gbk` beside a log the log's name
    would be another one, and with that of no text (`hex`) no view and no page of an error could
    read anything.
    """

    def _set_content_type_params(self, meta: Mapping[str, Any]) -> None:
        told = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        self.content_type, self.content_params = told


class Utf8:
    """Refuses what would have to be guessed: an address whose query is no UTF-8, in which Django
    would read � for what nobody said, and a form that is announced in another charset."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        name = unreadable(str(request.META.get("QUERY_STRING") or ""))
        if name is not None:
            message = replay.say("What the address says of “{name}” is no UTF-8.", name=name)
            if is_data(request):
                return _refused(message, name)
            raise Misread(message)
        charset = (request.content_params or {}).get("charset", CHARSET)
        # The API takes no forms, and says so itself.
        if request.content_type in FORMS and charset.lower() != CHARSET and not is_data(request):
            raise Misread(replay.say("A form is sent in UTF-8."))
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """Answer what a view could not read without a trace of the program in the log: that would
        be for a fault of ours."""
        if not isinstance(exception, Misread):
            return None
        return answer_misread(request, exception)


def answer_misread(request: HttpRequest, exception: Misread) -> HttpResponseBase:
    """400, by the site's own page."""
    answer: Any = get_resolver().resolve_error_handler(400)
    return cast("HttpResponseBase", answer(request, exception))


def _refused(message: str, place: str) -> JsonResponse:
    error = {"code": "bad-query", "message": message, "place": place}
    headers = {"Cache-Control": "private, no-store"}
    return JsonResponse({"error": error}, status=400, headers=headers)


def unreadable(query: str) -> str | None:
    """The name of the first parameter of a query (as WSGI has it, in Latin-1) that is no UTF-8."""
    for pair in query.encode("latin-1", "replace").split(b"&"):
        try:
            unquote_to_bytes(pair).decode()
        except UnicodeDecodeError:
            return unquote_to_bytes(pair.partition(b"=")[0]).decode("utf-8", "replace")
    return None
