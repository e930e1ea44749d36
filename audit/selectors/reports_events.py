"""Significant events: large wins and wagers, voids, what was overridden or corrected, and what went
wrong with the software, the store and the doors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

import msgspec

from audit.selectors.certificates_days import Rules
from audit.selectors.exports_figures import figure_rows
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
    money,
)
from audit.selectors.reports_events_service import service_events
from audit.selectors.reports_hands import ASKED, rows_of_day
from audit.selectors.reports_happenings import TITLES, Happening
from audit.selectors.totals import PLAYED
from audit.zstd import unpacked

# A settlement writes its money with exactly the decimals of the hand.
_LARGE = f"""
SELECT p.position, h.id, h.hand_id, h.currency, h.minor_digits, h.started_at, h.played_at,
    coalesce(h.players[(one->>'seat')::int + 1], one->>'player'), n.net::text, n.valid_bet::text
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
CROSS JOIN LATERAL jsonb_array_elements(
    coalesce(w.settlement->'seats', w.settlement->'players')
) one
CROSS JOIN LATERAL (
    SELECT coalesce(one->>'net', one->>'profit')::numeric AS net,
        (one->>'valid_bet')::numeric AS valid_bet
) n
JOIN unnest(%s::text[], %s::numeric[], %s::numeric[]) AS t (currency, win, wager)
    ON t.currency = h.currency
WHERE {ASKED} AND h.verdict_kind <> 'void' AND NOT h.is_conflict
    AND (n.net >= t.win OR n.valid_bet >= t.wager)
"""
_UNSETTLED = f"""
SELECT p.position, h.id, h.hand_id, h.currency, h.minor_digits, h.started_at, h.played_at,
    h.players, v.raw
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
WHERE {ASKED} AND h.verdict_kind <> 'void' AND NOT h.is_conflict
    AND w.settlement IS NULL
