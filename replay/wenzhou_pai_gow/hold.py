"""What lay at the bank and at each door in Wenzhou Pai Gow, and its rank (RULEBOOK 4.2)."""

from __future__ import annotations

from typing import Any

from replay.holdings import Held, gathered
from replay.tiles import CODES, KIND_COUNT, KINDS, VALUES, indices
from replay.wenzhou_pai_gow.ranking import RANKS, Rank
from replay.wenzhou_pai_gow.record import Deal, WenzhouHand

_PLACES = ("bank", "shun", "chu", "dao")
_COMBINED = {9: "heaven-king", 10: "heaven-gong", 11: "earth-gong", 12: "heaven-high-nine",
             13: "earth-high-nine"}  # fmt: skip


def hold(hand: WenzhouHand, rules: Any) -> tuple[Held, ...]:
    """The tiles of each position as dealt, and their rank; no option changes it (4.2)."""
    del rules
    tiles: dict[str, list[int]] = {}
    for event in hand.events:
        if isinstance(event, Deal):
            tiles.setdefault(event.position, []).extend(indices(event.tiles))
    made = [
        (place, code_of(rank))
        for place, kinds in tiles.items()
        if len(kinds) == 2 and (rank := RANKS[kinds[0] * KIND_COUNT + kinds[1]]) is not None
    ]
    dealt = [(place, kind) for place in _PLACES for kind in tiles.get(place, ())]
    return gathered(dealt, made)


def code_of(rank: Rank) -> str:
    """The code of a rank: pairs by their tiles, which is finer than the thirteen classes."""
    if rank.pair_class is None:
        return f"points-{rank.points}"
    if rank.pair_class in _COMBINED:
        return _COMBINED[rank.pair_class]
    first, second = rank.tiles
    if first == second:
        return f"pair-{CODES[first]}"
    # The military pairs are named by their value; 24 and 12 are the supreme.
    if VALUES[first] == VALUES[second]:
        return f"pair-{KINDS[first].value}"
    return "supreme"
