"""No report of some days reads a large table from end to end."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from audit.models import Report, ReportKind
from audit.selectors.certificates_days import current_rules
from audit.selectors.reports_changes import _causes
from audit.selectors.reports_content import Scope
from audit.selectors.reports_definitions import DEFINITIONS
from audit.selectors.reports_hands import day_before, day_digest, first_day, rulesets_of_days
from tests.audit.test_plans import many, scans

__all__ = ["many"]

DAY = date(2025, 1, 5)
SCOPES = {
    "all": Scope(first=DAY, last=DAY, large_win={"CNY": "1"}, large_wager={"CNY": "1"}),
    "table": Scope(first=DAY, last=DAY, source="house-1", table="T7"),
    "player": Scope(first=DAY, last=DAY, source="house-1", player="Ken"),
}


@pytest.mark.parametrize("narrowed", SCOPES)
@pytest.mark.parametrize("kind", [one for one in ReportKind if DEFINITIONS[one].read_day])
def test_a_day_is_found_by_its_index(many: None, kind: ReportKind, narrowed: str) -> None:
    scope, rules = SCOPES[narrowed], current_rules()
    definition = DEFINITIONS[kind]

    def work() -> Any:
        assert definition.read_day is not None
        parts = [(DAY, definition.read_day(scope, DAY, rules))]
        return definition.assemble(scope, parts, rules)

    assert scans(work) == []


def test_what_a_run_asks_besides_is_found_by_indexes(many: None) -> None:
    scope, rules = SCOPES["all"], current_rules()
    assert scans(lambda: first_day(scope, rules)) == []
    assert scans(lambda: day_before(scope, None, rules)) == []
    assert scans(lambda: day_digest(scope, DAY, rules)) == []
    assert scans(lambda: rulesets_of_days(scope, [DAY], rules)) == []


def test_what_came_between_two_editions_is_found_by_indexes(many: None) -> None:
    rules = current_rules()
    for scope in SCOPES.values():
        assert scans(lambda scope=scope: list(_causes(Report(log_size=0), scope, rules))) == []
