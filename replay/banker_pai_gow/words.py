"""How seats, amounts, holdings and comparisons are put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replay.banker_pai_gow.options import Rules, TieRule
from replay.banker_pai_gow.ranking import (
    DING3,
    ER4,
    GONG_RANKS,
    HIGH9_RANKS,
    KING_RANKS,
    NINE_POINTS_RANK,
    PAIR_RANKS,
    RANKS,
    SUPREME_RANK,
    TILE_RANK,
    ZERO_POINTS_RANK,
    Decided,
    Holding,
    PointTiebreak,
    Rank,
    contest,
    counted_values,
    in_rank_order,
    rank_of,
)
from replay.money import format_minor
from replay.tiles import KIND_COUNT, KINDS, Suit

SEALS = ("東", "南", "西", "北")
SEATS = ("East", "South", "West", "North")

_POINTS = (
    "zero points", "one point", "two points", "three points", "four points",
    "five points", "six points", "seven points", "eight points", "nine points",
)  # fmt: skip


def amount(units: int, digits: int) -> str:
    """An amount in a sentence: with a minus sign (U+2212), not a hyphen."""
    return format_minor(units, digits).replace("-", "−")


def short_amount(units: int, digits: int) -> str:
    """An amount without needless zeros, as a factor in a formula: 5, 2.5."""
    text = amount(units, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts as prose: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def tile_names(kinds: Sequence[int]) -> str:
    """Tiles in the original script: "天 and 雜八"."""
    return listed([KINDS[kind].hant for kind in kinds]) or "no tile"


def english_tile_names(kinds: Sequence[int]) -> str:
    """Tiles in English: "Heaven and Mixed Eight"."""
    return listed([KINDS[kind].english for kind in kinds]) or "no tile"


def holding_of(place: int) -> Holding:
    """The two kinds of a holding that is kept as one number."""
    return divmod(place, KIND_COUNT)


def rank_in(place: int, rules: Rules) -> Rank:
    """The rank of a holding that is kept as one number."""
    return RANKS[rules.ladder.ranks[place] - 1]


def holding_note(place: int, rules: Rules) -> str:
    """How the holding comes to its rank: "天 with a 雜八, rank 19 of 32"."""
    holding = holding_of(place)
    rank = rank_in(place, rules)
    where = f"rank {rank.number} of {len(RANKS)}"
    if rank.number <= PAIR_RANKS[-1]:
        return where
    if rank.number < NINE_POINTS_RANK:
        lead, other = (KINDS[kind] for kind in in_rank_order(holding))
        article = "a " if other.suit is Suit.MILITARY else ""
        return f"{lead.hant} with {article}{other.hant}, {where}"
    values = counted_values(holding, rules.ranking)
    swapped = "".join(
        f" ({KINDS[kind].hant} counts as {value})"
        for kind, value in zip(holding, values, strict=True)
        if kind in (ER4, DING3) and value != KINDS[kind].value
    )
    return f"{values[0]} + {values[1]}{swapped}, {where}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a player fared against the banker: in two words, why, and by which rule."""

    outcome: str
    reason: str
    rule: str


OUTCOMES = {1: "Player wins", -1: "Banker wins", 0: "Push"}


def comparison(player: int, banker: int, outcome: int, rules: Rules) -> Comparison:
    """Put a comparison into words.

    Shape: two holdings kept as numbers; `outcome` is the player's, as replayed.
    """
    first, second = holding_of(player), holding_of(banker)
    result = contest(first, second, rules.ranking)
    if result.higher < 0:
        first, second = second, first
    reason, rule = _reason(first, second, result.decided, rules)
    return Comparison(OUTCOMES[outcome], reason, rule)


def _reason(winner: Holding, loser: Holding, decided: Decided, rules: Rules) -> tuple[str, str]:
    """Why the first of two holdings is higher, or why neither is; and the rule."""
    rank = rank_of(winner, rules.ranking)
    if decided is Decided.RANK:
        return _rank_reason(rank, rank_of(loser, rules.ranking))
    if decided is Decided.ZERO_POINTS:
        text = "Both have zero points, which are not compared (pg.zero_rule = zero_no_rank)"
        return f"{text}: the banker wins.", "PG-20"
    (high, low), (other_high, other_low) = in_rank_order(winner), in_rank_order(loser)
    both = f"Both have {_called(rank)}"
    if decided is Decided.NOTHING:
        return _tie_reason(winner, loser, both, rules)
    if decided is Decided.SECOND_TILE_OF_COMBO:
        return f"{both}: {_hant(low)} is above {_hant(other_low)}.", "PG-19"
    if decided is Decided.HIGHEST_TILE:
        return f"{both}: {_hant(high)} is above {_hant(other_high)}.", "PG-24"
    rule = "PG-23" if decided is Decided.ER4_OVER_DING3 else "PG-24"
    return f"{both} and {_hant(high)}: {_hant(low)} is above {_hant(other_low)}.", rule


def _rank_reason(rank: Rank, lower: Rank) -> tuple[str, str]:
    verb = "beat" if rank.number in range(NINE_POINTS_RANK, ZERO_POINTS_RANK - 1) else "beats"
    text = f"{_called(rank)} {verb} {_called(lower)}"
    text = text[0].upper() + text[1:]
    if rank.number >= NINE_POINTS_RANK:
        points = ZERO_POINTS_RANK - rank.number, ZERO_POINTS_RANK - lower.number
        return f"{text}: {points[0]} is above {points[1]}.", "PG-20"
    if lower.number >= NINE_POINTS_RANK:
        return f"{text}: points are below every named hand.", "PG-20"
    if rank.number == SUPREME_RANK:
        return f"{text}: it is above every other hand.", "PG-19"
    if rank.number in PAIR_RANKS:
        for ranks, name in ((KING_RANKS, "king"), (GONG_RANKS, "gong"), (HIGH9_RANKS, "high nine")):
            if lower.number in ranks:
                return f"{text}: any pair is above a {name}.", "PG-19"
    return f"{text}: rank {rank.number} is above rank {lower.number}.", "PG-19"


def _tie_reason(first: Holding, second: Holding, both: str, rules: Rules) -> tuple[str, str]:
    rank = rank_of(first, rules.ranking)
    if rules.tie_rule is TieRule.BANKER_WINS:
        end = "the banker wins ties (pg.tie_rule = banker_wins)."
    else:
        end = "a tie is a push (pg.tie_rule = push)."
    if rank.number < NINE_POINTS_RANK:
        return f"{both}, in forms that are equal: {end}", "PG-19"
    (high, low), (other_high, other_low) = in_rank_order(first), in_rank_order(second)
    if rules.ranking.point_tiebreak is PointTiebreak.HIGHEST_ONLY:
        same, pairs = "highest tiles that rank equal", [(high, other_high)]
    else:
        same, pairs = "tiles that rank equal", [(high, other_high), (low, other_low)]
    # Different faces of one name rest on their own rule.
    by_name = any(one != two and TILE_RANK[one] == TILE_RANK[two] for one, two in pairs)
    return f"{both} with {same}: {end}", "PG-25" if by_name else "PG-24"


def _called(rank: Rank) -> str:
    """A hand in a sentence: a named one in the original script, points in English."""
    if rank.number < NINE_POINTS_RANK:
        return rank.hant
    return _POINTS[ZERO_POINTS_RANK - rank.number]


def _hant(kind: int) -> str:
    return KINDS[kind].hant
