"""The desk by program: cases and what is done about them, claims, remedies."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.utils import timezone
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api import desk_described as said
from audit.api import desk_told as told
from audit.api import shapes_desk as shapes
from audit.api.bodies import read_json
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.hands import found
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import access_of_api, needs, note_shown_of_api
from audit.api.queries import parsed
from audit.api.resource import Resource, versioned
from audit.config.access import note_use
from audit.models import RemedyState
from audit.selectors import api_desk, desk_books, desk_cases
from audit.selectors.access import Access, Act, Sources
from audit.selectors.desk_members import list_members, list_standing
from audit.selectors.pages import KEY_MAX, BadQuery
from audit.services import desk

CASE_FILTERS = tuple(one.name for one in said.CASE_FILTERS)
HISTORY_MAX = 500
JSON = "application/json"
_act = msgspec.json.Decoder(shapes.ActAsked)
_complaint = msgspec.json.Decoder(shapes.Complaint)


class OfDesk(Resource):
    """A view of the desk, within the sources that the caller may see."""

    permission_classes = [needs(Act.SEE_DESK)]  # noqa: RUF012 - as the framework has it

    def access(self) -> Access:
        return access_of_api(self.request)

    def sources(self, act: Act = Act.SEE_DESK) -> Sources:
        return self.access().sources(act)

    def user(self) -> User:
        assert isinstance(self.request.user, User), "nobody else is let in"
        return self.request.user


class CaseList(OfDesk):
    """GET cases, the last opened first."""

    @described(said.CASES)
    def get(self, request: Request) -> Response:
        check_parameters(request, *CASE_FILTERS, *BESIDE)
        filters = parsed(api_desk.CaseFilters.parse, request.query_params.dict())
        asked = asked_page(request)
        page = listed(
            lambda: api_desk.list_cases(
                filters,
                sources=self.sources(),
                user_id=self.user().pk,
                cursor=asked.cursor,
                limit=asked.limit,
            )
        )
        now = timezone.now()
        cases = [told.case_short(row, now) for row in page.rows]
        return Response(shapes.CasePage(cases=cases, **ways_of(request, page)))


class CaseOne(OfDesk):
    """GET one case."""

    @described(said.CASE)
    def get(self, request: Request, case: int) -> HttpResponse:
        check_parameters(request)
        detail = found(desk_cases.case_detail, known(case), sources=self.sources())
        return versioned(request, told.case_one(detail, timezone.now()))


class CaseHands(OfDesk):
    """GET the hands that stand in a case, or left it."""

    @described(said.CASE_HANDS)
    def get(self, request: Request, case: int) -> Response:
        check_parameters(request, "left", *BESIDE)
        left = request.query_params.get("left", "")
        if left not in ("", "1"):
            raise ApiError(400, "bad-query", "The only value is 1.", place="left")
        found(desk_cases.get_case, known(case), sources=self.sources())
        asked = asked_page(request)
        page = listed(
            lambda: (
                list_members(case, left=True, cursor=asked.cursor, limit=asked.limit)
                if left
                else list_standing(case, cursor=asked.cursor, limit=asked.limit)
            )
        )
        hands = [told.member(row) for row in page.rows]
        return Response(shapes.MemberPage(hands=hands, **ways_of(request, page)))


class CaseActs(OfDesk):
    """GET what was done about a case; POST does something."""

    permission_classes = [needs(Act.SEE_DESK, write=Act.COMMENT)]  # noqa: RUF012
    http_method_names = ["get", "head", "post"]  # noqa: RUF012
    takes = JSON

    @described(said.CASE_ACTS)
    def get(self, request: Request, case: int) -> Response:
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        page = listed(
            lambda: found(
                api_desk.acts_of,
                known(case),
                sources=self.sources(),
                cursor=asked.cursor,
                limit=asked.limit,
            )
        )
        acts = [told.act(row) for row in page.rows]
        return Response(shapes.CaseActPage(acts=acts, **ways_of(request, page)))

    @described(said.CASE_ACT)
    def post(self, request: Request, case: int) -> Response:
        """201 with the act as it stands in the case's history now."""
        check_parameters(request)
        asked = read_json(request, _act)
        act = Act.COMMENT if isinstance(asked, shapes.Comment) else Act.WORK_CASES
        self._may(known(case), act)
        with_desk(lambda: do_act(case, asked, sources=self.sources(act), user=self.user()))
        (newest, *_) = desk_cases.list_acts(case, sources=self.sources(), limit=1)
        return Response(told.act(newest), status=201)

    def _may(self, case: int, act: Act) -> None:
        """Raises: Http404 where the case may not be seen, PermissionDenied where not acted on."""
        row = found(desk_cases.get_case, case, sources=self.sources())
        if not self.access().may_in(act, row.source):
            raise PermissionDenied
        note_use(self.request._request, act, is_journalled=True)  # noqa: SLF001


def do_act(case: int, asked: shapes.ActAsked, *, sources: Sources, user: User) -> None:
    """Raises: what the desk refuses."""
    how: dict[str, Any] = {"case_id": case, "sources": sources, "user": user}
    if isinstance(asked, shapes.Comment):
        hand = None if asked.hand is None else int(asked.hand)
        if hand is not None and hand > KEY_MAX:
            raise desk.DeskRefused("The comment points to a hand that is not stored.")
        desk.comment_case(**how, text=asked.text, hand_id=hand, step=asked.step)
    elif isinstance(asked, shapes.Take):
        desk.take_case(**how, revision=asked.revision)
    elif isinstance(asked, shapes.Release):
        desk.release_case(**how, revision=asked.revision, note=asked.note)
    elif isinstance(asked, shapes.Decide):
        desk.decide_case(
            **how, decision=asked.decision, reason=asked.reason, revision=asked.revision
        )
    elif isinstance(asked, shapes.Reopen):
        desk.reopen_case(**how, reason=asked.reason, revision=asked.revision)
    else:
        desk.withdraw_case(**how, reason=asked.reason, revision=asked.revision)


