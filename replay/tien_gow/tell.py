"""A hand as steps: what happened at each event, in words, and the table after it."""

from __future__ import annotations

from msgspec import UNSET

from replay.concealment import AUDITOR, Viewpoint
from replay.findings import Finding
from replay.glossary import BONUSES, METHODS, PATTERNS, SEALS, SEATS
from replay.record import Void
from replay.steps import Decision, Part, Step
from replay.telling import REFUSED, REFUSED_SENTENCE, say, without_stop
from replay.tien_gow.board import Table, payments_at
from replay.tien_gow.checks import check_bonus, seat_of, thrower_of, word_of
from replay.tien_gow.choices import decision_of
from replay.tien_gow.dealing import first_taker
from replay.tien_gow.options import Rules
from replay.tien_gow.play import replay
from replay.tien_gow.record import (
    AnyHand,
    Bonus,
    Deal,
    Declare,
    Discard,
    Facts,
    Play,
    Throw,
    TienGowEvent,
    Trick,
    Wall,
)
from replay.tien_gow.refused import why_refused
from replay.tien_gow.state import Moment, Replay
from replay.tien_gow.words import NAMES, english_tile_names, name_of, signed, tile_names


def tell(
    hand: AnyHand, facts: Facts, rules: Rules, viewpoint: Viewpoint = AUDITOR
) -> tuple[Step, ...]:
    """One step before the first event, and one for each event. Never raises.

    Behind a refused event the board stays as it was, and the words say what the log says.
    """
    moments: dict[int, Moment] = {}
    state = replay(hand, rules, moments.__setitem__)
    parts = _parts(hand, state, moments)
    table = Table(hand, facts, rules)
    board = table.board()
    first = parts[0] if parts else Part(key="deal", title=say("Deal"))
    steps = [
        Step(
            number=0,
            event=None,
            kind="start",
            part=first,
            text=say("before the first event"),
            sentence=say("Before the first event."),
            board=board,
        )
    ]
    stop = _stop_of(state)
    clock: int | None = None
    for index, event in enumerate(hand.events):
        is_judged = stop is None or stop.event is None or index <= stop.event
        text, sentence = _logged_words(event)
        decision = _decision(hand, event, table, viewpoint) if is_judged else None
        if stop is not None and index == stop.event:
            why = why_refused(event, stop, table.moment, rules)
            text, sentence = (
                say(REFUSED, text=text, why=why),
                say(REFUSED_SENTENCE, sentence=sentence, why=why),
            )
            table.refuse(event, stop)
            board = table.board()
        elif is_judged:
            text, sentence = _judged_words(hand, event, table.moment, text, sentence)
            _move_on(table, hand, moments, index, event)
            board = table.board()
        elif type(event) is Play and parts[index] is not parts[index - 1]:
            text, sentence = _logged_play(event, is_lead=True)
        ms = None if event.ms is UNSET else event.ms
        steps.append(
            Step(
                number=index + 1,
                event=index,
                kind=word_of(event),
                part=parts[index],
                seat=thrower_of(hand, event) if type(event) is Throw else seat_of(event),
                tiles=_tiles_of(event),
                text=text,
                sentence=sentence,
                is_auto=event.auto is True,
                ms=ms,
                think_ms=None if ms is None or clock is None or ms < clock else ms - clock,
                is_judged=is_judged,
                decision=decision,
                board=board,
            )
        )
        clock = clock if ms is None else ms
    return tuple(steps)


def _decision(
    hand: AnyHand, event: TienGowEvent, table: Table, viewpoint: Viewpoint
) -> Decision | None:
    """What was open to the seat of an event at its turn; a 例牌 needs no turn."""
    if not isinstance(event, Play | Discard | Declare) or not viewpoint.decides_for(event.seat):
        return None
    moment, holding = table.moment, table.holdings[event.seat]
    if isinstance(event, Declare):
        is_due = not moment.number and len(holding) == table.rules.size
    else:
        is_due = moment.turn == event.seat
    return decision_of(hand, event, holding, moment, table.rules) if is_due else None


