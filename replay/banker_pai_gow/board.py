"""The table of a hand as a picture, out of the state of its replay."""

from __future__ import annotations

from msgspec import UNSET

from replay.banker_pai_gow.play import WINNERS, Phase, Play, next_to_reveal
from replay.banker_pai_gow.record import Facts
from replay.banker_pai_gow.words import amount, comparison, holding_note, holding_of, rank_in
from replay.glossary import SEALS
from replay.steps import Board, Placed, SeatView
from replay.telling import say, series
from replay.tiles import CODES

_HEADINGS = {
    Phase.BID: say("Bids"),
    Phase.BANKER: say("Bids"),
    Phase.BET: say("Bets"),
    Phase.DICE: say("Dice"),
    Phase.DEAL: say("Deal"),
    Phase.REVEAL: say("Reveal"),
    Phase.COMPARE: say("Comparison"),
    Phase.VOID: say("Void"),
}


def board_of(play: Play, facts: Facts, placed: tuple[Placed, ...] = ()) -> Board:
    """The table as it stands."""
    digits = play.hand.minor_digits
    corner = [say("base {base}", base=amount(facts.base, digits))]
    if play.hand.stakes.entry is not UNSET:
        corner.append(say("entry {entry}", entry=play.hand.stakes.entry))
    if play.banker >= 0:
        corner.append(say("bank ×{multiple}", multiple=play.multiple))
    return Board(
        seats=tuple(_seat_view(play, facts, seat) for seat in range(4)),
        placed=placed,
        dice=play.dice,
        dice_note=None if play.dice is None else dice_note(play),
        heading=_HEADINGS[Phase(play.phase)],
        notes=_notes(play),
        corner_notes=tuple(corner),
    )


def dice_note(play: Play) -> str:
    """What the dice mean: "7: 北 is dealt first"."""
    assert play.dice is not None
    return say("{sum}: {seal} is dealt first", sum=sum(play.dice), seal=SEALS[play.first])


def is_compared(play: Play) -> bool:
    """Tell whether all four have shown, so that each player's outcome is known."""
    return all(play.shown)


def _notes(play: Play) -> tuple[str, ...]:
    if play.phase == Phase.REVEAL and play.count:
        return (say("{play_count} of 4 have shown", play_count=play.count),)
    return (bank_fared(play),) if is_compared(play) else ()


def bank_fared(play: Play) -> str:
    """How the bank did against the three: "the bank wins 2, loses 1"."""
    won = [WINNERS[play.outcomes[seat]] for seat in range(4) if seat != play.banker]
    counts = {winner: won.count(winner) for winner in ("banker", "player", "push")}
    parts = []
    if counts["banker"]:
        parts.append(say("wins {count}", count=counts["banker"]))
    if counts["player"]:
        parts.append(say("loses {count}", count=counts["player"]))
    if counts["push"]:
        parts.append(say("pushes {count}", count=counts["push"]))
    return say("the bank {fared}", fared=series(parts))


def _seat_view(play: Play, facts: Facts, seat: int) -> SeatView:
    hand = play.hand
    is_banker = seat == play.banker
    holding = play.holdings[seat]
    is_shown = play.shown[seat]
    rank = rank_in(holding, play.rules) if is_shown and holding is not None else None
    fared = None
    bank = play.holdings[play.banker] if play.banker >= 0 else None
    if is_compared(play) and not is_banker:
        assert holding is not None
        assert bank is not None
        fared = comparison(holding, bank, play.outcomes[seat], play.rules)
    return SeatView(
        seat=seat,
        player=next(entry.player for entry in hand.seats if entry.seat == seat),
        is_banker=is_banker,
        is_turn=play.phase == Phase.REVEAL and seat == next_to_reveal(play),
        holding=() if holding is None else tuple(CODES[kind] for kind in holding_of(holding)),
        is_shown=is_shown,
        carry_in_minor=facts.carry_in[seat],
        bid=play.bids[seat],
        bet=play.bets[seat],
        banker_note=_banker_note(play) if is_banker else None,
        hand_name=None if rank is None else rank.english,
        hand_name_hant=None if rank is None else rank.hant,
        hand_note=None if rank is None or holding is None else holding_note(holding, play.rules),
        lines=_lines(play, facts, seat),
        outcome=None if fared is None else fared.outcome,
        outcome_reason=None if fared is None else fared.reason,
        outcome_rule=None if fared is None else fared.rule,
    )


def _banker_note(play: Play) -> str:
    if play.bids[play.banker]:
        return say("Banker, bid ×{multiple}", multiple=play.multiple)
    return say("Banker at ×{multiple}, nobody bid", multiple=play.multiple)


def _lines(play: Play, facts: Facts, seat: int) -> tuple[str, ...]:
    """A seat's bid until the bank is given, then a player's bet."""
    bid, bet = play.bids[seat], play.bets[seat]
    if bet is not None:
        stake = amount(facts.base * play.multiple * bet, play.hand.minor_digits)
        return (say("bet ×{bet}, stake {stake}", bet=bet, stake=stake),)
    if play.banker < 0 and bid is not None:
        return (say("bid ×{bid}", bid=bid) if bid else say("no bid"),)
    return ()
