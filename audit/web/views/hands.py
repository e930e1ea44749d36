"""The list of hands, and the filters of it that a person has saved."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from audit import selectors
from audit.selectors.access import Act, Sources
from audit.selectors.holdings import unsearched
from audit.selectors.reaudits_scope import KEYS
from audit.selectors.saved_filters import saved_filters
from audit.services.saved_filters import delete_filter, save_filter
from audit.web.access import needs, note_shown, sources_of_request
from audit.web.language import phrase, told
from audit.web.presenters.hands import FILTERS, HELD_FILTERS, present_hands
from audit.web.views.viewer import refuse_others


@needs(Act.SEE_HANDS, asks=(*KEYS, "as", "cursor"))
@never_cache
@require_safe
def hand_list(request: HttpRequest) -> HttpResponse:
    """Hands by the time of play, the latest first; narrowed and paged by the query.

    Of another viewer than the auditor there is no list: what it finds would tell of tiles that he
    did not see.
    """
    refuse_others(request, 0)
    status = 200
    problem = None
    page: selectors.Page[selectors.HandRow] = selectors.Page(rows=())
    sources = sources_of_request(request)
    try:
        filters = selectors.HandFilters.parse(request.GET.dict())
        page = selectors.list_hands(filters, sources=sources, cursor=request.GET.get("cursor"))
    except selectors.BadQuery as error:
        problem, status = str(error), 400
    note_shown(request, rows=len(page.rows))
    context = present_hands(
        page,
        request.GET.dict(),
        selectors.filter_choices(sources=sources),
        selectors.primary_findings(page.rows),
    )
    context |= {
        "section": "hands",
        "problem": problem,
        "is_behind": _is_behind(request.GET, sources),
        "saved": saved_filters(_account(request)),
    }
    return render(request, "hands/list.html", context, status=status)


def _is_behind(query: QueryDict, sources: Sources) -> bool:
    """Whether hands are missing from this list because nobody has looked into them yet."""
    return any(query.get(key) for key in HELD_FILTERS) and unsearched(sources=sources).exists()


@needs(Act.SEE_HANDS)
@require_POST
def filter_save(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the form under its name, and show that list."""
    query = {key: request.POST[key] for key in FILTERS if request.POST.get(key)}
    name = request.POST.get("name", "")
    try:
        save_filter(account_id=_account(request), name=name, query=query)
    except selectors.BadQuery as error:
        messages.error(request, told(str(error)))
    else:
        messages.success(
            request, phrase("The filter “{join}” is saved.", join=" ".join(name.split()))
        )
    address = QueryDict(mutable=True)
    address.update(query)
    return redirect(f"{reverse('hands')}?{address.urlencode()}")


@needs(Act.SEE_HANDS)
@require_POST
def filter_delete(request: HttpRequest, saved: int) -> HttpResponse:
    """Drop one's own saved filter."""
    delete_filter(account_id=_account(request), filter_id=saved)
    return redirect("hands")


def _account(request: HttpRequest) -> int:
    user: Any = request.user
    return int(user.pk)
