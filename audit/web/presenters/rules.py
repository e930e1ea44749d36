"""The catalogue of rules by game. Both sizes of Tien Gow share theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import replay
from audit.web.language import phrase, told
from audit.web.markup import CONFIDENCE
from audit.web.presenters.options import OPTION_WORDS

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The rules of the games that share a prefix; `anchor` is that prefix."""

    anchor: str
    title: str
    title_hant: str
    rules: tuple[replay.Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetCard:
    """One ruleset with its options: key, words, value."""

    name: str
    title: str
    sha256: str
    options: tuple[tuple[str, str, str], ...]


def present_rules(rulesets: Iterable[replay.Ruleset]) -> dict[str, Any]:
    """Everything on the page of rules."""
    families: dict[str, Family] = {}
    for game in replay.GAMES.values():
        families.setdefault(
            game.prefix,
            Family(
                anchor=game.prefix,
                title=told(game.title),
                title_hant=game.title_hant,
                rules=tuple(sorted(game.rules.values(), key=_order)),
            ),
        )
    return {
        "families": tuple(families.values()),
        "confidence": tuple(CONFIDENCE.items()),
        "rulesets": tuple(
            _ruleset(ruleset) for ruleset in sorted(rulesets, key=lambda one: one.name)
        ),
    }


def _order(rule: replay.Rule) -> tuple[str, int]:
    match = _NUMBER.search(rule.id)
    return rule.id.partition("-")[0], int(match.group()) if match else 0


def _ruleset(ruleset: replay.Ruleset) -> RulesetCard:
    return RulesetCard(
        name=ruleset.name,
        title=ruleset.title,
        sha256=ruleset.sha256,
        options=tuple(
            (key, OPTION_WORDS.get(key, key.replace("_", " ")), _written(value))
            for key, value in ruleset.options.items()
        ),
    )


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or phrase("none")
    return str(value)
