"""What the table calls positions, tiles and hands: English, and the original script beside it."""

from __future__ import annotations

from replay.tiles import CODES, INDEX, KINDS, VALUES
from replay.wenzhou_pai_gow.ranking import Rank

# In the order of record.POSITIONS.
POSITION_TITLES = ("Bank", "Shun", "Chu", "Dao")
POSITION_TITLES_HANT = ("莊", "順門", "出門", "到門")

_PLURALS = {
    "66": "Heavens", "11": "Earths", "44": "Men", "13": "Geese", "55": "Plums",
    "33": "Long Threes", "22": "Benches", "56": "Axes", "46": "Red Head Tens",
    "16": "Long Leg Sevens", "15": "Red Mallet Sixes",
    "36": "Mixed Nines", "45": "Mixed Nines", "26": "Mixed Eights", "35": "Mixed Eights",
    "25": "Mixed Sevens", "34": "Mixed Sevens", "14": "Mixed Fives", "23": "Mixed Fives",
}  # fmt: skip
_DIGITS_HANT = "零一二三四五六七八九"
# The pair classes that are no pair of equal names.
_SPECIAL = {
    3: ("Supreme", "至尊"),
    9: ("Heaven-Nine King", "天九王"),
    10: ("Heaven Gong", "天槓"),
    11: ("Earth Gong", "地槓"),
    12: ("Heaven-Nine", "天九"),
    13: ("Earth-Nine", "地九"),
}


def position_name(position: int) -> str:
    """A position by both its names: 順門 Shun."""
    return f"{POSITION_TITLES_HANT[position]} {POSITION_TITLES[position]}"


def tile_name(code: str) -> str:
    """A tile by both its names, with its pips: 天 Heaven (66)."""
    kind = KINDS[INDEX[code]]
    return f"{kind.hant} {kind.english} ({code})"


def hand_names(rank: Rank) -> tuple[str, str]:
    """A ranked hand in English and in the original script: ("8 points", "八點")."""
    if rank.pair_class is None:
        word = "point" if rank.points == 1 else "points"
        return f"{rank.points} {word}", f"{_DIGITS_HANT[rank.points]}點"
    special = _SPECIAL.get(rank.pair_class)
    if special is not None:
        return special
    kind = KINDS[rank.tiles[0]]
    return f"pair of {_PLURALS[kind.code]}", f"雙{kind.hant}"


def hand_name(rank: Rank) -> str:
    """A ranked hand by both its names: 八點, 8 points."""
    english, hant = hand_names(rank)
    return f"{hant}, {english}"


def hand_note(rank: Rank, tiles: list[int], *, with_best: bool) -> str:
    """How a hand comes about: its class, or its sum as dealt, and its best tile where it counts."""
    if rank.pair_class is not None:
        return f"pair class {rank.pair_class}"
    first, second = (VALUES[kind] for kind in tiles)
    note = f"{first} + {second} = {first + second}"
    if with_best:
        note += f", best tile {KINDS[rank.tiles[0]].hant} ({CODES[rank.tiles[0]]})"
    return note
