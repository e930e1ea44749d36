"""Completeness: the certificates of the days, and the table-days that have none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import msgspec
from django.db.models import Q, QuerySet

from audit.models import Certificate
from audit.selectors.certificates_days import Rules
from audit.selectors.reports_content import (
    ROWS_MAX,
    Body,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    count_check,
    instant_cell,
)
from audit.selectors.reports_hands import ASKED, rows_of_day
from audit.selectors.totals import PLAYED

_COUNTED = f"SELECT p.position, count(*) {PLAYED} WHERE {ASKED} GROUP BY 1 ORDER BY 1"
_PLACES = msgspec.json.Decoder(list[tuple[str, str, int]])
_COLUMNS = (
    Column(key="day", title="Day", shape=Shape.TIME),
    Column(key="source", title="Source"),
    Column(key="table", title="Table"),
    Column(key="state", title="State"),
    Column(key="certificate", title="Certificate"),
    Column(key="hands", title="Hands certified", shape=Shape.COUNT),
    Column(key="stored", title="Hands stored", shape=Shape.COUNT),
    Column(key="missing", title="Missing", shape=Shape.COUNT),
    Column(key="refused", title="Refused", shape=Shape.COUNT),
    Column(key="made_at", title="Made (UTC)", shape=Shape.TIME),
    Column(key="sha256", title="SHA-256"),
)
Key = tuple[date, str, str]
# State, certificate and edition, hands, missing, refused, made at, SHA-256.
Certified = tuple[str, str, int, int, int, str | None, str]


def read_day(scope: Scope, day: date, rules: Rules) -> bytes:
    """The tables of one day with their numbers of hands as JSON."""
    return msgspec.json.encode(list(rows_of_day(_COUNTED, scope, day, rules)))


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """The report out of its days and of the newest certificate of each table and day."""
    stored: dict[Key, int] = {
        (day, source, table): hands
        for day, content in parts
        for source, table, hands in _PLACES.decode(content)
    }
    certified = _certified(scope)
    lines: list[Line] = []
    states = {"Complete": 0, "Not complete": 0, "Not certified": 0}
    hands = missing = refused = 0
    places = sorted({*stored, *certified}, key=lambda key: (-key[0].toordinal(), key[1], key[2]))
    for key in places:
        day, source, table = key
        known = certified.get(key)
        state = "Not certified" if known is None else known[0]
        states[state] += 1
        hands += stored.get(key, 0)
        missing += 0 if known is None else known[3]
        refused += 0 if known is None else known[4]
        if len(lines) < ROWS_MAX:
            told = (None,) * 2 if known is None else known[1:3]
            rest = (None,) * 4 if known is None else known[3:]
            cells = (day.isoformat(), source, table, state, *told, stored.get(key, 0), *rest)
            lines.append(Line(cells=cells))
    listed = len(lines)
    if lines:
        label = ("Total", None, None, None, None, None)
        lines.append(Line(cells=(*label, hands, missing, refused, None, None), level=Level.TOTAL))
    return Body(
        sections=(_states_section(states), _days_section(lines, len(places) - listed)),
        checks=(
            count_check(
                "Table-days by state and one by one",
                "By state",
                sum(states.values()),
                "Listed and left out",
                len(places),
            ),
        ),
    )


def _certified(scope: Scope) -> dict[Key, Certified]:
    names = ("day", "source", "table", "pk", "edition", "is_complete", "hand_count",
             "missing_count", "refused_count", "made_at", "sha256")  # fmt: skip
    newest = _newest(scope).values_list(*names)
    return {
        (day, source, table): (
            "Complete" if is_complete else "Not complete",
            f"{pk}, edition {edition}",
            hands,
            missing,
            refused,
            instant_cell(made_at),
            bytes(sha256).hex()[:16],
        )
        for day, source, table, pk, edition, is_complete, hands, missing, refused, made_at, sha256
        in newest.iterator()
    }  # fmt: skip


def _newest(scope: Scope) -> QuerySet[Certificate]:
    wanted = Q(day__gte=scope.first, day__lte=scope.last)
    if scope.sources is not None:
        wanted &= Q(source__in=scope.sources)
    for name in ("source", "table"):
        if value := getattr(scope, name):
            wanted &= Q(**{name: value})
    ordered = Certificate.objects.filter(wanted).order_by("day", "source", "table", "-edition")
    return ordered.distinct("day", "source", "table")


def _states_section(states: dict[str, int]) -> Section:
    lines = [Line(cells=(state, count)) for state, count in states.items() if count]
    if lines:
        lines.append(Line(cells=("Total", sum(states.values())), level=Level.TOTAL))
    return Section(
        key="states",
        title="By state",
        about="",
        columns=(
            Column(key="state", title="State"),
            Column(key="days", title="Table-days", shape=Shape.COUNT),
        ),
        lines=tuple(lines),
    )


def _days_section(lines: list[Line], more: int) -> Section:
    return Section(
        key="days",
        title="Table-days",
        about="Each table and gaming day that has a hand or a certificate, by its newest"
        " certificate, the latest first. Where stored and certified hands differ, the certificate"
        " is out of date.",
        columns=_COLUMNS,
        lines=tuple(lines),
        more=more,
    )
