"""The pages of one hand: where it opens, each step as each viewer saw it, its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

import replay
from audit import selectors
from audit.selectors.access import Act, Sources
from audit.selectors.erasures import ErasureRow
from audit.selectors.replacements import replaced_by
from audit.web.access import access_of_request, needs, note_shown, sources_of_request
from audit.web.erased import erased_people
from audit.web.language import in_one_language
from audit.web.parts import Parts, draw_head, frame, public_head, single_head
from audit.web.presenters.hand import (
    first_step,
    stakes_of,
)
from audit.web.presenters.hands import (
    present_head,
    present_public_head,
    present_single_head,
    stored_verdict,
)
from audit.web.presenters.targets import LOOKED_UP, target_of
from audit.web.routes import Route
from audit.web.views.sources import feed_hand_page, feed_record_of, feed_verdict, force_of
from audit.web.walks import Replayed, seen, walked, with_comparison

# The stepping script asks for the part of the page that changes, and for nothing else.
REGION_HEADER = "X-Tilecourt-Region"
DIGITS_MAX = 18


@needs(Act.SEE_HANDS, asks=("rules", "rows"), lets_others=True)
@never_cache
@require_safe
def hand_page(request: HttpRequest, hand: int) -> HttpResponse:
    """A hand where its first finding stands, or at its end; for others than the auditor its start,
    because where a finding stands tells what they have not seen yet."""
    return _page(request, route_of(request, hand), None)


@needs(Act.SEE_HANDS, asks=("rules", "rows"), lets_others=True)
@never_cache
@require_safe
def step_page(request: HttpRequest, hand: int, number: int) -> HttpResponse:
    """A hand after event `number` - 1; step 0 is the table before the first event."""
    return _page(request, route_of(request, hand), number)


def route_of(request: HttpRequest, hand: int) -> Route:
    """Who looks, and by which rules, as the address says; nothing else of it changes the view.

    Raises: Http404 where it names nobody, or two.
    """
    asked = request.GET.getlist("as")
    if len(asked) > 1:
        raise Http404("An address names one viewer.")
    viewpoint = replay.AUDITOR
    if asked:
        try:
            viewpoint = replay.parse_viewpoint(asked[0])
        except replay.UnknownViewpoint:
            raise Http404("There is no such viewer.") from None
    return Route(hand=hand, viewpoint=viewpoint, rules=request.GET.get("rules") or None)


@needs(Act.SEE_HANDS, asks=("rules", "step", "to", "from"), lets_others=True)
@never_cache
@require_safe
def go_to_step(request: HttpRequest, hand: int) -> HttpResponse:
    """Where the slider's form leads without script, and where places ahead are looked up."""
    return answer_target(request, route_of(request, hand), sources=sources_of_request(request))


def answer_target(request: HttpRequest, route: Route, *, sources: Sources) -> HttpResponse:
    """Lead to the step that is asked for by its number, or by its name (LOOKED_UP)."""
    name = request.GET.get("to")
    if name is None:
        _played(route.hand, sources)
        return HttpResponseRedirect(route.step(_number(request.GET.get("step", ""))))
    if name not in LOOKED_UP:
        raise Http404("There is no such place.")
    number = _number(request.GET.get("from", ""))
    try:
        steps = walked(_detail(route.hand, sources).raw).walk.steps
    except replay.Refusal:
        raise Http404("This record cannot be replayed now.") from None
    if number >= len(steps):
        raise Http404(f"This hand has {len(steps) - 1} steps.")
    target = target_of(name, steps, number)
    return HttpResponseRedirect(route.step(len(steps) - 1 if target is None else target))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX):
        raise Http404("There is no such step.")
    return int(text)


def _detail(hand: int, sources: Sources) -> selectors.HandDetail:
    try:
        return selectors.hand_detail(hand, sources=sources)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


def _played(hand: int, sources: Sources, *, is_page: bool = False) -> selectors.PlayedHand:
    try:
        return selectors.played_hand(hand, sources=sources, is_page=is_page)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


def _page(request: HttpRequest, route: Route, number: int | None) -> HttpResponse:
    """The whole page, or its part that changes; others than the auditor get what is theirs."""
    if route.is_auditor and REGION_HEADER not in request.headers:
        response = _auditors_page(request, route, number)
    else:
        response = answer_step(request, route, number, sources=sources_of_request(request))
    patch_vary_headers(response, (REGION_HEADER, "Cookie"))
    return response


