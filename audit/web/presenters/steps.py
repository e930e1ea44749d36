"""Where one is in a hand and where one can go: transport, parts, events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import here, phrase, phrases, sentences, told
from audit.web.presenters.targets import DECISIONS, LOOKED_UP, heads_of, target_of
from audit.web.routes import Route

# Beyond these a slider's ticks and a part's events would be too many to tell apart or to send.
TICKS_MAX = 80
SPAN_MAX = 40


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
class Transport:
    """Everything around the slider.

    `place` says where one is ("Step 3 of 20"); `is_open`: what comes later is not shown, and `last`
    is only the last step that is. `think_unknown` and `elapsed_unknown`: the clock stepped back
    here, or since the start. `by` says whether the player acted or the timer; `wait_ms` is the time
    to the next event, for playing at the hand's own pace.
    """

    number: int
    last: int
    place: str
    is_open: bool
    part: str
    elapsed: str | None
    elapsed_unknown: bool
    think: str | None
    think_unknown: bool
    actor: SafeString | None
    by: str | None
    wait_ms: int | None
    goals: SafeString
    finding_goals: SafeString
    decision_goals: SafeString
    ticks: SafeString
    parts: tuple[PartLink, ...]
    spans: SafeString
    sentence: str


def seconds(ms: int) -> str:
    """Milliseconds as seconds with one decimal, cut and not rounded."""
    return f"{ms // 1000}.{ms % 1000 // 100} s"


def present_transport(
    steps: Sequence[replay.Step], number: int, route: Route, *, is_open: bool = False
) -> Transport:
    """The way from step `number` to every other; `is_open`: more come than are shown."""
    step = steps[number]
    last = len(steps) - 1
    parts = _parts(steps, number, route)
    turned = turned_back(steps)
    place = place_of(number, last, is_open=is_open)
    return Transport(
        number=number,
        last=last,
        place=place,
        is_open=is_open,
        part=told(step.part.title),
        elapsed=None if step.ms is None else seconds(step.ms),
        elapsed_unknown=any(place <= number for place in turned),
        think=None if step.think_ms is None else seconds(step.think_ms),
        think_unknown=number in turned,
        actor=markup.seal(step.seat) if step.seat is not None else None,
        by=by_whom(step),
        wait_ms=None if is_open or number == last else steps[number + 1].think_ms,
        goals=_goals(steps, number, route, is_open=is_open),
        finding_goals=_finding_goals(steps, number, route),
        decision_goals=_decision_goals(steps, number, route, is_open=is_open),
        ticks=_ticks(steps, number, route) if last <= TICKS_MAX else SafeString(),
        parts=parts,
        spans=_spans(parts, last),
        sentence=_sentence(step, place),
    )


def place_of(number: int, last: int, *, is_open: bool) -> str:
    """Where one is; how many steps come is not told while they are not shown."""
    return (
        phrase("Step {number}", number=number)
        if is_open
        else phrase("Step {number} of {last}", number=number, last=last)
    )


def by_whom(step: replay.Step) -> str | None:
    """Whether a seat acted itself or the platform for it; None where nobody decides anything."""
    if step.is_auto:
        return phrase("by the timer")
    return phrase("by the player") if step.kind in DECISIONS or step.kind == "wager" else None


def turned_back(steps: Sequence[replay.Step]) -> list[int]:
    """The steps at which the clock stepped back: nobody can say how long what spans them took."""
    turned = []
    clock: int | None = None
    for step in steps:
        if step.ms is not None:
            if clock is not None and step.ms < clock:
                turned.append(step.number)
            clock = step.ms
    return turned


def _sentence(step: replay.Step, place: str) -> str:
    parts = [phrase("{place}.", place=place), markup.ended(told(step.sentence))]
    if step.is_auto:
        parts.append(phrase("By the timer."))
    if not step.is_judged:
        parts.append(phrase("Not judged."))
    parts.extend(
        phrase("Finding: {title}.", title=replay.CODES[finding.code].title)
        for finding in step.findings[:3]
    )
    if len(step.findings) > 3:
        parts.append(phrases("And {count} more finding.", "And {count} more findings.",
                                 len(step.findings) - 3))  # fmt: skip
    return sentences(parts)


# From where one goes: the steps, the one at hand, the addresses, whether more come than are shown.
_Way = tuple[Sequence[replay.Step], int, Route, bool]


def _address(name: str, way: _Way) -> str | None:
    """Where a goal is. What lies ahead and is not shown is looked up on the way there."""
    steps, number, route, is_open = way
    if is_open and name == "next":
        return route.step(number + 1)
    if is_open and name in LOOKED_UP:
        return route.goal(name, number)
    target = target_of(name, steps, number)
    return None if target is None else route.step(target)


def _item(link: SafeString, key: str, *, is_wide: bool) -> str:
    """A place to go to, as a button with its key."""
    wide = ' class="wide"' if is_wide else ""
    return f'<li{wide}>{link}<kbd aria-hidden="true">{escape(key)}</kbd></li>'


def _goal(name: str, title: str, icon: str, key: str, way: _Way, *, is_wide: bool = False) -> str:
    """A goal of the transport, whose button shows an icon."""
    link = markup.goal_link(name, title, _address(name, way), _icon_words(icon, title), "btn")
    return _item(link, key, is_wide=is_wide)


@lru_cache(maxsize=128)
def _icon_words(icon: str, title: str) -> SafeString:
    return format_html('{}<span class="visually-hidden">{}</span>', markup.icon(icon), title)


def _goals(steps: Sequence[replay.Step], number: int, route: Route, *, is_open: bool) -> SafeString:
    way = steps, number, route, is_open
    has_tricks = any(step.part.key.startswith("trick") for step in steps)
    before = phrase("Previous trick") if has_tricks else phrase("Previous phase")
    behind = phrase("Next trick") if has_tricks else phrase("Next phase")
    goals = (
        _goal("first", phrase("First step"), "first", phrase("Home"), way, is_wide=True),
        _goal("previous-part", before, "prev-trick", "[", way),
        _goal("previous", phrase("Previous step"), "prev", "←", way),
        _goal("next", phrase("Next step"), "next", "→", way),
        _goal("next-part", behind, "next-trick", "]", way),
        _goal("last", phrase("Last step"), "last", phrase("End"), way, is_wide=True),
    )
    return SafeString("".join(goals))


def _finding_goals(steps: Sequence[replay.Step], number: int, route: Route) -> SafeString:
    if not any(step.findings for step in steps):
        return SafeString()
    way = steps, number, route, False

    def goal(name: str, title: str, word: str, key: str, *, is_wide: bool) -> str:
        words = format_html("{}{}", markup.icon("finding"), word)
        link = markup.goal_link(name, title, _address(name, way), words, "btn btn-find")
        return _item(link, key, is_wide=is_wide)

    following = phrase("Next finding")
    goals = (
        goal("previous-finding", phrase("Previous finding"), phrase("Previous"),
             phrase("Shift F"), is_wide=True),
        goal("next-finding", following, following, "F", is_wide=False),
    )  # fmt: skip
    return SafeString("".join(goals))


def _decision_goals(
    steps: Sequence[replay.Step], number: int, route: Route, *, is_open: bool
) -> SafeString:
    """The decision of each seat before and behind this step; a game without seats has none."""
    if not steps[0].board.seats:
        return SafeString()
    way = steps, number, route, is_open
    pairs = [
        (
            '<span class="pair">'
            + markup.goal_link(
                f"previous-{goal}", back, _address(f"previous-{goal}", way),
                _icon_words("prev", back), "btn btn-back",
            )
            + markup.goal_link(goal, on, _address(goal, way), words, "btn")
            + "</span>"
        )
        for goal, back, on, words in _decision_words(here())
    ]  # fmt: skip
    return SafeString("".join(pairs))


@lru_cache(maxsize=8)
def _decision_words(_language: str | None) -> tuple[tuple[str, str, str, SafeString], ...]:
    """Of each seat: the goal, the title of the way back and of the way on, what that shows."""
    found = []
    for seat, name in enumerate(markup.SEAT_NAMES):
        on = phrase("Next decision of {seat}", seat=name)
        words = format_html(
            '<span class="visually-hidden">{}</span><span lang="zh-Hant" aria-hidden="true">{}'
            "</span>",
            on, markup.SEAT_SEALS[seat],
        )  # fmt: skip
        back = phrase("Previous decision of {seat}", seat=name)
        found.append((f"decision-{seat + 1}", back, on, words))
    return tuple(found)


def _spans(parts: Sequence[PartLink], last: int) -> SafeString:
    """The parts under the slider, where they can be told apart."""
    if last > TICKS_MAX or any(part.width > SPAN_MAX for part in parts):
        return SafeString()
    return SafeString(
        "".join(
            markup.part_link(part.title, part.url, number, part.width, is_current=part.is_current)
            for number, part in enumerate(parts, 1)
        )
    )


def _ticks(steps: Sequence[replay.Step], number: int, route: Route) -> SafeString:
    """The ticks of the slider, drawn here: there is one for each step, and most say nothing."""
    heads = set(heads_of(steps))
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
        classes = " ".join(names)
        ticks.append(
            markup.tick_of_finding(step.number, route.step(step.number), classes, is_current=here)
            if step.findings
            else markup.tick(classes)
        )
    return SafeString("".join(ticks))


def groups_of(steps: Sequence[replay.Step]) -> list[list[replay.Step]]:
    """The steps of each part."""
    return [list(group) for _, group in groupby(steps, key=lambda step: step.part.key)]


def _parts(steps: Sequence[replay.Step], number: int, route: Route) -> tuple[PartLink, ...]:
    return tuple(
        PartLink(
            title=group[0].part.title,
            note=group[-1].part.note,
            url=route.step(group[0].number),
            # The table before the first event is no event of the part that it opens.
            first=max(group[0].number, 1),
            last=group[-1].number,
            width=len(group),
            is_current=group[0].number <= number <= group[-1].number,
            found=sum(len(step.findings) for step in group),
        )
        for group in groups_of(steps)
    )
