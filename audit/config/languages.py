"""In which language a page is told: as chosen, else as the browser asks, else in English."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

SESSION_KEY = "language"


def is_data(request: HttpRequest) -> bool:
    """Whether the answer is data: the API's, but for the page that describes it."""
    return request.path_info.startswith("/api/") and request.path_info != "/api/docs/"


class Languages(LocaleMiddleware):
    """The language of each request.

    An account's choice is kept in its session and goes before the cookie, which a stranger's
    choice is kept in; both go before what the browser asks for. Answers of the API are data and
    stay English.
    """

    def process_request(self, request: HttpRequest) -> None:
        language: str = settings.LANGUAGE_CODE
        if not is_data(request):
            chosen = request.session.get(SESSION_KEY)
            is_known = isinstance(chosen, str) and chosen in dict(settings.LANGUAGES)
            language = str(chosen) if is_known else translation.get_language_from_request(request)
        translation.activate(language)
        request.LANGUAGE_CODE = language

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if is_data(request):
            return response
        return super().process_response(request, response)
