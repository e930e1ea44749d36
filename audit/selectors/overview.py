"""What the overview shows of a run of days: verdicts, first findings, money at risk, rake.

A day is the day of play in the offset of the log. Money at risk is that of the open cases of the
desk. Currencies are never added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Q, Sum
from django.utils import timezone

import replay
from audit.models import CaseHand, CaseState, Hand, HandKind, Upload, VerdictKind
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, narrowed, uploads_in
from audit.selectors.filters import OFFSET_MAX, OPEN_DAYS, HandFilters, instants_of
from audit.selectors.kinds import kind_of
from audit.selectors.pages import BadQuery
from audit.selectors.totals import SETTLED, money_of_row

PERIODS = (14, 31, 92)
CODES_SHOWN = 12
TABLES_SHOWN = 8
# Summing rake reads every hand: above this many the page leaves it to the totals.
RAKE_HANDS_MAX = 100_000
# Days since a hand was found, as the list of hands can be narrowed by them.
AGES = tuple(span for name, span in OPEN_DAYS.items() if name != "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewQuery:
    """What was asked for: so many days up to `day_to` (None: the newest that is not later than
    today anywhere, else the newest at all), one source."""

    days: int = PERIODS[0]
    day_to: date | None = None
    source: str = ""

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> OverviewQuery:
        """Read `days to source`. Raises: BadQuery."""
        narrowed = HandFilters.parse({key: query[key] for key in ("to", "source") if key in query})
        days = query.get("days", "") or str(PERIODS[0])
        if days not in map(str, PERIODS):
            raise BadQuery(
                replay.say(
                    "The filter “days” is none of {join}.", join=", ".join(map(str, PERIODS))
                )
            )
        return cls(days=int(days), day_to=narrowed.day_to, source=narrowed.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """Money at risk in minor units of one currency; `table` is empty for a sum over tables."""

    source: str
    table: str
    currency: str
    digits: int
    minor: int
    hands: int

    @property
    def text(self) -> str:
        return replay.format_minor(self.minor, self.digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeDay:
    """The rake of a day in minor units, over hands that have both sides."""

    day: date
    recomputed: int
    logged: int

    @property
    def difference(self) -> int:
        """Logged less recomputed: positive where the room took too much."""
        return self.logged - self.recomputed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rake:
    """The rake of one currency over the period, and its days that have hands, the first first."""

    currency: str
    digits: int
    days: tuple[RakeDay, ...]

    @property
    def recomputed(self) -> int:
        return sum(day.recomputed for day in self.days)

    @property
    def logged(self) -> int:
        return sum(day.logged for day in self.days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """Hands of open cases by the days since they were found; `most` is None for the oldest."""

    least: int
    most: int | None
    hands: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The figures of a period; both days are included.

    `days` has every day with its hands by kind of verdict, also where there is none. `codes` are
    first findings with their hands, the most frequent first, `more_codes` the hands of those cut
    off. `risks` are by table, the largest of each currency first, `risk_sums` over all tables.
    `rakes` is None where too many hands would have to be read. `is_cut` where nobody named a last
    day and hands are dated later: one wrong clock must not push every other day off the page.
    """

    query: OverviewQuery
    first: date
    last: date
    days: tuple[tuple[date, Mapping[str, int]], ...]
    codes: tuple[tuple[str, int], ...]
    more_codes: int
    risks: tuple[Risk, ...]
    risk_sums: tuple[Risk, ...]
    rakes: tuple[Rake, ...] | None
    ages: tuple[Age, ...]
    refused_lines: int
    is_cut: bool
    kinds: Mapping[str, int] = field(default_factory=dict)

    @property
    def hands(self) -> int:
        return sum(self.kinds.values())


def overview(query: OverviewQuery, *, sources: Sources) -> Overview | None:
    """The figures of the period; None where the store, or the source, has no hand at all."""
    newest = _newest_day(query.source, sources)
    now = timezone.now() + OFFSET_MAX
    last = query.day_to or _newest_day(query.source, sources, until=now) or newest
    if last is None:
        return None
    reach = timedelta(days=query.days - 1)
    first = last - reach if last - date.min >= reach else date.min
    asked = HandFilters(source=query.source, day_from=first, day_to=last)
    played = asked.condition(sources=sources)
    days = _days(played, first, last)
    kinds = {kind: sum(counts[kind] for _, counts in days) for kind in HandKind.values}
    codes = _codes(played)
    waits = _open_cases(query.source, sources)
    return Overview(
        query=query,
        first=first,
        last=last,
        days=days,
        kinds=kinds,
        codes=codes[:CODES_SHOWN],
        more_codes=sum(count for _, count in codes[CODES_SHOWN:]),
        risks=_risks(waits, by_table=True),
        risk_sums=_risks(waits, by_table=False),
        rakes=_rakes(query.source, sources, first, last)
        if sum(kinds.values()) <= RAKE_HANDS_MAX
        else None,
        ages=_ages(query.source, sources),
        is_cut=query.day_to is None and newest is not None and newest > last,
        refused_lines=_refused_lines(sources),
    )


def _refused_lines(sources: Sources) -> int:
    uploads = Upload.objects.filter(uploads_in(sources))
    return uploads.aggregate(lines=Sum("rejected_count"))["lines"] or 0


def _newest_day(source: str, sources: Sources, *, until: datetime | None = None) -> date | None:
    found = Hand.objects.filter(in_sources(sources)).order_by("-played_at")
    hands = found.values_list("played_on", flat=True)
    if until is not None:
        hands = hands.filter(played_at__lte=until)
    return (hands.filter(source=source) if source else hands).first()


