"""Refusals as pages. None may be kept: what is not there now may come with the next upload."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.views import defaults


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, also for a hand that is not known yet."""
    answer = defaults.page_not_found(request, exception)
    add_never_cache_headers(answer)
    return answer


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    answer = defaults.permission_denied(request, exception)
    add_never_cache_headers(answer)
    return answer
