"""The journal, the visits and the attempts to sign in, for those who watch over them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from audit.models import ReviewKind, SignInOutcome
from audit.selectors.access import Act
from audit.selectors.journal import (
    FILTERS,
    JournalFilters,
    JournalRow,
    last_entry,
    list_journal,
    list_reviews,
)
from audit.selectors.pages import BadQuery, NotFound, Page
from audit.selectors.visits import get_visit, last_sign_in, list_sign_ins, list_visits
from audit.services.reviews import ReviewRefused, record_review
from audit.web.access import access_of_request, needs
from audit.web.access_words import ACTS, ENDS, OUTCOMES, REVIEWS, WAYS, act_words

SECTION = {"section": "journal"}


@needs(Act.SEE_JOURNAL, asks=(*FILTERS, "cursor"))
@never_cache
@require_safe
def journal_page(request: HttpRequest) -> HttpResponse:
    """Who looked at what, the newest first, narrowed by the query."""
    problem, status = None, 200
    page: Page[JournalRow] = Page(rows=())
    try:
        filters = JournalFilters.parse(request.GET.dict())
        sources = access_of_request(request).sources(Act.SEE_JOURNAL)
        page = list_journal(filters, sources=sources, cursor=request.GET.get("cursor"))
    except BadQuery as error:
        problem, status = str(error), 400
    asked = {key: request.GET[key] for key in FILTERS if request.GET.get(key)}
    context = {
        "lines": [(row, act_words(row.act), _asked(row)) for row in page.rows],
        "acts": [(act.value, ACTS[act]) for act in Act],
        "asked": asked,
        "problem": problem,
        **_ways(page, asked),
    }
    return render(request, "journal/journal.html", SECTION | context, status=status)


def _asked(row: JournalRow) -> str:
    """What was asked, such as `verdict=void`, or what was done."""
    asked = row.detail.get("asked")
    if isinstance(asked, dict):
        return "&".join(f"{key}={value}" for key, values in asked.items() for value in values)
    if row.detail.get("refused") is True:
        return _more_refused(row)
    return ", ".join(f"{key}: {value}" for key, value in row.detail.items() if key != "status")


def _more_refused(row: JournalRow) -> str:
    """How many were refused beside those that have rows; empty for one that is a row."""
    more = row.detail.get("more")
    if not isinstance(more, int):
        return ""
    said = _("{number} more in the minute of {minute}")
    return said.format(number=f"{more:,}", minute=row.detail.get("minute", ""))


@needs(Act.SEE_JOURNAL, asks=("cursor",))
@never_cache
@require_safe
def visit_list(request: HttpRequest) -> HttpResponse:
    """Visits, the newest first: who, from where, how long, and how they ended."""
    _check_whole(request)
    problem, status = None, 200
    try:
        page = list_visits(cursor=request.GET.get("cursor"))
    except BadQuery as error:
        page, problem, status = Page(rows=()), str(error), 400
    context = {
        "lines": [(visit, ENDS.get(visit.ended_how, visit.ended_how)) for visit in page.rows],
        "problem": problem,
        **_ways(page, {}),
    }
    return render(request, "journal/visits.html", SECTION | context, status=status)


@needs(Act.SEE_JOURNAL, asks=("cursor",))
@never_cache
@require_safe
def visit_page(request: HttpRequest, visit: int) -> HttpResponse:
    """One visit with all that was done in it."""
    _check_whole(request)
    problem, status = None, 200
    page: Page[JournalRow] = Page(rows=())
    try:
        row = get_visit(visit)
        page = list_journal(
            JournalFilters(visit=visit), sources=None, cursor=request.GET.get("cursor")
        )
    except NotFound as error:
        raise Http404(str(error)) from None
    except BadQuery as error:
        problem, status = str(error), 400
    context = {
        "visit": row,
        "end": ENDS.get(row.ended_how, row.ended_how),
        "lines": [(one, act_words(one.act), _asked(one)) for one in page.rows],
        "problem": problem,
        **_ways(page, {}),
    }
    return render(request, "journal/visit.html", SECTION | context, status=status)


@needs(Act.SEE_JOURNAL, asks=("outcome", "cursor"))
@never_cache
@require_safe
def sign_in_list(request: HttpRequest) -> HttpResponse:
    """Every attempt to come in, good and bad, the newest first."""
    _check_whole(request)
    problem, status = None, 200
    outcome = request.GET.get("outcome", "")
    try:
        page = list_sign_ins(outcome=outcome, cursor=request.GET.get("cursor"))
    except BadQuery as error:
        page, problem, status = Page(rows=()), str(error), 400
    context = {
        "lines": [(row, WAYS[row.way], OUTCOMES[row.outcome]) for row in page.rows],
        "outcomes": [(one, OUTCOMES[one], one == outcome) for one in SignInOutcome.values],
        "problem": problem,
        "outcome": outcome,
        **_ways(page, {"outcome": outcome} if outcome else {}),
    }
    return render(request, "journal/sign_ins.html", SECTION | context, status=status)


@needs(Act.SEE_JOURNAL, asks=("cursor",))
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def log_reviews(request: HttpRequest) -> HttpResponse:
    """Reviews of the logs: who looked over which range when; POST records one."""
    _check_whole(request)
    problem, status = None, 200
    if request.method == "POST":
        try:
            _review(request)
        except ReviewRefused as error:
            problem, status = str(error), 400
        else:
            messages.success(request, _("The review is on record."))
            return redirect("log-reviews")
    try:
        page = list_reviews(cursor=request.GET.get("cursor"))
    except BadQuery as error:
        page, problem, status = Page(rows=()), str(error), 400
    logs = {ReviewKind.JOURNAL: last_entry(), ReviewKind.SIGN_INS: last_sign_in()}
    context = {
        "lines": [(row, REVIEWS[row.kind]) for row in page.rows],
        "logs": [(kind.value, REVIEWS[kind], last) for kind, last in logs.items()],
        "typed": request.POST.dict(),
        "problem": problem,
        **_ways(page, {}),
    }
    return render(request, "journal/reviews.html", SECTION | context, status=status)


def _review(request: HttpRequest) -> None:
    """Raises: ReviewRefused."""
    kind = request.POST.get("kind", "")
    newest = {ReviewKind.JOURNAL.value: last_entry, ReviewKind.SIGN_INS.value: last_sign_in}
    if kind not in newest:
        raise ReviewRefused(_("Choose what was reviewed."))
    numbers = [request.POST.get(key, "").strip() for key in ("first", "last")]
    if not all(text.isascii() and text.isdecimal() and len(text) <= 18 for text in numbers):
        raise ReviewRefused(_("Say from which row to which."))
    first, last = (int(text) for text in numbers)
    if first < 1:
        raise ReviewRefused(_("Say from which row to which."))
    if last > newest[kind]():
        raise ReviewRefused(_("The log does not go so far."))
    record_review(
        access=access_of_request(request),
        kind=ReviewKind(kind),
        note=request.POST.get("note", ""),
        first=first,
        last=last,
        facts={},
    )


def _check_whole(request: HttpRequest) -> None:
    """What belongs to no source is for those who see all of them. Raises: Http404."""
    if access_of_request(request).sources(Act.SEE_JOURNAL) is not None:
        raise Http404("This is for those who may see every source.")


def _ways(page: Page[Any], asked: dict[str, str]) -> dict[str, str | None]:
    def address(cursor: str | None) -> str | None:
        return None if cursor is None else f"?{urlencode({**asked, 'cursor': cursor})}"

    return {"newer": address(page.previous_cursor), "older": address(page.next_cursor)}
