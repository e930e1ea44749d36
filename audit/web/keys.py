"""Keys of the API: who has which, for what; made here and shown once."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from audit.selectors.access import TABLE, Act, access_of
from audit.selectors.accounts import KeyRow, known_sources, list_keys
from audit.services.tokens import DAYS_MAX, NewToken, TokenRefused, create_token, revoke_token
from audit.web.access import access_of_request, needs
from audit.web.access_words import ACTS
from audit.web.language import told

SECTION = {"section": "accounts"}
# What a program can be let do: everything that an address of the API asks for.
ACTS_OF_KEYS = tuple(act for act in TABLE if act not in (
    Act.OWN_ACCOUNT, Act.MANAGE_ACCOUNTS, Act.MANAGE_KEYS, Act.REVIEW_ACCESS,
))  # fmt: skip


@needs(Act.MANAGE_KEYS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def key_list(request: HttpRequest) -> HttpResponse:
    """All keys, and the form for a new one."""
    problem, status = None, 200
    if request.method == "POST":
        try:
            made = _make(request)
        except TokenRefused as error:
            problem, status = str(error), 400
        else:
            return render(request, "accounts/new_key.html", SECTION | {"made": made})
    context: dict[str, Any] = {
        "lines": [(key, _acts(key), _standing(key)) for key in list_keys()],
        "accounts": User.objects.filter(is_active=True)
        .order_by("username")
        .values_list("username", flat=True),
        "acts": [(act.value, ACTS[act]) for act in ACTS_OF_KEYS],
        "chosen": request.POST.getlist("acts"),
        "sources": known_sources(),
        "posted": request.POST.dict(),
        "days_max": DAYS_MAX,
        "problem": problem,
    }
    return render(request, "accounts/keys.html", SECTION | context, status=status)


def _make(request: HttpRequest) -> NewToken:
    """Raises: TokenRefused."""
    days = request.POST.get("days", "")
    if not (days.isascii() and days.isdecimal() and len(days) < 6):
        raise TokenRefused(_("Say for how many days the key is good."))
    chosen = request.POST.getlist("acts")
    known = {act.value: act for act in ACTS_OF_KEYS}
    if not chosen or not set(chosen) <= set(known):
        raise TokenRefused(_("Choose what the key may be used for."))
    account = request.POST.get("account", "")
    user = User.objects.filter(username=account.replace("\x00", ""), is_active=True).first()
    if user is None:
        raise TokenRefused(_("Choose the account that the key acts for."))
    access = access_of(user)
    beyond = [str(ACTS[known[act]]) for act in chosen if not access.may(known[act])]
    if beyond:
        raise TokenRefused(_("The account itself may not: {acts}.").format(acts=", ".join(beyond)))
    sources = [name for name in request.POST.get("sources", "").splitlines() if name]
    return create_token(
        name=request.POST.get("name", "").strip(),
        days=int(days),
        account=account,
        acts=[known[act] for act in chosen],
        sources=sources or None,
        access=access_of_request(request),
    )


def _acts(key: KeyRow) -> list[str] | None:
    known = {act.value: act for act in Act}
    if key.acts is None:
        return None
    return [str(ACTS[known[act]]) for act in key.acts if act in known]


def _standing(key: KeyRow) -> str:
    if key.revoked_at is not None:
        return _("Ended")
    return _("Expired") if key.expires_at <= timezone.now() else _("In use")


@needs(Act.MANAGE_KEYS)
@require_POST
def key_revoke(request: HttpRequest) -> HttpResponse:
    """End a key now."""
    try:
        revoke_token(name=request.POST.get("name", ""), access=access_of_request(request))
    except TokenRefused as error:
        messages.error(request, told(str(error)))
    else:
        messages.success(request, _("The key is good no more."))
    return redirect("keys")
