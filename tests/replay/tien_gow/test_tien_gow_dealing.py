"""Walls: every method gives each taker the stacks that the rulebook names (3.2, ruling 18)."""

from __future__ import annotations

import pytest

from replay.tien_gow.dealing import METHODS, first_taker, shares_of
from tests.replay.tien_gow.tien_gow_hands import DECK, audit, deals, line_of

# Each tile of the wall as "stack.layer", top first.
WALL = [[f"{stack}.{layer}" for layer in range(1, 5)] for stack in range(1, 9)]


def _stacks(*numbers: int) -> list[str]:
    return [f"{number}.{layer}" for number in numbers for layer in range(1, 5)]


TAKEN = {
    "side-left": ((1, 2), (3, 4), (5, 6), (7, 8)),
    "side-right": ((8, 7), (6, 5), (4, 3), (2, 1)),
    "stack-by-stack": ((1, 5), (2, 6), (3, 7), (4, 8)),
    "alternate": ((1, 3), (2, 4), (5, 7), (6, 8)),
    "heart": ((4, 5), (3, 6), (2, 7), (1, 8)),
    "ears": ((1, 8), (2, 7), (3, 6), (4, 5)),
    "dragon-phoenix": ((1, 7), (2, 8), (3, 4), (5, 6)),
    "twin-wings": ((2, 3), (1, 4), (5, 8), (6, 7)),
    "three-lions": ((1, 6), (3, 7), (5, 8), (2, 4)),
}
MIRRORED = {
    **TAKEN,
    "dragon-phoenix": ((1, 8), (2, 7), (3, 4), (5, 6)),
    "twin-wings": ((2, 3), (4, 8), (1, 5), (6, 7)),
    "three-lions": ((1, 8), (3, 7), (5, 6), (2, 4)),
}


@pytest.mark.parametrize("restack", ["in_order", "mirrored"])
@pytest.mark.parametrize("method", METHODS)
def test_each_taker_gets_the_stacks_of_the_method(method: str, restack: str) -> None:
    shares = shares_of(method, WALL, size=8, restack=restack)
    assert shares is not None
    if method == "layer":
        expected = [[f"{stack}.{layer}" for stack in range(1, 9)] for layer in range(1, 5)]
    else:
        taken = (TAKEN if restack == "in_order" else MIRRORED)[method]
        expected = [_stacks(*numbers) for numbers in taken]
    assert [sorted(share) for share in shares] == [sorted(share) for share in expected]


@pytest.mark.parametrize("method", METHODS)
def test_ruling_18_the_small_game_knows_two_sides(method: str) -> None:
    shares = shares_of(method, WALL, size=4, restack="in_order")
    expected = {
        "side-left": [_stacks(number) for number in (1, 2, 3, 4)],
        "side-right": [_stacks(number) for number in (8, 7, 6, 5)],
    }
    assert shares == expected.get(method)


def test_G61_dice_nine_from_the_west_name_the_west() -> None:
    # Banker 東, so 西 throws: he is 1, 5 and 9.
    assert first_taker(2, 9) == 2
    assert [first_taker(1, total) for total in range(2, 13)] == [2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]


def _walled(thrower: int | None, banker: int) -> bytes:
    """A deal by the left side of a wall in the order of the set, dice 3 + 4."""
    stacks = [list(DECK[4 * stack : 4 * stack + 4]) for stack in range(8)]
    dice = {"type": "dice", "values": [3, 4]}
    if thrower is not None:
        dice["seat"] = thrower
    who = (banker + 2) % 4 if thrower is None else thrower
    first = (who + 6) % 4
    holdings = [" ".join(DECK[8 * ((seat - first) % 4) :][:8]) for seat in range(4)]
    wall = {"type": "wall", "method": "side-left", "stacks": stacks}
    return line_of(
        [dice, wall, *deals(holdings), {"type": "void", "reason": "x"}], None, banker=banker
    )


@pytest.mark.parametrize("thrower", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("banker", [0, 1, 2, 3])
def test_the_thrower_is_as_logged_or_opposite_the_banker(thrower: int | None, banker: int) -> None:
    verdict = audit(_walled(thrower, banker))
    assert (verdict.verdict, verdict.findings) == ("void", ())


def test_a_deal_that_does_not_follow_from_the_wall_is_refused() -> None:
    line = _walled(None, 0).replace(b'"values": [3, 4]', b'"values": [3, 5]')
    (found,) = audit(line).findings
    assert (found.code, found.event, found.seat) == ("deal-wall", 2, 0)
    assert found.logged != found.expected
