"""The reports that there are: what each is called, what it may be narrowed by, how it is made.

A change of what a report says raises its version, so that two versions of one report never mean
different things unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from audit.models import ReportBasis, ReportKind
from audit.selectors import (
    reports_access,
    reports_completeness,
    reports_discrepancies,
    reports_events,
    reports_performance,
    reports_statement,
)
from audit.selectors.access import Act
from audit.selectors.certificates_days import Rules
from audit.selectors.reports_content import Body, Scope

ReadDay = Callable[[Scope, date, Rules], bytes]
Assemble = Callable[[Scope, Iterable[tuple[date, bytes]], Rules], Body]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One report. `fields` are what it may be narrowed by; `read_day` is None where it reads no
    hand.

    `act` is what it takes to make and see it, beside those of every report.
    """

    kind: ReportKind
    version: int
    about: str
    fields: frozenset[str]
    read_day: ReadDay | None
    assemble: Assemble
    act: Act | None = None

    @property
    def title(self) -> str:
        return str(self.kind.label)

    @property
    def name(self) -> str:
        return f"{self.kind.value}/{self.version}"


_PLACE = frozenset({"source", "table", "game"})

DEFINITIONS: Mapping[ReportKind, Definition] = {
    one.kind: one
    for one in (
        Definition(
            kind=ReportKind.PERFORMANCE,
            version=1,
            about="Hands, wagers, wins and rake by day, source, table, game, ruleset and currency.",
            fields=_PLACE,
            read_day=reports_performance.read_day,
            assemble=reports_performance.assemble,
        ),
        Definition(
            kind=ReportKind.EVENTS,
            version=1,
            about="Large wins and wagers, void hands, corrections, failed checks and sign-ins.",
            fields=_PLACE | {"large_win", "large_wager"},
            read_day=reports_events.read_day,
            assemble=reports_events.assemble,
        ),
        Definition(
            kind=ReportKind.DISCREPANCIES,
            version=1,
            about="Hands whose log and rules disagree, with what was logged and recomputed.",
            fields=_PLACE,
            read_day=reports_discrepancies.read_day,
            assemble=reports_discrepancies.assemble,
        ),
        Definition(
            kind=ReportKind.COMPLETENESS,
            version=1,
            about="Which table-days are certified, complete or not, and which have no certificate.",
            fields=frozenset({"source", "table"}),
            read_day=reports_completeness.read_day,
            assemble=reports_completeness.assemble,
        ),
        Definition(
            kind=ReportKind.ACCESS,
            version=2,
            about="Accounts and who could come in as each, roles and who gave them, acts of two.",
            fields=frozenset(),
            read_day=None,
            assemble=reports_access.assemble,
            act=Act.REVIEW_ACCESS,
        ),
        Definition(
            kind=ReportKind.STATEMENT,
            version=1,
            about="The hands of one player and what they come to, by game.",
            fields=_PLACE | {"player"},
            read_day=reports_statement.read_day,
            assemble=reports_statement.assemble,
            act=Act.SEE_HANDS,
        ),
    )
}


def definition_of(kind: str) -> Definition:
    return DEFINITIONS[ReportKind(kind)]


def period_words(basis: str, first: date, last: date) -> str:
    """The days of a report in words."""
    days = first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"
    return f"{ReportBasis(basis).label!s}, {days}"
