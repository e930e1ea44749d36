"""What was asked of a report, read strictly: which days, and what it is narrowed by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from audit.models import ReportBasis, Table
from audit.selectors.access import Access, Act, Sources
from audit.selectors.certificates_days import current_rules
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.reports_content import Scope
from audit.selectors.reports_definitions import Definition
from audit.selectors.reports_hands import first_day
from replay import say

_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?", re.ASCII)
THRESHOLDS = ("large_win", "large_wager")
CURRENCIES_MAX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Days and scope of a report; `sources` are those that it is kept to, None for every one."""

    basis: ReportBasis
    first: date
    last: date
    parameters: dict[str, Any]
    sources: Sources


def read_request(definition: Definition, query: Mapping[str, str], access: Access) -> Asked:
    """Read `basis from to` and the fields of the report. Raises: BadQuery.

    A field that the report is not narrowed by is refused where it says something. A source that may
    not be seen is not known.
    """
    for name in ("source", "table", "game", "player", *THRESHOLDS):
        if query.get(name) and name not in definition.fields:
            raise BadQuery(say("This report is not narrowed by “{name}”.", name=name))
    named = HandFilters.parse(
        {
            key: query[key]
            for key in ("source", "table", "game", "player", "from", "to")
            if key in query
        }
    )
    if "player" in definition.fields and not named.player:
        raise BadQuery(say("Say which player the statement is for."))
    if "player" in definition.fields and not named.source:
        raise BadQuery(say("Say of which source the player is."))
    sources = _sources(definition, named.source, access)
    parameters: dict[str, Any] = {
        name: getattr(named, name)
        for name in ("source", "table", "game", "player")
        if getattr(named, name)
    }
    for name in THRESHOLDS:
        if name in definition.fields:
            limits = _limits(name, query)
            if limits:
                parameters[name] = limits
    basis = _basis(query)
    first, last = _days(basis, named, Scope.of(date.min, date.max, parameters, sources))
    return Asked(basis=basis, first=first, last=last, parameters=parameters, sources=sources)


def _sources(definition: Definition, source: str, access: Access) -> Sources:
    allowed = access.sources(Act.MAKE_REPORTS)
    if definition.act is not None:
        if not access.may(definition.act):
            raise BadQuery(say("This report is not yours to make."))
        own = access.sources(definition.act)
        allowed = own if allowed is None else allowed if own is None else allowed & own
    if not source:
        return allowed
    is_known = Table.objects.filter(source=source).exists()
    if not is_known or (allowed is not None and source not in allowed):
        raise BadQuery(say("There is no such source."))
    return frozenset({source})


def _basis(query: Mapping[str, str]) -> ReportBasis:
    text = query.get("basis", "") or ReportBasis.DAY.value
    if text not in ReportBasis.values:
        raise BadQuery(
            say("The filter “basis” is none of {join}.", join=", ".join(ReportBasis.values))
        )
    return ReportBasis(text)


def _days(basis: ReportBasis, named: HandFilters, scope: Scope) -> tuple[date, date]:
    last = named.day_to
    if last is None:
        raise BadQuery(say("Say which day the report is of, or up to which day."))
    if basis == ReportBasis.DAYS:
        if named.day_from is None:
            raise BadQuery(say("Say from which day."))
        return named.day_from, last
    if named.day_from is not None:
        raise BadQuery(say("The first day is given by the kind of period: leave “from” empty."))
    return first_of(basis, last, scope), last


def first_of(basis: ReportBasis, last: date, scope: Scope) -> date:
    """The first day of a period that ends with this day."""
    if basis == ReportBasis.MONTH:
        return last.replace(day=1)
    if basis == ReportBasis.YEAR:
        return last.replace(month=1, day=1)
    if basis == ReportBasis.LIFE:
        return min(first_day(scope, current_rules()) or last, last)
    return last


def _limits(name: str, query: Mapping[str, str]) -> dict[str, str]:
    """What `HKD=1000, CNY=500` says; the setting where the field is not there at all."""
    if name not in query:
        return dict(getattr(settings, f"TILECOURT_{name.upper()}S"))
    return read_limits(name, query[name])


def read_limits(name: str, text: str) -> dict[str, str]:
    """Whole units by currency out of `HKD=1000, CNY=500`. Raises: BadQuery."""
    found: dict[str, str] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        currency, _, amount = (part.strip() for part in word.rpartition("="))
        if not currency or len(currency) > 128 or not _AMOUNT.fullmatch(amount):
            raise BadQuery(say("“{word}” is no threshold: write it as HKD=1000.", word=word[:60]))
        if currency in found:
            raise BadQuery(
                say("The threshold of {currency} is given twice.", currency=currency[:60])
            )
        found[currency] = amount
    if len(found) > CURRENCIES_MAX:
        raise BadQuery(
            say(
                "“{name}” holds more than {currencies_max} currencies.",
                name=name,
                currencies_max=CURRENCIES_MAX,
            )
        )
    return dict(sorted(found.items()))
