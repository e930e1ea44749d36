"""Rulesets: TOML files that set every option of one game (FORMAT 5, RULEBOOK 7).

Nothing has a default in code, and an unknown key is an error. A published revision is never
edited: `rulesets.lock` pins the SHA-256 of each shipped file.
"""

from __future__ import annotations

import hashlib
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from replay.money import MoneyError, Rate
from replay.ruleset_places import Place, place_of, place_of_syntax

OptionValue = str | int | bool | tuple[str, ...]
SHIPPED = Path(__file__).resolve().parent / "rulesets"
NAME_MAX = 128
# More than this no ruleset needs; what is longer is not even parsed.
BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetProblem:
    """What is wrong with a ruleset file, and where.

    `path` is `$` or `$.options.rake_rate`; `line` and `column` count from 1, in characters, None
    where a file has no such place. `rule` is the rule that the option belongs to, None where none
    is concerned.
    """

    reason: str
    path: str
    line: int | None
    column: int | None
    rule: str | None = None

    def __str__(self) -> str:
        at = self.path if self.line is None else f"{self.path}, line {self.line}"
        if self.column is not None:
            at += f", column {self.column}"
        return f"{self.reason} (at {at}{f', {self.rule}' if self.rule else ''})"


class RulesetError(ValueError):
    """A ruleset file that is not one; the message names the file, the key and the reason.

    `problem` says where in the file, None where it is none of its content.
    """

    def __init__(self, message: str, problem: RulesetProblem | None = None) -> None:
        super().__init__(message)
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a ruleset may say for one option.

    `check` returns the value in the form the core keeps, or raises ValueError with a reason.
    `alternatives` are the values that the search for `explained_by` tries (FORMAT 6.4, 30); `rule`
    is the rule that it decides, None where the rulebook has a section without a number.
    """

    name: str
    check: Callable[[object], OptionValue]
    alternatives: tuple[OptionValue, ...] = ()
    rule: str | None = None


def citing(options: Iterable[Option], rules: Mapping[str, str]) -> dict[str, Option]:
    """The options by name, each with the rule that it decides."""
    return {one.name: replace(one, rule=rules.get(one.name)) for one in options}


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

    `schemas` gives the options of each game. Raises: RulesetError for the first problem.
    """
    found = check_ruleset(content, schemas)
    if isinstance(found, Ruleset):
        return found
    raise RulesetError(f"{where}: {found[0]}", found[0])


def check_ruleset(content: bytes, schemas: Schemas) -> Ruleset | tuple[RulesetProblem, ...]:
    """A ruleset, or everything that is wrong with its file, in the order of its places."""
    if len(content) > BYTES_MAX:
        reason = f"longer than {BYTES_MAX} bytes"
        return (RulesetProblem(reason=reason, path="$", line=None, column=None),)
    try:
        text = content.decode("utf-8")
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Its own error is a ValueError, as are bytes that are not UTF-8 and a number too long.
        place = place_of_syntax(content, error)
        return (
            RulesetProblem(
                reason=f"not TOML: {error}", path="$", line=place.line, column=place.column
            ),
        )
    reading = _Reading(text, document)
    ruleset = reading.ruleset(schemas, content)
    if ruleset is None:
        ends = len(text)
        return tuple(sorted(reading.problems, key=lambda one: (one.line or ends, one.column or 0)))
    return ruleset


@dataclass(slots=True)
class _Reading:
    """A document that is being read; what is wrong with it gathers in `problems`."""

    text: str
    document: dict[str, Any]
    problems: list[RulesetProblem] = field(default_factory=list)

    def ruleset(self, schemas: Schemas, content: bytes) -> Ruleset | None:
        document = self.document
        for key in document:
            if key not in ("id", "revision", "game", "title", "options", "sources"):
                self.refuse(f"unknown key {key}", key)
        identity, title, game = (self.words(key) for key in ("id", "title", "game"))
        revision = document.get("revision")
        if not isinstance(revision, int) or isinstance(revision, bool) or revision < 1:
            self.refuse("revision must be a whole number from 1", "revision")
        elif identity and len(f"{identity}@{revision}") > NAME_MAX:
            self.refuse(f"id and revision are longer than {NAME_MAX} characters", "id")
        if game and game not in schemas:
            self.refuse(f"unknown game {game}", "game")
        schema = schemas.get(game or "")
        options = {} if schema is None else self.options(schema)
        if schema is None and not isinstance(document.get("options"), dict):
            self.refuse("the table [options] is missing", "options")
        sources = self.sources(schema)
        if self.problems:
            return None
        assert identity is not None
        assert title is not None
        assert game is not None
        assert isinstance(revision, int)
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

    def words(self, key: str) -> str | None:
        value = self.document.get(key)
        if not isinstance(value, str) or not value:
            self.refuse(f"{key} must be a text", key)
            return None
        if key == "id" and any(unicodedata.category(one) == "Cc" for one in value):
            self.refuse("id holds a control character", key)
        return value

    def options(self, schema: Mapping[str, Option]) -> dict[str, OptionValue]:
        given = self.document.get("options")
        if not isinstance(given, dict):
            self.refuse("the table [options] is missing", "options")
            return {}
        for key in given:
            if key not in schema:
                self.refuse(f"unknown option {key}", "options", key)
        options: dict[str, OptionValue] = {}
        for name, option in schema.items():
            if name not in given:
                self.refuse(f"option {name} is missing", "options", name, rule=option.rule)
                continue
            try:
                options[name] = option.check(given[name])
            except ValueError as error:
                self.refuse(f"option {name}: {error}", "options", name, rule=option.rule)
        return options

    def sources(self, schema: Mapping[str, Option] | None) -> dict[str, str]:
        sources = self.document.get("sources", {})
        if not isinstance(sources, dict):
            self.refuse("sources must be texts", "sources")
            return {}
        for key, value in sources.items():
            if not isinstance(value, str):
                self.refuse("sources must be texts", "sources", key)
            elif schema is not None and key not in schema:
                game = self.document["game"]
                self.refuse(f"sources.{key} is no option of {game}", "sources", key)
        return sources

    def refuse(self, reason: str, *path: str, rule: str | None = None) -> None:
        place: Place = place_of(self.text, self.document, path)
        self.problems.append(
            RulesetProblem(
                reason=reason,
                path=".".join(("$", *path)),
                line=place.line,
                column=place.column,
                rule=rule,
            )
        )


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
