"""Pages of a list by program: how many rows, behind which one, and the marks to go on by.

A cursor is signed over the list and the filters that it was given out for: with others, or changed,
it is refused and never read as something else.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.core import signing
from rest_framework.request import Request

from audit.api.describing import Parameter
from audit.api.errors import ApiError
from audit.api.permissions import note_shown_of_api
from audit.selectors.pages import LIMIT_MAX, Page

LIMIT = 50
CURSOR_MAX = 400
BESIDE = ("cursor", "limit")
PAGING = (
    Parameter(
        name="cursor",
        about="Where the page begins: `next` or `previous` of another page, as it is.",
        schema={"type": "string", "maxLength": CURSOR_MAX},
        example="",
    ),
    Parameter(
        name="limit",
        about=f"How many rows a page has: 1 to {LIMIT_MAX}, {LIMIT} where nothing is said.",
        schema={
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX},
                {"type": "string", "maxLength": 0},
            ],
            "default": LIMIT,
        },
        example=LIMIT,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which page is asked for; `cursor` is as the selectors read it."""

    cursor: str | None
    limit: int


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """The cursors of the pages behind and before this one; null where there is none."""

    next: str | None
    previous: str | None


def asked_page(request: Request) -> Asked:
    """Read `cursor` and `limit`. Raises: ApiError 400."""
    return Asked(cursor=_cursor(request), limit=_limit(request.query_params.get("limit", "")))


def ways_of(request: Request, page: Page[Any]) -> dict[str, str | None]:
    """`next` and `previous` for the answer; the journal hears how many rows it has."""
    note_shown_of_api(request, rows=len(page.rows))
    return {
        "next": _sealed(request, page.next_cursor),
        "previous": _sealed(request, page.previous_cursor),
    }


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise ApiError(400, "bad-query", "The limit is no number.", place="limit")
    if not 1 <= int(text) <= LIMIT_MAX:
        raise ApiError(400, "bad-query", f"A page holds 1 to {LIMIT_MAX} rows.", place="limit")
    return int(text)


def _signer(request: Request) -> signing.Signer:
    filters = sorted(
        (name, value)
        for name, value in request.query_params.items()
        if name not in BESIDE and value
    )
    return signing.Signer(salt=f"{__name__} {request.path}?{urlencode(filters)}")


def _sealed(request: Request, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    signed = _signer(request).sign(cursor)
    return base64.urlsafe_b64encode(signed.encode()).decode().rstrip("=")


def _cursor(request: Request) -> str | None:
    text = request.query_params.get("cursor", "")
    if not text:
        return None
    padded = text[:CURSOR_MAX] + "=" * (-len(text) % 4)
    try:
        signed = base64.b64decode(padded, altchars=b"-_", validate=True)
        return _signer(request).unsign(signed.decode())
    except (binascii.Error, ValueError, signing.BadSignature):
        message = "The cursor was not given out for this list under these filters."
        raise ApiError(400, "bad-query", message, place="cursor") from None
