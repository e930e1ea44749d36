"""How long records are kept: terms, holds, what is due, and what went under which run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from audit.models import LegalHold, RecordClass, TermUnit
from audit.selectors.access import Access, Act, Sources
from audit.selectors.erasures import list_erasures
from audit.selectors.retention import get_run, list_holds, list_runs, list_terms
from audit.selectors.retention_due import Due, all_due
from audit.selectors.retention_places import known_sources, places
from audit.services.retention import RetentionRefused, lift_hold, place_hold, set_term
from audit.web.access import access_of_request, needs

CLASSES = {
    RecordClass.HANDS: gettext_lazy("Hands and refused lines"),
    RecordClass.CASES: gettext_lazy("Cases and letters"),
    RecordClass.JOURNAL: gettext_lazy("Journal"),
    RecordClass.ATTACHMENTS: gettext_lazy("Attachments"),
}
UNITS = {
    TermUnit.DAY: gettext_lazy("days"),
    TermUnit.MONTH: gettext_lazy("months"),
    TermUnit.YEAR: gettext_lazy("years"),
}
STATES = {
    "running": gettext_lazy("running"),
    "stopped": gettext_lazy("stopped"),
    "done": gettext_lazy("done"),
}
# A number is read off the store only for so many places; the command reads all.
PLACES_SHOWN = 60
KEY_DIGITS_MAX = 18


@needs(Act.MANAGE_RETENTION)
@never_cache
@require_safe
def retention_page(request: HttpRequest) -> HttpResponse:
    """Terms in force with what is due by them, holds, runs, people who were erased."""
    return _page(request)


def _page(request: HttpRequest, problem: str | None = None) -> HttpResponse:
    sources = access_of_request(request).sources(Act.MANAGE_RETENTION)
    context: dict[str, Any] = {
        "section": "retention",
        "problem": problem,
        "posted": request.POST.dict(),
        "due": _all_due(sources),
        "terms": [(row, CLASSES[row.record_class]) for row in list_terms(sources=sources)],
        "holds": list_holds(sources=sources),
        "runs": [
            (row, CLASSES[row.record_class], STATES[row.state])
            for row in list_runs(sources=sources)
        ],
        "erasures": list_erasures(sources=sources),
        "known": known_sources(sources=sources),
        "classes": [(value.value, title) for value, title in CLASSES.items()],
        "units": [(value.value, title) for value, title in UNITS.items()],
        "is_everywhere": sources is None,
    }
    return render(request, "retention/page.html", context, status=200 if problem is None else 400)


def _all_due(sources: Sources) -> list[dict[str, Any]]:
    return [_due(one) for one in all_due(places(sources=sources)[:PLACES_SHOWN])]


def _due(one: Due) -> dict[str, Any]:
    term = one.term
    return {
        "title": CLASSES[term.record_class],
        "source": term.source,
        "count": term.count,
        "unit": UNITS[term.unit],
        "is_own": term.is_own,
        "cutoff_at": term.cutoff_at,
        "due": one.count,
        "is_looked_at": term.record_class == RecordClass.CASES,
    }


@needs(Act.MANAGE_RETENTION)
@never_cache
@require_safe
def run_page(request: HttpRequest, run: int) -> HttpResponse:
    """One run with its certificate."""
    row = get_run(run, sources=_sources(request))
    if row is None:
        raise Http404(f"There is no retention run {run}.")
    title, state = CLASSES[row.record_class], STATES[row.state]
    context = {"section": "retention", "run": row, "title": title, "state": state}
    return render(request, "retention/run.html", context)


@needs(Act.MANAGE_RETENTION)
@never_cache
@require_safe
def certificate(request: HttpRequest, run: int) -> HttpResponse:
    """The certificate of a run that is done, byte for byte as its hash is over it."""
    row = get_run(run, sources=_sources(request))
    if row is None or not row.certificate:
        raise Http404(f"Retention run {run} has no certificate.")
    response = HttpResponse(row.certificate, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="retention-{run}.json"'
    return response


@needs(Act.MANAGE_RETENTION)
@require_POST
def term_set(request: HttpRequest) -> HttpResponse:
    """Keep a class of a source, or of each without a term of its own, for so long."""
    return _act(request, _set_term, _("The term is set."))


@needs(Act.MANAGE_RETENTION)
@require_POST
def hold_place(request: HttpRequest) -> HttpResponse:
    """Keep a hand, a case, or all of a source, whatever its age."""
    return _act(request, _place_hold, _("The hold stands."))


@needs(Act.MANAGE_RETENTION)
@require_POST
def hold_lift(request: HttpRequest, hold: int) -> HttpResponse:
    """End a hold."""

    def lift(request: HttpRequest, access: Access) -> None:
        _within(LegalHold.objects.filter(pk=hold).values_list("source", flat=True).first(), access)
        lift_hold(access=access, hold=hold, reason=request.POST.get("reason", ""))

    return _act(request, lift, _("The hold is lifted."))


def _act(
    request: HttpRequest, act: Callable[[HttpRequest, Access], None], words: str
) -> HttpResponse:
    try:
        act(request, access_of_request(request))
    except RetentionRefused as error:
        return _page(request, str(error))
    messages.success(request, words)
    return HttpResponseRedirect(reverse("retention"))


def _set_term(request: HttpRequest, access: Access) -> None:
    name, unit = request.POST.get("class", ""), request.POST.get("unit", "")
    if name not in RecordClass.values or unit not in TermUnit.values:
        raise RetentionRefused(_("There is no such class of records, or no such unit of time."))
    set_term(
        access=access,
        record_class=RecordClass(name),
        source=request.POST.get("source", "") or None,
        count=_number(request.POST.get("count", "")),
        unit=TermUnit(unit),
        reason=request.POST.get("reason", ""),
    )


def _place_hold(request: HttpRequest, access: Access) -> None:
    source = request.POST.get("source", "")
    if source not in known_sources(sources=access.sources(Act.MANAGE_RETENTION)):
        raise RetentionRefused(_("There is no such source."))
    case = request.POST.get("case", "").strip().removeprefix("C-")
    place_hold(
        access=access,
        source=source,
        hand_id=request.POST.get("hand", ""),
        case=_number(case) if case else None,
        reason=request.POST.get("reason", ""),
    )


def _within(source: str | None, access: Access) -> None:
    if source is None or not access.may_in(Act.MANAGE_RETENTION, source):
        raise Http404("There is no such hold.")


def _number(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= KEY_DIGITS_MAX):
        raise RetentionRefused(_("A number is written in digits alone."))
    return int(text)


def _sources(request: HttpRequest) -> Sources:
    return access_of_request(request).sources(Act.MANAGE_RETENTION)
