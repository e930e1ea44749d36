"""Single checks of an event, and the findings that they make (FORMAT 6.3, 6.5).

Apart from the loop of `play`, because a right hand never comes here but for its deal and its
immediate payments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from replay.findings import Finding, finding
from replay.tien_gow.combinations import pack, unpack
from replay.tien_gow.dealing import first_taker, shares_of
from replay.tien_gow.immediate import RULE_OF_KIND, Earned
from replay.tien_gow.lipai import holds
from replay.tien_gow.options import Rules
from replay.tien_gow.record import (
    AnyHand,
    Bonus,
    Deal,
    Declare,
    Discard,
    Play,
    Throw,
    TienGowEvent,
    Trick,
    Wall,
)
from replay.tiles import CODES, COPIES, TileCode, format_tiles, indices


def seat_of(event: TienGowEvent) -> int | None:
    """The seat of an event, None where it has none."""
    seat = getattr(event, "seat", None)
    return seat if isinstance(seat, int) else None


def word_of(event: TienGowEvent) -> str:
    """The type of an event, as the log writes it."""
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def thrower_of(hand: AnyHand, throw: Throw) -> int:
    """The seat that threw the dice: as logged, else opposite the banker (FORMAT 6.3, 26)."""
    if isinstance(throw.seat, int):
        return throw.seat
    return (hand.banker.seat + 2) % 4


def patterns_in_force(hand: AnyHand, rules: Rules) -> set[str]:
    """The 例牌 of the ruleset and those that the table has declared (TG-81)."""
    declared = hand.stakes.lipai
    return set(rules.lipai).union(declared if isinstance(declared, list) else ())


# -- refusals -------------------------------------------------------------------------------


def out_of_order(index: int, event: TienGowEvent) -> Finding:
    """An event out of its phase, or doubled."""
    return finding("event-order", event=index, seat=seat_of(event), logged=word_of(event))


def out_of_turn(index: int, event: Play | Discard, turn: int, number: int, wanted: int) -> Finding:
    """Another seat's turn; `number` tricks have begun, in this one `wanted` tiles were led."""
    rule = "TG-25" if wanted else "TG-26" if number else "TG-4"
    return finding(
        "out-of-turn", event=index, seat=event.seat, logged=event.seat, expected=turn, rule=rule
    )


def wrong_count(index: int, event: Deal, size: int) -> Finding:
    """A deal of more or fewer tiles than a seat gets."""
    return finding(
        "deal-count",
        event=index,
        seat=event.seat,
        logged=len(event.tiles),
        expected=size,
        rule="TG-1",
    )


def not_held(
    hand: AnyHand, index: int, event: Play | Discard, dealt: Sequence[TileCode]
) -> Finding:
    """Tiles that the seat does not hold: the first of them in the order of the set."""
    held = Counter(dealt)
    for earlier in hand.events[:index]:
        if isinstance(earlier, Play | Discard) and earlier.seat == event.seat:
            held.subtract(earlier.tiles)
    missing = [code for code, copies in Counter(event.tiles).items() if copies > held[code]]
    first = format_tiles(sorted(indices(missing))[:1])
    return finding("tile-not-held", event=index, seat=event.seat, logged=first)


def illegal(code: str, index: int, event: Play | Discard, rule: str | None = None) -> Finding:
    """Tiles that may not be led, played or discarded here."""
    tiles = format_tiles(indices(event.tiles))
    return finding(code, event=index, seat=event.seat, logged=tiles, rule=rule)


def illegal_discard(index: int, event: Discard, wanted: int) -> Finding:
    """A discard of another number of tiles than was led, or where a lead is due (`wanted` 0)."""
    if not wanted:
        return illegal("lead-illegal", index, event)
    return illegal("follow-illegal", index, event, "TG-20")


def check_wall_tiles(index: int, wall: Wall) -> Finding | None:
    """A wall holds the 32 tiles of the set."""
    tiles = sorted(chain.from_iterable(wall.stacks))
    if tiles == _WHOLE_SET:
        return None
    copies = Counter(indices(tiles))
    over = next(kind for kind in sorted(copies) if copies[kind] > COPIES[kind])
    return finding("tile-excess", event=index, logged=CODES[over])


_WHOLE_SET = sorted(code for code, copies in zip(CODES, COPIES, strict=True) for _ in range(copies))


def shares_by_seat(hand: AnyHand, rules: Rules, wall: Wall, throw: Throw) -> list[int] | None:
    """What the wall and the dice give to the seats 0 to 3, packed (RULEBOOK 3.2, ruling 18).

    None where the wall does not say.
    """
    shares = shares_of(wall.method, wall.stacks, size=rules.size, restack=rules.restack)
    if shares is None:
        return None
    first = first_taker(thrower_of(hand, throw), sum(throw.values))
    return [pack(shares[(seat - first) % 4]) for seat in range(4)]


def wrong_share(index: int, event: Deal, share: int) -> Finding:
    """A seat's tiles that are not the packed share that the wall gives it."""
    return finding(
        "deal-wall",
        event=index,
        seat=event.seat,
        logged=format_tiles(indices(event.tiles)),
        expected=format_tiles(unpack(share)),
    )


def check_declaration(
    hand: AnyHand,
    rules: Rules,
    index: int,
    event: Declare,
    dealt: Sequence[str],
    *,
    is_led: bool,
) -> Finding | None:
    """A declared 例牌: its time, held, in force (FORMAT 6.3, 20)."""
    tian_red, one_red = rules.tian_red, rules.one_red
    if is_led:
        rule = "TG-82"
    elif not holds(event.pattern, indices(dealt), tian_red=tian_red, one_red=one_red):
        rule = "TG-80"
    elif event.pattern not in patterns_in_force(hand, rules):
        rule = "TG-81"
    else:
        return None
    return finding(
        "declaration-invalid", event=index, seat=event.seat, logged=event.pattern, rule=rule
    )


# -- statements of the log ------------------------------------------------------------------


def backwards(index: int, event: TienGowEvent, clock: int) -> Finding:
    """A clock that went back; `clock` is the last one logged, right or wrong."""
    return finding(
        "time-backwards", event=index, seat=seat_of(event), logged=event.ms, expected=clock
    )


def wrong_trick(index: int, event: Trick, winner: int, count: int) -> Finding:
    """A logged trick that is not the one that was played."""
    return finding(
        "trick-mismatch",
        event=index,
        seat=event.seat,
        logged=f"{event.seat}/{event.tiles}",
        expected=f"{winner}/{count}",
        rule="TG-26",
    )


def check_bonus(index: int, event: Bonus, earned: Earned | None) -> Finding | None:
    """A logged immediate payment is the one that its trick earned."""
    expected = None
    if earned is not None:
        if (event.seat, event.kind, event.units) == (earned.collector, earned.kind, earned.units):
            return None
        expected = _bonus_text(earned.kind, earned.collector, earned.units)
    return finding(
        "bonus-mismatch",
        event=index,
        seat=event.seat,
        logged=_bonus_text(event.kind, event.seat, event.units),
        expected=expected,
        rule=RULE_OF_KIND[earned.kind if earned is not None else event.kind],
    )


def _bonus_text(kind: str, seat: int, units: tuple[int, int, int, int]) -> str:
    return f"{kind} {seat} {','.join(str(unit) for unit in units)}"
