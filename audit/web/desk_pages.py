"""The desk, its queue, and a case with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

import replay
from audit import selectors
from audit.config.asked import Misread
from audit.selectors.access import Act, Sources
from audit.selectors.desk_books import colleagues
from audit.selectors.desk_cases import case_detail, case_of_hand, get_case, list_acts
from audit.selectors.desk_queue import (
    CaseRow,
    QueueFilters,
    desk_overview,
    list_cases,
)
from audit.services import desk
from audit.web import desk_words as words
from audit.web.access import access_of_request, needs, note_shown, sources_of_request
from audit.web.desk_present import (
    FILTERS,
    act_line,
    present_case,
    present_overview,
    present_queue,
)
from audit.web.desk_requests import desk_view, number_of, person_of, user_of
from audit.web.erased import erased_people
from audit.web.language import phrase, say
from audit.web.views.viewer import refuse_others

SECTION = {"section": "desk"}
FIRST_SHOWN = 8
CODES = tuple((code.code, code.title) for code in replay.CODES.values() if code.severity == "error")


@needs(Act.SEE_DESK)
@desk_view
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The desk in figures, what is mine, and what comes next."""
    how: dict[str, Any] = {"sources": sources_of_request(request), "user_id": user_of(request).pk}
    mine = list_cases(QueueFilters(owner="mine"), limit=FIRST_SHOWN, **how)
    first = list_cases(QueueFilters(owner="free"), limit=FIRST_SHOWN, **how)
    context = present_overview(desk_overview(**how), mine, first)
    return render(request, "desk/home.html", SECTION | context)


@needs(Act.SEE_DESK, asks=(*FILTERS, "cursor"))
@desk_view
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Cases by money at risk × age; narrowed and paged by the query."""
    problem, status = None, 200
    page: selectors.Page[CaseRow] = selectors.Page(rows=())
    query = request.GET.dict()
    try:
        filters = QueueFilters.parse(query)
        page = list_cases(
            filters,
            sources=sources_of_request(request),
            user_id=user_of(request).pk,
            cursor=query.get("cursor"),
        )
    except selectors.BadQuery as error:
        problem, status, query = str(error), 400, {}
    note_shown(request, rows=len(page.rows))
    context = SECTION | present_queue(page, query, CODES) | {"problem": problem}
    return render(request, "desk/queue.html", context, status=status)


@needs(Act.WORK_CASES)
@desk_view
@require_POST
def take_next(request: HttpRequest) -> HttpResponse:
    """Take the first case that nobody has, and go to it."""
    user, sources = user_of(request), sources_of_request(request)
    case_id = desk.take_next(sources=sources, user=user)
    if case_id is None:
        # One that is being changed at this moment is passed over, not waited for.
        is_busy = desk_overview(sources=sources, user_id=user.pk).free_count > 0
        nothing = phrase("Nothing waits: every open case is in somebody's hands.")
        messages.info(
            request, phrase("Hands are being filed just now: try again.") if is_busy else nothing
        )
        return HttpResponseRedirect(reverse("desk"))
    return HttpResponseRedirect(reverse("case", args=(case_id,)))


@needs(Act.SEE_DESK, asks=("as",))
@desk_view
@require_safe
def hand_case(request: HttpRequest, hand: int) -> HttpResponse:
    """From a hand to the case in which it stands; else to the form for a claim about it."""
    refuse_others(request, hand)
    case_id = case_of_hand(hand, sources=sources_of_request(request))
    if case_id is not None:
        return HttpResponseRedirect(reverse("case", args=(case_id,)))
    return HttpResponseRedirect(f"{reverse('claim-new')}?hand={hand}")


@needs(Act.SEE_DESK, asks=("left", "cursor"))
@desk_view
@require_safe
def case_page(request: HttpRequest, case: int) -> HttpResponse:
    return _case(request, case)


def _case(
    request: HttpRequest,
    case: int,
    *,
    problem: str | None = None,
    typed: QueryDict | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of a case; `problem` says why an act was refused, `typed` is what was sent."""
    left, cursor = request.GET.get("left") == "1", request.GET.get("cursor")
    sources = access_of_request(request).sources(Act.SEE_DESK)
    if request.GET.get("left", "") not in ("", "1"):
        raise Misread(say("“left” is 1, or left out."))
    try:
        detail = case_detail(case, sources=sources, left=left, cursor=cursor)
    except selectors.BadQuery as error:
        detail = case_detail(case, sources=sources, left=left)
        problem, status = str(error), 400
    note_shown(request, source=detail.row.source)
    context = present_case(detail, user_id=user_of(request).pk, left=left)
    context |= {
        "problem": problem,
        "typed": typed,
        "people": colleagues(sources=frozenset({detail.row.source})),
    }
    names = {name for member in detail.members.rows for name in member.players}
    names |= {claim.player for claim in detail.claims}
    context["erased"] = erased_people(sorted(names), sources=frozenset({detail.row.source}))
    return render(request, "desk/case.html", SECTION | context, status=status)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """An act as its form sent it."""

    case: int
    sources: Sources
    user: User
    fields: QueryDict
    revision: int | None

    def text(self, key: str = "reason") -> str:
        return self.fields.get(key) or ""


