"""Discrepancies: the hands whose log and rules disagree, and what hangs on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import msgspec

import replay
from audit.selectors.certificates_days import Rules
from audit.selectors.reports_content import (
    ROWS_MAX,
    Body,
    Check,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    count_check,
    money,
)
from audit.selectors.reports_hands import ASKED, rows_of_day
from audit.selectors.totals import PLAYED, money_of_row

# The primary finding of a hand: its own first error, else the first against the hand before.
_FOUND = f"""
SELECT p.position, h.id, h.hand_id, h.ruleset, h.currency, h.minor_digits, h.started_at,
    h.verdict_kind, h.finding_count, w.settlement::text, v.raw,
    coalesce(own.code, between.code), coalesce(own.seat, between.seat),
    CASE WHEN own.code IS NULL THEN between.subject ELSE own.subject END,
    CASE WHEN own.code IS NULL THEN between.logged ELSE own.logged END,
    CASE WHEN own.code IS NULL THEN between.expected ELSE own.expected END,
    CASE WHEN own.code IS NULL THEN between.rule ELSE own.rule END
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
LEFT JOIN LATERAL (
    SELECT f.code, f.seat, f.subject, f.logged, f.expected, f.rule FROM audit_finding f
    WHERE f.verdict_id = h.verdict_id AND f.severity = 'error' ORDER BY f.position LIMIT 1
) own ON true
LEFT JOIN LATERAL (
    SELECT f.code, f.seat, f.subject, f.logged, f.expected, f.rule FROM audit_comparisonfinding f
    WHERE f.comparison_id = h.comparison_id AND f.severity = 'error' ORDER BY f.position LIMIT 1
) between ON true
WHERE {ASKED} AND h.verdict_kind = 'discrepant' AND NOT h.is_conflict
ORDER BY h.played_at DESC, h.id DESC
"""  # noqa: S608 - from constants
_COLUMNS = (
    Column(key="started_at", title="Played", shape=Shape.TIME),
    Column(key="source", title="Source"),
    Column(key="table", title="Table"),
    Column(key="hand_id", title="Hand"),
    Column(key="ruleset", title="Ruleset"),
    Column(key="finding", title="Finding"),
    Column(key="where", title="Where"),
    Column(key="logged", title="Logged"),
    Column(key="expected", title="Recomputed"),
    Column(key="rule", title="Rule"),
    Column(key="findings", title="Findings", shape=Shape.COUNT),
    Column(key="currency", title="Currency"),
    Column(key="net_off", title="Net off", shape=Shape.MONEY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscrepantHand:
    """`net_off` is how far the logged net results lie off, in minor units; None where not known."""

    hand: int
    source: str
    table: str
    hand_id: str
    ruleset: str
    currency: str
    digits: int
    started_at: str
    findings: int
    code: str
    seat: int | None
    subject: str | None
    logged: str | None
    expected: str | None
    rule: str | None
    net_off: int | None


@dataclass(slots=True)
class _Off:
    """What the hands of a currency come to; of the `unknown` the net is not known."""

    hands: int = 0
    findings: int = 0
    net_off: int = 0
    unknown: int = 0


_HANDS = msgspec.json.Decoder(list[DiscrepantHand])


def read_day(scope: Scope, day: date, rules: Rules) -> bytes:
    """The discrepant hands of one day as JSON, the latest first."""
    found = []
    for source, table, hand, hand_id, ruleset, currency, digits, started_at, *rest in rows_of_day(
        _FOUND, scope, day, rules
    ):
        kind, findings, settlement, raw, code, seat, subject, logged, expected, rule = rest
        found.append(
            DiscrepantHand(
                hand=hand,
                source=source,
                table=table,
                hand_id=hand_id,
                ruleset=ruleset,
                currency=currency,
                digits=digits,
                started_at=started_at,
                findings=findings,
                code=code or "",
                seat=seat,
                subject=subject,
                logged=logged,
                expected=expected,
                rule=rule,
                net_off=money_of_row(digits, kind, settlement, raw).net_off,
            )
        )
    return msgspec.json.encode(found)


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """The report out of its days, the latest first."""
    lines: list[Line] = []
    more = 0
    codes: Counter[tuple[str, str]] = Counter()
    off: dict[tuple[str, int], _Off] = {}
    for _, content in parts:
        for one in _HANDS.decode(content):
            codes[one.source, one.code] += 1
            sums = off.setdefault((one.currency, one.digits), _Off())
            sums.hands += 1
            sums.findings += one.findings
            sums.net_off += one.net_off or 0
            sums.unknown += one.net_off is None
            if len(lines) < ROWS_MAX:
                lines.append(_line(one))
            else:
                more += 1
    totals = tuple(
        _total(sums, currency, digits) for (currency, digits), sums in sorted(off.items())
    )
    return Body(
        sections=(
            _by_finding(codes),
            Section(
                key="hands",
                title="Hands",
                about="Each discrepant hand with its primary finding, the latest first. “Net off”"
                " is how far the logged net results lie from the recomputed ones, over all seats or"
                " wagers. A total sums up what is known. Hands in conflict are not among them:"
                " which of their records holds was not said.",
                columns=_COLUMNS,
                lines=(*lines, *totals),
                more=more,
            ),
        ),
        checks=(_check(codes, len(lines) + more),),
    )


def _total(sums: _Off, currency: str, digits: int) -> Line:
    unknown = f"{sums.unknown} not known" if sums.unknown else None
    return Line(
        cells=(
            "Total", None, None, f"{sums.hands} hands", None, None, unknown, None, None, None,
            sums.findings, currency, money(sums.net_off, digits),
        ),
        level=Level.TOTAL,
    )  # fmt: skip


def _line(one: DiscrepantHand) -> Line:
    where = one.subject if one.seat is None else f"seat {one.seat}"
    return Line(
        cells=(
            one.started_at, one.source, one.table, one.hand_id, one.ruleset, one.code, where,
            one.logged, one.expected, one.rule, one.findings, one.currency,
            None if one.net_off is None else money(one.net_off, one.digits),
        ),
        hand=one.hand,
    )  # fmt: skip


def _by_finding(codes: Counter[tuple[str, str]]) -> Section:
    lines = []
    for source, code in sorted(codes):
        known = replay.CODES.get(code)
        title = code if known is None else known.title
        lines.append(Line(cells=(source, code, title, codes[source, code])))
    if lines:
        lines.append(Line(cells=("Total", None, None, codes.total()), level=Level.TOTAL))
    return Section(
        key="findings",
        title="By primary finding",
        about="",
        columns=(
            Column(key="source", title="Source"),
            Column(key="code", title="Code"),
            Column(key="title", title="Finding"),
            Column(key="hands", title="Hands", shape=Shape.COUNT),
        ),
        lines=tuple(lines),
    )


def _check(codes: Counter[tuple[str, str]], hands: int) -> Check:
    return count_check(
        "Findings and hands", "By primary finding", codes.total(), "Hands listed and left out",
        hands,
    )  # fmt: skip
