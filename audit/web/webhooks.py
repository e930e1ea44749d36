"""Webhooks: who is told of new findings, and how each message fared."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import replay
from audit import selectors
from audit.models import PauseReason
from audit.selectors.access import Act, Sources
from audit.selectors.webhooks import WebhookRow, deliveries, webhook, webhooks
from audit.services.webhooks import (
    NAME_MAX,
    URL_MAX,
    WebhookRefused,
    create_webhook,
    end_webhook,
    pause_webhook,
    send_again,
    try_webhook,
)
from audit.web.access import access_of_request, needs, sources_of_request
from audit.web.language import told

ACTS = ("pause", "resume", "end", "try", "again")


@needs(Act.MANAGE_WEBHOOKS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook_list(request: HttpRequest) -> HttpResponse:
    """The webhooks of one's sources, and the form that makes one; its secret is shown once."""
    sources = sources_of_request(request)
    made, problem = None, ""
    if request.method == "POST":
        try:
            made = _make(request)
        except WebhookRefused as refused:
            problem = str(refused)
    typed = request.POST if problem else {}
    context = {
        "section": "webhooks",
        "webhooks": webhooks(sources=sources),
        "codes": [(code.code, code.title) for code in replay.CODES.values()],
        "known": sorted(sources) if sources is not None else None,
        "name_max": NAME_MAX,
        "url_max": URL_MAX,
        "typed": {key: typed.get(key, "") for key in ("name", "url", "sources", "warnings")},
        "chosen": request.POST.getlist("codes") if problem else [],
        "made": made,
        "problem": problem,
    }
    return render(request, "webhooks/list.html", context, status=400 if problem else 200)


def _make(request: HttpRequest) -> dict[str, str]:
    named = [line.strip() for line in request.POST.get("sources", "").splitlines() if line.strip()]
    hook = create_webhook(
        access=access_of_request(request),
        name=request.POST.get("name", ""),
        url=request.POST.get("url", "").strip(),
        sources=named or None,
        codes=request.POST.getlist("codes"),
        only_errors=request.POST.get("warnings") != "1",
    )
    return {"secret": hook.secret, "url": reverse("webhook", args=(hook.pk,))}


@needs(Act.MANAGE_WEBHOOKS)
@never_cache
@require_safe
def webhook_page(request: HttpRequest, hook: int) -> HttpResponse:
    """One webhook with the newest of its messages and each attempt to deliver them."""
    try:
        row = webhook(hook, sources=sources_of_request(request))
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    context = {
        "section": "webhooks",
        "hook": row,
        "deliveries": deliveries(row.pk),
        "why_paused": _why_paused(row),
        "is_narrowed": row.state == "on" and row.tells != _asked(row),
        "rests": row.state == "on"
        and row.rests_until is not None
        and row.rests_until > timezone.now(),
        "is_other": row.owner != request.user.get_username(),
    }
    return render(request, "webhooks/webhook.html", context)


def _asked(row: WebhookRow) -> Sources:
    return None if row.sources is None else frozenset(row.sources)


def _why_paused(row: WebhookRow) -> str:
    """Why nothing is sent, and what lets it go on; empty where something is."""
    if row.state != "paused":
        return ""
    if row.paused_because == PauseReason.CLOSED:
        return _("Nothing is sent: the account {name}, which answers for it, was closed.").format(
            name=row.owner
        )
    if row.paused_because == PauseReason.NOTHING:
        return _(
            "Nothing is sent: {name}, who answers for it, may tell of none of its sources any more."
        ).format(name=row.owner)
    return _("Nothing is sent: somebody paused it.")


@needs(Act.MANAGE_WEBHOOKS)
@require_POST
def webhook_act(request: HttpRequest, hook: int) -> HttpResponse:
    """Pause, go on, end, try, or send a message again."""
    access, act = access_of_request(request), request.POST.get("act", "")
    if act not in ACTS:
        raise Http404("There is no such act.")
    try:
        webhook(hook, sources=sources_of_request(request))
        if act in ("pause", "resume"):
            pause_webhook(access=access, pk=hook, is_paused=act == "pause")
        elif act == "end":
            end_webhook(access=access, pk=hook)
        elif act == "try":
            try_webhook(access=access, pk=hook)
            messages.success(request, _("A message without findings is on its way."))
        else:
            send_again(access=access, pk=hook, delivery=request.POST.get("delivery", ""))
            messages.success(request, _("The message is on its way again."))
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    except WebhookRefused as refused:
        messages.error(request, told(str(refused)))
    return HttpResponseRedirect(reverse("webhook", args=(hook,)))
