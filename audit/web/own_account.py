"""One's own account: what one may do, the password, the second step, the last visits."""

from __future__ import annotations

import io
from typing import Any

import segno
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.config.access import VISIT
from audit.models import SignInWay
from audit.selectors.access import Act
from audit.selectors.accounts import get_account, list_keys
from audit.selectors.standing import must_change_password, needs_second_step
from audit.selectors.visits import list_visits
from audit.services.second_step import (
    SecondStepRefused,
    begin_enrolment,
    check_code,
    codes_left,
    confirm_enrolment,
    has_second_step,
    remove_second_step,
    renew_codes,
)
from audit.services.staff import AccountRefused, change_password, sign_out_everywhere
from audit.web.access import access_of_request, needs
from audit.web.access_words import ACTS, ENDS, ROLES
from audit.web.language import told
from audit.web.signing_in import note_wrong, paused_answer

VISITS_SHOWN = 10


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the log-in middleware lets nobody else in"
    return request.user


@needs(Act.OWN_ACCOUNT)
@never_cache
@require_safe
def own_page(request: HttpRequest) -> HttpResponse:
    """Who one is here, with the last visits, so that one notices those of somebody else."""
    user = _user(request)
    account = get_account(user.pk)
    visits = list_visits(account_id=user.pk, limit=VISITS_SHOWN)
    context = {
        "account": account,
        "groups": [(ROLES[role], source) for role, source in account.groups],
        "functions": [ACTS[act] for act in account.functions],
        "visits": [(visit, ENDS.get(visit.ended_how, visit.ended_how)) for visit in visits.rows],
        "this_visit": request.session.get(VISIT),
        "keys": list_keys(account_id=user.pk, is_ended=False),
        "codes_left": codes_left(user.pk),
    }
    return render(request, "accounts/own.html", context)


@needs(Act.OWN_ACCOUNT)
@sensitive_post_parameters("old", "new", "again")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own_password(request: HttpRequest) -> HttpResponse:
    """Change one's own password; all other visits end by it."""
    user, access = _user(request), access_of_request(request)
    problem, status = None, 200
    if request.method == "POST":
        if (paused := paused_answer(request, user.get_username(), SignInWay.PASSWORD)) is not None:
            return paused
        if not user.check_password(request.POST.get("old", "")):
            note_wrong(request, user.get_username(), SignInWay.PASSWORD)
        try:
            ended = change_password(
                access=access,
                user=user,
                old=request.POST.get("old", ""),
                new=_typed_twice(request),
                visit_id=request.session.get(VISIT),
                ends_keys=request.POST.get("ends_keys") == "1",
            )
        except AccountRefused as error:
            problem, status = str(error), 400
        else:
            update_session_auth_hash(request, user)
            said = _("The password is changed; all other visits have ended.")
            messages.success(request, f"{said} {_told_keys(ended)}".strip())
            return redirect("own-account")
    context = {
        "problem": problem,
        "must": must_change_password(user.pk),
        "rules": password_validators_help_texts(),
        "keys_in_use": len(list_keys(account_id=user.pk, is_ended=False)),
    }
    return render(request, "accounts/password.html", context, status=status)


def _told_keys(ended: int) -> str:
    if not ended:
        return ""
    said = ngettext("{number} key has ended.", "{number} keys have ended.", ended)
    return said.format(number=ended)


@needs(Act.OWN_ACCOUNT)
@require_POST
def out_everywhere(request: HttpRequest) -> HttpResponse:
    """End every visit and every key of one's own account; one signs in again."""
    ended = sign_out_everywhere(access=access_of_request(request))
    logout(request)
    said = _("You are signed out everywhere.")
    # The page of signing in shows messages of this kind alone: others are of a visit that is over.
    messages.success(request, f"{said} {_told_keys(ended)}".strip(), extra_tags="signed-out")
    return redirect("login")


def _typed_twice(request: HttpRequest) -> str:
    """Raises: AccountRefused."""
    new = request.POST.get("new", "")
    if new != request.POST.get("again", ""):
        raise AccountRefused(_("The new password was typed in two ways."))
    return new


@needs(Act.OWN_ACCOUNT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second_step(request: HttpRequest) -> HttpResponse:
    """Set the second step up: the secret as picture and as text, until a code of it was shown."""
    user, access = _user(request), access_of_request(request)
    problem, status = None, 200
    if request.method == "POST":
        try:
            codes = confirm_enrolment(access=access, code=request.POST.get("code", ""))
        except SecondStepRefused as error:
            problem, status = str(error), 400
        else:
            return _codes(request, codes)
    context: dict[str, Any] = {
        "problem": problem,
        "is_required": needs_second_step(access),
        "is_set_up": has_second_step(user.pk),
        "codes_left": codes_left(user.pk),
    }
    if not context["is_set_up"]:
        context["enrolment"] = begin_enrolment(account_id=user.pk, name=user.get_username())
    return render(request, "accounts/second_step.html", context, status=status)


@needs(Act.OWN_ACCOUNT)
@never_cache
@require_safe
def second_step_picture(request: HttpRequest) -> HttpResponse:
    """The secret as a QR code; only while it waits to be confirmed."""
    user = _user(request)
    try:
        enrolment = begin_enrolment(account_id=user.pk, name=user.get_username())
    except SecondStepRefused as error:
        raise Http404(str(error)) from None
    picture = io.BytesIO()
    segno.make(enrolment.address, error="m").save(
        picture, kind="svg", scale=5, border=4, dark="#000", light="#fff", xmldecl=False
    )
    return HttpResponse(picture.getvalue(), content_type="image/svg+xml")


@needs(Act.OWN_ACCOUNT)
@require_POST
def second_step_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes, by a code of the authenticator."""
    name = _user(request).get_username()
    if (paused := paused_answer(request, name, SignInWay.CODE)) is not None:
        return paused
    try:
        codes = renew_codes(access=access_of_request(request), code=request.POST.get("code", ""))
    except SecondStepRefused as error:
        note_wrong(request, name, SignInWay.CODE)
        messages.error(request, told(str(error)))
        return redirect("second-step")
    return _codes(request, codes)


@needs(Act.OWN_ACCOUNT)
@require_POST
def second_step_remove(request: HttpRequest) -> HttpResponse:
    """Take one's own second step away, by a code of it."""
    user, access = _user(request), access_of_request(request)
    if (paused := paused_answer(request, user.get_username(), SignInWay.CODE)) is not None:
        return paused
    if not check_code(account_id=user.pk, code=request.POST.get("code", "")):
        note_wrong(request, user.get_username(), SignInWay.CODE)
        messages.error(request, _("This is not the code that the authenticator shows now."))
        return redirect("second-step")
    remove_second_step(access=access, account_id=user.pk)
    messages.success(request, _("Signing in takes a name and a password alone now."))
    return redirect("own-account")


def _codes(request: HttpRequest, codes: Any) -> HttpResponse:
    """Show recovery codes, this once."""
    return render(request, "accounts/codes.html", {"codes": codes})