def _stop_of(state: Replay) -> Finding | None:
    """The finding that stopped the replay, None where it went through."""
    return state.findings[-1] if state.stopped else None


def _move_on(
    table: Table, hand: AnyHand, moments: dict[int, Moment], index: int, event: TienGowEvent
) -> None:
    if type(event) is Void:
        table.is_void = True
        table.gone = {}
        return
    moment = moments[index]
    table.accept(event, moment)
    table.paid = payments_at(hand, moments, index, moment)


def _tiles_of(event: TienGowEvent) -> tuple[str, ...]:
    if isinstance(event, Play | Discard | Deal):
        return tuple(event.tiles)
    return ()


# -- words ----------------------------------------------------------------------------------


def _judged_words(
    hand: AnyHand, event: TienGowEvent, before: Moment, text: str, sentence: str
) -> tuple[str, str]:
    """Words for an accepted event, where the replay knows more than the log says."""
    if type(event) is Throw:
        total, thrower = sum(event.values), thrower_of(hand, event)
        first = first_taker(thrower, total)
        return (
            say("{text}; {seal} takes first", text=text, seal=SEALS[first]),
            say(
                "{seat} {text}, {total} in all: {seat_2} takes first.",
                seat=SEATS[thrower],
                text=text,
                total=total,
                seat_2=SEATS[first],
            ),
        )
    if type(event) is Play:
        name = name_of(event.tiles)
        assert name is not None
        named = say("{hant}, {english}", hant=name.hant, english=name.english)
        seat = SEATS[event.seat]
        if before.position in (0, 4):
            return say("leads {tiles}", tiles=named), say(
                "{seat} leads {tiles}.", seat=seat, tiles=name.phrase
            )
        best = NAMES[before.highest]
        return say("beats {best_hant} with {named}", best_hant=best.hant, named=named), say(
            "{seat} beats {best_phrase} with {name_phrase}.",
            seat=seat,
            best_phrase=best.phrase,
            name_phrase=name.phrase,
        )
    if type(event) is Trick and (event.seat, event.tiles) != (before.best, before.count):
        return (
            say(
                "{text}, as logged (by the play: {seal} takes {before_count} 棟)",
                text=text,
                seal=SEALS[before.best],
                before_count=before.count,
            ),
            say(
                "{sentence}, says the log. By the play: {seat}, {before_count}.",
                sentence=without_stop(sentence),
                seat=SEATS[before.best],
                before_count=before.count,
            ),
        )
    if type(event) is Bonus:
        earned = dict(before.bonuses).get(before.number)
        if check_bonus(0, event, earned) is None:
            return text, sentence
        if earned is None:
            return say("{text}, as logged (nothing was earned)", text=text), say(
                "{sentence} Nothing was earned.", sentence=sentence
            )
        due = " ".join(signed(units) for units in earned.units)
        who = say(
            "{seal} {bonus} {units}",
            seal=SEALS[earned.collector],
            bonus=BONUSES[earned.kind],
            units=due,
        )
        return say("{text}, as logged (due: {who})", text=text, who=who), say(
            "{sentence} Due: {who}.", sentence=sentence, who=who
        )
    return text, sentence


