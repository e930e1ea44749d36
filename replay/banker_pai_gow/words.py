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
from replay.telling import capital, listed, say, series
from replay.tiles import KIND_COUNT, KINDS, Suit

_POINTS = (
    say("zero points"),
    say("one point"),
    say("two points"),
    say("three points"),
    say("four points"),
    say("five points"),
    say("six points"),
    say("seven points"),
    say("eight points"),
    say("nine points"),
)


def amount(units: int, digits: int) -> str:
    """An amount in a sentence: with a minus sign (U+2212), not a hyphen."""
    return format_minor(units, digits).replace("-", "−")


def short_amount(units: int, digits: int) -> str:
    """An amount without needless zeros, as a factor in a formula: 5, 2.5."""
    text = amount(units, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def tile_names(kinds: Sequence[int]) -> str:
    """Tiles in the original script: "天 and 雜八"."""
    return listed([KINDS[kind].hant for kind in kinds]) or say("no tile")


def english_tile_names(kinds: Sequence[int]) -> str:
    """Tiles in English: "Heaven and Mixed Eight"."""
    return listed([KINDS[kind].english for kind in kinds]) or say("no tile")


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
    where = say("rank {number} of {ranks_count}", number=rank.number, ranks_count=len(RANKS))
    if rank.number <= PAIR_RANKS[-1]:
        return where
    if rank.number < NINE_POINTS_RANK:
        lead, other = (KINDS[kind] for kind in in_rank_order(holding))
        if other.suit is Suit.MILITARY:
            return say(
                "{lead} with a {other}, {where}", lead=lead.hant, other=other.hant, where=where
            )
        return say("{lead} with {other}, {where}", lead=lead.hant, other=other.hant, where=where)
    values = counted_values(holding, rules.ranking)
    swapped = [
        say(" ({tile} counts as {value})", tile=KINDS[kind].hant, value=value)
        for kind, value in zip(holding, values, strict=True)
        if kind in (ER4, DING3) and value != KINDS[kind].value
    ]
    return say(
        "{first} + {second}{swapped}, {where}",
        first=values[0],
        second=values[1],
        swapped=series(swapped, ""),
        where=where,
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a player fared against the banker: in two words, why, and by which rule."""

    outcome: str
    reason: str
    rule: str


OUTCOMES = {1: say("Player wins"), -1: say("Banker wins"), 0: say("Push")}


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
        text = say("Both have zero points, which are not compared (pg.zero_rule = zero_no_rank)")
        return say("{text}: the banker wins.", text=text), "PG-20"
    (high, low), (other_high, other_low) = in_rank_order(winner), in_rank_order(loser)
    both = say("Both have {called}", called=_called(rank))
    if decided is Decided.NOTHING:
        return _tie_reason(winner, loser, both, rules)
    if decided is Decided.SECOND_TILE_OF_COMBO:
        return say(
            "{both}: {hant} is above {hant_2}.", both=both, hant=_hant(low), hant_2=_hant(other_low)
        ), "PG-19"
    if decided is Decided.HIGHEST_TILE:
        return say(
            "{both}: {hant} is above {hant_2}.",
            both=both,
            hant=_hant(high),
            hant_2=_hant(other_high),
        ), "PG-24"
    rule = "PG-23" if decided is Decided.ER4_OVER_DING3 else "PG-24"
    return say(
        "{both} and {hant}: {hant_2} is above {hant_3}.",
        both=both,
        hant=_hant(high),
        hant_2=_hant(low),
        hant_3=_hant(other_low),
    ), rule


def _rank_reason(rank: Rank, lower: Rank) -> tuple[str, str]:
    are_many = rank.number in range(NINE_POINTS_RANK, ZERO_POINTS_RANK - 1)
    higher, beaten = _called(rank), _called(lower)
    text = capital(
        say("{higher} beat {lower}", higher=higher, lower=beaten)
        if are_many
        else say("{higher} beats {lower}", higher=higher, lower=beaten)
    )
    if rank.number >= NINE_POINTS_RANK:
        points = ZERO_POINTS_RANK - rank.number, ZERO_POINTS_RANK - lower.number
        return say(
            "{text}: {points} is above {points_2}.", text=text, points=points[0], points_2=points[1]
        ), "PG-20"
    if lower.number >= NINE_POINTS_RANK:
        return say("{text}: points are below every named hand.", text=text), "PG-20"
    if rank.number == SUPREME_RANK:
        return say("{text}: it is above every other hand.", text=text), "PG-19"
    if rank.number in PAIR_RANKS:
        for ranks, name in (
            (KING_RANKS, say("king")),
            (GONG_RANKS, say("gong")),
            (HIGH9_RANKS, say("high nine")),
        ):
            if lower.number in ranks:
                return say("{text}: any pair is above a {name}.", text=text, name=name), "PG-19"
    return say(
        "{text}: rank {number} is above rank {number_2}.",
        text=text,
        number=rank.number,
        number_2=lower.number,
    ), "PG-19"


def _tie_reason(first: Holding, second: Holding, both: str, rules: Rules) -> tuple[str, str]:
    rank = rank_of(first, rules.ranking)
    if rules.tie_rule is TieRule.BANKER_WINS:
        end = say("the banker wins ties (pg.tie_rule = banker_wins).")
    else:
        end = say("a tie is a push (pg.tie_rule = push).")
    if rank.number < NINE_POINTS_RANK:
        return say("{both}, in forms that are equal: {end}", both=both, end=end), "PG-19"
    (high, low), (other_high, other_low) = in_rank_order(first), in_rank_order(second)
    if rules.ranking.point_tiebreak is PointTiebreak.HIGHEST_ONLY:
        same, pairs = say("highest tiles that rank equal"), [(high, other_high)]
    else:
        same, pairs = say("tiles that rank equal"), [(high, other_high), (low, other_low)]
    # Different faces of one name rest on their own rule.
    by_name = any(one != two and TILE_RANK[one] == TILE_RANK[two] for one, two in pairs)
    return say(
        "{both} with {same}: {end}", both=both, same=same, end=end
    ), "PG-25" if by_name else "PG-24"


def _called(rank: Rank) -> str:
    """A hand in a sentence: a named one in the original script, points in English."""
    if rank.number < NINE_POINTS_RANK:
        return rank.hant
    return _POINTS[ZERO_POINTS_RANK - rank.number]


def _hant(kind: int) -> str:
    return KINDS[kind].hant
