"""Who asks: a program with a key, or a page of ours with its session and the form's token."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from audit import services
from audit.api.errors import ApiError
from audit.config.access import caller_of, set_access
from audit.models import SignInOutcome, SignInWay
from audit.selectors.access import access_of
from audit.selectors.visits import wrong_keys_of
from audit.services.tokens import PREFIX_LENGTH
from audit.services.visits import note_attempt

SCHEME = "Bearer"
# An address that has shown too many wrong keys in a quarter of an hour is told to wait; a good key
# opens from there all the same, so that nobody can shut out a neighbour.
WAIT_SECONDS = 900


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer tc_…`. A key that is not good is refused, whatever else is shown.

    What its account may do is narrowed to what the key may be used for.
    """

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        plain = request._request  # noqa: SLF001
        caller = caller_of(plain)
        used = services.use_token(token.strip(), address=caller.address)
        if used is None:
            if (
                wrong_keys_of(caller.address, seconds=WAIT_SECONDS)
                >= settings.TILECOURT_WRONG_KEYS_MAX
            ):
                raise ApiError(
                    429,
                    "throttled",
                    "Too many wrong keys came from here.",
                    retry_after=WAIT_SECONDS,
                )
            note_attempt(
                name=token.strip()[:PREFIX_LENGTH],
                way=SignInWay.KEY,
                outcome=SignInOutcome.WRONG,
                caller=caller,
            )
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        access = replace(
            access_of(used.account),
            acts=used.acts,
            within=used.sources,
            address=caller.address,
            key_id=used.id,
        )
        set_access(plain, access)
        return used.account, None

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class SessionAuthentication(authentication.SessionAuthentication):
    """A session with `X-CSRFToken`.

    The check is given the plain request, which looks into no body but a form's: REST framework's
    own would choose a parser first.
    """

    def enforce_csrf(self, request: Request) -> None:
        super().enforce_csrf(cast("Request", request._request))  # noqa: SLF001
