"""The parts of a hand's page, each kept once it is drawn (`audit.web.kept`).

What the auditor sees below the step stays the same from step to step, and has parts of its own; for
others it comes with the reveal, as a part of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import Http404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from audit import selectors
from audit.web.kept import kept
from audit.web.language import here
from audit.web.presenters.commitments import present_commitment
from audit.web.presenters.events import (
    NOWHERE,
    is_group_open,
    is_same_list,
    parts_of_events,
    present_events,
)
from audit.web.presenters.hand import logged_of, present_step, settlement_of, stopped_at
from audit.web.presenters.hands import present_single_head
from audit.web.presenters.steps import place_of
from audit.web.presenters.whereabouts import trails_of, wall_of
from audit.web.routes import Route
from audit.web.walks import Replayed


def draw_head(context: Mapping[str, Any]) -> SafeString:
    """The head of a hand's page: where it is, what is known of it, what it may be a double of."""
    return render_to_string("hands/_head.html", dict(context))


def single_head(played: selectors.PlayedHand, context: Mapping[str, Any]) -> SafeString:
    """The head of a hand that came once and alone; it is made of nothing but `played`, what follows
    from its bytes, and what whoever looks may do."""
    whole = {**present_single_head(played), **context}
    of_whom = context["route"], *context["offers"].values()
    key = "head", played.hand, played.version, played.twins, of_whom
    return kept(key, lambda: draw_head(whole))


def public_head(
    played: selectors.PlayedHand, route: Route, draw: Callable[[], SafeString]
) -> SafeString:
    """The same for those who do not see what is stored about the hand."""
    return kept(("public head", played.hand, played.version.sha256, route), draw)


def frame(*, problem: bool = False) -> dict[str, SafeString]:
    """What is the same on the page of each hand: its styles and scripts, and what the keys do.

    Where there is a `problem` nothing can be stepped through, and there are no scripts.
    """

    return _frame(problem, here())


@cache
def _frame(problem: bool, _language: str | None) -> dict[str, SafeString]:
    """In the language of the request, which is here so that each is kept apart."""
    return {
        "links": render_to_string("hands/_links.html", {"problem": problem}),
        "keys": render_to_string("hands/_keys.html"),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that change with the step, and those below it. `rows` is a page of the settlement.

    What is drawn is a function of the bytes (`sha256`), of what was found against the hand before,
    of who looks and where; of these a part is kept by those that it is made of.
    """

    hand: selectors.HandRow
    sha256: str
    compared: selectors.ComparisonRow | None
    replayed: Replayed
    route: Route
    number: int
    rows: int | None

    def place(self) -> str:
        last = len(self.replayed.walk.steps) - 1
        return place_of(self.number, last, is_open=self.replayed.is_open)

    def region(self) -> SafeString:
        def draw() -> SafeString:
            context = {
                "route": self.route,
                "hand": {"pk": self.hand.pk, "hand_id": self.hand.hand_id},
                "compared": self.compared,
                "step": present_step(self.replayed, self.number, self.route),
                "money": self.replayed.money,
                "commitment": present_commitment(self.replayed, self.number),
                "event_list": self._events(),
            }
            if not self.route.is_auditor:
                context |= {"trails": self.trails(), "result": self.result()}
            return render_to_string("hands/_step.html", context)

        return self._kept("region", self.number, self.rows, draw)

    def _events(self) -> SafeString:
        """The list of events. Where it says the same at each step it is drawn once, and where one
        is is put into it: drawing it takes as long as all else of a step."""
        steps, number = self.replayed.walk.steps, self.number
        if not is_same_list(steps, self.route):
            return self._draw_events(number)
        html: str = self._kept("events", None, None, lambda: self._draw_events(NOWHERE))
        for first, last in parts_of_events(steps):
            if is_group_open(first, last, number):
                group = f'<details data-first="{first}"'
                html = html.replace(group, f"{group} open", 1)
        line = f'data-key="event-{number}"'
        html = html.replace(line, f'{line} aria-current="step"', 1)
        return mark_safe(html)  # noqa: S308 - drawn by a template; no text holds a bare quote

    def _draw_events(self, number: int) -> SafeString:
        events = present_events(
            self.replayed.walk.steps, number, self.route, is_open=self.replayed.is_open
        )
        return render_to_string("hands/_events.html", {"events": events})

    def trails(self) -> SafeString:
        """Where each tile went; for others than the auditor as far as they saw it."""
        is_open = self.replayed.is_open

        def draw(route: Route) -> SafeString:
            trails = trails_of(self.replayed.walk.steps, route)
            context = {"trails": trails, "is_whole": not is_open}
            return render_to_string("hands/_trails.html", context) if trails else SafeString()

        return draw(self.route) if is_open else self._shared("trails", None, draw)

    def wall(self) -> SafeString:
        """The wall of a hand that logs one."""

        def draw() -> SafeString:
            wall = wall_of(self.replayed, self.route)
            return (
                SafeString()
                if wall is None
                else render_to_string("hands/_wall.html", {"wall": wall})
            )

        return self._kept("wall", None, None, draw)

    def result(self) -> SafeString:
        """The result, where it is there to be seen; it is then the same at each step."""
        if self.replayed.is_open:
            return SafeString()

        def draw(route: Route) -> SafeString:
            context = {"money": self.replayed.money} | self._settled(route)
            return render_to_string("hands/_result.html", context)

        return self._shared("result", self.rows, draw)

    def _shared(
        self, name: str, rows: int | None, draw: Callable[[Route], SafeString]
    ) -> SafeString:
        """A part below the step. Where nothing is concealed from whoever looks the walk is the
        auditor's, and for all of them the part is drawn once: it differs by its addresses alone."""
        if not self.replayed.is_revealed:
            return self._kept(name, None, rows, lambda: draw(self.route))
        plain = self.route.plain()
        key = "shared", name, self.sha256, plain, rows
        return self.route.lead(kept(key, lambda: draw(plain)))

    def _kept(
        self, name: str, number: int | None, rows: int | None, draw: Callable[[], SafeString]
    ) -> SafeString:
        comparison = self.hand.comparison_pk if self.route.is_auditor else None
        # Until the result is there to be seen it has no pages.
        rows = None if self.replayed.is_open else rows
        key = name, self.sha256, comparison, self.route, number, rows
        return kept(key, draw)

    def _settled(self, route: Route) -> dict[str, Any]:
        try:
            settlement = settlement_of(self.replayed, self.rows, route)
        except LookupError as error:
            raise Http404(str(error)) from None
        stop = stopped_at(self.replayed.walk.steps)
        return {
            "settlement": settlement,
            "logged": None if settlement else logged_of(self.replayed),
            "stop": stop,
            "stop_url": None if stop is None else route.step(stop),
        }
