"""Which ruleset a record of a feed is judged by, where its source has said what is in force.

A feed names no ruleset; its importer knows which one its operator settles by. What the source has
said to be in force when the hand was played comes before that, and the record then says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

import replay

# The ruleset of a record, from what was read of it. Raises: Refusal where it cannot be told.
Choose = Callable[[replay.Readable], str]
ASSUMPTION = "ruleset"


def by_force(readable: replay.Readable, choose: Choose) -> replay.Readable:
    """The record as one that names the chosen ruleset. Raises: Refusal."""
    hand: Any = readable.hand
    name = choose(readable)
    if name == hand.ruleset:
        return readable
    said = replay.Assumption(
        name=ASSUMPTION, text=f"{name} was in force at this source when the hand was played."
    )
    others = [one for one in hand.assumptions if one.name != ASSUMPTION]
    hand = msgspec.structs.replace(hand, ruleset=name, assumptions=[*others, said])
    return msgspec.structs.replace(readable, hand=hand)


def named(ruleset: str) -> Choose:
    """The ruleset by which a stored record was judged, to tell the same of it again."""
    return lambda _: ruleset
