"""Each figure of a settlement with the way to it, by the functions of the audit."""

from __future__ import annotations

from msgspec.structs import replace

from replay.money import Rate, format_minor
from replay.steps import Figure, Stage
from replay.telling import say
from replay.wenzhou_pai_gow.names import position_name
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.payout import (
    Book,
    Settlement,
    is_void_hand,
    is_won,
    profit_of,
    rest_of,
    settle_replay,
    valid_bet_of,
    valid_bet_on_door,
)
from replay.wenzhou_pai_gow.play import Replay, play
from replay.wenzhou_pai_gow.ranking import Comparison
from replay.wenzhou_pai_gow.record import DOOR_NUMBERS, POSITION_OF, Facts, Side, WenzhouHand
from replay.wenzhou_pai_gow.table import compare_all, outcome_word

# Stands as the recomputed value of a logged entry to which nothing in the hand belongs.
NOTHING = "–"


def derive(hand: WenzhouHand, facts: Facts, rules: Rules) -> tuple[Figure, ...]:
    """Profit and valid bet of each bet, then of each player.

    Entries of the log that belong to nothing follow those of their group. Empty where the replay
    stopped and the hand is not void.
    """
    replay = play(hand, facts, rules)
    settlement = settle_replay(hand, facts, rules, replay)
    if settlement is None:
        return ()
    way = _Way(hand, facts, rules, replay, settlement)
    figures: list[Figure] = []
    for number, bet in enumerate(settlement.bets):
        figures += way.of_bet(number, bet)
    figures += _strangers(facts, facts.bets, settlement.bets, "bet", _NO_WAGER)
    for player, book in settlement.books.items():
        figures += way.of_player(player, book)
    figures += _strangers(facts, facts.players, list(settlement.books), "player", _NO_PLAYER)
    return tuple(figures)


_NO_WAGER = say("the hand has no wager of this name")
_NO_PLAYER = say("the hand has no player of this name")


