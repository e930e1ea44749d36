"""The hand page: its head, the step one is at, the table, the findings, the settlement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import phrase, told
from audit.web.presenters.board import LAYOUTS, BoardCard, present_board
from audit.web.presenters.decisions import DecisionCard, present_decision
from audit.web.presenters.findings import FindingCard, present_finding, subject_of, where_of
from audit.web.presenters.settlement import (
    LoggedResult,
    Settlement,
    present_logged,
    present_settlement,
    ways_of,
)
from audit.web.presenters.steps import Transport, present_transport
from audit.web.presenters.what_if import what_if_url
from audit.web.presenters.whereabouts import makers_of, moved_at
from audit.web.routes import Route
from audit.web.walks import Replayed

# Of many findings at one step so many stand as cards; the others as lines under them.
CARDS_MAX = 3
MINOR_MAX = 20
LINKS_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLink:
    """A finding elsewhere in the hand, as a link to where it stands with `more` others."""

    url: str
    where: str
    title: str
    seat: SafeString | None
    subject: SafeString | None
    rule: SafeString
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCard:
    """What changes from step to step. `copied` is the address of this picture in full."""

    transport: Transport
    board: BoardCard
    findings: tuple[FindingCard, ...]
    minor: tuple[FindingCard, ...]
    following: tuple[FindingCard, ...]
    more: int
    elsewhere: tuple[FindingLink, ...]
    finding_count: int
    event_count: int
    is_judged: bool
    is_whole: bool
    stop: int | None
    stop_url: str | None
    views: SafeString
    copied: str
    what_if: str | None
    decision: DecisionCard | None


def views_of(replayed: Replayed, number: int, route: Route) -> SafeString:
    """Who can look: the auditor, each seat where the game has seats, and the public; each leads to
    the same step as they saw it."""
    viewers: list[tuple[replay.Viewpoint, str, str | None]] = [
        (replay.AUDITOR, phrase("Auditor"), None)
    ]
    for view in replayed.walk.steps[0].board.seats:
        name, character = told(markup.SEAT_NAMES[view.seat]), markup.SEAT_SEALS[view.seat]
        viewers.append((replay.Viewpoint(seat=view.seat), name, character))
    viewers.append((replay.PUBLIC, phrase("Public"), None))
    return SafeString(
        "".join(
            markup.view_link(
                title,
                route.seen_by(viewer).step(number),
                character,
                is_current=viewer == route.viewpoint,
            )
            for viewer, title, character in viewers
        )
    )


def first_step(steps: Sequence[replay.Step]) -> int:
    """Where the hand page opens: at the first finding, else at the end."""
    return next((step.number for step in steps if step.findings), len(steps) - 1)


def stopped_at(steps: Sequence[replay.Step]) -> int | None:
    """The step at which the replay stopped, None where it ran to the end."""
    for step in steps:
        if any(replay.CODES[finding.code].stops for finding in step.findings):
            return step.number
    return None


def present_step(replayed: Replayed, number: int, route: Route) -> StepCard:
    """One step. `number` must be one of the walk's."""
    steps = replayed.walk.steps
    step = steps[number]
    # What follows from another figure is told after it, and briefly.
    ordered = sorted(step.findings, key=lambda finding: finding.follows)
    ways = ways_of(replayed.walk.figures, route) if step.findings else {}
    cards = [
        present_finding(
            finding,
            step=number,
            options=replayed.options,
            told=step.text,
            way=ways.get(finding),
        )
        for finding in ordered
    ]
    leading = _leading(cards)
    others = [card for card in cards if card not in leading]
    minor = [card for card in others if not card.follows]
    following = [card for card in others if card.follows]
    stop = stopped_at(steps)
    return StepCard(
        transport=present_transport(steps, number, route, is_open=replayed.is_open),
        board=present_board(
            step.board,
            LAYOUTS.get(replayed.read.game.name, "court"),
            replayed.money,
            _moved(steps, number, route),
        ),
        findings=tuple(leading),
        minor=tuple(minor[:MINOR_MAX]),
        following=tuple(following[:MINOR_MAX]),
        more=max(0, len(minor) - MINOR_MAX) + max(0, len(following) - MINOR_MAX),
        elsewhere=_elsewhere(steps, number, route),
        finding_count=sum(len(step.findings) for step in steps),
        event_count=sum(1 for step in steps if step.event is not None),
        is_judged=step.is_judged,
        is_whole=not replayed.is_open,
        stop=stop,
        stop_url=None if stop is None else route.step(stop),
        views=views_of(replayed, number, route),
        copied=route.copied(number, replayed.read.hand.ruleset),
        what_if=what_if_url(route),
        decision=None if step.decision is None else present_decision(step.decision, step),
    )


