"""What each seat was dealt in Tien Gow, what it played together, and what it declared."""

from __future__ import annotations

from typing import Any

from replay.holdings import Held, gathered
from replay.tien_gow.combinations import Type, classify, type_of
from replay.tien_gow.record import Deal, Declare, Play
from replay.tiles import CODES, COPIES, VALUES, indices

_CODES = {
    Type.CIVIL_PAIR: "civil-pair",
    Type.MILITARY_PAIR: "military-pair",
    Type.MIXED_PAIR: "mixed-pair",
    Type.SUPREME: "supreme",
    Type.THREE_CIVIL: "three-civil",
    Type.THREE_MILITARY: "three-military",
    Type.QUAD: "quad",
}


def hold(hand: Any, rules: Any) -> tuple[Held, ...]:
    """The tiles of each seat as dealt; of its plays those of two tiles and more (RULEBOOK 3.3).

    A pair counts as its type and as the pair that it is: 66 66 is `civil-pair` and `pair-66`.
    """
    del rules
    dealt: list[tuple[str, int]] = []
    made: list[tuple[str, str]] = []
    for event in hand.events:
        if isinstance(event, Deal):
            dealt += [(f"seat-{event.seat}", kind) for kind in indices(event.tiles)]
        elif isinstance(event, Declare):
            made.append((f"seat-{event.seat}", event.pattern))
        elif isinstance(event, Play) and len(event.tiles) > 1:
            made += [(f"seat-{event.seat}", code) for code in codes_of(indices(event.tiles))]
    return gathered(dealt, made)


def codes_of(kinds: list[int]) -> tuple[str, ...]:
    """What two to four tiles are, by their type and by their pair; empty where they are nothing."""
    if any(kinds.count(kind) > COPIES[kind] for kind in kinds):
        return ()
    found = classify(kinds)
    if found is None:
        return ()
    kind = type_of(found)
    if kind is Type.CIVIL_PAIR:
        return _CODES[kind], f"pair-{CODES[kinds[0]]}"
    if kind is Type.MILITARY_PAIR:
        return _CODES[kind], f"pair-{VALUES[kinds[0]]}"
    return (_CODES[kind],)
