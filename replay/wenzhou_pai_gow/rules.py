"""The rules of Wenzhou Pai Gow, one sentence each, with the confidence of the rulebook.

Where the rulebook gives two confidences the weaker stands. Section 4.2, the order of pairs, has
no rule id of its own and is cited by its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from replay.steps import Rule
from replay.telling import say


def _rule(name: str, confidence: str, sentence: str) -> Rule:
    return Rule(id=name, sentence=say(sentence), confidence=confidence)


_RULES = (
    _rule("WZ-1", "A", "Of the set's 32 tiles each shuffle serves two hands of 16 tiles."),
    _rule(
        "WZ-2", "A", "The house is the bank, and players bet on three doors; they hold no tiles."
    ),
    _rule(
        "WZ-3",
        "A",
        "Betting closes before the dice, whose sum modulo 4 names who is dealt first: "
        "1 the bank, 2 順門, 3 出門, 0 到門.",
    ),
    _rule("WZ-4", "D", "Two circuits of one tile each go round in the order 莊, 順, 出, 到."),
    _rule("WZ-5", "A", "Each door is compared with the bank only."),
    _rule("4.2", "A", "Any pair beats any points, and pairs rank in thirteen classes."),
    _rule("WZ-10", "A", "Points are the units digit of the sum, and 9 is best."),
    _rule("WZ-11", "A", "24 always counts 6 and 12 always counts 3."),
    _rule("WZ-12", "A", "At equal points the class of the better single tile decides."),
    _rule("WZ-13", "A", "Two pairs of the same class are won by the bank."),
    _rule("WZ-14", "A", "Equal points with an equal best class are won by the bank."),
    _rule(
        "WZ-15",
        "D",
        "0 points has no tile class: a door with 0 loses to every bank hand, and a bank with 0 "
        "loses to any door that has points or a pair, unless the ruleset says otherwise.",
    ),
    _rule("WZ-20", "A", "There are six bets: each of the three doors to win or to lose."),
    _rule(
        "WZ-21",
        "A",
        "A wager is on one of the three doors, within the limits; a player may bet to lose on "
        "one door only and to win on up to three, unless the ruleset says otherwise.",
    ),
    _rule("WZ-22", "D", "Both sides of one door in one hand are noted, or refused by the ruleset."),
    _rule(
        "WZ-23",
        "A",
        "A won bet earns its stake at the odds of its side, a lost one costs its stake; "
        "a player's profit is the sum.",
    ),
    _rule(
        "WZ-24", "A", "There is no tie: a door wins, or it loses, and lose bets win with the bank."
    ),
    _rule("WZ-25", "A", "An unreadable tile is scanned again; a fault voids the bets concerned."),
    _rule("WZ-26", "C", "In a void hand stakes go back, with no profit and no valid bet."),
    _rule(
        "WZ-27",
        "C",
        "Valid bet is the lesser of the stake and what was won or lost on it (or the stake); "
        "for a player it is counted after opposite bets on a door are offset (or summed).",
    ),
    _rule("WZ-28", "D", "A won profit is rounded to the smallest amount, down or half up."),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _RULES})
