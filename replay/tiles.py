"""The 32 tiles (RULEBOOK 1): 21 kinds, two suits, their names and their painted pips.

Inside the core a tile is the number of its kind, 0 to 20, in the order of FORMAT section 1.
Both copies of a civil kind share one number, because they are interchangeable in every game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

from replay.telling import say


class Suit(Enum):
    """The two suits: 文 civil (two copies a kind) and 武 military (one copy a kind)."""

    CIVIL = "civil"
    MILITARY = "military"


TileCode = Literal[
    "66", "11", "44", "13", "55", "33", "22", "56", "46", "16", "15",
    "36", "45", "26", "35", "25", "34", "24", "14", "23", "12",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TileKind:
    """One face of the set.

    `index` is its number in the core, `value` the sum of its pips, `red` the red pips of a
    painted set (RULEBOOK 1.1; `66` is half red, see TG-84), `copies` how many the set holds.
    """

    index: int
    code: str
    suit: Suit
    value: int
    red: int
    copies: int
    hant: str
    hans: str
    cantonese: str
    english: str


def _kind(index: int, code: str, hant: str, hans: str, cantonese: str, english: str) -> TileKind:
    low, high = int(code[0]), int(code[1])
    civil = index < CIVIL_KINDS
    # All 1s and 4s are red; 66 alone is painted half red.
    red = 6 if code == "66" else sum(pips for pips in (low, high) if pips in (1, 4))
    return TileKind(
        index=index,
        code=code,
        suit=Suit.CIVIL if civil else Suit.MILITARY,
        value=low + high,
        red=red,
        copies=2 if civil else 1,
        hant=hant,
        hans=hans,
        cantonese=cantonese,
        english=english,
    )


CIVIL_KINDS = 11

_NAMES = (
    (say("天"), "天", "Teen", say("Heaven")),
    (say("地"), "地", "Day", say("Earth")),
    (say("人"), "人", "Yun", say("Man")),
    (say("鵝"), "鹅", "Gor", say("Goose")),
    (say("梅"), "梅", "Mooy", say("Plum")),
    (say("長三"), "长三", "Chong", say("Long Three")),
    (say("板凳"), "板凳", "Bon", say("Bench")),
    (say("斧頭"), "斧头", "Foo", say("Axe")),
    (say("紅頭十"), "红头十", "Ping", say("Red Head Ten")),
    (say("高腳七"), "高脚七", "Tit", say("Long Leg Seven")),
    (say("零霖六"), "零霖六", "Look", say("Red Mallet Six")),
    (say("雜九"), "杂九", "Gow", say("Mixed Nine")),
    (say("雜九"), "杂九", "Gow", say("Mixed Nine")),
    (say("雜八"), "杂八", "Bot", say("Mixed Eight")),
    (say("雜八"), "杂八", "Bot", say("Mixed Eight")),
    (say("雜七"), "杂七", "Chit", say("Mixed Seven")),
    (say("雜七"), "杂七", "Chit", say("Mixed Seven")),
    (say("二四"), "二四", "Luk", say("Six")),
    (say("雜五"), "杂五", "Ng", say("Mixed Five")),
    (say("雜五"), "杂五", "Ng", say("Mixed Five")),
    (say("丁三"), "丁三", "Saam", say("Three")),
)

CODES: tuple[str, ...] = get_args(TileCode)
KINDS: tuple[TileKind, ...] = tuple(
    _kind(index, code, *_NAMES[index]) for index, code in enumerate(CODES)
)
KIND_COUNT = len(KINDS)
INDEX: dict[str, int] = {kind.code: kind.index for kind in KINDS}
COPIES: tuple[int, ...] = tuple(kind.copies for kind in KINDS)
VALUES: tuple[int, ...] = tuple(kind.value for kind in KINDS)
SET_SIZE = sum(COPIES)


def indices(codes: Iterable[str]) -> list[int]:
    """Turn tile codes of a record into numbers of kinds, keeping their order."""
    return [INDEX[code] for code in codes]


def format_tiles(kinds: Iterable[int]) -> str:
    """Write tiles as findings do: in the order of FORMAT section 1, one blank between (6.4, 28)."""
    return " ".join(CODES[index] for index in sorted(kinds))
