"""The page of players' names: look-alikes, unusual characters, probable renames, decisions."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from audit.selectors.access import Act
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.players import (
    NameRow,
    find_names,
    list_decisions,
    list_renames,
    unusual_names,
)
from audit.services.players import NamesRefused, decide_names
from audit.web.access import needs, note_shown, sources_of_request
from audit.web.erased import erased_people
from audit.web.language import told


@needs(Act.SEE_HANDS, asks=("q", "cursor"))
@never_cache
@require_safe
def player_list(request: HttpRequest) -> HttpResponse:
    """Names by what they look like; without a search those that are unusual."""
    text, problem, status = "", None, 200
    try:
        text = HandFilters.parse({"player": request.GET.get("q", "")}).player
    except BadQuery as error:
        problem, status = str(error).replace("“player”", "“q”"), 400
    sources = sources_of_request(request)
    names = find_names(text, sources=sources) if text else unusual_names(sources=sources)
    note_shown(request, player=text or None, rows=len(names))
    context = {
        "section": "players",
        "problem": problem,
        "text": text,
        "names": [(row, _hands_url(row)) for row in names],
        "has_exact": any(row.is_exact for row in names),
        "renames": list_renames(sources=sources).rows,
        "decisions": list_decisions(sources=sources).rows,
        "erased": erased_people([text], sources=sources),
    }
    return render(request, "players/list.html", context, status=status)


@needs(Act.DECIDE_NAMES)
@require_POST
def player_decide(request: HttpRequest) -> HttpResponse:
    """A person says that two names are one player's, or that they are not."""
    assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
    try:
        decide_names(
            sources=sources_of_request(request),
            source=request.POST.get("source", ""),
            name=request.POST.get("name", ""),
            other=request.POST.get("other", ""),
            is_one=request.POST.get("act") == "one",
            reason=request.POST.get("reason", ""),
            user=request.user,
        )
    except NamesRefused as error:
        messages.error(request, told(str(error)))
    else:
        note_shown(
            request,
            source=request.POST.get("source"),
            player=request.POST.get("name") or None,
            other=request.POST.get("other") or None,
        )
    return HttpResponseRedirect(reverse("players"))


def _hands_url(row: NameRow) -> str:
    return f"{reverse('hands')}?{urlencode({'source': row.source, 'player': row.name})}"
