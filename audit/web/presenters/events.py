"""The list of events beside the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.presenters.steps import groups_of, seconds, turned_back
from audit.web.routes import Route

# Beyond so many only the part at hand is shown, and around the step at hand.
EVENTS_SHOWN = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event in the list."""

    number: int
    url: str
    seal: SafeString | None
    text: str
    tiles: SafeString
    dice: tuple[int, int] | None
    think: str | None
    at: str | None
    think_unknown: bool
    is_auto: bool
    is_current: bool
    is_late: bool
    found: int
    is_stop: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGroup:
    """The events of one part. `skipped` tells how many are left out on each side."""

    title: str
    note: str
    url: str
    first: int
    last: int
    is_open: bool
    is_late: bool
    found: int
    lines: tuple[EventLine, ...]
    skipped: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventList:
    """The events of a hand, as far as they are shown (`is_whole`: to its end).

    `is_same`: the list is the same at each step, but for where one is. `forced` of `decisions` left
    no choice; both count what is shown to the viewer.
    """

    groups: tuple[EventGroup, ...]
    count: int
    decisions: int
    forced: int
    is_same: bool
    is_whole: bool


# The list of events where one is at none of them.
NOWHERE = -1


def is_same_list(steps: Sequence[replay.Step], route: Route) -> bool:
    """Whether the list of events says the same at each step: nothing lies ahead, nothing is cut."""
    return route.is_auditor and len(steps) <= EVENTS_SHOWN


def present_events(
    steps: Sequence[replay.Step], number: int, route: Route, *, is_open: bool = False
) -> EventList:
    """The event list by part, as one sees it at step `number` or NOWHERE."""
    decisions = [step.decision for step in steps if step.decision is not None]
    return EventList(
        groups=_event_groups(steps, number, route),
        count=sum(1 for step in steps if step.event is not None),
        decisions=len(decisions),
        forced=sum(1 for decision in decisions if decision.freedom == "forced"),
        is_same=is_same_list(steps, route),
        is_whole=not is_open,
    )


def parts_of_events(steps: Sequence[replay.Step]) -> list[tuple[int, int]]:
    """The first and the last event of each part."""
    groups = groups_of([step for step in steps if step.event is not None])
    return [(group[0].number, group[-1].number) for group in groups]


def is_group_open(first: int, last: int, number: int) -> bool:
    """Whether one is at the events of a part; the table before the first opens their part."""
    return first <= number <= last or (number == 0 and first == 1)


def _event_groups(
    steps: Sequence[replay.Step], number: int, route: Route
) -> tuple[EventGroup, ...]:
    """The parts; of a hand with very many events only the part at hand, cut around it."""
    stop = next((step.number - 1 for step in steps if not step.is_judged), None)
    is_long = len(steps) > EVENTS_SHOWN
    turned = set(turned_back(steps))
    groups = []
    for members in groups_of([step for step in steps if step.event is not None]):
        first, last = members[0].number, members[-1].number
        is_open = is_group_open(first, last, number)
        shown, skipped = members, (0, 0)
        if is_long:
            shown, skipped = _cut(members, number) if is_open else ([], (len(members), 0))
        groups.append(
            EventGroup(
                title=members[0].part.title,
                note=members[-1].part.note,
                url=route.step(first),
                first=first,
                last=last,
                is_open=is_open,
                is_late=not members[0].is_judged,
                found=sum(len(step.findings) for step in members),
                lines=tuple(
                    _line(step, number, route, stop, is_unknown=step.number in turned)
                    for step in shown
                ),
                skipped=skipped,
            )
        )
    return tuple(groups)


def _cut(members: list[replay.Step], number: int) -> tuple[list[replay.Step], tuple[int, int]]:
    middle = max(0, min(number - members[0].number, len(members) - 1))
    start = max(0, middle - EVENTS_SHOWN // 2)
    end = min(len(members), start + EVENTS_SHOWN)
    return members[start:end], (start, len(members) - end)


def _line(
    step: replay.Step, number: int, route: Route, stop: int | None, *, is_unknown: bool
) -> EventLine:
    return EventLine(
        number=step.number,
        url=route.step(step.number),
        seal=markup.seal(step.seat) if step.seat is not None else None,
        text=step.text,
        tiles=markup.tiles(step.tiles, "xs"),
        dice=step.board.dice if step.kind == "dice" else None,
        think=None if step.think_ms is None else seconds(step.think_ms),
        at=None if step.ms is None else seconds(step.ms),
        think_unknown=is_unknown,
        is_auto=step.is_auto,
        is_current=step.number == number,
        is_late=not step.is_judged,
        found=len(step.findings),
        is_stop=step.number == stop,
    )
