"""Why the replay refused an event, in words for the event list."""

from __future__ import annotations

from replay.banker_pai_gow.play import HOLDING_SIZE, Phase, Play, legal_bankers
from replay.banker_pai_gow.record import Bet, Bid, Compare, PaiGowEvent
from replay.banker_pai_gow.words import SEATS, listed, tile_names
from replay.findings import Finding
from replay.record import Void
from replay.tiles import INDEX, KINDS

_DUE = {
    Phase.BID: "a bid is due",
    Phase.BANKER: "the banker is due",
    Phase.BET: "a bet is due",
    Phase.DICE: "the dice are due",
    Phase.DEAL: "a deal is due",
    Phase.REVEAL: "a reveal is due",
    Phase.COMPARE: "only comparisons can come now",
    Phase.VOID: "the hand is void already",
}


def why_refused(play: Play, event: PaiGowEvent, refusal: Finding) -> str:
    """The reason as a clause: "not offered, only ×0, ×1 and ×2 are".

    Shape: `play` is the state before `event`, which it refused with `refusal`.
    """
    seat = getattr(event, "seat", None)
    match refusal.code:
        case "event-order":
            return _why_out_of_place(play, event, seat)
        case "bid-illegal" | "bet-illegal":
            offered = (refusal.expected or "").split(",")
            verb = "are" if len(offered) > 1 else "is"
            return f"not offered, only {listed([f'×{multiple}' for multiple in offered])} {verb}"
        case "auto-default":
            if isinstance(event, Bid):
                return "a seat that runs out of time has not bid"
            return f"a seat that runs out of time bets the smallest, ×{refusal.expected}"
        case "banker-wrong":
            names = listed([SEATS[legal] for legal in legal_bankers(play)], "or")
            return f"only {names} may be banker"
        case "banker-multiple":
            return f"the multiple is ×{refusal.expected}"
        case "deal-order":
            when = "next" if play.count else "first"
            return f"{SEATS[int(refusal.expected or 0)]} is dealt {when}"
        case "deal-count":
            return f"{HOLDING_SIZE} tiles are due, not {refusal.logged}"
        case "tile-excess":
            assert refusal.subject is not None
            name = KINDS[INDEX[refusal.subject]].hant
            often = "once" if refusal.expected == "1" else "twice"
            return f"the set holds {refusal.subject} {name} only {often}"
        case "reveal-order":
            return f"it is for {SEATS[int(refusal.expected or 0)]} to show"
        case _:
            assert refusal.code == "tile-not-held"
            kinds = [INDEX[code] for code in (refusal.expected or "").split()]
            return f"the seat was dealt {tile_names(kinds)}"


def _why_out_of_place(play: Play, event: PaiGowEvent, seat: int | None) -> str:
    if isinstance(event, Bet | Compare) and seat == play.banker:
        verb = "bet" if isinstance(event, Bet) else "compare with himself"
        return f"the banker does not {verb}"
    phase = Phase(play.phase)
    if not isinstance(event, Void) and event.__struct_config__.tag == phase.name.lower():
        return f"{SEATS[seat or 0]} has had that turn already"
    return f"out of its place, {_DUE[phase]}"
