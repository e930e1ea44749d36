"""What each seat held in banker-bidding Pai Gow, and the rank of it (RULEBOOK 2.2)."""

from __future__ import annotations

from replay.banker_pai_gow.options import Rules
from replay.banker_pai_gow.ranking import RANKS
from replay.banker_pai_gow.record import Deal, PaiGowHand
from replay.holdings import Held, gathered
from replay.tiles import KIND_COUNT, indices


def hold(hand: PaiGowHand, rules: Rules) -> tuple[Held, ...]:
    """The tiles of each seat as dealt, and their rank by the options of the ruleset (PG-19)."""
    dealt: list[tuple[str, int]] = []
    made: list[tuple[str, str]] = []
    for event in hand.events:
        if not isinstance(event, Deal):
            continue
        place, kinds = f"seat-{event.seat}", indices(event.tiles)
        dealt += [(place, kind) for kind in kinds]
        if len(kinds) == 2:
            number = rules.ladder.ranks[kinds[0] * KIND_COUNT + kinds[1]]
            # Two copies of a tile of which the set has one are no holding.
            if number:
                made.append((place, RANKS[number - 1].code))
    return gathered(dealt, made)
