"""Rulesets, sources and players' names by program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import Http404, HttpResponse
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

import replay
from audit import selectors
from audit.api import library_described as said
from audit.api import shapes_library as shapes
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.hands import found
from audit.api.pages import BESIDE, Asked, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import access_of_api, needs, note_shown_of_api
from audit.api.resource import Resource, versioned
from audit.selectors import api_players, players, sources
from audit.selectors.access import Access, Act, Sources
from audit.selectors.pages import BadQuery, Page
from audit.selectors.rulesets_revisions import find_revision

TOML = "application/toml"
Row = TypeVar("Row")


class OfRules(Resource):
    """A view of rulesets, which belong to no source."""

    permission_classes = [needs(Act.SEE_RULES)]  # noqa: RUF012 - as the framework has it


class RulesetList(OfRules):
    """GET every ruleset by which hands are judged now."""

    @described(said.RULESETS)
    def get(self, request: Request) -> HttpResponse:
        check_parameters(request, "game")
        game = request.query_params.get("game", "")
        if game and game not in replay.GAMES:
            raise ApiError(400, "bad-query", "There is no such game.", place="game")
        known = sorted(selectors.current_rulesets(), key=lambda one: (one.id, one.revision))
        rulesets = [shapes.RulesetShort(**_ruleset(one)) for one in known if game in ("", one.game)]
        return versioned(request, shapes.RulesetList(rulesets=rulesets))


class RulesetOne(OfRules):
    """GET one ruleset with its options."""

    @described(said.RULESET)
    def get(self, request: Request, ruleset: str, revision: int) -> HttpResponse:
        check_parameters(request)
        one = known_ruleset(ruleset, revision)
        options = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in one.options.items()
        }
        answer = shapes.RulesetOne(
            **_ruleset(one),
            options=options,
            said_by=dict(one.sources),
            content=reverse("api-ruleset-bytes", args=(one.id, one.revision)),
            **_rehearsed(one.name, access_of_api(request)),
        )
        return versioned(request, answer)


class RulesetBytes(OfRules):
    """GET the exact bytes of a ruleset's file."""

    @described(said.RULESET_BYTES)
    def get(self, request: Request, ruleset: str, revision: int) -> HttpResponse:
        check_parameters(request)
        one = known_ruleset(ruleset, revision)
        return versioned(request, one.content, media_type=TOML, name=f"{one.id}.{revision}.toml")


def known_ruleset(ruleset: str, revision: int) -> replay.Ruleset:
    """Raises: Http404."""
    one = selectors.current_rulesets().get(f"{ruleset}@{revision}")
    if one is None:
        raise Http404
    return one


def _rehearsed(name: str, access: Access) -> dict[str, Any]:
    """What it was rehearsed on, which counts hands, for those who see that of every source."""
    nothing = {"rehearsed": None, "rehearsed_of": None, "rehearsed_few": None}
    if access.sources(Act.SEE_RULESETS) is not None:
        return nothing
    row = find_revision(name)
    if row.rehearsed_of is None:
        return nothing
    return {
        "rehearsed": row.rehearsed or 0,
        "rehearsed_of": row.rehearsed_of,
        "rehearsed_few": row.unrehearsed_reason or None,
    }


def _ruleset(one: replay.Ruleset) -> dict[str, Any]:
    return {
        "name": one.name,
        "url": reverse("api-ruleset", args=(one.id, one.revision)),
        "id": one.id,
        "revision": one.revision,
        "game": one.game,
        "title": one.title,
        "sha256": one.sha256,
    }


class OfSources(Resource):
    """A view of sources that the caller may see."""

    permission_classes = [needs(Act.SEE_SOURCES)]  # noqa: RUF012

    def sources(self) -> Sources:
        return access_of_api(self.request).sources(Act.SEE_SOURCES)


class SourceList(OfSources):
    """GET the sources with what each sent."""

    @described(said.SOURCES)
    def get(self, request: Request) -> Response:
        check_parameters(request)
        rows = sources.list_sources(sources=self.sources())
        return Response(
            shapes.SourceList(sources=[shapes.SourceShort(**_source(row)) for row in rows])
        )


