"""Links to a hand: making them, taking them back, and the pages that one opens without an account.

What a link opens is one hand for one viewer. Nothing in its address or beside it changes who looks,
and its pages lead to no others.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import replay
from audit import selectors
from audit.config.access import address_of
from audit.selectors.access import Access, Act, Sources
from audit.selectors.sharing import OpenLink, open_link, share_link, share_links
from audit.services import journal
from audit.services.sharing import (
    HOURS_MAX,
    REASON_MAX,
    ShareRefused,
    create_share_link,
    revoke_share_link,
)
from audit.web import markup
from audit.web.access import access_of_request, check_asked, needs
from audit.web.routes import Route
from audit.web.views import viewer

HOURS_OFFERED = (1, 24, 24 * 7, 24 * 30)
HOURS_FIRST = 24 * 7


@never_cache
@needs(Act.SHARE)
@require_http_methods(["GET", "HEAD", "POST"])
def hand_links(request: HttpRequest, hand: int) -> HttpResponse:
    """The links to a hand, and the form that makes one. Its secret is shown here, once."""
    sources = access_of_request(request).sources(Act.SHARE)
    played = _own_hand(hand, sources)
    made, problem = None, ""
    if request.method == "POST":
        try:
            made = _make(request, hand)
        except ShareRefused as refused:
            problem = str(refused)
    context = {
        "section": "hands",
        "hand": played.hand,
        "viewers": _viewers(played),
        "hours": [(hours, _span(hours)) for hours in HOURS_OFFERED],
        "chosen": {
            "viewpoint": request.POST.get("viewpoint", ""),
            "hours": request.POST.get("hours", str(HOURS_FIRST)),
            "reason": request.POST.get("reason", "") if problem else "",
        },
        "reason_max": REASON_MAX,
        "made": made,
        "problem": problem,
        "links": share_links(sources=sources, hand=hand),
    }
    return render(request, "shared/of_hand.html", context, status=400 if problem else 200)


def _make(request: HttpRequest, hand: int) -> dict[str, Any]:
    hours = request.POST.get("hours", "")
    is_number = hours.isascii() and hours.isdecimal() and len(hours) <= len(str(HOURS_MAX))
    access = access_of_request(request)
    link = create_share_link(
        access=access,
        hand=hand,
        viewpoint=request.POST.get("viewpoint", ""),
        hours=int(hours) if is_number else 0,
        reason=request.POST.get("reason", ""),
    )
    return {
        "url": request.build_absolute_uri(reverse("shared", args=(link.secret,))),
        "expires_at": link.expires_at,
    }


def _own_hand(hand: int, sources: Sources) -> selectors.PlayedHand:
    try:
        return selectors.played_hand(hand, sources=sources)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


def _viewers(played: selectors.PlayedHand) -> tuple[tuple[str, str], ...]:
    """Who a link can look as: the seats of the game, and the public."""
    if played.version.feed:
        return ()
    try:
        sight = replay.seen(played.raw, selectors.current_rulesets(), replay.PUBLIC, 0)
    except replay.Refusal:
        return ()
    seats = sight.walk.steps[0].board.seats
    return (
        *((f"seat-{seat.seat}", markup.SEAT_NAMES[seat.seat]) for seat in seats),
        ("public", _("Public")),
    )


def _span(hours: int) -> str:
    if hours == 1:
        return _("1 hour")
    if hours == 24:
        return _("1 day")
    return _("%(days)s days") % {"days": hours // 24}


@never_cache
@needs(Act.SHARE)
@require_safe
def link_list(request: HttpRequest) -> HttpResponse:
    """The newest links to hands in one's sources."""
    sources = access_of_request(request).sources(Act.SHARE)
    context = {"section": "hands", "links": share_links(sources=sources)}
    return render(request, "shared/list.html", context)


@needs(Act.SHARE)
@require_POST
def link_revoke(request: HttpRequest, link: int) -> HttpResponse:
    """Take a link back; whoever looks at its pages gets no further."""
    access = access_of_request(request)
    try:
        row = share_link(link, sources=access.sources(Act.SHARE))
        revoke_share_link(access=access, link=link)
    except (selectors.NotFound, ShareRefused) as error:
        raise Http404(str(error)) from None
    messages.success(request, _("The link opens nothing from now on."))
    return HttpResponseRedirect(reverse("hand-links", args=(row.hand,)))


@login_not_required
@never_cache
@require_safe
def shared_page(request: HttpRequest, secret: str) -> HttpResponse:
    """The hand of a link, at its start."""
    check_asked(request, ("rows",), lets_others=True)
    return _shown(request, secret, None)


@login_not_required
@never_cache
@require_safe
def shared_step(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """One step of the hand of a link."""
    check_asked(request, ("rows",), lets_others=True)
    return _shown(request, secret, number)


@login_not_required
@never_cache
@require_safe
def shared_steps(request: HttpRequest, secret: str) -> HttpResponse:
    """Where the slider's form leads without script, and where places ahead are looked up."""
    check_asked(request, ("step", "to", "from"), lets_others=True)
    opened = _opened(secret)
    if opened is None:
        return _closed(request)
    return _private(viewer.answer_target(request, opened[0], sources=frozenset({opened[1].source})))


def _opened(secret: str) -> tuple[Route, OpenLink] | None:
    try:
        link = open_link(secret)
    except selectors.NotFound:
        return None
    viewpoint = replay.parse_viewpoint(link.viewpoint)
    return Route(hand=link.hand, viewpoint=viewpoint, secret=secret), link


def _shown(request: HttpRequest, secret: str, number: int | None) -> HttpResponse:
    opened = _opened(secret)
    if opened is None:
        return _closed(request)
    route, link = opened
    response = viewer.answer_step(
        request, route, number, sources=frozenset({link.source}), more={"bare": True, "link": link}
    )
    journal.record(
        access=_holder(link, request),
        act=Act.SEE_HANDS,
        subject=f"link:{link.pk}",
        source=link.source,
        hand=link.hand,
        detail={"as": link.viewpoint, "step": number or 0},
    )
    return _private(response)


def _closed(request: HttpRequest) -> HttpResponse:
    """One answer, whether a link never was, has ended or was taken back."""
    return _private(render(request, "shared/closed.html", {"bare": True}, status=404))


def _holder(link: OpenLink, request: HttpRequest) -> Access:
    """Whoever holds the link, for the journal."""
    return Access(account_id=None, name=f"link {link.prefix}…", address=address_of(request))


def _private(response: HttpResponse) -> HttpResponse:
    """The secret goes to no other site and into no index."""
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response
