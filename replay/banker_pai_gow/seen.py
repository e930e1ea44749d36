"""What a viewer knows of a hand of banker-bidding Pai Gow.

* Bids, bets and dice are open (PG-4, PG-7, PG-9).
* A seat's two tiles are its own from the deal (PG-10) until it shows them (PG-11).
* Who won is known to all once all four have shown (PG-12). What is never shown stays concealed.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from replay.banker_pai_gow.options import Rules
from replay.banker_pai_gow.record import Deal, PaiGowEvent, PaiGowHand, Reveal
from replay.concealment import Concealed, Pool, Viewpoint
from replay.record import Void
from replay.tiles import TileCode

_SEATS = range(4)


def conceal(hand: PaiGowHand, _rules: Rules, viewpoint: Viewpoint, count: int) -> Concealed:
    """The first `count` events as the viewer has seen them."""
    events = hand.events[:count]
    dealt: dict[int, list[TileCode]] = {}
    shown: dict[int, list[TileCode]] = {}
    for event in events:
        if type(event) is Deal:
            dealt.setdefault(event.seat, event.tiles)
        elif type(event) is Reveal:
            shown.setdefault(event.seat, event.tiles)
    if len(shown) == len(_SEATS) and all(
        sorted(shown[seat]) == sorted(dealt.get(seat, [])) for seat in _SEATS
    ):
        return Concealed(hand=hand, is_revealed=True)
    pool = Pool()
    holdings: dict[int, list[str]] = {}
    unknown = set(_SEATS)
    own = viewpoint.seat
    if own is not None:
        holdings[own] = pool.take_out(dealt.get(own, []))
        unknown.discard(own)
    for seat, tiles in shown.items():
        # Tiles that cannot be there, or too few, were not what was dealt: the replay refuses them.
        taken = pool.take_out(tiles) if seat in unknown else []
        if seat in unknown and len(taken) == len(tiles) == len(dealt.get(seat, [])):
            holdings[seat] = taken
            unknown.discard(seat)
    for seat in sorted(unknown & dealt.keys()):
        holdings[seat] = pool.give(len(dealt[seat]))
    seen, backs = _stand_in(events, holdings, unknown, own)
    is_whole = count == len(hand.events)
    is_void = bool(events) and type(events[-1]) is Void
    return Concealed(
        hand=replace(hand, events=seen, result=hand.result if is_whole else None, ext=UNSET),
        backs=backs,
        unknown=frozenset(unknown),
        is_settled=is_whole and (is_void or (not unknown and len(shown) == len(_SEATS))),
    )


def _stand_in(
    events: list[PaiGowEvent], holdings: dict[int, list[str]], unknown: set[int], own: int | None
) -> tuple[list[PaiGowEvent], frozenset[int]]:
    """The events with what the viewer takes for dealt, and those that hold stand-ins."""
    seats_dealt: set[int] = set()
    backs = set()
    seen: list[PaiGowEvent] = []
    for index, event in enumerate(events):
        if type(event) is not Deal or event.seat == own:
            seen.append(event)
            continue
        is_first = event.seat not in seats_dealt
        seats_dealt.add(event.seat)
        if event.seat in unknown or not is_first:
            backs.add(index)
        # A seat's second deal is refused whatever its tiles are.
        tiles = holdings[event.seat] if is_first else ["66"] * len(event.tiles)
        seen.append(replace(event, tiles=list(tiles)))
    return seen, frozenset(backs)
