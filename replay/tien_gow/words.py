"""Names of seats, tiles, combinations, endings and amounts, as a dispute desk reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replay.money import format_minor
from replay.tien_gow.combinations import COMBINATIONS, Type, pack, type_of, unpack
from replay.tiles import INDEX, KINDS

SEALS = ("東", "南", "西", "北")
SEATS = ("East", "South", "West", "North")

_PLURALS = {
    "Man": "Men",
    "Goose": "Geese",
    "Bench": "Benches",
    "Red Mallet Six": "Red Mallet Sixes",
}
# 天九 地八 人七 鵝五, by the strength of a combination inside its type: 4 to 1.
_GROUPS = {
    4: ("天九", "Heaven", "Nine"),
    3: ("地八", "Earth", "Eight"),
    2: ("人七", "Man", "Seven"),
    1: ("鵝五", "Goose", "Five"),
}
TYPES: dict[Type, tuple[str, str]] = {
    Type.CIVIL_SINGLE: ("civil single", "單文"),
    Type.MILITARY_SINGLE: ("military single", "單武"),
    Type.CIVIL_PAIR: ("civil pair", "文對"),
    Type.MILITARY_PAIR: ("military pair", "武對"),
    Type.MIXED_PAIR: ("mixed pair", "文武"),
    Type.SUPREME: ("supreme pair", "至尊"),
    Type.THREE_CIVIL: ("two civil and a military", "三文"),
    Type.THREE_MILITARY: ("a civil and two military", "三武"),
    Type.QUAD: ("four civil and military", "四文武"),
}
BONUSES = {"supreme": "賀尊", "capture-supreme": "擒尊", "four-grand": "四大賀"}
PATTERNS = {
    "all-white": ("全白", "all white"),
    "one-red": ("一點紅", "one red"),
    "seven-military": ("七武", "seven military"),
    "eight-military": ("八武", "eight military"),
    "four-pairs": ("四對", "four pairs"),
    "seven-civil": ("七文", "seven civil"),
    "eight-civil": ("八文", "eight civil"),
}
METHODS = {
    "side-left": "開邊, from the left",
    "side-right": "開邊, from the right",
    "stack-by-stack": "輪棟, stack by stack",
    "alternate": "間棟, alternate stacks",
    "layer": "片面, by layers",
    "heart": "挖心, from the heart",
    "ears": "切耳, from the ears",
    "dragon-phoenix": "龍頭鳳尾, dragon and phoenix",
    "twin-wings": "雙翼齊飛, twin wings",
    "three-lions": "舞三獅, three lions",
}
ENDINGS = {
    "bao-zun": "包尊",
    "four-bao": "四大包",
    "yao": "么結",
    "capture": "擒, captured",
    "quad-capture": "擒四文武, captured",
    "slam-seven": "七支",
    "slam-eight": "八支",
    "lipai-seven": "七支",
    "lipai-eight": "八支",
}


class Name(NamedTuple):
    """A combination's name: in the original script, in English, and in a sentence."""

    hant: str
    english: str
    phrase: str


def _plural(english: str) -> str:
    return _PLURALS.get(english, f"{english}s")


def _article(english: str) -> str:
    return f"an {english}" if english[0] in "AE" else f"a {english}"


def _name(kinds: Sequence[int], code: int) -> Name:
    kind, first = type_of(code), KINDS[kinds[0]]
    group, civil, military = _GROUPS.get(code & 31, ("", "", ""))
    if kind in (Type.CIVIL_SINGLE, Type.MILITARY_SINGLE):
        return Name(first.hant, first.english, _article(first.english))
    if kind is Type.CIVIL_PAIR:
        english = f"pair of {_plural(first.english)}"
        return Name(f"雙{first.hant}", english, f"a {english}")
    if kind is Type.MILITARY_PAIR:
        english = f"pair of {_plural(first.english)}"
        return Name(f"{first.hant}對", english, f"a {english}")
    if kind is Type.SUPREME:
        return Name("至尊", "supreme pair", "the supreme pair")
    if kind is Type.MIXED_PAIR:
        english = f"{civil} and {military}"
        return Name(group, english, english)
    if kind is Type.THREE_CIVIL:
        english = f"both {_plural(civil)} and {_article(military)}"
        return Name(f"三文{group}", english, english)
    if kind is Type.THREE_MILITARY:
        english = f"{civil} and both {_plural(military)}"
        return Name(f"三武{group}", english, english)
    english = f"both {_plural(civil)} and both {_plural(military)}"
    return Name(f"四{group}", english, english)


NAMES: dict[int, Name] = {code: _name(unpack(key), code) for key, code in COMBINATIONS.items()}


def name_of(codes: Iterable[str]) -> Name | None:
    """The name of the combination that tiles make, None where they make none."""
    return NAMES.get(COMBINATIONS.get(pack(codes), 0))


def tile_names(codes: Iterable[str]) -> str:
    """Tiles in the original script: "雜七 and 零霖六"."""
    return listed([KINDS[INDEX[code]].hant for code in codes]) or "no tile"


def english_tile_names(codes: Iterable[str]) -> str:
    """Tiles in English: "Mixed Seven and Red Mallet Six"."""
    return listed([KINDS[INDEX[code]].english for code in codes]) or "no tile"


def suit_word(code: int) -> str:
    """A type with its original: "civil pair 文對"."""
    english, hant = TYPES[type_of(code)]
    return f"{english} {hant}"


def count_word(count: int) -> str:
    """How many tiles: "2 tiles"."""
    return "1 tile" if count == 1 else f"{count} tiles"


def listed(parts: Sequence[str]) -> str:
    """Parts as prose: "a", "a and b", "a, b and c"."""
    if len(parts) <= 1:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th … 11th … 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def signed(number: int) -> str:
    """A number of units with its sign, a minus sign being U+2212: "+6", "−2", "0"."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def amount(units: int, digits: int) -> str:
    """An amount in a sentence: with a minus sign (U+2212), not a hyphen."""
    return format_minor(units, digits).replace("-", "−")
