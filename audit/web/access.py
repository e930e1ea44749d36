"""Who may open a page: `@needs(Act.X)` stands on every view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.core.exceptions import PermissionDenied
from django.db import DataError
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from audit.config.access import (
    access_of_request,
    note_refused,
    note_shown,
    note_use,
    sources_of_request,
)
from audit.config.asked import Misread, misasked
from audit.selectors.access import Act
from audit.web.language import say

__all__ = [
    "access_of_request",
    "act_of_view",
    "check_asked",
    "needs",
    "note_shown",
    "sent_act",
    "sources_of_request",
]

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
View = Callable[Concatenate[HttpRequest, P], R]
# Where the act of a view is kept for the table of addresses.
NEEDED = "needed_acts"
FIELD = "needed_field"


def needs(
    act: Act,
    *,
    post: Act | None = None,
    field: str = "",
    acts: Mapping[str, Act] | None = None,
    journal: bool = True,
    asks: Sequence[str] = (),
    lets_others: bool = False,
) -> Callable[[View[P, R]], View[P, R]]:
    """Let those in who may do the act somewhere; others get 403.

    `post` is what sending the form takes, where that is more than looking. A form that can do
    several things names in `field` which, and `acts` says what each takes; one that is not there
    is 404. What lies in a source that one may not see is the view's to hide (404), by
    `access_of_request(request).sources(act)`. `journal=False` is for parts of a page that a script
    asks for again and again. `asks` are the words of the address that
    the view reads, for `check_asked`.
    """

    def guard(view: View[P, R]) -> View[P, R]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> R:
            needed = act
            if request.method == "POST":
                needed = post or act
                if acts is not None:
                    named = acts.get(request.POST.get(field, ""))
                    if named is None:
                        raise Http404("There is no such act.")
                    needed = named
            if not access_of_request(request).may(needed):
                note_refused(request, needed, is_journalled=journal)
                raise PermissionDenied(needed.value)
            note_use(request, needed, is_journalled=journal)
            check_asked(request, asks, lets_others=lets_others)
            try:
                return view(request, *args, **kwargs)
            except DataError as error:
                if not _has_nul(request):
                    raise
                message = say("A text of the form holds a character that no text has.")
                raise Misread(message) from error

        setattr(guarded, NEEDED, {"GET": act, "POST": post or act, **(acts or {})})
        setattr(guarded, FIELD, field)
        return cast("View[P, R]", guarded)

    return guard


def check_asked(request: HttpRequest, names: Sequence[str], *, lets_others: bool = False) -> None:
    """Let through what the address says under `names`, each once at most, none with a NUL.

    With `lets_others` further words are left aside: those of a hand's pages are (SVC-60). Raises:
    Misread, which is answered by 400 with the word.
    """
    wrong = misasked(request.GET, names, lets_others=lets_others)
    if wrong is not None:
        raise Misread(wrong.message)


def sent_act(request: HttpRequest, field: str, *acts: str) -> str:
    """What a form says that it does: one of these, never one of them for whatever else is said.

    Raises: Http404.
    """
    act = request.POST.get(field, "")
    if act not in acts:
        raise Http404("There is no such act.")
    return act


def _has_nul(request: HttpRequest) -> bool:
    """Whether something that was sent holds a NUL, which no text of the store can."""
    sent = (one for lists in (request.GET, request.POST) for _, one in lists.lists())
    return any("\0" in text for texts in sent for text in texts)


def act_of_view(view: Any) -> dict[str, Act] | None:
    """What a view asks for, by method or by the act of its form; None where nothing guards it."""
    needed: dict[str, Act] | None = getattr(view, NEEDED, None)
    return needed


class May:
    """What templates ask: `{% if may.see_hands %}`. The store is asked with the first question."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    def __getitem__(self, name: str) -> bool:
        return access_of_request(self.request).may(Act[name.upper()])


def may(request: HttpRequest) -> dict[str, Any]:
    """For every template: which acts whoever asks for the page may do."""
    return {"may": May(request)}
