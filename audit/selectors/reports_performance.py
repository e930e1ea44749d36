"""Game performance: what was played, wagered, won and taken in rake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

import msgspec

import replay
from audit.selectors.certificates_days import Rules
from audit.selectors.exports import WITHOUT_SEATS
from audit.selectors.reports_content import (
    Body,
    Cell,
    Check,
    Column,
    Level,
    Line,
    Scope,
    Section,
    Shape,
    count_check,
    listed,
    money,
    money_check,
)
from audit.selectors.reports_funds import (
    TableFunds,
    funds_checks,
    funds_section,
    put_before,
    read_funds,
)
from audit.selectors.reports_hands import ASKED, query_of, rows_of_day
from audit.selectors.reports_wagers import wagers_of
from audit.selectors.totals import PLAYED, Totals, money_of_row, totals_by_ruleset
from audit.selectors.totals_sums import plus
from audit.zstd import unpacked

# The wagers of hands whose settlement counts profits and no stakes.
_STAKED = f"""
SELECT p.position, h.game, h.currency, h.minor_digits, h.ruleset, h.verdict_kind,
    w.settlement::text, v.raw
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
WHERE {ASKED} AND h.game = '{WITHOUT_SEATS}' AND h.verdict_kind <> 'void' AND NOT h.is_conflict
"""
_WHERE = (
    Column(key="source", title="Source"),
    Column(key="table", title="Table"),
    Column(key="game", title="Game"),
    Column(key="ruleset", title="Ruleset"),
    Column(key="currency", title="Currency"),
)
_COUNTS = tuple(
    Column(key=key, title=title, shape=Shape.COUNT)
    for key, title in (
        ("hands", "Hands"),
        ("clean", "Clean"),
        ("consistent", "Consistent"),
        ("discrepant", "Discrepant"),
        ("void", "Void"),
        ("in_conflict", "In conflict"),
        ("in_sums", "In the sums"),
        ("not_recomputed", "Not recomputed"),
        ("not_logged", "Not logged"),
        ("stakes_not_read", "Stakes not read"),
    )
)
_MONEY = tuple(
    Column(key=key, title=title, shape=Shape.MONEY)
    for key, title in (
        ("wagered", "Wagered"),
        ("won", "Won"),
        ("lost", "Lost"),
        ("rake", "Rake"),
        ("rake_logged", "Rake logged"),
        ("rake_difference", "Difference"),
        ("valid_bet", "Valid bet"),
        ("valid_bet_logged", "Valid bet logged"),
        ("valid_bet_difference", "Difference"),
    )
)


@dataclass(slots=True, kw_only=True)
class Figures:
    """Hands and minor units of one currency. `wagered` is None where no stake could be read."""

    hands: int = 0
    clean: int = 0
    consistent: int = 0
    discrepant: int = 0
    void: int = 0
    in_conflict: int = 0
    in_sums: int = 0
    not_recomputed: int = 0
    not_logged: int = 0
    stakes_not_read: int = 0
    wagered: int = 0
    won: int = 0
    lost: int = 0
    rake: int | None = None
    rake_logged: int | None = None
    valid_bet: int = 0
    valid_bet_logged: int = 0
    seats_net: int = 0

    def add(self, other: Figures) -> None:
        """Take in other figures of the same currency and decimals."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            setattr(self, name, plus(mine, theirs))

    def counts(self) -> tuple[Cell, ...]:
        return tuple(getattr(self, column.key) for column in _COUNTS)

    def amounts(self, digits: int) -> tuple[Cell, ...]:
        """In the order of the columns of money; a rake is empty in a game without one."""
        rake_off = None
        if self.rake is not None and self.rake_logged is not None:
            rake_off = self.rake_logged - self.rake
        units = (
            self.wagered, self.won, self.lost, self.rake, self.rake_logged, rake_off,
            self.valid_bet, self.valid_bet_logged, self.valid_bet_logged - self.valid_bet,
        )  # fmt: skip
        return tuple(None if one is None else money(one, digits) for one in units)


@dataclass(slots=True, kw_only=True)
class PerformanceRow:
    """What a table's day gives, by game, ruleset and currency."""

    source: str
    table: str
    game: str
    ruleset: str
    currency: str
    digits: int
    figures: Figures

    @property
    def key(self) -> tuple[str, str, str, str, str, int]:
        return (self.source, self.table, self.game, self.ruleset, self.currency, self.digits)


