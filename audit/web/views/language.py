"""The language of the site, chosen by the form in the header."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from audit.config.languages import SESSION_KEY
from audit.web.access import check_asked


def _place(request: HttpRequest) -> str:
    """Where the form stood. It names its path alone; the rest of the address the browser tells."""
    place = request.POST.get("next", "")
    if not place.startswith("/") or not url_has_allowed_host_and_scheme(place, None):
        return reverse("home")
    here = urlsplit(request.META.get("HTTP_REFERER", ""))
    if here.query and (here.netloc, here.path) == (request.get_host(), place):
        return f"{place}?{here.query}"
    return place


@login_not_required
@require_POST
@never_cache
def choose(request: HttpRequest) -> HttpResponse:
    """Keep the language that was chosen and go back to where the form stood.

    An account's choice goes into its session, a stranger's into a cookie. Raises: Http404 for a
    language that the site is not told in.
    """
    check_asked(request, ())
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        raise Http404("The site is not told in this language.")
    answer = HttpResponseRedirect(_place(request))
    if request.user.is_authenticated:
        request.session[SESSION_KEY] = language
    else:
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    return answer
