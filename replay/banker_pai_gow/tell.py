"""A hand as steps: what happened at each event, in words, and the table after it."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from replay.banker_pai_gow.board import board_of, dice_note
from replay.banker_pai_gow.choices import decision_of
from replay.banker_pai_gow.options import BidTie, Rules
from replay.banker_pai_gow.phases import phase_of
from replay.banker_pai_gow.play import Play, legal_bankers, replay, top_bidders
from replay.banker_pai_gow.ranking import PAIR_RANKS
from replay.banker_pai_gow.record import (
    Banker,
    Bet,
    Bid,
    Compare,
    Deal,
    DiceThrow,
    Facts,
    PaiGowEvent,
    PaiGowHand,
    Reveal,
)
from replay.banker_pai_gow.refused import why_refused
from replay.banker_pai_gow.words import OUTCOMES, amount, english_tile_names, rank_in, tile_names
from replay.concealment import AUDITOR, Viewpoint
from replay.glossary import SEATS
from replay.record import Void
from replay.steps import Board, Part, Placed, Step
from replay.telling import REFUSED, REFUSED_SENTENCE, say, uncapital, without_stop
from replay.tiles import indices


@dataclass(frozen=True, slots=True)
class _Words:
    """An event for the list, after the seat's name, and as a whole sentence."""

    text: str
    sentence: str


def tell(
    hand: PaiGowHand, facts: Facts, rules: Rules, viewpoint: Viewpoint = AUDITOR
) -> tuple[Step, ...]:
    """One step before the first event, and one for each event.

    Behind a refused event the board stays as it was, and the words say what the log says.
    """
    told: list[tuple[_Words, Part, Board]] = []

    def observe(index: int, play: Play) -> None:
        event = hand.events[index]
        words = _judged_words(event, index, play, facts)
        told.append((words, phase_of(type(event), play), board_of(play, facts)))

    before = Play(hand, facts, rules)
    play = replay(hand, facts, rules, observe)
    steps = [
        Step(
            number=0,
            event=None,
            kind="start",
            part=phase_of(type(hand.events[0]) if hand.events else Bid, before),
            text=say("before the first event"),
            sentence=say("Before the first event."),
            board=board_of(before, facts),
        )
    ]
    stopped = board_of(play, facts, _refused_tiles(play))
    clock: int | None = None
    for index, event in enumerate(hand.events):
        if index < len(told):
            words, part, board = told[index]
        else:
            is_refused = index == play.refused_at
            words = _refused_words(event, play) if is_refused else _logged_words(event)
            part, board = phase_of(type(event), play), stopped
        is_judged = play.refused_at is None or index <= play.refused_at
        ms = None if event.ms is UNSET else event.ms
        think = None if ms is None or clock is None or ms < clock else ms - clock
        clock = clock if ms is None else ms
        steps.append(
            Step(
                number=index + 1,
                event=index,
                kind=str(event.__struct_config__.tag),
                part=part,
                seat=getattr(event, "seat", None),
                tiles=tuple(getattr(event, "tiles", ())),
                text=words.text,
                sentence=words.sentence,
                is_auto=event.auto is True,
                ms=ms,
                think_ms=think,
                is_judged=is_judged,
                decision=decision_of(hand, event)
                if is_judged and isinstance(event, Bid | Bet) and viewpoint.decides_for(event.seat)
                else None,
                board=board,
            )
        )
    return tuple(steps)


def _refused_tiles(play: Play) -> tuple[Placed, ...]:
    """Tiles that were dealt or shown where the replay stopped: they lie apart, not accepted."""
    if play.refused_at is None:
        return ()
    event = play.hand.events[play.refused_at]
    if not isinstance(event, Deal | Reveal):
        return ()
    assert play.refusal is not None
    return (
        Placed(
            seat=event.seat,
            tiles=tuple(event.tiles),
            state="refused",
            order=1,
            title=say("refused"),
            note=why_refused(play, event, play.refusal),
        ),
    )


def _refused_words(event: PaiGowEvent, play: Play) -> _Words:
    assert play.refusal is not None
    words = _logged_words(event)
    why = why_refused(play, event, play.refusal)
    return _Words(
        say(REFUSED, text=words.text, why=why),
        say(REFUSED_SENTENCE, sentence=words.sentence, why=why),
    )


def _judged_words(event: PaiGowEvent, index: int, play: Play, facts: Facts) -> _Words:
    """Words for an event that was accepted; `play` is the state after it."""
    match event:
        case Banker():
            return _banker_words(event, play)
        case Bet(seat=seat, multiple=multiple):
            stake = amount(facts.base * play.multiple * multiple, play.hand.minor_digits)
            return _Words(
                say("bets ×{multiple}", multiple=multiple),
                say(
                    "{seat} bets {multiple}, stake {stake}.",
                    seat=SEATS[seat],
                    multiple=multiple,
                    stake=stake,
                ),
            )
        case DiceThrow(values=(first, second)):
            return _Words(
                dice_note(play),
                say(
                    "The dice show {first} and {second}, {total} in all: {seat} is dealt first.",
                    first=first,
                    second=second,
                    total=first + second,
                    seat=SEATS[play.first],
                ),
            )
        case Reveal():
            return _reveal_words(event, index, play)
        case Compare():
            return _compare_words(event, index, play)
        case _:
            return _logged_words(event)


