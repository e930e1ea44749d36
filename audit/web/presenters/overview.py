"""The overview: figures, and charts whose every mark leads to its hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

import replay
from audit import selectors
from audit.selectors import overview as figures
from audit.selectors.access import Sources
from audit.web.language import listed, phrase, say, told
from audit.web.markup import grouped
from audit.web.presenters.charts import (
    Bar,
    Tick,
    polyline,
    scale_of,
    scale_through,
    share,
    stacked,
)
from audit.web.presenters.hands import SHORT_MONTHS, day_words

# From the bottom of a bar up, the graver first.
KINDS = (
    ("discrepant", say("Discrepant")),
    ("conflict", say("In conflict")),
    ("void", say("Void")),
    ("consistent", say("Consistent")),
    ("clean", say("Clean")),
)
WIDTH = 880
RAKE_WIDTH = 430
LEFT = 52
LABELS_MAX = 16
RAKE_LABELS_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBar:
    """One day of the chart of verdicts; `text` says all of it."""

    x: float
    label: str
    text: str
    url: str
    bars: tuple[Bar, ...]
    top: float
    discrepant: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a bar chart that is a table: `width` in hundredths of the longest.

    `has_twin` where another row has the same title, so that `sub` must tell them apart.
    """

    title: str
    sub: str
    url: str
    value: str
    width: float
    has_twin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeMark:
    """A day of the rake chart: the bar of its difference, None where there is none."""

    x: float
    label: str
    text: str
    url: str
    bar: Bar | None
    value: str
    recomputed_y: float
    logged_y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeChart:
    """Rake of one currency: two lines, below them the differences as bars."""

    currency: str
    recomputed: str
    logged: str
    difference: str
    ticks: tuple[tuple[str, float], ...]
    recomputed_line: str
    logged_line: str
    zero: float
    marks: tuple[RakeMark, ...]
    rows: tuple[tuple[str, str, str, str], ...]


def present_overview(found: figures.Overview) -> dict[str, Any]:
    """What the template shows; `found` is of a store that has hands."""
    period = {"from": found.first.isoformat(), "to": found.last.isoformat()}
    if found.query.source:
        period["source"] = found.query.source
    # A store without a conflict has no need of the word.
    kinds = [pair for pair in KINDS if pair[0] != "conflict" or found.kinds["conflict"]]
    days, ticks = _days(found, kinds, period)
    return {
        "found": found,
        "period": phrase(
            "{first} to {last}", first=day_words(found.first), last=day_words(found.last)
        ),
        "kinds": kinds,
        "day_bars": days,
        "ticks": ticks,
        "day_rows": [
            (day_words(day), _hands(period | _one_day(day)), [counts[kind] for kind, _ in kinds])
            for day, counts in reversed(found.days)
            if any(counts.values())
        ],
        "discrepant": found.kinds.get("discrepant", 0),
        "discrepant_share": percent(found.kinds.get("discrepant", 0), found.hands),
        "discrepant_url": _hands(period | {"verdict": "discrepant"}),
        "hands_url": _hands(period),
        "later_url": _hands(_later(found)) if found.is_cut else None,
        "code_rows": _codes(found, period),
        "risk_tables": _risks(found),
        "rake_charts": [
            _rake(rake, period) for rake in found.rakes or () if rake.recomputed or rake.logged
        ],
        "age_rows": _ages(found),
    }


def _later(found: figures.Overview) -> dict[str, str]:
    """The filters that find what is dated after the days of the page."""
    after = {"from": (found.last + timedelta(days=1)).isoformat()}
    return after | ({"source": found.query.source} if found.query.source else {})


def percent(part: int, whole: int) -> str:
    """A share with one decimal; a dash of nothing, and never 0.0 for something."""
    if whole == 0:
        return "–"
    thousandths = (2000 * part + whole) // (2 * whole)
    if thousandths == 0 and part:
        return phrase("under 0.1 %")
    return f"{thousandths // 10}.{thousandths % 10} %"


def _hands(query: dict[str, str]) -> str:
    return f"{reverse('hands')}?{urlencode(query)}"


def _one_day(day: date) -> dict[str, str]:
    return {"from": day.isoformat(), "to": day.isoformat()}


def _short(day: date) -> str:
    return phrase("{day} {month}", day=day.day, month=SHORT_MONTHS[day.month - 1])


