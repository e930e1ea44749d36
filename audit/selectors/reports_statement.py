"""Player statement: the hands of one player, what each brought, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

import msgspec

import replay
from audit.selectors.certificates_days import Rules
from audit.selectors.exports import WITHOUT_SEATS
from audit.selectors.exports_figures import Row, figure_rows
from audit.selectors.reports_content import (
    ROWS_MAX,
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
    money,
    money_check,
)
from audit.selectors.reports_hands import ASKED, rows_of_day
from audit.selectors.reports_wagers import wagers_of
from audit.selectors.totals import PLAYED
from audit.zstd import unpacked

_PLAYED_BY = f"""
SELECT p.position, h.id, h.hand_id, h.game, h.ruleset, h.currency, h.minor_digits, h.started_at,
    h.verdict_kind, h.is_conflict, h.players, w.settlement, v.raw
{PLAYED} JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
WHERE {ASKED}
ORDER BY h.played_at DESC, h.id DESC
"""
_FIGURES = (
    Column(key="valid_bet", title="Valid bet", shape=Shape.MONEY),
    Column(key="rake", title="Rake", shape=Shape.MONEY),
    Column(key="net_logged", title="Net, logged", shape=Shape.MONEY),
    Column(key="net", title="Net, recomputed", shape=Shape.MONEY),
    Column(key="difference", title="Still owed", shape=Shape.MONEY),
)


class StatementTooLong(ValueError):
    """A statement of more hands than one can hold; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedHand:
    """What one hand brought the player, in minor units; None where it is not known.

    `state` is empty for a hand that counts, else `void` or `in conflict`.
    """

    hand: int
    source: str
    table: str
    hand_id: str
    game: str
    ruleset: str
    currency: str
    digits: int
    started_at: str
    verdict: str
    state: str
    valid_bet: int | None
    rake: int | None
    net_logged: int | None
    net: int | None


_HANDS = msgspec.json.Decoder(list[StatedHand])


def read_day(scope: Scope, day: date, rules: Rules) -> bytes:
    """The player's hands of one day as JSON, the latest first."""
    found = []
    for source, table, hand, hand_id, game, ruleset, currency, digits, *rest in rows_of_day(
        _PLAYED_BY, scope, day, rules
    ):
        started_at, verdict, is_conflict, players, settlement, raw = rest
        settled = msgspec.json.decode(settlement) if isinstance(settlement, str) else settlement
        line = unpacked(raw)
        rows = list(figure_rows(settled, line, players))
        own = [row for row in rows if row[2] == scope.player]
        net_logged = _sum((row[7] for row in own), digits)
        if net_logged is None and game == WITHOUT_SEATS:
            net_logged = _of_wagers(line, rows, scope.player, digits)
        found.append(
            StatedHand(
                hand=hand,
                source=source,
                table=table,
                hand_id=hand_id,
                game=game,
                ruleset=ruleset,
                currency=currency,
                digits=digits,
                started_at=started_at,
                verdict=verdict,
                state="in conflict" if is_conflict else "void" if verdict == "void" else "",
                valid_bet=_sum((row[10] for row in own), digits),
                rake=_sum((row[6] for row in own), digits),
                net_logged=net_logged,
                net=_sum((row[8] for row in own), digits),
            )
        )
    return msgspec.json.encode(found)


def _of_wagers(line: bytes, rows: Sequence[Row], player: str, digits: int) -> int | None:
    """The logged profits of a player's wagers, where the log sums up none of his hand."""
    wagers = wagers_of(line)
    if wagers is None:
        return None
    mine = {wager.bet for wager in wagers if wager.player == player}
    return _sum((row[7] for row in rows if row[1] in mine), digits) if mine else None


def _sum(cells: Iterable[Cell], digits: int) -> int | None:
    """Over all places of the player; None where one of them, or every one, is missing."""
    units: int | None = None
    for cell in cells:
        if not isinstance(cell, str):
            return None
        units = (units or 0) + replay.parse_minor(cell, digits)
    return units


