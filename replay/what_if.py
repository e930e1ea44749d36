"""A hand under rules that it was not played under: another ruleset, or one option changed.

Nothing here touches the record: the same events are replayed and settled by other rules, and what
comes out stands beside what the record's own rules give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from replay.audit import Read, option_text, prepared, read, ruleset_of, walk_of, worded
from replay.findings import Finding
from replay.game import Game
from replay.ruleset import OptionValue, Ruleset, Rulesets
from replay.steps import Walk


class UnknownRules(LookupError):
    """A ruleset that is not at hand or of another game, or a change that is no option's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one known ruleset says of a hand.

    `is_right`: under these rules the record has no error. `first` is the first error else;
    `is_named`: the hand names these rules itself.
    """

    ruleset: str
    title: str
    is_named: bool
    is_right: bool
    first: Finding | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A hand under the rules that it names (`record`) and under others (`other`).

    `named` and `tried` name them; `change` is the option that was changed ("tg.par=4"), or None.
    `differing` are the options in which the two differ: what each says.
    """

    named: str
    tried: str
    change: str | None
    record: Walk
    other: Walk
    differing: Mapping[str, tuple[str, str]]


def what_if(
    line: bytes, rulesets: Rulesets, *, ruleset: str | None = None, change: str | None = None
) -> WhatIf:
    """The hand under another ruleset, with one option of it changed, or both.

    Shape:  `change` is like an entry of `explained_by`: "pg.rake_round=half_up".
    Raises: UnknownRules; Refusal as `read` does.
    """
    found = read(line)
    own = ruleset_of(found, rulesets)
    tried = own
    if ruleset is not None:
        known = rulesets.get(ruleset)
        if known is None or known.game != found.game.name:
            raise UnknownRules(f"{ruleset} is no known ruleset of {found.game.title}")
        tried = known
    if change is not None:
        tried = changed_by(tried, found.game, change)
    return WhatIf(
        named=own.name,
        tried=tried.name,
        change=change,
        record=walk_of(found, own),
        other=walk_of(found, tried),
        differing={
            f"{found.game.prefix}.{option}": (option_text(mine), option_text(its))
            for option, mine in own.options.items()
            if mine != (its := tried.options[option])
        },
    )


def changes_of(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """Every change of one option that can be tried, as "pg.tie_rule=push", by option."""
    return tuple(
        f"{game.prefix}.{name}={option_text(value)}"
        for name, option in game.options.items()
        for value in option.alternatives
        if value != ruleset.options[name]
    )


def changed_by(ruleset: Ruleset, game: Game, change: str) -> Ruleset:
    """The ruleset with one option changed. It is of no file: its hash stands for both.

    Raises: UnknownRules where the change is none of `changes_of`.
    """
    for name, option in game.options.items():
        for value in option.alternatives:
            label = f"{game.prefix}.{name}={option_text(value)}"
            if label == change and value != ruleset.options[name]:
                return _changed(ruleset, name, value, label)
    raise UnknownRules(f"{change} is no change of {ruleset.name}")


def _changed(ruleset: Ruleset, name: str, value: OptionValue, label: str) -> Ruleset:
    return replace(
        ruleset, options=ruleset.changed(name, value), sha256=f"{ruleset.sha256}/{label}"
    )


def bisect(line: bytes, rulesets: Rulesets) -> tuple[Trial, ...]:
    """Under which known rulesets of its game a record is right, by name and revision.

    Raises: Refusal as `read` does.
    """
    found = read(line)
    own = ruleset_of(found, rulesets)
    known = [one for one in rulesets if one.game == found.game.name]
    known.sort(key=lambda one: (one.id, one.revision))
    return tuple(_trial(found, one, is_named=one.name == own.name) for one in known)


def _trial(found: Read, ruleset: Ruleset, *, is_named: bool) -> Trial:
    rules = prepared(found.game, ruleset)
    judgement = found.game.judge(found.hand, found.facts, rules, None)
    errors = [
        finding
        for finding in (*judgement.findings, *judgement.figures)
        if finding.severity == "error"
    ]
    return Trial(
        ruleset=ruleset.name,
        title=ruleset.title,
        is_named=is_named,
        is_right=not errors,
        first=worded(errors[0], found.game) if errors else None,
    )
