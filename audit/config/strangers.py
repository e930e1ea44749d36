"""What a caller who is not signed in may send: no more than a log-in needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

STRANGER_BYTES_MAX = 64 * 1024


class SmallStrangers:
    """Refuses a stranger's large body, unread, on the few pages that need no log-in.

    It stands behind the log-in and before the check of the form's token, which reads the body and
    would put the files in it on the disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        # The API checks its callers itself, before it reads anything.
        if getattr(view, "csrf_exempt", False):
            return None
        if request.user.is_authenticated or is_small(request):
            return None
        return HttpResponse(
            "This is more than a log-in needs.\n",
            status=413,
            content_type="text/plain; charset=utf-8",
            headers={"Connection": "close"},
        )


def is_small(request: HttpRequest) -> bool:
    """Whether the body is small by its header; of one without a length Django reads nothing."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    return length.isdecimal() and len(length) < 10 and int(length) <= STRANGER_BYTES_MAX
