"""The rules of Tien Gow that findings, steps and derivations cite, in our own words.

Confidence is that of the rulebook; where it says "conflict" (the sources contradict each other
and an option decides) we say C, because one source then stands against another.
"""

from __future__ import annotations

from collections.abc import Mapping

from replay.steps import Rule
from replay.telling import say


def _rule(name: str, confidence: str, sentence: str) -> Rule:
    return Rule(id=name, sentence=say(sentence), confidence=confidence)


_RULES = (
    _rule(
        "TG-1",
        "A",
        "Four players play each for himself, with eight tiles each in the big game and four "
        "in the small one.",
    ),
    _rule(
        "TG-2",
        "A",
        "Seats are taken by dice; the highest roller chooses first and is the first banker.",
    ),
    _rule(
        "TG-3",
        "C",
        "The highest roller is the first banker and leads.",
    ),
    _rule(
        "TG-4",
        "A",
        "The banker leads the first trick of every hand.",
    ),
    _rule(
        "TG-5",
        "A",
        "The player who takes the last trick (結) holds the bank in the next hand; a banker "
        "who takes it stays.",
    ),
    _rule(
        "TG-6",
        "A",
        "In the n-th hand of a bank, counting this one, payments of the banker are "
        "multiplied by M, as the ruleset makes it from n.",
    ),
    _rule(
        "TG-7",
        "A",
        "Play goes counter-clockwise: 東, 南, 西, 北.",
    ),
    _rule(
        "TG-20",
        "A",
        "A follower plays the same type and number of tiles, strictly higher than the best "
        "play so far, or discards the same number face down.",
    ),
    _rule(
        "TG-21",
        "A",
        "Types never beat each other.",
    ),
    _rule(
        "TG-22",
        "B",
        "Equal does not beat.",
    ),
    _rule(
        "TG-23",
        "A",
        "Discarding is always allowed, with any tiles.",
    ),
    _rule(
        "TG-24",
        "A",
        "A discard is never compared and is shown only after the hand.",
    ),
    _rule(
        "TG-25",
        "A",
        "Nobody plays or discards before the previous player has acted.",
    ),
    _rule(
        "TG-26",
        "A",
        "The best play takes the trick: n tiles are n 棟, and the taker leads next.",
    ),
    _rule(
        "TG-30",
        "A",
        "The winner of the last trick ends the hand (結) and is the only collector.",
    ),
    _rule(
        "TG-31",
        "A",
        "The player who ends the hand must end it with enough 棟: two, where the ruleset "
        "does not say one.",
    ),
    _rule(
        "TG-32",
        "A",
        "In the last trick a seat may play face up only if its 棟 and the tiles of that "
        "trick together reach the minimum.",
    ),
    _rule(
        "TG-33",
        "D",
        "The leader of the last trick has taken at least one 棟, so somebody can always end "
        "the hand.",
    ),
    _rule(
        "TG-40",
        "A",
        "A led supreme pair (賀尊) that is not beaten is paid at once by the three others, "
        "with the bank's multiple where the banker is on either side.",
    ),
    _rule(
        "TG-41",
        "D",
        "The three who pay for a supreme are two others and the banker, or three others "
        "when the collector is the banker.",
    ),
    _rule(
        "TG-42",
        "B",
        "A led 文尊 beaten by a pair of Long Leg Sevens (擒尊) is paid at once to the "
        "capturer by the three others.",
    ),
    _rule(
        "TG-43",
        "D",
        "A false supreme that is beaten collects nothing, and nobody is paid.",
    ),
    _rule(
        "TG-44",
        "A",
        "When a 四文武 is led (四大賀), the seat whose 四文武 wins the trick is paid at "
        "once by the three others.",
    ),
    _rule(
        "TG-45",
        "A",
        "Immediate payments stand whoever wins the hand, and the trick's 棟 count as usual.",
    ),
    _rule(
        "TG-46",
        "A",
        "The last trick earns no immediate payment, unless the ruleset says so; it becomes "
        "a special ending instead.",
    ),
    _rule(
        "TG-50",
        "A",
        "A seat below par pays the winner a unit for each 棟 that it lacks, and an empty "
        "seat as the ruleset says.",
    ),
    _rule(
        "TG-51",
        "A",
        "All payments of the ending are between the winner and each other seat.",
    ),
    _rule(
        "TG-52",
        "A",
        "A losing banker below par pays his debt times M.",
    ),
    _rule(
        "TG-53",
        "A",
        "A winning banker receives M times the debt of every seat below par.",
    ),
    _rule(
        "TG-54",
        "A",
        "The winner pays a seat above par a unit for each 棟 over; to a losing banker times "
        "one, whatever the bank.",
    ),
    _rule(
        "TG-55",
        "B",
        "What a winning banker pays to seats above par is multiplied as the ruleset says.",
    ),
    _rule(
        "TG-56",
        "A",
        "Between two seats that do not hold the bank the multiple is one.",
    ),
    _rule(
        "TG-57",
        "C",
        "The multiple applies to payments with the banker on one side, or to every payment "
        "where the ruleset says global.",
    ),
    _rule(
        "TG-58",
        "A",
        "Units become money by the table's base.",
    ),
    _rule(
        "TG-60",
        "C",
        "Whether a Red Mallet Six counts as 么 is an option of the ruleset.",
    ),
    _rule(
        "TG-61",
        "A",
        "A 么 beaten by any other than its capturing tile makes an ordinary ending.",
    ),
    _rule(
        "TG-62",
        "C",
        "The capturing tile must win the last trick, unless the first captor has it by the "
        "ruleset.",
    ),
    _rule(
        "TG-63",
        "C",
        "Whether the 么 ending needs a capturing tile that is not out yet is an option of "
        "the ruleset.",
    ),
    _rule(
        "TG-64",
        "B",
        "A captured seat alone pays the debts of all seats below par, each with its own "
        "bank multiple, times the factor of the capture.",
    ),
    _rule(
        "TG-65",
        "D",
        "A capturer must himself be allowed to win the last trick.",
    ),
    _rule(
        "TG-66",
        "C",
        "A 四文武 led in the last trick and beaten by a higher one is captured, and its "
        "leader pays for all.",
    ),
    _rule(
        "TG-67",
        "C",
        "A 文尊 led in the last trick and beaten by a pair of Long Leg Sevens is captured "
        "like a 么, where the ruleset says so.",
    ),
    _rule(
        "TG-70",
        "A",
        "A seat that takes every 棟 wins a slam, 七支 or 八支: the others pay as empty "
        "seats, times its factor.",
    ),
    _rule(
        "TG-71",
        "A",
        "A slam is 八支 when the last play is the largest or smallest single tile, a "
        "supreme or a 四文武; otherwise 七支.",
    ),
    _rule(
        "TG-72",
        "C",
        "Whether 八支 goes by the kind of the last play or by its number of tiles is an "
        "option of the ruleset.",
    ),
    _rule(
        "TG-73",
        "C",
        "Whether the factors of a slam replace those of the last trick or multiply them is "
        "an option of the ruleset.",
    ),
    _rule(
        "TG-74",
        "C",
        "A hand's first leader who wins the first trick with a single Heaven, a single Nine "
        "or a supreme may lose the slam, as the ruleset says.",
    ),
    _rule(
        "TG-80",
        "A",
        "A winning deal (例牌) is one of seven patterns, and the hand must hold it.",
    ),
    _rule(
        "TG-81",
        "A",
        "Only the patterns of the ruleset and those that the table announced beforehand count.",
    ),
    _rule(
        "TG-82",
        "A",
        "A winning deal is shown at once, before the first lead.",
    ),
    _rule(
        "TG-83",
        "A",
        "The banker may declare first, then the others counter-clockwise; only one seat wins.",
    ),
    _rule(
        "TG-84",
        "C",
        "Which pips or halves count as red, and whether those of Heaven do, are options of "
        "the ruleset.",
    ),
    _rule(
        "TG-85",
        "B",
        "For a winning deal every other seat pays as an empty seat, times the factor of "
        "七支 or 八支, times M with the banker on either side.",
    ),
    _rule(
        "TG-86",
        "B",
        "The seat that wins by its deal counts as the one that ended the hand.",
    ),
    _rule(
        "TG-87",
        "C",
        "A deal that holds several patterns in force is paid by the best of them.",
    ),
    _rule(
        "TG-90",
        "D",
        "With a net pool nobody wins or loses more than he carried in: the smaller of what "
        "is owed and what is claimed is shared in proportion.",
    ),
    _rule(
        "TG-91",
        "D",
        "Rake is a rate of a positive gross, rounded as the ruleset says; net is gross less rake.",
    ),
    _rule(
        "TG-92",
        "D",
        "The valid bet is the absolute gross, or the absolute net where the ruleset says so.",
    ),
)

RULES: Mapping[str, Rule] = {rule.id: rule for rule in _RULES}
