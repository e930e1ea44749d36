"""What concerns the caller: the own keys; and for auditors who looked at what."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from audit import services
from audit.api import own_described as said
from audit.api import shapes_journal, shapes_library
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.hands import found
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import access_of_api, needs
from audit.api.queries import parsed
from audit.api.resource import Resource
from audit.selectors import api_keys
from audit.selectors.access import Act
from audit.selectors.journal import JournalFilters, list_journal
from audit.selectors.pages import BadQuery

JOURNAL_FILTERS = tuple(one.name for one in said.JOURNAL_FILTERS)


class OfOwn(Resource):
    """A view of what is the caller's own."""

    permission_classes = [needs(Act.OWN_ACCOUNT)]  # noqa: RUF012 - as the framework has it

    def account(self) -> int:
        account = access_of_api(self.request).account_id
        assert account is not None, "nobody else is let in"
        return account


class KeyList(OfOwn):
    """GET the own keys."""

    @described(said.KEYS)
    def get(self, request: Request) -> Response:
        check_parameters(request)
        shown = access_of_api(request).key_id
        keys = [_key(row, shown) for row in api_keys.own_keys(self.account())]
        return Response(shapes_library.OwnKeys(keys=keys))


class KeyOne(OfOwn):
    """GET one of the own keys; DELETE ends it."""

    http_method_names = ["get", "head", "delete"]  # noqa: RUF012

    @described(said.KEY)
    def get(self, request: Request, key: int) -> Response:
        check_parameters(request)
        row = found(api_keys.own_key, self.account(), key)
        return Response(_key(row, access_of_api(request).key_id))

    @described(said.KEY_END)
    def delete(self, request: Request, key: int) -> Response:
        """The key as it ended; ending one that has ended changes nothing."""
        check_parameters(request)
        access = access_of_api(request)
        row = found(api_keys.own_key, self.account(), key, also_ended=True)
        if row["revoked_at"] is None:
            services.revoke_token(name=row["name"], access=access)
        row = found(api_keys.own_key, self.account(), key, also_ended=True)
        return Response(_key(row, access.key_id))


def _key(row: dict[str, Any], shown: int | None) -> shapes_library.OwnKey:
    return shapes_library.OwnKey(
        id=str(row["id"]),
        url=reverse("api-key", args=(row["id"],)),
        name=row["name"],
        prefix=row["prefix"],
        acts=row["acts"],
        sources=row["sources"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
        is_this=row["id"] == shown,
    )


class Journal(Resource):
    """GET who looked at what."""

    permission_classes = [needs(Act.SEE_JOURNAL)]  # noqa: RUF012

    @described(said.JOURNAL)
    def get(self, request: Request) -> Response:
        check_parameters(request, *JOURNAL_FILTERS, *BESIDE)
        filters = parsed(JournalFilters.parse, request.query_params.dict())
        asked = asked_page(request)
        sources = access_of_api(request).sources(Act.SEE_JOURNAL)
        try:
            page = list_journal(filters, sources=sources, cursor=asked.cursor, limit=asked.limit)
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        entries = [
            shapes_journal.JournalEntry(
                id=str(row.id),
                at=row.at,
                actor=row.actor,
                act=row.act,
                subject=row.subject,
                source=row.source,
                hand=_text(row.hand),
                player=row.player,
                detail=dict(row.detail),
                address=row.address,
                visit=_text(row.visit),
                key=_text(row.key),
            )
            for row in page.rows
        ]
        return Response(shapes_journal.JournalPage(entries=entries, **ways_of(request, page)))


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)
