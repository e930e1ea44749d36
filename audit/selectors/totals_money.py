"""What one hand turned over and paid in rake: as recomputed, as logged, and how far they differ.

All in minor units. A valid bet counts once a seat; in Wenzhou Pai Gow once a player, after what he
bet against himself was set off (WZ-27), and there is no rake. A record with gaps (of a feed that
carries only a part) has figures only where they are there for every seat: no sum holds a part of a
hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

import replay

Json = Mapping[str, Any]
Key = tuple[str, ...]
ALL_SEATS = {0, 1, 2, 3}


class Rounds(msgspec.Struct, frozen=True):
    """Which of the two hands of a shuffle a hand is."""

    id: str
    hand: int


class Told(msgspec.Struct, frozen=True):
    """What is read again of a stored line, which was read whole when it came in."""

    format: str = ""
    minor_digits: int = 0
    round: Rounds | None = None
    result: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(Told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Sums over the seats of a hand; `rake` is None in a game without one."""

    valid_bet: int
    rake: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """What moved between those who played, as recomputed: `won` is the sum of the net results above
    zero and `lost` of those below it, both after rake; `pot` is what the losing seats paid in
    before rake, 0 in a game without seats."""

    won: int = 0
    lost: int = 0
    pot: int = 0

    def plus(self, other: Flow) -> Flow:
        return Flow(won=self.won + other.won, lost=self.lost + other.lost, pot=self.pot + other.pot)


NO_FLOW = Flow()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMoney:
    """`recomputed` is None where the replay stopped, `logged` where no whole result was logged.

    `net_off` is the sum, over seats or wagers, of how far the logged net or profit lies from the
    recomputed one, without regard to its sign; None where one of the two is missing.
    """

    recomputed: Figures | None
    logged: Figures | None
    net_off: int | None
    flow: Flow = NO_FLOW


def told(raw: bytes) -> Told:
    """The parts of a stored line that are read again here; none of one in another form."""
    try:
        found = _DECODER.decode(raw)
    except msgspec.MsgspecError:
        return Told()
    return found if found.format.startswith("hand-log/1") else Told()


def meaning_of(raw: bytes) -> bytes:
    """What a record says but for its id; a record in a form of its own means what its bytes are."""
    try:
        return replay.canonical_sha256(raw, without=("hand_id",))
    except ValueError:
        return raw


def money_of(settlement: Json | None, result: Json | None, digits: int) -> HandMoney:
    """The money of a hand: its recomputed settlement and its result as logged."""
    recomputed = None if settlement is None else _figures(settlement, digits)
    logged = None if result is None else _logged(settlement, result, recomputed, digits)
    if settlement is None or result is None or recomputed is None or logged is None:
        return HandMoney(recomputed=recomputed, logged=logged, net_off=None)
    if (logged.rake is None) != (recomputed.rake is None):
        # A rake that only one side knows cannot be compared.
        recomputed = Figures(valid_bet=recomputed.valid_bet, rake=None)
        logged = Figures(valid_bet=logged.valid_bet, rake=None)
    return HandMoney(
        recomputed=recomputed,
        logged=logged,
        net_off=_net_off(settlement, result, digits),
        flow=_flow(settlement, digits),
    )


def clean_money(settlement: Json, digits: int) -> HandMoney:
    """The money of a clean hand, whose log says what was recomputed."""
    figures = _figures(settlement, digits)
    return HandMoney(
        recomputed=figures,
        logged=figures,
        net_off=None if figures is None else 0,
        flow=_flow(settlement, digits),
    )


def _logged(
    settlement: Json | None, result: Json, recomputed: Figures | None, digits: int
) -> Figures | None:
    if "seats" in result:
        due = ALL_SEATS if settlement is None else _seats(settlement)
        return _figures(result, digits) if _seats(result) == due else None
    if "players" in result:
        return _figures(result, digits)
    if settlement is None or recomputed is None:
        return None
    # Only single wagers were logged: what they differ by is all that the log says.
    right = _sum(settlement["bets"], "valid_bet", digits)
    logged = _sum(result["bets"], "valid_bet", digits)
    if right is None or logged is None:
        return None
    return Figures(valid_bet=recomputed.valid_bet + logged - right, rake=None)


def _seats(settlement: Json) -> set[int]:
    return {entry["seat"] for entry in settlement["seats"]}


def _figures(settlement: Json, digits: int) -> Figures | None:
    """None where a seat or a player has no valid bet."""
    if "seats" in settlement:
        entries, rake = settlement["seats"], _sum(settlement["seats"], "rake", digits)
    else:
        entries = settlement.get("players", settlement.get("bets", ()))
        rake = None
    valid_bet = _sum(entries, "valid_bet", digits)
    return None if valid_bet is None else Figures(valid_bet=valid_bet, rake=rake)


def _flow(settlement: Json, digits: int) -> Flow:
    """An entry without a net result moves nothing."""
    won = lost = pot = 0
    entries = settlement.get("seats") or settlement.get("players") or settlement.get("bets", ())
    for entry in entries:
        text = entry.get("net", entry.get("profit"))
        net = replay.parse_minor(text, digits) if isinstance(text, str) else 0
        gross = entry.get("gross")
        won += max(net, 0)
        lost += max(-net, 0)
        if isinstance(gross, str):
            pot += max(-replay.parse_minor(gross, digits), 0)
    return Flow(won=won, lost=lost, pot=pot)


def _sum(entries: Iterable[Json], name: str, digits: int) -> int | None:
    """None where one of them lacks the figure."""
    total = 0
    for entry in entries:
        text = entry.get(name)
        if not isinstance(text, str):
            return None
        total += replay.parse_minor(text, digits)
    return total


def _net_off(settlement: Json, result: Json, digits: int) -> int:
    right, logged = _nets(settlement, digits), _nets(result, digits)
    # A wager without an entry, or an entry without a wager, is off by all that it moved.
    keys = dict.fromkeys([*right, *logged])
    return sum(abs(logged.get(key, 0) - right.get(key, 0)) for key in keys)


def _nets(settlement: Json, digits: int) -> dict[Key, int]:
    if "seats" in settlement:
        name, figure, entries = "seat", "net", settlement["seats"]
    else:
        name, figure, entries = "bet", "profit", settlement.get("bets", ())
    return {
        (name, str(entry[name])): replay.parse_minor(entry[figure], digits)
        for entry in entries
        if entry.get(figure) is not None
    }
