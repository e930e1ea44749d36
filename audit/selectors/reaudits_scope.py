"""What a re-audit takes in: hands by the filters of their list, and refused lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

import replay
from audit.models import Hand, Reaudit, Refusal, RefusedLines, Upload
from audit.selectors.access import Sources
from audit.selectors.belonging import holds, uploads_in
from audit.selectors.filters import HandFilters
from audit.selectors.pages import BadQuery
from audit.selectors.rulesets import rehearsable_ruleset, ruleset_of_bytes

# What the query of the hands list may hold, with its words.
KEYS = {
    "game": "game",
    "table": "table",
    "source": "source",
    "player": "player",
    "met": "met",
    "verdict": "verdict",
    "code": "finding",
    "from": "from",
    "to": "to",
    "q": "beginning with",
    "upload": "upload",
    "conflict": "in conflict",
    "rules": "with rules",
    "open": "days in an open case",
    "risk": "money at risk",
    "tile": "tile",
    "combination": "combination",
    "seat": "at",
    "net": "logged net",
    "currency": "currency",
}
NAME_MAX = 128
# Counting stops here: a preview must not take longer than a look.
PREVIEW_MAX = 100_000
UNKNOWN_RULESET = "unknown ruleset "
NEWEST_MAX = 1_000_000
# No revision is called so.
ANY_REVISION = "@*"


def check_keys(keys: Iterable[str]) -> None:
    """Raises: BadQuery for a key that the hands list does not know."""
    for key in keys:
        if key not in KEYS:
            raise BadQuery(
                replay.say(
                    "There is no filter “{key}”: the hands list has {join}.",
                    key=key,
                    join=", ".join(KEYS),
                )
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which hands, under which ruleset ("": the one that each names), and which refused lines.

    `sources` are those in which all of it lies, None where it may lie anywhere. `named` is a
    ruleset, or with ANY_REVISION at its end each revision of an id. A rehearsal is of the `game` of
    its ruleset; `newest` keeps to so many of the hands that were played last.
    """

    sources: Sources
    query: dict[str, str]
    filters: HandFilters
    named: str
    ruleset: str
    refused_lines: str
    game: str = ""
    newest: int | None = None

    @classmethod
    def parse(
        cls,
        query: Mapping[str, str],
        *,
        sources: Sources,
        named: str = "",
        ruleset: str = "",
        refused_lines: str = RefusedLines.NONE,
        newest: int | None = None,
    ) -> Scope:
        """Raises: BadQuery, also for a key that the hands list does not know."""
        check_keys(query)
        asked = {key: query[key] for key in KEYS if query.get(key)}
        if refused_lines not in RefusedLines.values:
            raise BadQuery(
                replay.say("Refused lines are one of {join}.", join=", ".join(RefusedLines.values))
            )
        if any(len(name) > NAME_MAX or not name.isprintable() for name in (named, ruleset)):
            raise BadQuery(replay.say("No ruleset has such a name."))
        rehearsed = rehearsable_ruleset(ruleset) if ruleset else None
        if ruleset and rehearsed is None:
            raise BadQuery(
                replay.say("The ruleset {ruleset!r} is not known here.", ruleset=ruleset)
            )
        if newest is not None and not 1 <= newest <= NEWEST_MAX:
            raise BadQuery(
                replay.say("The latest hands are 1 to {newest_max:,}.", newest_max=NEWEST_MAX)
            )
        if refused_lines != RefusedLines.NONE:
            if ruleset:
                raise BadQuery(
                    replay.say("A rehearsal is of hands: a refused line cannot take part.")
                )
            if named or set(asked) - {"upload"}:
                raise BadQuery(
                    replay.say(
                        "Refused lines can be narrowed by their upload alone: leave the"
                        " other filters"
                        " away, or the refused lines out."
                    )
                )
        filters = HandFilters.parse(asked)
        if filters.source:
            sources = frozenset({filters.source} if holds(sources, filters.source) else ())
        return cls(
            sources=sources,
            query=asked,
            filters=filters,
            named=named,
            ruleset=ruleset,
            refused_lines=refused_lines,
            game="" if rehearsed is None else rehearsed.game,
            newest=newest,
        )

    @classmethod
    def of(cls, reaudit: Reaudit) -> Scope:
        """The scope that was frozen with a re-audit."""
        limited = reaudit.limited_to
        rehearsed = None
        if reaudit.ruleset_sha256 is not None:
            rehearsed = ruleset_of_bytes(reaudit.ruleset, bytes(reaudit.ruleset_sha256).hex())
        return cls(
            sources=None if limited is None else frozenset(limited),
            query=reaudit.filter,
            filters=HandFilters.parse(reaudit.filter),
            named=reaudit.named,
            ruleset=reaudit.ruleset,
            refused_lines=reaudit.refused_lines,
            game="" if rehearsed is None else rehearsed.game,
            newest=reaudit.newest_max,
        )

    def hands(self) -> Q:
        """The hands, for the database."""
        wanted = self.filters.condition(sources=self.sources)
        if self.named.endswith(ANY_REVISION):
            any_revision = f"^{re.escape(self.named.removesuffix(ANY_REVISION))}@[0-9]+$"
            wanted &= Q(ruleset__regex=any_revision)
        elif self.named:
            wanted &= Q(ruleset=self.named)
        if self.ruleset:
            wanted &= Q(game=self.game)
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
        if self.sources is not None:
            seen = Upload.objects.filter(uploads_in(self.sources)).values("pk")
            wanted &= Q(upload_id__in=seen)
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
    most = min(PREVIEW_MAX, scope.newest or PREVIEW_MAX)
    hands = Hand.objects.filter(scope.hands()).order_by()[:most].count()
    return Preview(hands=hands, lines=lines)


def filter_words(scope: Scope) -> str:
    """The scope as a person reads it."""
    words = [f"{KEYS[key]} {_value(key, value)}" for key, value in scope.query.items()]
    if scope.named:
        named = scope.named.removesuffix(ANY_REVISION)
        words.append(f"naming {'any revision of ' if named != scope.named else ''}{named}")
    if scope.ruleset and "game" not in scope.query:
        words.append(f"game {_value('game', scope.game)}")
    if scope.newest is not None:
        words.append(f"the {scope.newest:,} played last")
    return ", ".join(words) if words else "every hand"


def _value(key: str, value: str) -> str:
    if key == "game" and value in replay.GAMES:
        return replay.GAMES[value].title
    if key == "code" and value in replay.CODES:
        return replay.CODES[value].title
    return "yes" if key == "conflict" else value
