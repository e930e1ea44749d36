"""What the desk's forms send, read strictly; and how its refusals are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from audit import selectors
from audit.selectors.access import Sources
from audit.selectors.desk_books import colleagues
from audit.services import desk
from audit.web.language import phrase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def desk_view(view: View[P]) -> View[P]:
    """A page of the desk: never kept in a cache; what is not there is 404."""

    @never_cache
    @wraps(view)
    def answered(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (desk.CaseNotFound, selectors.NotFound) as error:
            raise Http404(str(error)) from None

    # What `wraps` keeps is the view's signature; the checker sees more in it than that.
    return cast("View[P]", answered)


def user_of(request: HttpRequest) -> User:
    """Who is signed in; the log-in middleware lets nobody else in."""
    assert isinstance(request.user, User)
    return request.user


def number_of(fields: Mapping[str, Any], key: str) -> int | None:
    """A number of a form; None where the field is empty. Raises: DeskRefused."""
    text = str(fields.get(key, "")).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise desk.DeskRefused(phrase("“{text}” is not a number.", text=text[:40]))
    return int(text)


def person_of(fields: Mapping[str, Any], key: str, *, sources: Sources) -> User:
    """One of the colleagues in these sources, by number. Raises: DeskRefused."""
    number = number_of(fields, key)
    known = {pk for pk, _ in colleagues(sources=sources)}
    found = User.objects.filter(pk=number).first() if number in known else None
    if found is None:
        raise desk.DeskRefused(phrase("Choose a person."))
    return found


def instant_of(fields: Mapping[str, Any], when: str, offset: str) -> datetime:
    """A date and time of day with an offset from UTC, both as typed. Raises: DeskRefused."""
    day, zone = str(fields.get(when, "")).strip(), str(fields.get(offset, "")).strip()
    if not day:
        raise desk.DeskRefused(phrase("Say when the claim was made."))
    if len(zone) != 6 or zone[0] not in "+-" or zone[3] != ":":
        raise desk.DeskRefused(phrase("The offset from UTC is like +08:00."))
    try:
        local = datetime.fromisoformat(day)
        if local.tzinfo is not None or len(day) < len("2025-01-01T00:00"):
            raise desk.DeskRefused(phrase("The time of the claim is like 2025-05-17T21:14."))
        return datetime.fromisoformat(f"{local.isoformat()}{zone}").astimezone(UTC)
    except (ValueError, OverflowError) as error:
        if isinstance(error, desk.DeskRefused):
            raise
        raise desk.DeskRefused(phrase("The time of the claim is like 2025-05-17T21:14.")) from None
