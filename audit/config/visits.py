"""Ends visits that were idle or lasted too long, and holds back those who have a duty first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from audit.config.access import VISIT, access_of_request, caller_of
from audit.selectors.access import Act
from audit.selectors.standing import must_change_password, must_set_up_second_step
from audit.services.visits import Continued, Standing, begin_visit, continue_visit

# Where a view says what it asks for (audit.web.access).
NEEDED = "needed_acts"
MUST_CHANGE = "_tilecourt_must_change"


class Visits:
    """Looks at each request of a browser that is signed in.

    A visit that was idle, lasted too long or was ended by somebody else is signed out, and the
    request goes on as a stranger's. The visit is begun with the first request of a session.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            visit = self.continued(request)
            if visit.standing == Standing.OPEN:
                setattr(request, MUST_CHANGE, visit.must_change)
            else:
                logout(request)
        return self.get_response(request)

    def continued(self, request: HttpRequest) -> Continued:
        """How the visit stands; it is begun where the session has none."""
        account = request.user.pk
        assert account is not None, "who is signed in has an account"
        visit = request.session.get(VISIT)
        if visit is None:
            request.session[VISIT] = begin_visit(account_id=account, caller=caller_of(request))
            must_change = must_change_password(account)
            return Continued(standing=Standing.OPEN, must_change=must_change)
        return continue_visit(
            visit_id=visit,
            account_id=account,
            idle=timedelta(minutes=settings.TILECOURT_IDLE_MINUTES),
            longest=timedelta(hours=settings.TILECOURT_VISIT_HOURS),
        )

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Send whoever has a duty to it, from all pages but those of one's own account."""
        # The API lets nobody in by itself, so the framework marks its views as open to all.
        is_open = not getattr(view, "login_required", True) and not hasattr(view, "cls")
        if not request.user.is_authenticated or is_open:
            return None
        acts = getattr(view, NEEDED, None)
        if acts is not None and set(acts.values()) == {Act.OWN_ACCOUNT}:
            return None
        if getattr(request, MUST_CHANGE, False):
            return _to(request, "own-password")
        if must_set_up_second_step(access_of_request(request)):
            return _to(request, "second-step")
        return None


def _to(request: HttpRequest, name: str) -> HttpResponseBase:
    if request.path.startswith("/api/"):
        message = "The account has something to do on its own page first."
        error = {"code": "permission-denied", "message": message, "place": None}
        return JsonResponse({"error": error}, status=403)
    return HttpResponseRedirect(reverse(name))
