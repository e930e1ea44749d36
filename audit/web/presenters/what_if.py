"""The same hand under other rules beside the record; under which known rules its log is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

import replay
from audit.web.language import phrase, say
from audit.web.presenters.findings import FindingCard, present_finding
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS
from audit.web.presenters.ways import owner_of, seal_of, shown, state_of
from audit.web.routes import Route
from audit.web.walks import Replayed

NONE = say("none")
ROWS_MAX = 400
FINDINGS_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One figure: as logged, under the record's rules, under the others. None: not settled."""

    owner: str
    note: str
    seal: SafeString | None
    title: str
    logged: str | None
    own: str | None
    other: str | None
    is_moved: bool
    own_wrong: bool
    other_wrong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An option in which the two sets of rules differ."""

    code: str
    words: str
    own: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """What one known ruleset says of the log."""

    ruleset: str
    title: str
    url: str
    is_named: bool
    is_right: bool
    card: FindingCard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One option's other value, for the form."""

    value: str
    words: str
    is_chosen: bool


def present_what_if(tried: replay.WhatIf, replayed: Replayed) -> dict[str, Any]:
    """The two sides: rules that differ, findings of each, figures beside each other."""
    rows = _rows(tried, _banker(replayed))
    own, other = _findings(tried.record), _findings(tried.other)
    return {
        "tried": tried,
        "differing": tuple(_difference(code, pair) for code, pair in tried.differing.items()),
        "own_findings": _cards(own, replayed.options),
        "other_findings": _cards(other, replayed.options),
        "own_more": max(0, len(own) - FINDINGS_MAX),
        "other_more": max(0, len(other) - FINDINGS_MAX),
        "rows": rows[:ROWS_MAX],
        "more": max(0, len(rows) - ROWS_MAX),
        "moved": sum(row.is_moved for row in rows),
        "is_other_settled": bool(tried.other.figures),
        "is_own_settled": bool(tried.record.figures),
    }


def _banker(replayed: Replayed) -> int | None:
    seats = replayed.walk.steps[-1].board.seats
    return next((view.seat for view in seats if view.is_banker), None)


def _rows(tried: replay.WhatIf, banker: int | None) -> list[Compared]:
    others = {(figure.owner, figure.name): figure for figure in tried.other.figures}
    own = {(figure.owner, figure.name): figure for figure in tried.record.figures}
    rows = []
    for key in dict.fromkeys((*own, *others)):
        mine, its = own.get(key), others.get(key)
        figure = mine or its
        assert figure is not None
        rows.append(
            Compared(
                owner=owner_of(figure),
                note=figure.owner_note,
                seal=seal_of(figure, banker),
                title=figure.title,
                logged=shown(figure, figure.logged),
                own=None if mine is None else shown(mine, mine.recomputed),
                other=None if its is None else shown(its, its.recomputed),
                is_moved=mine is None or its is None or mine.recomputed != its.recomputed,
                own_wrong=mine is not None and state_of(mine) in ("off", "follows"),
                other_wrong=its is not None and state_of(its) in ("off", "follows"),
            )
        )
    return rows


def _findings(walk: replay.Walk) -> list[tuple[replay.Finding, int]]:
    return [(finding, step.number) for step in walk.steps for finding in step.findings]


def _cards(
    found: Sequence[tuple[replay.Finding, int]], options: Mapping[str, object]
) -> tuple[FindingCard, ...]:
    return tuple(
        present_finding(finding, step=step, options=options)
        for finding, step in found[:FINDINGS_MAX]
    )


def _difference(code: str, pair: tuple[str, str]) -> Difference:
    option = code.partition(".")[2]
    return Difference(
        code=code,
        words=OPTION_WORDS.get(option, option.replace("_", " ")),
        own=_value(option, pair[0]),
        other=_value(option, pair[1]),
    )


def _value(option: str, value: str) -> str:
    return VALUE_WORDS.get((option, value), value.replace("_", " ").replace(",", ", ") or NONE)


def present_trials(
    trials: Sequence[replay.Trial], options: Mapping[str, object], hand: int
) -> tuple[TrialRow, ...]:
    """Every known ruleset of the game, those under which the log is right first."""
    ordered = sorted(trials, key=lambda trial: not trial.is_right)
    return tuple(
        TrialRow(
            ruleset=trial.ruleset,
            title=trial.title,
            url=_address(hand, rules=trial.ruleset),
            is_named=trial.is_named,
            is_right=trial.is_right,
            card=None
            if trial.first is None
            else present_finding(
                trial.first,
                step=0 if trial.first.event is None else trial.first.event + 1,
                options=options,
            ),
        )
        for trial in ordered
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One change of the record's own rules under which its log is right."""

    url: str
    label: str
    value: str
    code: str


def explained_by(tried: replay.WhatIf, hand: int) -> tuple[Explained, ...]:
    """The single changes that make every figure of the log right, in words (FORMAT 6.4, 30)."""
    labels = {label for f, _ in _findings(tried.record) for label in f.explained_by}
    found = []
    for label in sorted(labels):
        name, _, value = label.partition("=")
        option = name.partition(".")[2]
        found.append(
            Explained(
                url=_address(hand, rules=tried.named, change=label),
                label=OPTION_WORDS.get(option, option.replace("_", " ")),
                value=_value(option, value),
                code=label,
            )
        )
    return tuple(found)


def changes_for(
    game: replay.Game, ruleset: replay.Ruleset, chosen: str | None
) -> tuple[Change, ...]:
    """What one option could say instead, in words."""
    changes = []
    for label in replay.changes_of(game, ruleset):
        name, _, value = label.partition("=")
        option = name.partition(".")[2]
        words = phrase(
            "{option}: {value}",
            option=OPTION_WORDS.get(option, option.replace("_", " ")),
            value=_value(option, value),
        )
        changes.append(Change(value=label, words=words, is_chosen=label == chosen))
    return tuple(changes)


def _address(hand: int, **fields: str) -> str:
    return f"{reverse('what-if', args=(hand,))}?{urlencode(fields, safe='/@')}"


def what_if_url(route: Route) -> str | None:
    """Where a hand can be tried under other rules: the auditor's alone, as it shows every tile."""
    return reverse("what-if", args=(route.hand,)) if route.is_auditor else None
