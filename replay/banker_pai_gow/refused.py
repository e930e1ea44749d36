"""Why the replay refused an event, in words for the event list."""

from __future__ import annotations

from replay.banker_pai_gow.play import HOLDING_SIZE, Phase, Play, legal_bankers
from replay.banker_pai_gow.record import Bet, Bid, Compare, PaiGowEvent
from replay.banker_pai_gow.words import tile_names
from replay.findings import Finding
from replay.glossary import SEATS
from replay.record import Void
from replay.telling import listed, say
from replay.tiles import INDEX, KINDS

_DUE = {
    Phase.BID: say("a bid is due"),
    Phase.BANKER: say("the banker is due"),
    Phase.BET: say("a bet is due"),
    Phase.DICE: say("the dice are due"),
    Phase.DEAL: say("a deal is due"),
    Phase.REVEAL: say("a reveal is due"),
    Phase.COMPARE: say("only comparisons can come now"),
    Phase.VOID: say("the hand is void already"),
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
            return _why_not_offered(refusal)
        case "auto-default":
            if isinstance(event, Bid):
                return say("a seat that runs out of time has not bid")
            return say(
                "a seat that runs out of time bets the smallest, ×{expected}",
                expected=refusal.expected,
            )
        case "banker-wrong":
            names = listed([SEATS[legal] for legal in legal_bankers(play)], "or")
            return say("only {names} may be banker", names=names)
        case "banker-multiple":
            return say("the multiple is ×{expected}", expected=refusal.expected)
        case "deal-order":
            return _who_is_due(SEATS[int(refusal.expected or 0)], is_first=not play.count)
        case "deal-count":
            return say(
                "{holding_size} tiles are due, not {logged}",
                holding_size=HOLDING_SIZE,
                logged=refusal.logged,
            )
        case "tile-excess":
            assert refusal.subject is not None
            name = KINDS[INDEX[refusal.subject]].hant
            return _why_too_many(refusal.subject, name, is_single=refusal.expected == "1")
        case "reveal-order":
            return say("it is for {seat} to show", seat=SEATS[int(refusal.expected or 0)])
        case _:
            assert refusal.code == "tile-not-held"
            kinds = [INDEX[code] for code in (refusal.expected or "").split()]
            return say("the seat was dealt {tiles}", tiles=tile_names(kinds))


def _who_is_due(seat: str, *, is_first: bool) -> str:
    if is_first:
        return say("{seat} is dealt first", seat=seat)
    return say("{seat} is dealt next", seat=seat)


def _why_too_many(code: str, tile: str, *, is_single: bool) -> str:
    if is_single:
        return say("the set holds {code} {tile} only once", code=code, tile=tile)
    return say("the set holds {code} {tile} only twice", code=code, tile=tile)


def _why_not_offered(refusal: Finding) -> str:
    offered = (refusal.expected or "").split(",")
    multiples = listed([f"×{multiple}" for multiple in offered])
    if len(offered) > 1:
        return say("not offered, only {multiples} are", multiples=multiples)
    return say("not offered, only {multiple} is", multiple=multiples)


def _why_out_of_place(play: Play, event: PaiGowEvent, seat: int | None) -> str:
    if isinstance(event, Bet | Compare) and seat == play.banker:
        if isinstance(event, Bet):
            return say("the banker does not bet")
        return say("the banker does not compare with himself")
    phase = Phase(play.phase)
    if not isinstance(event, Void) and event.__struct_config__.tag == phase.name.lower():
        return say("{seat} has had that turn already", seat=SEATS[seat or 0])
    return say("out of its place, {due}", due=_DUE[phase])