@in_one_language
def _auditors_page(request: HttpRequest, route: Route, number: int | None) -> HttpResponse:
    sources = sources_of_request(request)
    played = _played(route.hand, sources, is_page=True)
    note_shown(request, source=played.hand.source)
    if played.version.feed or played.has_history:
        # What came more than once, or from a feed, has more to be told than one hand's steps.
        detail = _detail(route.hand, sources)
        feed = feed_record_of(detail)
        if feed is not None:
            if number is not None:
                raise Http404("What a feed tells of a hand has no steps.")
            return feed_hand_page(request, detail, feed)
        context = {"section": "hands", "route": route, **present_head(detail)}
    else:
        detail = None
        context = {"section": "hands", "route": route, **present_single_head(played)}
    if played.has_force:
        context["force"] = force_of(played.hand)
    context["erased"] = _erased(played.hand)
    if played.hand.is_replaced:
        context["replaced"] = replaced_by(route.hand, sources=sources)
    try:
        replayed = with_comparison(walked(played.raw), played.comparison)
    except replay.Refusal as refusal:
        # A ruleset was taken away, or an engine is stricter than the one that stored the hand.
        if number is not None:
            raise Http404("This record cannot be replayed now.") from None
        head = draw_head(context | {"offers": _offers(request)})
        context |= {"head": head, "problem": str(refusal), **frame(problem=True)}
        return render(request, "hands/hand.html", context)
    number = first_step(replayed.walk.steps) if number is None else number
    _check_step(replayed, number)
    if route.rules not in (None, replayed.read.hand.ruleset):
        # A step under other rules is no picture of the record: those are told apart.
        return HttpResponseRedirect(f"{reverse('what-if', args=(route.hand,))}{route.query}")
    parts = Parts(
        hand=played.hand,
        sha256=played.version.sha256,
        compared=played.comparison,
        replayed=replayed,
        route=route,
        number=number,
        rows=_settlement_page(request),
    )
    of_head = {"route": route, "stakes": stakes_of(replayed), "offers": _offers(request)}
    context |= {
        "head": draw_head(context | of_head) if detail else single_head(played, of_head),
        "place": parts.place(),
        "region": parts.region(),
        "trails": parts.trails(),
        "wall": parts.wall(),
        "result": parts.result(),
        **frame(),
    }
    return render(request, "hands/hand.html", context)


def _offers(request: HttpRequest) -> dict[str, bool]:
    """What the head of a hand leads to, by whether whoever looks may go there."""
    access = access_of_request(request)
    acts = {"bundle": Act.EXPORT, "reaudits": Act.SEE_REAUDITS, "links": Act.SHARE}
    return {name: access.may(act) for name, act in acts.items()}


@in_one_language
def answer_step(
    request: HttpRequest,
    route: Route,
    number: int | None,
    *,
    sources: Sources,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> HttpResponse:
    """A step without what is stored about its hand; `more` goes to the template of a whole page."""
    played = _played(route.hand, sources)
    note_shown(request, source=played.hand.source)
    if played.version.feed:
        raise Http404("What a feed tells of a hand has no steps, and is the auditor's.")
    try:
        if route.is_auditor:
            replayed = with_comparison(walked(played.raw), played.comparison)
            number = first_step(replayed.walk.steps) if number is None else number
        else:
            number = number or 0
            replayed = seen(played.raw, route.viewpoint, number)
    except replay.Refusal:
        raise Http404("This record cannot be replayed now.") from None
    except replay.NoSuchStep:
        raise Http404("There is no such step.") from None
    if route.rules not in (None, replayed.read.hand.ruleset):
        raise Http404("This hand was not played under these rules.")
    if route.viewpoint.seat is not None and not replayed.walk.steps[0].board.seats:
        raise Http404("This game has no seats.")
    _check_step(replayed, number)
    parts = Parts(
        hand=played.hand,
        sha256=played.version.sha256,
        compared=played.comparison if route.is_auditor else None,
        replayed=replayed,
        route=route,
        number=number,
        rows=_settlement_page(request),
    )
    if REGION_HEADER in request.headers:
        return HttpResponse(parts.region())
    context = {
        "section": "hands",
        "route": route,
        **present_public_head(played.hand),
        "stakes": stakes_of(replayed),
        "place": parts.place(),
        "region": parts.region(),
        **frame(),
        "erased": _erased(played.hand),
        **more,
    }
    # What leads here from outside has a head of its own.
    context["head"] = (
        draw_head(context) if more else public_head(played, route, lambda: draw_head(context))
    )
    return render(request, "hands/hand.html", context)


def _erased(hand: selectors.HandRow) -> tuple[ErasureRow, ...]:
    """Under which acts names of this hand were erased."""
    return erased_people(hand.players, sources=frozenset({hand.source}))


def _check_step(replayed: Replayed, number: int) -> None:
    if number >= len(replayed.walk.steps):
        raise Http404(f"This hand has {len(replayed.walk.steps) - 1} steps.")


def _settlement_page(request: HttpRequest) -> int | None:
    text = request.GET.get("rows", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise Http404("The settlement has no such page.")
    return int(text)


@needs(Act.SEE_HANDS, asks=("as", "version"))
@never_cache
@require_safe
def record(request: HttpRequest, hand: int) -> HttpResponse:
    """The exact bytes of the line; `?version=` asks for another version than the current one."""
    refuse_others(request, hand)
    text = request.GET.get("version", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise Http404("There is no such version.")
    try:
        detail = selectors.hand_detail(
            hand,
            sources=sources_of_request(request),
            version=int(text) if text else None,
        )
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    note_shown(request, source=detail.hand.source)
    return _file(detail.raw, f"hand-{hand}-version-{detail.version.number}.ndjson")


@needs(Act.SEE_HANDS, asks=("as",))
@never_cache
@require_safe
def verdict(request: HttpRequest, hand: int) -> HttpResponse:
    """The stored verdict as one line of verdict/1."""
    refuse_others(request, hand)
    detail = _detail(hand, sources_of_request(request))
    note_shown(request, source=detail.hand.source)
    feed = feed_record_of(detail)
    if feed is not None:
        return _file(feed_verdict(detail, feed), f"verdict-{hand}.ndjson")
    return _file(replay.format_verdict(stored_verdict(detail)) + b"\n", f"verdict-{hand}.ndjson")


def refuse_others(request: HttpRequest, hand: int) -> None:
    """Whatever holds every tile, or tells how a hand ended, is the auditor's; so is what is asked
    of all hands, with 0 for `hand`.

    Raises: PermissionDenied for another viewer, Http404 as `route_of`.
    """
    if not route_of(request, hand).is_auditor:
        raise PermissionDenied


def _file(content: bytes, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