def _logged_words(event: TienGowEvent) -> tuple[str, str]:
    """What the log alone says of an event: for the list, behind the seat, and as a sentence."""
    if type(event) is Throw:
        first, second = event.values
        thrown = say("{first} and {second}", first=first, second=second)
        return say("throws {thrown}", thrown=thrown), say(
            "The dice show {thrown}, {first} in all.", thrown=thrown, first=first + second
        )
    if type(event) is Wall:
        method = METHODS[event.method]
        return say("wall {method}", method=method), say(
            "The wall is taken as {method}.", method=method
        )
    if type(event) is Deal:
        names = english_tile_names(event.tiles)
        return say("is dealt {tiles}", tiles=tile_names(event.tiles)), say(
            "{seat} is dealt {tiles}.", seat=SEATS[event.seat], tiles=names
        )
    if type(event) is Declare:
        hant, english = PATTERNS[event.pattern]
        return say("shows {hant}, {english}", hant=hant, english=english), say(
            "{seat} shows {english}.", seat=SEATS[event.seat], english=english
        )
    if type(event) is Play:
        return _logged_play(event, is_lead=False)
    if type(event) is Discard:
        names = english_tile_names(event.tiles)
        return (
            say("discards {tiles} face down", tiles=tile_names(event.tiles)),
            say("{seat} discards {tiles} face down.", seat=SEATS[event.seat], tiles=names),
        )
    if type(event) is Trick:
        return say("takes {tiles} 棟", tiles=event.tiles), say(
            "{seat} takes {tiles}.", seat=SEATS[event.seat], tiles=event.tiles
        )
    if type(event) is Bonus:
        units = " ".join(signed(count) for count in event.units)
        paid = say("is paid {bonus} {units}", bonus=BONUSES[event.kind], units=units)
        return paid, say("{seat} {acts}.", seat=SEATS[event.seat], acts=paid)
    assert type(event) is Void
    return say("the hand is void: {reason}", reason=event.reason), say(
        "The hand is void: {reason}.", reason=event.reason
    )


def _logged_play(event: Play, *, is_lead: bool) -> tuple[str, str]:
    """A play face up, as the log says it; `is_lead` where it opens a trick behind the stop."""
    seat, name = SEATS[event.seat], name_of(event.tiles)
    if name is None:
        tiles, names = tile_names(event.tiles), english_tile_names(event.tiles)
        if is_lead:
            return say("leads {tiles}", tiles=tiles), say(
                "{seat} leads {tiles}.", seat=seat, tiles=names
            )
        return say("plays {tiles}", tiles=tiles), say(
            "{seat} plays {tiles}.", seat=seat, tiles=names
        )
    named = say("{hant}, {english}", hant=name.hant, english=name.english)
    if is_lead:
        return say("leads {tiles}", tiles=named), say(
            "{seat} leads {tiles}.", seat=seat, tiles=name.phrase
        )
    return say("plays {tiles}", tiles=named), say(
        "{seat} plays {tiles}.", seat=seat, tiles=name.phrase
    )


# -- parts ----------------------------------------------------------------------------------


def _parts(hand: AnyHand, state: Replay, moments: dict[int, Moment]) -> list[Part]:
    """The part of each event: the deal, a declaration, a trick, a void.

    Behind a stop, tricks are counted as the log shows them: four acts, or up to a `trick` event.
    """
    notes = _trick_notes(moments)
    stop = _stop_of(state)
    deal = Part(key="deal", title=say("Deal"))
    current, number, acts = deal, 0, 4
    parts = []
    for index, event in enumerate(hand.events):
        part = current
        if type(event) is Play or type(event) is Discard:
            if acts >= 4:
                number, acts = number + 1, 0
                is_late = stop is not None and stop.event is not None and index > stop.event
                note = say("not judged") if is_late else notes.get(number, "")
                part = Part(
                    key=f"trick-{number}", title=say("Trick {number}", number=number), note=note
                )
            acts += 1
            current = part
        elif type(event) is Trick and number:
            acts = 4
        elif type(event) is Declare and not number:
            part = Part(
                key="declare",
                title=say("Declaration"),
                note=say(
                    "{seal} shows {pattern}",
                    seal=SEALS[event.seat],
                    pattern=PATTERNS[event.pattern][0],
                ),
            )
        elif type(event) is Void:
            part = Part(key="void", title=say("Void"))
        parts.append(part)
    return parts


def _trick_notes(moments: dict[int, Moment]) -> dict[int, str]:
    """What came of each finished trick: "東 takes 2 with 至尊, 賀尊 paid"."""
    notes: dict[int, str] = {}
    for moment in moments.values():
        if moment.position == 4 and moment.number not in notes:
            best = NAMES[moment.best_play].hant
            note = say(
                "{seal} takes {moment_count} with {best}",
                seal=SEALS[moment.best],
                moment_count=moment.count,
                best=best,
            )
            earned = dict(moment.bonuses).get(moment.number)
            notes[moment.number] = (
                say("{note}, {bonus} paid", note=note, bonus=BONUSES[earned.kind])
                if earned
                else note
            )
    return notes
