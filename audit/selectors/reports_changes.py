"""What came between two editions of a report: rows, sealed after the first was made, of its hands.

What was sealed before the first edition was made lies below its size of the log. A row that was
visible then and not yet sealed is told again: an edition says how many of those there were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db import connection

from audit.models import LeafKind, Report
from audit.selectors.certificates_days import Rules, gaming_day
from audit.selectors.filters import instants_of
from audit.selectors.reports_content import (
    Body,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    changed_lines,
    instant_cell,
)

# So many of each kind are named; all are counted.
LISTED_MAX = 1_000
_AFTER = """
LEFT JOIN audit_sealedleaf l ON l.kind = {kind} AND l.row = t.id
WHERE (l.index IS NULL OR l.index >= %(size)s)
    AND (%(since)s::timestamptz IS NULL OR h.played_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR h.played_at < %(until)s)
    AND (%(sources)s::text[] IS NULL OR h.source = ANY(%(sources)s))
    AND (%(source)s = '' OR h.source = %(source)s) AND (%(table)s = '' OR h."table" = %(table)s)
    AND (%(game)s = '' OR h.game = %(game)s)
    AND (%(player)s = '' OR h.players @> ARRAY[%(player)s]::varchar(128)[])
ORDER BY t.id
"""
_HAND = 'h.id, h.source, h."table", h.hand_id, h.played_at, h.started_at'
_RESTATED = """
SELECT {hand}, t.created_at, u.restatement FROM audit_restatement t
JOIN audit_hand h ON h.id = t.hand_id JOIN audit_upload u ON u.id = t.upload_id
"""
_NEW = """
SELECT {hand}, t.created_at, '' FROM audit_hand h
JOIN audit_handversion t ON t.hand_id = h.id AND t.number = 1
"""
_FURTHER = """
SELECT {hand}, t.created_at, 'version ' || t.number FROM audit_hand h
JOIN audit_handversion t ON t.hand_id = h.id AND t.number > 1
"""
# The first verdict of a version came with it.
_JUDGED = """
SELECT {hand}, t.created_at, t.ruleset || ', engine ' || t.engine FROM audit_hand h
JOIN audit_handversion v ON v.hand_id = h.id JOIN audit_verdict t ON t.version_id = v.id
    AND EXISTS (SELECT FROM audit_verdict o WHERE o.version_id = v.id AND o.id < t.id)
"""
_COMPARED = """
SELECT {hand}, t.created_at, t.kind FROM audit_hand h
JOIN audit_handversion v ON v.hand_id = h.id JOIN audit_verdict w ON w.version_id = v.id
JOIN audit_comparison t ON t.verdict_id = w.id
"""
_CAUSES = (
    ("Restated", LeafKind.RESTATEMENT, _RESTATED),
    ("New hand", LeafKind.VERSION, _NEW),
    ("Another record of a hand", LeafKind.VERSION, _FURTHER),
    ("Judged again", LeafKind.VERDICT, _JUDGED),
    ("Compared again with the hand before", LeafKind.COMPARISON, _COMPARED),
)


def changes_between(old: Report, body: Body, was: Body, scope: Scope, rules: Rules) -> Body:
    """What differs between an edition and the figures of now, and what came between them."""
    causes = [*_causes(old, scope, rules)]
    return Body(sections=(_figures_section(was, body), causes_section(causes)), checks=())


def _causes(old: Report, scope: Scope, rules: Rules) -> Iterator[tuple[str, Line]]:
    since, until = instants_of(scope.first, scope.last)
    # A gaming day may reach into the next day of the log.
    asked = {
        "size": old.log_size,
        "since": since,
        "until": until,
        "sources": None if scope.sources is None else sorted(scope.sources),
        "source": scope.source,
        "table": scope.table,
        "game": scope.game,
        "player": scope.player,
    }
    for title, kind, query in _CAUSES:
        with connection.chunked_cursor() as cursor:
            cursor.execute((query + _AFTER).format(hand=_HAND, kind=kind.value), asked)
            for row in cursor:
                if _is_within(scope, rules, row):
                    yield title, _cause_line(title, row)


def _is_within(scope: Scope, rules: Rules, row: tuple[Any, ...]) -> bool:
    _, source, table, _, played_at, started_at, *_ = row
    return scope.first <= gaming_day(rules.of(source, table), played_at, started_at) <= scope.last


def _cause_line(title: str, row: tuple[Any, ...]) -> Line:
    hand, source, table, hand_id, _, _, at, detail = row
    return Line(cells=(title, source, table, hand_id, instant_cell(at), detail or None), hand=hand)


def causes_section(causes: list[tuple[str, Line]]) -> Section:
    """The rows that came between, by kind; a kind's total counts those that are not listed, too."""
    counts = Counter(title for title, _ in causes)
    lines: list[Line] = []
    listed: Counter[str] = Counter()
    for title, line in causes:
        listed[title] += 1
        if listed[title] <= LISTED_MAX:
            lines.append(line)
    totals = [
        Line(cells=(title, None, None, f"{count} in all", None, None), level=Level.TOTAL)
        for title, count in counts.items()
    ]
    return Section(
        key="causes",
        title="What came between",
        about="Records, restatements and verdicts of hands of these days that were sealed after the"
        " edition before was made.",
        columns=(
            Column(key="what", title="What"),
            Column(key="source", title="Source"),
            Column(key="table", title="Table"),
            Column(key="hand_id", title="Hand"),
            Column(key="at", title="When (UTC)", shape=Shape.TIME),
            Column(key="detail", title="Detail"),
        ),
        lines=(*lines, *totals),
        more=len(causes) - len(lines),
    )


def _figures_section(was: Body, body: Body) -> Section:
    lines: list[Line] = []
    more = 0
    for one in changed_lines(was, body):
        if len(lines) == 2 * LISTED_MAX:
            more += 1
            continue
        lines.append(Line(cells=(one["section"], _told(one["then"]), _told(one["now"]))))
    return Section(
        key="figures",
        title="What changed since the edition before",
        about="Each row that stands in one of the two editions alone.",
        columns=(
            Column(key="section", title="Section"),
            Column(key="then", title="Then"),
            Column(key="now", title="Now"),
        ),
        lines=tuple(lines),
        more=more,
    )


def _told(cells: list[Any] | None) -> str | None:
    return None if cells is None else " | ".join("–" if one is None else str(one) for one in cells)
