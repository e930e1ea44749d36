"""The carry-in cap (PG-32, RULEBOOK 2.4.1 and 7.1): one function a reading, in minor units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType

from replay.money import scale_floor


class PlayerClip(Enum):
    """Which of a player's results his own carry-in limits (step 2 of 2.4.1)."""

    BOTH = "both"
    LOSS_ONLY = "loss_only"
    NONE = "none"


def clip_both(claim: int, carry_in: int) -> int:
    """A signed claim, limited both as a win and as a loss."""
    if claim > carry_in:
        return carry_in
    return max(claim, -carry_in)


def clip_loss_only(claim: int, carry_in: int) -> int:
    """A signed claim, limited as a loss."""
    return max(claim, -carry_in)


def clip_none(claim: int, carry_in: int) -> int:
    """A signed claim as it is."""
    return claim


CLIPS: Mapping[PlayerClip, Callable[[int, int], int]] = MappingProxyType(
    {
        PlayerClip.BOTH: clip_both,
        PlayerClip.LOSS_ONLY: clip_loss_only,
        PlayerClip.NONE: clip_none,
    }
)


class BankerCap(Enum):
    """How the banker's carry-in limits his result."""

    NET_SIDE = "net_side"
    NET_ALL = "net_all"
    GROSS_FIRST = "gross_first"
    GROSS_BOTH = "gross_both"
    NONE = "none"


# Each takes W, what the winners claim, L, what the losers owe, and the banker's carry-in, and
# returns W′ and L′: what the winners receive and the losers pay in all.


def cap_net_side(won: int, lost: int, carry_in: int) -> tuple[int, int]:
    """Only the side that pushes the banker over its carry-in is scaled."""
    if lost - won > carry_in:
        return won, won + carry_in
    if won - lost > carry_in:
        return lost + carry_in, lost
    return won, lost


def cap_net_all(won: int, lost: int, carry_in: int) -> tuple[int, int]:
    """Winners and losers alike are scaled."""
    net = lost - won
    if net > carry_in:
        received = scale_floor(won, carry_in, net)
        return received, received + carry_in
    if -net > carry_in:
        paid = scale_floor(lost, carry_in, -net)
        return paid + carry_in, paid
    return won, lost


def cap_gross_first(won: int, lost: int, carry_in: int) -> tuple[int, int]:
    """The banker takes at most its carry-in, then pays out up to what it then has."""
    paid = min(lost, carry_in)
    return min(won, carry_in + paid), paid


def cap_gross_both(won: int, lost: int, carry_in: int) -> tuple[int, int]:
    """Takings and payments are limited by the carry-in, each for itself."""
    return min(won, carry_in), min(lost, carry_in)


def cap_none(won: int, lost: int, carry_in: int) -> tuple[int, int]:
    """No limit."""
    return won, lost


CAPS: Mapping[BankerCap, Callable[[int, int, int], tuple[int, int]]] = MappingProxyType(
    {
        BankerCap.NET_SIDE: cap_net_side,
        BankerCap.NET_ALL: cap_net_all,
        BankerCap.GROSS_FIRST: cap_gross_first,
        BankerCap.GROSS_BOTH: cap_gross_both,
        BankerCap.NONE: cap_none,
    }
)