@dataclass(slots=True, kw_only=True)
class _Sums:
    hands: int = 0
    unknown: int = 0
    void: int = 0
    in_conflict: int = 0
    amounts: list[int] = field(default_factory=lambda: [0] * len(_FIGURES))

    def add(self, one: StatedHand) -> None:
        self.hands += 1
        self.void += one.state == "void"
        self.in_conflict += one.state == "in conflict"
        self.unknown += not one.state and (one.net is None or one.net_logged is None)
        for place, units in enumerate(_units(one)):
            self.amounts[place] += units or 0

    def plus(self, other: _Sums) -> None:
        for name in ("hands", "unknown", "void", "in_conflict"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.amounts = [
            mine + theirs for mine, theirs in zip(self.amounts, other.amounts, strict=True)
        ]

    def cells(self, digits: int) -> tuple[Cell, ...]:
        counts = (self.hands, self.void, self.in_conflict, self.unknown)
        return (*counts, *(money(units, digits) for units in self.amounts))


def _units(one: StatedHand) -> tuple[int | None, ...]:
    """What a row shows and a sum takes in: nothing where nobody said which record holds."""
    if one.state == "in conflict":
        return (None,) * len(_FIGURES)
    off = None
    if one.net is not None and one.net_logged is not None:
        off = one.net - one.net_logged
    return (one.valid_bet, one.rake, one.net_logged, one.net, off)


def assemble(scope: Scope, parts: Iterable[tuple[date, bytes]], rules: Rules) -> Body:
    """The statement out of its days, the latest first. Raises: StatementTooLong."""
    lines: list[Line] = []
    by_game: dict[tuple[str, str, str, int], _Sums] = {}
    of_rows: dict[tuple[str, int], _Sums] = {}
    for _, content in parts:
        for one in _HANDS.decode(content):
            if len(lines) == ROWS_MAX:
                raise StatementTooLong(
                    replay.say(
                        "A statement holds {rows_max:,} hands at most: choose fewer days.",
                        rows_max=ROWS_MAX,
                    )
                )
            lines.append(_line(one))
            key = (one.source, one.game, one.currency, one.digits)
            by_game.setdefault(key, _Sums()).add(one)
            of_rows.setdefault((one.currency, one.digits), _Sums()).add(one)
    totals = tuple(
        Line(
            cells=(
                "Total",
                None,
                None,
                None,
                None,
                None,
                None,
                None,
                currency,
                *sums.cells(digits)[4:],
            ),
            level=Level.TOTAL,
        )
        for (currency, digits), sums in sorted(of_rows.items())
    )
    return Body(
        sections=(_games_section(by_game), _hands_section((*lines, *totals))),
        checks=tuple(_checks(by_game, of_rows)),
    )


def _line(one: StatedHand) -> Line:
    game = replay.GAMES.get(one.game)
    return Line(
        cells=(
            one.started_at, one.source, one.table, one.hand_id,
            one.game if game is None else game.title, one.ruleset, one.verdict, one.state or None,
            one.currency,
            *(None if units is None else money(units, one.digits) for units in _units(one)),
        ),
        hand=one.hand,
    )  # fmt: skip


def _games_section(by_game: dict[tuple[str, str, str, int], _Sums]) -> Section:
    lines = []
    totals: dict[tuple[str, int], _Sums] = {}
    for (source, name, currency, digits), sums in sorted(by_game.items()):
        game = replay.GAMES.get(name)
        title = name if game is None else game.title
        lines.append(Line(cells=(source, title, currency, *sums.cells(digits))))
        totals.setdefault((currency, digits), _Sums()).plus(sums)
    lines += [
        Line(cells=("Total", None, currency, *sums.cells(digits)), level=Level.TOTAL)
        for (currency, digits), sums in sorted(totals.items())
    ]
    return Section(
        key="games",
        title="By game",
        about="Void hands and hands in conflict are counted and in no sum of money.",
        columns=(
            Column(key="source", title="Source"),
            Column(key="game", title="Game"),
            Column(key="currency", title="Currency"),
            Column(key="hands", title="Hands", shape=Shape.COUNT),
            Column(key="void", title="Void", shape=Shape.COUNT),
            Column(key="in_conflict", title="In conflict", shape=Shape.COUNT),
            Column(key="not_known", title="Not known", shape=Shape.COUNT),
            *_FIGURES,
        ),
        lines=tuple(lines),
    )


def _hands_section(lines: tuple[Line, ...]) -> Section:
    return Section(
        key="hands",
        title="Hands",
        about="The latest first. “Still owed” is recomputed less logged, negative for too much.",
        columns=(
            Column(key="started_at", title="Played", shape=Shape.TIME),
            Column(key="source", title="Source"),
            Column(key="table", title="Table"),
            Column(key="hand_id", title="Hand"),
            Column(key="game", title="Game"),
            Column(key="ruleset", title="Ruleset"),
            Column(key="verdict", title="Verdict"),
            Column(key="state", title="Counts not"),
            Column(key="currency", title="Currency"),
            *_FIGURES,
        ),
        lines=lines,
    )


def _checks(
    by_game: dict[tuple[str, str, str, int], _Sums], of_rows: dict[tuple[str, int], _Sums]
) -> Iterator[Check]:
    games: dict[tuple[str, int], _Sums] = {}
    for (_, _, currency, digits), sums in by_game.items():
        games.setdefault((currency, digits), _Sums()).plus(sums)
    yield count_check(
        "Hands by game and one by one",
        "By game",
        sum(one.hands for one in games.values()),
        "One by one",
        sum(one.hands for one in of_rows.values()),
    )
    for (currency, digits), sums in sorted(of_rows.items()):
        yield money_check(
            f"Net results, logged ({currency})",
            ("By game", games[currency, digits].amounts[2], "One by one", sums.amounts[2]),
            currency,
            digits,
        )
