"""What the table calls positions, tiles and hands: English, and the original script beside it."""

from __future__ import annotations

from replay.glossary import PLURALS, POSITION_TITLES, POSITION_TITLES_HANT, WENZHOU_CLASSES
from replay.telling import say
from replay.tiles import CODES, INDEX, KINDS, VALUES
from replay.wenzhou_pai_gow.ranking import Rank

_DIGITS_HANT = "零一二三四五六七八九"


def position_name(position: int) -> str:
    """A position by both its names: 順門 Shun."""
    return say(
        "{hant} {english}",
        hant=POSITION_TITLES_HANT[position],
        english=POSITION_TITLES[position],
    )


def tile_name(code: str) -> str:
    """A tile by both its names, with its pips: 天 Heaven (66)."""
    kind = KINDS[INDEX[code]]
    return say("{hant} {english} ({code})", hant=kind.hant, english=kind.english, code=code)


def hand_names(rank: Rank) -> tuple[str, str]:
    """A ranked hand in English and in the original script: ("8 points", "八點")."""
    if rank.pair_class is None:
        hant = say("{digit}點", digit=_DIGITS_HANT[rank.points])
        if rank.points == 1:
            return say("1 point"), hant
        return say("{points} points", points=rank.points), hant
    special = WENZHOU_CLASSES.get(rank.pair_class)
    if special is not None:
        return special
    kind = KINDS[rank.tiles[0]]
    return say("pair of {tiles}", tiles=PLURALS[kind.code]), say("雙{tile}", tile=kind.hant)


def hand_name(rank: Rank) -> str:
    """A ranked hand by both its names: 八點, 8 points."""
    english, hant = hand_names(rank)
    return say("{hant}, {english}", hant=hant, english=english)


def hand_note(rank: Rank, tiles: list[int], *, with_best: bool) -> str:
    """How a hand comes about: its class, or its sum as dealt, and its best tile where it counts."""
    if rank.pair_class is not None:
        return say("pair class {pair_class}", pair_class=rank.pair_class)
    first, second = (VALUES[kind] for kind in tiles)
    note = f"{first} + {second} = {first + second}"
    if not with_best:
        return note
    return say(
        "{note}, best tile {tile} ({code})",
        note=note,
        tile=KINDS[rank.tiles[0]].hant,
        code=CODES[rank.tiles[0]],
    )
