"""Re-audits: the list, a new one, and one with its progress and what it found."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit import selectors, services
from audit.selectors.access import Act
from audit.selectors.reaudits import (
    ReauditRow,
    get_reaudit,
    list_admissions,
    list_faults,
    list_reaudits,
)
from audit.selectors.reaudits_report import (
    By,
    Flip,
    changes_of_hand,
    get_change,
    list_amounts,
    list_changes,
    list_flips,
)
from audit.selectors.reaudits_scope import KEYS, Scope, preview_scope
from audit.web import reaudits_csv
from audit.web.access import needs, note_shown, sources_of_request
from audit.web.language import told
from audit.web.reaudits_change import present_change
from audit.web.reaudits_pages import (
    present_aside,
    present_changes,
    present_form,
    present_hand,
    present_list,
    present_progress,
    present_report,
)
from audit.web.views.viewer import refuse_others

SHOWN = 50


@needs(Act.SEE_REAUDITS, asks=("cursor",))
@never_cache
@require_safe
def reaudit_list(request: HttpRequest) -> HttpResponse:
    """All re-audits, newest first."""
    problem, status = None, 200
    try:
        page = list_reaudits(sources=sources_of_request(request), cursor=request.GET.get("cursor"))
    except selectors.BadQuery as error:
        page, problem, status = selectors.Page(rows=()), str(error), 400
    context = present_list(page) | {"section": "reaudits", "problem": problem}
    return render(request, "reaudits/list.html", context, status=status)


@needs(Act.REAUDIT, asks=(*KEYS, "ruleset", "named", "refused_lines"))
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reaudit_new(request: HttpRequest) -> HttpResponse:
    """The form, with what the hands list was narrowed by; POST counts, or starts."""
    asked = (request.POST if request.method == "POST" else request.GET).dict()
    asked = {key: value.strip() if key == "reason" else value for key, value in asked.items()}
    query = {key: asked[key] for key in KEYS if asked.get(key)}
    how: dict[str, Any] = {
        "named": asked.get("named", ""),
        "ruleset": asked.get("ruleset", ""),
        "refused_lines": asked.get("refused_lines") or "none",
    }
    problem, status, preview = None, 200, None
    sources = sources_of_request(request)
    try:
        if request.method == "POST" and asked.get("do") == "start":
            assert request.user.is_authenticated, "the log-in middleware lets nobody else in"
            reaudit = services.open_reaudit(
                user=request.user,
                sources=sources,
                reason=asked.get("reason", ""),
                query=query,
                **how,
            )
            return HttpResponseRedirect(reverse("reaudit", args=(reaudit,)))
        preview = preview_scope(Scope.parse(query, sources=sources, **how))
    except (selectors.BadQuery, services.ReauditRefused) as error:
        problem, status = str(error), 400
    rulesets = sorted(ruleset.name for ruleset in selectors.current_rulesets())
    context = present_form(
        asked, choices=selectors.filter_choices(sources=sources), rulesets=rulesets, preview=preview
    )
    context |= {"section": "reaudits", "problem": problem}
    return render(request, "reaudits/new.html", context, status=status)


@needs(Act.SEE_REAUDITS)
@never_cache
@require_safe
def reaudit_page(request: HttpRequest, reaudit: int) -> HttpResponse:
    """One re-audit: how far it is, and what it found so far."""
    return render(request, "reaudits/reaudit.html", _whole(request, reaudit, has_report=True))


@needs(Act.SEE_REAUDITS, journal=False)
@never_cache
@require_safe
def progress(request: HttpRequest, reaudit: int) -> HttpResponse:
    """The part of the page that changes while it runs; what it found comes with its end."""
    return render(request, "reaudits/_progress.html", _whole(request, reaudit, has_report=False))


def _whole(request: HttpRequest, reaudit_id: int, *, has_report: bool) -> dict[str, Any]:
    row = _row(request, reaudit_id)
    context = present_progress(row) | {"section": "reaudits"}
    if has_report or not row.is_open:
        amounts = {by: list_amounts(reaudit_id, by) for by in ("currency", "table", "player")}
        context |= {"has_report": True}
        context |= present_report(row, list_flips(reaudit_id), amounts)
        context |= present_aside(
            list_faults(reaudit_id, limit=SHOWN), list_admissions(reaudit_id, limit=SHOWN)
        )
    return context


def _row(request: HttpRequest, reaudit_id: int) -> ReauditRow:
    try:
        return get_reaudit(reaudit_id, sources=sources_of_request(request))
    except selectors.NotFound as error:
        raise Http404(str(error)) from None


@needs(Act.REAUDIT)
@require_POST
def stop(request: HttpRequest, reaudit: int) -> HttpResponse:
    """Stop it where it is; what is judged stays."""
    _row(request, reaudit)
    services.stop_reaudit(reaudit_id=reaudit)
    return HttpResponseRedirect(reverse("reaudit", args=(reaudit,)))


@needs(Act.REAUDIT)
@require_POST
def resume(request: HttpRequest, reaudit: int) -> HttpResponse:
    """Let it go on from where it is."""
    _row(request, reaudit)
    try:
        services.resume_reaudit(reaudit_id=reaudit)
    except services.ReauditRefused as error:
        messages.error(request, told(str(error)))
    return HttpResponseRedirect(reverse("reaudit", args=(reaudit,)))


@needs(Act.SEE_REAUDITS, asks=("flip", "cursor"))
@never_cache
@require_safe
def changes(request: HttpRequest, reaudit: int) -> HttpResponse:
    """The hands that were judged otherwise; `?flip=` keeps to one way."""
    row = _row(request, reaudit)
    problem, status, flip = None, 200, None
    try:
        if text := request.GET.get("flip"):
            flip = Flip.parse(text)
        page = list_changes(reaudit, flip=flip, cursor=request.GET.get("cursor"))
    except selectors.BadQuery as error:
        page, problem, status = selectors.Page(rows=()), str(error), 400
    context = present_changes(row, page, flip) | {"section": "reaudits", "problem": problem}
    return render(request, "reaudits/changes.html", context, status=status)


@needs(Act.SEE_REAUDITS)
@never_cache
@require_safe
def change(request: HttpRequest, reaudit: int, version: int) -> HttpResponse:
    """One version of a hand with both judgements side by side."""
    row = _row(request, reaudit)
    try:
        detail = get_change(reaudit, version)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    note_shown(request, source=detail.row.source, hand=detail.row.hand_pk)
    context = present_change(row, detail) | {"section": "reaudits"}
    return render(request, "reaudits/change.html", context)


@needs(Act.SEE_REAUDITS, asks=("as",))
@never_cache
@require_safe
def of_hand(request: HttpRequest, hand: int) -> HttpResponse:
    """What re-audits made of one hand, the newest first."""
    refuse_others(request, hand)
    try:
        detail = selectors.hand_detail(hand, sources=sources_of_request(request))
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    context = present_hand(
        hand, detail.hand.hand_id, changes_of_hand(hand, sources=sources_of_request(request))
    )
    return render(request, "reaudits/hand.html", context | {"section": "reaudits"})


@needs(Act.EXPORT)
@never_cache
@require_safe
def file(request: HttpRequest, reaudit: int, name: str) -> StreamingHttpResponse:
    """What it found as CSV: `changes`, `tables` or `players`."""
    row, now = _row(request, reaudit), timezone.now()
    if name == "changes":
        pieces = reaudits_csv.changes(row, made_at=now)
    elif name in ("tables", "players"):
        by: By = "table" if name == "tables" else "player"
        pieces = reaudits_csv.amounts(row, by, made_at=now)
    else:
        raise Http404("There is no such file.")
    response = StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="re-audit-{reaudit}-{name}.csv"'
    return response
