"""What is in force at a source from when: the periods, and the forms that change them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from audit.selectors.access import Access, Act
from audit.selectors.rulesets_force import list_periods
from audit.selectors.rulesets_revisions import list_revisions
from audit.services.rulesets import RulesetRefused
from audit.services.rulesets_force import (
    end_force,
    put_in_force,
    read_effective_at,
    take_back_switch,
)
from audit.web.access import access_of_request, needs
from audit.web.language import phrase
from audit.web.rulesets_pages import present_force

ACTS = dict.fromkeys(("start", "end", "take-back"), Act.APPROVE_RULESETS)


@needs(Act.SEE_RULESETS, field="do", acts=ACTS, asks=("source",))
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def force_page(request: HttpRequest) -> HttpResponse:
    """Periods by source; POST says something new. `?source=` keeps to one."""
    access = access_of_request(request)
    problem, status, asked = None, 200, request.GET.dict()
    if request.method == "POST":
        asked = request.POST.dict()
        try:
            _act(access, asked)
        except RulesetRefused as error:
            problem, status = str(error), 400
        else:
            messages.success(request, phrase("It stands on record."))
            return HttpResponseRedirect(reverse("rulesets-in-force"))
    periods = list_periods(sources=access.sources(Act.SEE_RULESETS))
    context = present_force(periods, list_revisions(), asked)
    context |= {"section": "rules", "problem": problem, "asked": asked}
    return render(request, "rulesets/force.html", context, status=status)


def _act(access: Access, asked: dict[str, str]) -> None:
    """Do what a form asks for. Raises: RulesetRefused."""
    reason = asked.get("reason", "")
    if asked["do"] == "take-back":
        number = asked.get("switch", "")
        if not (number.isascii() and number.isdecimal() and len(number) <= 18):
            raise RulesetRefused(phrase("There is no such switch."))
        take_back_switch(access=access, switch_pk=int(number), reason=reason)
        return
    effective_at = read_effective_at(asked.get("effective_at", ""))
    if asked["do"] == "start":
        put_in_force(
            access=access,
            source=asked.get("source", ""),
            ruleset=asked.get("ruleset", ""),
            effective_at=effective_at,
            reason=reason,
        )
    else:
        end_force(
            access=access,
            source=asked.get("source", ""),
            game=asked.get("game", ""),
            ruleset_id=asked.get("ruleset_id", ""),
            effective_at=effective_at,
            reason=reason,
        )
