"""Counting wrong tries: what the library that does it keeps of a request, and what not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from django.http import HttpRequest, QueryDict


class Locks(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts by name, and keeps nothing of what an address or a form asked for.

    The library would write all of it into tables of its own: where somebody wanted to go, with
    names of players in it, and what was typed as a code or as a new password.
    """

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **kwargs: Any
    ) -> None:
        if request is None:
            super().user_login_failed(sender, credentials, request, **kwargs)
            return
        with _asking_nothing(request):
            super().user_login_failed(sender, credentials, request, **kwargs)


@contextmanager
def _asking_nothing(request: HttpRequest) -> Iterator[None]:
    """Let a request look as if its address and its form were bare."""
    query, form = request.GET, request.POST
    request.GET, request.POST = QueryDict(), QueryDict()
    try:
        yield
    finally:
        request.GET, request.POST = query, form
