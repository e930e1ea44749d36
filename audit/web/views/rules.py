"""The rules that verdicts cite."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from audit import selectors
from audit.selectors.access import Act
from audit.web.access import needs
from audit.web.presenters.rules import present_rules


@needs(Act.SEE_RULES)
@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    """Every rule id with its sentence, by game, and the rulesets with their options."""
    context = {"section": "rules", **present_rules(selectors.current_rulesets())}
    return render(request, "rules/list.html", context)
