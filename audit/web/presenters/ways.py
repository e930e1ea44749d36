"""The way to one recomputed number: its stages with their numbers, their rules, their bars."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import phrase, told
from audit.web.presenters.findings import WITHOUT_RULE, Explanation, present_finding

NUMBER = re.compile(r"[+-]?\d+(?:\.(\d+))?")
BAR_WIDTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """One stage: its formula, what comes out, what the log says, and a bar from zero.

    `sentence` is its rule in words, where this way has not told that rule before.
    """

    title: str
    formula: str
    value: str
    logged: str | None
    rule: SafeString
    sentence: str | None
    is_wrong: bool
    is_last: bool
    bar_x: str | None
    bar_width: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The way to one recomputed number. `anchor` is the fragment that opens it."""

    anchor: str
    title: str
    owner: str
    seal: SafeString | None
    value: str
    logged: str | None
    state: str
    stages: tuple[StageRow, ...]
    has_bars: bool
    zero: str
    explained: tuple[Explanation, ...]
    is_first_wrong: bool
    wrong_stage: str | None
    made_at: int | None
    made_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What all ways of a hand share.

    `banker` is a seat; `confidence` is that of a game that as a whole is derived, and no rule of it
    is surer; the way to `first_wrong` stands open.
    """

    banker: int | None
    options: Mapping[str, object]
    confidence: str | None
    first_wrong: replay.Figure | None
    made: Mapping[tuple[str, str], tuple[int, str]] = field(default_factory=dict)


def state_of(figure: replay.Figure) -> str:
    if figure.findings:
        return "follows" if figure.findings[0].follows else "off"
    return "none" if figure.logged is None else "same"


def shown(figure: replay.Figure, text: str | None) -> str | None:
    """A value for the eye: a real minus sign, and seats by their names."""
    if text is None:
        return None
    if figure.name in ("winner", "next"):
        seat, slash, streak = text.partition("/")
        if seat in ("0", "1", "2", "3"):
            name = markup.seat_name(int(seat))
            if not slash:
                return name
            return phrase("{seat}, hand {streak} of the bank", seat=name, streak=streak)
    return markup.minus(told(text))


def seal_of(figure: replay.Figure, banker: int | None) -> SafeString | None:
    if figure.seat is None:
        return None
    return markup.seal(figure.seat, is_banker=figure.seat == banker)


def owner_of(figure: replay.Figure) -> str:
    """Who owns a figure; the seat's character is left out, because its seal stands before it."""
    if figure.seat is None:
        return told(figure.owner_title)
    return told(figure.owner_title).removeprefix(markup.SEAT_SEALS[figure.seat]).lstrip()


def anchor_of(figure: replay.Figure) -> str:
    owner = re.sub(r"[^A-Za-z0-9_-]", lambda match: f"x{ord(match.group()):x}", figure.owner)
    return f"why-{owner}-{figure.name}"


def way_of(figure: replay.Figure, table: Table) -> Way:
    bars = _bars(figure.stages)
    zero = bars[0] if bars else "0"
    explained: tuple[Explanation, ...] = ()
    if figure.findings:
        explained = present_finding(figure.findings[0], step=0, options=table.options).explained
    made_at, made_url = table.made.get((figure.owner, figure.name), (None, None))
    wrong_before = False
    cited: set[str] = set()
    stages = []
    for number, stage in enumerate(figure.stages):
        is_wrong = stage.logged is not None and not _is_equal(stage.logged, stage.value)
        bar = bars[1][number] if bars else (None, None)
        rule = markup.rule_of(stage.rule)
        sentence: str | None = None
        if rule is None:
            # Some carry-outs cite no rule (FORMAT 6.5): they are plain arithmetic.
            sentence = WITHOUT_RULE.get(f"{stage.name.replace('_', '-')}-mismatch")
        elif rule.id not in cited:
            sentence = rule.sentence
            cited.add(rule.id)
        stages.append(
            StageRow(
                title=stage.title,
                formula=stage.formula,
                value=shown(figure, stage.value) or "",
                logged=shown(figure, stage.logged),
                rule=markup.rule_link(stage.rule, _surest(rule, table.confidence)),
                sentence=sentence,
                is_wrong=is_wrong and not wrong_before,
                is_last=number == len(figure.stages) - 1,
                bar_x=bar[0],
                bar_width=bar[1],
            )
        )
        wrong_before = wrong_before or is_wrong
    return Way(
        anchor=anchor_of(figure),
        title=figure.title,
        owner=owner_of(figure),
        seal=seal_of(figure, table.banker),
        value=shown(figure, figure.recomputed) or "",
        logged=shown(figure, figure.logged),
        state=state_of(figure),
        stages=tuple(stages),
        has_bars=bars is not None,
        zero=zero,
        explained=explained,
        is_first_wrong=figure is table.first_wrong,
        wrong_stage=next((stage.title for stage in stages if stage.is_wrong), None),
        made_at=made_at,
        made_url=made_url,
    )


def _surest(rule: replay.Rule | None, most: str | None) -> str | None:
    """The confidence of a rule in a game that as a whole has no more than `most`."""
    if rule is None or most is None:
        return None
    return max(rule.confidence, most)


def _is_equal(one: str, other: str) -> bool:
    """Whether two texts say the same; a plus sign does not count."""
    return one.lstrip("+") == other.lstrip("+")


def _bars(stages: Sequence[replay.Stage]) -> tuple[str, list[tuple[str, str]]] | None:
    """A bar from zero for each stage, in drawing units; None unless all values are like numbers."""
    matches = [NUMBER.fullmatch(stage.value) for stage in stages]
    if len(stages) < 2 or not all(matches):
        return None
    if len({len(match.group(1) or "") for match in matches if match}) != 1:
        return None
    values = [int(stage.value.replace(".", "")) for stage in stages]
    low, high = min(0, *values), max(0, *values)
    if low == high:
        return None
    # Drawing needs no exact division: a bar is read beside its number.
    scale = BAR_WIDTH / (high - low)
    bars = [
        (f"{(min(0, value) - low) * scale:.1f}", f"{max(abs(value) * scale, 1.0):.1f}")
        for value in values
    ]
    return f"{-low * scale:.1f}", bars
