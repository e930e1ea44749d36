"""Who looks at a hand, and what is known to them of it at a step.

A view that is not the auditor's is made in two moves. A game cuts the record off behind the step
and puts stand-ins where a tile is not known to the viewer (`Concealed`): the result is a function
of what was shown, so nothing that is told of it can tell more. Then `replay.seen` draws a back for
each stand-in. This module knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from replay.tiles import CODES, COPIES

# Stands for a tile that is not shown, wherever a tile's code would stand.
BACK = "back"


class UnknownViewpoint(ValueError):
    """A text that names no viewpoint."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """One who looks: the auditor sees all, a seat its own tiles and what was shown, the public
    what was shown. `seat` is 0 to 3 for a seat, else None."""

    seat: int | None = None
    is_auditor: bool = False

    def __str__(self) -> str:
        """The form of addresses: `auditor`, `public`, `seat-2`."""
        if self.is_auditor:
            return "auditor"
        return "public" if self.seat is None else f"seat-{self.seat}"

    def decides_for(self, seat: int | None) -> bool:
        """Whether what was open to a seat is this viewer's to know: it follows from its tiles."""
        return seat is not None and (self.is_auditor or self.seat == seat)


AUDITOR = Viewpoint(is_auditor=True)
PUBLIC = Viewpoint()
SEATS = tuple(Viewpoint(seat=seat) for seat in range(4))

_VIEWPOINTS = {str(viewpoint): viewpoint for viewpoint in (AUDITOR, PUBLIC, *SEATS)}


def parse_viewpoint(text: str) -> Viewpoint:
    """Read `auditor`, `public` or `seat-0` to `seat-3`. Raises: UnknownViewpoint."""
    try:
        return _VIEWPOINTS[text]
    except KeyError:
        raise UnknownViewpoint(f"{text!r} is no viewpoint") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concealed:
    """A hand as a viewer has seen it after some of its events.

    `hand` has those events and no others, with stand-ins for tiles that were not shown; `backs`
    are the indices of events whose tiles are stand-ins, `unknown` the seats that hold some.
    `is_revealed`: no tile of the hand is left to conceal, and `hand` is the record itself.
    `is_settled`: what was shown is all that the settlement rests on.
    """

    hand: Any
    backs: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()
    is_revealed: bool = False
    is_settled: bool = False


class Pool:
    """The tiles that a viewer has not seen, given out in the order of the set as stand-ins."""

    def __init__(self) -> None:
        self._left = dict(zip(CODES, COPIES, strict=True))

    def take_out(self, tiles: Iterable[str]) -> list[str]:
        """Take seen tiles out; gives those that were there, for a log may show one too often."""
        taken = []
        for tile in tiles:
            if self._left[tile]:
                self._left[tile] -= 1
                taken.append(tile)
        return taken

    def give(self, count: int) -> list[str]:
        """So many stand-ins.

        A log that deals more tiles than there are gets the first kind for the rest: the replay
        refuses it by the numbers, which were seen.
        """
        given: list[str] = []
        for tile, copies in self._left.items():
            number = min(copies, count - len(given))
            given.extend([tile] * number)
            self._left[tile] = copies - number
        return given + [CODES[0]] * (count - len(given))