class _Way:
    """Writes the figures of one hand."""

    def __init__(
        self,
        hand: WenzhouHand,
        facts: Facts,
        rules: Rules,
        replay: Replay,
        settlement: Settlement,
    ) -> None:
        self.is_void = is_void_hand(hand)
        self.facts = facts
        self.rules = rules
        self.settlement = settlement
        self.comparisons: dict[int, Comparison] = {}
        if not self.is_void:
            self.comparisons = compare_all(replay, rules)

    def money(self, units: int) -> str:
        return format_minor(units, self.facts.minor_digits)

    # -- bets

    def of_bet(self, number: int, bet: str) -> tuple[Figure, Figure]:
        """Profit and valid bet of a wager."""
        wager = self.facts.wagers[number]
        logged = None if self.facts.bets is None else self.facts.bets.get(bet)
        profit, valid_bet = self.settlement.profits[number], self.settlement.valid_bets[number]
        return self._pair(
            owner=f"bet-{bet}",
            owner_title=f"{bet} {wager.player}",
            owner_note=self._wagered(number),
            subject=bet,
            logged=logged,
            profit=profit,
            profit_stages=self._profit_stages(number),
            valid_bet=valid_bet,
            valid_bet_stages=self._valid_bet_stages(self.facts.stakes[number], profit),
        )

    def _wagered(self, number: int) -> str:
        """What a bet is: "300.00 on 出門 Chu to lose". In a void hand the door may be none."""
        wager, stake = self.facts.wagers[number], self.facts.stakes[number]
        place = POSITION_OF.get(wager.door)
        door = wager.door if place is None else position_name(place)
        money = self.money(stake)
        if wager.side == "win":
            return say("{stake} on {door} to win", stake=money, door=door)
        return say("{stake} on {door} to lose", stake=money, door=door)

    def _pair(
        self,
        *,
        owner: str,
        owner_title: str,
        owner_note: str,
        subject: str,
        logged: tuple[int, int] | None,
        profit: int,
        profit_stages: list[Stage],
        valid_bet: int,
        valid_bet_stages: list[Stage],
    ) -> tuple[Figure, Figure]:
        logged_profit = logged_valid_bet = None
        if logged is not None:
            logged_profit, logged_valid_bet = self.money(logged[0]), self.money(logged[1])
        if self.is_void:
            profit_stages = valid_bet_stages = [self._void_stage()]
        return (
            Figure(
                name="profit",
                title=say("Profit"),
                owner=owner,
                owner_title=owner_title,
                owner_note=owner_note,
                subject=subject,
                logged=logged_profit,
                recomputed=self.money(profit),
                stages=_with_logged(profit_stages, logged_profit),
            ),
            Figure(
                name="valid_bet",
                title=say("Valid bet"),
                owner=owner,
                owner_title=owner_title,
                owner_note=owner_note,
                subject=subject,
                logged=logged_valid_bet,
                recomputed=self.money(valid_bet),
                stages=_with_logged(valid_bet_stages, logged_valid_bet),
            ),
        )

    def _void_stage(self) -> Stage:
        return Stage(
            name="void",
            title=say("Void hand"),
            formula=say("nothing is owed, the stake goes back"),
            value=self.money(0),
            rule="WZ-26",
        )

    def _profit_stages(self, number: int) -> list[Stage]:
        if self.is_void:
            return []
        wager, stake = self.facts.wagers[number], self.facts.stakes[number]
        door = POSITION_OF[wager.door]
        comparison = self.comparisons[door]
        won = is_won(wager.side, comparison.door_wins)
        stages = [
            Stage(
                name="outcome",
                title=say("{position} against the bank", position=position_name(door)),
                formula=comparison.reason,
                value=outcome_word(comparison),
                rule=comparison.rule,
            ),
            Stage(
                name="side",
                title=say("The bet"),
                formula=say("a bet on {position} to win", position=position_name(door))
                if wager.side == "win"
                else say("a bet on {position} to lose", position=position_name(door)),
                value=say("won") if won else say("lost"),
                rule="WZ-24",
            ),
        ]
        profit = self.settlement.profits[number]
        if not won:
            formula = say("a lost bet costs its stake of {money}", money=self.money(stake))
            return [*stages, self._profit_stage(formula, self.money(profit))]
        odds = self.rules.odds_win if wager.side == "win" else self.rules.odds_lose
        return stages + self._paid_stages(stake, odds, profit)

    def _profit_stage(self, formula: str, value: str) -> Stage:
        return Stage(name="profit", title=say("Profit"), formula=formula, value=value, rule="WZ-23")

    def _paid_stages(self, stake: int, odds: Rate, profit: int) -> list[Stage]:
        """Stake × odds, and its rounding where it changes the amount."""
        formula = f"{self.money(stake)} × {odds.text}"
        exact = odds.exact_text_of(stake, self.facts.minor_digits)
        if profit * odds.denominator == stake * odds.numerator:
            return [self._profit_stage(formula, self.money(profit))]
        rounded = say("rounded half up") if self.rules.rounds_half_up else say("rounded down")
        return [
            self._profit_stage(formula, exact),
            Stage(
                name="rounding",
                title=say("Rounding"),
                formula=say("{exact}, {rounded}", exact=exact, rounded=rounded),
                value=self.money(profit),
                rule="WZ-28",
            ),
        ]

    def _valid_bet_stages(self, stake: int, profit: int) -> list[Stage]:
        return [
            Stage(
                name="valid-bet",
                title=say("Valid bet"),
                formula=self._valued(stake, profit),
                value=self.money(valid_bet_of(stake, profit, self.rules)),
                rule="WZ-27",
            )
        ]

    def _valued(self, stake: int, profit: int) -> str:
        if self.rules.values_stake:
            return say("the stake of {money}", money=self.money(stake))
        return say(
            "the lesser of the stake {money} and what was won or lost on it, {money_2}",
            money=self.money(stake),
            money_2=self.money(abs(profit)),
        )

    # -- players

    def of_player(self, player: str, book: Book) -> tuple[Figure, Figure]:
        """Profit and valid bet of a player."""
        settlement = self.settlement
        profits = [settlement.profits[number] for number in book.bets]
        return self._pair(
            owner=f"player-{player}",
            owner_title=player,
            owner_note=say("1 wager")
            if len(book.bets) == 1
            else say("{bets_count} wagers", bets_count=len(book.bets)),
            subject=player,
            logged=None if self.facts.players is None else self.facts.players.get(player),
            profit=book.profit,
            profit_stages=[self._profit_stage(self._sum(profits), self.money(book.profit))],
            valid_bet=book.valid_bet,
            valid_bet_stages=self._player_valid_bet_stages(book),
        )

    def _sum(self, amounts: list[int]) -> str:
        """A sum written out: −500.00 + 300.00 − 282.00."""
        text = self.money(amounts[0]).replace("-", "−")
        for amount in amounts[1:]:
            text += f" {'−' if amount < 0 else '+'} {self.money(abs(amount))}"
        return text

    def _player_valid_bet_stages(self, book: Book) -> list[Stage]:
        if self.is_void:
            return []
        if not self.rules.offsets:
            parts = [self.settlement.valid_bets[number] for number in book.bets]
            return [self._valid_bet_sum(parts, book.valid_bet)]
        stages = []
        parts = []
        for door in DOOR_NUMBERS:
            win, lose = book.win[door - 1], book.lose[door - 1]
            if win or lose:
                stages.append(self._door_stage(door, win, lose))
                door_wins = self.comparisons[door].door_wins
                parts.append(valid_bet_on_door(win, lose, door_wins, self.rules))
        return [*stages, self._valid_bet_sum(parts, book.valid_bet)]

    def _valid_bet_sum(self, parts: list[int], total: int) -> Stage:
        return Stage(
            name="valid-bet",
            title=say("Valid bet"),
            formula=self._sum(parts),
            value=self.money(total),
            rule="WZ-27",
        )

    def _door_stage(self, door: int, win: int, lose: int) -> Stage:
        """What is left of a player's two sides on a door, valued as one bet."""
        side, rest = rest_of(win, lose)
        door_wins = self.comparisons[door].door_wins
        profit = profit_of(side, rest, door_wins, self.rules)
        return Stage(
            name=f"offset-{door}",
            title=say("{position} after offsetting", position=position_name(door)),
            formula=say(
                "{left}; {valued}",
                left=self._left(side, win, lose, rest),
                valued=self._valued(rest, profit),
            ),
            value=self.money(valid_bet_on_door(win, lose, door_wins, self.rules)),
            rule="WZ-27",
        )

    def _left(self, side: Side, win: int, lose: int, rest: int) -> str:
        if not win or not lose:
            if side == "win":
                return say("{money} to win, nothing to offset", money=self.money(rest))
            return say("{money} to lose, nothing to offset", money=self.money(rest))
        if side == "win":
            return say(
                "{win} to win − {lose} to lose = {rest} to win",
                win=self.money(win),
                lose=self.money(lose),
                rest=self.money(rest),
            )
        return say(
            "{lose} to lose − {win} to win = {rest} to lose",
            lose=self.money(lose),
            win=self.money(win),
            rest=self.money(rest),
        )


def _with_logged(stages: list[Stage], logged: str | None) -> tuple[Stage, ...]:
    """The last stage is the figure itself, so the log says something of it."""
    return (*stages[:-1], replace(stages[-1], logged=logged))


def _strangers(
    facts: Facts,
    logged: dict[str, tuple[int, int]] | None,
    known: list[str],
    group: str,
    reason: str,
) -> list[Figure]:
    """The profits of entries to which no wager or player of the hand belongs."""
    names = frozenset(known)
    figures = []
    for name, entry in (logged or {}).items():
        if name not in names:
            text = format_minor(entry[0], facts.minor_digits)
            stage = Stage(
                name="stranger",
                title=say("Not in this hand"),
                formula=reason,
                value=NOTHING,
                logged=text,
                rule="WZ-23",
            )
            figures.append(
                Figure(
                    name="profit",
                    title=say("Profit"),
                    owner=f"{group}-{name}",
                    owner_title=name,
                    subject=name,
                    logged=text,
                    recomputed=NOTHING,
                    stages=(stage,),
                )
            )
    return figures
