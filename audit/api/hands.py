"""Hands by program: the list, one, its records, its events, and what is held against it."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import hands_told as told
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.hands_described import (
    EVENTS,
    FINDINGS,
    FINDINGS_OF_ALL,
    HAND,
    HANDS,
    RECORD,
    VERDICT,
    VERDICTS,
    VERDICTS_OF_ALL,
    VERSION,
    VERSIONS,
)
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import access_of_api, needs, note_shown_of_api
from audit.api.queries import HAND_FILTER_NAMES, hand_filters
from audit.api.resource import Resource, versioned
from audit.api.shapes import (
    Event,
    EventList,
    FindingList,
    FindingPage,
    HandPage,
    VerdictPage,
)
from audit.selectors import api_hands
from audit.selectors.access import Act, Sources
from audit.selectors.filters import HandFilters
from audit.selectors.hands import hand_detail
from audit.selectors.pages import BadQuery, NotFound, Page
from audit.selectors.replacements import replaced_by
from audit.selectors.rulesets_force import force_of_hand

RECORD_TYPE = "application/x-ndjson"


class Events(msgspec.Struct):
    """What is read of a record: its events, each as it stands there."""

    events: list[msgspec.Raw] = []


_events = msgspec.json.Decoder(Events)


class OfHands(Resource):
    """A view of hands, within the sources that the caller may see."""

    permission_classes = [needs(Act.SEE_HANDS)]  # noqa: RUF012 - as the framework has it

    def sources(self) -> Sources:
        return access_of_api(self.request).sources(Act.SEE_HANDS)

    def asked(self, **changes: Any) -> Page[api_hands.Row]:
        """The page of hands that the address asks for. Raises: ApiError 400."""
        check_parameters(self.request, *HAND_FILTER_NAMES, *BESIDE, *changes.pop("also", ()))
        filters: HandFilters = hand_filters(self.request.query_params.dict())
        asked = asked_page(self.request)
        try:
            return api_hands.list_hands(
                filters, sources=self.sources(), cursor=asked.cursor, limit=asked.limit, **changes
            )
        except BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None


class HandList(OfHands):
    """GET hands, the last that came in first."""

    @described(HANDS)
    def get(self, request: Request) -> Response:
        order = request.query_params.get("order") or api_hands.Order.RECEIVED
        if order not in list(api_hands.Order):
            raise ApiError(400, "bad-query", "There is no such order.", place="order")
        page = self.asked(order=api_hands.Order(order), also=("order",))
        hands = [told.hand_short(row) for row in page.rows]
        return Response(HandPage(hands=hands, **ways_of(request, page)))


class HandOne(OfHands):
    """GET one hand with what holds of it now."""

    @described(HAND)
    def get(self, request: Request, hand: int) -> HttpResponse:
        check_parameters(request)
        sources = self.sources()
        row = found(api_hands.hand_row, hand, sources=sources)
        versions = api_hands.version_rows(hand, sources=sources)
        current = next(one for one in versions if one["id"] == row["version_id"])
        verdict, _ = found(api_hands.verdict_row, row["verdict_id"], sources=sources)
        one = told.hand_one(
            row,
            version=told.version(hand, current),
            verdict=told.verdict_one(
                verdict, row, api_hands.findings_of_verdict(row["verdict_id"])
            ),
            comparison=api_hands.comparison_row(row["comparison_id"]),
            force=force_of_hand(
                source=row["source"],
                game=row["game"],
                ruleset=row["ruleset"],
                played_at=row["played_at"],
            ),
            twins=api_hands.twins_of_hand(hand, sources=sources),
            replaced=replaced_by(hand, sources=sources),
        )
        return versioned(request, one)


class VersionsOf(OfHands):
    """GET the records that claim to be a hand."""

    @described(VERSIONS)
    def get(self, request: Request, hand: int) -> HttpResponse:
        check_parameters(request)
        sources = self.sources()
        rows = found(api_hands.version_rows, hand, sources=sources)
        return versioned(request, told.versions(hand, rows, hand_detail(hand, sources=sources)))


class VersionOne(OfHands):
    """GET one record's head."""

    @described(VERSION)
    def get(self, request: Request, hand: int, version: int) -> HttpResponse:
        check_parameters(request)
        for row in found(api_hands.version_rows, hand, sources=self.sources()):
            if row["number"] == version:
                return versioned(request, told.version(hand, row))
        raise Http404


