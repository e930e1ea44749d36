"""Names of seats, tiles, combinations, endings and amounts, as a dispute desk reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replay.money import format_minor
from replay.telling import listed, say
from replay.tien_gow.combinations import COMBINATIONS, Type, pack, type_of, unpack
from replay.tiles import INDEX, KINDS

SEALS = (say("東"), say("南"), say("西"), say("北"))
SEATS = (say("East"), say("South"), say("West"), say("North"))

_PLURALS: dict[str, str] = {
    "Heaven": say("Heavens"), "Earth": say("Earths"), "Man": say("Men"), "Goose": say("Geese"),
    "Plum": say("Plums"), "Long Three": say("Long Threes"), "Bench": say("Benches"),
    "Axe": say("Axes"), "Red Head Ten": say("Red Head Tens"),
    "Long Leg Seven": say("Long Leg Sevens"), "Red Mallet Six": say("Red Mallet Sixes"),
    "Mixed Nine": say("Mixed Nines"), "Mixed Eight": say("Mixed Eights"),
    "Mixed Seven": say("Mixed Sevens"), "Mixed Five": say("Mixed Fives"),
    "Nine": say("Nines"), "Eight": say("Eights"), "Seven": say("Sevens"), "Five": say("Fives"),
}  # fmt: skip
# 天九 地八 人七 鵝五, by the strength of a combination inside its type: 4 to 1.
_GROUPS = {
    4: (say("天九"), say("Heaven"), say("Nine")),
    3: (say("地八"), say("Earth"), say("Eight")),
    2: (say("人七"), say("Man"), say("Seven")),
    1: (say("鵝五"), say("Goose"), say("Five")),
}
TYPES: dict[Type, tuple[str, str]] = {
    Type.CIVIL_SINGLE: (say("civil single"), say("單文")),
    Type.MILITARY_SINGLE: (say("military single"), say("單武")),
    Type.CIVIL_PAIR: (say("civil pair"), say("文對")),
    Type.MILITARY_PAIR: (say("military pair"), say("武對")),
    Type.MIXED_PAIR: (say("mixed pair"), say("文武")),
    Type.SUPREME: (say("supreme pair"), say("至尊")),
    Type.THREE_CIVIL: (say("two civil and a military"), say("三文")),
    Type.THREE_MILITARY: (say("a civil and two military"), say("三武")),
    Type.QUAD: (say("four civil and military"), say("四文武")),
}
BONUSES = {"supreme": say("賀尊"), "capture-supreme": say("擒尊"), "four-grand": say("四大賀")}
PATTERNS = {
    "all-white": (say("全白"), say("all white")),
    "one-red": (say("一點紅"), say("one red")),
    "seven-military": (say("七武"), say("seven military")),
    "eight-military": (say("八武"), say("eight military")),
    "four-pairs": (say("四對"), say("four pairs")),
    "seven-civil": (say("七文"), say("seven civil")),
    "eight-civil": (say("八文"), say("eight civil")),
}
METHODS = {
    "side-left": say("開邊, from the left"),
    "side-right": say("開邊, from the right"),
    "stack-by-stack": say("輪棟, stack by stack"),
    "alternate": say("間棟, alternate stacks"),
    "layer": say("片面, by layers"),
    "heart": say("挖心, from the heart"),
    "ears": say("切耳, from the ears"),
    "dragon-phoenix": say("龍頭鳳尾, dragon and phoenix"),
    "twin-wings": say("雙翼齊飛, twin wings"),
    "three-lions": say("舞三獅, three lions"),
}
ENDINGS = {
    "bao-zun": say("包尊"),
    "four-bao": say("四大包"),
    "yao": say("么結"),
    "capture": say("擒, captured"),
    "quad-capture": say("擒四文武, captured"),
    "slam-seven": say("七支"),
    "slam-eight": say("八支"),
    "lipai-seven": say("七支"),
    "lipai-eight": say("八支"),
}


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
    group, civil, military = _GROUPS.get(code & 31, ("", "", ""))
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
