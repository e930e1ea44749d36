"""The list of hands and the page of one hand, step by step."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

import replay
from audit import selectors
from audit.web.presenters.hand import (
    first_step,
    logged_of,
    present_step,
    settlement_of,
    stakes_of,
)
from audit.web.presenters.hands import present_hands, present_head, stored_verdict
from audit.web.walks import Replayed, walked, with_comparison

# The stepping script asks for the part of the page that changes, and for nothing else.
REGION_HEADER = "X-Tilecourt-Region"


@never_cache
@require_safe
def hand_list(request: HttpRequest) -> HttpResponse:
    """Hands by the time of play, the latest first; narrowed and paged by the query."""
    status = 200
    problem = None
    page: selectors.Page[selectors.HandRow] = selectors.Page(rows=())
    try:
        filters = selectors.HandFilters.parse(request.GET.dict())
        page = selectors.list_hands(filters, cursor=request.GET.get("cursor"))
    except selectors.BadQuery as error:
        problem, status = str(error), 400
    context = present_hands(
        page,
        request.GET.dict(),
        selectors.filter_choices(),
        selectors.primary_findings(page.rows),
    )
    context |= {"section": "hands", "problem": problem}
    return render(request, "hands/list.html", context, status=status)


@never_cache
@require_safe
def hand_page(request: HttpRequest, hand: int) -> HttpResponse:
    """A hand where its first finding stands, or at its end."""
    return _page(request, hand, None)


@never_cache
@require_safe
def step_page(request: HttpRequest, hand: int, number: int) -> HttpResponse:
    """A hand after event `number` - 1; step 0 is the table before the first event."""
    return _page(request, hand, number)


@never_cache
@require_safe
def go_to_step(request: HttpRequest, hand: int) -> HttpResponse:
    """Where the slider's form leads without script."""
    text = request.GET.get("step", "")
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise Http404("There is no such step.")
    return HttpResponseRedirect(reverse("step", args=(hand, int(text))))


def _detail(hand: int) -> selectors.HandDetail:
    try:
        return selectors.hand_detail(hand)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


def _page(request: HttpRequest, hand: int, number: int | None) -> HttpResponse:
    detail = _detail(hand)
    context: dict[str, Any] = {"section": "hands", **present_head(detail)}
    try:
        replayed = with_comparison(walked(detail.raw), detail.comparison)
    except replay.Refusal as refusal:
        # A ruleset was taken away, or an engine is stricter than the one that stored the hand.
        if number is not None:
            raise Http404("This record cannot be replayed now.") from None
        return render(request, "hands/hand.html", context | {"problem": str(refusal)})
    number = first_step(replayed.walk.steps) if number is None else number
    if number >= len(replayed.walk.steps):
        raise Http404(f"This hand has {len(replayed.walk.steps) - 1} steps.")
    context |= {"step": present_step(replayed, number, hand), "money": replayed.money}
    if REGION_HEADER in request.headers:
        response = render(request, "hands/_step.html", context)
    else:
        context |= _whole(replayed, _settlement_page(request))
        response = render(request, "hands/hand.html", context)
    patch_vary_headers(response, (REGION_HEADER,))
    return response


def _settlement_page(request: HttpRequest) -> int | None:
    text = request.GET.get("rows", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise Http404("The settlement has no such page.")
    return int(text)


def _whole(replayed: Replayed, page: int | None) -> dict[str, Any]:
    """What stays the same from step to step."""
    try:
        settlement = settlement_of(replayed, page)
    except LookupError as error:
        raise Http404(str(error)) from None
    return {
        "stakes": stakes_of(replayed),
        "settlement": settlement,
        "logged": None if settlement else logged_of(replayed),
    }


@never_cache
@require_safe
def record(request: HttpRequest, hand: int) -> HttpResponse:
    """The exact bytes of the line; `?version=` asks for another version than the current one."""
    text = request.GET.get("version", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise Http404("There is no such version.")
    try:
        detail = selectors.hand_detail(hand, version=int(text) if text else None)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    return _file(detail.raw, f"hand-{hand}-version-{detail.version.number}.ndjson")


@never_cache
@require_safe
def verdict(request: HttpRequest, hand: int) -> HttpResponse:
    """The stored verdict as one line of verdict/1."""
    detail = _detail(hand)
    return _file(replay.format_verdict(stored_verdict(detail)) + b"\n", f"verdict-{hand}.ndjson")


def _file(content: bytes, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
