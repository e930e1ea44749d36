"""Settlement: units, then money, in stages (RULEBOOK 3.8 to 3.10, TG-50 to TG-92; rulings 7 to 19).

Units are whole numbers of 注, money is in minor units. The stages are pure functions; `derive`
shows them with their numbers, `compare` runs them again on logged figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from replay.money import rake_of, share_largest_remainder
from replay.tien_gow.checks import patterns_in_force
from replay.tien_gow.combinations import (
    HEAVEN_SINGLE,
    LONG_LEG_PAIR,
    MALLET_PAIR,
    MALLET_SINGLE,
    NINE_SINGLE,
    QUADS,
    SUPREME,
    THREE_SINGLE,
)
from replay.tien_gow.immediate import multiples_of
from replay.tien_gow.lipai import EIGHTS, PATTERNS, holds
from replay.tien_gow.options import Rules
from replay.tien_gow.record import AnyHand, Discard, Facts, Play
from replay.tien_gow.state import Replay
from replay.tiles import COPIES, INDEX, TileCode, indices

NOTHING = [0, 0, 0, 0]


# -- the ending -----------------------------------------------------------------------------


class Ending(NamedTuple):
    """How a hand ended.

    `factor` multiplies what seats below par pay; `victim` is the captured seat that pays for
    all of them; `rule` is the one that a wrong `units` cites (FORMAT 6.5).
    """

    kind: str
    factor: int
    victim: int | None = None
    rule: str = "TG-50"


ORDINARY = Ending("ordinary", 1)

_QUADS = frozenset(QUADS)
# Leads that can make the last trick special (3.9).
_SPECIAL_LEADS = _QUADS | {SUPREME, MALLET_PAIR, MALLET_SINGLE, THREE_SINGLE}
# Single tiles with which a last play makes 八支, and with which a first trick bars it (ruling 7).
_LARGEST = frozenset({HEAVEN_SINGLE, NINE_SINGLE})
_SMALLEST = frozenset({MALLET_SINGLE, THREE_SINGLE})


def ending_of(hand: AnyHand, state: Replay, rules: Rules) -> Ending:
    """The ending of a finished hand, in the order of 3.10: 例牌, slam, capture, last trick."""
    if state.declared is not None:
        return _lipai_ending(hand, state, rules)
    if rules.slam and state.tricks[state.winner] == rules.size:
        slam = _slam_ending(hand, state, rules)
        if slam is not None:
            return slam
    if state.last_lead in _SPECIAL_LEADS:
        return _last_trick_ending(hand, state, rules)
    return ORDINARY


def _lipai_ending(hand: AnyHand, state: Replay, rules: Rules) -> Ending:
    """The best pattern in force that the hand holds pays, whichever was declared (ruling 17)."""
    assert state.declared is not None
    kinds = indices(state.dealt[state.declared.seat])
    in_force = patterns_in_force(hand, rules)
    for pattern in PATTERNS:
        if (
            pattern in EIGHTS
            and pattern in in_force
            and holds(pattern, kinds, tian_red=rules.tian_red, one_red=rules.one_red)
        ):
            return Ending("lipai-eight", rules.eight_mult, rule="TG-85")
    return Ending("lipai-seven", rules.seven_mult, rule="TG-85")


def _is_supreme(code: int, rules: Rules) -> bool:
    """至尊 is 武尊, and 文尊 unless that is off (ruling 7)."""
    return code == SUPREME or (code == MALLET_PAIR and rules.has_wen_zun)


def _slam_ending(hand: AnyHand, state: Replay, rules: Rules) -> Ending | None:
    """七支 or 八支 for a seat that took every 棟; None if the first lead bars it (TG-70 to 74)."""
    is_barred = (
        rules.slam_first_lead != "off"
        and state.winner == hand.banker.seat
        and (state.first_lead in _LARGEST or _is_supreme(state.first_lead, rules))
    )
    if is_barred and rules.slam_first_lead == "no_slam":
        return None
    play = state.last_play
    is_quad = play in _QUADS
    if rules.multi_tile_only:
        is_eight = state.last_count > 1
    else:
        is_eight = is_quad or play in _LARGEST or play in _SMALLEST or _is_supreme(play, rules)
    is_eight = is_eight and not is_barred
    factor = rules.eight_mult if is_eight else rules.seven_mult
    if rules.slam_multiply:
        factor *= _own_factor(hand, state, rules)
    elif is_eight and is_quad:
        factor = rules.eight_quad_mult
    return Ending("slam-eight" if is_eight else "slam-seven", factor, rule="TG-70")


def _own_factor(hand: AnyHand, state: Replay, rules: Rules) -> int:
    """What the last trick would multiply by itself; a slam leaves nobody to be captured."""
    if state.last_play in _QUADS:
        return rules.four_bao_mult
    return _last_trick_ending(hand, state, rules).factor


def _last_trick_ending(hand: AnyHand, state: Replay, rules: Rules) -> Ending:
    """包尊, 四大包, 么結 and the captures (3.9; rulings 9 to 11)."""
    lead, play, leader = state.last_lead, state.last_play, state.last_leader
    is_unbeaten = state.winner == leader
    if lead in _QUADS:
        if is_unbeaten or not rules.quad_liable:
            return Ending("four-bao", rules.four_bao_mult)
        return Ending("quad-capture", rules.quad_capture_mult, leader, "TG-66")
    if _is_supreme(lead, rules):
        if is_unbeaten:
            return Ending("bao-zun", rules.bao_zun_mult)
        if play == LONG_LEG_PAIR and rules.wenzun_liable:
            return Ending("capture", rules.capture_mult, leader, "TG-64")
        return ORDINARY
    capturer = rules.capturers.get(lead)
    if capturer is None:
        return ORDINARY
    if is_unbeaten:
        if rules.capturer_live and not _is_capturer_live(hand, state):
            return ORDINARY
        return Ending("yao", rules.yao_mult)
    if play == capturer:
        return Ending("capture", rules.capture_mult, leader, "TG-64")
    return ORDINARY


def _is_capturer_live(hand: AnyHand, state: Replay) -> bool:
    """Whether some tile that captures the led 么 was not out before the last trick (ruling 11)."""
    code: TileCode = "16" if state.last_lead == MALLET_SINGLE else "24"
    out = 0
    for event in hand.events[: state.last_index]:
        if type(event) is Play or type(event) is Discard:
            out += event.tiles.count(code)
    return out < COPIES[INDEX[code]]


# -- units ----------------------------------------------------------------------------------


class Payment(msgspec.Struct, frozen=True, gc=False):
    """What one seat's 棟 cost or earn: `payer` pays `payee` |base| × factor × multiple units.

    `base` is negative below par. In a capture the payer is the victim, not the seat itself.
    """

    seat: int
    base: int
    factor: int
    multiple: int
    payer: int
    payee: int

    @property
    def units(self) -> int:
        """The amount, never negative."""
        return abs(self.base) * self.factor * self.multiple


def payments_of(
    ending: Ending,
    winner: int,
    tricks: Sequence[int],
    *,
    banker: int,
    multiple: int,
    rules: Rules,
) -> list[Payment]:
    """The payments between the winner (結) and each other seat, seats ascending (TG-50 to 57, 64).

    `multiple` is M; `tricks` are 棟 by seat. A seat at par has no payment.
    """
    multiples = multiples_of(winner, banker, multiple, rules)
    victim = ending.victim
    is_dealt = ending.rule == "TG-85"
    payments = []
    for seat in range(4):
        if seat == winner:
            continue
        base = rules.empty if is_dealt else rules.base_of(tricks[seat])
        if base < 0:
            payer = seat if victim is None else victim
            payments.append(Payment(seat, base, ending.factor, multiples[seat], payer, winner))
        elif base > 0:
            times = in_multiple(winner, banker, multiple, rules)
            payments.append(Payment(seat, base, 1, times, winner, seat))
    return payments


def in_multiple(winner: int, banker: int, multiple: int, rules: Rules) -> int:
    """The multiple of 入一/入二: a losing banker gets × 1, a winning one pays × M (TG-54, 55)."""
    if rules.is_global or (winner == banker and rules.in_times_m):
        return multiple
    return 1


def total_units(payments: Sequence[Payment], immediate: Sequence[int]) -> list[int]:
    """Units of each seat: immediate payments and the ending."""
    units = list(immediate)
    for payment in payments:
        amount = payment.base * payment.factor * payment.multiple
        if amount < 0:
            amount = -amount
        units[payment.payer] -= amount
        units[payment.payee] += amount
    return units


def immediate_units(state: Replay) -> list[int]:
    """Units of each seat from the immediate payments that were earned."""
    units = [0, 0, 0, 0]
    for _, earned in state.bonuses:
        for seat in range(4):
            units[seat] += earned.units[seat]
    return units


# -- money ----------------------------------------------------------------------------------


class Pool(NamedTuple):
    """A settlement capped by what the seats carried in (TG-90): claims by seat, and the gross."""

    owed: list[int]
    claimed: list[int]
    gross: list[int]


def pool_of(amounts: Sequence[int], carry_in: Sequence[int], winner: int) -> Pool:
    """Cap a hand's totals by the carry-ins, in minor units (TG-90, ruling 19).

    Remainders go to the earlier seat counted from the seat after the winner.
    """
    owed = [min(-amount, carry) if amount < 0 else 0 for amount, carry in _zip(amounts, carry_in)]
    claimed = [min(amount, carry) if amount > 0 else 0 for amount, carry in _zip(amounts, carry_in)]
    total = min(sum(owed), sum(claimed))
    order = [(winner + step) % 4 for step in (1, 2, 3, 4)]
    gross = [0, 0, 0, 0]
    for weights, sign in ((owed, -1), (claimed, 1)):
        parts = share_largest_remainder(total, [weights[seat] for seat in order])
        for seat, part in zip(order, parts, strict=True):
            gross[seat] += sign * part
    return Pool(owed, claimed, gross)


def _zip(one: Sequence[int], other: Sequence[int]) -> zip[tuple[int, int]]:
    return zip(one, other, strict=True)


def gross_of(
    units: Sequence[int], base: int, carry_in: Sequence[int], winner: int, rules: Rules
) -> list[int]:
    """Units × base, after any cap (TG-58, TG-90). Units that do not balance are not capped."""
    amounts = [count * base for count in units]
    if rules.net_pool and not sum(amounts):
        return pool_of(amounts, carry_in, winner).gross
    return amounts


def rake_on(gross: int, rules: Rules) -> int:
    """The rake of a seat (TG-91)."""
    return rake_of(gross, rules.rake_rate, rules.rake_round)


def next_bank(winner: int, banker: int, streak: int) -> tuple[int, int]:
    """The next banker and the length of the bank then (TG-5, TG-6)."""
    return winner, streak + 1 if winner == banker else 1


class Settled(msgspec.Struct, frozen=True):
    """The recomputed settlement by seat: 棟, units, and money in minor units."""

    winner: int | None
    tricks: list[int]
    units: list[int]
    gross: list[int]
    rake: list[int]
    net: list[int]
    valid_bet: list[int]
    next: tuple[int, int]
    ending: Ending


def settle(hand: AnyHand, facts: Facts, state: Replay, rules: Rules) -> Settled:
    """Settle a hand that was replayed to its end."""
    banker, streak = hand.banker.seat, hand.banker.streak
    winner = state.winner
    ending = ending_of(hand, state, rules)
    payments = payments_of(
        ending,
        winner,
        state.tricks,
        banker=banker,
        multiple=rules.multiple_of(streak),
        rules=rules,
    )
    units = total_units(payments, immediate_units(state) if state.bonuses else NOTHING)
    gross = gross_of(units, facts.base, facts.carry_in, winner, rules)
    if rules.rake_rate.numerator:
        rake = [rake_on(amount, rules) for amount in gross]
        net = [amount - fee for amount, fee in _zip(gross, rake)]
    else:
        rake, net = NOTHING, gross
    valid_bet = [abs(amount) for amount in (net if rules.valid_of_net else gross)]
    return Settled(
        winner,
        state.tricks,
        units,
        gross,
        rake,
        net,
        valid_bet,
        next_bank(winner, banker, streak),
        ending,
    )


def settle_void(hand: AnyHand) -> Settled:
    """A void hand: nothing is owed, the bank stays (FORMAT 6.3, 23)."""
    return Settled(
        None,
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
        (hand.banker.seat, hand.banker.streak),
        ORDINARY,
    )
