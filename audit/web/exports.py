"""The page of totals, and tables to take out as CSV."""

from __future__ import annotations

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from audit.config.asked import Misread
from audit.selectors.access import Act
from audit.selectors.certificates_tables import known_tables
from audit.selectors.exports import REPORTS, TOTALS_COLUMNS, totals_rows
from audit.selectors.exports_sheet import Sheet, write_sheet
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.reaudits_scope import KEYS
from audit.selectors.totals import TotalsPage, TotalsQuery, list_totals
from audit.web.access import needs, sources_of_request
from audit.web.exports_pages import GROUPINGS, TOTALS_FILTERS, present_totals
from audit.web.language import phrase, say


def download(request: HttpRequest, sheet: Sheet, name: str) -> StreamingHttpResponse:
    """A table in pieces. It has the byte order mark, for a person is about to open it in a
    spreadsheet; `?mark=no` leaves it out for programs. Raises: Misread."""
    asked = request.GET.get("mark", "")
    if asked not in ("", "no"):
        raise Misread(say("“mark” is no, or left out."))
    with_mark = asked != "no"
    response = StreamingHttpResponse(
        write_sheet(sheet, with_mark=with_mark), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    # Whatever stands in between must pass each piece on, and an end that is missing with it.
    response["X-Accel-Buffering"] = "no"
    return response


@needs(Act.EXPORT, asks=(*KEYS, "mark"))
@never_cache
@require_safe
def report_csv(request: HttpRequest, report: str) -> HttpResponseBase:
    """Hands, figures or findings under the filters of the list of hands."""
    if report not in REPORTS:
        raise Http404("There is no such table.")
    try:
        filters = HandFilters.parse(request.GET.dict())
    except BadQuery as error:
        return _refused(error)
    wanted = REPORTS[report]
    asked = {key: value for key, value in request.GET.dict().items() if value and key in KEYS}
    sheet = Sheet(
        title=wanted.title,
        columns=wanted.columns,
        rows=wanted.rows(filters, sources_of_request(request)),
        made_at=timezone.now(),
        filters=asked,
    )
    return download(request, sheet, f"{report}.csv")


@needs(Act.SEE_REPORTS, asks=(*TOTALS_FILTERS, "by", "before"))
@never_cache
@require_safe
def totals_page(request: HttpRequest) -> HttpResponse:
    """Hands and money of the days, the latest first, a page of days at a time."""
    page, problem, status = TotalsPage(rows=(), before=None), None, 200
    try:
        page = list_totals(totals_query(request), before=_before(request))
    except BadQuery as error:
        problem, status = str(error), 400
    context = present_totals(
        page, request.GET.dict(), known_tables(sources=sources_of_request(request))
    )
    context |= {"section": "totals", "problem": problem}
    return render(request, "exports/totals.html", context, status=status)


@needs(Act.EXPORT, asks=(*TOTALS_FILTERS, "mark"))
@never_cache
@require_safe
def totals_csv(request: HttpRequest) -> HttpResponseBase:
    """The totals of all days under the filters."""
    try:
        query = totals_query(request)
    except BadQuery as error:
        return _refused(error)
    sheet = Sheet(
        title=phrase("Totals"),
        columns=TOTALS_COLUMNS,
        rows=totals_rows(query),
        made_at=timezone.now(),
        filters={key: request.GET[key] for key in TOTALS_FILTERS if request.GET.get(key)},
    )
    return download(request, sheet, "totals.csv")


def totals_query(request: HttpRequest) -> TotalsQuery:
    """Raises: BadQuery."""
    query = request.GET.dict()
    if query.get("by", "") not in ("", *GROUPINGS):
        raise BadQuery(say("The filter “by” is none of {names}.", names=", ".join(GROUPINGS)))
    named = HandFilters.parse({key: query[key] for key in TOTALS_FILTERS if key in query})
    return TotalsQuery(
        sources=sources_of_request(request),
        source=named.source,
        table=named.table,
        game=named.game,
        day_from=named.day_from,
        day_to=named.day_to,
    )


def _before(request: HttpRequest) -> date | None:
    text = request.GET.get("before", "")
    if not text:
        return None
    return HandFilters.parse({"to": text}).day_to


def _refused(error: BadQuery) -> HttpResponse:
    return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
