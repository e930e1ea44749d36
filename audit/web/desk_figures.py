"""One hand as a letter tells it to a player: stage by stage, logged beside recomputed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import replay
from audit.selectors.desk_letters import LetterHand
from audit.services.desk.amounts import exposure_of
from audit.web import desk_words as words
from audit.web import markup
from audit.web.desk_texts import Texts
from audit.web.language import phrase, told
from audit.web.presenters.hands import clock_words
from audit.web.walks import Replayed, walked

# What a player is told of a seat, in this order; the last two only where they are wrong.
_TOLD = ("units", "net", "profit")
_TOLD_IF_WRONG = ("tricks", "valid_bet", "carry_out")
FIGURES_MAX = 40
STEPS_MAX = 500
# Events in which somebody chooses, or the platform for an absent player.
_CHOICES = ("bid", "bet", "play", "lead", "follow", "discard", "declare", "wager")
_LATIN = re.compile(r"[A-Za-z]")


class Notes:
    """The footnotes of a letter: each rule once, numbered as it is first cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number_of(self, rule: str | None) -> int | None:
        if rule is None:
            return None
        return self._numbers.setdefault(rule, len(self._numbers) + 1)

    def all(self) -> list[tuple[int, str, str | None]]:
        """Number, rule id, the rule in a sentence where the catalogue has it."""
        told = []
        for rule, number in self._numbers.items():
            known = markup.rule_of(rule)
            told.append((number, rule, known.sentence if known is not None else None))
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One stage. `logged` is None where the log does not carry it."""

    title: str
    formula: str
    logged: str | None
    expected: str
    note: int | None
    is_wrong: bool
    is_sum: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldHand:
    """A hand of a letter. `owed` is in minor units, None where it is not known."""

    hand: LetterHand
    played: str
    lines: tuple[Line, ...]
    sentences: tuple[str, ...]
    owed: int | None


def tell_hand(hand: LetterHand, player: str, texts: Texts, notes: Notes) -> ToldHand:
    """What became of a player in a hand, in the language of `texts`."""
    clock = clock_words(hand.started_at)
    played = phrase("{day}, {clock}", day=hand.started_at[:10], clock=clock)
    try:
        replayed = walked(hand.raw)
    except replay.Refusal:
        return ToldHand(
            hand=hand, played=played, lines=(), sentences=(texts["no_replay"],), owed=None
        )
    lines = tuple(
        line for figure in _figures_of(replayed, player) for line in _lines(figure, texts, notes)
    )
    return ToldHand(
        hand=hand,
        played=played,
        lines=lines,
        sentences=(*_sentences(hand, lines, texts), *_moves(replayed, player, texts)),
        owed=_owed(replayed, player),
    )


def _owed(replayed: Replayed, player: str) -> int | None:
    """Recomputed less logged, over all places of the player in this hand."""
    verdict = _settled(replayed)
    amounts = [one for one in exposure_of(replayed.read, verdict).amounts if one.player == player]
    if not amounts or any(one.difference is None for one in amounts):
        return None
    return sum(one.difference or 0 for one in amounts)


def _settled(replayed: Replayed) -> dict[str, object] | None:
    """The recomputed net results in the shape of a settlement, out of the figures of the walk."""
    seats, players = [], []
    for figure in replayed.walk.figures:
        if figure.name == "net" and figure.seat is not None:
            seats.append({"seat": figure.seat, "net": figure.recomputed})
        elif figure.name == "profit" and figure.owner.startswith("player-"):
            players.append({"player": figure.owner_title, "profit": figure.recomputed})
    bets = [
        {"bet": figure.subject, "profit": figure.recomputed}
        for figure in replayed.walk.figures
        if figure.name == "profit" and figure.owner.startswith("bet-")
    ]
    if seats:
        return {"seats": seats}
    return {"players": players, "bets": bets} if players or bets else None


def _figures_of(replayed: Replayed, player: str) -> list[replay.Figure]:
    """The figures that concern a player: of his seat, or his sums, or his bets."""
    seats = {one.seat for one in getattr(replayed.read.hand, "seats", ()) if one.player == player}
    bets = {
        event.bet
        for event in getattr(replayed.read.hand, "events", ())
        if getattr(event, "player", None) == player and hasattr(event, "bet")
    }
    own = [
        figure
        for figure in replayed.walk.figures
        if (figure.seat is not None and figure.seat in seats)
        or (figure.owner.startswith("player-") and figure.owner_title == player)
        or (figure.owner.startswith("bet-") and figure.subject in bets)
    ]
    told = [one for one in own if one.name in _TOLD]
    told += [one for one in own if one.name in _TOLD_IF_WRONG and one.findings]
    return told[:FIGURES_MAX]


def _lines(figure: replay.Figure, texts: Texts, notes: Notes) -> Iterable[Line]:
    stages = figure.stages
    if figure.name in _TOLD_IF_WRONG or figure.owner.startswith("player-"):
        # What led there has been told.
        stages = stages[-1:]
    for place, stage in enumerate(stages):
        is_last = place == len(stages) - 1
        logged = figure.logged if is_last else stage.logged
        title = told(stage.title)
        if figure.owner.startswith("bet-") and is_last:
            title = phrase("{text} ({note})", text=title, note=figure.subject)
        yield Line(
            title=title,
            formula=_formula(stage.formula, texts),
            logged=None if logged is None else markup.minus(logged),
            expected=markup.minus(stage.value),
            note=notes.number_of(stage.rule),
            is_wrong=logged is not None and not _is_equal(logged, stage.value),
            is_sum=is_last,
        )


def _formula(formula: str, texts: Texts) -> str:
    """The way to a number; in Chinese only where no word of it is left in English."""
    formula = markup.minus(told(formula))
    return formula if texts.is_english or not _LATIN.search(formula) else ""


def _is_equal(logged: str, expected: str) -> bool:
    """Amounts are compared by value: 9.5 is 9.50."""
    texts = [one.rstrip("0").rstrip(".") if "." in one else one for one in (logged, expected)]
    return texts[0] == texts[1]


def _sentences(hand: LetterHand, lines: Sequence[Line], texts: Texts) -> tuple[str, ...]:
    """What else is to be said of a hand: where it stopped, which option explains the log."""
    primary = next((one for one in hand.findings if one.severity == "error"), None)
    if primary is None:
        return (texts["clean"],)
    told = []
    known = replay.CODES.get(primary.code)
    if known is not None and known.stops and not lines:
        step = 0 if primary.event is None else primary.event + 1
        told.append(texts.filled("stopped", step=step, code=_named(primary, texts)))
    told += [
        texts.filled("right_if", option=_option(label, texts)) for label in primary.explained_by[:5]
    ]
    return tuple(told)


def _moves(replayed: Replayed, player: str, texts: Texts) -> Iterable[str]:
    """Which moves of the player the platform made for him (SVC-24)."""
    seats = {one.seat for one in getattr(replayed.read.hand, "seats", ()) if one.player == player}
    own = [step for step in replayed.walk.steps if step.kind in _CHOICES and step.seat in seats]
    late = [step for step in own if step.is_auto]
    for step in late:
        yield texts.filled("by_timer", step=step.number)
    if len(late) < len(own):
        yield texts["by_player" if late else "all_by_player"]


def _named(finding: replay.Finding, texts: Texts) -> str:
    rule = f", {finding.rule}" if finding.rule else ""
    known = replay.CODES.get(finding.code)
    name = known.title if known is not None and texts.is_english else finding.code
    return f"{name}{rule}"


def _option(label: str, texts: Texts) -> str:
    return words.option_words(label) if texts.is_english else label.replace("=", " = ")


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledFigure:
    """A figure of a case file: whose, what, logged, recomputed, the rule; wrong or following."""

    owner: str
    title: str
    logged: str | None
    expected: str
    rule: str | None
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledHand:
    """A hand of a case file with its findings and all its figures.

    `steps` are number, sentence, and by whom the choice was made ("by the timer"), empty where
    there was none.
    """

    hand: LetterHand
    played: str
    findings: tuple[tuple[str, replay.Finding], ...]
    figures: tuple[FiledFigure, ...]
    steps: tuple[tuple[int, str, str], ...]
    options: tuple[str, ...]
    problem: str | None


def file_hand(hand: LetterHand) -> FiledHand:
    """A hand with each figure, its rule, and what is found of it."""
    clock = clock_words(hand.started_at)
    played = phrase("{day}, {clock}", day=hand.started_at[:10], clock=clock)
    problem = None
    figures: tuple[FiledFigure, ...] = ()
    steps: tuple[tuple[int, str, str], ...] = ()
    try:
        walk = walked(hand.raw).walk
        figures = tuple(_filed(one) for one in walk.figures[: 10 * FIGURES_MAX])
        steps = tuple(
            (step.number, step.sentence, _by(step)) for step in walk.steps[1 : STEPS_MAX + 1]
        )
    except replay.Refusal as refusal:
        problem = str(refusal)
    titled = tuple(
        (replay.CODES[one.code].title if one.code in replay.CODES else one.code, one)
        for one in hand.findings
    )
    primary = next((one for one in hand.findings if one.severity == "error"), None)
    return FiledHand(
        hand=hand,
        played=played,
        findings=titled,
        figures=figures,
        steps=steps,
        options=tuple(words.option_words(label) for label in primary.explained_by)
        if primary is not None
        else (),
        problem=problem,
    )


def _by(step: replay.Step) -> str:
    if step.kind not in _CHOICES:
        return ""
    return phrase("by the timer") if step.is_auto else phrase("by the player")


def _filed(figure: replay.Figure) -> FiledFigure:
    state = "same"
    if figure.findings:
        state = "follows" if figure.findings[0].follows else "off"
    elif figure.logged is None:
        state = "none"
    rule = next((one.rule for one in reversed(figure.stages) if one.rule), None)
    return FiledFigure(
        owner=figure.owner_title or phrase("Hand"),
        title=figure.title,
        logged=None if figure.logged is None else markup.minus(figure.logged),
        expected=markup.minus(figure.recomputed),
        rule=rule,
        state=state,
    )
