"""What each bet and each player gets, and how the log differs from it (RULEBOOK 4.4, FORMAT 6.4).

Stages: profit of a bet → profit of a player; valid bet of a bet → valid bet of a player. All
amounts are minor units.
"""

from __future__ import annotations

from typing import Any

import msgspec

from replay.findings import Finding, finding
from replay.game import Judgement
from replay.money import TEXT_OF, format_minor
from replay.record import Void
from replay.steps import Observer
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.play import Replay, play
from replay.wenzhou_pai_gow.record import Facts, Side, WenzhouHand

_DOOR_INDEX = {"shun": 0, "chu": 1, "dao": 2}


class Book(msgspec.Struct):
    """One player's hand.

    `win` and `lose` are the stakes on each door in order; `valid_bet` the total after offsetting.
    """

    win: list[int]
    lose: list[int]
    bets: list[int]
    profit: int = 0
    valid_bet: int = 0


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """The recomputed settlement.

    Shape: `profits` and `valid_bets` one a wager, in their order; `books` by player, in the order
    of their first wagers, each with the numbers of its wagers.
    """

    bets: list[str]
    profits: list[int]
    valid_bets: list[int]
    books: dict[str, Book]


# -- one bet --------------------------------------------------------------------------------


def is_won(side: Side, door_wins: bool) -> bool:
    """Tell whether a bet wins: on a door to lose whenever the bank wins. Rule: WZ-24."""
    return door_wins == (side == "win")


def profit_of(side: Side, stake: int, door_wins: bool, rules: Rules) -> int:
    """Profit of a bet: at the odds and rounded, or minus the stake. Rule: WZ-23, WZ-28."""
    if not is_won(side, door_wins):
        return -stake
    return rules.win_profit(stake) if side == "win" else rules.lose_profit(stake)


def valid_bet_of(stake: int, profit: int, rules: Rules) -> int:
    """Valid bet of a bet by itself. Rule: WZ-27 (`wz.valid_bet`)."""
    return stake if rules.values_stake else min(stake, abs(profit))


# -- a player -------------------------------------------------------------------------------


def rest_of(win: int, lose: int) -> tuple[Side, int]:
    """What is left on a door after the smaller of its two sides is taken off both.

    Rule: WZ-27 (`wz.hedge = offset`), ruling 6: several bets of a side are one before rounding.
    """
    return ("win", win - lose) if win >= lose else ("lose", lose - win)


def valid_bet_on_door(win: int, lose: int, door_wins: bool, rules: Rules) -> int:
    """What a door adds to a player's valid bet under `wz.hedge = offset`. Rule: WZ-27."""
    side, stake = rest_of(win, lose)
    return valid_bet_of(stake, profit_of(side, stake, door_wins, rules), rules)


def _valid_bet_of_player(
    book: Book, valid_bets: list[int], door_wins: tuple[bool, bool, bool], rules: Rules
) -> int:
    if not rules.offsets:
        return sum([valid_bets[number] for number in book.bets])
    win, lose = book.win, book.lose
    total = 0
    for door in (0, 1, 2):
        if win[door] or lose[door]:
            total += valid_bet_on_door(win[door], lose[door], door_wins[door], rules)
    return total


def settle(facts: Facts, door_wins: tuple[bool, bool, bool] | None, rules: Rules) -> Settlement:
    """Settle every wager of a hand; nothing is owed where it is void (`door_wins` None, WZ-26)."""
    bets: list[str] = []
    profits: list[int] = []
    valid_bets: list[int] = []
    books: dict[str, Book] = {}
    for number, (wager, stake) in enumerate(zip(facts.wagers, facts.stakes, strict=True)):
        book = books.get(wager.player)
        if book is None:
            book = books[wager.player] = Book([0, 0, 0], [0, 0, 0], [])
        book.bets.append(number)
        bets.append(wager.bet)
        if door_wins is None:
            profits.append(0)
            valid_bets.append(0)
            continue
        door = _DOOR_INDEX[wager.door]
        if wager.side == "win":
            book.win[door] += stake
        else:
            book.lose[door] += stake
        profit = profit_of(wager.side, stake, door_wins[door], rules)
        profits.append(profit)
        valid_bets.append(valid_bet_of(stake, profit, rules))
        book.profit += profit
    if door_wins is not None:
        for book in books.values():
            book.valid_bet = _valid_bet_of_player(book, valid_bets, door_wins, rules)
    return Settlement(bets=bets, profits=profits, valid_bets=valid_bets, books=books)


def render(settlement: Settlement, digits: int) -> dict[str, Any]:
    """Write a settlement in the shape of `result` (FORMAT 6.4, 32)."""
    text_of = TEXT_OF[digits]
    return {
        "bets": [
            {
                "bet": bet,
                "profit": text_of[settlement.profits[number]],
                "valid_bet": text_of[settlement.valid_bets[number]],
            }
            for number, bet in enumerate(settlement.bets)
        ],
        "players": [
            {
                "player": player,
                "profit": text_of[book.profit],
                "valid_bet": text_of[book.valid_bet],
            }
            for player, book in settlement.books.items()
        ],
    }


# -- logged against recomputed --------------------------------------------------------------


