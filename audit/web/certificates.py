"""Certificates of completeness: their list, each one, the runs that make them, the day rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.selectors.access import Act, Sources
from audit.selectors.certificates import (
    CertificateDetail,
    CertificateFilters,
    CertificateRow,
    RunRow,
    get_certificate,
    get_run,
    list_certificates,
    open_runs,
)
from audit.selectors.certificates_days import rules_shown
from audit.selectors.certificates_tables import known_tables
from audit.selectors.exports_certificates import (
    CERTIFICATE_COLUMNS,
    certificate_rows,
    content_rows,
    document_of,
)
from audit.selectors.exports_sheet import Sheet
from audit.selectors.pages import BadQuery, NotFound, Page
from audit.services.certifying import (
    RunRefused,
    continue_run,
    request_certificates,
    resume_run,
    stop_run,
)
from audit.services.certifying_rules import DayRuleRefused, set_day_rule
from audit.web.access import access_of_request, needs, sent_act, sources_of_request
from audit.web.certificates_pages import (
    FILTERS,
    present_certificate,
    present_list,
    present_rules,
    present_run,
)
from audit.web.exports import download
from audit.web.language import phrase, told

# So long a page waits for a certificate before it shows the progress instead.
PATIENCE_SECONDS = 0.7


@needs(Act.SEE_CERTIFICATES, asks=(*FILTERS, "cursor"))
@never_cache
@require_safe
def certificate_list(request: HttpRequest) -> HttpResponse:
    """Certificates by day, the latest first; narrowed and paged by the query."""
    page: Page[CertificateRow] = Page(rows=())
    problem, status, sources = None, 200, sources_of_request(request)
    try:
        filters = CertificateFilters.parse(request.GET.dict())
        page = list_certificates(filters, sources=sources, cursor=request.GET.get("cursor"))
    except BadQuery as error:
        problem, status = str(error), 400
    context = present_list(page, request.GET.dict(), open_runs(sources=sources))
    context |= {
        "section": "certificates",
        "problem": problem,
        "tables": known_tables(sources=sources),
    }
    return render(request, "certificates/list.html", context, status=status)


@needs(Act.SEE_CERTIFICATES)
@never_cache
@require_safe
def certificate_page(request: HttpRequest, certificate: int) -> HttpResponse:
    """One certificate, set against the facts as they are now."""
    context = present_certificate(_detail(request, certificate)) | {"section": "certificates"}
    return render(request, "certificates/certificate.html", context)


@needs(Act.EXPORT)
@never_cache
@require_safe
def certificate_json(request: HttpRequest, certificate: int) -> HttpResponse:
    """One certificate as a document of certificate/1."""
    document = json.dumps(document_of(_detail(request, certificate)), ensure_ascii=False, indent=1)
    response = HttpResponse(document + "\n", content_type="application/json")
    name = f"certificate-{certificate}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@needs(Act.EXPORT, asks=("mark",))
@never_cache
@require_safe
def certificate_csv(request: HttpRequest, certificate: int) -> HttpResponseBase:
    """One certificate as a table of paths and values."""
    detail = _detail(request, certificate)
    sheet = Sheet(
        title=phrase("Certificate {certificate}", certificate=certificate),
        columns=("path", "value"),
        rows=content_rows(detail),
        made_at=timezone.now(),
    )
    return download(request, sheet, f"certificate-{certificate}.csv")


@needs(Act.EXPORT, asks=(*FILTERS, "mark"))
@never_cache
@require_safe
def certificates_csv(request: HttpRequest) -> HttpResponseBase:
    """The list under its filters as a table."""
    try:
        filters = CertificateFilters.parse(request.GET.dict())
    except BadQuery as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    sheet = Sheet(
        title=phrase("Certificates of completeness"),
        columns=CERTIFICATE_COLUMNS,
        rows=_listed(filters, sources_of_request(request)),
        made_at=timezone.now(),
        filters={key: request.GET[key] for key in FILTERS if request.GET.get(key)},
    )
    return download(request, sheet, "certificates.csv")


def _listed(
    filters: CertificateFilters, sources: Sources
) -> Iterator[tuple[str | int | None, ...]]:
    cursor = None
    while True:
        page = list_certificates(filters, sources=sources, cursor=cursor, limit=100)
        yield from certificate_rows(page.rows)
        cursor = page.next_cursor
        if cursor is None:
            return


@needs(Act.MAKE_CERTIFICATES)
@require_POST
def certificate_make(request: HttpRequest) -> HttpResponse:
    """Have a day certified: of one table, a source, or all."""
    assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
    sources = sources_of_request(request)
    try:
        run_id = request_certificates(
            sources=sources,
            day=_day(request.POST.get("day", "")),
            source=request.POST.get("source", ""),
            table=request.POST.get("table", ""),
            user=request.user,
        )
    except RunRefused as error:
        messages.error(request, told(str(error)))
        return HttpResponseRedirect(reverse("certificates"))
    if request.POST.get("table"):
        continue_run(run_id=run_id, seconds=PATIENCE_SECONDS)
    run = get_run(run_id, sources=sources)
    if run.certificate is None:
        return HttpResponseRedirect(reverse("certificate-run", args=(run_id,)))
    if run.same:
        messages.info(request, phrase("Nothing has changed: this certificate still holds."))
    return HttpResponseRedirect(reverse("certificate", args=(run.certificate,)))


@needs(Act.SEE_CERTIFICATES)
@never_cache
@require_safe
def run_page(request: HttpRequest, run: int) -> HttpResponse:
    """A run: how far it is."""
    return _run(request, run, "certificates/run.html")


@needs(Act.SEE_CERTIFICATES, journal=False)
@never_cache
@require_safe
def run_progress(request: HttpRequest, run: int) -> HttpResponse:
    """The part of a run's page that changes; a script asks for it."""
    return _run(request, run, "certificates/_run.html")