def _banker_words(event: Banker, play: Play) -> _Words:
    top = top_bidders(play)
    legal = legal_bankers(play)
    note = ""
    if not play.bids[event.seat]:
        note = say("nobody bid, any seat was legal")
    elif len(top) > 1 and play.rules.bid_tie is BidTie.MOST_COINS:
        carries = say("carries the most") if len(legal) == 1 else say("carries as much as any")
        note = say("tie of {top_count}, this seat {carries}", top_count=len(top), carries=carries)
    elif len(top) > 1:
        note = (
            say("tie, either was legal")
            if len(top) == 2
            else say("tie of {top_count}, each was legal", top_count=len(top))
        )
    words = _logged_words(event)
    if not note:
        return words
    return _Words(
        say("{text} ({note})", text=words.text, note=note),
        say("{sentence}; {note}.", sentence=without_stop(words.sentence), note=note),
    )


def _reveal_words(event: Reveal, index: int, play: Play) -> _Words:
    holding = play.holdings[event.seat]
    assert holding is not None
    rank = rank_in(holding, play.rules)
    text = say("shows {hant}, {english}", hant=rank.hant, english=rank.english)
    tiles = english_tile_names(indices(event.tiles))
    seat = SEATS[event.seat]
    sentence = (
        say("{seat} shows a {rank}: {tiles}.", seat=seat, rank=rank.english, tiles=tiles)
        if rank.number in PAIR_RANKS
        else say("{seat} shows {rank}: {tiles}.", seat=seat, rank=rank.english, tiles=tiles)
    )
    if _disputes(play, index, "rank-mismatch"):
        text = say("{text} (logged as {rank})", text=text, rank=event.rank)
        sentence = say("{sentence} The log calls it {rank}.", sentence=sentence, rank=event.rank)
    return _Words(text, sentence)


def _compare_words(event: Compare, index: int, play: Play) -> _Words:
    words = _logged_words(event)
    if not _disputes(play, index, "compare-mismatch"):
        return words
    right = uncapital(OUTCOMES[play.outcomes[event.seat]])
    return _Words(
        say("{text}, as logged (by the tiles: {right})", text=words.text, right=right),
        say(
            "{sentence}, says the log. By the tiles: {right}.",
            sentence=without_stop(words.sentence),
            right=right,
        ),
    )


def _disputes(play: Play, index: int, code: str) -> bool:
    return any(finding.event == index and finding.code == code for finding in play.findings)


_FARED = {
    "banker": say("loses to the banker"),
    "player": say("beats the banker"),
    "push": say("pushes with the banker"),
}


def _logged_words(event: PaiGowEvent) -> _Words:
    """What the log alone says of an event."""
    match event:
        case Bid(seat=seat, multiple=0):
            return _Words(say("no bid"), say("{seat} makes no bid.", seat=SEATS[seat]))
        case Bid(seat=seat, multiple=multiple):
            return _Words(
                say("bids ×{multiple}", multiple=multiple),
                say("{seat} bids {multiple}.", seat=SEATS[seat], multiple=multiple),
            )
        case Banker(seat=seat, multiple=multiple):
            return _Words(
                say("is banker at ×{multiple}", multiple=multiple),
                say(
                    "{seat} is banker at multiple {multiple}.", seat=SEATS[seat], multiple=multiple
                ),
            )
        case Bet(seat=seat, multiple=multiple):
            return _Words(
                say("bets ×{multiple}", multiple=multiple),
                say("{seat} bets {multiple}.", seat=SEATS[seat], multiple=multiple),
            )
        case DiceThrow(values=(first, second)):
            total = f"{first} + {second} = {first + second}"
            return _Words(
                total,
                say(
                    "The dice show {first} and {second}, {total} in all.",
                    first=first,
                    second=second,
                    total=first + second,
                ),
            )
        case Deal(seat=seat, tiles=tiles):
            kinds = indices(tiles)
            return _Words(
                say("is dealt {tiles}", tiles=tile_names(kinds)),
                say(
                    "{seat} is dealt {tiles}.",
                    seat=SEATS[seat],
                    tiles=english_tile_names(kinds),
                ),
            )
        case Reveal(seat=seat, tiles=tiles):
            kinds = indices(tiles)
            return _Words(
                say("shows {tiles}", tiles=tile_names(kinds)),
                say(
                    "{seat} shows {tiles}.",
                    seat=SEATS[seat],
                    tiles=english_tile_names(kinds),
                ),
            )
        case Compare(seat=seat, winner=winner):
            return _Words(
                _FARED[winner], say("{seat} {acts}.", seat=SEATS[seat], acts=_FARED[winner])
            )
        case Void(reason=reason):
            return _Words(
                say("the hand is void: {reason}", reason=reason),
                say("The hand is void: {reason}.", reason=reason),
            )