class _Part(msgspec.Struct, frozen=True):
    """What one day gives."""

    rows: list[PerformanceRow]
    funds: list[TableFunds]


_PART = msgspec.json.Decoder(_Part)


def read_day(scope: Scope, day: date, rules: Rules) -> bytes:
    """The rows of one day as JSON."""
    rows = {}
    for totals in totals_by_ruleset(query_of(scope), day, rules):
        row = PerformanceRow(
            source=totals.source,
            table=totals.table,
            game=totals.game,
            ruleset=totals.ruleset or "",
            currency=totals.currency,
            digits=totals.minor_digits,
            figures=_figures_of(totals),
        )
        rows[row.key] = row
    for source, table, *group, kind, settlement, raw in rows_of_day(_STAKED, scope, day, rules):
        game, currency, digits, ruleset = group
        money_of = money_of_row(digits, kind, settlement, raw)
        if money_of.recomputed is None or money_of.logged is None:
            continue
        figures = rows[source, table, game, ruleset, currency, digits].figures
        staked = _staked(unpacked(raw), digits)
        if staked is None:
            figures.stakes_not_read += 1
        else:
            figures.wagered += staked
    part = _Part(rows=list(rows.values()), funds=read_funds(scope, day, rules))
    return msgspec.json.encode(part)


def _figures_of(totals: Totals) -> Figures:
    summed, kinds = totals.sum, totals.kinds
    has_seats = summed.rake is not None
    return Figures(
        hands=totals.hands,
        clean=kinds["clean"],
        consistent=kinds["consistent"],
        discrepant=kinds["discrepant"],
        void=kinds["void"],
        in_conflict=totals.in_conflict,
        in_sums=summed.hands,
        not_recomputed=summed.unsettled,
        not_logged=summed.unlogged,
        wagered=summed.flow.pot,
        won=summed.flow.won,
        lost=summed.flow.lost,
        rake=summed.rake,
        rake_logged=summed.logged_rake,
        valid_bet=summed.valid_bet,
        valid_bet_logged=summed.logged_valid_bet,
        seats_net=summed.flow.won - summed.flow.lost if has_seats else 0,
    )


def _staked(line: bytes, digits: int) -> int | None:
    wagers = wagers_of(line)
    if wagers is None:
        return None
    stakes = (wager.stake for wager in wagers)
    return sum(replay.parse_minor(stake, digits) for stake in stakes if stake is not None)


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """The report out of its days, the latest first; holds one row a table, and one a day."""
    rows: dict[tuple[str, str, str, str, str, int], PerformanceRow] = {}
    days: dict[tuple[date, str, int], Figures] = {}
    funds: dict[tuple[str, str, str, int], TableFunds] = {}
    for day, content in parts:
        part = _PART.decode(content)
        put_before(funds, part.funds)
        for row in part.rows:
            days.setdefault((day, row.currency, row.digits), Figures()).add(row.figures)
            known = rows.get(row.key)
            if known is None:
                rows[row.key] = row
            else:
                known.figures.add(row.figures)
    ordered = [rows[key] for key in sorted(rows)]
    tables = [funds[key] for key in sorted(funds)]
    return Body(
        sections=(
            _days_section(days),
            _hands_section(ordered),
            _money_section(ordered),
            funds_section(tables),
        ),
        checks=(*_checks(ordered, days), *funds_checks(tables)),
    )


def _days_section(days: dict[tuple[date, str, int], Figures]) -> Section:
    lines = []
    totals: dict[tuple[str, int], Figures] = {}
    for (day, currency, digits), figures in sorted(days.items(), key=lambda item: item[0]):
        cells = (day.isoformat(), currency, figures.hands, figures.void)
        lines.append(Line(cells=(*cells, *figures.amounts(digits))))
        totals.setdefault((currency, digits), Figures()).add(figures)
    shown, more = listed(lines)
    sums = [
        Line(
            cells=("Total", currency, one.hands, one.void, *one.amounts(digits)), level=Level.TOTAL
        )
        for (currency, digits), one in sorted(totals.items())
    ]
    return Section(
        key="days",
        title="By gaming day",
        about="A hand belongs to the gaming day of its table.",
        columns=(
            Column(key="day", title="Day", shape=Shape.TIME),
            Column(key="currency", title="Currency"),
            *(one for one in _COUNTS if one.key in ("hands", "void")),
            *_MONEY,
        ),
        lines=(*shown, *sums),
        more=more,
    )


