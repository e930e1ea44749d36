"""Refusals as pages. None may be kept: what is not there now may come with the next upload."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views import defaults

from audit.config.asked import Misread
from audit.web.language import told


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400. What a sender can mend is said: on a page, or as a line where a file was asked for."""
    words = told(str(exception)) if isinstance(exception, Misread) else None
    if words is not None and PurePosixPath(request.path).suffix:
        answer = HttpResponse(f"{words}\n", content_type="text/plain; charset=utf-8", status=400)
    else:
        # Before anybody looked who asks there is nobody to make the navigation for.
        asker = request if hasattr(request, "user") else None
        answer = render(asker, "400.html", {"words": words}, status=400)
    add_never_cache_headers(answer)
    return answer


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
