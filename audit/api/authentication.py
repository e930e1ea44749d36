"""Who asks: a program with a token, or a page of ours with its session and the form's token."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from audit import services

SCHEME = "Bearer"


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer tc_…`. A token that is not good is refused, whatever else is shown."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        user = services.use_token(token.strip())
        if user is None:
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        return user, None

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class SessionAuthentication(authentication.SessionAuthentication):
    """A session with `X-CSRFToken`.

    The check is given the plain request, which looks into no body but a form's: REST framework's
    own would choose a parser first.
    """

    def enforce_csrf(self, request: Request) -> None:
        super().enforce_csrf(cast("Request", request._request))  # noqa: SLF001
