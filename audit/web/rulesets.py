"""Rulesets: the list, one with what may be done with it, handing one in, and its rehearsals."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import replay
from audit import selectors, services
from audit.selectors.access import Act
from audit.selectors.reaudits import ReauditRow, get_reaudit, list_faults
from audit.selectors.reaudits_report import list_amounts, list_flips
from audit.selectors.reaudits_scope import KEYS
from audit.selectors.rulesets_force import list_periods
from audit.selectors.rulesets_revisions import (
    RevisionDetail,
    list_revisions,
    option_changes,
    previous_of,
    revision_detail,
)
from audit.services.rulesets import (
    RulesetRefused,
    add_ruleset,
    approve_ruleset,
    check_new_ruleset,
    retire_ruleset,
    withdraw_ruleset,
)
from audit.services.rulesets_rehearsing import judge_waiting, rehearse_ruleset
from audit.web.access import access_of_request, needs, sent_act
from audit.web.language import phrase, told
from audit.web.reaudits_pages import present_aside, present_progress, present_report
from audit.web.rulesets_pages import (
    present_list,
    present_new,
    present_revision,
    present_tried,
)

SHOWN = 50
ACTS = {
    "rehearse": Act.REHEARSE_RULESETS,
    "approve": Act.APPROVE_RULESETS,
    "withdraw": Act.WRITE_RULESETS,
    "retire": Act.APPROVE_RULESETS,
    "judge-waiting": Act.APPROVE_RULESETS,
}


@needs(Act.SEE_RULESETS)
@never_cache
@require_safe
def ruleset_list(request: HttpRequest) -> HttpResponse:
    """Every ruleset with its state, and what is in force where."""
    periods = list_periods(sources=access_of_request(request).sources(Act.SEE_RULESETS))
    context = present_list(list_revisions(), periods, timezone.now()) | {"section": "rules"}
    return render(request, "rulesets/list.html", context)


@needs(Act.WRITE_RULESETS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ruleset_new(request: HttpRequest) -> HttpResponse:
    """The form; POST checks a file, or keeps it as a draft."""
    asked = {"reason": request.POST.get("reason", "").strip()}
    context: dict[str, Any] = {"section": "rules", "asked": asked}
    status = 200
    sent = request.FILES.get("file")
    if request.method == "POST" and sent is None:
        context |= {"problem": phrase("Choose a file."), "status": 400}
        status = 400
    elif request.method == "POST" and sent is not None:
        content = sent.read(replay.RULESET_BYTES_MAX + 1)
        try:
            ruleset = check_new_ruleset(content)
            if request.POST.get("do") == "add":
                access = access_of_request(request)
                add_ruleset(access=access, content=content, reason=asked["reason"])
                messages.success(request, phrase("{name} is a draft now.", name=ruleset.name))
                return HttpResponseRedirect(reverse("ruleset", args=(ruleset.sha256,)))
            previous = previous_of(ruleset)
            changes = () if previous is None else option_changes(previous, ruleset)
            context |= present_tried(ruleset, previous, changes)
        except RulesetRefused as error:
            context |= present_new(content, error.problems) | {"problem": str(error)}
            status = 400
    return render(request, "rulesets/new.html", context, status=status)


@needs(Act.SEE_RULESETS, field="do", acts=ACTS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ruleset_page(request: HttpRequest, sha256: str) -> HttpResponse:
    """One ruleset; POST does with it what the form says."""
    detail = _detail(request, sha256)
    problem, status, asked = None, 200, {}
    if request.method == "POST":
        asked = request.POST.dict()
        try:
            return HttpResponseRedirect(_act(request, detail, asked))
        except (RulesetRefused, services.ReauditRefused, selectors.BadQuery) as error:
            problem, status = str(error), 400
    access = access_of_request(request)
    periods = list_periods(sources=access.sources(Act.SEE_RULESETS), ruleset=detail.row.name)
    context = present_revision(detail, periods, account_id=access.account_id)
    context |= {"section": "rules", "problem": problem, "asked": asked}
    return render(request, "rulesets/ruleset.html", context, status=status)


def _act(request: HttpRequest, detail: RevisionDetail, asked: dict[str, str]) -> str:
    """Do what a form asks for; gives the address that follows."""
    access, row = access_of_request(request), detail.row
    reason, here = asked.get("reason", ""), reverse("ruleset", args=(row.sha256,))
    do = asked["do"]
    if do == "rehearse":
        reaudit = rehearse_ruleset(
            access=access,
            name=row.name,
            sha256=row.sha256,
            reason=reason,
            newest=_newest(asked.get("newest", "")),
            query={key: asked[key] for key in KEYS if asked.get(key)},
            is_whole_game=asked.get("whole_game") == "1",
        )
        return reverse("ruleset-rehearsal", args=(row.sha256, reaudit))
    if do == "judge-waiting":
        reaudit = judge_waiting(access=access, name=row.name)
        messages.success(
            request,
            phrase("Re-audit {reaudit} judges what waited for it.", reaudit=reaudit),
        )
        return here
    if row.pk is None:
        raise RulesetRefused(phrase("A ruleset out of a file of the service stays as it is."))
    if do == "approve":
        approve_ruleset(
            access=access,
            revision_pk=row.pk,
            reason=reason,
            unrehearsed_reason=asked.get("unrehearsed_reason", ""),
        )
        messages.success(request, phrase("{name} is published.", name=row.name))
    elif do == "withdraw":
        withdraw_ruleset(access=access, revision_pk=row.pk, reason=reason)
        messages.success(request, phrase("{name} is withdrawn.", name=row.name))
    else:
        retire_ruleset(access=access, revision_pk=row.pk, reason=reason)
        messages.success(request, phrase("{name} is retired.", name=row.name))
    return here


def _newest(text: str) -> int | None:
    """How many hands; None for all. Raises: BadQuery."""
    if not text.strip():
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise selectors.BadQuery(phrase("The number of hands is no number."))
    return int(text)


@needs(Act.SEE_RULESETS)
@never_cache
@require_safe
def ruleset_file(request: HttpRequest, sha256: str) -> HttpResponse:
    """The exact bytes."""
    ruleset = _detail(request, sha256).ruleset
    response = HttpResponse(ruleset.content, content_type="application/toml")
    name = f"{ruleset.id}.{ruleset.revision}.toml".replace("/", ".")
    kept = "".join(
        one if one.isascii() and (one.isalnum() or one in ".-_") else "_" for one in name
    )
    response["Content-Disposition"] = f'attachment; filename="{kept}"'
    return response


@needs(Act.SEE_RULESETS)
@never_cache
@require_safe
def rehearsal_page(request: HttpRequest, sha256: str, reaudit: int) -> HttpResponse:
    """One rehearsal of a ruleset: how far it is, and what it found so far."""
    context = _rehearsal(request, sha256, reaudit, has_report=True)
    return render(request, "rulesets/rehearsal.html", context)


@needs(Act.SEE_RULESETS, journal=False)
@never_cache
@require_safe
def rehearsal_progress(request: HttpRequest, sha256: str, reaudit: int) -> HttpResponse:
    """The part of the page that changes while it runs."""
    context = _rehearsal(request, sha256, reaudit, has_report=False)
    return render(request, "rulesets/_progress.html", context)


@needs(Act.REHEARSE_RULESETS)
@require_POST
def rehearsal_act(request: HttpRequest, sha256: str, reaudit: int) -> HttpResponse:
    """Stop a rehearsal where it is, or let it go on."""
    _, row = _of_ruleset(request, sha256, reaudit)
    act = sent_act(request, "do", "stop", "resume")
    try:
        if act == "resume":
            services.resume_reaudit(reaudit_id=row.id)
        else:
            services.stop_reaudit(reaudit_id=row.id)
    except services.ReauditRefused as error:
        messages.error(request, told(str(error)))
    return HttpResponseRedirect(reverse("ruleset-rehearsal", args=(sha256, reaudit)))


def _rehearsal(
    request: HttpRequest, sha256: str, reaudit_id: int, *, has_report: bool
) -> dict[str, Any]:
    detail, row = _of_ruleset(request, sha256, reaudit_id)
    context = {"section": "rules", "ruleset": detail.row, **present_progress(row)}
    context["poll_url"] = reverse("ruleset-rehearsal-progress", args=(sha256, reaudit_id))
    if has_report or not row.is_open:
        amounts = {by: list_amounts(reaudit_id, by) for by in ("currency", "table", "player")}
        context |= {"has_report": True}
        context |= present_report(row, list_flips(reaudit_id), amounts)
        context |= present_aside(list_faults(reaudit_id, limit=SHOWN), selectors.Page(rows=()))
    return context


def _of_ruleset(
    request: HttpRequest, sha256: str, reaudit_id: int
) -> tuple[RevisionDetail, ReauditRow]:
    """A rehearsal of these very bytes. Raises: Http404."""
    detail = _detail(request, sha256)
    sources = access_of_request(request).sources(Act.SEE_RULESETS)
    try:
        row = get_reaudit(reaudit_id, sources=sources)
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
    if (row.ruleset, row.ruleset_sha256) != (detail.row.name, detail.row.sha256):
        raise Http404("That is no rehearsal of this ruleset.")
    return detail, row


def _detail(request: HttpRequest, sha256: str) -> RevisionDetail:
    try:
        return revision_detail(sha256, sources=access_of_request(request).sources(Act.SEE_RULESETS))
    except selectors.NotFound as error:
        raise Http404(str(error)) from None
