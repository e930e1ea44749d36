"""The page of totals: what its template prints. Nothing is rounded; a share is cut to a tenth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

import replay
from audit.selectors.exports import rake_off
from audit.selectors.totals import Totals, TotalsPage
from audit.web import markup
from audit.web.language import say
from audit.web.presenters.hands import day_words

TOTALS_FILTERS = ("from", "to", "source", "table", "game")
NOTHING = "–"
# What rows may be put together by, besides currency.
GROUPINGS = {
    "table": say("Table"),
    "game": say("Game"),
    "source": say("Source"),
    "day": say("Day"),
    "none": say("Currency alone"),
}
_FIELDS = {
    "table": ("day", "source", "table", "game"),
    "game": ("game",),
    "source": ("source",),
    "day": ("day",),
    "none": (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsLine:
    """One row in words; money carries its sign and exactly its decimals."""

    row: Totals
    day: str
    game: str
    share: str
    valid_bet: str
    valid_bet_off: str
    rake: str
    rake_logged: str
    rake_off: str
    rake_share: str
    net_off: str
    without: str
    hands_url: str


def present_totals(
    page: TotalsPage, query: Mapping[str, str], tables: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """The totals of some days; `by` of the query says what rows are put together by."""
    asked = {key: query[key] for key in TOTALS_FILTERS if query.get(key)}
    by = query.get("by", "")
    by = by if by in GROUPINGS else "table"
    kept = asked | ({"by": by} if by != "table" else {})
    days = [row.day for row in page.rows if row.day is not None]
    return {
        "lines": [_line(row) for row in grouped(page.rows, by)],
        "sums": [_line(row) for row in grouped(page.rows, "none")],
        "fields": _FIELDS[by],
        "asked": asked,
        "by": by,
        "groupings": [
            {
                "title": title,
                "url": "?" + urlencode({**asked, "by": value, **_kept(query, "before")}),
                "is_current": value == by,
            }
            for value, title in GROUPINGS.items()
        ],
        "older": None
        if page.before is None
        else "?" + urlencode({**kept, "before": page.before.isoformat()}),
        "newest": "?" + urlencode(kept) if query.get("before") else None,
        "too_large": None if page.too_large is None else day_words(page.too_large),
        "first_day": day_words(min(days)) if days else None,
        "last_day": day_words(max(days)) if days else None,
        "csv": reverse("totals-csv") + ("?" + urlencode(asked) if asked else ""),
        "games": [(game.name, game.title) for game in replay.GAMES.values()],
        "sources": sorted({source for source, _ in tables}),
        "tables": sorted({table for _, table in tables}),
        "has_consistent": any(row.kinds.get("consistent") for row in page.rows),
        "unsettled": sum(row.sum.unsettled for row in page.rows),
        "unlogged": sum(row.sum.unlogged for row in page.rows),
    }


def _kept(query: Mapping[str, str], key: str) -> dict[str, str]:
    return {key: query[key]} if query.get(key) else {}


def grouped(rows: Sequence[Totals], by: str) -> list[Totals]:
    """Rows put together; a currency with other decimals stays a row of its own."""
    if by == "table":
        return list(rows)
    fields = _FIELDS[by]
    groups: dict[tuple[Any, ...], Totals] = {}
    for row in rows:
        key = (*(getattr(row, name) for name in fields), row.currency, row.minor_digits)
        if key not in groups:
            groups[key] = Totals(
                day=row.day if "day" in fields else None,
                source=row.source if "source" in fields else "",
                table="",
                game=row.game if "game" in fields else "",
                currency=row.currency,
                minor_digits=row.minor_digits,
            )
        groups[key].add(row)
    return list(groups.values())


def _line(row: Totals) -> TotalsLine:
    total = row.sum

    def money(units: int | None) -> str:
        return (
            NOTHING
            if units is None
            else markup.grouped(replay.format_minor(units, row.minor_digits))
        )

    played = row.hands - row.kinds["void"]
    game = replay.GAMES.get(row.game)
    return TotalsLine(
        row=row,
        day="" if row.day is None else day_words(row.day),
        game=row.game if game is None else game.title,
        share=share(row.kinds["discrepant"], played),
        valid_bet=money(total.valid_bet),
        valid_bet_off=money(total.logged_valid_bet - total.valid_bet),
        rake=money(total.rake),
        rake_logged=money(total.logged_rake),
        rake_off=money(rake_off(total)),
        rake_share="" if total.rake is None else share(total.rake, total.valid_bet),
        net_off=money(total.net_off),
        without=money(total.valid_bet - row.twin_sum.valid_bet),
        hands_url=_hands_url(row),
    )


def share(part: int, whole: int) -> str:
    """A part in percent, cut to a tenth; nothing where there is nothing to be a part of."""
    if whole <= 0:
        return NOTHING
    tenths = part * 1_000 // whole
    return f"{tenths // 10}.{tenths % 10} %"


def _hands_url(row: Totals) -> str:
    fields = {"source": row.source, "table": row.table, "game": row.game}
    query = {key: value for key, value in fields.items() if value}
    if row.day is not None:
        query |= {"from": row.day.isoformat(), "to": row.day.isoformat()}
    return f"{reverse('hands')}?{urlencode(query)}"
