"""The site with one page more, `/empty/`: the base template alone, for whoever is signed in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache

from audit.config.urls import urlpatterns as site
from audit.selectors.access import Act
from audit.web.access import needs


@needs(Act.OWN_ACCOUNT)
@never_cache
def empty(request: HttpRequest) -> HttpResponse:
    """What each page of the site has around what it is about."""
    return render(request, "base.html")


urlpatterns = [path("empty/", empty), *site]
