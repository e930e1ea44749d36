"""The settlement: logged beside recomputed, and the way to each recomputed number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import phrase, say
from audit.web.presenters.ways import (
    NUMBER,
    Table,
    Way,
    anchor_of,
    owner_of,
    seal_of,
    shown,
    state_of,
    way_of,
)
from audit.web.routes import Route

# A hand of Wenzhou may have thousands of wagers: so many rows stand on one page.
ROWS_A_PAGE = 100
# Figures that stand for a sum over the seats; the others (棟, carry-out) are sums of no meaning.
_SUMMED = ("units", "theoretical", "gross", "rake", "net")
_SUMMED_BETS = ("profit", "valid_bet")
PLAYERS = say("Players, over all their wagers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure: `state` is `same`, `off` (the first wrong), `follows` or `none` (not logged)."""

    title: str
    logged: str | None
    recomputed: str
    state: str
    anchor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """All figures of one seat, bet or player, with the ways to them.

    `note` says what a bet is; `group` heads the rows that begin here.
    """

    owner: str
    note: str
    group: str | None
    seal: SafeString | None
    is_banker: bool
    cells: tuple[Cell | None, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """One page of the table, the figures of the whole hand, and the sums.

    `sums` are those of all pages; `count` tells their rows, `wrong` all figures that differ.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    whole: tuple[Cell, ...]
    whole_ways: tuple[Way, ...]
    sums: tuple[Cell | None, ...]
    sum_title: str
    width: int
    count: int
    before: str | None
    after: str | None
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedResult:
    """The result as it stands in a record whose replay stopped."""

    columns: tuple[str, ...]
    rows: tuple[tuple[SafeString | None, str, tuple[str, ...]], ...]
    facts: tuple[tuple[str, str], ...]
    more: int


def present_settlement(
    figures: Sequence[replay.Figure],
    *,
    route: Route,
    made: Mapping[tuple[str, str], int],
    banker: int | None,
    options: Mapping[str, object],
    page: int | None,
    confidence: str | None = None,
) -> Settlement | None:
    """The settlement table, None where nothing was settled.

    `made` names the step that made a figure, by its owner and name. `confidence` is that of a game
    that as a whole is derived. `page` counts from 1; None asks for the one on which the first wrong
    figure stands.
    Raises: LookupError when there is no such page.
    """
    if not figures:
        return None
    columns: dict[str, str] = {}
    owners: dict[str, dict[str, replay.Figure]] = {}
    whole = []
    for figure in figures:
        if figure.owner == "hand":
            whole.append(figure)
            continue
        columns.setdefault(figure.name, figure.title)
        owners.setdefault(figure.owner, {})[figure.name] = figure
    first_wrong = next((figure for figure in figures if state_of(figure) == "off"), None)
    table = Table(
        banker=banker,
        options=options,
        confidence=confidence,
        first_wrong=first_wrong,
        made={owner: (number, route.step(number)) for owner, number in made.items()},
    )
    pages = max(1, -(-len(owners) // ROWS_A_PAGE))
    page = _page_of(first_wrong, list(owners)) if page is None else page
    if not 1 <= page <= pages:
        raise LookupError(f"The settlement has {pages} pages.")
    rows: list[Row] = []
    for named in list(owners.values())[(page - 1) * ROWS_A_PAGE : page * ROWS_A_PAGE]:
        one = next(iter(named.values()))
        is_player = one.owner.startswith("player-")
        rows.append(
            Row(
                owner=owner_of(one),
                note=one.owner_note,
                group=PLAYERS if is_player and not any(row.group for row in rows) else None,
                seal=seal_of(one, banker),
                is_banker=one.seat is not None and one.seat == banker,
                cells=tuple(_cell(named[name]) if name in named else None for name in columns),
                ways=tuple(way_of(figure, table) for figure in named.values() if figure.stages),
            )
        )
    has_seats = any(figure.seat is not None for figure in figures)
    summed = [named for owner, named in owners.items() if not owner.startswith("player-")]
    sums = tuple(
        _sum([named.get(name) for named in summed], title) for name, title in columns.items()
    )
    return Settlement(
        heading=phrase("Seat") if has_seats else phrase("Wager"),
        columns=tuple(columns.values()),
        rows=tuple(rows),
        whole=tuple(_cell(figure) for figure in whole),
        whole_ways=tuple(way_of(figure, table) for figure in whole if figure.stages),
        sums=sums if any(sums) else (),
        sum_title=phrase("Sum") if has_seats else phrase("All wagers"),
        width=1 + 2 * len(columns),
        count=len(owners),
        before=f"{route.rows(page - 1)}#settlement" if page > 1 else None,
        after=f"{route.rows(page + 1)}#settlement" if page < pages else None,
        wrong=sum(1 for figure in figures if state_of(figure) in ("off", "follows")),
    )


def _page_of(figure: replay.Figure | None, owners: list[str]) -> int:
    if figure is None or figure.owner not in owners:
        return 1
    return owners.index(figure.owner) // ROWS_A_PAGE + 1


def ways_of(figures: Sequence[replay.Figure], route: Route) -> dict[replay.Finding, str]:
    """Where the way to the figure of each finding opens: a fragment, with its page of rows."""
    owners = list(dict.fromkeys(figure.owner for figure in figures if figure.owner != "hand"))
    pages = {owner: place // ROWS_A_PAGE + 1 for place, owner in enumerate(owners)}
    query = len(owners) > ROWS_A_PAGE
    return {
        finding: (route.rows(pages.get(figure.owner, 1)) if query else "") + f"#{anchor_of(figure)}"
        for figure in figures
        for finding in figure.findings
        if figure.stages
    }


def _cell(figure: replay.Figure) -> Cell:
    return Cell(
        title=figure.title,
        logged=shown(figure, figure.logged),
        recomputed=shown(figure, figure.recomputed) or "",
        state=state_of(figure),
        anchor=anchor_of(figure) if figure.stages else None,
    )


def _sum(figures: Sequence[replay.Figure | None], title: str) -> Cell | None:
    """The sum over seats or bets, where all are there as numbers and the sum has a meaning."""
    if len(figures) < 2 or any(
        figure is None or figure.name not in (_SUMMED if figure.seat is not None else _SUMMED_BETS)
        for figure in figures
    ):
        return None
    present = [figure for figure in figures if figure is not None]
    recomputed = _total([figure.recomputed for figure in present])
    logged = _total([figure.logged for figure in present])
    if recomputed is None:
        return None
    state = "same" if logged == recomputed else "none" if logged is None else "follows"
    return Cell(
        title=title,
        logged=None if logged is None else markup.minus(logged),
        recomputed=markup.minus(recomputed),
        state=state,
        anchor=None,
    )


def _total(texts: Sequence[str | None]) -> str | None:
    digits = set()
    total = 0
    for text in texts:
        match = NUMBER.fullmatch(text) if text is not None else None
        if text is None or match is None:
            return None
        digits.add(len(match.group(1) or ""))
        total += int(text.replace(".", ""))
    return replay.format_minor(total, digits.pop()) if len(digits) == 1 else None


_TITLES = {
    "tricks": "棟", "units": say("Units"), "theoretical": say("Theoretical"), "gross": say("Gross"),
    "rake": say("Rake"), "net": say("Net"), "valid_bet": say("Valid bet"),
    "carry_out": say("Carry-out"),
    "profit": say("Profit"),
}  # fmt: skip
_OWNERS = ("seat", "bet", "player")


def present_logged(result: Mapping[str, Any] | None, players: Mapping[int, str]) -> LoggedResult:
    """The result as logged, row by row; `players` names the seats."""
    entries: list[Mapping[str, Any]] = []
    facts = []
    for key, value in (result or {}).items():
        if isinstance(value, list | tuple):
            entries.extend(value)
        elif key == "winner":
            facts.append((phrase("Winner"), markup.seat_name(value)))
        elif key == "next":
            seat = value["banker"]
            words = phrase(
                "{seat}, hand {streak}", seat=markup.seat_name(seat), streak=value["streak"]
            )
            facts.append((phrase("Next banker"), words))
    names = list(dict.fromkeys(key for entry in entries for key in entry if key not in _OWNERS))
    rows = []
    for entry in sorted(entries, key=lambda entry: entry.get("seat", 0))[:ROWS_A_PAGE]:
        seat = entry.get("seat")
        owner = players.get(seat, "") if seat is not None else ""
        for kind in ("bet", "player"):
            owner = str(entry[kind]) if kind in entry else owner
        cells = tuple(markup.minus(str(entry[name])) if name in entry else "–" for name in names)
        rows.append((markup.seal(seat) if seat is not None else None, owner, cells))
    return LoggedResult(
        columns=tuple(_TITLES.get(name, name) for name in names),
        rows=tuple(rows),
        facts=tuple(facts),
        more=max(0, len(entries) - ROWS_A_PAGE),
    )