def _take(sent: _Sent) -> str:
    desk.take_case(case_id=sent.case, sources=sent.sources, user=sent.user, revision=sent.revision)
    return phrase("The case is yours for a while.")


def _release(sent: _Sent) -> str:
    desk.release_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        revision=sent.revision,
        note=sent.text("note"),
    )
    return phrase("The case is back in the queue.")


def _assign(sent: _Sent) -> str:
    to = person_of(sent.fields, "to", sources=sent.sources)
    desk.assign_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        to=to,
        revision=sent.revision,
        note=sent.text("note"),
    )
    return phrase("The case is assigned to {name}.", name=to.get_username())


def _comment(sent: _Sent) -> str:
    desk.comment_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        text=sent.text("comment"),
        hand_id=number_of(sent.fields, "hand"),
        step=number_of(sent.fields, "step"),
    )
    return phrase("The comment is in the history.")


def _decide(sent: _Sent) -> str:
    desk.decide_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        decision=sent.text("decision"),
        reason=sent.text(),
        revision=sent.revision,
    )
    return phrase("The case is decided.")


def _reopen(sent: _Sent) -> str:
    desk.reopen_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        reason=sent.text(),
        revision=sent.revision,
    )
    return phrase("The case is open again.")


def _withdraw(sent: _Sent) -> str:
    desk.withdraw_case(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        reason=sent.text("why"),
        revision=sent.revision,
    )
    return phrase("The case is withdrawn.")


def _propose(sent: _Sent) -> str:
    scope = sent.text("scope")
    if scope not in [one.value for one in desk.Scope]:
        raise desk.DeskRefused(phrase("Choose whose differences to propose."))
    remedy = desk.propose_remedy(
        case_id=sent.case,
        sources=sent.sources,
        user=sent.user,
        reason=sent.text(),
        scope=desk.Scope(scope),
        revision=sent.revision,
    )
    return phrase("{remedy} is proposed; a second person approves it.", remedy=remedy)


_ACTS: dict[str, Callable[[_Sent], str]] = {
    "take": _take,
    "release": _release,
    "assign": _assign,
    "comment": _comment,
    "decide": _decide,
    "reopen": _reopen,
    "withdraw": _withdraw,
    "propose": _propose,
}

_NEEDED = dict.fromkeys(_ACTS, Act.WORK_CASES) | {
    "comment": Act.COMMENT,
    "propose": Act.PROPOSE_REMEDY,
}


@needs(Act.SEE_DESK, field="act", acts=_NEEDED)
@desk_view
@require_POST
def act(request: HttpRequest, case: int) -> HttpResponse:
    """Do one thing to a case. What does not fit is answered by the case as it stands: 409."""
    run = _ACTS.get(request.POST.get("act", ""))
    if run is None:
        raise Http404("There is no such act.")
    try:
        sent = _Sent(
            case=case,
            sources=sources_of_request(request),
            user=user_of(request),
            fields=request.POST,
            revision=number_of(request.POST, "revision"),
        )
        messages.success(request, run(sent))
    except desk.DeskRefused as error:
        return _case(request, case, problem=str(error), typed=request.POST, status=400)
    except desk.DeskConflict as error:
        return _case(request, case, problem=str(error), typed=request.POST, status=409)
    return HttpResponseRedirect(reverse("case", args=(case,)))


@needs(Act.SEE_DESK, asks=("before",))
@desk_view
@require_safe
def history(request: HttpRequest, case: int) -> HttpResponse:
    """Every act of a case, the newest first, a page at a time."""
    text = request.GET.get("before", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise Http404("There is no such page.")
    sources = sources_of_request(request)
    row = get_case(case, sources=sources)
    note_shown(request, source=row.source)
    acts = list_acts(case, sources=sources, before=int(text) if text else None)
    context = {
        "case": row,
        "title": words.title_of(row),
        "acts": [act_line(one) for one in acts],
        "is_first": not text,
        "older": f"?before={acts[-1].number}" if acts and acts[-1].number > 1 else None,
    }
    return render(request, "desk/history.html", SECTION | context)
