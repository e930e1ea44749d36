"""The site with two pages more, for whoever is signed in: `/empty/`, the base template alone, and
`/forget/`, after which the process is as one that has seen no hand, and tells its number."""

from __future__ import annotations

import os

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache

from audit.config.urls import urlpatterns as site
from audit.selectors.access import Act
from audit.web import kept, lines, seats, walks
from audit.web.access import needs

EMPTY, FORGET = "/empty/", "/forget/"


@needs(Act.OWN_ACCOUNT)
@never_cache
def empty(request: HttpRequest) -> HttpResponse:
    """What each page of the site has around what it is about."""
    return render(request, "base.html")


@needs(Act.OWN_ACCOUNT)
@never_cache
def forget(_request: HttpRequest) -> HttpResponse:
    forget_all()
    return HttpResponse(str(os.getpid()))


def forget_all() -> None:
    """Keep nothing of any hand."""
    kept.forget()
    walks.walked.cache_clear()
    walks.seen.cache_clear()
    seats.drawn.cache_clear()
    lines.drawn_group.cache_clear()


urlpatterns = [path("empty/", empty), path("forget/", forget), *site]
