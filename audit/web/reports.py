"""Reports: their list, asking for one, each version, the runs that make them."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import ReportBasis, ReportKind
from audit.selectors.access import Act
from audit.selectors.certificates_tables import known_tables
from audit.selectors.pages import BadQuery, Page
from audit.selectors.reports import (
    ReportNotFound,
    ReportRow,
    ReportRunRow,
    asked_of,
    editions_of,
    get_file,
    get_report,
    get_run,
    list_reports,
    open_runs,
)
from audit.selectors.reports_asking import Asked, read_request
from audit.selectors.reports_definitions import Definition, definition_of
from audit.services.reports import (
    ReportRefused,
    continue_report,
    request_report,
    resume_report,
    stop_report,
)
from audit.web.access import access_of_request, needs, note_shown, sent_act
from audit.web.language import told
from audit.web.reports_pages import (
    present_editions,
    present_form,
    present_list,
    present_report,
    present_run,
)

# So long a page waits for a report before it shows the progress instead.
PATIENCE_SECONDS = 0.7
TYPES = {
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "note": "text/plain; charset=utf-8",
}
SECTION = {"section": "reports"}


@never_cache
@require_safe
@needs(Act.SEE_REPORTS, asks=("kind", "cursor"))
def report_list(request: HttpRequest) -> HttpResponse:
    """Versions by number, the latest first."""
    access = access_of_request(request)
    page: Page[ReportRow] = Page(rows=())
    problem, status = None, 200
    kind = request.GET.get("kind", "")
    try:
        page = list_reports(access, kind=kind, cursor=request.GET.get("cursor"))
    except BadQuery as error:
        problem, status = str(error), 400
    context = present_list(page, kind, open_runs(access), access)
    return render(
        request, "reports/list.html", SECTION | context | {"problem": problem}, status=status
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@needs(Act.MAKE_REPORTS, asks=("kind",))
def report_new(request: HttpRequest) -> HttpResponse:
    """Choose a report, then say of which days and what it is narrowed by."""
    access = access_of_request(request)
    fields = (request.POST if request.method == "POST" else request.GET).dict()
    definition = _definition(fields.get("kind", ""))
    if definition is not None and definition.act is not None and not access.may(definition.act):
        raise Http404("There is no such report.")
    problem, status = None, 200
    if request.method == "POST" and definition is not None:
        try:
            return _make(request, definition, read_request(definition, fields, access))
        except BadQuery as error:
            problem, status = str(error), 400
    allowed = access.sources(Act.MAKE_REPORTS)
    tables = known_tables(sources=allowed)
    context = present_form(definition, fields, tables, access, today=timezone.now().date())
    return render(
        request, "reports/new.html", SECTION | context | {"problem": problem}, status=status
    )


def _definition(kind: str) -> Definition | None:
    if not kind:
        return None
    if kind not in ReportKind.values:
        raise Http404("There is no such report.")
    return definition_of(kind)


def _make(
    request: HttpRequest, definition: Definition, asked: Asked, *, again: int | None = None
) -> HttpResponse:
    run = request_report(
        definition=definition, asked=asked, access=access_of_request(request), again=again
    )
    continue_report(run_id=run, seconds=PATIENCE_SECONDS)
    made = get_run(run, access_of_request(request))
    if made.report is None:
        return HttpResponseRedirect(reverse("report-run", args=(run,)))
    if made.is_same:
        messages.info(
            request, _("Nothing has changed: this report says what it would say if made now.")
        )
    return HttpResponseRedirect(reverse("report", args=(made.report,)))


@never_cache
@require_safe
@needs(Act.SEE_REPORTS)
def report_page(request: HttpRequest, report: int) -> HttpResponse:
    """One version whole, with its sums and checks; it prints as it stands."""
    access = access_of_request(request)
    try:
        detail = get_report(report, access)
    except ReportNotFound as error:
        raise Http404(str(error)) from None
    _note_player(request, detail.row)
    context = present_report(detail, may_make=access.may(Act.MAKE_REPORTS))
    return render(request, "reports/report.html", SECTION | context)


def _note_player(request: HttpRequest, row: ReportRow) -> None:
    """A report about a person is journalled under the person."""
    note_shown(request, source=row.asked.get("source"), player=row.asked.get("player"))


@never_cache
@require_safe
@needs(Act.SEE_REPORTS)
def report_file(request: HttpRequest, report: int, form: str) -> HttpResponse:
    """A file of a version, byte by byte as it was signed."""
    access = access_of_request(request)
    try:
        data = get_file(report, form, access)
        _note_player(request, get_report(report, access).row)
    except ReportNotFound as error:
        raise Http404(str(error)) from None
    response = HttpResponse(data, content_type=TYPES[form])
    name = f"report-{report}.note" if form == "note" else f"report-{report}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@never_cache
@require_safe
@needs(Act.SEE_REPORTS)
def report_editions(request: HttpRequest, report: int) -> HttpResponse:
    """Every version of one report, and whether each is as it was signed."""
    try:
        editions = editions_of(report, access_of_request(request))
    except ReportNotFound as error:
        raise Http404(str(error)) from None
    return render(request, "reports/editions.html", SECTION | present_editions(report, editions))


@require_POST
@needs(Act.MAKE_REPORTS)
def report_again(request: HttpRequest, report: int) -> HttpResponse:
    """Make the same report again: the same version where nothing has changed, else a new one."""
    try:
        found = asked_of(report, access_of_request(request))
    except ReportNotFound as error:
        raise Http404(str(error)) from None
    asked = Asked(
        basis=ReportBasis(found.basis),
        first=found.first,
        last=found.last,
        parameters=found.parameters,
        sources=None if found.sources is None else frozenset(found.sources),
    )
    return _make(request, definition_of(found.kind), asked, again=report)


@never_cache
@require_safe
@needs(Act.SEE_REPORTS)
def run_page(request: HttpRequest, run: int) -> HttpResponse:
    """How far the making of a report is."""
    return render(request, "reports/run.html", SECTION | present_run(_run(request, run)))


@never_cache
@require_safe
@needs(Act.SEE_REPORTS, journal=False)
def run_progress(request: HttpRequest, run: int) -> HttpResponse:
    """The part of a run's page that changes; a script asks for it."""
    return render(request, "reports/_run.html", SECTION | present_run(_run(request, run)))


@require_POST
@needs(Act.MAKE_REPORTS)
def run_act(request: HttpRequest, run: int) -> HttpResponse:
    """Stop the making of a report, or let it go on."""
    _run(request, run)
    act = sent_act(request, "act", "stop", "resume")
    try:
        if act == "resume":
            resume_report(run_id=run)
        else:
            stop_report(run_id=run)
    except ReportRefused as error:
        messages.error(request, told(str(error)))
    return HttpResponseRedirect(reverse("report-run", args=(run,)))


def _run(request: HttpRequest, run: int) -> ReportRunRow:
    try:
        return get_run(run, access_of_request(request))
    except ReportNotFound as error:
        raise Http404(str(error)) from None
