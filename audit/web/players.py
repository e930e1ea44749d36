"""The page of players' names: look-alikes, unusual characters, probable renames, decisions."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from audit.selectors.access import Act
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery, Page
from audit.selectors.players import (
    DecisionRow,
    NameRow,
    RenameRow,
    find_names,
    list_decisions,
    list_renames,
    unusual_names,
)
from audit.services.players import NamesRefused, decide_names
from audit.web.access import needs, note_shown, sent_act, sources_of_request
from audit.web.erased import erased_people
from audit.web.language import told

# The lists of the page that have further pages, by the word that says where each begins.
LISTS = ("renames", "decisions")


@needs(Act.SEE_HANDS, asks=("q", *LISTS))
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
    renames: Page[RenameRow] = Page(rows=())
    decisions: Page[DecisionRow] = Page(rows=())
    try:
        renames = list_renames(sources=sources, cursor=request.GET.get("renames"))
        decisions = list_decisions(sources=sources, cursor=request.GET.get("decisions"))
    except BadQuery as error:
        problem, status = str(error), 400
    names = find_names(text, sources=sources) if text else unusual_names(sources=sources)
    note_shown(request, player=text or None, rows=len(names))
    context = {
        "section": "players",
        "problem": problem,
        "text": text,
        "names": [(row, _hands_url(row)) for row in names],
        "has_exact": any(row.is_exact for row in names),
        "renames": renames.rows,
        "decisions": decisions.rows,
        "rename_ways": _ways(request, "renames", renames),
        "decision_ways": _ways(request, "decisions", decisions),
        "erased": erased_people([text], sources=sources),
    }
    return render(request, "players/list.html", context, status=status)


@needs(Act.DECIDE_NAMES)
@require_POST
def player_decide(request: HttpRequest) -> HttpResponse:
    """A person says that two names are one player's, or that they are not."""
    assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
    act = sent_act(request, "act", "one", "two")
    try:
        decide_names(
            sources=sources_of_request(request),
            source=request.POST.get("source", ""),
            name=request.POST.get("name", ""),
            other=request.POST.get("other", ""),
            is_one=act == "one",
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


def _ways(request: HttpRequest, name: str, page: Page[Any]) -> dict[str, str | None]:
    """To the other pages of one of the lists; the search and the other list stay where they are."""
    kept = {key: request.GET[key] for key in ("q", *LISTS) if request.GET.get(key)}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else f"?{urlencode({**kept, name: cursor})}#{name}"

    return {"newer": address(page.previous_cursor), "older": address(page.next_cursor)}


def _hands_url(row: NameRow) -> str:
    return f"{reverse('hands')}?{urlencode({'source': row.source, 'player': row.name})}"
