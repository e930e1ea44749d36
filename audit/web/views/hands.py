"""The list of hands."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from audit import selectors
from audit.web.presenters.hands import present_hands


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