def _hands_section(rows: list[PerformanceRow]) -> Section:
    lines: list[Line] = []
    whole, shown = Figures(), 0
    for source, of_source in _by_source(rows):
        summed = Figures()
        for row in of_source:
            lines.append(Line(cells=(*_place(row), *row.figures.counts())))
            summed.add(row.figures)
        shown += len(of_source)
        whole.add(summed)
        label: tuple[Cell, ...] = (source, "Subtotal", None, None, None)
        lines.append(Line(cells=(*label, *summed.counts()), level=Level.SUBTOTAL))
    if rows:
        label = ("Total", None, None, None, None)
        lines.append(Line(cells=(*label, *whole.counts()), level=Level.TOTAL))
    return Section(
        key="hands",
        title="Hands",
        about="Void hands and hands in conflict are in no sum of money. A hand is in the sums when"
        " its result was logged and could be recomputed.",
        columns=(*_WHERE, *_COUNTS),
        lines=tuple(lines),
    )


def _money_section(rows: list[PerformanceRow]) -> Section:
    lines: list[Line] = []
    whole: dict[tuple[str, int], Figures] = {}
    for source, of_source in _by_source(rows):
        summed: dict[tuple[str, int], Figures] = {}
        for row in of_source:
            lines.append(Line(cells=(*_place(row), *row.figures.amounts(row.digits))))
            summed.setdefault((row.currency, row.digits), Figures()).add(row.figures)
        for (currency, digits), one in sorted(summed.items()):
            label: tuple[Cell, ...] = (source, "Subtotal", None, None, currency)
            lines.append(Line(cells=(*label, *one.amounts(digits)), level=Level.SUBTOTAL))
            whole.setdefault((currency, digits), Figures()).add(one)
    for (currency, digits), one in sorted(whole.items()):
        label = ("Total", None, None, None, currency)
        lines.append(Line(cells=(*label, *one.amounts(digits)), level=Level.TOTAL))
    return Section(
        key="money",
        title="Money",
        about="Recomputed, but where a column says “logged”; a difference is logged less"
        " recomputed. Won and lost are net, after rake. Wagered is what losing seats paid in before"
        " rake, and at doors the stakes of all wagers.",
        columns=(*_WHERE, *_MONEY),
        lines=tuple(lines),
    )


def _by_source(rows: list[PerformanceRow]) -> Iterator[tuple[str, list[PerformanceRow]]]:
    found: dict[str, list[PerformanceRow]] = {}
    for row in rows:
        found.setdefault(row.source, []).append(row)
    yield from found.items()


def _place(row: PerformanceRow) -> tuple[Cell, ...]:
    game = replay.GAMES.get(row.game)
    title = row.game if game is None else game.title
    return (row.source, row.table, title, row.ruleset, row.currency)


def _checks(
    rows: list[PerformanceRow], days: dict[tuple[date, str, int], Figures]
) -> Iterator[Check]:
    by_table: dict[tuple[str, int], Figures] = {}
    by_day: dict[tuple[str, int], Figures] = {}
    for row in rows:
        by_table.setdefault((row.currency, row.digits), Figures()).add(row.figures)
    for (_, currency, digits), figures in days.items():
        by_day.setdefault((currency, digits), Figures()).add(figures)
    hands = sum(one.hands for one in by_table.values())
    kinds = sum(
        one.clean + one.consistent + one.discrepant + one.void + one.in_conflict
        for one in by_table.values()
    )
    yield count_check(
        "Each hand has one verdict", "Hands", hands, "By verdict, and in conflict", kinds
    )
    day_hands = sum(one.hands for one in by_day.values())
    yield count_check("Days and tables, hands", "By day", day_hands, "By table", hands)
    for (currency, digits), one in sorted(by_table.items()):
        other = by_day[currency, digits]
        if one.rake is not None:
            yield money_check(
                f"Seats win what the others lose, less rake ({currency})",
                ("Net of all seats", one.seats_net, "Rake, taken off", -one.rake),
                currency,
                digits,
            )
            yield money_check(
                f"Days and tables, rake ({currency})",
                ("By day", other.rake or 0, "By table", one.rake),
                currency,
                digits,
            )
        yield money_check(
            f"Days and tables, valid bet ({currency})",
            ("By day", other.valid_bet, "By table", one.valid_bet),
            currency,
            digits,
        )
