"""Chance from a seed: the same numbers on every machine and every version of Python.

The standard library's generator is stable, but how it shuffles and picks has changed before; what
is drawn here depends on this file alone (splitmix64, public domain, Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


class Chance:
    """A stream of numbers. `salt` tells streams of one seed apart."""

    def __init__(self, seed: int, salt: str) -> None:
        digest = hashlib.sha256(f"{seed}/{salt}".encode()).digest()
        self._state = int.from_bytes(digest[:8], "big")

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1, each with the same chance."""
        fair = (1 << 64) - (1 << 64) % limit
        while True:
            drawn = self._next()
            if drawn < fair:
                return drawn % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def one_in(self, count: int) -> bool:
        """True once in so many times."""
        return self.below(count) == 0

    def percent(self, share: int) -> bool:
        """True in so many of a hundred."""
        return self.below(100) < share

    def pick(self, values: Sequence[T]) -> T:
        """One of them."""
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """All of them in another order."""
        order = list(values)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
