"""The yardstick from outside: PokerKit reading and replaying hands of its own format, PHH."""

from __future__ import annotations

import random

from pokerkit import Automation, HandHistory, NoLimitTexasHoldem, State

PLAYERS, STACK, BLINDS, BET_MIN = 6, 200, (1, 2), 2

# Everything but the players' own decisions.
_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_DEALING,
    Automation.BOARD_DEALING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


def hands(count: int, seed: int) -> list[str]:
    """So many texts of PHH: no-limit hold'em, six players, random legal decisions."""
    # PokerKit shuffles with the generator that all of Python shares.
    state_before = random.getstate()
    random.seed(seed)
    try:
        game = NoLimitTexasHoldem(_AUTOMATIONS, True, 0, BLINDS, BET_MIN)
        return [_hand(game) for _ in range(count)]
    finally:
        random.setstate(state_before)


def _hand(game: NoLimitTexasHoldem) -> str:
    state = game([STACK] * PLAYERS, PLAYERS)
    while state.status:
        _act(state)
    return HandHistory.from_game_state(game, state).dumps()


def _act(state: State) -> None:
    choice = random.random()
    if choice < 0.12 and state.can_complete_bet_or_raise_to():
        low = state.min_completion_betting_or_raising_to_amount
        high = state.pot_completion_betting_or_raising_to_amount
        assert low is not None
        assert high is not None
        state.complete_bet_or_raise_to(random.randint(low, max(low, high)))
    elif choice < 0.4 and state.can_fold():
        state.fold()
    else:
        state.check_or_call()


def actions_in(texts: list[str]) -> int:
    """How many actions the hands have together, deals and showdowns counted."""
    return sum(len(HandHistory.loads(text).actions) for text in texts)


def replay_all(texts: list[str]) -> None:
    """Read and replay each hand to its end."""
    for text in texts:
        for _ in HandHistory.loads(text):
            pass
