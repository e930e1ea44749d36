"""Tiles and names of holdings as servers write them (docs/importers/README.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import replay
from audit.importers.feed import refuse

_CODES = {kind.code: kind.copies for kind in replay.KINDS}
# Type codes that several families share, by their number: 0 to 9 points, 10 地高九, 11 天高九,
# 12 地槓, 13 天槓, 14 地王, 15 天王, 16 to 19 雜五 to 雜九, 20 to 30 零霖 to 雙天, 31 至尊.
TYPE_NAMES = (
    *(f"points-{points}" for points in range(10)),
    "earth-high-nine", "heaven-high-nine", "earth-gong", "heaven-gong", "earth-king", "heaven-king",
    "pair-5", "pair-7", "pair-8", "pair-9",
    "pair-15", "pair-16", "pair-46", "pair-56", "pair-22", "pair-33", "pair-55", "pair-13",
    "pair-44", "pair-11", "pair-66",
    "supreme",
)  # fmt: skip


def tile_of_pips(pips: str, place: str) -> str:
    """A tile written as low pip and high pip: `14`. Raises: Refusal."""
    if pips not in _CODES:
        raise refuse(place, f"no tile: {pips}")
    return pips


def tile_of_number(text: str, place: str) -> str:
    """A tile written as low × 100 + high, 306, with the number of its copy behind where there are
    two of it: 6062. Raises: Refusal."""
    copy = text[3:]
    if len(text) not in (3, 4) or not text.isascii() or not text.isdecimal() or text[1] != "0":
        raise refuse(place, f"no tile: {text[:20]}")
    code = text[0] + text[2]
    if code not in _CODES or (copy and not 1 <= int(copy) <= _CODES[code]):
        raise refuse(place, f"no tile: {text}")
    return code


def check_set(holdings: Iterable[Sequence[str]], place: str) -> None:
    """Raises: Refusal for more copies of a tile than the set holds: the layout is another one."""
    seen = Counter(code for holding in holdings for code in holding)
    for code, count in seen.items():
        if count > _CODES[code]:
            raise refuse(place, f"{count} tiles {code}, of which the set holds {_CODES[code]}")
