"""The replay of a hand: one loop over its events, stopped by the first that the rules refuse.

The bulk audit runs this on every hand, so the loop keeps plain integers in local names: holdings
packed (`combinations`), combinations as integers, the window of what beats the lead. Everything
rare is a function of its own below. An observer, where there is one, hears a `Moment` after each
event that was accepted.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from replay.findings import Finding, finding
from replay.record import Void
from replay.steps import Observer
from replay.tien_gow.checks import (
    backwards,
    check_bonus,
    check_declaration,
    check_wall_tiles,
    illegal,
    illegal_discard,
    not_held,
    out_of_order,
    out_of_turn,
    shares_by_seat,
    wrong_count,
    wrong_share,
    wrong_trick,
)
from replay.tien_gow.combinations import (
    COMBINATIONS,
    GUARD,
    SINGLES,
    WHOLE_SET,
    first_over,
    pack,
    refusal_rule,
)
from replay.tien_gow.immediate import Earned, earned_by
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
    is_void,
)
from replay.tien_gow.state import Moment, Replay

# The set with a guard over each kind: taking more copies than there are clears it.
_SUPPLY = WHOLE_SET + GUARD

Events = Iterator[tuple[int, TienGowEvent]]


class _Stop(Exception):
    """The rules refuse an event: nothing after it is looked at (FORMAT 6.3, 19)."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.code)
        self.found = found


def replay(hand: AnyHand, rules: Rules, observer: Observer | None = None) -> Replay:
    """Replay a hand up to its end, or to the first event that the rules refuse."""
    state = Replay()
    events: Events = enumerate(hand.events)
    try:
        if _deal(hand, rules, state, events, observer):
            _play(hand, rules, state, events, observer)
        elif not is_void(hand):
            _stop_if(finding("event-order"))
    except _Stop as stop:
        state.findings.append(stop.found)
        state.stopped = True
    return state


def _deal(
    hand: AnyHand, rules: Rules, state: Replay, events: Events, observer: Observer | None
) -> bool:
    """Dice, wall and the four deals. Returns: False when the hand ended before they were done."""
    size, dealt, holdings = rules.size, state.dealt, state.holdings
    clock, total, done = -1, 0, 0
    for index, event in events:
        ms = event.ms
        if ms is not UNSET:
            if ms < clock:
                state.findings.append(backwards(index, event, clock))
            clock = ms
        if type(event) is Deal:
            seat, tiles = event.seat, event.tiles
            if dealt[seat]:
                raise _Stop(out_of_order(index, event))
            if len(tiles) != size:
                raise _Stop(wrong_count(index, event, size))
            packed = pack(tiles)
            total += packed
            if (_SUPPLY - total) & GUARD != GUARD:
                # Earlier deals were within the set, so whatever is over is among these tiles.
                over = first_over(total, WHOLE_SET)
                raise _Stop(finding("tile-excess", event=index, seat=seat, logged=over))
            if state.shares is not None and packed != state.shares[seat]:
                raise _Stop(wrong_share(index, event, state.shares[seat]))
            dealt[seat] = tiles
            holdings[seat] = list(tiles)
            done += 1
        elif type(event) is Void:
            _end_with_void(state, events, clock)
            return False
        else:
            _set_up(hand, rules, state, index, event, is_dealt=done > 0)
        if observer is not None:
            observer(index, Moment(turn=hand.banker.seat if done == 4 else None, left=size))
        if done == 4:
            state.clock = clock
            return True
    return False


