"""What every report is made of: sections of rows with their titles, sums and checks.

The same rows of the store give the same content: nothing of the moment at which it was made, or of
who asked for it, is in it. Amounts are texts with exactly the decimals of their currency.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import replay
from audit.selectors.certificates_content import canonical, instant_text

# So many rows of a section are kept; sums are over all of them, however many there are.
ROWS_MAX = 20_000
Cell = str | int | None
Json = dict[str, Any]


class Shape(StrEnum):
    """How a column is written: a number stands to the right, and is no text in a spreadsheet."""

    TEXT = "text"
    COUNT = "count"
    MONEY = "money"
    TIME = "time"


class Level(StrEnum):
    """What a row is."""

    ROW = "row"
    SUBTOTAL = "subtotal"
    TOTAL = "total"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column with its title."""

    key: str
    title: str
    shape: Shape = Shape.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row; `hand` is the number of the stored hand that it is about."""

    cells: tuple[Cell, ...]
    level: Level = Level.ROW
    hand: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A table of a report. `more` rows besides are in its sums and not listed."""

    key: str
    title: str
    about: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    more: int = 0

    @property
    def row_count(self) -> int:
        return self.more + sum(line.level == Level.ROW for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A reconciliation: two sides that must be equal, in one currency or as counts."""

    title: str
    left_title: str
    left: str
    right_title: str
    right: str
    difference: str

    @property
    def holds(self) -> bool:
        return self.left == self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The figures of a report, and the rulesets that judged its hands (name to SHA-256)."""

    sections: tuple[Section, ...]
    checks: tuple[Check, ...]
    rulesets: Mapping[str, str] = field(default_factory=dict)

    @property
    def row_count(self) -> int:
        return sum(section.row_count for section in self.sections)

    def document(self) -> Json:
        """The same as plain JSON values."""
        return {
            "sections": [_section_document(section) for section in self.sections],
            "reconciliation": [_check_document(check) for check in self.checks],
            "rulesets": dict(self.rulesets),
        }

    def sha256(self) -> bytes:
        return hashlib.sha256(canonical(self.document()).encode()).digest()


def _section_document(section: Section) -> Json:
    return {
        "key": section.key,
        "title": section.title,
        "about": section.about,
        "columns": [
            {"key": one.key, "title": one.title, "shape": one.shape.value}
            for one in section.columns
        ],
        "rows": [
            {"level": line.level.value, "cells": list(line.cells)}
            | ({} if line.hand is None else {"hand": line.hand})
            for line in section.lines
        ],
        "more": section.more,
        "no_activity": section.row_count == 0,
    }


def _check_document(check: Check) -> Json:
    return {
        "title": check.title,
        "left_title": check.left_title,
        "left": check.left,
        "right_title": check.right_title,
        "right": check.right,
        "difference": check.difference,
        "holds": check.holds,
    }


def body_of(document: Mapping[str, Any]) -> Body:
    """Read back what `Body.document` wrote."""
    return Body(
        sections=tuple(
            Section(
                key=one["key"],
                title=one["title"],
                about=one["about"],
                columns=tuple(
                    Column(key=each["key"], title=each["title"], shape=Shape(each["shape"]))
                    for each in one["columns"]
                ),
                lines=tuple(
                    Line(
                        cells=tuple(each["cells"]),
                        level=Level(each["level"]),
                        hand=each.get("hand"),
                    )
                    for each in one["rows"]
                ),
                more=one["more"],
            )
            for one in document["sections"]
        ),
        checks=tuple(
            Check(
                title=one["title"],
                left_title=one["left_title"],
                left=one["left"],
                right_title=one["right_title"],
                right=one["right"],
                difference=one["difference"],
            )
            for one in document["reconciliation"]
        ),
        rulesets=document["rulesets"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a report is about: its days, both included, and what it is narrowed by.

    `sources` are those that the asker may see, None for every source. The other texts are empty
    where nothing is asked. `large_win` and `large_wager` are whole units by currency, as texts.
    """

    first: date
    last: date
    sources: frozenset[str] | None = None
    source: str = ""
    table: str = ""
    game: str = ""
    player: str = ""
    large_win: Mapping[str, str] = field(default_factory=dict)
    large_wager: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> Json:
        """What it is narrowed by, as it is stored; nothing that is empty."""
        asked = {
            "source": self.source,
            "table": self.table,
            "game": self.game,
            "player": self.player,
            "large_win": dict(self.large_win),
            "large_wager": dict(self.large_wager),
        }
        return {name: value for name, value in asked.items() if value}

    @classmethod
    def of(
        cls, first: date, last: date, parameters: Mapping[str, Any], sources: Iterable[str] | None
    ) -> Scope:
        """The scope that was stored as these."""
        return cls(
            first=first,
            last=last,
            sources=None if sources is None else frozenset(sources),
            **parameters,
        )


def money(minor: int, digits: int) -> str:
    return replay.format_minor(minor, digits)


def money_check(title: str, sides: tuple[str, int, str, int], currency: str, digits: int) -> Check:
    """A check of two amounts: the title and the minor units of each side."""
    left_title, left, right_title, right = sides
    return Check(
        title=title,
        left_title=left_title,
        left=f"{currency} {money(left, digits)}",
        right_title=right_title,
        right=f"{currency} {money(right, digits)}",
        difference=f"{currency} {money(left - right, digits)}",
    )


def count_check(title: str, left_title: str, left: int, right_title: str, right: int) -> Check:
    """A check of two counts."""
    return Check(
        title=title,
        left_title=left_title,
        left=str(left),
        right_title=right_title,
        right=str(right),
        difference=str(left - right),
    )


def instant_cell(at: datetime | None) -> str | None:
    return None if at is None else instant_text(at)


def listed(lines: Sequence[Line]) -> tuple[tuple[Line, ...], int]:
    """As many rows as are kept, and how many are left out."""
    return tuple(lines[:ROWS_MAX]), max(0, len(lines) - ROWS_MAX)


def changed_lines(old: Body, new: Body) -> Iterator[Json]:
    """Where two bodies differ, row by row: a row that is only in one, by the title of its section.

    Rows are compared whole, so that one whose figures changed stands once as it was and once as it
    is.
    """
    sections = {section.key: section for section in new.sections}
    known = {section.key for section in old.sections}
    pairs = [(section, sections.get(section.key)) for section in old.sections]
    pairs += [(section, section) for section in new.sections if section.key not in known]
    for section, other in pairs:
        then = dict.fromkeys(section.lines) if section.key in known else {}
        now = dict.fromkeys(other.lines) if other is not None else {}
        for line in then:
            if line not in now:
                yield {"section": section.title, "then": list(line.cells), "now": None}
        for line in now:
            if line not in then:
                yield {"section": section.title, "then": None, "now": list(line.cells)}
