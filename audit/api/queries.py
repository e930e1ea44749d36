"""The filters of the list of hands as parameters, and where a bad one stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import replay
from audit.api.describing import Parameter
from audit.api.errors import ApiError
from audit.api.pages import BESIDE
from audit.models import HandKind
from audit.selectors.filters import NOT_IN_FORCE, OPEN_DAYS, PLACE_OF, TEXT_MAX, TILES, HandFilters
from audit.selectors.pages import KEY_MAX, BadQuery

T = TypeVar("T")
# Without NUL, which no name has.
TEXT: Mapping[str, Any] = {"type": "string", "maxLength": TEXT_MAX, "pattern": "^[^\\u0000]*$"}
# An empty value counts as none.
NOTHING: Mapping[str, Any] = {"type": "string", "maxLength": 0}
DAY: Mapping[str, Any] = {"anyOf": [{"type": "string", "format": "date"}, NOTHING]}
NUMBER: Mapping[str, Any] = {
    "anyOf": [{"type": "integer", "minimum": 1, "maximum": KEY_MAX}, NOTHING]
}


def choice(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": [*values, ""]}


HAND_FILTERS: tuple[Parameter, ...] = tuple(
    Parameter(name=name, about=about, schema=schema, example=example)
    for name, about, schema, example in (
        ("game", "Only this game.", choice(*replay.GAMES), "tien-gow"),
        ("table", "Only this table, exactly.", TEXT, "T1"),
        ("source", "Only this source, exactly.", TEXT, "house"),
        ("player", "Only hands of this player, exactly.", TEXT, "Ling"),
        ("met", "Only hands in which this player, exactly, sat too.", TEXT, "Bo"),
        ("verdict", "Only with this verdict; one in conflict has the gravest of its records, too.",
         choice(*HandKind.values), "discrepant"),
        ("code", "Only with a finding of this code.", choice(*replay.CODES), "net-mismatch"),
        ("from", "From this day of the log on.", DAY, "2025-05-01"),
        ("to", "To this day of the log, included.", DAY, "2025-05-31"),
        ("q", "Whose id or table begins so, or whose player is called so.", TEXT, "base-"),
        ("upload", "Only those that this upload brought, known ones too.",
         NUMBER, 7),
        ("conflict", "Only those in conflict.", choice("1"), "1"),
        ("rules", "Only those that name a revision that was not in force.", choice(NOT_IN_FORCE),
         NOT_IN_FORCE),
        ("open", "Only those in an open case of the desk for so many days.",
         choice(*OPEN_DAYS), "3-7"),
        ("risk", "Only those with so much money at risk or more, in whole units.",
         {"type": "string", "pattern": "^(|(0|[1-9][0-9]{0,14})(\\.[0-9]{1,8})?)$"}, "12.50"),
        ("tile", "Only where this tile was dealt, at `seat` where that is named.", choice(*TILES),
         "66"),
        ("combination", "Only where tiles made this, at `seat` where that is named.",
         choice(*replay.COMBINATION_OF), "supreme"),
        ("seat", "Only with this seat or door; with others, what was there.", choice(*PLACE_OF),
         "0"),
        ("net", "Only with exactly this logged net, of `seat` where that is named.",
         {"type": "string", "pattern": "^(|-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,8})?)$"}, "-12.50"),
        ("currency", "Only in this currency; with a table, a finding, or a first and a last day.",
         TEXT, ""),
    )
)  # fmt: skip
HAND_FILTER_NAMES = tuple(one.name for one in HAND_FILTERS)


def hand_filters(query: Mapping[str, str]) -> HandFilters:
    """Raises: ApiError 400 with the parameter."""
    return parsed(HandFilters.parse, query)


def parsed(parse: Callable[[Mapping[str, str]], T], query: Mapping[str, str]) -> T:
    """Read filters by their own parser, and name the one that it refuses. Raises: ApiError 400."""
    try:
        return parse(query)
    except BadQuery as error:
        raise ApiError(400, "bad-query", str(error), place=_place(parse, query)) from None


def _place(parse: Callable[[Mapping[str, str]], T], query: Mapping[str, str]) -> str | None:
    """The first parameter that is refused by itself; else the last, which fits no other."""
    names = [name for name in query if name not in BESIDE]
    for name in names:
        try:
            parse({name: query[name]})
        except BadQuery:
            return name
    return names[-1] if names else None
