"""Claims and remedies: their lists, their pages, and what can be done there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit import selectors
from audit.models import RemedyState
from audit.selectors.access import Act, Sources
from audit.selectors.desk_books import (
    ClaimedHand,
    claimed_hands,
    get_claim,
    get_remedy,
    hands_by_name,
    list_claims,
    list_remedies,
    remedy_file,
)
from audit.selectors.desk_zones import offset_of
from audit.services import desk
from audit.web import desk_words as words
from audit.web.access import access_of_request, needs, note_shown, sources_of_request
from audit.web.desk_pages import SECTION
from audit.web.desk_requests import desk_view, instant_of, user_of
from audit.web.language import phrase

LINES_MAX = 200


@needs(Act.SEE_DESK, asks=("player", "cursor"))
@desk_view
@require_safe
def claim_list(request: HttpRequest) -> HttpResponse:
    problem, status = None, 200
    page: selectors.Page[Any] = selectors.Page(rows=())
    player = request.GET.get("player", "")
    try:
        page = list_claims(
            sources=sources_of_request(request),
            player=player,
            cursor=request.GET.get("cursor"),
        )
    except selectors.BadQuery as error:
        problem, status, player = str(error), 400, ""
    note_shown(request, rows=len(page.rows))
    context = {"rows": page.rows, "player": player, "problem": problem}
    context |= _pages(page, {"player": player})
    return render(request, "desk/claims.html", SECTION | context, status=status)


def _pages(page: selectors.Page[Any], asked: dict[str, str]) -> dict[str, str | None]:
    fields = {key: value for key, value in asked.items() if value}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**fields, "cursor": cursor})

    return {"newer": address(page.previous_cursor), "older": address(page.next_cursor)}


@needs(Act.CLAIM, asks=("hand",))
@desk_view
@require_http_methods(["GET", "HEAD", "POST"])
def claim_new(request: HttpRequest) -> HttpResponse:
    """The form for a claim; `?hand=12` fills in a stored hand."""
    sources = sources_of_request(request)
    if request.method != "POST":
        return _claim_form(request, _filled(request.GET.get("hand", ""), sources))
    typed = {key: value for key, value in request.POST.items() if isinstance(value, str)}
    try:
        claim = desk.enter_claim(
            sources=sources, user=user_of(request), complaint=_complaint(typed, sources)
        )
    except desk.DeskRefused as error:
        return _claim_form(request, typed, problem=str(error), status=400)
    except desk.DeskConflict as error:
        return _claim_form(request, typed, problem=str(error), status=409)
    note_shown(request, source=claim.source, player=claim.player)
    messages.success(
        request, phrase("{claim} is entered, in case {case}.", claim=claim, case=claim.case)
    )
    return HttpResponseRedirect(reverse("claim", args=(claim.pk,)))


def _claim_form(
    request: HttpRequest, typed: dict[str, str], *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    context = {"typed": typed, "problem": problem}
    return render(request, "desk/claim_new.html", SECTION | context, status=status)


def _filled(text: str, sources: Sources) -> dict[str, str]:
    """What the form begins with. Raises: Http404 for a hand that is not there to be seen."""
    if not text:
        return {"offset": "+00:00"}
    hands: tuple[ClaimedHand, ...] = ()
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        hands = claimed_hands([int(text)], sources=sources)
    if not hands:
        raise Http404("There is no such hand.")
    hand = hands[0]
    offset = offset_of(hand.started_at)
    minutes = (offset.utcoffset(None) or timedelta(0)) // timedelta(minutes=1)
    sign = "-" if minutes < 0 else "+"
    return {
        "source": hand.source,
        "hands": hand.hand_id,
        "offset": f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}",
    }


def _complaint(typed: dict[str, str], sources: Sources) -> desk.Complaint:
    """What the form says. Raises: DeskRefused."""
    source = typed.get("source", "")
    lines = typed.get("hands", "").replace("\r\n", "\n").split("\n")
    names = [line for line in lines if line]
    if not names or len(names) > LINES_MAX:
        raise desk.DeskRefused(phrase("Name the hands by their ids, one a line."))
    if any("\0" in one for one in (source, *names)):
        raise desk.DeskRefused(phrase("A name holds no NUL."))
    known = hands_by_name(source, names, sources=sources)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise desk.DeskRefused(
            phrase(
                "Source “{source}” has no hand “{unknown}”.",
                source=source,
                unknown=unknown[0][:128],
            )
        )
    return desk.Complaint(
        player=typed.get("player", ""),
        claimed_at=instant_of(typed, "claimed_at", "offset"),
        text=typed.get("text", ""),
        hand_ids=tuple(known[name] for name in names),
        amount=typed.get("amount", ""),
    )


@needs(Act.SEE_DESK)
@desk_view
@require_safe
def claim_page(request: HttpRequest, claim: int) -> HttpResponse:
    return _claim(request, claim)


def _claim(
    request: HttpRequest, claim: int, *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    detail = get_claim(claim, sources=access_of_request(request).sources(Act.SEE_DESK))
    note_shown(request, source=detail.row.source, player=detail.row.player)
    amount = detail.row.amount
    context = {
        "claim": detail.row,
        "hands": detail.hands,
        "amount": words.money_words((amount,)) if amount else None,
        "problem": problem,
    }
    return render(request, "desk/claim.html", SECTION | context, status=status)


@needs(Act.CLAIM)
@desk_view
@require_POST
def claim_withdraw(request: HttpRequest, claim: int) -> HttpResponse:
    try:
        desk.withdraw_claim(
            claim_id=claim,
            sources=sources_of_request(request),
            user=user_of(request),
            reason=request.POST.get("reason", ""),
        )
    except desk.DeskRefused as error:
        return _claim(request, claim, problem=str(error), status=400)
    except desk.DeskConflict as error:
        return _claim(request, claim, problem=str(error), status=409)
    messages.success(request, phrase("The claim is withdrawn."))
    return HttpResponseRedirect(reverse("claim", args=(claim,)))


@needs(Act.SEE_DESK, asks=("state", "cursor"))
@desk_view
@require_safe
def remedy_list(request: HttpRequest) -> HttpResponse:
    problem, status = None, 200
    state = request.GET.get("state", "")
    page: selectors.Page[Any] = selectors.Page(rows=())
    try:
        page = list_remedies(
            sources=sources_of_request(request), state=state, cursor=request.GET.get("cursor")
        )
    except selectors.BadQuery as error:
        problem, status, state = str(error), 400, ""
    context = {"rows": page.rows, "state": state, "problem": problem,
               "states": RemedyState.choices}  # fmt: skip
    context |= _pages(page, {"state": state})
    return render(request, "desk/remedies.html", SECTION | context, status=status)


@needs(Act.SEE_DESK)
@desk_view
@require_safe
def remedy_page(request: HttpRequest, remedy: int) -> HttpResponse:
    return _remedy(request, remedy)


def _remedy(
    request: HttpRequest, remedy: int, *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    row = get_remedy(remedy, sources=access_of_request(request).sources(Act.SEE_DESK))
    context = {
        "remedy": row,
        "state": RemedyState(row.state).label,
        "entries": [(one, words.signed(one.money.minor, one.money.digits)) for one in row.entries],
        "is_own": row.proposed_by_id == user_of(request).pk,
        "problem": problem,
    }
    return render(request, "desk/remedy.html", SECTION | context, status=status)


_NEEDED = {
    "approve": Act.APPROVE_REMEDY,
    "reject": Act.APPROVE_REMEDY,
    "export": Act.EXPORT_REMEDY,
}


@needs(Act.SEE_DESK, field="act", acts=_NEEDED)
@desk_view
@require_POST
def remedy_act(request: HttpRequest, remedy: int) -> HttpResponse:
    """Approve, reject or export a remedy."""
    run = _REMEDY_ACTS.get(request.POST.get("act", ""))
    if run is None:
        raise Http404("There is no such act.")
    try:
        messages.success(request, run(request, remedy))
    except desk.DeskRefused as error:
        return _remedy(request, remedy, problem=str(error), status=400)
    except desk.DeskConflict as error:
        return _remedy(request, remedy, problem=str(error), status=409)
    return HttpResponseRedirect(reverse("remedy", args=(remedy,)))


def _approve(request: HttpRequest, remedy: int) -> str:
    desk.approve_remedy(
        remedy_id=remedy, sources=sources_of_request(request), user=user_of(request)
    )
    return phrase("The remedy is approved.")


def _reject(request: HttpRequest, remedy: int) -> str:
    desk.reject_remedy(
        remedy_id=remedy,
        sources=sources_of_request(request),
        user=user_of(request),
        reason=request.POST.get("reason", ""),
    )
    return phrase("The remedy is rejected.")


def _export(request: HttpRequest, remedy: int) -> str:
    export, is_new = desk.export_remedy(
        remedy_id=remedy, sources=sources_of_request(request), user=user_of(request)
    )
    if is_new:
        return phrase("Exported as {export}.", export=export)
    return phrase("It was exported before, as {export}: the files are the same.", export=export)


_REMEDY_ACTS = {"approve": _approve, "reject": _reject, "export": _export}


@needs(Act.EXPORT)
@desk_view
@require_safe
def remedy_csv(request: HttpRequest, remedy: int) -> HttpResponse:
    return _file(request, remedy, "csv", "text/csv; charset=utf-8")


@needs(Act.EXPORT)
@desk_view
@require_safe
def remedy_json(request: HttpRequest, remedy: int) -> HttpResponse:
    return _file(request, remedy, "json", "application/json")


def _file(request: HttpRequest, remedy: int, kind: str, content_type: str) -> HttpResponse:
    content = remedy_file(remedy, kind, sources=sources_of_request(request))
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="remedy-{remedy}.{kind}"'
    return response
