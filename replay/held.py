"""The front door to what lay where in a hand (`replay.holdings`)."""

from __future__ import annotations

from replay.audit import prepared, read, ruleset_of
from replay.holdings import Held
from replay.ruleset import Rulesets


def held(line: bytes, rulesets: Rulesets) -> tuple[Held, ...]:
    """What each seat or position of a hand had, in the order of PLACES.

    Raises: Refusal as `read` does, or where the ruleset is not at hand.
    """
    found = read(line)
    return found.game.hold(found.hand, prepared(found.game, ruleset_of(found, rulesets)))
