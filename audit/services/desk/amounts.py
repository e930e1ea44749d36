"""What each player of a hand got by the log and gets by the rules, in integer minor units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One player. None where the log or the replay says nothing; `seat` None without seats."""

    player: str
    seat: int | None
    logged: int | None
    recomputed: int | None

    @property
    def difference(self) -> int | None:
        """Recomputed less logged: what is still owed to the player, negative for too much."""
        if self.logged is None or self.recomputed is None:
            return None
        return self.recomputed - self.logged


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The amounts of one hand.

    `at_risk` is the larger of what some are owed and what others have too much: a hand that pays
    80 to the wrong player risks 80, not 160. Where a side is unknown (`is_known` False) it is the
    same over the other side alone: all that the hand moved.
    """

    amounts: tuple[Amount, ...]
    at_risk: int
    is_known: bool


def exposure_of(read: replay.Read, settlement: Mapping[str, Any] | None) -> Exposure:
    """Compare the logged result of a hand with the recomputed settlement (FORMAT 6.4, 32)."""
    hand: Any = read.hand
    digits = read.hand.minor_digits
    logged = _logged_of(hand, digits)
    recomputed = None if settlement is None else _settled_of(hand, settlement, digits)
    owners = list(dict.fromkeys([*(recomputed or {}), *(logged or {})]))
    amounts = tuple(
        Amount(
            player=player,
            seat=seat,
            logged=None if logged is None else logged.get((player, seat)),
            recomputed=None if recomputed is None else recomputed.get((player, seat)),
        )
        for player, seat in owners
    )
    is_known = all(one.difference is not None for one in amounts) and bool(amounts)
    if is_known:
        return Exposure(
            amounts=amounts, at_risk=_larger(one.difference or 0 for one in amounts), is_known=True
        )
    moved = max(
        _larger(one.logged or 0 for one in amounts),
        _larger(one.recomputed or 0 for one in amounts),
    )
    return Exposure(amounts=amounts, at_risk=moved, is_known=False)


def _larger(units: Iterable[int]) -> int:
    """The larger of the sum of the positive ones and that of the negative ones."""
    values = list(units)
    return max(sum(one for one in values if one > 0), -sum(one for one in values if one < 0))


Owner = tuple[str, int | None]


def _logged_of(hand: Any, digits: int) -> dict[Owner, int | None] | None:
    """The net result of each player as logged; None where the hand has no result."""
    result = getattr(hand, "result", None)
    if result is None:
        return None
    seats = getattr(result, "seats", None)
    if seats is not None:
        players = {entry.seat: entry.player for entry in hand.seats}
        return {(players[one.seat], one.seat): replay.parse_minor(one.net, digits) for one in seats}
    listed = getattr(result, "players", None)
    if isinstance(listed, Sequence):
        return {(one.player, None): replay.parse_minor(one.profit, digits) for one in listed}
    return _by_bets(hand, ((one.bet, one.profit) for one in getattr(result, "bets", ())), digits)


def _settled_of(hand: Any, settlement: Mapping[str, Any], digits: int) -> dict[Owner, int | None]:
    if "seats" in settlement:
        players = {entry.seat: entry.player for entry in hand.seats}
        return {
            (players[one["seat"]], one["seat"]): replay.parse_minor(one["net"], digits)
            for one in settlement["seats"]
        }
    if settlement.get("players"):
        return {
            (one["player"], None): replay.parse_minor(one["profit"], digits)
            for one in settlement["players"]
        }
    bets = ((one["bet"], one["profit"]) for one in settlement.get("bets", ()))
    return _by_bets(hand, bets, digits)


def _by_bets(hand: Any, bets: Iterable[tuple[str, str]], digits: int) -> dict[Owner, int | None]:
    """The profits of the bets, summed by the players who made them.

    None for a player who made a wager that has no entry: his sum is not known.
    """
    profits = {bet: replay.parse_minor(profit, digits) for bet, profit in bets}
    sums: dict[Owner, int | None] = {}
    for event in hand.events:
        if getattr(event, "bet", None) is None or getattr(event, "player", None) is None:
            continue
        owner = (event.player, None)
        before, profit = sums.get(owner, 0), profits.get(event.bet)
        sums[owner] = None if before is None or profit is None else before + profit
    return sums