class SourceOne(OfSources):
    """GET one source with what its records lack."""

    @described(said.SOURCE)
    def get(self, request: Request, source: str) -> Response:
        check_parameters(request)
        raw = access_of_api(request).sources(Act.SEE_RAW)
        detail = found(sources.source_detail, source, sources=self.sources(), raw_sources=raw)
        drift = [
            shapes.UnknownField(
                feed=one.feed,
                field=one.field,
                records=one.count,
                first_seen_at=one.first_seen_at,
                upload=one.upload_id,
                line=one.line,
                example=one.example,
            )
            for one in detail.drift
        ]
        answer = shapes.SourceOne(
            **_source(detail.row), records=detail.records, gaps=dict(detail.gaps), drift=drift
        )
        return Response(answer)


def _source(row: sources.SourceRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "url": reverse("api-source", args=(row.name,)),
        "feed": row.feed or None,
        "hands": row.hands,
        "is_more": row.is_more,
        "tables": row.tables,
        "first_day": row.first_day,
        "last_day": row.last_day,
        "unknown_fields": row.drift,
    }


class OfPlayers(Resource):
    """A view of names within the sources that the caller may see."""

    permission_classes = [needs(Act.SEE_HANDS)]  # noqa: RUF012

    def sources(self) -> Sources:
        return access_of_api(self.request).sources(Act.SEE_HANDS)


class PlayerList(OfPlayers):
    """GET the names that were seen."""

    @described(said.PLAYERS)
    def get(self, request: Request) -> Response:
        check_parameters(request, "name", "source", "unusual", *BESIDE)
        query = request.query_params
        if query.get("unusual", "") not in ("", "1"):
            raise ApiError(400, "bad-query", "The only value is 1.", place="unusual")
        asked = asked_page(request)
        note_shown_of_api(request, player=query.get("name") or None)
        try:
            page = api_players.list_players(
                sources=self.sources(),
                source=query.get("source", ""),
                name=query.get("name", ""),
                unusual=query.get("unusual") == "1",
                cursor=asked.cursor,
                limit=asked.limit,
            )
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="name") from None
        names = [
            shapes.PlayerName(
                source=row["source"],
                name=row["name"],
                first_noted_at=row["noted_at"],
                is_unusual=row["is_unusual"],
                looks_like=row["skeleton"],
            )
            for row in page.rows
        ]
        return Response(shapes.PlayerPage(players=names, **ways_of(request, page)))


class RenameList(OfPlayers):
    """GET probable renames."""

    @described(said.RENAMES)
    def get(self, request: Request) -> Response:
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        page = _page_of(players.list_renames, asked, self.sources())
        renames = [
            shapes.RenameShort(
                source=one.source,
                table=one.table,
                seat=one.seat,
                old_name=one.old_name,
                new_name=one.new_name,
                hand=str(one.hand_pk),
                found_at=one.found_at,
                is_decided=one.is_decided,
            )
            for one in page.rows
        ]
        return Response(shapes.RenamePage(renames=renames, **ways_of(request, page)))


class NameDecisionList(OfPlayers):
    """GET what persons decided of names."""

    @described(said.NAME_DECISIONS)
    def get(self, request: Request) -> Response:
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        page = _page_of(players.list_decisions, asked, self.sources())
        decisions = [
            shapes.NameDecision(
                source=one.source,
                names=[one.name, one.other],
                is_one=one.is_one,
                reason=one.reason,
                by=one.made_by,
                at=one.made_at,
                holds=one.holds,
            )
            for one in page.rows
        ]
        return Response(shapes.NameDecisionPage(decisions=decisions, **ways_of(request, page)))


def _page_of(read: Callable[..., Page[Row]], asked: Asked, sources: Sources) -> Page[Row]:
    """A page of a list that is narrowed by nothing but sources. Raises: ApiError 400."""
    try:
        return read(sources=sources, cursor=asked.cursor, limit=asked.limit)
    except BadQuery as error:
        raise ApiError(400, "bad-query", str(error), place="cursor") from None
