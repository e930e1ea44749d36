"""What happened at each event, in words and as a board; and each figure with its way.

These are the shapes that a page, the API or a text report print. They hold facts only: amounts
are minor units, tiles are codes, names of combinations are text in English with the original
beside it. They are never stored; each game builds them from the record on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from replay.findings import Finding

# Hears the private state of a replay after each event: (event index, state).
Observer = Callable[[int, Any], None]

# `best` is the best play so far, `down` a face-down discard, `refused` where the replay stopped.
PlacedState = Literal["plain", "best", "down", "refused"]


class Rule(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A rule of the rulebook in one sentence. `confidence` is A to D."""

    id: str
    sentence: str
    confidence: str


class SeatView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One seat after a step, as the auditor sees it (all tiles).

    `holding` are the tiles still in hand, `gone` those of the current trick that are still drawn
    there faintly; `so_far_minor` what the seat has won or paid at this step (immediate
    payments) by the log, `due_minor` what it should have where that differs. `is_shown`: the
    holding lies open (Pai Gow, after its reveal). `lines` are further short facts for the
    seat's card ("bid ×2", "bet ×10, stake 100.00"). `hand_name` is the name
    of the holding's rank once it is known, `verdict` how the seat fared ("Banker wins") with the
    reason and the rule it rests on.
    """

    seat: int
    player: str
    is_banker: bool
    is_turn: bool
    holding: tuple[str, ...]
    gone: tuple[str, ...] = ()
    is_shown: bool = False
    tricks: int | None = None
    carry_in_minor: int
    so_far_minor: int | None = None
    due_minor: int | None = None
    bid: int | None = None
    bet: int | None = None
    banker_note: str | None = None
    hand_name: str | None = None
    hand_name_hant: str | None = None
    hand_note: str | None = None
    lines: tuple[str, ...] = ()
    outcome: str | None = None
    outcome_reason: str | None = None
    outcome_rule: str | None = None


class Placed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Tiles that a seat has put on the table in the current trick; `order` counts from 1."""

    seat: int
    tiles: tuple[str, ...]
    state: PlacedState
    order: int
    title: str
    note: str = ""


class WagerView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One wager as it lies on a door. `profit_minor` is known once the door is decided."""

    bet: str
    player: str
    side: Literal["win", "lose"]
    stake_minor: int
    profit_minor: int | None = None


class DoorView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A position of a game without seats (Wenzhou): `bank`, `shun`, `chu` or `dao`.

    `hand_name` is known once both tiles are there ("8 points", 八點), `hand_note` how it comes
    about ("12 + 6 = 18"). `outcome` ("Door wins") with its reason and rule stands on a door, never
    on the bank, once all tiles are dealt. `is_turn`: the next tile goes here. The bank comes
    first, then the doors in their order; `wagers` lie on doors only.
    """

    position: str
    title: str
    title_hant: str
    tiles: tuple[str, ...] = ()
    is_turn: bool = False
    hand_name: str | None = None
    hand_name_hant: str | None = None
    hand_note: str | None = None
    outcome: str | None = None
    outcome_reason: str | None = None
    outcome_rule: str | None = None
    wagers: tuple[WagerView, ...] = ()


class Board(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The table after a step. `seats` are in seat order 0 to 3; Wenzhou has `doors` instead.

    `heading` and `notes` stand in the centre ("Trick 3", "2 tiles, civil pair 文對", "Best so
    far 雙鵝, South"); `corner_notes` are short facts about the whole hand ("棟 taken 3 of 8").
    """

    seats: tuple[SeatView, ...]
    placed: tuple[Placed, ...] = ()
    dice: tuple[int, int] | None = None
    dice_note: str | None = None
    heading: str = ""
    notes: tuple[str, ...] = ()
    corner_notes: tuple[str, ...] = ()
    doors: tuple[DoorView, ...] = ()


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A part of the hand that can be jumped to: a phase, or a trick. `key` is like `trick-3`."""

    key: str
    title: str
    note: str = ""


class Choice(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that a seat could have done.

    `act` is `lead`, `beat`, `discard`, `declare`, `bid` or `bet`; `title` names it in the words of
    the board ("雙鵝", "×3"). `is_taken` marks what the log says that it did.
    """

    act: str
    title: str
    tiles: tuple[str, ...] = ()
    is_taken: bool = False


class Decision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What was open to a seat when it acted.

    `freedom`: `forced` leaves one choice, or time ran out and left the default; `free` leaves
    more; `discard` leaves several discards and no play face up. `words` say it in a sentence,
    `rule` is what it rests on.
    """

    seat: int
    choices: tuple[Choice, ...]
    freedom: Literal["forced", "discard", "free"]
    words: str
    rule: str


class Step(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The hand after an event. Step 0 is the table before the first event (`event` is None).

    `seat` acts; `text` is one sentence without a full stop at its end for the event list ("leads
    雙長三"), which follows the seat; `sentence` the same as a whole sentence with the seat's name
    for a screen reader. `tiles` are those that the event shows. `think_ms` is the time since the
    last event that has a clock, None where unknown or negative. `is_judged` is False behind the
    event at which the replay stopped: such events stand as logged. `decision` is what was open to
    the seat, where the rules leave a choice or say what is forced.
    """

    number: int
    event: int | None
    kind: str
    part: Part
    seat: int | None = None
    tiles: tuple[str, ...] = ()
    text: str
    sentence: str
    is_auto: bool = False
    ms: int | None = None
    think_ms: int | None = None
    is_judged: bool = True
    findings: tuple[Finding, ...] = ()
    decision: Decision | None = None
    board: Board


class Stage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One stage on the way to a figure.

    `formula` has the numbers in it ("5 % × 96.35 = 4.8175, rounded down"); `value` is the amount
    after this stage, as text; `logged` what the log says for the same stage, where it does.
    `rule` is a rule id.
    """

    name: str
    title: str
    formula: str
    value: str
    logged: str | None = None
    rule: str | None = None


class Figure(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A figure of `result`: logged beside recomputed, with its way.

    `name` is the field (`gross`, `units`, `winner`, `next`, …), `owner` groups figures into rows
    of the settlement table: a seat ("seat-2"), a bet ("bet-b1"), a player, or "hand" for
    figures of the whole hand; `owner_note` says what a bet is ("300.00 on 出門 Chu to lose").
    `logged` is None where the log does not carry it.
    """

    name: str
    title: str
    owner: str
    owner_title: str
    owner_note: str = ""
    seat: int | None = None
    subject: str | None = None
    logged: str | None
    recomputed: str
    findings: tuple[Finding, ...] = ()
    stages: tuple[Stage, ...] = ()


class Walk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A whole hand for the eye: its steps, its figures, its rules."""

    steps: tuple[Step, ...]
    figures: tuple[Figure, ...]