def _play(  # noqa: C901 (see below)
    hand: AnyHand, rules: Rules, state: Replay, events: Events, observer: Observer | None
) -> None:
    """The tricks. One long function on purpose: a call for each event would double its time."""
    banker = hand.banker.seat
    multiple = rules.multiple_of(hand.banker.streak)
    windows, bonus_base, min_jie = rules.windows, rules.bonus_base, rules.min_jie
    combination = COMBINATIONS.get
    single = SINGLES
    holdings, tricks = state.holdings, state.tricks
    clock, is_over = state.clock, False
    turn, left, number = banker, rules.size, 0
    # How many tiles each seat must play: none are led yet between two tricks.
    wanted = 0
    count = lead = floor = ceiling = best_play = capturer = 0
    leader = best = -1
    earned: Earned | None = None
    may_trick = may_bonus = False
    for index, event in events:
        ms = event.ms
        if ms is not UNSET:
            if ms < clock:
                state.findings.append(backwards(index, event, clock))
            clock = ms
        if type(event) is Discard:
            tiles = event.tiles
            if event.seat != turn:
                raise _Stop(out_of_turn(index, event, turn, number, wanted))
            holding = holdings[turn]
            try:
                for tile in tiles:
                    holding.remove(tile)
            except ValueError:
                raise _Stop(not_held(hand, index, event, state.dealt[turn])) from None
            if len(tiles) != wanted:
                raise _Stop(illegal_discard(index, event, wanted))
            turn = turn + 1 & 3
        elif type(event) is Play:
            tiles = event.tiles
            if event.seat != turn:
                raise _Stop(out_of_turn(index, event, turn, number, wanted))
            holding = holdings[turn]
            try:
                for tile in tiles:
                    holding.remove(tile)
            except ValueError:
                raise _Stop(not_held(hand, index, event, state.dealt[turn])) from None
            played = len(tiles)
            play = single[tiles[0]] if played == 1 else combination(pack(tiles), 0)
            if not wanted:
                if not play:
                    raise _Stop(illegal("lead-illegal", index, event))
                lead = best_play = play
                leader = best = turn
                wanted = count = played
                floor, ceiling = windows[lead]
                number += 1
                may_trick = may_bonus = False
                capturer = 0
                if count == left:
                    # The leader of the last trick has taken one, so TG-32 never stops him (TG-33);
                    # the single lead of four tiles in the small game is enough by itself.
                    state.last_index = index
                    if rules.first_captor:
                        capturer = rules.capturers.get(lead, 0)
            else:
                if not floor < play < ceiling:
                    best_now = floor if best != leader else lead
                    is_same = played == count
                    rule = refusal_rule(play or None, lead, best_now, same_number=is_same)
                    raise _Stop(illegal("follow-illegal", index, event, rule))
                if count == left and tricks[turn] + count < min_jie:
                    raise _Stop(illegal("not-eligible", index, event, "TG-32"))
                floor = play
                # Under `first_captor` the trick stays with the seat that captured the led 么,
                # though a higher tile may still be played (ruling 9).
                if not capturer or best_play != capturer:
                    best, best_play = turn, play
            turn = turn + 1 & 3
        elif type(event) is Trick and may_trick:
            may_trick = False
            if event.seat != best or event.tiles != count:
                _note_trick(state, index, event, best, count)
        elif type(event) is Bonus and may_bonus:
            may_bonus = False
            _note_bonus(state, index, event, earned)
        elif type(event) is Declare:
            dealt = state.dealt[event.seat]
            _stop_if(check_declaration(hand, rules, index, event, dealt, is_led=number > 0))
            state.declared = event
            is_over = True
        elif type(event) is Void:
            _end_with_void(state, events, clock)
            return
        else:
            raise _Stop(out_of_order(index, event))
        if turn == leader and wanted:
            turn = best
            tricks[best] += count
            left -= count
            wanted = 0
            is_over = not left
            if number == 1:
                state.first_lead = lead
            may_trick = may_bonus = True
            earned = None
            if lead in bonus_base and (left or rules.bao_also_he):
                earned = earned_by(
                    lead, leader, best, best_play, banker=banker, multiple=multiple, rules=rules
                )
                if earned is not None:
                    state.bonuses.append((number, earned))
        if observer is not None:
            observer(
                index,
                Moment(
                    turn=None if is_over else turn,
                    number=number,
                    position=(turn - leader) & 3 if wanted else 4 if number else 0,
                    count=count,
                    lead=lead,
                    best=best,
                    best_play=best_play,
                    highest=lead if best == leader else floor,
                    left=left,
                    tricks=tuple(tricks),
                    bonuses=tuple(state.bonuses),
                    is_over=is_over,
                ),
            )
        if is_over:
            break
    else:
        raise _Stop(finding("event-order"))
    state.is_over = True
    state.clock = clock
    state.winner = best if state.declared is None else state.declared.seat
    state.last_lead, state.last_leader = lead, leader
    state.last_play, state.last_count = best_play, count
    state.number = number
    _finish(state, events, earned, observer)


