"""The overview: what a run of days came to."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from audit import selectors
from audit.selectors import desk_queue
from audit.selectors import overview as figures
from audit.selectors.access import Act
from audit.web.access import access_of_request, needs, sources_of_request
from audit.web.presenters.overview import choices_of, present_overview

CASES_SHOWN = 5


@needs(Act.SEE_HANDS, asks=("days", "to", "source"))
@never_cache
@require_safe
def overview_page(request: HttpRequest) -> HttpResponse:
    """The last days that have hands, or the days asked for, over all sources or one."""
    status, problem = 200, None
    try:
        query = figures.OverviewQuery.parse(request.GET.dict())
    except selectors.BadQuery as error:
        query, problem, status = figures.OverviewQuery(), str(error), 400
    found = figures.overview(query, sources=sources_of_request(request))
    at_desk = access_of_request(request).sources(Act.SEE_DESK)
    assert isinstance(request.user, User)
    context = {
        "section": "overview",
        "problem": problem,
        "choices": choices_of(query, sources=sources_of_request(request)),
        "desk": desk_queue.desk_overview(sources=at_desk, user_id=request.user.pk),
        "cases": desk_queue.list_cases(
            desk_queue.QueueFilters(source=query.source),
            sources=at_desk,
            user_id=request.user.pk,
            limit=CASES_SHOWN,
        ).rows,
    }
    if found is not None:
        context |= present_overview(found)
    return render(request, "overview/overview.html", context, status=status)
