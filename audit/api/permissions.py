"""Who may ask the API for what: `permission_classes = [needs(Act.X)]` stands on every view."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from audit.config.access import (
    access_of_request,
    note_refused,
    note_shown,
    note_use,
    sources_of_request,
)
from audit.selectors.access import Access, Act, Sources

__all__ = ["AnyKey", "Needed", "Nobody", "access_of_api", "needs", "sources_of_api"]


class Needed(BasePermission):
    """Lets those in who may do `act`; for POST, PUT, PATCH and DELETE `write` where it is set."""

    act: Act
    write: Act | None = None
    is_journalled = True
    message = "This account or key may not do that."

    def has_permission(self, request: Request, view: Any) -> bool:
        is_write = request.method in ("POST", "PUT", "PATCH", "DELETE")
        act = self.write if is_write and self.write is not None else self.act
        if not request.user or not request.user.is_authenticated:
            return False
        plain = request._request  # noqa: SLF001
        if not access_of_api(request).may(act):
            note_refused(plain, act, is_journalled=self.is_journalled)
            return False
        note_use(plain, act, is_journalled=self.is_journalled)
        return True


class AnyKey(Needed):
    """Whoever is signed in, and every key that is good, whatever it may be used for: for what tells
    nothing but how the API is asked."""

    act = Act.OWN_ACCOUNT
    is_journalled = False

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        note_use(request._request, self.act, is_journalled=False)  # noqa: SLF001
        return True


class Nobody(BasePermission):
    """Nobody may: what stands where a view did not say who."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return False


def needs(act: Act, *, write: Act | None = None, journal: bool = True) -> type[Needed]:
    """The permission class for an act; `write` is what changing something takes."""
    fields = {"act": act, "write": write, "is_journalled": journal, "__module__": __name__}
    return type(f"Needs_{act.name}", (Needed,), fields)


def access_of_api(request: Request) -> Access:
    """What the caller may do in this request."""
    assert request.user is not None, "the framework asks who it is before it asks for more"
    return access_of_request(request._request)  # noqa: SLF001


def sources_of_api(request: Request) -> Sources:
    """In which sources the caller may do what this request was let in for."""
    return sources_of_request(request._request)  # noqa: SLF001


def note_shown_of_api(
    request: Request,
    *,
    source: str | None = None,
    player: str | None = None,
    hand: int | None = None,
    rows: int | None = None,
) -> None:
    """Say of which source, player or hand is what the answer tells, and how many rows it has; for
    the journal."""
    plain = request._request  # noqa: SLF001
    note_shown(plain, source=source, player=player, hand=hand, rows=rows)
