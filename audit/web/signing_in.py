"""Coming in and going out: name and password, the second step, and where one is led then."""

from __future__ import annotations

import time
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from audit.config.access import VISIT, caller_of
from audit.models import SignInOutcome, SignInWay, VisitEnd
from audit.selectors.access import Act
from audit.selectors.accounts import is_closed
from audit.services.second_step import check_code, has_second_step, use_recovery_code
from audit.services.visits import begin_visit, end_visit, note_attempt
from audit.web.access import access_of_request, check_asked, needs
from audit.web.forms import SignInForm

# Who has given the password and owes the second step: kept in the session, for some minutes.
PENDING = "pending_sign_in"
PENDING_SECONDS = 300
BACKEND = "django.contrib.auth.backends.ModelBackend"
CODE_LENGTH = 6
# Where one is led to: the first of these pages that one may open.
HOMES = (
    (Act.SEE_HANDS, "overview"),
    (Act.SEE_UPLOADS, "uploads"),
    (Act.MANAGE_ACCOUNTS, "accounts"),
    (Act.SEE_RULES, "rules"),
)


@needs(Act.OWN_ACCOUNT)
@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Lead to the first page that one may open; 403 with whom to ask where there is none."""
    access = access_of_request(request)
    for act, name in HOMES:
        if access.may(act):
            return redirect(name)
    raise PermissionDenied("no role")


class SignInView(LoginView):
    """Name and password. Every attempt is written down; the third wrong one locks the name."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        check_asked(request, ("next",))
        super().setup(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        if not has_second_step(user.pk):
            come_in(self.request, user, SignInWay.PASSWORD)
            return HttpResponseRedirect(self.get_success_url())
        self.request.session[PENDING] = {
            "account": user.pk,
            "hash": user.get_session_auth_hash(),
            "at": int(time.time()),
            "next": self.get_redirect_url(),
        }
        _note(self.request, user.get_username(), SignInWay.PASSWORD, SignInOutcome.HALF)
        return redirect("sign-in-code")

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        name = str(form.data.get("username", ""))
        outcome = SignInOutcome.WRONG
        if getattr(self.request, "axes_locked_out", False) and not _is_allowed(self.request, name):
            outcome = SignInOutcome.LOCKED
        elif is_closed(name):
            outcome = SignInOutcome.CLOSED
        _note(self.request, name, SignInWay.PASSWORD, outcome)
        return super().form_invalid(form)


class SignOutView(LogoutView):
    """Going out ends the visit."""

    http_method_names = ["post", "options"]  # noqa: RUF012 - as the framework has it

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if (visit := request.session.get(VISIT)) is not None:
            end_visit(visit_id=visit, how=VisitEnd.SIGNED_OUT)
        return super().post(request, *args, **kwargs)


@login_not_required
@sensitive_post_parameters("code")
@csrf_protect
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def code_page(request: HttpRequest) -> HttpResponse:
    """The second step: the code of the authenticator, or one of those for its loss."""
    check_asked(request, ())
    user = _pending(request)
    if user is None:
        request.session.pop(PENDING, None)
        return redirect("login")
    name = user.get_username()
    if request.method != "POST":
        return render(request, "registration/code.html", {})
    if (paused := paused_answer(request, name, SignInWay.CODE)) is not None:
        return paused
    code = request.POST.get("code", "")
    is_short = len("".join(code.split())) <= CODE_LENGTH
    way = SignInWay.CODE if is_short else SignInWay.RECOVERY
    use = check_code if is_short else use_recovery_code
    if use(account_id=user.pk, code=code):
        pending = request.session.pop(PENDING)
        come_in(request, user, way)
        return HttpResponseRedirect(_next(request, pending["next"]))
    note_wrong(request, name, way)
    problem = _("This code is not good.")
    return render(request, "registration/code.html", {"problem": problem}, status=400)


def come_in(request: HttpRequest, user: User, way: SignInWay) -> None:
    """Sign somebody in who has shown all that is asked for, and begin the visit."""
    if (former := request.session.get(VISIT)) is not None:
        end_visit(visit_id=former, how=VisitEnd.LEFT)
    login(request, user, backend=BACKEND)
    visit = begin_visit(account_id=user.pk, caller=caller_of(request))
    request.session[VISIT] = visit
    _note(request, user.get_username(), way, SignInOutcome.GOOD, visit)


def paused_answer(request: HttpRequest, name: str, way: SignInWay) -> HttpResponse | None:
    """What is said where the name is paused after wrong tries; None where it is not."""
    if _is_allowed(request, name):
        return None
    _note(request, name, way, SignInOutcome.LOCKED)
    return render(request, "registration/locked.html", {}, status=429)


def note_wrong(request: HttpRequest, name: str, way: SignInWay) -> None:
    """Write a wrong password or code down, and count it: the third, of all ways together and also
    on the pages of one's own account, pauses the name."""
    _note(request, name, way, SignInOutcome.WRONG)
    user_login_failed.send(sender=__name__, credentials={"username": name}, request=request)


def _pending(request: HttpRequest) -> User | None:
    """Who owes the second step, as long as the password is the same and the account is open."""
    pending = request.session.get(PENDING)
    if not pending or not 0 <= time.time() - pending["at"] < PENDING_SECONDS:
        return None
    user = User.objects.filter(pk=pending["account"], is_active=True).first()
    if user is None or user.get_session_auth_hash() != pending["hash"]:
        return None
    return user


def _next(request: HttpRequest, asked: str) -> str:
    is_ours = url_has_allowed_host_and_scheme(
        asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return asked if asked and is_ours else resolve_url(reverse("home"))


def _is_allowed(request: HttpRequest, name: str) -> bool:
    return bool(AxesProxyHandler.is_allowed(request, {"username": name}))


def _note(
    request: HttpRequest,
    name: str,
    way: SignInWay,
    outcome: SignInOutcome,
    visit: int | None = None,
) -> None:
    note_attempt(name=name, way=way, outcome=outcome, caller=caller_of(request), visit_id=visit)
