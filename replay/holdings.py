"""What lay where in a hand: the tiles of each seat or door, and what they made together.

This is for finding hands, not for judging them: tiles stand as the log dealt them, also where a
verdict has something against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from replay.telling import say


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """Something that tiles make together. `code` is the identifier of docs/glossary.md."""

    code: str
    english: str
    hant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one seat (`seat-0`) or position (`bank`, `shun`, `chu`, `dao`) had.

    `tiles` are numbers of kinds as dealt; `combinations` codes of COMBINATIONS: the rank of two
    tiles, what was played face up, the winning deal that was declared.
    """

    place: str
    tiles: tuple[int, ...]
    combinations: tuple[str, ...]


PLACES = ("seat-0", "seat-1", "seat-2", "seat-3", "bank", "shun", "chu", "dao")

# Their places in this list are stored: what is new goes to the end.
COMBINATIONS: tuple[Combination, ...] = tuple(
    Combination(code=code, english=say(english), hant=hant)
    for code, english, hant in (
        ("supreme", "Supreme Pair", "至尊"),
        ("pair-66", "pair of Heavens", "雙天"),
        ("pair-11", "pair of Earths", "雙地"),
        ("pair-44", "pair of Men", "雙人"),
        ("pair-13", "pair of Geese", "雙鵝"),
        ("pair-55", "pair of Plums", "雙梅"),
        ("pair-33", "pair of Long Threes", "雙長三"),
        ("pair-22", "pair of Benches", "雙板凳"),
        ("pair-56", "pair of Axes", "雙斧頭"),
        ("pair-46", "pair of Red Head Tens", "雙紅頭"),
        ("pair-16", "pair of Long Leg Sevens", "雙高腳"),
        ("pair-15", "pair of Red Mallet Sixes", "雙零霖"),
        ("pair-9", "pair of Mixed Nines", "雜九"),
        ("pair-8", "pair of Mixed Eights", "雜八"),
        ("pair-7", "pair of Mixed Sevens", "雜七"),
        ("pair-5", "pair of Mixed Fives", "雜五"),
        ("heaven-king", "Heaven King", "天王"),
        ("earth-king", "Earth King", "地王"),
        ("heaven-gong", "Heaven Gong", "天槓"),
        ("earth-gong", "Earth Gong", "地槓"),
        ("heaven-high-nine", "Heaven High Nine", "天高九"),
        ("earth-high-nine", "Earth High Nine", "地高九"),
        ("points-9", "9 points", "九點"),
        ("points-8", "8 points", "八點"),
        ("points-7", "7 points", "七點"),
        ("points-6", "6 points", "六點"),
        ("points-5", "5 points", "五點"),
        ("points-4", "4 points", "四點"),
        ("points-3", "3 points", "三點"),
        ("points-2", "2 points", "二點"),
        ("points-1", "1 point", "一點"),
        ("points-0", "0 points", "零點"),
        ("civil-pair", "civil pair", "文對"),
        ("military-pair", "military pair", "武對"),
        ("mixed-pair", "mixed pair", "文武"),
        ("three-civil", "two civil and a military", "三文"),
        ("three-military", "a civil and two military", "三武"),
        ("quad", "four civil and military", "四文武"),
        ("all-white", "all white", "全白"),
        ("one-red", "one red", "一點紅"),
        ("seven-military", "seven military", "七武"),
        ("eight-military", "eight military", "八武"),
        ("four-pairs", "four pairs", "四對"),
        ("seven-civil", "seven civil", "七文"),
        ("eight-civil", "eight civil", "八文"),
    )
)
COMBINATION_OF = {one.code: one for one in COMBINATIONS}


def gathered(dealt: Iterable[tuple[str, int]], made: Iterable[tuple[str, str]]) -> tuple[Held, ...]:
    """Put tiles and combinations of each place together.

    Shape:   `dealt` are (place, kind), `made` are (place, code of a combination); each combination
    counts once a place. Returns: places in the order of PLACES, those with nothing left out.
    """
    tiles: dict[str, list[int]] = {}
    for place, kind in dealt:
        tiles.setdefault(place, []).append(kind)
    found: dict[str, dict[str, None]] = {}
    for place, code in made:
        found.setdefault(place, {})[code] = None
    return tuple(
        Held(
            place=place,
            tiles=tuple(tiles.get(place, ())),
            combinations=tuple(found.get(place, ())),
        )
        for place in PLACES
        if place in tiles or place in found
    )
