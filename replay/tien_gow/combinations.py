"""What may be led, and what beats what (RULEBOOK 3.3, 3.4, 3.6; TG-20 to TG-22).

Tiles are packed into one integer, four bits a kind, so that a holding, a play and their
difference are single additions. A combination is an integer too: its type above its strength, so
that inside one type the greater integer is the higher combination.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import combinations_with_replacement

from replay.tiles import CIVIL_KINDS, CODES, COPIES, INDEX, KIND_COUNT


class Type(IntEnum):
    """The nine types of RULEBOOK 3.3, numbered as there."""

    CIVIL_SINGLE = 1
    MILITARY_SINGLE = 2
    CIVIL_PAIR = 3
    MILITARY_PAIR = 4
    MIXED_PAIR = 5
    SUPREME = 6
    THREE_CIVIL = 7
    THREE_MILITARY = 8
    QUAD = 9


# -- packed tiles ---------------------------------------------------------------------------

FIELD_BITS = 4
# One tile of a kind, by its code and by its number.
UNITS: tuple[int, ...] = tuple(1 << (FIELD_BITS * kind) for kind in range(KIND_COUNT))
UNIT: dict[str, int] = {code: UNITS[kind] for code, kind in INDEX.items()}
_UNIT_OF = UNIT.__getitem__
# The top bit of every field. Set over a supply, it is cleared where more tiles of a kind are taken
# than there are; no field can borrow from its neighbour, because a field with its guard holds at
# least 8 + 1 and loses at most 2 + 8 - 1: what was dealt before was within the set.
GUARD = sum(unit << (FIELD_BITS - 1) for unit in UNITS)
WHOLE_SET = sum(copies * unit for copies, unit in zip(COPIES, UNITS, strict=True))


def pack(codes: Iterable[str]) -> int:
    """Pack tile codes; at most 15 of one kind."""
    return sum(map(_UNIT_OF, codes))


def pack_kinds(kinds: Iterable[int]) -> int:
    """Pack numbers of kinds; at most 15 of one kind."""
    return sum(map(UNITS.__getitem__, kinds))


def unpack(packed: int) -> list[int]:
    """The kinds in a packed integer, in the order of FORMAT section 1; a guard is not looked at."""
    kinds = []
    for kind in range(KIND_COUNT):
        copies = packed >> (FIELD_BITS * kind) & 7
        kinds.extend([kind] * copies)
    return kinds


def first_over(packed: int, limit: int) -> str:
    """The first tile of which `packed` has more than `limit`, in the order of FORMAT section 1."""
    for kind in range(KIND_COUNT):
        shift = FIELD_BITS * kind
        if packed >> shift & 15 > limit >> shift & 7:
            return CODES[kind]
    raise AssertionError("nothing is over")


# -- combinations ---------------------------------------------------------------------------

STRENGTH_BITS = 5

HEAVEN, EARTH, MAN, GOOSE = range(4)
LONG_LEG, RED_MALLET = INDEX["16"], INDEX["15"]
SIX, THREE = INDEX["24"], INDEX["12"]

# 天九 地八 人七 鵝五: a civil kind and the two military kinds that go with it, high to low.
GROUPS: tuple[tuple[int, int, int], ...] = tuple(
    (civil, INDEX[one], INDEX[other])
    for civil, one, other in (
        (HEAVEN, "36", "45"),
        (EARTH, "26", "35"),
        (MAN, "25", "34"),
        (GOOSE, "14", "23"),
    )
)
_GROUP_OF = {kind: place for place, (_, *pair) in enumerate(GROUPS) for kind in pair}
# 九 八 七 二四 五 丁三, high to low.
_MILITARY_STRENGTH = {
    INDEX[code]: 6 - place
    for place, codes in enumerate(("36 45", "26 35", "25 34", "24", "14 23", "12"))
    for code in codes.split()
}


def code_of(kind: Type, strength: int) -> int:
    """The integer of a combination."""
    return kind << STRENGTH_BITS | strength


def type_of(code: int) -> Type:
    """The type of a combination."""
    return Type(code >> STRENGTH_BITS)


def classify(kinds: Sequence[int]) -> int | None:
    """Name the combination that one to four tiles make, or None: they may not be led (3.3).

    `kinds` are numbers of kinds in any order, no more of one than the set holds.
    """
    tiles = sorted(kinds)
    low, high = tiles[0], tiles[-1]
    if len(tiles) == 1:
        if low < CIVIL_KINDS:
            return code_of(Type.CIVIL_SINGLE, CIVIL_KINDS - low)
        return code_of(Type.MILITARY_SINGLE, _MILITARY_STRENGTH[low])
    if len(tiles) == 2:
        if low == high:
            return code_of(Type.CIVIL_PAIR, CIVIL_KINDS - low)
        if (low, high) == (SIX, THREE):
            return code_of(Type.SUPREME, 1)
        if low in _GROUP_OF and _GROUP_OF[low] == _GROUP_OF.get(high):
            return code_of(Type.MILITARY_PAIR, 4 - _GROUP_OF[low])
    # What is left are the sets of one group: one or both of its civil tile with one or both of
    # its military tiles.
    place = _GROUP_OF.get(high)
    if place is None or low != GROUPS[place][0]:
        return None
    civil = tiles.count(low)
    military = [tile for tile in tiles if _GROUP_OF.get(tile) == place]
    if civil + len(military) != len(tiles):
        return None
    kind = {
        (1, 1): Type.MIXED_PAIR,
        (2, 1): Type.THREE_CIVIL,
        (1, 2): Type.THREE_MILITARY,
        (2, 2): Type.QUAD,
    }[civil, len(military)]
    return code_of(kind, 4 - place)


def _candidates() -> Iterator[tuple[int, ...]]:
    """Sets of kinds among which all combinations are: ones, twos, and sets inside one group."""
    for count in (1, 2):
        yield from combinations_with_replacement(range(KIND_COUNT), count)
    for group in GROUPS:
        for count in (3, 4):
            yield from combinations_with_replacement(group, count)


def _is_in_set(kinds: Sequence[int]) -> bool:
    return all(kinds.count(kind) <= COPIES[kind] for kind in kinds)


# Packed tiles -> combination. `tests/replay/tien_gow/test_combinations.py` proves that it equals
# `classify` on every set of one to four of the 32 tiles.
COMBINATIONS: dict[int, int] = {
    pack_kinds(kinds): code
    for kinds in _candidates()
    if _is_in_set(kinds) and (code := classify(kinds)) is not None
}

# The single tiles among them, by their codes.
SINGLES: dict[str, int] = {code: COMBINATIONS[UNIT[code]] for code in CODES}


def combination_of(*codes: str) -> int:
    """The combination of tiles given by their codes, which must be one."""
    return COMBINATIONS[pack(codes)]


HEAVEN_SINGLE = combination_of("66")
NINE_SINGLE = combination_of("36")
MALLET_SINGLE = combination_of("15")
LONG_LEG_SINGLE = combination_of("16")
THREE_SINGLE = combination_of("12")
SIX_SINGLE = combination_of("24")
SUPREME = combination_of("24", "12")
MALLET_PAIR = combination_of("15", "15")
LONG_LEG_PAIR = combination_of("16", "16")
QUADS: tuple[int, ...] = tuple(code_of(Type.QUAD, strength) for strength in (4, 3, 2, 1))


# -- beating --------------------------------------------------------------------------------

WEN_ZUN = ("true_capturable", "true_unbeatable", "fake", "off")


def can_beat(play: int, best: int, lead: int, wen_zun: str) -> bool:
    """Tell whether a play beats the best play so far of a trick (TG-20 to TG-22, 3.6).

    `wen_zun` is the status of 15+15 (文尊). Where it is a true supreme, nothing but a pair of
    Long Leg Sevens beats its lead, and that only if it is capturable; after the capture nothing
    more (ruling 8).
    """
    if type_of(play) is not type_of(lead):
        return False
    if lead == MALLET_PAIR and wen_zun in ("true_capturable", "true_unbeatable"):
        return wen_zun == "true_capturable" and best == lead and play == LONG_LEG_PAIR
    return play > best


def window_of(lead: int, wen_zun: str) -> tuple[int, int]:
    """What beats a lead, as an open interval: a play beats it when floor < play < ceiling.

    Once something has beaten it, that play is the floor.
    """
    plays = sorted(set(COMBINATIONS.values()))
    beating = [play for play in plays if can_beat(play, lead, lead, wen_zun)]
    if not beating:
        return lead, lead
    return beating[0] - 1, beating[-1] + 1


def windows_of(wen_zun: str) -> dict[int, tuple[int, int]]:
    """The window of every lead."""
    return {lead: window_of(lead, wen_zun) for lead in sorted(set(COMBINATIONS.values()))}


def refusal_rule(play: int | None, lead: int, best: int, *, same_number: bool) -> str:
    """The rule that refuses a face-up play which does not beat (FORMAT 6.5, follow-illegal)."""
    if not same_number:
        return "TG-20"
    if play is None or type_of(play) is not type_of(lead):
        return "TG-21"
    return "TG-22" if play == best else "TG-20"