class Record(OfHands):
    """GET the exact bytes of a record."""

    @described(RECORD)
    def get(self, request: Request, hand: int, version: int) -> HttpResponse:
        check_parameters(request)
        raw, _, number = found(api_hands.record_of, hand, sources=self.sources(), version=version)
        name = f"hand-{hand}-version-{number}.ndjson"
        return versioned(request, raw, media_type=RECORD_TYPE, name=name)


class EventsOf(OfHands):
    """GET the events of a hand in the order of their file."""

    @described(EVENTS)
    def get(self, request: Request, hand: int) -> HttpResponse:
        check_parameters(request, "version")
        raw, feed, number = found(
            api_hands.record_of, hand, sources=self.sources(), version=version_asked(request)
        )
        if feed:
            raise ApiError(404, "not-found", "What a feed tells of a hand has no events.")
        events = [
            Event(index=index, event=event)
            for index, event in enumerate(_events.decode(raw).events)
        ]
        sha256 = hashlib.sha256(raw).hexdigest()
        answer = EventList(hand=str(hand), version=number, sha256=sha256, events=events)
        return versioned(request, answer)


class FindingsOf(OfHands):
    """GET what is held against a hand now."""

    @described(FINDINGS)
    def get(self, request: Request, hand: int) -> HttpResponse:
        check_parameters(request)
        row = found(api_hands.hand_row, hand, sources=self.sources())
        findings = [told.finding(one) for one in api_hands.finding_rows([row])[hand]]
        answer = FindingList(
            hand=str(hand),
            currency=row["currency"],
            minor_digits=row["minor_digits"],
            findings=findings,
        )
        return versioned(request, answer)


class FindingsOfAll(OfHands):
    """GET what is held against hands now, by hand."""

    @described(FINDINGS_OF_ALL)
    def get(self, request: Request) -> Response:
        page = self.asked(is_found=True)
        findings = api_hands.finding_rows(page.rows)
        hands = [told.hand_findings(row, findings[row["id"]]) for row in page.rows]
        return Response(FindingPage(hands=hands, **ways_of(request, page)))


class VerdictsOf(OfHands):
    """GET every verdict of every record of a hand."""

    @described(VERDICTS)
    def get(self, request: Request, hand: int) -> HttpResponse:
        check_parameters(request)
        row = found(api_hands.hand_row, hand, sources=self.sources())
        return versioned(request, told.hand_verdicts(row, api_hands.verdict_rows([hand])))


class VerdictsOfAll(OfHands):
    """GET the verdicts of hands, by hand."""

    @described(VERDICTS_OF_ALL)
    def get(self, request: Request) -> Response:
        page = self.asked(columns=("id", "source", "hand_id", "played_at"))
        verdicts: dict[int, list[api_hands.Row]] = {row["id"]: [] for row in page.rows}
        for one in api_hands.verdict_rows(verdicts):
            verdicts[one["version__hand_id"]].append(one)
        hands = [told.hand_verdicts(row, verdicts[row["id"]]) for row in page.rows]
        return Response(VerdictPage(hands=hands, **ways_of(request, page)))


class VerdictOne(OfHands):
    """GET one verdict whole."""

    @described(VERDICT)
    def get(self, request: Request, verdict: int) -> HttpResponse:
        check_parameters(request)
        row, hand = found(api_hands.verdict_row, verdict, sources=self.sources())
        note_shown_of_api(request, source=hand["source"], hand=hand["id"])
        findings = api_hands.findings_of_verdict(verdict)
        return versioned(request, told.verdict_one(row, hand, findings))


def version_asked(request: Request) -> int | None:
    """`?version=`, None without it. Raises: ApiError 400."""
    text = request.query_params.get("version", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) > 0):
        raise ApiError(400, "bad-query", "The version is no number.", place="version")
    return int(text)


def found(select: Any, *args: Any, **kwargs: Any) -> Any:
    """What a selector finds. Raises: Http404, whatever the reason: what may not be seen is not
    there."""
    try:
        return select(*args, **kwargs)
    except NotFound as error:
        raise Http404(str(error)) from None
