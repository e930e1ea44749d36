"""The record of banker-bidding Pai Gow with gaps: its fields, and what must be there."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from replay.banker_pai_gow.ranking import RankCode
from replay.partial.gaps import GapName
from replay.partial.record import PartialHand, check_frame, check_gap
from replay.record import Money, Name, Refusal, Seat, Whole, is_set, read_amount, read_base
from replay.record import read_money as money_of
from replay.tiles import TileCode

GAME = "banker-pai-gow"
FIGURES = ("gross", "rake", "net", "valid_bet")


class PartialBanker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is banker, and at which multiple X where that is known."""

    seat: Seat
    multiple: Whole | UnsetType = UNSET


class PartialSeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one seat; an empty seat has no entry.

    `bid` is 0 for no bid. `rank` is the name that the feed gives its tiles. `gross`, `rake` and
    `net` are all there or none; `gross` is before rake.
    """

    seat: Seat
    tiles: tuple[TileCode, TileCode]
    player: Name | UnsetType = UNSET
    carry_in: Money | UnsetType = UNSET
    bid: Whole | UnsetType = UNSET
    bet: Whole | UnsetType = UNSET
    rank: RankCode | UnsetType = UNSET
    gross: Money | UnsetType = UNSET
    rake: Money | UnsetType = UNSET
    net: Money | UnsetType = UNSET
    valid_bet: Money | UnsetType = UNSET


class PartialPaiGow(PartialHand, frozen=True, kw_only=True, tag_field="game", tag=GAME):
    """One hand, as far as a feed tells it; two to four seats are taken."""

    banker: PartialBanker
    seats: Annotated[list[PartialSeat], Meta(min_length=2, max_length=4)]
    base: Money | UnsetType = UNSET


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The amounts in minor units, by seat; None where one is not known.

    `taken` are the seats with an entry, ascending; `players` those but the banker. `money` has the
    figures by their names.
    """

    gaps: frozenset[GapName]
    taken: tuple[int, ...]
    players: tuple[int, ...]
    entries: dict[int, PartialSeat]
    base: int | None
    carry_in: list[int | None]
    money: dict[str, list[int | None]]


def check(hand: PartialPaiGow) -> Facts:
    """Read the amounts, and check that nothing is missing but what the gaps name.

    Raises: Refusal with the place.
    """
    gaps = check_frame(hand, GAME)
    digits = hand.minor_digits
    entries: dict[int, PartialSeat] = {}
    carry_in: list[int | None] = [None] * 4
    money: dict[str, list[int | None]] = {name: [None] * 4 for name in FIGURES}
    for position, entry in enumerate(hand.seats):
        place = f"$.seats[{position}]"
        if entry.seat in entries:
            raise Refusal(f"{place}.seat", f"seat {entry.seat} is there twice")
        entries[entry.seat] = entry
        if entry.carry_in is not UNSET:
            carry_in[entry.seat] = read_amount(entry.carry_in, digits, f"{place}.carry_in")
        for name in FIGURES:
            text = getattr(entry, name)
            if text is not UNSET:
                money[name][entry.seat] = money_of(text, digits, f"{place}.{name}")
        if len({is_set(getattr(entry, name)) for name in FIGURES[:3]}) > 1:
            raise Refusal(place, "gross, rake and net are there together or not at all")
    banker = hand.banker.seat
    if banker not in entries:
        raise Refusal("$.banker.seat", f"the seat {banker} is empty")
    base = None
    if hand.base is not UNSET:
        base = read_base(hand.base, digits, "$.base")
    facts = Facts(
        gaps=gaps,
        taken=tuple(sorted(entries)),
        players=tuple(seat for seat in sorted(entries) if seat != banker),
        entries=entries,
        base=base,
        carry_in=carry_in,
        money=money,
    )
    _check_gaps(hand, facts)
    return facts


def _check_gaps(hand: PartialPaiGow, facts: Facts) -> None:
    entries = [facts.entries[seat] for seat in facts.taken]
    bettors = [facts.entries[seat] for seat in facts.players]
    with_money = [one for one in entries if is_set(one.net)]
    for name, place, is_whole in (
        ("base", "$.base", is_set(hand.base)),
        ("banker_multiple", "$.banker.multiple", is_set(hand.banker.multiple)),
        ("bids", "$.seats", all(is_set(one.bid) for one in entries)),
        ("bets", "$.seats", all(is_set(one.bet) for one in bettors)),
        ("carry_in", "$.seats", all(is_set(one.carry_in) for one in entries)),
        ("ranks", "$.seats", all(is_set(one.rank) for one in entries)),
        ("other_seats_money", "$.seats", len(with_money) == len(entries)),
        ("valid_bet", "$.seats", all(is_set(one.valid_bet) for one in with_money)),
    ):
        check_gap(facts.gaps, name, place, is_whole=is_whole)  # type: ignore[arg-type]
    if hand.banker.seat not in facts.players and is_set(facts.entries[hand.banker.seat].bet):
        raise Refusal("$.seats", "the banker has a bet")
