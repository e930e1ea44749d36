"""Hands and money of the days, by table and game. A day is the gaming day of its table.

Clean hands are summed by the database out of their stored settlements, for their log says the same;
of the others the record is read, so that what was logged stands beside what was recomputed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
from django.db import connection

from audit.models import Hand, Table, VerdictKind
from audit.selectors.certificates_census import tables_with_something
from audit.selectors.certificates_days import (
    IN_PLACE,
    PLACES,
    Rules,
    Span,
    current_rules,
    day_span,
    place_columns,
)
from audit.selectors.totals_money import (
    Figures,
    Flow,
    HandMoney,
    clean_money,
    meaning_of,
    money_of,
    told,
)
from audit.selectors.totals_sums import Sum
from audit.zstd import unpacked

# A page goes on with the day before until it has so many hands or so many days.
HANDS_AT_ONCE = 50_000
DAYS_AT_ONCE = 31
# A day with more takes longer than a page may: its table, taken out, has no limit.
HANDS_A_DAY_MAX = 100_000
ROWS_AT_ONCE = 1_000
_DAY = timedelta(days=1)
_JSON = msgspec.json.Decoder()
# The planner cannot tell how few hands a day has: OFFSET 0 makes it look up each place by itself.
PLAYED = f"""
FROM {PLACES} CROSS JOIN LATERAL (
    SELECT * FROM audit_hand h WHERE {IN_PLACE.format(of="h")} AND NOT h.is_replaced OFFSET 0
) h
"""  # noqa: S608 - from constants
_KINDS = ", ".join(
    f"count(*) FILTER (WHERE h.verdict_kind = '{kind}' AND NOT h.is_conflict)"
    for kind in VerdictKind.values
)

# What the settlement of a verdict `w` comes to. It writes its money with exactly the decimals of
# the hand, so that without the point it is in minor units.
SETTLED = """
SELECT coalesce(sum(replace(one->>'valid_bet', '.', '')::numeric), 0) AS valid_bet,
    sum(replace(one->>'rake', '.', '')::numeric) AS rake,
    sum(greatest(n.net, 0)) AS won, sum(greatest(-n.net, 0)) AS lost,
    sum(greatest(-replace(one->>'gross', '.', '')::numeric, 0)) AS pot
FROM jsonb_array_elements(coalesce(w.settlement->'seats', w.settlement->'players')) one
CROSS JOIN LATERAL (
    SELECT replace(coalesce(one->>'net', one->>'profit'), '.', '')::numeric AS net
) n
"""
_CLEAN = f"""
SELECT p.position, h.game, h.currency, h.minor_digits, h.ruleset, count(*), {_KINDS},
    count(*) FILTER (WHERE h.is_conflict),
    count(m.valid_bet), coalesce(sum(m.valid_bet), 0)::text, sum(m.rake)::text,
    coalesce(sum(m.won), 0)::text, coalesce(sum(m.lost), 0)::text, coalesce(sum(m.pot), 0)::text
{PLAYED}
LEFT JOIN LATERAL (
    SELECT v.settlement FROM audit_verdict v
    WHERE v.id = h.verdict_id AND v.version_id = h.version_id
        AND h.verdict_kind = 'clean' AND NOT h.is_conflict
    OFFSET 0
) w ON true
LEFT JOIN LATERAL ({SETTLED}) m ON w.settlement IS NOT NULL
WHERE (%s = '' OR h.game = %s)
GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608 - from constants
_COUNTED = f"""
SELECT count(*) FROM (SELECT {PLAYED} WHERE (%s = '' OR h.game = %s) LIMIT %s) counted
"""  # noqa: S608
_READ = """
SELECT p.position, h.game, h.currency, h.minor_digits, h.ruleset, h.verdict_kind,
    w.settlement::text, v.raw
"""
_JOINED = """
JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
"""
_OTHERS = f"""
{_READ} {PLAYED} {_JOINED}
WHERE (%s = '' OR h.game = %s) AND NOT h.is_conflict
    AND (h.verdict_kind NOT IN ('clean', 'void')
        OR h.verdict_kind = 'clean' AND w.settlement IS NULL)
"""
# Hands of a table that began at one instant: some may say the same under another id.
_AT_ONCE = f"""
SELECT a.position, a.id, v.raw FROM (
    SELECT p.position, h.id, h.version_id,
        count(*) OVER (PARTITION BY p.position, h.played_at) AS together
    {PLAYED} WHERE (%s = '' OR h.game = %s)
) a JOIN audit_handversion v ON v.id = a.version_id AND v.hand_id = a.id
WHERE a.together > 1 ORDER BY a.position, a.id
"""  # noqa: S608
_NAMED = f"""
{_READ}, h.is_conflict
FROM unnest(%s::int8[], %s::int4[]) AS p (id, position) JOIN audit_hand h ON h.id = p.id {_JOINED}
"""

