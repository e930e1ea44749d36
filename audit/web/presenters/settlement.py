"""The settlement: logged beside recomputed, and the way to each recomputed number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.presenters.findings import Explanation, present_finding

_NUMBER = re.compile(r"[+-]?\d+(?:\.(\d+))?")
BAR_WIDTH = 200
# A hand of Wenzhou may have thousands of wagers: so many rows stand on one page.
ROWS_A_PAGE = 100
# Figures that stand for a sum over the seats; the others (棟, carry-out) are sums of no meaning.
_SUMMED = ("units", "theoretical", "gross", "rake", "net")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """One stage: its formula, what comes out, what the log says, and a bar from zero."""

    title: str
    formula: str
    value: str
    logged: str | None
    rule: SafeString
    is_wrong: bool
    is_last: bool
    bar_x: str | None
    bar_width: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The way to one recomputed number. `anchor` is the fragment that opens it."""

    anchor: str
    title: str
    owner: str
    seal: SafeString | None
    value: str
    logged: str | None
    state: str
    stages: tuple[StageRow, ...]
    has_bars: bool
    zero: str
    explained: tuple[Explanation, ...]
    is_first_wrong: bool


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
    """All figures of one seat, bet or player, with the ways to them."""

    owner: str
    seal: SafeString | None
    is_banker: bool
    cells: tuple[Cell | None, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """One page of the table, the figures of the whole hand, and the sums.

    `count` tells the rows of all pages, `wrong` all figures that differ.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    whole: tuple[Cell, ...]
    whole_ways: tuple[Way, ...]
    sums: tuple[Cell | None, ...]
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
    banker: int | None,
    options: Mapping[str, object],
    page: int | None,
) -> Settlement | None:
    """The settlement table, None where nothing was settled.

    `page` counts from 1; None asks for the one on which the first wrong figure stands.
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
    first_wrong = next((figure for figure in figures if _state(figure) == "off"), None)
    pages = max(1, -(-len(owners) // ROWS_A_PAGE))
    page = _page_of(first_wrong, list(owners)) if page is None else page
    if not 1 <= page <= pages:
        raise LookupError(f"The settlement has {pages} pages.")
    rows = []
    for named in list(owners.values())[(page - 1) * ROWS_A_PAGE : page * ROWS_A_PAGE]:
        one = next(iter(named.values()))
        rows.append(
            Row(
                owner=_owner(one),
                seal=_seal(one, banker),
                is_banker=one.seat is not None and one.seat == banker,
                cells=tuple(_cell(named[name]) if name in named else None for name in columns),
                ways=tuple(
                    _way(figure, banker, options, first_wrong)
                    for figure in named.values()
                    if figure.stages
                ),
            )
        )
    sums = tuple(
        _sum([named.get(name) for named in owners.values()], title)
        for name, title in columns.items()
    )
    return Settlement(
        heading="Seat" if any(row.seal is not None for row in rows) else "Wager or player",
        columns=tuple(columns.values()),
        rows=tuple(rows),
        whole=tuple(_cell(figure) for figure in whole),
        whole_ways=tuple(
            _way(figure, banker, options, first_wrong) for figure in whole if figure.stages
        ),
        sums=sums if any(sums) else (),
        width=1 + 2 * len(columns),
        count=len(owners),
        before=f"?rows={page - 1}#settlement" if page > 1 else None,
        after=f"?rows={page + 1}#settlement" if page < pages else None,
        wrong=sum(1 for figure in figures if _state(figure) in ("off", "follows")),
    )


def _page_of(figure: replay.Figure | None, owners: list[str]) -> int:
    if figure is None or figure.owner not in owners:
        return 1
    return owners.index(figure.owner) // ROWS_A_PAGE + 1


def _seal(figure: replay.Figure, banker: int | None) -> SafeString | None:
    if figure.seat is None:
        return None
    return markup.seal(figure.seat, is_banker=figure.seat == banker)


def _owner(figure: replay.Figure) -> str:
    """Who owns a figure; the seat's character is left out, because its seal stands before it."""
    if figure.seat is None:
        return figure.owner_title
    return figure.owner_title.removeprefix(markup.SEAT_SEALS[figure.seat]).lstrip()


def _anchor(figure: replay.Figure) -> str:
    owner = re.sub(r"[^A-Za-z0-9_-]", lambda match: f"x{ord(match.group()):x}", figure.owner)
    return f"why-{owner}-{figure.name}"


def _state(figure: replay.Figure) -> str:
    if figure.findings:
        return "follows" if figure.findings[0].follows else "off"
    return "none" if figure.logged is None else "same"


def _shown(figure: replay.Figure, text: str | None) -> str | None:
    """A value for the eye: a real minus sign, and seats by their names."""
    if text is None:
        return None
    seat, slash, streak = text.partition("/")
    if figure.name in ("winner", "next") and seat in ("0", "1", "2", "3"):
        name = f"{markup.SEAT_SEALS[int(seat)]} {markup.SEAT_NAMES[int(seat)]}"
        return f"{name}, hand {streak} of the bank" if slash else name
    return markup.minus(text)


def _cell(figure: replay.Figure) -> Cell:
    return Cell(
        title=figure.title,
        logged=_shown(figure, figure.logged),
        recomputed=_shown(figure, figure.recomputed) or "",
        state=_state(figure),
        anchor=_anchor(figure) if figure.stages else None,
    )


def _way(
    figure: replay.Figure,
    banker: int | None,
    options: Mapping[str, object],
    first_wrong: replay.Figure | None,
) -> Way:
    bars = _bars(figure.stages)
    zero = bars[0] if bars else "0"
    explained: tuple[Explanation, ...] = ()
    if figure.findings:
        explained = present_finding(figure.findings[0], step=0, options=options).explained
    wrong_before = False
    stages = []
    for number, stage in enumerate(figure.stages):
        is_wrong = stage.logged is not None and not _is_equal(stage.logged, stage.value)
        bar = bars[1][number] if bars else (None, None)
        stages.append(
            StageRow(
                title=stage.title,
                formula=stage.formula,
                value=_shown(figure, stage.value) or "",
                logged=_shown(figure, stage.logged),
                rule=markup.rule_link(stage.rule),
                is_wrong=is_wrong and not wrong_before,
                is_last=number == len(figure.stages) - 1,
                bar_x=bar[0],
                bar_width=bar[1],
            )
        )
        wrong_before = wrong_before or is_wrong
    return Way(
        anchor=_anchor(figure),
        title=figure.title,
        owner=_owner(figure),
        seal=_seal(figure, banker),
        value=_shown(figure, figure.recomputed) or "",
        logged=_shown(figure, figure.logged),
        state=_state(figure),
        stages=tuple(stages),
        has_bars=bars is not None,
        zero=zero,
        explained=explained,
        is_first_wrong=figure is first_wrong,
    )


def _is_equal(one: str, other: str) -> bool:
    """Whether two texts say the same; a plus sign does not count."""
    return one.lstrip("+") == other.lstrip("+")


def _bars(stages: Sequence[replay.Stage]) -> tuple[str, list[tuple[str, str]]] | None:
    """A bar from zero for each stage, in drawing units; None unless all values are like numbers."""
    matches = [_NUMBER.fullmatch(stage.value) for stage in stages]
    if len(stages) < 2 or not all(matches):
        return None
    if len({len(match.group(1) or "") for match in matches if match}) != 1:
        return None
    values = [int(stage.value.replace(".", "")) for stage in stages]
    low, high = min(0, *values), max(0, *values)
    if low == high:
        return None
    # Drawing needs no exact division: a bar is read beside its number.
    scale = BAR_WIDTH / (high - low)
    bars = [
        (f"{(min(0, value) - low) * scale:.1f}", f"{max(abs(value) * scale, 1.0):.1f}")
        for value in values
    ]
    return f"{-low * scale:.1f}", bars


def _sum(figures: Sequence[replay.Figure | None], title: str) -> Cell | None:
    """The sum over the seats, where all are there, each is a number and the sum has a meaning."""
    if len(figures) < 2 or any(
        figure is None or figure.seat is None or figure.name not in _SUMMED for figure in figures
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
        match = _NUMBER.fullmatch(text) if text is not None else None
        if text is None or match is None:
            return None
        digits.add(len(match.group(1) or ""))
        total += int(text.replace(".", ""))
    return replay.format_minor(total, digits.pop()) if len(digits) == 1 else None


_TITLES = {
    "tricks": "棟", "units": "Units", "theoretical": "Theoretical", "gross": "Gross",
    "rake": "Rake", "net": "Net", "valid_bet": "Valid bet", "carry_out": "Carry-out",
    "profit": "Profit",
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
            facts.append(("Winner", f"{markup.SEAT_SEALS[value]} {markup.SEAT_NAMES[value]}"))
        elif key == "next":
            seat = value["banker"]
            words = f"{markup.SEAT_SEALS[seat]} {markup.SEAT_NAMES[seat]}, hand {value['streak']}"
            facts.append(("Next banker", words))
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