"""
_VOID = f"""
SELECT p.position, h.id, h.hand_id, h.currency, h.minor_digits, h.started_at, h.played_at
{PLAYED} WHERE {ASKED} AND h.verdict_kind = 'void' AND NOT h.is_conflict
"""
_COLUMNS = (
    Column(key="at", title="Time (UTC)", shape=Shape.TIME),
    Column(key="event", title="Event"),
    Column(key="source", title="Source"),
    Column(key="table", title="Table"),
    Column(key="subject", title="Subject"),
    Column(key="by", title="Player or account"),
    Column(key="currency", title="Currency"),
    Column(key="amount", title="Amount", shape=Shape.MONEY),
    Column(key="detail", title="Detail"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """From how many whole units on a win or a wager of a currency is large."""

    wins: Mapping[str, Decimal]
    wagers: Mapping[str, Decimal]

    @classmethod
    def of(cls, scope: Scope) -> _Limits:
        return cls(
            wins={name: Decimal(text) for name, text in scope.large_win.items()},
            wagers={name: Decimal(text) for name, text in scope.large_wager.items()},
        )

    def columns(self) -> list[list[Any]]:
        names = sorted({*self.wins, *self.wagers})
        return [
            names,
            [self.wins.get(name) for name in names],
            [self.wagers.get(name) for name in names],
        ]

    def events(
        self, currency: str, net: Decimal | None, wager: Decimal | None
    ) -> Iterator[tuple[str, Decimal]]:
        """Which events a result and a wager are."""
        for kind, limit, amount in (
            ("large-win", self.wins.get(currency), net),
            ("large-wager", self.wagers.get(currency), wager),
        ):
            if limit is not None and amount is not None and amount >= limit:
                yield kind, amount


_END = datetime.max.replace(tzinfo=UTC)
_HAPPENINGS = msgspec.json.Decoder(list[Happening])


def read_day(scope: Scope, day: date, rules: Rules) -> bytes:
    """What happened in the hands of one day as JSON, the latest first."""
    limits = _Limits.of(scope)
    found = [*_large(scope, day, rules, limits), *_unsettled(scope, day, rules, limits)]
    for source, table, hand, hand_id, currency, _, started_at, at in rows_of_day(
        _VOID, scope, day, rules
    ):
        found.append(
            Happening(
                at=at,
                kind="void",
                source=source,
                table=table,
                subject=hand_id,
                currency=currency,
                detail=f"Played {started_at}",
                hand=hand,
            )
        )
    return msgspec.json.encode(sorted(found, key=_order))


def _order(one: Happening) -> tuple[timedelta, str, str, str]:
    """The latest first, then by what does not depend on the order of reading."""
    return (_END - one.at, one.kind, one.subject, one.by)


def _large(scope: Scope, day: date, rules: Rules, limits: _Limits) -> Iterator[Happening]:
    thresholds = limits.columns()
    if not thresholds[0]:
        return
    rows = rows_of_day(_LARGE, scope, day, rules, before=thresholds)
    for source, table, hand, hand_id, currency, digits, started_at, at, player, net, wager in rows:
        for kind, amount in limits.events(currency, _decimal(net), _decimal(wager)):
            yield Happening(
                at=at,
                kind=kind,
                source=source,
                table=table,
                subject=hand_id,
                by=player or "",
                currency=currency,
                amount=money(int(amount.scaleb(digits)), digits),
                detail=f"Played {started_at}",
                hand=hand,
            )


def _unsettled(scope: Scope, day: date, rules: Rules, limits: _Limits) -> Iterator[Happening]:
    """Of a hand whose replay stopped only the log says what was won."""
    if not (limits.wins or limits.wagers):
        return
    for source, table, hand, hand_id, currency, digits, started_at, at, players, raw in rows_of_day(
        _UNSETTLED, scope, day, rules
    ):
        for row in figure_rows(None, unpacked(raw), players):
            if row[2] is None:
                continue
            for kind, amount in limits.events(currency, _decimal(row[7]), _decimal(row[9])):
                yield Happening(
                    at=at,
                    kind=kind,
                    source=source,
                    table=table,
                    subject=hand_id,
                    by=str(row[2]),
                    currency=currency,
                    amount=money(int(amount.scaleb(digits)), digits),
                    detail=f"Played {started_at}; as logged, not recomputed",
                    hand=hand,
                )


def _decimal(cell: str | int | None) -> Decimal | None:
    return None if cell is None else Decimal(cell)


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """The report out of its days, the latest first, and what happened besides."""
    counts: Counter[str] = Counter()
    kept: list[Happening] = []
    every = 0
    hands = (one for _, content in parts for one in _HAPPENINGS.decode(content))
    for one in chain(service_events(scope, rules), hands):
        counts[one.kind] += 1
        every += 1
        if len(kept) < ROWS_MAX:
            kept.append(one)
    kept.sort(key=_order)
    return Body(
        sections=(
            _counts_section(counts),
            Section(
                key="events",
                title="Events",
                about=_about(scope),
                columns=_COLUMNS,
                lines=tuple(_line(one) for one in kept),
                more=every - len(kept),
            ),
        ),
        checks=(
            count_check(
                "Events by kind and one by one",
                "By kind",
                counts.total(),
                "Listed and left out",
                every,
            ),
        ),
    )


def _about(scope: Scope) -> str:
    told = []
    for title, limits in (("win", scope.large_win), ("wager", scope.large_wager)):
        if limits:
            amounts = ", ".join(f"{name} {text}" for name, text in sorted(limits.items()))
            told.append(f"A {title} of {amounts} or more is large.")
        else:
            told.append(f"No {title} counts as large: no threshold was set.")
    if scope.sources is not None or scope.source:
        told.append("Of sign-ins, software and store nothing is told: they belong to no source.")
    return " ".join(told)


def _counts_section(counts: Counter[str]) -> Section:
    lines = [Line(cells=(TITLES[kind], counts[kind])) for kind in TITLES if counts[kind]]
    if lines:
        lines.append(Line(cells=("Total", counts.total()), level=Level.TOTAL))
    return Section(
        key="kinds",
        title="By kind",
        about="",
        columns=(
            Column(key="event", title="Event"),
            Column(key="count", title="Number", shape=Shape.COUNT),
        ),
        lines=tuple(lines),
    )


def _line(one: Happening) -> Line:
    return Line(
        cells=(
            instant_cell(one.at), TITLES[one.kind], one.source or None, one.table or None,
            one.subject or None, one.by or None, one.currency or None, one.amount,
            one.detail or None,
        ),
        hand=one.hand,
    )  # fmt: skip
