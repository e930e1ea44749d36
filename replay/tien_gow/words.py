"""Names of seats, tiles, combinations, endings and amounts, as a dispute desk reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replay.glossary import GROUP_PLURALS, GROUPS, LEADS, PLURALS
from replay.money import format_minor
from replay.telling import listed, say
from replay.tien_gow.combinations import COMBINATIONS, Type, pack, type_of, unpack
from replay.tiles import INDEX, KINDS

TYPES = {kind: LEADS[kind.name] for kind in Type}
# By the English name of a kind, for a combination is named by the names of its tiles.
_PLURALS = GROUP_PLURALS | {KINDS[INDEX[code]].english: many for code, many in PLURALS.items()}


class Name(NamedTuple):
    """A combination's name: in the original script, in English, and in a sentence."""

    hant: str
    english: str
    phrase: str


def _plural(english: str) -> str:
    return _PLURALS[english]


def _article(english: str) -> str:
    if english[0] in "AE":
        return say("an {tile}", tile=english)
    return say("a {tile}", tile=english)


def _name(kinds: Sequence[int], code: int) -> Name:
    kind, first = type_of(code), KINDS[kinds[0]]
    group, civil, military = GROUPS.get(code & 31, ("", "", ""))
    if kind in (Type.CIVIL_SINGLE, Type.MILITARY_SINGLE):
        return Name(first.hant, first.english, _article(first.english))
    if kind is Type.CIVIL_PAIR:
        english = say("pair of {tiles}", tiles=_plural(first.english))
        return Name(say("雙{tile}", tile=first.hant), english, _article(english))
    if kind is Type.MILITARY_PAIR:
        english = say("pair of {tiles}", tiles=_plural(first.english))
        return Name(say("{tile}對", tile=first.hant), english, _article(english))
    if kind is Type.SUPREME:
        return Name(say("至尊"), say("supreme pair"), say("the supreme pair"))
    if kind is Type.MIXED_PAIR:
        english = say("{civil} and {military}", civil=civil, military=military)
        return Name(group, english, english)
    if kind is Type.THREE_CIVIL:
        english = say(
            "both {civil} and {military}", civil=_plural(civil), military=_article(military)
        )
        return Name(say("三文{group}", group=group), english, english)
    if kind is Type.THREE_MILITARY:
        english = say("{civil} and both {military}", civil=civil, military=_plural(military))
        return Name(say("三武{group}", group=group), english, english)
    english = say(
        "both {civil} and both {military}", civil=_plural(civil), military=_plural(military)
    )
    return Name(say("四{group}", group=group), english, english)


NAMES: dict[int, Name] = {code: _name(unpack(key), code) for key, code in COMBINATIONS.items()}


def name_of(codes: Iterable[str]) -> Name | None:
    """The name of the combination that tiles make, None where they make none."""
    return NAMES.get(COMBINATIONS.get(pack(codes), 0))


def tile_names(codes: Iterable[str]) -> str:
    """Tiles in the original script: "雜七 and 零霖六"."""
    return listed([KINDS[INDEX[code]].hant for code in codes]) or say("no tile")


def english_tile_names(codes: Iterable[str]) -> str:
    """Tiles in English: "Mixed Seven and Red Mallet Six"."""
    return listed([KINDS[INDEX[code]].english for code in codes]) or say("no tile")


def suit_word(code: int) -> str:
    """A type with its original: "civil pair 文對"."""
    english, hant = TYPES[type_of(code)]
    return say("{english} {hant}", english=english, hant=hant)


def count_word(count: int) -> str:
    """How many tiles: "2 tiles"."""
    return say("1 tile") if count == 1 else say("{count} tiles", count=count)


_ENDS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th … 11th … 21st."""
    end = "th" if number % 100 in (11, 12, 13) else _ENDS.get(number % 10, "th")
    return say("{number}{end}", number=number, end=end)


def signed(number: int) -> str:
    """A number of units with its sign, a minus sign being U+2212: "+6", "−2", "0"."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def amount(units: int, digits: int) -> str:
    """An amount in a sentence: with a minus sign (U+2212), not a hyphen."""
    return format_minor(units, digits).replace("-", "−")
