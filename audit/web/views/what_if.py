"""A hand under rules that it was not played under. Nothing of it is stored."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

import replay
from audit import selectors
from audit.selectors.access import Act
from audit.web.access import needs, note_shown, sources_of_request
from audit.web.presenters.hands import present_head
from audit.web.presenters.what_if import changes_for, explained_by, present_trials, present_what_if
from audit.web.views.viewer import refuse_others, route_of
from audit.web.walks import walked


@needs(Act.SEE_HANDS, asks=("rules", "change"), lets_others=True)
@never_cache
@require_safe
def what_if(request: HttpRequest, hand: int) -> HttpResponse:
    """The record beside the same hand under `rules`, with one option changed by `change`."""
    refuse_others(request, hand)
    route = route_of(request, hand)
    try:
        detail = selectors.hand_detail(hand, sources=sources_of_request(request))
        replayed = walked(detail.raw)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    except replay.Refusal:
        raise Http404("This record cannot be replayed now.") from None
    note_shown(request, source=detail.hand.source)
    rulesets = selectors.current_rulesets()
    game = replayed.read.game
    rules, change = route.rules, request.GET.get("change") or None
    status = 200
    context: dict[str, Any] = {"section": "hands", "route": route, **present_head(detail)}
    try:
        tried = replay.what_if(detail.raw, rulesets, ruleset=rules, change=change)
    except replay.UnknownRules as error:
        context["problem"] = str(error)
        status = 400
        tried = replay.what_if(detail.raw, rulesets)
    trials = replay.bisect(detail.raw, rulesets)
    base = rulesets.get(tried.tried)
    assert base is not None
    context |= {
        **present_what_if(tried, replayed),
        "money": replayed.money,
        "known": sorted(
            (one for one in rulesets if one.game == game.name),
            key=lambda one: (one.id, one.revision),
        ),
        "changes": changes_for(game, base, change),
        "trials": present_trials(trials, replayed.options, hand),
        "explained": explained_by(tried, hand),
        "right_count": sum(trial.is_right for trial in trials),
    }
    return render(request, "hands/what_if.html", context, status=status)
