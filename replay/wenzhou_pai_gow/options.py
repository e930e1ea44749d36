"""The options of Wenzhou Pai Gow (RULEBOOK 7.3), compiled once a ruleset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from replay.money import Rate
from replay.ruleset import Option, OptionValue, choice, citing, decimal_rate, whole
from replay.wenzhou_pai_gow.ranking import ZeroRule, strengths

# The rules that the options decide.
_RULES = {
    "odds_win": "WZ-23", "odds_lose": "WZ-23", "zero_rule": "WZ-15", "max_lose_doors": "WZ-21",
    "max_win_doors": "WZ-21", "same_door_both": "WZ-22", "valid_bet": "WZ-27", "hedge": "WZ-27",
    "round": "WZ-28",
}  # fmt: skip

OPTIONS: Mapping[str, Option] = MappingProxyType(
    citing(
        (
            decimal_rate("odds_win", alternatives=("1", "0.99")),
            decimal_rate("odds_lose", alternatives=("0.94", "0.93")),
            choice(
                "zero_rule", "door_zero_loses", "zero_vs_zero_by_tile", "banker_zero_sweeps_all"
            ),
            # Not tried as explanations: they decide what may be bet, never a figure.
            whole("max_lose_doors", least=1, most=3),
            whole("max_win_doors", least=1, most=3),
            choice("same_door_both", "allow_flag", "reject"),
            choice("valid_bet", "abs_pnl", "stake"),
            choice("hedge", "offset", "none"),
            choice("round", "floor", "half_up"),
        ),
        _RULES,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules in force for a hand.

    `win_profit` and `lose_profit` turn a stake into the rounded profit of a bet that won;
    `door_strengths` and `bank_strengths` are the tables of `ranking.strengths`.
    """

    odds_win: Rate
    odds_lose: Rate
    win_profit: Callable[[int], int]
    lose_profit: Callable[[int], int]
    zero_rule: ZeroRule
    max_lose_doors: int
    max_win_doors: int
    rejects_both_sides: bool
    values_stake: bool
    offsets: bool
    rounds_half_up: bool
    door_strengths: tuple[int, ...]
    bank_strengths: tuple[int, ...]


def prepare(options: Mapping[str, OptionValue]) -> Rules:
    """Compile the options of a ruleset, each checked before (`OPTIONS`)."""
    odds_win = Rate.parse(_word(options, "odds_win"))
    odds_lose = Rate.parse(_word(options, "odds_lose"))
    half_up = options["round"] == "half_up"
    zero_rule = cast(ZeroRule, _word(options, "zero_rule"))
    door_strengths, bank_strengths = strengths(zero_rule)
    return Rules(
        odds_win=odds_win,
        odds_lose=odds_lose,
        win_profit=odds_win.half_up_of if half_up else odds_win.floor_of,
        lose_profit=odds_lose.half_up_of if half_up else odds_lose.floor_of,
        zero_rule=zero_rule,
        max_lose_doors=_count(options, "max_lose_doors"),
        max_win_doors=_count(options, "max_win_doors"),
        rejects_both_sides=options["same_door_both"] == "reject",
        values_stake=options["valid_bet"] == "stake",
        offsets=options["hedge"] == "offset",
        rounds_half_up=half_up,
        door_strengths=door_strengths,
        bank_strengths=bank_strengths,
    )


def _word(options: Mapping[str, OptionValue], name: str) -> str:
    value = options[name]
    assert isinstance(value, str)
    return value


def _count(options: Mapping[str, OptionValue], name: str) -> int:
    value = options[name]
    assert isinstance(value, int)
    return value
