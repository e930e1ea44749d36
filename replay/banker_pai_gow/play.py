"""The replay of a hand, event by event (RULEBOOK 2.1, 2.5; FORMAT 6.3).

One loop, one small state, one function a kind of event. A function either changes the state or
returns the refusal and changes nothing; the replay stops at the first refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from replay.banker_pai_gow.options import BidTie, Rules, TieRule
from replay.banker_pai_gow.ranking import NINE_POINTS_RANK, RANKS, TIE_MARGIN
from replay.banker_pai_gow.record import (
    Banker,
    Bet,
    Bid,
    Compare,
    Deal,
    DiceThrow,
    Facts,
    PaiGowEvent,
    PaiGowHand,
    Reveal,
)
from replay.findings import Finding, finding, joined
from replay.record import Void
from replay.steps import Observer
from replay.tiles import CODES, COPIES, INDEX, KIND_COUNT, TileCode, format_tiles, indices

HOLDING_SIZE = 2
WINNERS = {1: "player", -1: "banker", 0: "push"}


class Phase(IntEnum):
    """Where the hand stands: what the next event must be."""

    BID = 0
    BANKER = 1
    BET = 2
    DICE = 3
    DEAL = 4
    REVEAL = 5
    COMPARE = 6
    VOID = 7


# What each phase still requires (FORMAT 6.5).
REQUIRED = ("bid", "banker", "bet", "dice", "deal", "reveal", None, None)

# Plain numbers, because they are compared for each event of millions of hands.
_BID, _BANKER, _BET, _DICE, _DEAL, _REVEAL, _COMPARE, _VOID = map(int, Phase)


class Play:
    """The state of a replay. Lists are by seat 0 to 3; None where nothing is known yet.

    `count` are the events of the current phase, `dealt` the copies by kind; `tiles` are those that
    each seat was dealt, `holdings` the same as first kind × 21 + second kind; `outcomes` the
    players' (1 wins, -1 loses, 0 push) once all have shown. `refused_at` is None where the hand
    ended too early.
    """

    __slots__ = (
        "banker", "bets", "bids", "carry_in", "compared", "count", "dealt", "dice", "findings",
        "first", "hand", "holdings", "multiple", "outcomes", "phase", "refusal", "refused_at",
        "rules", "shown", "tiles",
    )  # fmt: skip

    def __init__(self, hand: PaiGowHand, facts: Facts, rules: Rules) -> None:
        self.hand = hand
        self.rules = rules
        self.carry_in = facts.carry_in
        self.phase = _BID
        self.count = 0
        self.bids: list[int | None] = [None, None, None, None]
        self.banker = -1
        self.multiple = 0
        self.bets: list[int | None] = [None, None, None, None]
        self.dice: tuple[int, int] | None = None
        self.first = -1
        self.dealt = [0] * KIND_COUNT
        self.holdings: list[int | None] = [None, None, None, None]
        self.tiles: list[list[TileCode]] = [[], [], [], []]
        self.shown = [False, False, False, False]
        self.compared = [False, False, False, False]
        self.outcomes = [0, 0, 0, 0]
        self.findings: list[Finding] = []
        self.refusal: Finding | None = None
        self.refused_at: int | None = None


def replay(hand: PaiGowHand, facts: Facts, rules: Rules, observer: Observer | None = None) -> Play:
    """Replay the events of a hand up to its end or to the first refusal.

    `observer` hears (event index, state) after each event that was accepted. Findings on events
    are in `Play.findings`, the refusal last.
    """
    play = Play(hand, facts, rules)
    clock = -1
    for index, event in enumerate(hand.events):
        ms = event.ms
        if ms is not UNSET:
            if ms < clock:
                play.findings.append(
                    finding(
                        "time-backwards",
                        event=index,
                        seat=getattr(event, "seat", None),
                        logged=ms,
                        expected=clock,
                    )
                )
            clock = ms
        refusal = _TAKE[type(event)](play, event, index)
        if refusal is not None:
            _stop(play, refusal, index)
            return play
        if observer is not None:
            observer(index, play)
    if play.phase < _COMPARE:
        missing = finding("event-order", expected=REQUIRED[play.phase], rule="PG-3")
        _stop(play, missing, None)
    return play


def _stop(play: Play, refusal: Finding, index: int | None) -> None:
    if index is not None:
        refusal = replace(refusal, event=index)
    play.refusal = refusal
    play.refused_at = index
    play.findings.append(refusal)


def _out_of_place(play: Play, event: PaiGowEvent) -> Finding:
    return finding(
        "event-order",
        seat=getattr(event, "seat", None),
        logged=event.__struct_config__.tag,
        expected=REQUIRED[play.phase],
        rule="PG-3",
    )


def _take_bid(play: Play, event: Bid, index: int) -> Finding | None:
    """PG-4."""
    seat, multiple = event.seat, event.multiple
    if play.phase != _BID or play.bids[seat] is not None:
        return _out_of_place(play, event)
    offered = play.hand.stakes.bid_multiples
    if multiple not in offered:
        return finding(
            "bid-illegal", seat=seat, logged=multiple, expected=joined(offered), rule="PG-4"
        )
    if event.auto is True and multiple != 0:
        return finding("auto-default", seat=seat, logged=multiple, expected=0, rule="PG-4")
    play.bids[seat] = multiple
    play.count += 1
    if play.count == 4:
        play.phase = _BANKER
    return None


def top_bidders(play: Play) -> list[int]:
    """The seats that bid the most; all four when nobody bid (PG-4, PG-6)."""
    bids = [bid or 0 for bid in play.bids]
    top = max(bids)
    return [seat for seat, bid in enumerate(bids) if bid == top]


def legal_bankers(play: Play) -> list[int]:
    """The seats that may be banker, ascending.

    With no bid any seat may be, whatever `bid_tie` says; of several top bidders under
    `most_coins` only those with the largest carry-in (PG-5; FORMAT 6.3, 24).
    """
    seats = top_bidders(play)
    if len(seats) > 1 and play.bids[seats[0]] and play.rules.bid_tie is BidTie.MOST_COINS:
        most = max(play.carry_in[seat] for seat in seats)
        seats = [seat for seat in seats if play.carry_in[seat] == most]
    return seats


def _take_banker(play: Play, event: Banker, index: int) -> Finding | None:
    """PG-4 to PG-6."""
    seat, multiple = event.seat, event.multiple
    if play.phase != _BANKER:
        return _out_of_place(play, event)
    legal = legal_bankers(play)
    if seat not in legal:
        return finding(
            "banker-wrong",
            seat=seat,
            logged=seat,
            expected=joined(legal),
            rule="PG-5" if seat in top_bidders(play) else "PG-4",
        )
    # Nobody bid: the bank goes at the lowest multiple, 1 (PG-6).
    bid = play.bids[seat]
    if multiple != (bid or 1):
        return finding(
            "banker-multiple",
            seat=seat,
            logged=multiple,
            expected=bid or 1,
            rule="PG-4" if bid else "PG-6",
        )
    play.banker = seat
    play.multiple = multiple
    play.phase = _BET
    play.count = 0
    return None


def _take_bet(play: Play, event: Bet, index: int) -> Finding | None:
    """PG-7, PG-8."""
    seat, multiple = event.seat, event.multiple
    if play.phase != _BET or seat == play.banker or play.bets[seat] is not None:
        return _out_of_place(play, event)
    if event.offered is UNSET:
        offered, rule = play.hand.stakes.bet_multiples, "PG-7"
    else:
        offered, rule = event.offered, "PG-8"
    if multiple not in offered:
        return finding(
            "bet-illegal", seat=seat, logged=multiple, expected=joined(offered), rule=rule
        )
    if event.auto is True and multiple != offered[0]:
        return finding("auto-default", seat=seat, logged=multiple, expected=offered[0], rule="PG-7")
    play.bets[seat] = multiple
    play.count += 1
    if play.count == 3:
        play.phase = _DICE
    return None


def first_seat(banker: int, dice: tuple[int, int]) -> int:
    """Where the deal starts: counted clockwise from the banker as 1 (PG-9)."""
    return (banker - (dice[0] + dice[1] - 1)) % 4


def _take_dice(play: Play, event: DiceThrow, index: int) -> Finding | None:
    """PG-9."""
    if play.phase != _DICE:
        return _out_of_place(play, event)
    play.dice = event.values
    play.first = first_seat(play.banker, event.values)
    play.phase = _DEAL
    play.count = 0
    return None


def _take_deal(play: Play, event: Deal, index: int) -> Finding | None:
    """PG-1, PG-9, PG-10."""
    seat, tiles = event.seat, event.tiles
    if play.phase != _DEAL or play.holdings[seat] is not None:
        return _out_of_place(play, event)
    right = (play.first + play.count) % 4
    if seat != right:
        rule = "PG-10" if play.count else "PG-9"
        return finding("deal-order", seat=seat, logged=seat, expected=right, rule=rule)
    if len(tiles) != HOLDING_SIZE:
        return finding(
            "deal-count", seat=seat, logged=len(tiles), expected=HOLDING_SIZE, rule="PG-1"
        )
    first, second = INDEX[tiles[0]], INDEX[tiles[1]]
    dealt = play.dealt
    if dealt[first] == COPIES[first] or dealt[second] + (first == second) >= COPIES[second]:
        return _excess(play, seat, first, second)
    dealt[first] += 1
    dealt[second] += 1
    play.holdings[seat] = first * KIND_COUNT + second
    play.tiles[seat] = tiles
    play.count += 1
    if play.count == 4:
        play.phase = _REVEAL
        play.count = 0
    return None


def _excess(play: Play, seat: int, first: int, second: int) -> Finding:
    """The first of two tiles of which more have been dealt than the set holds (PG-1)."""
    kind, copies = first, play.dealt[first] + 1
    if copies <= COPIES[first]:
        kind, copies = second, play.dealt[second] + 1 + (first == second)
    code, limit = CODES[kind], COPIES[kind]
    return finding(
        "tile-excess", seat=seat, subject=code, logged=copies, expected=limit, rule="PG-1"
    )


def next_to_reveal(play: Play) -> int:
    """The seat whose turn it is to show: clockwise from the banker, or from the next (PG-11)."""
    return (play.banker - play.rules.first_reveal - play.count) % 4


def _take_reveal(play: Play, event: Reveal, index: int) -> Finding | None:
    """PG-11; the logged name of the rank is a statement and does not stop (PG-19, PG-20)."""
    seat, tiles = event.seat, event.tiles
    if play.phase != _REVEAL or play.shown[seat]:
        return _out_of_place(play, event)
    right = next_to_reveal(play)
    if seat != right:
        return finding("reveal-order", seat=seat, logged=seat, expected=right, rule="PG-11")
    dealt = play.tiles[seat]
    if tiles not in (dealt, dealt[::-1]):
        was, is_ = format_tiles(indices(tiles)), format_tiles(indices(dealt))
        return finding("tile-not-held", seat=seat, logged=was, expected=is_, rule="PG-11")
    if event.rank is not UNSET:
        holding = play.holdings[seat]
        assert holding is not None
        rank = RANKS[play.rules.ladder.ranks[holding] - 1]
        if event.rank != rank.code:
            play.findings.append(
                finding(
                    "rank-mismatch",
                    event=index,
                    seat=seat,
                    logged=event.rank,
                    expected=rank.code,
                    rule="PG-20" if rank.number >= NINE_POINTS_RANK else "PG-19",
                )
            )
    play.shown[seat] = True
    play.count += 1
    if play.count == 4:
        play.phase = _COMPARE
        _decide(play)
    return None


def _decide(play: Play) -> None:
    """Compare each player with the banker, and with nobody else (PG-12)."""
    rules = play.rules
    strengths = rules.ladder.strengths
    banker = play.banker
    holding = play.holdings[banker]
    assert holding is not None
    bank = strengths[holding]
    # Equal holdings, and 0 points against 0 points where they have no rank of their own.
    tied = -1 if rules.tie_rule is TieRule.BANKER_WINS or bank == rules.ladder.zero_strength else 0
    outcomes = play.outcomes
    for seat, holding in enumerate(play.holdings):
        if seat != banker:
            assert holding is not None
            margin = strengths[holding] - bank
            if margin > TIE_MARGIN:
                outcomes[seat] = 1
            elif margin < -TIE_MARGIN:
                outcomes[seat] = -1
            else:
                outcomes[seat] = tied


def _take_compare(play: Play, event: Compare, index: int) -> Finding | None:
    """PG-12; what the log says of the outcome is a statement and does not stop."""
    seat = event.seat
    if play.phase != _COMPARE or seat == play.banker or play.compared[seat]:
        return _out_of_place(play, event)
    play.compared[seat] = True
    winner = WINNERS[play.outcomes[seat]]
    if event.winner != winner:
        play.findings.append(
            finding(
                "compare-mismatch",
                event=index,
                seat=seat,
                logged=event.winner,
                expected=winner,
                rule="PG-12",
            )
        )
    return None


def _take_void(play: Play, event: Void, index: int) -> Finding | None:
    """FORMAT 6.3, 23: it may come at any point, once, and nothing after it."""
    if play.phase == _VOID:
        return _out_of_place(play, event)
    play.phase = _VOID
    return None


_TAKE: dict[type[Any], Callable[[Play, Any, int], Finding | None]] = {
    Bid: _take_bid,
    Banker: _take_banker,
    Bet: _take_bet,
    DiceThrow: _take_dice,
    Deal: _take_deal,
    Reveal: _take_reveal,
    Compare: _take_compare,
    Void: _take_void,
}
