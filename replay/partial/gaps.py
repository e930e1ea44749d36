"""The closed lists: what a record may lack, and which check of which game needs what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from replay.telling import say

GapName = Literal[
    "bids", "banker_multiple", "bets", "offers", "base", "carry_in", "carry_out", "gross",
    "other_seats_money", "valid_bet", "bet_valid_bets", "tiles", "ranks", "outcomes", "dice",
    "deal_order", "reveal_order", "limits", "other_bets", "hand_number", "table_sequence",
    "time_zone", "currency",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A fact that a record may lack. `lacking` completes “The record does not say …”."""

    name: GapName
    lacking: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that the audit of a complete hand checks.

    `rules` are rule ids; `needs` the gaps of which each prevents it. `by_seat`: where only
    `other_seats_money` is lacking, it is made for the seats whose money is there.
    """

    name: str
    title: str
    rules: tuple[str, ...]
    needs: frozenset[GapName]
    by_seat: bool = False


GAPS: Mapping[GapName, Gap] = {
    gap.name: gap
    for gap in (
        Gap(name="bids", lacking=say("what each seat bid for the bank")),
        Gap(name="banker_multiple", lacking=say("at which multiple the banker holds the bank")),
        Gap(name="bets", lacking=say("at which multiple each player bet")),
        Gap(name="offers", lacking=say("which multiples the table offered")),
        Gap(name="base", lacking=say("the base stake")),
        Gap(name="carry_in", lacking=say("what each seat brought into the hand")),
        Gap(name="carry_out", lacking=say("what each seat took out of the hand")),
        Gap(
            name="gross",
            lacking=say("the result before rake (it is taken as net and rake together)"),
        ),
        Gap(name="other_seats_money", lacking=say("what the other seats won or paid")),
        Gap(name="valid_bet", lacking=say("what counts as valid bet")),
        Gap(name="bet_valid_bets", lacking=say("what each wager counts as valid bet by itself")),
        Gap(name="tiles", lacking=say("the tiles (in a form that can be read)")),
        Gap(name="ranks", lacking=say("how it calls what each seat holds")),
        Gap(name="outcomes", lacking=say("which doors won")),
        Gap(name="dice", lacking=say("what the dice showed")),
        Gap(name="deal_order", lacking=say("in which order the tiles were dealt")),
        Gap(name="reveal_order", lacking=say("in which order the seats showed their tiles")),
        Gap(name="limits", lacking=say("which limits a wager has at the table")),
        Gap(name="other_bets", lacking=say("which other wagers the round had")),
        Gap(name="hand_number", lacking=say("which hand of its shuffle this is")),
        Gap(name="table_sequence", lacking=say("which hand of its table came before this one")),
        Gap(name="time_zone", lacking=say("in which time zone its clock runs")),
        Gap(name="currency", lacking=say("in which currency it was played")),
    )
}


def _check(name: str, title: str, rules: str, *needs: GapName, by_seat: bool = False) -> Check:
    return Check(
        name=name,
        title=title,
        rules=tuple(rules.split()),
        needs=frozenset(needs),
        by_seat=by_seat,
    )


_CURRENCY = _check("currency", say("All amounts are of one currency"), "", "currency")

CHECKS: Mapping[str, tuple[Check, ...]] = {
    "banker-pai-gow": (
        _check(
            "tile-set", say("No tile is there more often than the set holds it"), "PG-1", "tiles"
        ),
        _check("bids", say("Each bid was on offer"), "PG-4", "bids", "offers"),
        _check("banker", say("The banker is a highest bidder"), "PG-4 PG-5 PG-6", "bids"),
        _check(
            "banker-multiple",
            say("The bank is held at the highest bid"),
            "PG-4 PG-6",
            "bids",
            "banker_multiple",
        ),
        _check("bets", say("Each bet was on offer"), "PG-7 PG-8", "bets", "offers"),
        _check(
            "deal-start", say("The deal starts where the dice say"), "PG-9", "dice", "deal_order"
        ),
        _check("deal-order", say("The deal runs counter-clockwise"), "PG-10", "deal_order"),
        _check("reveal-order", say("Tiles are shown in order"), "PG-11", "reveal_order"),
        _check("rank", say("Each holding has its right name"), "PG-19 PG-20", "tiles", "ranks"),
        _check(
            "outcome",
            say("Who has the better tiles is paid"),
            "PG-12",
            "tiles",
            "other_seats_money",
            by_seat=True,
        ),
        _check(
            "stake", say("Base × bid × bet is at stake"), "PG-30", "base", "banker_multiple", "bets"
        ),
        _check(
            "cap",
            say("Nobody wins or loses more than was brought in"),
            "PG-32 PG-34",
            "carry_in",
            "base",
            "banker_multiple",
            "bets",
        ),
        _check(
            "rake",
            say("The rake is the rate on what a winner won"),
            "PG-31 PG-35",
            "other_seats_money",
            by_seat=True,
        ),
        _check(
            "net",
            say("Net is gross less rake"),
            "PG-30",
            "gross",
            "other_seats_money",
            by_seat=True,
        ),
        _check(
            "valid-bet",
            say("The valid bet is as defined"),
            "PG-38",
            "valid_bet",
            "other_seats_money",
            by_seat=True,
        ),
        _check("carry-out", say("Carry-out is carry-in and net"), "PG-37", "carry_in", "carry_out"),
        _check("conservation", say("What some win the others lose"), "PG-36", "other_seats_money"),
        _check(
            "round",
            say("Both hands of a round are of one shuffle"),
            "PG-1 PG-2",
            "hand_number",
        ),
        _check(
            "sequence",
            say("Carry-in is what was carried out of the hand before"),
            "PG-37",
            "table_sequence",
            "time_zone",
        ),
        _CURRENCY,
    ),
    "wenzhou-pai-gow": (
        _check(
            "tile-set", say("No tile is there more often than the set holds it"), "WZ-1", "tiles"
        ),
        _check("betting-closed", say("No wager comes after the dice"), "WZ-3", "dice"),
        _check(
            "deal-start", say("The deal starts where the dice say"), "WZ-3", "dice", "deal_order"
        ),
        _check("deal-order", say("The tiles go round in order"), "WZ-4", "deal_order"),
        _check("outcome", say("The door with the better tiles wins"), "WZ-5", "tiles"),
        _check("limits", say("Each wager is within the limits"), "WZ-21", "limits"),
        _check("lose-doors", say("A player bets on one door to lose"), "WZ-21", "other_bets"),
        _check(
            "both-sides", say("Bets on both sides of one door are flagged"), "WZ-22", "other_bets"
        ),
        _check("profit", say("Each wager is paid at the odds"), "WZ-23 WZ-28"),
        _check("won", say("Those wagers are paid that won"), "WZ-24", "outcomes"),
        _check("bet-valid-bet", say("The valid bet of each wager"), "WZ-27", "bet_valid_bets"),
        _check(
            "valid-bet",
            say("The valid bet of each player, opposite wagers taken off"),
            "WZ-27",
            "valid_bet",
            "other_bets",
        ),
        _check("round", say("Both hands of a shuffle are of one set"), "WZ-1", "hand_number"),
        _check(
            "sequence",
            say("The second hand of a shuffle follows the first"),
            "WZ-1",
            "table_sequence",
            "time_zone",
        ),
        _CURRENCY,
    ),
}

# A partial record of a game has no field for these: they are always lacking, and always said so.
ALWAYS: Mapping[str, frozenset[GapName]] = {
    "banker-pai-gow": frozenset(
        {"offers", "carry_out", "dice", "deal_order", "reveal_order", "hand_number",
         "table_sequence"}
    ),
    "wenzhou-pai-gow": frozenset(
        {"tiles", "dice", "deal_order", "limits", "hand_number",
         "table_sequence"}
    ),
}  # fmt: skip


def possible_gaps(game: str) -> frozenset[GapName]:
    """The gaps that a record of this game may name: some check of it needs them."""
    return frozenset(gap for check in CHECKS[game] for gap in check.needs)


def prevented(game: str, gaps: Iterable[GapName]) -> list[tuple[Check, tuple[GapName, ...]]]:
    """The checks of a game that these gaps prevent, each with those that do, in order."""
    there = frozenset(gaps)
    found = []
    for check in CHECKS[game]:
        why = tuple(name for name in GAPS if name in check.needs and name in there)
        if why:
            found.append((check, why))
    return found
