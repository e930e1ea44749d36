"""How one seat of a simulated hand of Tien Gow holds and chooses its tiles."""

from __future__ import annotations

from replay.simulate.chance import Chance
from replay.simulate.frame import Json
from replay.tien_gow.combinations import COMBINATIONS, GUARD, pack_kinds, unpack
from replay.tiles import CODES

COMBINATION_LIST = tuple(COMBINATIONS.items())


class Holding:
    """The tiles of one seat in play; `kept` are played last, `eager` are led first."""

    def __init__(self, kinds: list[int], kept: list[int], eager: list[int]) -> None:
        self._kinds = list(kinds)
        self._kept = list(kept)
        self._eager = pack_kinds(eager) if eager else 0

    def take(self, key: int) -> None:
        """Play packed tiles."""
        for kind in unpack(key):
            self._kinds.remove(kind)
            if kind in self._kept and self._kinds.count(kind) < self._kept.count(kind):
                self._kept.remove(kind)

    def _free(self) -> list[int]:
        free = list(self._kinds)
        for kind in self._kept:
            free.remove(kind)
        return free

    def lead(self, chance: Chance) -> tuple[int, int]:
        """Packed tiles to lead, and their combination: kept ones only when nothing else is left."""
        held = pack_kinds(self._kinds) + GUARD
        if self._eager in COMBINATIONS and held - self._eager & GUARD == GUARD:
            return self._eager, COMBINATIONS[self._eager]
        free = self._free()
        if not free and (whole := COMBINATIONS.get(pack_kinds(self._kinds))):
            return pack_kinds(self._kinds), whole
        return chance.pick(_held(pack_kinds(free or self._kinds)))

    def beating(self, floor: int, ceiling: int) -> list[tuple[int, int]]:
        """What it could play face up: kept tiles only when they are all that is left."""
        tiles = self._free() or self._kinds
        return [(key, code) for key, code in _held(pack_kinds(tiles)) if floor < code < ceiling]

    def discard(self, count: int, chance: Chance) -> list[int]:
        """Throw tiles away, kept ones last."""
        free = chance.shuffled(self._free())
        thrown = free[:count]
        if len(thrown) < count:
            thrown = thrown + chance.shuffled(self._kept)[: count - len(thrown)]
        self.take(pack_kinds(thrown))
        return thrown


def _held(packed: int) -> list[tuple[int, int]]:
    """All combinations in a holding."""
    guarded = packed + GUARD
    return [(key, code) for key, code in COMBINATION_LIST if guarded - key & GUARD == GUARD]


def move(kind: str, seat: int, tiles: list[int], chance: Chance) -> Json:
    event: Json = {"type": kind, "seat": seat, "tiles": [CODES[k] for k in chance.shuffled(tiles)]}
    if chance.one_in(15):
        event["auto"] = True
    return event
