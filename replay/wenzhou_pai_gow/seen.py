"""What a viewer knows of a hand of Wenzhou Pai Gow.

Wagers and dice are open, and a tile is read as it is dealt (WZ-4, WZ-25): nobody holds tiles of his
own (WZ-2). What a viewer does not know are the tiles to come.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from replay.concealment import Concealed, Viewpoint
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.record import Deal, WenzhouHand

TILES_DEALT = 8


def conceal(hand: WenzhouHand, _rules: Rules, _viewpoint: Viewpoint, count: int) -> Concealed:
    """The first `count` events; with the last tile nothing is left to conceal."""
    events = hand.events[:count]
    deals = sum(1 for event in events if type(event) is Deal)
    if deals >= TILES_DEALT or count == len(hand.events):
        return Concealed(hand=hand, is_revealed=True)
    return Concealed(hand=replace(hand, events=events, result=None, ext=UNSET))
