"""What a viewer knows of a hand of Tien Gow.

* The eight (four) tiles of a seat are its own until it plays them: TG-20 puts a play face up, TG-23
  and TG-24 a discard face down, unseen by the others until the hand is over.
* A declared 例牌 is shown at once (TG-82); the tiles of the other seats are then never shown.
* The wall is stacked face down (3.2): its method is announced, its tiles are not.
* Who took a trick, with how many tiles, and what was paid is seen by all (TG-26, TG-45).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from replay.concealment import Concealed, Pool, Viewpoint
from replay.tien_gow.checks import thrower_of
from replay.tien_gow.dealing import LAYERS, STACKS, first_taker, shares_of
from replay.tien_gow.options import Rules
from replay.tien_gow.record import (
    AnyHand,
    Deal,
    Declare,
    Discard,
    Play,
    Throw,
    TienGowEvent,
    Wall,
    is_void,
)

_SEATS = range(4)


def conceal(hand: AnyHand, rules: Rules, viewpoint: Viewpoint, count: int) -> Concealed:
    """The first `count` events as the viewer has seen them."""
    events = hand.events[:count]
    is_whole = count == len(hand.events)
    dealt = _dealt(events)
    declarer = _declarer(events, dealt)
    if is_whole and declarer is None and not is_void(hand) and _all_laid_down(events, dealt):
        return Concealed(hand=hand, is_revealed=True)
    known = {viewpoint.seat, declarer}
    unknown = [seat for seat in _SEATS if seat not in known]
    pool = Pool()
    for seat in _SEATS:
        if seat in known and seat in dealt:
            pool.take_out(dealt[seat])
    shown: dict[int, list[str]] = defaultdict(list)
    for event in events:
        if type(event) is Play and event.seat in unknown:
            shown[event.seat] += pool.take_out(event.tiles)
    spare = {
        seat: pool.give(max(0, len(dealt[seat]) - len(shown[seat])))
        for seat in unknown
        if seat in dealt
    }
    holdings = {
        seat: list(tiles) if seat in known else (shown[seat] + spare[seat])[: len(tiles)]
        for seat, tiles in dealt.items()
    }
    stood_in, backs = _stand_in(events, holdings, spare, unknown)
    seen = replace(
        hand,
        events=_with_wall(hand, rules, stood_in, holdings),
        result=hand.result if is_whole else None,
        ext=UNSET,
    )
    return Concealed(
        hand=seen,
        backs=backs,
        unknown=frozenset(unknown),
        is_settled=is_whole and (is_void(hand) or declarer is not None),
    )


def _dealt(events: list[TienGowEvent]) -> dict[int, list[Any]]:
    """The first deal of each seat."""
    dealt: dict[int, list[Any]] = {}
    for event in events:
        if type(event) is Deal:
            dealt.setdefault(event.seat, event.tiles)
    return dealt


def _declarer(events: list[TienGowEvent], dealt: dict[int, list[Any]]) -> int | None:
    """The seat that has laid its tiles open for a 例牌, in time (TG-82)."""
    for event in events:
        if type(event) is Play or type(event) is Discard:
            return None
        if type(event) is Declare:
            return event.seat if len(dealt) == len(_SEATS) else None
    return None


def _all_laid_down(events: list[TienGowEvent], dealt: dict[int, list[Any]]) -> bool:
    """Tell whether each seat has laid down exactly the tiles that it was dealt."""
    laid: dict[int, list[str]] = defaultdict(list)
    for event in events:
        if type(event) is Play or type(event) is Discard:
            laid[event.seat] += event.tiles
    return len(dealt) == len(_SEATS) and all(
        sorted(laid[seat]) == sorted(dealt[seat]) for seat in _SEATS
    )


def _stand_in(
    events: list[TienGowEvent],
    holdings: dict[int, list[str]],
    spare: dict[int, list[str]],
    unknown: list[int],
) -> tuple[list[TienGowEvent], frozenset[int]]:
    """The events with stand-ins in deals and discards of the unknown seats, and which they are."""
    left = {seat: list(tiles) for seat, tiles in spare.items()}
    seats_dealt: set[int] = set()
    backs = set()
    seen: list[TienGowEvent] = []
    for index, event in enumerate(events):
        if type(event) is Deal and event.seat in unknown:
            backs.add(index)
            # A seat's second deal is refused whatever its tiles are.
            is_first = event.seat not in seats_dealt
            seats_dealt.add(event.seat)
            tiles = holdings[event.seat] if is_first else ["66"] * len(event.tiles)
            seen.append(replace(event, tiles=list(tiles)))
        elif type(event) is Discard and event.seat in unknown:
            backs.add(index)
            spared = left.setdefault(event.seat, [])
            tiles, left[event.seat] = spared[: len(event.tiles)], spared[len(event.tiles) :]
            # A seat that lays down more than it was dealt is refused by the number.
            tiles += ["66"] * (len(event.tiles) - len(tiles))
            seen.append(replace(event, tiles=tiles))
        else:
            seen.append(event)
    return seen, frozenset(backs)


def _with_wall(
    hand: AnyHand, rules: Rules, events: list[TienGowEvent], holdings: dict[int, list[str]]
) -> list[TienGowEvent]:
    """The events with a wall out of which the holdings come: its tiles were never seen."""
    throw: Throw | None = None
    seen: list[TienGowEvent] = []
    for event in events:
        if type(event) is Throw and throw is None:
            throw = event
        if type(event) is Wall:
            seen.append(replace(event, stacks=_stacks(hand, rules, event, throw, holdings)))
        else:
            seen.append(event)
    return seen


def _stacks(
    hand: AnyHand,
    rules: Rules,
    wall: Wall,
    throw: Throw | None,
    holdings: dict[int, list[str]],
) -> Any:
    places = [[f"{stack}/{layer}" for layer in range(LAYERS)] for stack in range(STACKS)]
    shares = None
    if throw is not None:
        shares = shares_of(wall.method, places, size=rules.size, restack=rules.restack)
    pool = Pool()
    laid: dict[str, str] = {}
    if throw is not None and shares is not None:
        first = first_taker(thrower_of(hand, throw), sum(throw.values))
        for seat, tiles in holdings.items():
            share = shares[(seat - first) % 4]
            # Tiles that are not in the set, or too many, are refused before the wall is asked.
            if len(tiles) == len(share):
                laid.update(zip(share, pool.take_out(tiles), strict=False))
    free = [place for stack in places for place in stack if place not in laid]
    laid.update(zip(free, pool.give(len(free)), strict=True))
    return tuple(tuple(laid[place] for place in stack) for stack in places)
