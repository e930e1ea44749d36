"""The rules of banker-bidding Pai Gow that findings, steps and figures cite (RULEBOOK 2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from replay.steps import Rule
from replay.telling import say


def _rule(rule_id: str, confidence: str, sentence: str) -> Rule:
    return Rule(id=rule_id, sentence=say(sentence), confidence=confidence)


_RULES = (
    _rule(
        "PG-1",
        "A",
        "The set has 32 tiles; each of the four seats gets two, and one shuffle serves two hands.",
    ),
    _rule(
        "PG-2",
        "A",
        "The second hand of a round is dealt from the 24 tiles that the first left, so"
        " no tile is seen twice.",
    ),
    _rule(
        "PG-3",
        "A",
        "A hand runs in order: bids and bank, bets, dice, deal, reveal, comparison, settlement.",
    ),
    _rule(
        "PG-4",
        "A",
        "The highest bid takes the bank, and that bid is the multiple X; a seat that"
        " runs out of time has not bid.",
    ),
    _rule(
        "PG-5",
        "A",
        "Of several highest bidders the one who carries more is the more likely banker.",
    ),
    _rule("PG-6", "B", "When nobody bids, a seat drawn at random is banker at multiple 1."),
    _rule(
        "PG-7",
        "A",
        "Each player then bets a multiple that the table offers; a seat that runs out"
        " of time bets the smallest.",
    ),
    _rule("PG-8", "B", "A seat may be offered multiples of its own, by what it carries."),
    _rule(
        "PG-9",
        "A",
        "The sum of the dice is counted clockwise from the banker as 1, and where it"
        " ends the deal starts.",
    ),
    _rule("PG-10", "A", "From the first seat the deal runs counter-clockwise, two tiles at once."),
    _rule(
        "PG-11",
        "A",
        "The banker shows his tiles first, then the seats clockwise, each the tiles"
        " that it was dealt.",
    ),
    _rule("PG-12", "A", "Each player is compared with the banker, and with nobody else."),
    _rule(
        "PG-19",
        "A",
        "Named hands rank in the printed order: the supreme pair, pairs, kings, gongs,"
        " high nines, then points.",
    ),
    _rule("PG-20", "A", "Any other hand counts the units digit of its sum: 9 is best, 0 lowest."),
    _rule(
        "PG-21",
        "A",
        "A hand with one of 二四 and 丁三 counts that tile as 3 or 6, whichever gives more points.",
    ),
    _rule(
        "PG-22",
        "D",
        "Counting 二四 or 丁三 as 3 or 6 changes the points only, never the tile's rank"
        " or the kind of hand.",
    ),
    _rule("PG-23", "A", "Between hands that differ only in 二四 against 丁三, 二四 wins."),
    _rule("PG-24", "B", "Equal points are decided by the highest tile, then by the other tile."),
    _rule("PG-25", "B", "Military tiles of one name rank equal."),
    _rule(
        "PG-30",
        "A",
        "A pair is worth base × bank multiple × bet multiple; the winner gets it less"
        " the rake, the loser pays it in full.",
    ),
    _rule("PG-31", "A", "The rake is a part of what a winner wins; losers pay none."),
    _rule(
        "PG-32", "A", "What a seat carried into the hand is the most that it can win or lose in it."
    ),
    _rule(
        "PG-33", "A", "A banker who carries 80 wins no more than 80, however much is owed to him."
    ),
    _rule("PG-34", "B", "The limit of the carry-in is applied before the rake."),
    _rule(
        "PG-35",
        "B",
        "Rake is taken from a seat's net result of the hand: the banker's wins and"
        " losses are set off first.",
    ),
    _rule("PG-36", "A", "All gross results sum to zero, all net results to minus the rake."),
    _rule(
        "PG-37",
        "A",
        "The carry-in is measured for each hand; what is carried out is carry-in plus net result.",
    ),
    _rule(
        "PG-38",
        "B",
        "The valid bet is the absolute result of the hand after the limit, before rake"
        " unless the ruleset says after.",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _RULES})
