"""The table after each event, as the observer of a replay sees it."""

from __future__ import annotations

from msgspec.structs import replace

from replay.glossary import POSITION_TITLES, POSITION_TITLES_HANT
from replay.money import format_minor
from replay.steps import Board, DoorView, WagerView
from replay.telling import say
from replay.tiles import CODES
from replay.wenzhou_pai_gow.names import (
    hand_names,
    hand_note,
    position_name,
)
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.payout import profit_of
from replay.wenzhou_pai_gow.play import HAND_TILES, Phase, Replay, turn_of
from replay.wenzhou_pai_gow.ranking import Comparison, Rank, compare, rank_at
from replay.wenzhou_pai_gow.record import (
    BANK,
    DOOR_NUMBERS,
    POSITION_OF,
    POSITIONS,
    Facts,
)

_HEADINGS = {
    Phase.WAGERS: say("Wagers"),
    Phase.DEAL: say("Deal"),
    Phase.OUTCOMES: say("Outcome"),
    Phase.VOID: say("Void"),
}


class Table:
    """Hears a replay. `boards` has the table after each judged event.

    Views of wagers are kept between events, so that a hand of thousands of wagers is no trouble.
    """

    def __init__(self, facts: Facts, rules: Rules) -> None:
        self._facts = facts
        self._rules = rules
        self._accepted = 0
        self._staked_minor = 0
        self._wagers: list[tuple[WagerView, ...]] = [()] * len(POSITIONS)
        self._priced = Phase.WAGERS
        self.comparisons: dict[int, Comparison] = {}
        self.boards: list[Board] = []

    def hear(self, index: int, state: Replay) -> None:
        """Keep the table; a refused event has left the state as it was."""
        self.boards.append(self.board(state))

    def board(self, state: Replay) -> Board:
        """The table of a state."""
        ranks = [rank_at(*tiles) if len(tiles) == HAND_TILES else None for tiles in state.tiles]
        if state.door_wins is not None and not self.comparisons:
            self.comparisons = _comparisons(ranks, self._rules)
        self._follow(state)
        return Board(
            seats=(),
            dice=state.dice,
            dice_note=_dice_note(state),
            heading=_HEADINGS[state.phase],
            notes=_notes(state),
            corner_notes=(self._staked_note(),),
            doors=tuple(self._door(position, state, ranks) for position in range(len(POSITIONS))),
        )

    def _follow(self, state: Replay) -> None:
        """Bring the views of the wagers up to the state: a new one, or their profits."""
        for number in range(self._accepted, state.wagers):
            wager, stake = self._facts.wagers[number], self._facts.stakes[number]
            position = POSITION_OF[wager.door]
            view = WagerView(bet=wager.bet, player=wager.player, side=wager.side, stake_minor=stake)
            self._wagers[position] += (view,)
            self._staked_minor += stake
        self._accepted = state.wagers
        if state.phase >= Phase.OUTCOMES and state.phase != self._priced:
            self._priced = state.phase
            for position in DOOR_NUMBERS:
                self._wagers[position] = tuple(
                    self._with_profit(position, view, state) for view in self._wagers[position]
                )

    def _with_profit(self, position: int, view: WagerView, state: Replay) -> WagerView:
        profit = 0
        if state.phase != Phase.VOID:
            won = self.comparisons[position].door_wins
            profit = profit_of(view.side, view.stake_minor, won, self._rules)
        return replace(view, profit_minor=profit)

    def _door(self, position: int, state: Replay, ranks: list[Rank | None]) -> DoorView:
        rank = ranks[position]
        english = hant = note = None
        if rank is not None:
            english, hant = hand_names(rank)
            note = hand_note(rank, state.tiles[position], with_best=self._best_counts(position))
        comparison = self.comparisons.get(position)
        return DoorView(
            position=POSITIONS[position],
            title=POSITION_TITLES[position],
            title_hant=POSITION_TITLES_HANT[position],
            tiles=tuple(CODES[kind] for kind in state.tiles[position]),
            is_turn=state.phase == Phase.DEAL and turn_of(state) == position,
            hand_name=english,
            hand_name_hant=hant,
            hand_note=note,
            outcome=None if comparison is None else outcome_word(comparison),
            outcome_reason=None if comparison is None else comparison.reason,
            outcome_rule=None if comparison is None else comparison.rule,
            wagers=self._wagers[position],
        )

    def _best_counts(self, position: int) -> bool:
        """The best tile is named where it decided something: on that door, and on the bank."""
        return any(
            comparison.rule in ("WZ-12", "WZ-14")
            for door, comparison in self.comparisons.items()
            if position in (BANK, door)
        )

    def _staked_note(self) -> str:
        amount = format_minor(self._staked_minor, self._facts.minor_digits)
        if self._accepted == 1:
            return say("1 wager, {amount} staked", amount=amount)
        return say("{count} wagers, {amount} staked", count=self._accepted, amount=amount)


def compare_all(state: Replay, rules: Rules) -> dict[int, Comparison]:
    """Each door against the bank, once all tiles are dealt. Rule: WZ-5."""
    return _comparisons([rank_at(*tiles) for tiles in state.tiles], rules)


def _comparisons(ranks: list[Rank] | list[Rank | None], rules: Rules) -> dict[int, Comparison]:
    bank = ranks[BANK]
    assert bank is not None
    comparisons = {}
    for door in DOOR_NUMBERS:
        rank = ranks[door]
        assert rank is not None
        comparisons[door] = compare(rank, bank, rules.zero_rule)
    return comparisons


def outcome_word(comparison: Comparison) -> str:
    """Who wins, in two words."""
    return say("Door wins") if comparison.door_wins else say("Bank wins")


def _notes(state: Replay) -> tuple[str, ...]:
    if state.phase == Phase.VOID:
        return (say("Nothing is owed, all stakes go back"),)
    if state.phase == Phase.DEAL:
        return (say("Next tile to {position}", position=position_name(turn_of(state))),)
    if state.phase == Phase.OUTCOMES:
        return (say("Each door meets the bank only"),)
    return ()


def _dice_note(state: Replay) -> str | None:
    if state.dice is None:
        return None
    total = sum(state.dice)
    return say(
        "{total} ÷ 4 leaves {rest}: {position} is dealt first",
        total=total,
        rest=total % 4,
        position=position_name(state.first),
    )