@needs(Act.MAKE_CERTIFICATES)
@require_POST
def run_act(request: HttpRequest, run: int) -> HttpResponse:
    """Stop a run, or let it go on."""
    _found(request, run)
    act = sent_act(request, "act", "stop", "resume")
    try:
        if act == "resume":
            resume_run(run_id=run)
        else:
            stop_run(run_id=run)
    except RunRefused as error:
        messages.error(request, told(str(error)))
    return HttpResponseRedirect(reverse("certificate-run", args=(run,)))


@needs(Act.SEE_SOURCES, post=Act.MANAGE_SOURCES)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def day_rules(request: HttpRequest) -> HttpResponse:
    """How the gaming days of tables are reckoned; POST says it anew."""
    problem, status = None, 200
    if request.method == "POST":
        assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
        try:
            set_day_rule(
                sources=sources_of_request(request),
                source=request.POST.get("source", ""),
                table=request.POST.get("table", ""),
                time_zone=request.POST.get("time_zone", "").strip(),
                starts_at=_minutes(request.POST.get("starts_at", "")),
                numbering=request.POST.get("numbering", ""),
                user=request.user,
            )
            return HttpResponseRedirect(reverse("day-rules"))
        except DayRuleRefused as error:
            problem, status = str(error), 400
    sources = access_of_request(request).sources(Act.SEE_SOURCES)
    context = present_rules(rules_shown(sources=sources), known_tables(sources=sources))
    context |= {"section": "certificates", "problem": problem, "posted": request.POST.dict()}
    return render(request, "certificates/days.html", context, status=status)


def _detail(request: HttpRequest, certificate: int) -> CertificateDetail:
    try:
        return get_certificate(certificate, sources=sources_of_request(request))
    except NotFound as error:
        raise Http404(str(error)) from None


def _found(request: HttpRequest, run: int) -> RunRow:
    try:
        return get_run(run, sources=sources_of_request(request))
    except NotFound as error:
        raise Http404(str(error)) from None


def _run(request: HttpRequest, run: int, template: str) -> HttpResponse:
    context = present_run(_found(request, run)) | {"section": "certificates"}
    return render(request, template, context)


def _day(text: str) -> date:
    """Raises: RunRefused."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise RunRefused(phrase("Choose a day, written as 2026-03-31."))
    return day


def _minutes(text: str) -> int:
    """Raises: DayRuleRefused."""
    hours, _, minutes = text.partition(":")
    if not (len(text) == 5 and f"{hours}{minutes}".isascii() and f"{hours}{minutes}".isdecimal()):
        raise DayRuleRefused(phrase("A day starts at an hour written as 06:00."))
    if int(hours) > 23 or int(minutes) > 59:
        raise DayRuleRefused(phrase("A day starts between 00:00 and 23:59."))
    return int(hours) * 60 + int(minutes)
