"""Where one is in a hand and where one can go: transport, parts, events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.safestring import SafeString

import replay
from audit.web import markup

# Beyond these a slider's ticks and a part's events would be too many to tell apart or to send.
TICKS_MAX = 80
SPAN_MAX = 40
EVENTS_SHOWN = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A place to go to; `url` is None where there is none, and the button is then disabled."""

    name: str
    title: str
    icon: str
    key: str
    url: str | None
    is_wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A tick of the slider. `url` is there where a finding stands."""

    number: int
    url: str | None
    classes: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLink:
    """A part of the hand as a link to its first step; `width` is its number of steps."""

    title: str
    note: str
    url: str
    first: int
    last: int
    width: int
    is_current: bool
    found: int


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
class Transport:
    """Everything around the slider."""

    number: int
    last: int
    part: str
    elapsed: str | None
    think: str | None
    actor: SafeString | None
    goals: tuple[Goal, ...]
    finding_goals: tuple[Goal, ...]
    ticks: tuple[Tick, ...]
    parts: tuple[PartLink, ...]
    has_spans: bool
    sentence: str


def step_url(hand: int, number: int) -> str:
    return reverse("step", args=(hand, number))


def seconds(ms: int) -> str:
    """Milliseconds as seconds with one decimal, cut and not rounded."""
    return f"{ms // 1000}.{ms % 1000 // 100} s"


def present_transport(steps: Sequence[replay.Step], number: int, hand: int) -> Transport:
    """The way from step `number` to every other."""
    step = steps[number]
    last = len(steps) - 1
    parts = _parts(steps, number, hand)
    return Transport(
        number=number,
        last=last,
        part=step.part.title,
        elapsed=None if step.ms is None else seconds(step.ms),
        think=None if step.think_ms is None else seconds(step.think_ms),
        actor=markup.seal(step.seat) if step.seat is not None else None,
        goals=_goals(steps, number, hand),
        finding_goals=_finding_goals(steps, number, hand),
        ticks=_ticks(steps, number, hand) if last <= TICKS_MAX else (),
        parts=parts,
        has_spans=last <= TICKS_MAX and all(part.width <= SPAN_MAX for part in parts),
        sentence=_sentence(step, last),
    )


def _sentence(step: replay.Step, last: int) -> str:
    words = f"Step {step.number} of {last}. {step.sentence.rstrip('.')}."
    if not step.is_judged:
        words += " Not judged."
    for finding in step.findings[:3]:
        words += f" Finding: {replay.CODES[finding.code].title}."
    if len(step.findings) > 3:
        words += f" And {len(step.findings) - 3} more findings."
    return words


def _heads(steps: Sequence[replay.Step]) -> list[int]:
    return [
        number
        for number, step in enumerate(steps)
        if number == 0 or step.part.key != steps[number - 1].part.key
    ]


def _goals(steps: Sequence[replay.Step], number: int, hand: int) -> tuple[Goal, ...]:
    last = len(steps) - 1
    heads = _heads(steps)
    word = "trick" if any(step.part.key.startswith("trick") for step in steps) else "phase"
    before = [head for head in heads if head < number]
    after = [head for head in heads if head > number]

    def to(target: int | None) -> str | None:
        return None if target is None or target == number else step_url(hand, target)

    return (
        Goal(name="first", title="First step", icon="first", key="Home", url=to(0), is_wide=True),
        Goal(name="previous-part", title=f"Previous {word}", icon="prev-trick", key="[",
             url=to(before[-1] if before else None)),
        Goal(name="previous", title="Previous step", icon="prev", key="←",
             url=to(number - 1 if number else None)),
        Goal(name="next", title="Next step", icon="next", key="→",
             url=to(number + 1 if number < last else None)),
        Goal(name="next-part", title=f"Next {word}", icon="next-trick", key="]",
             url=to(after[0] if after else None)),
        Goal(name="last", title="Last step", icon="last", key="End", url=to(last), is_wide=True),
    )  # fmt: skip


def _finding_goals(steps: Sequence[replay.Step], number: int, hand: int) -> tuple[Goal, ...]:
    found = [step.number for step in steps if step.findings]
    if not found:
        return ()
    before = [place for place in found if place < number]
    after = [place for place in found if place > number]
    return (
        Goal(name="previous-finding", title="Previous finding", icon="finding", key="Shift F",
             url=step_url(hand, before[-1]) if before else None, is_wide=True),
        Goal(name="next-finding", title="Next finding", icon="finding", key="F",
             url=step_url(hand, after[0]) if after else None),
    )  # fmt: skip


def _ticks(steps: Sequence[replay.Step], number: int, hand: int) -> tuple[Tick, ...]:
    heads = set(_heads(steps))
    ticks = []
    for step in steps:
        here = step.number == number
        names = ["head"] if step.number in heads else []
        if step.findings:
            names.append("found")
        if not step.is_judged:
            names.append("after")
        if here and not step.findings:
            names.append("at")
        ticks.append(
            Tick(
                number=step.number,
                url=step_url(hand, step.number) if step.findings else None,
                classes=" ".join(names),
                is_current=here,
            )
        )
    return tuple(ticks)


def _groups(steps: Sequence[replay.Step]) -> list[list[replay.Step]]:
    return [list(group) for _, group in groupby(steps, key=lambda step: step.part.key)]


def _parts(steps: Sequence[replay.Step], number: int, hand: int) -> tuple[PartLink, ...]:
    return tuple(
        PartLink(
            title=group[0].part.title,
            note=group[-1].part.note,
            url=step_url(hand, group[0].number),
            # The table before the first event is no event of the part that it opens.
            first=max(group[0].number, 1),
            last=group[-1].number,
            width=len(group),
            is_current=group[0].number <= number <= group[-1].number,
            found=sum(len(step.findings) for step in group),
        )
        for group in _groups(steps)
    )


def present_events(steps: Sequence[replay.Step], number: int, hand: int) -> tuple[EventGroup, ...]:
    """The event list, by part; of a hand with very many only the part at hand, cut around it."""
    stop = next((step.number - 1 for step in steps if not step.is_judged), None)
    is_long = len(steps) > EVENTS_SHOWN
    groups = []
    for members in _groups([step for step in steps if step.event is not None]):
        first, last = members[0].number, members[-1].number
        is_open = first <= number <= last or (number == 0 and first == 1)
        shown, skipped = members, (0, 0)
        if is_long:
            shown, skipped = _cut(members, number) if is_open else ([], (len(members), 0))
        groups.append(
            EventGroup(
                title=members[0].part.title,
                note=members[-1].part.note,
                url=step_url(hand, first),
                first=first,
                last=last,
                is_open=is_open,
                is_late=not members[0].is_judged,
                found=sum(len(step.findings) for step in members),
                lines=tuple(_line(step, number, hand, stop) for step in shown),
                skipped=skipped,
            )
        )
    return tuple(groups)


def _cut(members: list[replay.Step], number: int) -> tuple[list[replay.Step], tuple[int, int]]:
    middle = max(0, min(number - members[0].number, len(members) - 1))
    start = max(0, middle - EVENTS_SHOWN // 2)
    end = min(len(members), start + EVENTS_SHOWN)
    return members[start:end], (start, len(members) - end)


def _line(step: replay.Step, number: int, hand: int, stop: int | None) -> EventLine:
    return EventLine(
        number=step.number,
        url=step_url(hand, step.number),
        seal=markup.seal(step.seat) if step.seat is not None else None,
        text=step.text,
        tiles=markup.tiles(step.tiles, "xs"),
        dice=step.board.dice if step.kind == "dice" else None,
        think=None if step.think_ms is None else seconds(step.think_ms),
        is_auto=step.is_auto,
        is_current=step.number == number,
        is_late=not step.is_judged,
        found=len(step.findings),
        is_stop=step.number == stop,
    )
