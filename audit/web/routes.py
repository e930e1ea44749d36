"""Addresses of a hand's pages: the hand, the step, who looks, and the rules in force.

    /hands/12/steps/7/?as=seat-2&rules=tien-gow/classic@1

Without `as` the auditor looks; without `rules` those that the hand names are meant. A link that was
given to somebody without an account says all of it by its secret:

    /shared/Xa0…/steps/7/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString

import replay


@lru_cache(maxsize=256)
def _front_of_steps(hand: int, secret: str | None) -> str:
    """What stands before the number in the address of each step: a page has dozens of them."""
    if secret is not None:
        return reverse("shared-step", args=(secret, 0)).removesuffix("0/")
    return reverse("step", args=(hand, 0)).removesuffix("0/")


@lru_cache(maxsize=256)
def _steps(hand: int, secret: str | None) -> str:
    if secret is not None:
        return reverse("shared-steps", args=(secret,))
    return reverse("steps", args=(hand,))


@lru_cache(maxsize=256)
def _behind(route: Route) -> tuple[str, str]:
    """What stands behind the number of each step, and behind the place that is looked up."""
    query = urlencode(route.parameters, safe="/@")
    return (f"?{query}", f"&{query}") if query else ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where the pages of one hand are for one viewer.

    `rules` is the ruleset that the address was asked with, and is passed on. `secret` is that of
    a link, whose pages lead to no others than its own.
    """

    hand: int
    viewpoint: replay.Viewpoint = replay.AUDITOR
    rules: str | None = None
    secret: str | None = None

    @property
    def is_auditor(self) -> bool:
        return self.viewpoint == replay.AUDITOR

    @property
    def query(self) -> str:
        """What stands behind each address: "" or "?as=seat-2"."""
        return _behind(self)[0]

    @property
    def parameters(self) -> dict[str, str]:
        """The query as fields, for forms."""
        if self.secret is not None:
            return {}
        asked = {} if self.is_auditor else {"as": str(self.viewpoint)}
        return asked | ({"rules": self.rules} if self.rules is not None else {})

    def page(self) -> str:
        if self.secret is not None:
            return reverse("shared", args=(self.secret,))
        return reverse("hand", args=(self.hand,)) + self.query

    def steps(self) -> str:
        """Where a step is asked for by a form, without the query."""
        return _steps(self.hand, self.secret)

    def step(self, number: int) -> str:
        return f"{_front_of_steps(self.hand, self.secret)}{number}/{self.query}"

    def goal(self, name: str, number: int) -> str:
        """The way to a place that is looked up when one goes there: it may lie ahead."""
        return f"{self.steps()}?to={name}&from={number}{_behind(self)[1]}"

    def rows(self, page: int) -> str:
        """Another page of the settlement, as a query for the page that one is at."""
        return f"?{urlencode({**self.parameters, 'rows': str(page)}, safe='/@')}"

    def plain(self) -> Route:
        """The same hand with the shortest addresses."""
        return Route(hand=self.hand)

    def lead(self, html: SafeString) -> SafeString:
        """A part of the page that was drawn with the addresses of `plain`, with those of this."""
        if self == self.plain():
            return html
        drawn, front = (_front_of_steps(self.hand, secret) for secret in (None, self.secret))
        query = escape(self.query)
        # No text of a hand holds a bare quote, so that these are its links and nothing else.
        stepping = re.sub(
            f'href="{re.escape(drawn)}([0-9]+)/"',
            lambda found: f'href="{front}{found[1]}/{query}"',
            html,
        )
        paged = re.sub(
            r'href="\?rows=([0-9]+)#',
            lambda found: f'href="{escape(self.rows(int(found[1])))}#',
            stepping,
        )
        return SafeString(paged)

    def seen_by(self, viewpoint: replay.Viewpoint) -> Route:
        return Route(hand=self.hand, viewpoint=viewpoint, rules=self.rules)

    def copied(self, number: int, ruleset: str) -> str:
        """The address of a picture in full, which opens the same picture for everybody."""
        if self.secret is not None:
            return self.step(number)
        fields = {"as": str(self.viewpoint), "rules": ruleset}
        return f"{reverse('step', args=(self.hand, number))}?{urlencode(fields, safe='/@')}"