# Position, game, currency, decimals, ruleset.
Group = tuple[int, str, str, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsQuery:
    """What is asked for; empty or None where nothing is. Both days are included.

    `sources` are those that may be seen, None for every source.
    """

    sources: frozenset[str] | None
    source: str = ""
    table: str = ""
    game: str = ""
    day_from: date | None = None
    day_to: date | None = None


@dataclass(slots=True, kw_only=True)
class Totals:
    """One table's day in one game and currency, under one ruleset or under all of them.

    `kinds` counts hands by verdict, and adds up to `hands` together with those that are
    `in_conflict`. `sum` holds what is neither void nor in conflict; `twin_sum` is the part of it
    that comes from the `twins`, hands that say the same as an earlier one under another id.
    """

    day: date | None
    source: str
    table: str
    game: str
    currency: str
    minor_digits: int
    ruleset: str | None = None
    hands: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VerdictKind.values, 0))
    in_conflict: int = 0
    sum: Sum = field(default_factory=Sum)
    twins: int = 0
    twin_sum: Sum = field(default_factory=Sum)

    def add(self, other: Totals) -> None:
        """Take in another row of the same currency and decimals."""
        self.hands += other.hands
        for kind, count in other.kinds.items():
            self.kinds[kind] += count
        self.in_conflict += other.in_conflict
        self.sum.add_sum(other.sum)
        self.twins += other.twins
        self.twin_sum.add_sum(other.twin_sum)


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsPage:
    """Rows of whole days, the latest first; `before` is the day to go on in front of, if any.

    `too_large` is a day with more than HANDS_A_DAY_MAX hands, which has no rows here.
    """

    rows: tuple[Totals, ...]
    before: date | None
    too_large: date | None = None


def list_totals(query: TotalsQuery, *, before: date | None = None) -> TotalsPage:
    """The latest days that fit one page, in front of `before` where it is given."""
    rules = current_rules()
    rows: list[Totals] = []
    days = 0
    day = newest_day(query, before, rules)
    while day is not None:
        if _is_large(query, day, rules):
            if rows:
                return TotalsPage(rows=tuple(rows), before=day + _DAY)
            older = newest_day(query, day, rules)
            return TotalsPage(rows=(), before=None if older is None else day, too_large=day)
        rows += totals_of_day(query, day, rules)
        days += 1
        older = newest_day(query, day, rules)
        if days == DAYS_AT_ONCE or sum(one.hands for one in rows) >= HANDS_AT_ONCE:
            return TotalsPage(rows=tuple(rows), before=None if older is None else day)
        day = older
    return TotalsPage(rows=tuple(rows), before=None)


def _is_large(query: TotalsQuery, day: date, rules: Rules) -> bool:
    """Whether a day has more hands than are summed for a page."""
    where: list[Any] = [*place_columns(places_of(query, day, rules)), query.game, query.game]
    where.append(HANDS_A_DAY_MAX + 1)
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, where)
        (hands,) = cursor.fetchone()
    return bool(hands > HANDS_A_DAY_MAX)


def days_of_totals(
    query: TotalsQuery, *, before: date | None = None
) -> Iterator[tuple[date, list[Totals]]]:
    """The days that have hands, the latest first, each with its rows."""
    rules = current_rules()
    day = newest_day(query, before, rules)
    while day is not None:
        totals = totals_of_day(query, day, rules)
        if totals:
            yield day, totals
        day = newest_day(query, day, rules)


def totals_of_day(query: TotalsQuery, day: date, rules: Rules) -> list[Totals]:
    """The rows of one day by source, table, game and currency, over all rulesets."""
    merged: dict[tuple[str, str, str, str, int], Totals] = {}
    for row in totals_by_ruleset(query, day, rules):
        key = (row.source, row.table, row.game, row.currency, row.minor_digits)
        if key in merged:
            merged[key].add(row)
        else:
            row.ruleset = None
            merged[key] = row
    return list(merged.values())


