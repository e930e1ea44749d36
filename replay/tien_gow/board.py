"""The table of a hand as an observer of the replay sees it, and its picture after a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from replay.findings import Finding
from replay.glossary import BONUSES, METHODS, PATTERNS, SEALS
from replay.steps import Board, Placed, SeatView
from replay.telling import say
from replay.tien_gow.checks import thrower_of
from replay.tien_gow.dealing import first_taker
from replay.tien_gow.options import Rules
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
    Wall,
)
from replay.tien_gow.refused import refused_title, why_refused
from replay.tien_gow.state import Moment
from replay.tien_gow.words import NAMES, count_word, name_of, ordinal, suit_word


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """An immediate payment as it stands at a step: by the log where it is logged.

    `event` is the index of its `bonus` event, None where there is none; `due` what was earned.
    """

    event: int | None
    kind: str
    logged: tuple[int, ...]
    due: tuple[int, ...]


class Table:
    """The table, moved on event by event; it reads what the replay says and judges nothing."""

    def __init__(self, hand: AnyHand, facts: Facts, rules: Rules) -> None:
        self.hand = hand
        self.facts = facts
        self.rules = rules
        self.moment = Moment(turn=None)
        self.holdings: list[list[str]] = [[], [], [], []]
        self.placed: list[Placed] = []
        self.gone: dict[int, tuple[str, ...]] = {}
        self.throw: Throw | None = None
        self.wall: Wall | None = None
        self.declared: Declare | None = None
        self.is_void = False
        self.paid: list[Paid] = []
        self.is_dealt = False
        # What a picture says of each step alike is said once.
        self.dice_note: str | None = None
        self.players = {entry.seat: entry.player for entry in reversed(hand.seats)}
        self.banker_note = say(
            "Banker, {ordinal} hand, pays ×{multiple}",
            ordinal=ordinal(hand.banker.streak),
            multiple=rules.multiple_of(hand.banker.streak),
        )

    # -- moving on

    def accept(self, event: TienGowEvent, moment: Moment) -> None:
        """Take an event that the replay accepted; `moment` is the state after it."""
        before, self.moment = self.moment, moment
        self.gone = {}
        if type(event) is Throw:
            self.throw = event
        elif type(event) is Wall:
            self.wall = event
        elif type(event) is Deal:
            self.holdings[event.seat] = list(event.tiles)
            self.is_dealt = True
        elif type(event) is Declare:
            self.declared = event
        elif type(event) is Play or type(event) is Discard:
            self._place(event, before, moment)
            return
        self.dice_note = self._dice_note()

    def _place(self, event: Play | Discard, before: Moment, moment: Moment) -> None:
        if moment.number != before.number:
            self.placed = []
        for tile in event.tiles:
            self.holdings[event.seat].remove(tile)
        self.gone = {event.seat: tuple(event.tiles)}
        order = len(self.placed) + 1
        timer = say(", by timer") if event.auto is True else ""
        title: str
        note: str
        if type(event) is Discard:
            title, note = say("Discard"), say("face down{timer}", timer=timer)
        else:
            name = name_of(event.tiles)
            assert name is not None
            if order == 1:
                title, note = (
                    say("Lead {name_hant}", name_hant=name.hant),
                    say("{name}{timer}", name=name.english, timer=timer),
                )
            else:
                title, note = (
                    name.hant,
                    say(
                        "beats {name_hant}{timer}",
                        name_hant=NAMES[before.highest].hant,
                        timer=timer,
                    ),
                )
        self.placed.append(
            Placed(
                seat=event.seat,
                tiles=tuple(event.tiles),
                state="down" if type(event) is Discard else "plain",
                order=order,
                title=title,
                note=note,
            )
        )
        self.placed = [self._ranked(placed) for placed in self.placed]

    def _ranked(self, placed: Placed) -> Placed:
        if placed.state == "down":
            return placed
        is_best = placed.seat == self.moment.best
        return replace(placed, state="best" if is_best else "plain")

    def refuse(self, event: TienGowEvent, found: Finding) -> None:
        """Take the event at which the replay stopped: its tiles lie apart, not accepted."""
        self.gone = {}
        if not isinstance(event, Play | Discard | Deal):
            return
        if isinstance(event, Deal) or self.moment.position in (0, 4):
            self.placed = []
        elif any(placed.seat == event.seat for placed in self.placed):
            return
        held = self.holdings[event.seat]
        if not isinstance(event, Deal) and all(
            held.count(tile) >= event.tiles.count(tile) for tile in event.tiles
        ):
            for tile in event.tiles:
                held.remove(tile)
            self.gone = {event.seat: tuple(event.tiles)}
        title = say("dealt") if isinstance(event, Deal) else refused_title(event.tiles)
        self.placed.append(
            Placed(
                seat=event.seat,
                tiles=tuple(event.tiles),
                state="refused",
                order=len(self.placed) + 1,
                title=say("{title} refused", title=title),
                note=why_refused(event, found, self.moment, self.rules),
            )
        )

    # -- the picture

    def board(self) -> Board:
        """The table as it stands."""
        dice = None if self.throw is None else self.throw.values
        return Board(
            seats=tuple(self._seat(seat) for seat in range(4)),
            placed=tuple(self.placed),
            dice=dice,
            dice_note=self.dice_note,
            heading=self._heading(),
            notes=self._notes(),
            corner_notes=self._corner_notes(),
        )

    def _dice_note(self) -> str | None:
        """Who threw what and who takes first: "南 threw 7, 北 takes first. No wall logged"."""
        if self.throw is None:
            return None
        total = sum(self.throw.values)
        thrower = thrower_of(self.hand, self.throw)
        note = say(
            "{seal} threw {total}, {seal_2} takes first",
            seal=SEALS[thrower],
            total=total,
            seal_2=SEALS[first_taker(thrower, total)],
        )
        if self.wall is not None:
            return say("{note}. Wall {method}", note=note, method=METHODS[self.wall.method])
        if self.is_dealt:
            return say("{note}. No wall logged", note=note)
        return note

    def _seat(self, seat: int) -> SeatView:
        is_banker = seat == self.hand.banker.seat
        logged = due = None
        if self.paid:
            logged = sum(paid.logged[seat] for paid in self.paid) * self.facts.base
            due = sum(paid.due[seat] for paid in self.paid) * self.facts.base
        return SeatView(
            seat=seat,
            player=self.players[seat],
            is_banker=is_banker,
            is_turn=seat == self.moment.turn and not self.is_void,
            holding=tuple(self.holdings[seat]),
            gone=self.gone.get(seat, ()),
            tricks=self.moment.tricks[seat],
            carry_in_minor=self.facts.carry_in[seat],
            so_far_minor=logged,
            due_minor=due if due != logged else None,
            banker_note=self.banker_note if is_banker else None,
        )

    def _heading(self) -> str:
        if self.is_void:
            return say("Void")
        if self.declared is not None:
            return PATTERNS[self.declared.pattern][0]
        return (
            say("Trick {number}", number=self.moment.number) if self.moment.number else say("Deal")
        )

    def _notes(self) -> tuple[str, ...]:
        moment = self.moment
        if self.is_void:
            return (say("Nothing is owed, the bank stays"),)
        if self.declared is not None:
            seat, pattern = self.declared.seat, self.declared.pattern
            return (
                say(
                    "{seal} wins by the deal, {pattern}",
                    seal=SEALS[seat],
                    pattern=PATTERNS[pattern][1],
                ),
            )
        if not moment.number:
            return ()
        led = say("{count}, {suit}", count=count_word(moment.count), suit=suit_word(moment.lead))
        best = NAMES[moment.best_play].hant
        if moment.position < 4:
            return led, say("Best so far {best}, {seal}", best=best, seal=SEALS[moment.best])
        taken = say(
            "{seal} takes {moment_count} 棟 with {best}",
            seal=SEALS[moment.best],
            moment_count=moment.count,
            best=best,
        )
        if moment.is_over:
            return led, taken, say("{seal} ends the hand (結)", seal=SEALS[moment.best])
        return led, taken

    def _corner_notes(self) -> tuple[str, ...]:
        notes = [
            say("棟 taken {sum} of {size}", sum=sum(self.moment.tricks), size=self.rules.size),
            say("結 needs {min_jie} 棟", min_jie=self.rules.min_jie),
        ]
        for paid in self.paid:
            if paid.event is None:
                continue
            notes.append(
                say("{bonus} at step {step}", bonus=BONUSES[paid.kind], step=paid.event + 1)
            )
            for seat in range(4):
                if paid.due[seat] < 0 and paid.logged[seat] != paid.due[seat]:
                    who = say("莊") if seat == self.hand.banker.seat else SEALS[seat]
                    notes.append(
                        say(
                            "{who} paid {logged} of {due} units",
                            who=who,
                            logged=-paid.logged[seat],
                            due=-paid.due[seat],
                        )
                    )
        return tuple(notes)


def payments_at(
    hand: AnyHand, moments: dict[int, Moment], index: int, moment: Moment
) -> list[Paid]:
    """The immediate payments up to an event.

    One that is logged counts from its `bonus` event, any other from the end of its trick.
    """
    logged: dict[int, tuple[int, Bonus]] = {}
    for place, event in enumerate(hand.events):
        if type(event) is Bonus and place in moments:
            logged[moments[place].number] = (place, event)
    earned = dict(moment.bonuses)
    paid = []
    for number in sorted(earned.keys() | logged.keys()):
        due: Sequence[int] = earned[number].units if number in earned else (0, 0, 0, 0)
        if number not in logged:
            paid.append(
                Paid(event=None, kind=earned[number].kind, logged=tuple(due), due=tuple(due))
            )
        elif logged[number][0] <= index:
            place, event = logged[number]
            kind = earned[number].kind if number in earned else event.kind
            paid.append(Paid(event=place, kind=kind, logged=event.units, due=tuple(due)))
    return paid