def _days(played: Q, first: date, last: date) -> tuple[tuple[date, Mapping[str, int]], ...]:
    counts: dict[date, dict[str, int]] = {
        first + timedelta(days=number): dict.fromkeys(HandKind.values, 0)
        for number in range((last - first).days + 1)
    }
    rows = Hand.objects.filter(played).values_list("played_on", "verdict_kind", "is_conflict")
    for day, kind, is_conflict, count in rows.annotate(hands=Count("id")).order_by():
        counts[day][kind_of(kind, is_conflict=is_conflict)] += count
    return tuple(counts.items())


def _codes(played: Q) -> tuple[tuple[str, int], ...]:
    rows = Hand.objects.filter(played, verdict_kind=VerdictKind.DISCREPANT, is_conflict=False)
    counted = rows.values_list("error_code").annotate(hands=Count("id"))
    return tuple(counted.order_by("-hands", "error_code"))


def _open_cases(source: str, sources: Sources) -> Q:
    waits = Q(left_at__isnull=True, case__state=CaseState.OPEN)
    waits &= in_sources(sources, "case__source")
    return waits & Q(case__source=source) if source else waits


def _risks(waits: Q, *, by_table: bool) -> tuple[Risk, ...]:
    place = ("case__source", "table") if by_table else ()
    rows = (
        CaseHand.objects.filter(waits)
        .values(*place, "currency", "minor_digits")
        .annotate(minor=Sum("at_risk_minor"), hands=Count("id"))
        .filter(minor__gt=0)
        .order_by("currency", "minor_digits", "-minor", *place)
    )
    shown: dict[tuple[str, int], list[Risk]] = {}
    for row in rows:
        of_currency = shown.setdefault((row["currency"], row["minor_digits"]), [])
        if len(of_currency) < TABLES_SHOWN:
            of_currency.append(
                Risk(
                    source=row.get("case__source", ""),
                    table=row.get("table", ""),
                    currency=row["currency"],
                    digits=row["minor_digits"],
                    minor=int(row["minor"]),
                    hands=row["hands"],
                )
            )
    return tuple(risk for risks in shown.values() for risk in risks)


_CLEAN_RAKE = """
SELECT h.played_on, h.currency, h.minor_digits, sum(m.rake)::text
FROM audit_hand h JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
CROSS JOIN LATERAL ({settled}) m
WHERE h.verdict_kind = 'clean' AND {played} AND m.rake IS NOT NULL
GROUP BY 1, 2, 3
"""
_OTHER_RAKE = """
SELECT h.played_on, h.currency, h.minor_digits, h.verdict_kind, w.settlement::text, v.raw
FROM audit_hand h
JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
WHERE h.verdict_kind NOT IN ('clean', 'void') AND {played} AND w.settlement IS NOT NULL
"""
_PLAYED = """
NOT h.is_conflict AND NOT h.is_replaced AND h.played_on BETWEEN %(first)s AND %(last)s
AND (%(from)s::timestamptz IS NULL OR h.played_at >= %(from)s)
AND (%(to)s::timestamptz IS NULL OR h.played_at < %(to)s)
AND (%(source)s = '' OR h.source = %(source)s)
"""


def _rakes(source: str, sources: Sources, first: date, last: date) -> tuple[Rake, ...]:
    """Over the hands that are neither void nor in conflict and have both sides."""
    since, until = instants_of(first, last)
    asked: dict[str, Any] = {
        "first": first,
        "last": last,
        "from": since,
        "to": until,
        "source": source,
    }
    played = _PLAYED + narrowed(sources, "h.source", asked)
    sums: dict[tuple[str, int], dict[date, RakeDay]] = {}

    def add(day: date, currency: str, digits: int, recomputed: int, logged: int) -> None:
        days = sums.setdefault((currency, digits), {})
        known = days.get(day, RakeDay(day=day, recomputed=0, logged=0))
        days[day] = RakeDay(
            day=day, recomputed=known.recomputed + recomputed, logged=known.logged + logged
        )

    with connection.cursor() as cursor:
        cursor.execute(_CLEAN_RAKE.format(settled=SETTLED, played=played), asked)
        for day, currency, digits, rake in cursor.fetchall():
            add(day, currency, digits, int(rake), int(rake))
    with connection.chunked_cursor() as cursor:
        cursor.execute(_OTHER_RAKE.format(played=played), asked)
        for day, currency, digits, kind, settlement, raw in cursor:
            money = money_of_row(digits, kind, settlement, raw)
            right, logged = money.recomputed, money.logged
            if right is None or logged is None or right.rake is None or logged.rake is None:
                continue
            add(day, currency, digits, right.rake, logged.rake)
    return tuple(
        Rake(
            currency=currency,
            digits=digits,
            days=tuple(days[day] for day in sorted(days)),
        )
        for (currency, digits), days in sorted(sums.items())
    )


_AGES = """
SELECT
    width_bucket(extract(epoch FROM %(now)s - m.joined_at) / 86400, %(borders)s::float8[]), count(*)
FROM audit_casehand m JOIN audit_case c ON c.id = m.case_id
WHERE m.left_at IS NULL AND c.state = 'open' AND (%(source)s = '' OR c.source = %(source)s)
    {narrowed}
GROUP BY 1
"""


def _ages(source: str, sources: Sources) -> tuple[Age, ...]:
    borders = [float(least) for least, _ in AGES]
    asked: dict[str, Any] = {"now": timezone.now(), "borders": borders, "source": source}
    statement = _AGES.format(narrowed=narrowed(sources, "c.source", asked))
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        counts = [0] * len(AGES)
        for bucket, hands in cursor.fetchall():
            # What joined a moment ahead of our clock is new.
            counts[max(bucket, 1) - 1] += hands
    return tuple(
        Age(least=least, most=most, hands=hands)
        for (least, most), hands in zip(AGES, counts, strict=True)
    )