def totals_by_ruleset(query: TotalsQuery, day: date, rules: Rules) -> list[Totals]:
    """The rows of one day by source, table, game, currency and the ruleset that the log names."""
    places = places_of(query, day, rules)
    if not places:
        return []
    where: list[Any] = [*place_columns(places), query.game, query.game]
    groups: dict[Group, Totals] = {}
    with connection.cursor() as cursor:
        cursor.execute(_CLEAN, where)
        for row in cursor.fetchall():
            group = row[:5]
            groups[group] = _clean_row(day, places, group, row[5:])
    for group, money in _money(_OTHERS, where):
        groups[group].sum.add(money)
    _add_twins(groups, where)
    return [groups[key] for key in sorted(groups, key=lambda key: (places[key[0]][:2], key[1:]))]


def _clean_row(
    day: date, places: Sequence[tuple[str, str, Span]], group: Group, row: tuple[Any, ...]
) -> Totals:
    hands, *counts, in_conflict, settled, valid_bet, rake, won, lost, pot = row
    position, game, currency, digits, ruleset = group
    totals = Totals(
        day=day,
        source=places[position][0],
        table=places[position][1],
        game=game,
        currency=currency,
        minor_digits=digits,
        ruleset=ruleset,
        hands=hands,
        kinds=dict(zip(VerdictKind.values, counts, strict=True)),
        in_conflict=in_conflict,
    )
    clean = Figures(valid_bet=int(valid_bet), rake=None if rake is None else int(rake))
    flow = Flow(won=int(won), lost=int(lost), pot=int(pot))
    totals.sum.add_settled(settled, clean, clean, 0, flow)
    return totals


def _money(query: str, parameters: list[Any]) -> Iterator[tuple[Group, HandMoney]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            for row in rows:
                yield row[:5], money_of_row(row[3], *row[5:8])


def money_of_row(digits: int, kind: str, settlement: str | None, raw: bytes) -> HandMoney:
    """The money of a hand: `settlement` is its JSON, `raw` its packed record."""
    settled = None if settlement is None else _JSON.decode(settlement)
    if kind == VerdictKind.CLEAN and settled is not None:
        return clean_money(settled, digits)
    return money_of(settled, told(unpacked(raw)).result, digits)


def _add_twins(groups: dict[Group, Totals], where: list[Any]) -> None:
    """Note the hands that say the same as an earlier one but for the id."""
    twins: dict[int, int] = {}
    seen: set[tuple[int, bytes]] = set()
    with connection.chunked_cursor() as cursor:
        cursor.execute(_AT_ONCE, where)
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            for position, pk, raw in rows:
                meaning = (position, meaning_of(unpacked(raw)))
                if meaning in seen:
                    twins[pk] = position
                seen.add(meaning)
    if not twins:
        return
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [list(twins), list(twins.values())])
        for *row, is_conflict in cursor.fetchall():
            totals = groups[row[0], row[1], row[2], row[3], row[4]]
            totals.twins += 1
            if row[5] != VerdictKind.VOID and not is_conflict:
                totals.twin_sum.add(money_of_row(row[3], *row[5:8]))


def places_of(query: TotalsQuery, day: date, rules: Rules) -> list[tuple[str, str, Span]]:
    """The tables asked for, each with where its hands of this day lie."""
    tables = Table.objects.order_by("source", "name").values_list("source", "name")
    if query.sources is not None:
        tables = tables.filter(source__in=query.sources)
    if query.source:
        tables = tables.filter(source=query.source)
    if query.table:
        tables = tables.filter(name=query.table)
    return [(source, name, day_span(rules.of(source, name), day)) for source, name in tables]


def newest_day(query: TotalsQuery, before: date | None, rules: Rules) -> date | None:
    """The latest day asked for, in front of `before`, on which a hand was played."""
    hands = Hand.objects.order_by("-played_at").values_list("played_at", flat=True)
    for name in ("source", "table", "game"):
        if value := getattr(query, name):
            hands = hands.filter(**{name: value})
    if query.sources is not None:
        hands = hands.filter(source__in=query.sources)
    first = query.day_from or date.min
    day = query.day_to or date.max
    if before is not None:
        if before == date.min:
            return None
        day = min(day, before - _DAY)
    while day >= first:
        # A gaming day may begin a day late, last a day, and be logged in an offset of a day.
        reach = _after(day, 3)
        newest = (hands if reach is None else hands.filter(played_at__lt=reach)).first()
        if newest is None:
            return None
        day = min(day, newest.date() if newest.date() == date.max else newest.date() + _DAY)
        if day >= first and tables_with_something(places_of(query, day, rules)):
            return day
        if day == date.min:
            return None
        day -= _DAY
    return None


def _after(day: date, days: int) -> datetime | None:
    """Midnight so many days later in UTC; None where there is no such day any more."""
    try:
        return datetime(day.year, day.month, day.day, tzinfo=UTC) + days * _DAY
    except OverflowError:
        return None
