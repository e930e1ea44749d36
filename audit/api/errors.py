"""One envelope for every error: {"error": {"code", "message", "place"}}."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.known_errors import ERRORS

logger = logging.getLogger(__name__)

BUSY_SECONDS = 5
MESSAGES = {
    "not-authenticated": (
        "Show a token (Authorization: Bearer …), or a session with the form's token."
    ),
    "permission-denied": "This account or this session's form token is not good for that.",
    "not-found": "There is nothing at this address.",
    "throttled": "Too many requests in this minute: come again after it.",
}


class ApiError(exceptions.APIException):
    """An answer that is no success.

    `place` is the header or the path in the body that is meant, None where there is none.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        place: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.code = code
        self.place = place
        if retry_after is not None:
            self.wait = retry_after


class OnlyJson(BaseContentNegotiation):
    """Every answer is JSON, whatever the caller says that it takes."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> None:
        return None

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return next(iter(renderers)), "application/json"


def envelope(code: str, message: str, place: str | None = None) -> dict[str, Any]:
    """The one form of every error."""
    return {"error": {"code": code, "message": message, "place": place}}


def example_of_error(code: str) -> dict[str, Any]:
    """An error of this code as the description shows it."""
    place = {"bad-query": "verdict", "bad-body": "$.reason"}.get(code)
    return envelope(code, MESSAGES.get(code, ERRORS[code].about), place)


def answer_error(error: Exception, context: dict[str, Any]) -> Response:
    """Put an exception of a view into the envelope; one that is our fault is logged whole."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, OperationalError | InterfaceError):
        logger.error("api_store_unreachable", exc_info=error)
        error = ApiError(
            503, "unavailable", "The store cannot be reached.", retry_after=BUSY_SECONDS
        )
    if not isinstance(error, exceptions.APIException):
        logger.error("api_failed", exc_info=error)
        error = ApiError(500, "our-fault", "This is a fault of ours; it has been written down.")
    code = getattr(error, "code", None) or str(error.get_codes()).replace("_", "-")
    headers = {}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    message = MESSAGES.get(code, str(error.detail))
    place = getattr(error, "place", None)
    return Response(envelope(code, message, place), status=error.status_code, headers=headers)
