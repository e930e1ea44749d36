"""What lay where in a hand: the tiles of each seat or door, and what they made together.

This is for finding hands, not for judging them: tiles stand as the log dealt them, also where a
verdict has something against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from replay.glossary import LEADS, PAI_GOW_RANKS, PATTERNS


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
COMBINATIONS: tuple[Combination, ...] = (
    # Across the games: a supreme, which Pai Gow calls 至尊寶.
    Combination(code="supreme", english=PAI_GOW_RANKS["supreme"][1], hant=LEADS["SUPREME"][1]),
    *(
        Combination(code=code, english=english, hant=hant)
        for code, (hant, english) in PAI_GOW_RANKS.items()
        if code != "supreme"
    ),
    *(
        Combination(code=kind.lower().replace("_", "-"), english=english, hant=hant)
        for kind, (english, hant) in LEADS.items()
        if kind not in ("CIVIL_SINGLE", "MILITARY_SINGLE", "SUPREME")
    ),
    *(
        Combination(code=code, english=english, hant=hant)
        for code, (hant, english) in PATTERNS.items()
    ),
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
