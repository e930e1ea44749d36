"""A hand as one viewer lawfully saw it at a step: the auditor, a seat, or the public.

What is told comes from `Concealed` alone, that is from the events up to the step with stand-ins for
tiles that were not shown; here each stand-in becomes a back, and a finding that would speak of one
is left without its values. Behind the reveal (all have shown, or every tile lies on the table and
the hand is over) the whole walk is told. Which rule decides what is shown stands in each game's
`seen` module; findings on the result, figures and derivations wait for the end of the hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from replay.audit import Read, prepared, read, ruleset_of, walk_of
from replay.concealment import AUDITOR, BACK, Concealed, Viewpoint
from replay.findings import CODES, Finding
from replay.glossary import SEATS
from replay.ruleset import Rulesets
from replay.steps import Board, Placed, SeatView, Step, Walk
from replay.telling import REFUSED, REFUSED_SENTENCE, Words, say

# Findings that name tiles: about tiles that were not shown they have nothing to say.
_NAMES_TILES = frozenset(
    ("tile-excess", "deal-wall", "tile-not-held", "lead-illegal", "follow-illegal", "not-eligible")
)
_NOT_ITS_TILES = say("these are not its tiles")
_NOT_HELD = say("these are not the tiles that the seat was dealt")


class NoSuchStep(LookupError):
    """A step beyond the end of the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a viewer sees of a hand at a step.

    `walk` ends at step `number` until the tiles are revealed, and then has all steps. `has_next`:
    the record goes on. `is_revealed`: nothing is concealed. Without it `walk` has no figures unless
    what was shown is enough to settle by (a void hand, a declared 例牌).
    """

    viewpoint: Viewpoint
    number: int
    walk: Walk
    has_next: bool
    is_revealed: bool


def seen(line: bytes, rulesets: Rulesets, viewpoint: Viewpoint, number: int) -> Sight:
    """What a viewer has seen after step `number`; step 0 is before the first event.

    Raises: Refusal as `walk` does; NoSuchStep.
    """
    found = read(line)
    return seen_of(found, rulesets, viewpoint, number)


def seen_of(
    found: Read,
    rulesets: Rulesets,
    viewpoint: Viewpoint,
    number: int,
    *,
    whole_walk: Walk | None = None,
) -> Sight:
    """The same for a line that was read; `whole_walk` is its walk, where that is at hand."""
    ruleset = ruleset_of(found, rulesets)
    last = found.event_count
    if not 0 <= number <= last:
        raise NoSuchStep(f"this hand has {last} steps")
    if viewpoint == AUDITOR:
        whole = Concealed(hand=found.hand, is_revealed=True)
    else:
        rules = prepared(found.game, ruleset)
        whole = found.game.conceal(found.hand, rules, viewpoint, number)
    if whole.is_revealed:
        walk = walk_of(found, ruleset) if whole_walk is None else whole_walk
    else:
        shown = Read(hand=whole.hand, game=found.game, facts=found.game.check(whole.hand))
        walk = _concealed(walk_of(shown, ruleset, viewpoint), whole, viewpoint)
    return Sight(
        viewpoint=viewpoint,
        number=number,
        walk=walk,
        has_next=number < last,
        is_revealed=whole.is_revealed,
    )


def _concealed(walk: Walk, whole: Concealed, viewpoint: Viewpoint) -> Walk:
    """The walk with a back for each stand-in."""
    steps: list[Step] = []
    drawn: tuple[Board, Board] | None = None
    for step in walk.steps:
        is_down = step.event in whole.backs
        # Behind a refused event the board stays the one that was drawn for it.
        if drawn is None or step.board is not drawn[0]:
            down = step.seat if is_down or _is_unheld(step, whole) else None
            drawn = step.board, _board(step.board, whole, down, is_down=is_down)
        findings = tuple(
            _finding(finding, whole)
            for finding in step.findings
            if finding.event is not None or whole.is_settled
        )
        assert step.decision is None or viewpoint.decides_for(step.seat)
        told = replace(step, board=drawn[1], findings=findings)
        steps.append(_worded(told, whole, is_down=is_down))
    return Walk(steps=tuple(steps), figures=walk.figures if whole.is_settled else ())


def _worded(step: Step, whole: Concealed, *, is_down: bool) -> Step:
    """The step in words that name no stand-in."""
    assert step.event is not None or not is_down
    if is_down and step.seat is not None:
        count = len(step.tiles)
        tiles = say("1 tile") if count == 1 else say("{count} tiles", count=count)
        words = (
            say("is dealt {tiles}", tiles=tiles)
            if step.kind == "deal"
            else say("discards {tiles} face down", tiles=tiles)
        )
        told = say("{seat} {acts}.", seat=SEATS[step.seat], acts=words)
        why = _why(step)
        return replace(
            step,
            tiles=(BACK,) * count,
            text=words if why is None else _refused_text(words, why),
            sentence=told if why is None else _refused_sentence(told, why),
        )
    if _is_unheld(step, whole):
        # The reason given would be the stand-ins that the seat is taken to hold.
        return replace(
            step,
            text=say(REFUSED, text=_before(step.text, REFUSED, "text"), why=_NOT_ITS_TILES),
            sentence=say(
                REFUSED_SENTENCE,
                sentence=_before(step.sentence, REFUSED_SENTENCE, "sentence"),
                why=_NOT_ITS_TILES,
            ),
        )
    return step


def _is_unheld(step: Step, whole: Concealed) -> bool:
    """Whether a seat showed tiles that it cannot have been dealt: the reason names stand-ins."""
    return step.seat in whole.unknown and _blames(step.findings, step.event, "tile-not-held")


def _refused_text(words: str, why: str) -> str:
    return say(REFUSED, text=words, why=why) if why else say("{text}, refused", text=words)


def _refused_sentence(sentence: str, why: str) -> str:
    if not why:
        return say("{sentence} Refused.", sentence=sentence)
    return say(REFUSED_SENTENCE, sentence=sentence, why=why)


def _before(words: str, template: str, name: str) -> str:
    """What an event is told as without its refusal; the whole where it was not refused."""
    if isinstance(words, Words) and words.template == template:
        return str(words.values[name])
    return words


def _why(step: Step) -> str | None:
    """Why an event was refused, where the reason names no tile: "it is the turn of 東".

    Empty where it does; None where the event was not refused.
    """
    if not isinstance(step.text, Words) or step.text.template != REFUSED:
        return None
    if any(_blames(step.findings, step.event, code) for code in _NAMES_TILES):
        return ""
    return str(step.text.values["why"])


def _blames(findings: tuple[Finding, ...], event: int | None, code: str) -> bool:
    return any(finding.event == event and finding.code == code for finding in findings)


def _finding(finding: Finding, whole: Concealed) -> Finding:
    is_about_stand_ins = finding.event in whole.backs or (
        finding.code == "tile-not-held" and finding.seat in whole.unknown
    )
    if not is_about_stand_ins or finding.code not in _NAMES_TILES:
        return finding
    title = CODES[finding.code].title
    return replace(finding, logged=None, expected=None, subject=None, message=f"{title}.")


def _board(board: Board, whole: Concealed, seat: int | None, *, is_down: bool) -> Board:
    """The table with backs; `seat` acts with stand-ins (`is_down`), or is blamed by some."""
    return replace(
        board,
        seats=tuple(_seat(view, whole, seat if is_down else None) for view in board.seats),
        placed=tuple(_placed(placed, whole, seat, is_down=is_down) for placed in board.placed),
    )


def _seat(view: SeatView, whole: Concealed, down: int | None) -> SeatView:
    if view.seat not in whole.unknown:
        return view
    gone = (BACK,) * len(view.gone) if view.seat == down else view.gone
    return replace(view, holding=(BACK,) * len(view.holding), gone=gone)


def _placed(placed: Placed, whole: Concealed, seat: int | None, *, is_down: bool) -> Placed:
    if placed.seat not in whole.unknown:
        return placed
    if placed.state == "down":
        return replace(placed, tiles=(BACK,) * len(placed.tiles))
    if placed.state != "refused" or placed.seat != seat:
        return placed
    if is_down:
        return replace(placed, tiles=(BACK,) * len(placed.tiles), title=say("refused"), note="")
    return replace(placed, note=_NOT_HELD)
