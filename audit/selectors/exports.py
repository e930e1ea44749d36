"""What can be taken out as a table: hands, their figures, findings, totals and certificates.

Rows come by keyset, some at a time, so that memory stays the same however many there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.tuple_lookups import TupleLessThan

import replay
from audit.models import ComparisonFinding, Finding, Hand, HandKind, HandVersion, Verdict
from audit.selectors.access import Sources
from audit.selectors.certificates_content import instant_text
from audit.selectors.certificates_days import Rules, current_rules, gaming_day
from audit.selectors.exports_figures import FIGURE_COLUMNS, figure_rows
from audit.selectors.exports_sheet import Cell, Plain
from audit.selectors.filters import HandFilters
from audit.selectors.kinds import kind_of
from audit.selectors.months import within
from audit.selectors.totals import Totals, TotalsQuery, days_of_totals
from audit.selectors.totals_sums import Sum
from audit.zstd import unpacked

ROWS_AT_ONCE = 1_000
SEATS = 4
WITHOUT_SEATS = "wenzhou-pai-gow"
Row = tuple[Cell, ...]
Rows = Iterator[Row]

_WHO = ("number", "source", "hand_id", "game", "table", "started_at")
HAND_COLUMNS = (
    *_WHO, "played_at_utc", "gaming_day", "ruleset", "currency", "minor_digits", "verdict",
    "findings", "primary_code", "codes", "in_conflict", "player_0", "player_1", "player_2",
    "player_3", "players_without_seats",
)  # fmt: skip
FINDING_COLUMNS = (
    *_WHO, "verdict", "position", "against_hand_before", "code", "severity", "event", "seat",
    "subject", "logged", "expected", "rule", "confidence", "follows", "explained_by", "message",
)  # fmt: skip
TOTALS_COLUMNS = (
    "day", "source", "table", "game", "currency", "minor_digits", "hands", "clean", "consistent",
    "discrepant", "void", "in_conflict", "possible_duplicates", "hands_summed", "valid_bet",
    "valid_bet_logged", "valid_bet_difference", "rake", "rake_logged", "rake_difference",
    "net_difference", "valid_bet_without_possible_duplicates",
    "rake_without_possible_duplicates", "hands_not_recomputed", "valid_bet_logged_of_those",
    "rake_logged_of_those", "hands_not_logged",
)  # fmt: skip
# Findings whose logged and expected are amounts or counts; those of others are texts.
_MONEY_CODES = frozenset(
    (
        "theoretical-mismatch", "gross-mismatch", "rake-mismatch", "net-mismatch",
        "valid-bet-mismatch", "carry-out-mismatch", "profit-mismatch", "not-conserved",
        "carry-discontinuity", "tricks-mismatch", "units-mismatch",
    )
)  # fmt: skip


_NO_FIGURES: Row = (None,) * len(FIGURE_COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A table that can be asked for: `rows` under the filters of the list of hands, of the sources
    that may be seen."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Callable[[HandFilters, Sources], Rows]


def hand_rows(filters: HandFilters, sources: Sources) -> Rows:
    """Hands as the list has them, the latest first."""
    rules = current_rules()
    names = (
        "pk", "source", "hand_id", "game", "table", "started_at", "played_at", "ruleset",
        "currency", "minor_digits", "verdict_kind", "finding_count", "error_code",
        "finding_codes", "is_conflict", "players",
    )  # fmt: skip
    for batch in _batches(filters, names, sources):
        for hand in batch:
            yield (
                *_who(hand),
                Plain(instant_text(hand["played_at"])),
                Plain(_day(rules, hand)),
                hand["ruleset"],
                hand["currency"],
                hand["minor_digits"],
                kind_of(hand["verdict_kind"], is_conflict=hand["is_conflict"]),
                hand["finding_count"],
                hand["error_code"] or None,
                " ".join(hand["finding_codes"]) or None,
                _yes(hand["is_conflict"]),
                *_players(hand["game"], hand["players"]),
            )


def finding_rows(filters: HandFilters, sources: Sources) -> Rows:
    """The findings of these hands in their order, those against the hand before last; of one in
    conflict those of all of its records, one record after the other."""
    names = ("pk", "source", "hand_id", "game", "table", "started_at", "played_at",
             "verdict_kind", "verdict_id", "comparison_id", "is_conflict",
             "contending_verdicts")  # fmt: skip
    for batch in _batches(filters, names, sources, hands=Hand.objects.filter(finding_count__gt=0)):
        own = _findings(Finding, "verdict_id", [key for hand in batch for key in _judged(hand)])
        between = _findings(
            ComparisonFinding, "comparison_id", [hand["comparison_id"] for hand in batch]
        )
        for hand in batch:
            kind = kind_of(hand["verdict_kind"], is_conflict=hand["is_conflict"])
            found = [
                *((False, one) for key in _judged(hand) for one in own.get(key, ())),
                *((True, one) for one in between.get(hand["comparison_id"], ())),
            ]
            for position, (is_between, one) in enumerate(found):
                yield (
                    *_who(hand),
                    kind,
                    position,
                    _yes(is_between),
                    one["code"],
                    one["severity"],
                    one["event"],
                    one["seat"],
                    one["subject"],
                    _figure(one["code"], one["logged"]),
                    _figure(one["code"], one["expected"]),
                    one["rule"],
                    one["confidence"],
                    _yes(one["follows"]),
                    " ".join(one["explained_by"]) or None,
                    one["message"],
                )


def figures_of_hands(filters: HandFilters, sources: Sources) -> Rows:
    """One row a seat, wager or player: each figure as logged and as recomputed. A hand in conflict
    has one row without figures, for its records have different ones."""
    names = ("pk", "source", "hand_id", "game", "table", "started_at", "played_at", "currency",
             "verdict_kind", "players", "verdict_id", "version_id", "is_conflict")  # fmt: skip
    for batch in _batches(filters, names, sources):
        keys = [hand["pk"] for hand in batch]
        versions = HandVersion.objects.filter(
            within("hand_id", keys), pk__in=[hand["version_id"] for hand in batch]
        )
        raws = dict(versions.values_list("pk", "raw"))
        verdicts = Verdict.objects.filter(
            within("version_id", keys), pk__in=[hand["verdict_id"] for hand in batch]
        )
        settlements = dict(verdicts.values_list("pk", "settlement"))
        for hand in batch:
            if hand["is_conflict"]:
                yield (*_who(hand), HandKind.CONFLICT.value, hand["currency"], *_NO_FIGURES)
                continue
            raw = unpacked(raws[hand["version_id"]])
            for row in figure_rows(settlements[hand["verdict_id"]], raw, hand["players"]):
                yield (*_who(hand), hand["verdict_kind"], hand["currency"], *row)


def totals_rows(query: TotalsQuery) -> Rows:
    """The totals of all days asked for, the latest first."""
    for _, totals in days_of_totals(query):
        for row in totals:
            yield _totals_row(row)


REPORTS: Mapping[str, Report] = {
    report.name: report
    for report in (
        Report(name="hands", title="Hands", columns=HAND_COLUMNS, rows=hand_rows),
        Report(
            name="figures",
            title="Figures of hands, logged and recomputed",
            columns=(*_WHO, "verdict", "currency", *FIGURE_COLUMNS),
            rows=figures_of_hands,
        ),
        Report(name="findings", title="Findings", columns=FINDING_COLUMNS, rows=finding_rows),
    )
}


def _batches(
    filters: HandFilters,
    names: tuple[str, ...],
    sources: Sources,
    *,
    hands: QuerySet[Hand] | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """Some hands at a time by the time of play, the latest first."""
    wanted = Hand.objects.all() if hands is None else hands
    wanted = wanted.filter(filters.condition(sources=sources)).order_by("-played_at", "-id")
    after: tuple[datetime, int] | None = None
    while True:
        found = wanted
        if after is not None:
            found = wanted.filter(TupleLessThan(("played_at", "id"), after))
        batch = list(found.values(*names)[:ROWS_AT_ONCE])
        if batch:
            yield batch
        if len(batch) < ROWS_AT_ONCE:
            return
        after = batch[-1]["played_at"], batch[-1]["pk"]


def _who(hand: Mapping[str, Any]) -> Row:
    return (
        hand["pk"],
        hand["source"],
        hand["hand_id"],
        hand["game"],
        hand["table"],
        Plain(hand["started_at"]),
    )


def _players(game: str, players: list[str]) -> Row:
    """By seat; in a game without seats all of them as a JSON list in one cell."""
    if game == WITHOUT_SEATS:
        return (*[None] * SEATS, json.dumps(players, ensure_ascii=False))
    return (*players[:SEATS], *[None] * (SEATS - len(players)), None)


def _judged(hand: Mapping[str, Any]) -> list[int]:
    """The verdict of a hand, or those of all records of one in conflict."""
    return hand["contending_verdicts"] or [hand["verdict_id"]]


def _day(rules: Rules, hand: Mapping[str, Any]) -> str:
    rule = rules.of(hand["source"], hand["table"])
    return gaming_day(rule, hand["played_at"], hand["started_at"]).isoformat()


def _findings(
    kind: type[Finding] | type[ComparisonFinding], owner: str, keys: list[int | None]
) -> dict[int | None, list[dict[str, Any]]]:
    found: dict[int | None, list[dict[str, Any]]] = {}
    wanted = [key for key in keys if key is not None]
    rows = kind.objects.filter(**{f"{owner}__in": wanted}).order_by(owner, "position")
    names = ("code", "severity", "event", "seat", "subject", "logged", "expected", "rule",
             "confidence", "follows", "explained_by", "message")  # fmt: skip
    for row in rows.values(owner, *names):
        found.setdefault(row[owner], []).append(row)
    return found


def _figure(code: str, text: str | None) -> Cell:
    """An amount or a count as a number, everything else (tiles, seats, names) as a text."""
    if text is None or code not in _MONEY_CODES:
        return text
    digits = text.removeprefix("-").replace(".", "", 1)
    return Plain(text) if digits.isascii() and digits.isdigit() else text


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _totals_row(row: Totals) -> Row:
    digits = row.minor_digits

    def money(units: int | None) -> Cell:
        return None if units is None else Plain(replay.format_minor(units, digits))

    total = row.sum
    return (
        None if row.day is None else Plain(row.day.isoformat()),
        row.source,
        row.table,
        row.game,
        row.currency,
        digits,
        row.hands,
        *(row.kinds.get(kind, 0) for kind in ("clean", "consistent", "discrepant", "void")),
        row.in_conflict,
        row.twins,
        total.hands,
        money(total.valid_bet),
        money(total.logged_valid_bet),
        money(total.logged_valid_bet - total.valid_bet),
        money(total.rake),
        money(total.logged_rake),
        money(rake_off(total)),
        money(total.net_off),
        money(total.valid_bet - row.twin_sum.valid_bet),
        money(None if total.rake is None else total.rake - (row.twin_sum.rake or 0)),
        total.unsettled,
        money(total.unsettled_valid_bet),
        money(total.unsettled_rake),
        total.unlogged,
    )


def rake_off(total: Sum) -> int | None:
    """How much more rake was logged than recomputed; None where there is none."""
    if total.rake is None or total.logged_rake is None:
        return None
    return total.logged_rake - total.rake