def is_equal(settlement: Settlement, facts: Facts) -> bool:
    """Tell whether every figure of a logged result is right, and none is missing or too many."""
    logged = facts.bets
    assert logged is not None
    if len(logged) != len(settlement.bets):
        return False
    for number, bet in enumerate(settlement.bets):
        if logged.get(bet) != (settlement.profits[number], settlement.valid_bets[number]):
            return False
    players = facts.players
    if players is None:
        return True
    if len(players) != len(settlement.books):
        return False
    for player, book in settlement.books.items():
        if players.get(player) != (book.profit, book.valid_bet):
            return False
    return True


def compare(settlement: Settlement, facts: Facts, rules: Rules, *, is_void: bool) -> list[Finding]:
    """Each figure of `result` that differs, in the order of FORMAT 6.4, 27.

    Where the log has no entry, or has one that belongs to nothing, that is one profit-mismatch
    and no other finding (FORMAT 6.4, 31). In a void hand nothing follows (FORMAT 6.3, 23).
    """
    if is_equal(settlement, facts):
        return []
    bets = facts.bets
    assert bets is not None
    figures = _Figures(facts.minor_digits)
    for number, bet in enumerate(settlement.bets):
        figures.profit(bet, _part(bets.get(bet), 0), settlement.profits[number])
    _strangers(figures, bets, settlement.bets)
    players = facts.players
    if players is not None:
        for player, book in settlement.books.items():
            follows = None if is_void else _profit_from_logged(book, settlement, bets)
            figures.profit(player, _part(players.get(player), 0), book.profit, follows)
        _strangers(figures, players, settlement.books)
    for number, bet in enumerate(settlement.bets):
        entry = bets.get(bet)
        if entry is not None:
            stake = facts.stakes[number]
            follows = None if is_void else valid_bet_of(stake, entry[0], rules)
            figures.valid_bet(bet, entry[1], settlement.valid_bets[number], follows)
    if players is not None:
        for player, book in settlement.books.items():
            entry = players.get(player)
            if entry is not None:
                follows = None
                if not is_void and not rules.offsets:
                    follows = _valid_bet_from_logged(book, settlement, bets)
                figures.valid_bet(player, entry[1], book.valid_bet, follows)
    return figures.found


class _Figures:
    """Collects the findings on figures; `derived` is the value that earlier logged ones give."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.found: list[Finding] = []

    def profit(
        self, subject: str, logged: int | None, expected: int | None, derived: int | None = None
    ) -> None:
        self._add("profit-mismatch", "WZ-23", subject, logged, expected, derived)

    def valid_bet(
        self, subject: str, logged: int | None, expected: int | None, derived: int | None
    ) -> None:
        self._add("valid-bet-mismatch", "WZ-27", subject, logged, expected, derived)

    def _add(
        self,
        code: str,
        rule: str,
        subject: str,
        logged: int | None,
        expected: int | None,
        derived: int | None,
    ) -> None:
        if logged == expected:
            return
        self.found.append(
            finding(
                code,
                subject=subject,
                logged=None if logged is None else format_minor(logged, self.digits),
                expected=None if expected is None else format_minor(expected, self.digits),
                rule=rule,
                follows=logged is not None and logged == derived,
            )
        )


def _part(entry: tuple[int, int] | None, position: int) -> int | None:
    return None if entry is None else entry[position]


def _strangers(
    figures: _Figures, logged: dict[str, tuple[int, int]], known: list[str] | dict[str, Book]
) -> None:
    """Entries that belong to no wager or player of the hand, in the order of `result`."""
    names = frozenset(known)
    for name, entry in logged.items():
        if name not in names:
            figures.profit(name, entry[0], None)


def _logged_sum(
    book: Book, settlement: Settlement, bets: dict[str, tuple[int, int]], position: int
) -> int | None:
    """Sum over a player's bets of a logged figure, None unless all are logged."""
    total = 0
    for number in book.bets:
        entry = bets.get(settlement.bets[number])
        if entry is None:
            return None
        total += entry[position]
    return total


def _profit_from_logged(
    book: Book, settlement: Settlement, bets: dict[str, tuple[int, int]]
) -> int | None:
    return _logged_sum(book, settlement, bets, 0)


def _valid_bet_from_logged(
    book: Book, settlement: Settlement, bets: dict[str, tuple[int, int]]
) -> int | None:
    return _logged_sum(book, settlement, bets, 1)


# -- the judgement --------------------------------------------------------------------------


def is_void_hand(hand: WenzhouHand) -> bool:
    """Tell whether the last event is a void (FORMAT 6.3, 23)."""
    return bool(hand.events) and type(hand.events[-1]) is Void


def settle_replay(
    hand: WenzhouHand, facts: Facts, rules: Rules, replay: Replay
) -> Settlement | None:
    """The settlement of a replayed hand; None when it stopped and is not void. Rule: WZ-26."""
    if is_void_hand(hand):
        return settle(facts, None, rules)
    if replay.stopped:
        return None
    assert replay.door_wins is not None
    return settle(facts, replay.door_wins, rules)


def judge(hand: WenzhouHand, facts: Facts, rules: Rules, observer: Observer | None) -> Judgement:
    """Replay, settle and compare one hand."""
    replay = play(hand, facts, rules, observer)
    is_void = is_void_hand(hand)
    settlement = settle_replay(hand, facts, rules, replay)
    figures: list[Finding] = []
    if settlement is not None:
        if facts.bets is not None:
            figures = compare(settlement, facts, rules, is_void=is_void)
        elif not is_void:
            figures = [finding("result-missing")]
    return Judgement(
        findings=replay.findings,
        figures=figures,
        stopped=replay.stopped,
        void=is_void,
        settlement=settlement,
    )
