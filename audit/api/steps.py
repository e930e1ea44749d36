"""A step of a hand by program, as the auditor, a seat or the public saw it."""

from __future__ import annotations

from typing import Any

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

import replay
from audit import selectors
from audit.api import work_described as said
from audit.api.describing import described
from audit.api.errors import ApiError
from audit.api.permissions import needs, note_shown_of_api, sources_of_api
from audit.api.rendering import plain
from audit.api.resource import Resource
from audit.selectors.access import Act


class HandStep(Resource):
    """GET one step: the board, the events up to it, the figures where they are there to be seen.

    `?as=` is `auditor` (the default), `public` or `seat-0` to `seat-3`. Another viewer than the
    auditor is told what was shown to him up to this step, and nothing of what comes later.
    """

    permission_classes = [needs(Act.SEE_HANDS)]  # noqa: RUF012 - as the framework has it
    http_method_names = ["get", "head"]  # noqa: RUF012 - as the framework has it

    @described(said.STEP)
    def get(self, request: Request, hand: int, number: int) -> Response:
        viewpoint = _viewpoint(request)
        try:
            played = selectors.played_hand(hand, sources=sources_of_api(request))
        except selectors.NotFound as error:
            raise ApiError(404, "not-found", str(error)) from None
        note_shown_of_api(request, source=played.hand.source)
        if played.version.feed:
            raise ApiError(404, "not-found", "What a feed tells of a hand has no steps.")
        try:
            sight = replay.seen(played.raw, selectors.current_rulesets(), viewpoint, number)
        except replay.NoSuchStep:
            raise ApiError(404, "not-found", "There is no such step.") from None
        except replay.Refusal as refusal:
            raise ApiError(409, "not-replayable", str(refusal)) from None
        board = sight.walk.steps[0].board
        if viewpoint.seat is not None and not board.seats:
            raise ApiError(404, "not-found", "This game has no seats.")
        return Response(_told(played.hand, sight))


def _viewpoint(request: Request) -> replay.Viewpoint:
    asked = request.query_params.getlist("as") or ["auditor"]
    if len(asked) > 1:
        raise ApiError(400, "bad-query", "An address names one viewer.", place="as")
    try:
        return replay.parse_viewpoint(asked[0])
    except replay.UnknownViewpoint:
        raise ApiError(400, "bad-query", "There is no such viewer.", place="as") from None


def _told(hand: selectors.HandRow, sight: replay.Sight) -> dict[str, Any]:
    step = sight.walk.steps[sight.number]
    # The board of a step is told once; the list has what happened, not how it looked then.
    events = [_event(one) for one in sight.walk.steps if one.event is not None]
    return {
        "hand": str(hand.pk),
        "source": hand.source,
        "hand_id": hand.hand_id,
        "game": hand.game,
        "ruleset": hand.ruleset,
        "currency": hand.currency,
        "minor_digits": hand.minor_digits,
        "as": str(sight.viewpoint),
        "number": sight.number,
        "has_next": sight.has_next,
        "is_revealed": sight.is_revealed,
        "board": msgspec.to_builtins(step.board, enc_hook=plain),
        "decision": msgspec.to_builtins(step.decision, enc_hook=plain),
        "events": events,
        "figures": [msgspec.to_builtins(figure, enc_hook=plain) for figure in sight.walk.figures],
    }


def _event(step: replay.Step) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(step, enc_hook=plain)
    for name in ("board", "decision"):
        del told[name]
    return told
