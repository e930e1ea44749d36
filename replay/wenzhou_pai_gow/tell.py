"""A hand in steps: words for each event, and the table after it.

Built by the replay of the audit with an observer; what is behind the stop stands as logged.
"""

from __future__ import annotations

from msgspec import UNSET

from replay.concealment import AUDITOR, Viewpoint
from replay.glossary import POSITION_TITLES_HANT
from replay.money import format_minor
from replay.record import Void
from replay.steps import Part, Step
from replay.telling import capital, say
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.play import Replay, play
from replay.wenzhou_pai_gow.record import (
    Deal,
    Facts,
    Outcome,
    Rescan,
    Throw,
    Wager,
    WenzhouHand,
)
from replay.wenzhou_pai_gow.table import Table
from replay.wenzhou_pai_gow.words import why_refused, words_of

_KINDS: dict[type, str] = {
    Wager: "wager", Throw: "dice", Deal: "deal", Rescan: "rescan", Outcome: "outcome", Void: "void",
}  # fmt: skip
# A part is never left backwards: a late wager stays in the part in which it came.
_PART_OF: dict[type, int] = {Wager: 0, Throw: 1, Deal: 2, Rescan: 0, Outcome: 3, Void: 4}
_DOOR_COUNTS = (say("no doors"), say("one door"), say("two doors"), say("three doors"))


def tell(
    hand: WenzhouHand, facts: Facts, rules: Rules, _viewpoint: Viewpoint = AUDITOR
) -> tuple[Step, ...]:
    """Step 0, before the first event, and one step an event. Nobody decides. Never raises."""
    table = Table(facts, rules)
    board = table.board(Replay())
    replay = play(hand, facts, rules, table.hear)
    parts = _parts(facts, replay)
    steps = [
        Step(
            number=0,
            event=None,
            kind="start",
            part=parts[0],
            text=say("before the first event"),
            sentence=say("Before the first event."),
            board=board,
        )
    ]
    clock: int | None = None
    part = wagers = 0
    for index, event in enumerate(hand.events):
        part = max(part, _PART_OF[type(event)])
        stake_minor = 0
        if type(event) is Wager:
            stake_minor = facts.stakes[wagers]
            wagers += 1
        is_judged = index < len(table.boards)
        is_refused = index == replay.refused
        if is_judged:
            board = table.boards[index]
        text = words_of(
            event,
            format_minor(stake_minor, facts.minor_digits),
            board if is_judged and not is_refused else None,
            table.comparisons,
        )
        if is_refused:
            why = why_refused(event, replay.findings[-1], replay.phase, stake_minor, facts)
            text = say("{text}: refused, {why}", text=text, why=why)
        ms = None if event.ms is UNSET else event.ms
        steps.append(
            Step(
                number=index + 1,
                event=index,
                kind=_KINDS[type(event)],
                part=parts[part],
                tiles=event.tiles if type(event) is Deal else (),
                text=text,
                sentence=_sentence(event, text),
                is_auto=event.auto is True,
                ms=ms,
                think_ms=_think_ms(clock, ms),
                is_judged=is_judged,
                board=board,
            )
        )
        if ms is not None:
            clock = ms
    return tuple(steps)


def _sentence(event: object, text: str) -> str:
    """The text as a sentence; a wager begins with a player's name, which stands as it is."""
    return say("{text}.", text=text if type(event) is Wager else capital(text))


def _think_ms(clock: int | None, ms: int | None) -> int | None:
    """Time since the last event with a clock; None where unknown or negative."""
    if clock is None or ms is None or ms < clock:
        return None
    return ms - clock


def _parts(facts: Facts, replay: Replay) -> tuple[Part, ...]:
    """The parts of a hand to jump between, with what came of them."""
    doors = {wager.door for wager in facts.wagers[: replay.wagers]}
    wagers = say("none")
    if doors:
        wagers = say("{wagers} on {doors}", wagers=replay.wagers, doors=_DOOR_COUNTS[len(doors)])
    dice = first = outcome = ""
    if replay.dice is not None:
        dice = f"{replay.dice[0]} + {replay.dice[1]}"
        first = say("{position} first", position=POSITION_TITLES_HANT[replay.first])
    if replay.door_wins is not None:
        won = sum(replay.door_wins)
        outcome = say("{doors} won", doors=_DOOR_COUNTS[won])
    return (
        Part(key="wagers", title=say("Wagers"), note=wagers),
        Part(key="dice", title=say("Dice"), note=dice),
        Part(key="deal", title=say("Deal"), note=first),
        Part(key="outcome", title=say("Outcome"), note=outcome),
        Part(key="void", title=say("Void"), note=say("stakes go back")),
    )
