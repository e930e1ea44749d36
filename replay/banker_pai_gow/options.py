"""The options of banker-bidding Pai Gow (RULEBOOK 7.1), compiled once a ruleset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import MappingProxyType

from replay.banker_pai_gow.caps import CAPS, CLIPS, BankerCap, PlayerClip
from replay.banker_pai_gow.ranking import (
    ComboSubrank,
    DsRank,
    High9,
    Ladder,
    PointTiebreak,
    RankingOptions,
    Swap,
    ZeroRule,
    ladder,
)
from replay.money import (
    Rate,
    rake_of,
    share_floor,
    share_largest_remainder,
    share_last_takes_rest,
)
from replay.ruleset import Option, OptionValue, choice, citing, decimal_rate


class TieRule(Enum):
    """Who wins equal holdings."""

    BANKER_WINS = "banker_wins"
    PUSH = "push"


class BidTie(Enum):
    """Who of several top bidders may be banker (PG-5)."""

    ANY_TOP_BIDDER = "any_top_bidder"
    MOST_COINS = "most_coins"


class Rounding(Enum):
    """How a capped total is split in whole minor units."""

    LARGEST_REMAINDER = "largest_remainder"
    TRUNCATE = "truncate"
    LAST_TAKES_REST = "last_takes_rest"


class RakeBasis(Enum):
    """What the banker's rake is taken from (PG-35)."""

    SEAT_NET = "seat_net"
    PER_PAIR = "per_pair"


class RakeRound(Enum):
    """How a rake becomes whole minor units."""

    FLOOR = "floor"
    HALF_UP = "half_up"
    MIN_ONE = "min_one"


class ValidBet(Enum):
    """What counts as bet volume (PG-38)."""

    ABS_GROSS_NET = "abs_gross_net"
    ABS_NET = "abs_net"


class BankerValid(Enum):
    """What counts as the banker's bet volume."""

    OWN_NET = "own_net"
    SUM_PLAYERS = "sum_players"


class EarlyExit(Enum):
    """When the second hand of a round may be missing (PG-1); read across hands."""

    BELOW_ENTRY = "below_entry"
    NEVER = "never"


class RevealOrder(Enum):
    """In which order the seats show their tiles (PG-11)."""

    BANKER_FIRST_CW = "banker_first_cw"
    BANKER_LAST = "banker_last"


Splitter = Callable[[int, Sequence[int]], list[int]]

SPLITTERS: Mapping[Rounding, Splitter] = MappingProxyType(
    {
        Rounding.LARGEST_REMAINDER: share_largest_remainder,
        Rounding.TRUNCATE: share_floor,
        Rounding.LAST_TAKES_REST: share_last_takes_rest,
    }
)

# The rates that the search for an explanation tries (FORMAT 6.4, 30).
_RATES = ("0.05", "0.04", "0")


def _words(name: str, values: type[Enum]) -> Option:
    return choice(name, *(member.value for member in values))


# The rules that the options decide; equal holdings (2.3) have a section without a number.
_RULES = {
    "zero_rule": "PG-20", "high9": "PG-19", "combo_subrank": "PG-19", "point_tiebreak": "PG-24",
    "ds_rank": "PG-23", "swap": "PG-21", "bid_tie": "PG-5", "player_clip": "PG-32",
    "banker_cap": "PG-32", "rounding": "PG-32", "rake_rate": "PG-31", "rake_basis": "PG-35",
    "rake_round": "PG-31", "valid_bet": "PG-38", "banker_valid": "PG-38", "early_exit": "PG-1",
    "reveal": "PG-11",
}  # fmt: skip

OPTIONS: Mapping[str, Option] = MappingProxyType(
    citing(
        (
            _words("tie_rule", TieRule),
            _words("zero_rule", ZeroRule),
            _words("high9", High9),
            _words("combo_subrank", ComboSubrank),
            _words("point_tiebreak", PointTiebreak),
            _words("ds_rank", DsRank),
            _words("swap", Swap),
            _words("bid_tie", BidTie),
            _words("player_clip", PlayerClip),
            _words("banker_cap", BankerCap),
            _words("rounding", Rounding),
            decimal_rate("rake_rate", most=1, alternatives=_RATES),
            _words("rake_basis", RakeBasis),
            _words("rake_round", RakeRound),
            _words("valid_bet", ValidBet),
            _words("banker_valid", BankerValid),
            _words("early_exit", EarlyExit),
            _words("reveal", RevealOrder),
        ),
        _RULES,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules in force for a hand, with what the replay looks up made ready.

    `first_reveal` is the seat that shows first, counted clockwise from the banker; `rake` the fee
    on an amount won.
    """

    ranking: RankingOptions
    ladder: Ladder
    tie_rule: TieRule
    bid_tie: BidTie
    player_clip: PlayerClip
    clip: Callable[[int, int], int]
    banker_cap: BankerCap
    cap: Callable[[int, int, int], tuple[int, int]]
    rounding: Rounding
    split: Splitter
    rake_rate: Rate
    rake: Callable[[int], int]
    rake_basis: RakeBasis
    rake_round: RakeRound
    valid_bet: ValidBet
    banker_valid: BankerValid
    first_reveal: int


def prepare(options: Mapping[str, OptionValue]) -> Rules:
    """Compile the options of a ruleset, each checked before (`OPTIONS`)."""
    ranking = RankingOptions(
        high9=High9(options["high9"]),
        combo_subrank=ComboSubrank(options["combo_subrank"]),
        point_tiebreak=PointTiebreak(options["point_tiebreak"]),
        ds_rank=DsRank(options["ds_rank"]),
        swap=Swap(options["swap"]),
        zero_rule=ZeroRule(options["zero_rule"]),
    )
    player_clip = PlayerClip(options["player_clip"])
    banker_cap = BankerCap(options["banker_cap"])
    rounding = Rounding(options["rounding"])
    rake_rate = options["rake_rate"]
    assert isinstance(rake_rate, str)
    rate = Rate.parse(rake_rate)
    return Rules(
        ranking=ranking,
        ladder=ladder(ranking),
        tie_rule=TieRule(options["tie_rule"]),
        bid_tie=BidTie(options["bid_tie"]),
        player_clip=player_clip,
        clip=CLIPS[player_clip],
        banker_cap=banker_cap,
        cap=CAPS[banker_cap],
        rounding=rounding,
        split=SPLITTERS[rounding],
        rake_rate=rate,
        rake=partial(rake_of, rate=rate, rounding=RakeRound(options["rake_round"]).value),
        rake_basis=RakeBasis(options["rake_basis"]),
        rake_round=RakeRound(options["rake_round"]),
        valid_bet=ValidBet(options["valid_bet"]),
        banker_valid=BankerValid(options["banker_valid"]),
        first_reveal=0 if RevealOrder(options["reveal"]) is RevealOrder.BANKER_FIRST_CW else 1,
    )
