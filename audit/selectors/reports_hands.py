"""The hands of a report, gaming day by gaming day, in what the report is narrowed to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django.db import connection

from audit.models import Hand
from audit.selectors.certificates_days import Rules, gaming_day, place_columns
from audit.selectors.reports_content import Scope
from audit.selectors.totals import PLAYED, ROWS_AT_ONCE, TotalsQuery, newest_day, places_of

ASKED = "(%s = '' OR h.game = %s) AND (%s = '' OR h.players @> ARRAY[%s]::varchar(128)[])"
_DIGEST = f"""
SELECT count(*), coalesce(sum(hashtextextended(concat_ws(
    ',', h.id, h.version_id, h.verdict_id, h.comparison_id, h.verdict_kind, h.is_conflict,
    h.contending_verdicts
), 0)), 0)::text
{PLAYED} WHERE {ASKED}
"""


def query_of(scope: Scope) -> TotalsQuery:
    """The same scope as the totals are asked for."""
    return TotalsQuery(
        sources=scope.sources,
        source=scope.source,
        table=scope.table,
        game=scope.game,
        day_from=scope.first,
        day_to=scope.last,
    )


def day_before(scope: Scope, before: date | None, rules: Rules) -> date | None:
    """The latest day of the scope in front of `before` on which a hand was played."""
    return newest_day(query_of(scope), before, rules)


def first_day(scope: Scope, rules: Rules) -> date | None:
    """The gaming day of the first hand of the scope, whatever its days; None without a hand."""
    hands = Hand.objects.order_by("played_at", "id")
    if scope.sources is not None:
        hands = hands.filter(source__in=scope.sources)
    for column in ("source", "table", "game"):
        if value := getattr(scope, column):
            hands = hands.filter(**{column: value})
    found = hands.values_list("source", "table", "played_at", "started_at").first()
    if found is None:
        return None
    source, table, played_at, started_at = found
    return gaming_day(rules.of(source, table), played_at, started_at)


def asked_of(scope: Scope) -> list[str]:
    """The parameters of ASKED."""
    return [scope.game, scope.game, scope.player, scope.player]


def day_digest(scope: Scope, day: date, rules: Rules) -> bytes:
    """Sums up which hands a day has in which version, verdict and comparison."""
    places = places_of(query_of(scope), day, rules)
    with connection.cursor() as cursor:
        cursor.execute(_DIGEST, [*place_columns(places), *asked_of(scope)])
        count, summed = cursor.fetchone()
    return hashlib.sha256(f"{day.isoformat()},{count},{summed}".encode()).digest()


def rows_of_day(
    query: str, scope: Scope, day: date, rules: Rules, *, before: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query over PLAYED, ROWS_AT_ONCE at a time; `before` are what it asks for
    between the places and ASKED.

    The first column is the position of a place; it comes back as source and table.
    """
    places = places_of(query_of(scope), day, rules)
    if not places:
        return
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, [*place_columns(places), *before, *asked_of(scope)])
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            for position, *row in rows:
                yield (*places[position][:2], *row)


_RULESETS = f"""
SELECT p.position, w.ruleset, encode(w.ruleset_sha256, 'hex')
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
WHERE {ASKED} GROUP BY 1, 2, 3
"""


def rulesets_of_days(scope: Scope, days: Sequence[date], rules: Rules) -> dict[str, str]:
    """Which rulesets judged the hands of these days: name to SHA-256.

    Where one name stands for two contents, as after a correction, each has its own entry.
    """
    found = {
        (name, sha256)
        for day in days
        for _, _, name, sha256 in rows_of_day(_RULESETS, scope, day, rules)
    }
    names = [name for name, _ in found]
    return {
        name if names.count(name) == 1 else f"{name} {sha256[:8]}": sha256
        for name, sha256 in sorted(found)
    }
