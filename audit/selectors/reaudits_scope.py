"""What a re-audit takes in: hands by the filters of their list, and refused lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

import replay
from audit.models import Hand, Reaudit, Refusal, RefusedLines
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.rulesets import current_rulesets

# What the query of the hands list may hold, with its words.
KEYS = {
    "game": "game",
    "table": "table",
    "source": "source",
    "player": "player",
    "verdict": "verdict",
    "code": "finding",
    "from": "from",
    "to": "to",
    "q": "beginning with",
    "upload": "upload",
    "conflict": "in conflict",
    "open": "days in an open case",
    "risk": "money at risk",
}
NAME_MAX = 128
# Counting stops here: a preview must not take longer than a look.
PREVIEW_MAX = 100_000
UNKNOWN_RULESET = "unknown ruleset "


def check_keys(keys: Iterable[str]) -> None:
    """Raises: BadQuery for a key that the hands list does not know."""
    for key in keys:
        if key not in KEYS:
            raise BadQuery(f"There is no filter “{key}”: the hands list has {', '.join(KEYS)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which hands, under which ruleset ("": the one that each names), and which refused lines."""

    query: dict[str, str]
    filters: HandFilters
    named: str
    ruleset: str
    refused_lines: str

    @classmethod
    def parse(
        cls,
        query: Mapping[str, str],
        *,
        named: str = "",
        ruleset: str = "",
        refused_lines: str = RefusedLines.NONE,
    ) -> Scope:
        """Raises: BadQuery, also for a key that the hands list does not know."""
        check_keys(query)
        asked = {key: query[key] for key in KEYS if query.get(key)}
        if refused_lines not in RefusedLines.values:
            raise BadQuery(f"Refused lines are one of {', '.join(RefusedLines.values)}.")
        if len(named) > NAME_MAX or not named.isprintable():
            raise BadQuery("No ruleset has such a name.")
        if ruleset and current_rulesets().get(ruleset) is None:
            raise BadQuery(f"The ruleset {ruleset!r} is not known here.")
        if refused_lines != RefusedLines.NONE:
            if ruleset:
                raise BadQuery("A rehearsal is of hands: a refused line cannot take part.")
            if named or set(asked) - {"upload"}:
                raise BadQuery(
                    "Refused lines can be narrowed by their upload alone: leave the other filters"
                    " away, or the refused lines out."
                )
        return cls(
            query=asked,
            filters=HandFilters.parse(asked),
            named=named,
            ruleset=ruleset,
            refused_lines=refused_lines,
        )

    @classmethod
    def of(cls, reaudit: Reaudit) -> Scope:
        """The scope that was frozen with a re-audit."""
        return cls(
            query=reaudit.filter,
            filters=HandFilters.parse(reaudit.filter),
            named=reaudit.named,
            ruleset=reaudit.ruleset,
            refused_lines=reaudit.refused_lines,
        )

    def hands(self) -> Q:
        """The hands, for the database."""
        wanted = self.filters.condition()
        if self.named:
            wanted &= Q(ruleset=self.named)
        if self.ruleset:
            ruleset = current_rulesets().get(self.ruleset)
            assert ruleset is not None
            wanted &= Q(game=ruleset.game)
        return wanted

    def lines(self) -> Q:
        """The refused lines whose bytes were kept and that have not become hands since."""
        wanted = Q(raw__isnull=False, admission__isnull=True)
        if self.refused_lines == RefusedLines.WAITING:
            wanted &= Q(is_our_fault=True) | Q(
                place="$.ruleset", reason__startswith=UNKNOWN_RULESET
            )
        if self.filters.upload is not None:
            wanted &= Q(upload_id=self.filters.upload)
        return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """How many hands and refused lines a scope finds now; PREVIEW_MAX stands for that or more."""

    hands: int
    lines: int


def preview_scope(scope: Scope) -> Preview:
    """Count what a re-audit would take in, up to PREVIEW_MAX of each."""
    lines = 0
    if scope.refused_lines != RefusedLines.NONE:
        lines = Refusal.objects.filter(scope.lines()).order_by()[:PREVIEW_MAX].count()
    hands = Hand.objects.filter(scope.hands()).order_by()[:PREVIEW_MAX].count()
    return Preview(hands=hands, lines=lines)


def filter_words(scope: Scope) -> str:
    """The scope as a person reads it."""
    words = [f"{KEYS[key]} {_value(key, value)}" for key, value in scope.query.items()]
    if scope.named:
        words.append(f"naming {scope.named}")
    if scope.ruleset and "game" not in scope.query:
        ruleset = current_rulesets().get(scope.ruleset)
        assert ruleset is not None
        words.append(f"game {_value('game', ruleset.game)}")
    return ", ".join(words) if words else "every hand"


def _value(key: str, value: str) -> str:
    if key == "game" and value in replay.GAMES:
        return replay.GAMES[value].title
    if key == "code" and value in replay.CODES:
        return replay.CODES[value].title
    return "yes" if key == "conflict" else value
