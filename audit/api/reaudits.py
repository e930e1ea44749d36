"""Re-audits by program: start one, see how far it is, read what it found."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import Http404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

import replay
from audit import selectors, services
from audit.api import work_described as said
from audit.api.bodies import read_json
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.pages import BESIDE, asked_page, ways_of
from audit.api.parameters import check_parameters
from audit.api.permissions import needs, sources_of_api
from audit.api.resource import Resource
from audit.api.shapes_work import ReauditAsked
from audit.selectors.access import Act
from audit.selectors.reaudits import FaultRow, ReauditRow, get_reaudit, list_faults, list_reaudits
from audit.selectors.reaudits_report import (
    AmountRow,
    ChangeRow,
    Flip,
    list_amounts,
    list_changes,
    list_flips,
)
from audit.services.texts import written

_asked = msgspec.json.Decoder(ReauditAsked)


class ReauditList(Resource):
    """GET lists re-audits, the newest first; POST starts one."""

    permission_classes = [needs(Act.SEE_REAUDITS, write=Act.REAUDIT)]  # noqa: RUF012
    http_method_names = ["get", "head", "post"]  # noqa: RUF012 - as the framework has it
    takes = "application/json"

    @described(said.REAUDITS)
    def get(self, request: Request) -> Response:
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        try:
            page = list_reaudits(
                sources=sources_of_api(request), cursor=asked.cursor, limit=asked.limit
            )
        except selectors.BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        return Response(
            {"reaudits": [reaudit_of(row) for row in page.rows], **ways_of(request, page)}
        )

    @described(said.REAUDIT_NEW)
    def post(self, request: Request) -> Response:
        """201 with the re-audit, which the workers then do."""
        assert request.user.is_authenticated, "nobody else is let in"
        check_parameters(request)
        asked = read_json(request, _asked)
        if not written(asked.reason):
            message = "Say why: the reason stays on record."
            raise ApiError(400, "bad-reaudit", message, place="$.reason")
        try:
            reaudit = services.open_reaudit(
                user=request.user,
                sources=sources_of_api(request),
                reason=asked.reason,
                query=asked.filter,
                named=asked.named,
                ruleset=asked.ruleset,
                refused_lines=asked.refused_lines,
            )
        except (services.ReauditRefused, selectors.BadQuery) as error:
            raise ApiError(400, "bad-reaudit", str(error)) from None
        row = get_reaudit(reaudit, sources=sources_of_api(request))
        answer = reaudit_of(row)
        return Response(answer, status=201, headers={"Location": answer["url"]})


class OneView(Resource):
    """A view of one re-audit, which takes no body."""

    permission_classes = [needs(Act.SEE_REAUDITS, write=Act.REAUDIT)]  # noqa: RUF012

    def row(self, request: Request, reaudit: int) -> ReauditRow:
        try:
            return get_reaudit(reaudit, sources=sources_of_api(request))
        except selectors.NotFound as error:
            raise Http404(str(error)) from None


class ReauditOne(OneView):
    """GET tells how far a re-audit is."""

    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.REAUDIT)
    def get(self, request: Request, reaudit: int) -> Response:
        check_parameters(request)
        return Response(reaudit_of(self.row(request, reaudit)))


class ReauditStop(OneView):
    """POST stops it where it is; stopping what is stopped or ended changes nothing."""

    http_method_names = ["post"]  # noqa: RUF012

    @described(said.REAUDIT_STOP)
    def post(self, request: Request, reaudit: int) -> Response:
        check_parameters(request)
        self.row(request, reaudit)
        services.stop_reaudit(reaudit_id=reaudit)
        return Response(reaudit_of(self.row(request, reaudit)))


class ReauditResume(OneView):
    """POST lets a stopped one go on; 409 where it is not stopped, or cannot go on here."""

    http_method_names = ["post"]  # noqa: RUF012

    @described(said.REAUDIT_RESUME)
    def post(self, request: Request, reaudit: int) -> Response:
        check_parameters(request)
        self.row(request, reaudit)
        try:
            services.resume_reaudit(reaudit_id=reaudit)
        except services.ReauditRefused as error:
            raise ApiError(409, "not-stopped", str(error)) from None
        return Response(reaudit_of(self.row(request, reaudit)))


class ReauditReport(OneView):
    """GET gives what it found so far, summed up."""

    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.REAUDIT_REPORT)
    def get(self, request: Request, reaudit: int) -> Response:
        check_parameters(request)
        row = self.row(request, reaudit)
        tables, has_more_tables = list_amounts(reaudit, "table")
        players, has_more_players = list_amounts(reaudit, "player")
        return Response(
            {
                "reaudit": reaudit_of(row),
                "flips": [
                    {**flip_of(one.flip), "hands": one.count, "flip": one.flip.write()}
                    for one in list_flips(reaudit)
                ],
                "money": [amount_of(one) for one in list_amounts(reaudit, "currency")[0]],
                "tables": [amount_of(one) for one in tables],
                "has_more_tables": has_more_tables,
                "players": [amount_of(one) for one in players],
                "has_more_players": has_more_players,
            }
        )


class ReauditChanges(OneView):
    """GET lists the hands that were judged otherwise."""

    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.REAUDIT_CHANGES)
    def get(self, request: Request, reaudit: int) -> Response:
        self.row(request, reaudit)
        check_parameters(request, "flip", *BESIDE)
        asked = asked_page(request)
        text = request.query_params.get("flip")
        try:
            flip = Flip.parse(text) if text else None
            page = list_changes(reaudit, flip=flip, cursor=asked.cursor, limit=asked.limit)
        except selectors.BadQuery as error:
            raise ApiError(400, "bad-query", str(error)) from None
        return Response(
            {"changes": [change_of(reaudit, one) for one in page.rows], **ways_of(request, page)}
        )


class ReauditAside(OneView):
    """GET lists what was set aside, with the reasons."""

    http_method_names = ["get", "head"]  # noqa: RUF012

    @described(said.REAUDIT_ASIDE)
    def get(self, request: Request, reaudit: int) -> Response:
        self.row(request, reaudit)
        check_parameters(request, *BESIDE)
        asked = asked_page(request)
        try:
            page = list_faults(reaudit, cursor=asked.cursor, limit=asked.limit)
        except selectors.BadQuery as error:
            raise ApiError(400, "bad-query", str(error), place="cursor") from None
        return Response({"aside": [fault_of(one) for one in page.rows], **ways_of(request, page)})


def reaudit_of(row: ReauditRow) -> dict[str, Any]:
    """A re-audit as the API tells it; see docs/reaudit.md."""
    return {
        "id": row.id,
        "url": reverse("api-reaudit", args=(row.id,)),
        "page": reverse("reaudit", args=(row.id,)),
        "requested_by": row.requested_by,
        "reason": row.reason,
        "filter": row.filter,
        "filter_text": row.filter_text,
        "named": row.named or None,
        "ruleset": row.ruleset or None,
        "ruleset_sha256": row.ruleset_sha256,
        "is_rehearsal": row.is_rehearsal,
        "refused_lines": row.refused_lines,
        "engine": row.engine,
        "state": row.state,
        "is_ended": row.is_ended,
        "error": row.error or None,
        "percent": row.percent,
        "total": row.total,
        "done": row.done,
        "counts": {
            "written": row.written,
            "confirmed": row.confirmed,
            "rehearsed": row.rehearsed,
            "admitted": row.admitted,
            "refused": row.refused,
            "aside": row.aside,
        },
        "changed": row.changed,
        "flipped": row.flipped,
        "unsettled": row.unsettled,
        "seconds_left": None if row.seconds_left is None else round(row.seconds_left),
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def flip_of(flip: Flip) -> dict[str, Any]:
    return {
        "before": {"verdict": flip.kind_before, "finding": flip.code_before or None},
        "after": {"verdict": flip.kind, "finding": flip.code or None},
        "is_flipped": flip.is_flipped,
    }


def change_of(reaudit_id: int, row: ChangeRow) -> dict[str, Any]:
    return {
        "hand": row.hand_pk,
        "page": reverse("reaudit-change", args=(reaudit_id, row.version_pk)),
        "source": row.source,
        "hand_id": row.hand_id,
        "version": row.version,
        "is_in_force": row.is_current,
        "game": row.game,
        "ruleset": row.ruleset,
        "table": row.table,
        "started_at": row.started_at,
        **flip_of(row.flip),
    }


def amount_of(row: AmountRow) -> dict[str, Any]:
    """Amounts as decimal texts, with the decimals of their currency; null where there is none."""

    def text(units: int | None) -> str | None:
        return None if units is None else replay.format_minor(units, row.minor_digits)

    return {
        "source": row.source or None,
        "table": row.table or None,
        "player": row.player or None,
        "currency": row.currency,
        "minor_digits": row.minor_digits,
        "hands": row.hands,
        "net": {"before": text(row.net_before), "after": text(row.net_after)},
        "rake": {"before": text(row.rake_before), "after": text(row.rake_after)},
        "valid_bet": {"before": text(row.valid_bet_before), "after": text(row.valid_bet_after)},
    }


def fault_of(row: FaultRow) -> dict[str, Any]:
    return {
        "hand": row.hand_pk,
        "hand_id": row.hand_id,
        "version": row.version,
        "upload": row.upload_id,
        "line": row.line,
        "reason": row.reason,
    }