def _labels(days: Sequence[date], most: int = LABELS_MAX) -> list[str]:
    """The day's number below its bar, with the month where that begins; not below every one."""
    every = -(-len(days) // most)
    labels = []
    month = 0
    for number, day in enumerate(days):
        if number % every:
            labels.append("")
        elif day.month != month:
            labels.append(_short(day))
            month = day.month
        else:
            labels.append(str(day.day))
    return labels


def _days(
    found: figures.Overview, kinds: Sequence[tuple[str, str]], period: dict[str, str]
) -> tuple[list[DayBar], list[Tick]]:
    ticks = scale_of(
        [sum(counts.values()) for _, counts in found.days], top=22, bottom=226, from_zero=True
    )
    scale = scale_through(ticks)
    pitch = (WIDTH - LEFT) / len(found.days)
    width = round(pitch * 0.66, 1)
    labels = _labels([day for day, _ in found.days])
    shown = []
    for number, (day, counts) in enumerate(found.days):
        x = round(LEFT + number * pitch + (pitch - width) / 2, 1)
        bars = stacked([(kind, counts[kind]) for kind, _ in kinds], scale, x=x, width=width)
        words = listed(
            phrase("{count} {verdict}", count=f"{counts[kind]:,}", verdict=told(title).lower())
            for kind, title in kinds
        )
        shown.append(
            DayBar(
                x=round(x + width / 2, 1),
                label=labels[number],
                text=phrase("{day}: {counts}", day=day_words(day), counts=words),
                url=_hands(period | _one_day(day)),
                bars=bars,
                top=round((bars[-1].y if bars else scale.y(0)) - 6, 1),
                discrepant=counts.get("discrepant", 0) if pitch >= 16 else 0,
            )
        )
    return shown, ticks


def _codes(found: figures.Overview, period: dict[str, str]) -> list[Row]:
    most = max((hands for _, hands in found.codes), default=0)
    return [
        Row(
            title=told(replay.CODES[code].title) if code in replay.CODES else code,
            sub=code,
            url=_hands(period | {"verdict": "discrepant", "code": code}),
            value=f"{hands:,}",
            width=share(hands, most),
        )
        for code, hands in found.codes
    ]


def _risks(found: figures.Overview) -> list[tuple[str, str, list[Row]]]:
    """A table for each currency: its name, its sum, its rows."""
    tables = []
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for risk in found.risks:
        sources[risk.table].add(risk.source)
    for whole in found.risk_sums:
        own = [
            risk
            for risk in found.risks
            if (risk.currency, risk.digits) == (whole.currency, whole.digits)
        ]
        most = max(risk.minor for risk in own)
        rows = [
            Row(
                title=risk.table,
                sub=risk.source,
                url=_hands({"open": "1", "source": risk.source, "table": risk.table}),
                value=grouped(risk.text),
                width=share(risk.minor, most),
                has_twin=len(sources[risk.table]) > 1,
            )
            for risk in own
        ]
        tables.append((whole.currency, grouped(whole.text), rows))
    return tables


def _signed(minor: int, digits: int) -> str:
    text = grouped(replay.format_minor(minor, digits))
    return f"+{text}" if minor > 0 else text


def _rake(rake: figures.Rake, period: dict[str, str]) -> RakeChart:
    digits = rake.digits
    both = [amount for day in rake.days for amount in (day.recomputed, day.logged)]
    ticks = scale_of(both, top=10, bottom=106, from_zero=False)
    scale = scale_through(ticks)
    gaps = scale_through(
        scale_of([day.difference for day in rake.days], top=160, bottom=208, from_zero=True)
    )
    pitch = RAKE_WIDTH / len(rake.days)
    xs = [round((number + 0.5) * pitch, 1) for number in range(len(rake.days))]
    labels = _labels([day.day for day in rake.days], RAKE_LABELS_MAX)
    marks = []
    for x, label, day in zip(xs, labels, rake.days, strict=True):
        value = _signed(day.difference, digits)
        bar = None
        if day.difference:
            ends = sorted((gaps.y(0), gaps.y(day.difference)))
            width = round(min(pitch * 0.6, 30), 1)
            bar = Bar(kind="discrepant", x=round(x - width / 2, 1), y=ends[0], width=width,
                      height=round(max(ends[1] - ends[0], 1), 1))  # fmt: skip
        marks.append(
            RakeMark(
                x=x,
                label=label,
                text=phrase(
                    "{day}: {value} {currency}, logged less recomputed",
                    day=day_words(day.day),
                    value=value,
                    currency=rake.currency,
                ),
                url=_hands(
                    period
                    | _one_day(day.day)
                    | {"code": "rake-mismatch", "currency": rake.currency}
                ),
                bar=bar,
                value=value,
                recomputed_y=scale.y(day.recomputed),
                logged_y=scale.y(day.logged),
            )
        )
    return RakeChart(
        currency=rake.currency,
        recomputed=grouped(replay.format_minor(rake.recomputed, digits)),
        logged=grouped(replay.format_minor(rake.logged, digits)),
        difference=_signed(rake.logged - rake.recomputed, digits),
        ticks=tuple((grouped(replay.format_minor(one.value, digits)), one.y) for one in ticks),
        recomputed_line=polyline(xs, [day.recomputed for day in rake.days], scale),
        logged_line=polyline(xs, [day.logged for day in rake.days], scale),
        zero=gaps.y(0),
        marks=tuple(marks),
        rows=tuple(
            (
                day_words(day.day),
                grouped(replay.format_minor(day.logged, digits)),
                grouped(replay.format_minor(day.recomputed, digits)),
                _signed(day.difference, digits),
            )
            for day in reversed(rake.days)
        ),
    )


def _ages(found: figures.Overview) -> list[Row]:
    most = max((age.hands for age in found.ages), default=0)
    query = {"source": found.query.source} if found.query.source else {}
    return [
        Row(
            title=_age_words(age),
            sub="",
            url=_hands(query | {"open": f"{age.least}-{age.most or ''}"}),
            value=f"{age.hands:,}",
            width=share(age.hands, most),
        )
        for age in found.ages
    ]


def _age_words(age: figures.Age) -> str:
    if age.most is None:
        return phrase("Over {least} days", least=age.least)
    if age.least == 0:
        return phrase("Up to a day")
    return phrase("{least} to {most} days", least=age.least, most=age.most)


def choices_of(query: figures.OverviewQuery, *, sources: Sources) -> dict[str, Any]:
    """What the form offers."""
    return {
        "periods": [(days, days == query.days) for days in figures.PERIODS],
        "sources": selectors.filter_choices(sources=sources).sources,
        "asked": query,
    }