def _instant(said_at: datetime) -> datetime:
    """The same in UTC. Raises: ApiError 400 for one before the first year or after the last."""
    try:
        return said_at.astimezone(UTC)
    except OverflowError:
        message = "There is no such time in UTC."
        raise ApiError(400, "bad-claim", message, place="$.said_at") from None


class ClaimList(OfDesk):
    """GET claims, the newest first; POST lodges one."""

    permission_classes = [needs(Act.SEE_DESK, write=Act.CLAIM)]  # noqa: RUF012
    http_method_names = ["get", "head", "post"]  # noqa: RUF012
    takes = JSON

    @described(said.CLAIMS)
    def get(self, request: Request) -> Response:
        check_parameters(request, "player", *BESIDE)
        asked = asked_page(request)
        page = listed(
            lambda: desk_books.list_claims(
                sources=self.sources(),
                player=request.query_params.get("player", ""),
                cursor=asked.cursor,
                limit=asked.limit,
            ),
            place="player",
        )
        claims = [told.claim_short(row) for row in page.rows]
        return Response(shapes.ClaimPage(claims=claims, **ways_of(request, page)))

    @described(said.CLAIM_NEW)
    def post(self, request: Request) -> Response:
        """201 with the receipt (S51)."""
        check_parameters(request)
        asked = read_json(request, _complaint)
        keys = [int(one) for one in asked.hands]
        seen = desk_books.claimed_hands(keys, sources=self.sources(Act.CLAIM))
        if len({one.pk for one in seen}) < len(set(keys)):
            raise ApiError(404, "not-found", "There is no such hand.", place="$.hands")
        complaint = desk.Complaint(
            player=asked.player,
            claimed_at=_instant(asked.said_at),
            text=asked.text,
            hand_ids=tuple(keys),
            amount=asked.amount,
        )
        claim = with_desk(
            lambda: desk.enter_claim(
                sources=self.sources(Act.CLAIM), user=self.user(), complaint=complaint
            ),
            code="bad-claim",
        )
        receipt = self._told(claim.pk)
        note_shown_of_api(request, source=receipt.source, player=receipt.player)
        return Response(receipt, status=201, headers={"Location": receipt.url})

    def _told(self, claim: int) -> shapes.ClaimOne:
        return claim_told(claim, self.sources(Act.CLAIM))


class ClaimOne(OfDesk):
    """GET one claim with the history of its status."""

    @described(said.CLAIM)
    def get(self, request: Request, claim: int) -> HttpResponse:
        check_parameters(request)
        one = claim_told(claim, self.sources())
        note_shown_of_api(request, player=one.player)
        return versioned(request, one)


def claim_told(claim: int, sources: Sources) -> shapes.ClaimOne:
    """Raises: Http404."""
    detail = found(desk_books.get_claim, claim, sources=sources)
    acts = desk_cases.list_acts(detail.row.case_pk, sources=sources, limit=HISTORY_MAX)
    since = [one for one in reversed(acts) if one.created_at >= detail.row.entered_at]
    own = [one for one in acts if one.claim_pk == detail.row.pk and one not in since]
    return told.claim_one(detail, [*reversed(own), *since])


class RemedyList(OfDesk):
    """GET remedies, the newest first."""

    @described(said.REMEDIES)
    def get(self, request: Request) -> Response:
        check_parameters(request, "state", *BESIDE)
        state = request.query_params.get("state", "")
        if state and state not in RemedyState.values:
            raise ApiError(400, "bad-query", "There is no such state.", place="state")
        asked = asked_page(request)
        page = listed(
            lambda: desk_books.list_remedies(
                sources=self.sources(), state=state, cursor=asked.cursor, limit=asked.limit
            )
        )
        remedies = [told.remedy_short(row) for row in page.rows]
        return Response(shapes.RemedyPage(remedies=remedies, **ways_of(request, page)))


class RemedyOne(OfDesk):
    """GET one remedy with its entries."""

    @described(said.REMEDY)
    def get(self, request: Request, remedy: int) -> HttpResponse:
        check_parameters(request)
        row = found(desk_books.get_remedy, remedy, sources=self.sources())
        return versioned(request, told.remedy_one(row))


def known(number: int) -> int:
    """A number that the store can hold. Raises: Http404."""
    if not 1 <= number <= KEY_MAX:
        raise Http404
    return number


def listed(select: Callable[[], Any], *, place: str = "cursor") -> Any:
    """Raises: ApiError 400 with the parameter that can still be wrong."""
    try:
        return select()
    except BadQuery as error:
        raise ApiError(400, "bad-query", str(error), place=place) from None


def with_desk(act: Callable[[], Any], *, code: str = "bad-act") -> Any:
    """Do something at the desk. Raises: Http404; ApiError 400, 409."""
    try:
        return act()
    except desk.CaseNotFound as error:
        raise Http404(str(error)) from None
    except desk.DeskRefused as error:
        raise ApiError(400, code, str(error), place="$") from None
    except desk.DeskConflict as error:
        raise ApiError(409, "conflict", str(error)) from None
