"""Rulesets: TOML files that set every option of one game (FORMAT 5, RULEBOOK 7).

Nothing has a default in code, and an unknown key is an error. A published revision is never
edited: `rulesets.lock` pins the SHA-256 of each shipped file.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from replay.money import MoneyError, Rate

OptionValue = str | int | bool | tuple[str, ...]
SHIPPED = Path(__file__).resolve().parent / "rulesets"


class RulesetError(ValueError):
    """A ruleset file that is not one; the message names the file, the key and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a ruleset may say for one option.

    `check` returns the value in the form the core keeps, or raises ValueError with a reason.
    `alternatives` are the values that the search for `explained_by` tries (FORMAT 6.4, 30).
    """

    name: str
    check: Callable[[object], OptionValue]
    alternatives: tuple[OptionValue, ...] = ()


def choice(name: str, *values: str) -> Option:
    """An option with a closed list of words; each other word is an alternative."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, str) or value not in values:
            raise ValueError(f"must be one of {', '.join(values)}")
        return value

    return Option(name=name, check=check, alternatives=values)


def yes_no(name: str) -> Option:
    """An option that is true or false."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, bool):
            raise ValueError("must be true or false")
        return value

    return Option(name=name, check=check, alternatives=(False, True))


def whole(
    name: str, *, least: int, most: int | None = None, alternatives: tuple[int, ...] = ()
) -> Option:
    """A whole number between bounds, both included."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError("must be a whole number")
        if value < least or (most is not None and value > most):
            raise ValueError(
                f"must be {least} to {most}" if most is not None else f"must be {least} or more"
            )
        return value

    return Option(name=name, check=check, alternatives=alternatives)


def decimal_rate(
    name: str, *, most: int | None = None, alternatives: tuple[str, ...] = ()
) -> Option:
    """A decimal string of 0 or more, at most `most` (FORMAT 6.7)."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, str):
            raise ValueError("must be a decimal in quotes")
        try:
            rate = Rate.parse(value)
        except MoneyError as error:
            raise ValueError(str(error)) from None
        if most is not None and rate.is_above(most):
            raise ValueError(f"must be at most {most}")
        return value

    return Option(name=name, check=check, alternatives=alternatives)


def words(name: str, *values: str) -> Option:
    """A list out of a closed list of words, each at most once."""

    def check(value: object) -> OptionValue:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError("must be a list of words")
        for word in value:
            if word not in values:
                raise ValueError(f"{word!r} is not one of {', '.join(values)}")
        if len(set(value)) != len(value):
            raise ValueError("a word is there twice")
        return tuple(value)

    return Option(name=name, check=check)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """One revision of the rules in force, as its file says."""

    id: str
    revision: int
    game: str
    title: str
    options: Mapping[str, OptionValue]
    sources: Mapping[str, str] = field(default_factory=dict)
    sha256: str
    content: bytes

    @property
    def name(self) -> str:
        """The form in which a hand names it: `id@revision`."""
        return f"{self.id}@{self.revision}"

    def changed(self, option: str, value: OptionValue) -> dict[str, OptionValue]:
        """The options with one of them set to another value."""
        return {**self.options, option: value}


Schemas = Mapping[str, Mapping[str, Option]]


def parse_ruleset(content: bytes, schemas: Schemas, *, where: str) -> Ruleset:
    """Read a ruleset file.

    `schemas` gives the options of each game. Raises: RulesetError.
    """
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        # Its own error is a ValueError, as are bytes that are not UTF-8 and a number too long.
        raise RulesetError(f"{where}: not TOML: {error}") from None
    for key in document:
        if key not in ("id", "revision", "game", "title", "options", "sources"):
            raise RulesetError(f"{where}: unknown key {key}")
    identity = _text(document, "id", where)
    title = _text(document, "title", where)
    game = _text(document, "game", where)
    revision = document.get("revision")
    if not isinstance(revision, int) or isinstance(revision, bool) or revision < 1:
        raise RulesetError(f"{where}: revision must be a whole number from 1")
    if game not in schemas:
        raise RulesetError(f"{where}: unknown game {game}")
    options = _parse_options(document.get("options"), schemas[game], where)
    sources = document.get("sources", {})
    if not isinstance(sources, dict) or not all(isinstance(v, str) for v in sources.values()):
        raise RulesetError(f"{where}: sources must be texts")
    for key in sources:
        if key not in options:
            raise RulesetError(f"{where}: sources.{key} is no option of {game}")
    return Ruleset(
        id=identity,
        revision=revision,
        game=game,
        title=title,
        options=MappingProxyType(options),
        sources=MappingProxyType(sources),
        sha256=hashlib.sha256(content).hexdigest(),
        content=content,
    )


def _text(document: dict[str, Any], key: str, where: str) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value:
        raise RulesetError(f"{where}: {key} must be a text")
    return value


def _parse_options(
    given: object, schema: Mapping[str, Option], where: str
) -> dict[str, OptionValue]:
    if not isinstance(given, dict):
        raise RulesetError(f"{where}: the table [options] is missing")
    for key in given:
        if key not in schema:
            raise RulesetError(f"{where}: unknown option {key}")
    options: dict[str, OptionValue] = {}
    for name, option in schema.items():
        if name not in given:
            raise RulesetError(f"{where}: option {name} is missing")
        try:
            options[name] = option.check(given[name])
        except ValueError as error:
            raise RulesetError(f"{where}: option {name}: {error}") from None
    return options


class Rulesets:
    """The rulesets at hand, by `id@revision`. The same bytes twice are no fault."""

    def __init__(self) -> None:
        self._known: dict[str, Ruleset] = {}

    def add(self, ruleset: Ruleset, *, where: str) -> None:
        """Raises: RulesetError when other bytes are known under this id and revision."""
        known = self._known.setdefault(ruleset.name, ruleset)
        if known.sha256 != ruleset.sha256:
            raise RulesetError(f"{where}: {ruleset.name} is already known with other bytes")

    def get(self, name: str) -> Ruleset | None:
        """The ruleset that a hand names, or None."""
        return self._known.get(name)

    def __iter__(self) -> Iterator[Ruleset]:
        return iter(self._known.values())

    def __len__(self) -> int:
        return len(self._known)
