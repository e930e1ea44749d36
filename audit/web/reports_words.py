"""The words of the pages of reports, in the language of the request."""

from __future__ import annotations

from datetime import date

from audit.models import ReportBasis, ReportKind, ReportRunState
from audit.web.language import phrase, say

TITLES = {
    ReportKind.PERFORMANCE: say("Game performance"),
    ReportKind.EVENTS: say("Significant events"),
    ReportKind.DISCREPANCIES: say("Discrepancies"),
    ReportKind.COMPLETENESS: say("Completeness"),
    ReportKind.ACCESS: say("Access review"),
    ReportKind.STATEMENT: say("Player statement"),
}
ABOUTS = {
    ReportKind.PERFORMANCE: say(
        "Hands, wagers, wins and rake by day, source, table, game, ruleset and currency."
    ),
    ReportKind.EVENTS: say(
        "Large wins and wagers, void hands, corrections, failed checks and sign-ins."
    ),
    ReportKind.DISCREPANCIES: say(
        "Hands whose log and rules disagree, with what was logged and recomputed."
    ),
    ReportKind.COMPLETENESS: say(
        "Which table-days are certified, complete or not, and which have no certificate."
    ),
    ReportKind.ACCESS: say("Accounts, their roles and sources, and who gave or ended them."),
    ReportKind.STATEMENT: say("The hands of one player and what they come to, by game."),
}
BASES = {
    ReportBasis.DAY: say("One day"),
    ReportBasis.DAYS: say("From day to day"),
    ReportBasis.MONTH: say("Month to date"),
    ReportBasis.YEAR: say("Year to date"),
    ReportBasis.LIFE: say("Life to date"),
}
STATES = {
    ReportRunState.QUEUED: say("Queued"),
    ReportRunState.RUNNING: say("Running"),
    ReportRunState.STOPPED: say("Stopped"),
    ReportRunState.DONE: say("Done"),
    ReportRunState.FAILED: say("Failed"),
}


def period_words(basis: str, first: date, last: date) -> str:
    """The days of a report, after how they were chosen."""
    values = {"basis": BASES[ReportBasis(basis)], "first": first.isoformat()}
    if first == last:
        return phrase("{basis}, {first}", **values)
    return phrase("{basis}, {first} to {last}", last=last.isoformat(), **values)
