"""Acts on many cases at once: what was chosen is shown first, and each act can be undone."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from audit.models import ActKind, Decision
from audit.selectors.access import Act
from audit.selectors.desk_books import colleagues, get_bulk
from audit.selectors.desk_queue import cases_by_number
from audit.services import desk
from audit.services.desk.bulk import CASES_MAX
from audit.web import desk_words as words
from audit.web.access import access_of_request, needs, sources_of_request
from audit.web.desk_pages import SECTION
from audit.web.desk_present import case_line
from audit.web.desk_requests import desk_view, person_of, user_of
from audit.web.language import phrase, phrases, say

_BULK = (
    (ActKind.ASSIGNED, say("Assign")),
    (ActKind.DECIDED, say("Decide")),
    (ActKind.WITHDRAWN, say("Withdraw")),
    (ActKind.REOPENED, say("Reopen")),
)


@needs(Act.WORK_CASES)
@desk_view
@require_POST
def bulk_preview(request: HttpRequest) -> HttpResponse:
    """List the chosen cases as they stand, and ask what to do with them. Changes nothing."""
    chosen = request.POST.getlist("case")
    numbers = [int(one) for one in chosen if one.isascii() and one.isdecimal() and len(one) <= 18]
    if not numbers or len(numbers) != len(chosen) or len(numbers) > CASES_MAX:
        messages.error(
            request, phrase("Choose 1 to {cases_max} cases of the list.", cases_max=CASES_MAX)
        )
        return HttpResponseRedirect(reverse("queue"))
    return _preview(request, numbers)


def _preview(
    request: HttpRequest, numbers: list[int], *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    now = timezone.now()
    sources = sources_of_request(request)
    rows = cases_by_number(numbers, sources=sources)
    lines = [case_line(row, now) for row in rows]
    context = {
        "lines": lines,
        "kinds": _BULK,
        "decisions": [(one.value, *words.DECISIONS[one]) for one in Decision],
        "people": colleagues(sources=sources),
        "problem": problem,
        "typed": request.POST,
    }
    return render(request, "desk/bulk_preview.html", SECTION | context, status=status)


@needs(Act.WORK_CASES)
@desk_view
@require_POST
def bulk_act(request: HttpRequest) -> HttpResponse:
    """Do what was previewed, to exactly the cases that were shown, as they were shown."""
    numbers: list[int] = []
    try:
        seen = _seen(request.POST.getlist("seen"))
        numbers = list(seen)
        kind = request.POST.get("kind", "")
        sources = sources_of_request(request)
        is_assigned = kind == ActKind.ASSIGNED
        to = person_of(request.POST, "to", sources=sources) if is_assigned else None
        done = desk.act_in_bulk(
            sources=sources,
            user=user_of(request),
            kind=kind,
            seen=seen,
            reason=request.POST.get("reason", ""),
            decision=request.POST.get("decision", ""),
            to=to,
        )
    except desk.DeskRefused as error:
        return _preview(request, numbers, problem=str(error), status=400)
    _tell(request, done)
    return HttpResponseRedirect(reverse("bulk", args=(done.bulk_id,)))


def _seen(pairs: list[str]) -> dict[int, int]:
    """`case:revision` of each case that the preview listed. Raises: DeskRefused."""
    seen = {}
    for pair in pairs[: CASES_MAX + 1]:
        case, _, revision = pair.partition(":")
        if not all(
            one.isascii() and one.isdecimal() and len(one) <= 18 for one in (case, revision)
        ):
            raise desk.DeskRefused(phrase("The preview is damaged: choose the cases again."))
        seen[int(case)] = int(revision)
    return seen


def _tell(request: HttpRequest, done: desk.BulkDone) -> None:
    count = len(done.done)
    messages.success(
        request,
        phrases("Done for {count} case.", "Done for {count} cases.", count),
    )
    for _, sentence in done.left_out[:20]:
        messages.error(request, phrase("Left out: {sentence}", sentence=sentence))
    if len(done.left_out) > 20:
        messages.error(
            request,
            phrase("{left_out_count} more were left out.", left_out_count=len(done.left_out) - 20),
        )


@needs(Act.SEE_DESK)
@desk_view
@require_safe
def bulk_page(request: HttpRequest, bulk: int) -> HttpResponse:
    return _bulk(request, bulk)


def _bulk(
    request: HttpRequest, bulk: int, *, problem: str | None = None, status: int = 200
) -> HttpResponse:
    access = access_of_request(request)
    assert access.account_id is not None, "nobody else is let in"
    row = get_bulk(bulk, sources=access.sources(Act.SEE_DESK), account_id=access.account_id)
    context = {"bulk": row, "what": ActKind(row.kind).label, "problem": problem}
    return render(request, "desk/bulk.html", SECTION | context, status=status)


@needs(Act.WORK_CASES)
@desk_view
@require_POST
def bulk_undo(request: HttpRequest, bulk: int) -> HttpResponse:
    """Take a bulk act back by a further one."""
    try:
        done = desk.undo_bulk(
            bulk_id=bulk,
            sources=sources_of_request(request),
            user=user_of(request),
            reason=request.POST.get("reason", ""),
        )
    except desk.DeskRefused as error:
        return _bulk(request, bulk, problem=str(error), status=400)
    except desk.DeskConflict as error:
        return _bulk(request, bulk, problem=str(error), status=409)
    _tell(request, done)
    return HttpResponseRedirect(reverse("bulk", args=(done.bulk_id,)))