def _moved(steps: Sequence[replay.Step], number: int, route: Route) -> dict[int, str]:
    places = {view.seat: moved_at(steps, number, view.seat) for view in steps[number].board.seats}
    return {seat: route.step(place) for seat, place in places.items() if place is not None}


def _leading(cards: Sequence[FindingCard]) -> list[FindingCard]:
    """The first of each code, for like findings say the same about other seats."""
    first: dict[str, FindingCard] = {}
    for card in cards:
        if not card.follows:
            first.setdefault(card.code, card)
    return list(first.values())[:CARDS_MAX] or list(cards[:1])


def _elsewhere(steps: Sequence[replay.Step], number: int, route: Route) -> tuple[FindingLink, ...]:
    links: list[FindingLink] = []
    for step in steps:
        if step.number == number or not step.findings:
            continue
        # A finding that follows from another is told where it stands; the others lead there.
        leading = [finding for finding in step.findings if not finding.follows]
        shown = (leading or list(step.findings))[:LINKS_MAX]
        more = len(step.findings) - len(shown)
        links.extend(
            FindingLink(
                url=route.step(step.number),
                where=where_of(finding, step.number),
                title=told(replay.CODES[finding.code].title),
                seat=markup.seal(finding.seat) if finding.seat is not None else None,
                subject=subject_of(finding),
                rule=markup.rule_link(finding.rule, finding.confidence),
                more=more if finding is shown[-1] else 0,
            )
            for finding in shown
        )
    return tuple(links)


def settlement_of(replayed: Replayed, page: int | None, route: Route) -> Settlement | None:
    """The settlement of a hand that was replayed to its end. Raises: LookupError for `page`."""
    return present_settlement(
        replayed.walk.figures,
        route=route,
        made=_made(replayed),
        banker=_banker(replayed),
        options=replayed.options,
        page=page,
        confidence=replayed.read.game.confidence,
    )


def _made(replayed: Replayed) -> dict[tuple[str, str], int]:
    """The step that made each figure; a wager's is the one at which it was laid."""
    events = getattr(replayed.read.hand, "events", [])
    bets = {
        bet: index + 1
        for index, event in enumerate(events)
        if isinstance(bet := getattr(event, "bet", None), str)
    }
    return makers_of(replayed.walk.steps, replayed.walk.figures, bets)


def logged_of(replayed: Replayed) -> LoggedResult:
    """The result as the record has it."""
    result = msgspec.to_builtins(getattr(replayed.read.hand, "result", None))
    return present_logged(result, players_of(replayed))


def players_of(replayed: Replayed) -> dict[int, str]:
    """Who sits where, as the board says."""
    return {view.seat: view.player for view in replayed.walk.steps[-1].board.seats}


def _banker(replayed: Replayed) -> int | None:
    for view in replayed.walk.steps[-1].board.seats:
        if view.is_banker:
            return view.seat
    return None


def stakes_of(replayed: Replayed) -> tuple[tuple[str, str], ...]:
    """The table's stakes as facts of the page's head: amounts as logged, with the currency."""
    stakes = msgspec.to_builtins(getattr(replayed.read.hand, "stakes", None)) or {}
    is_pai_gow = replayed.read.game.name == "banker-pai-gow"
    names = {
        # In Tien Gow it is the money value of one unit; in Pai Gow multiples apply to it.
        "base": phrase("Base") if is_pai_gow else phrase("One unit"),
        "entry": phrase("Entry"),
        "min": phrase("Least wager"),
        "max": phrase("Highest wager"),
    }
    return tuple(
        (names[key], f"{replayed.money.currency} {value}")
        for key, value in stakes.items()
        if key in names
    )