def _finish(
    state: Replay, events: Events, earned: Earned | None, observer: Observer | None
) -> None:
    """After the end: the last trick's `trick` and `bonus`, and a `void`; nothing else."""
    may_trick = may_bonus = state.declared is None
    clock = state.clock
    for index, event in events:
        ms = event.ms
        if ms is not UNSET:
            if ms < clock:
                state.findings.append(backwards(index, event, clock))
            clock = ms
        if type(event) is Trick and may_trick:
            may_trick = False
            if event.seat != state.winner or event.tiles != state.last_count:
                _note_trick(state, index, event, state.winner, state.last_count)
                state.winner_claim = event.seat
        elif type(event) is Bonus and may_bonus:
            may_bonus = False
            _note_bonus(state, index, event, earned)
        elif type(event) is Void:
            _end_with_void(state, events, clock)
            return
        else:
            raise _Stop(out_of_order(index, event))
        if observer is not None:
            observer(
                index,
                Moment(
                    turn=None,
                    number=state.number,
                    position=4,
                    count=state.last_count,
                    lead=state.last_lead,
                    best=state.winner,
                    best_play=state.last_play,
                    highest=state.last_play,
                    tricks=tuple(state.tricks),
                    bonuses=tuple(state.bonuses),
                    is_over=True,
                ),
            )


# -- what is rare ---------------------------------------------------------------------------


def _set_up(
    hand: AnyHand, rules: Rules, state: Replay, index: int, event: TienGowEvent, *, is_dealt: bool
) -> None:
    """Dice and wall, at most one each, in this order, before the first deal (FORMAT 6.3, 26)."""
    throw = state.throw
    if type(event) is Throw and not is_dealt and throw is None:
        state.throw = event
    elif type(event) is Wall and not is_dealt and throw is not None and state.wall is None:
        _stop_if(check_wall_tiles(index, event))
        state.wall = event
        state.shares = shares_by_seat(hand, rules, event, throw)
    else:
        raise _Stop(out_of_order(index, event))


def _stop_if(found: Finding | None) -> None:
    if found is not None:
        raise _Stop(found)


def _end_with_void(state: Replay, events: Events, clock: int) -> None:
    """After a `void` nothing may come."""
    for index, event in events:
        if event.ms is not UNSET and event.ms < clock:
            state.findings.append(backwards(index, event, clock))
        raise _Stop(out_of_order(index, event))


def _note_trick(state: Replay, index: int, event: Trick, winner: int, count: int) -> None:
    """A wrong `trick` is a statement: the replay goes on, and figures may follow from it."""
    state.findings.append(wrong_trick(index, event, winner, count))
    claims = state.trick_claims = state.trick_claims or [0, 0, 0, 0]
    claims[event.seat] += event.tiles
    claims[winner] -= count


def _note_bonus(state: Replay, index: int, event: Bonus, earned: Earned | None) -> None:
    """A `bonus`, too, is a statement."""
    found = check_bonus(index, event, earned)
    if found is None:
        return
    state.findings.append(found)
    due = earned.units if earned is not None else (0, 0, 0, 0)
    claims = state.bonus_claims = state.bonus_claims or [0, 0, 0, 0]
    for seat in range(4):
        claims[seat] += event.units[seat] - due[seat]
