"""Walls: how a hand's tiles follow from the stacks and the dice (RULEBOOK 3.2, ruling 18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Method = Literal[
    "side-left",
    "side-right",
    "stack-by-stack",
    "alternate",
    "layer",
    "heart",
    "ears",
    "dragon-phoenix",
    "twin-wings",
    "three-lions",
]
METHODS: tuple[str, ...] = get_args(Method)

STACKS, LAYERS = 8, 4

# The stacks, numbered from 1, that the first, second, third and fourth taker get.
_TAKEN: dict[str, tuple[tuple[int, ...], ...]] = {
    "side-left": ((1, 2), (3, 4), (5, 6), (7, 8)),
    "side-right": ((8, 7), (6, 5), (4, 3), (2, 1)),
    "stack-by-stack": ((1, 5), (2, 6), (3, 7), (4, 8)),
    "alternate": ((1, 3), (2, 4), (5, 7), (6, 8)),
    "heart": ((4, 5), (3, 6), (2, 7), (1, 8)),
    "ears": ((1, 8), (2, 7), (3, 6), (4, 5)),
}
# Where stacks are first put on others: those of the tail on those of the head.
_RESTACKED: dict[str, dict[str, tuple[tuple[int, ...], ...]]] = {
    "in_order": {
        "dragon-phoenix": ((1, 7), (2, 8), (3, 4), (5, 6)),
        "twin-wings": ((2, 3), (4, 1), (5, 8), (6, 7)),
        "three-lions": ((1, 6), (3, 7), (5, 8), (2, 4)),
    },
    "mirrored": {
        "dragon-phoenix": ((1, 8), (2, 7), (3, 4), (5, 6)),
        "twin-wings": ((2, 3), (4, 8), (5, 1), (6, 7)),
        "three-lions": ((1, 8), (3, 7), (5, 6), (2, 4)),
    },
}
_SMALL: dict[str, tuple[tuple[int, ...], ...]] = {
    "side-left": ((1,), (2,), (3,), (4,)),
    "side-right": ((8,), (7,), (6,), (5,)),
}


def shares_of(
    method: str, stacks: Sequence[Sequence[str]], *, size: int, restack: str
) -> list[list[str]] | None:
    """The tiles of the four takers in the order of taking.

    `size` is 8 or 4 tiles a seat. None where the wall does not say: in the small game only
    opening a side (開邊) is known (ruling 18).
    """
    if size == 4:
        taken = _SMALL.get(method)
        if taken is None:
            return None
    elif method == "layer":
        return [[stack[layer] for stack in stacks] for layer in range(LAYERS)]
    else:
        taken = _TAKEN.get(method) or _RESTACKED[restack][method]
    return [[tile for number in numbers for tile in stacks[number - 1]] for numbers in taken]


def first_taker(thrower: int, total: int) -> int:
    """The seat that the dice name: counting from the thrower as 1, counter-clockwise."""
    return (thrower + total - 1) % 4
