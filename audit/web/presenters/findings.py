"""Findings in words: what the log says, what the rules give, where it stands, why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

import replay
from audit.web import language, markup
from audit.web.language import phrase, phrase_html, say
from audit.web.presenters.options import OPTION_WORDS, VALUE_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One option change under which the log is right."""

    label: str
    value: str
    code: str
    in_force: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingCard:
    """One finding. `step` is where it stands; `where` says so in words.

    `told` is what the event list says of its event, `way` the address that opens the way to the
    expected figure, `because` the rule in one sentence.
    """

    code: str
    title: str
    step: int
    where: str
    seat: SafeString | None
    subject: SafeString | None
    told: str | None
    logged: SafeString | None
    expected: SafeString | None
    way: str | None
    rule: SafeString
    because: str | None
    weak: str | None
    is_warning: bool
    is_across: bool
    stops: bool
    follows: bool
    explained: tuple[Explanation, ...]


def present_finding(
    finding: replay.Finding,
    *,
    step: int,
    options: Mapping[str, object],
    told: str | None = None,
    way: str | None = None,
) -> FindingCard:
    """A card for one finding; `options` are those of the ruleset in force."""
    code = replay.CODES[finding.code]
    rule = markup.rule_of(finding.rule)
    return FindingCard(
        code=finding.code,
        title=language.told(code.title),
        step=step,
        where=where_of(finding, step),
        seat=markup.seal(finding.seat) if finding.seat is not None else None,
        subject=subject_of(finding),
        told=told if finding.event is not None else None,
        logged=_value(finding.code, finding.logged),
        expected=_value(finding.code, finding.expected),
        way=way,
        rule=markup.rule_link(finding.rule, finding.confidence),
        because=rule.sentence if rule is not None else WITHOUT_RULE.get(finding.code),
        weak=_weak(finding.confidence),
        is_warning=finding.severity == "warning",
        is_across=code.across,
        stops=code.stops,
        follows=finding.follows,
        explained=tuple(_explanation(label, options) for label in finding.explained_by),
    )


def _weak(confidence: str | None) -> str | None:
    """Words for a rule that is not well supported: "C, one other source"."""
    if confidence not in ("C", "D"):
        return None
    return phrase("{letter}: {meaning}", letter=confidence, meaning=markup.CONFIDENCE[confidence])


def subject_of(finding: replay.Finding) -> SafeString | None:
    """A tile is drawn, a position of Wenzhou named; a bet, a player or a figure stands as it is."""
    subject = finding.subject
    if subject is None:
        return None
    if finding.code in ("tile-excess", "round-tile-reused") and subject in _TILES:
        return _tiles(subject)
    if finding.code in ("deal-count", "outcome-mismatch", "deal-order"):
        return _position(subject) or format_html("<bdi>{}</bdi>", subject)
    return format_html("<bdi>{}</bdi>", subject)


def where_of(finding: replay.Finding, step: int) -> str:
    """Where a finding stands, in a word or two."""
    if replay.CODES[finding.code].across:
        return phrase("Hand before")
    return phrase("Result") if finding.event is None else phrase("Step {step}", step=step)


def _value(code: str, text: str | None) -> SafeString | None:
    """A logged or expected value: tiles drawn, seats as seals, amounts with a real minus."""
    if text is None:
        return None
    shape = _SHAPES.get(code)
    told = shape(text) if shape is not None else None
    return told or markup.chinese(markup.word(text).replace(",", ", "))


def _tiles(text: str) -> SafeString | None:
    codes = text.split(" ")
    if not all(code in _TILES for code in codes):
        return None
    return format_html('<span class="tiles">{}</span> {}', markup.tiles(codes, "s"), text)


def _position(text: str) -> SafeString | None:
    return markup.chinese(markup.POSITIONS[text]) if text in markup.POSITIONS else None


def _doors(text: str) -> SafeString | None:
    """The list of all doors, which a wager on no door is told."""
    if text != "shun,chu,dao":
        return None
    return format_html_join(", ", "{}", ((_position(door),) for door in text.split(",")))


def _seats_or_position(text: str) -> SafeString | None:
    return _position(text) or _seats(text)


def _times(text: str) -> SafeString | None:
    """Multiples: "×0, ×1, ×2"."""
    return format_html_join(", ", "×{}", ((number,) for number in text.split(",")))


def _tiles_or_copies(text: str) -> SafeString | None:
    """A tile, or how many copies of one."""
    if text in _TILES or " " in text:
        return _tiles(text)
    return _counted(text, say("{count} copy"), say("{count} copies"))


def _tile_count(text: str) -> SafeString | None:
    return _counted(text, say("{count} tile"), say("{count} tiles"))


def _tricks(text: str) -> SafeString | None:
    return format_html("{} {}", text, markup.character("棟"))


def _seats(text: str) -> SafeString | None:
    seats = text.split(",")
    if not all(seat in _SEATS for seat in seats):
        return None
    return format_html_join(", ", "{}", ((_seat(seat),) for seat in seats))


def _seat(number: str) -> SafeString:
    return format_html(
        "{} {}", markup.seal(int(number)), language.told(markup.SEAT_NAMES[int(number)])
    )


def _taken(text: str) -> SafeString | None:
    """`seat/tiles` of a trick."""
    seat, _, count = text.partition("/")
    if seat not in _SEATS:
        return None
    return phrase_html(
        "{seat} takes {count} {tricks}",
        seat=_seat(seat),
        count=count,
        tricks=markup.character("棟"),
    )


def _bank(text: str) -> SafeString | None:
    """`banker/streak` of the next hand."""
    seat, _, streak = text.partition("/")
    if seat not in _SEATS:
        return None
    return phrase_html("{seat}, hand {streak} of the bank", seat=_seat(seat), streak=streak)


def _bonus(text: str) -> SafeString | None:
    """`kind seat u0,u1,u2,u3` of an immediate payment."""
    words = text.split(" ")
    if len(words) != 3 or words[1] not in _SEATS:
        return None
    kind, seat, units = words
    each = format_html_join(
        " ", '<span class="nowrap">{}{}</span>',
        (
            (markup.seal(number), ("" if unit.startswith(("-", "0")) else "+") + markup.minus(unit))
            for number, unit in enumerate(units.split(",")[:4])
        ),
    )  # fmt: skip
    return phrase_html(
        "{payment} to {seat}: {units}",
        payment=markup.chinese(_BONUSES.get(kind, kind)),
        seat=_seat(seat),
        units=each,
    )


def _milliseconds(text: str) -> SafeString | None:
    return format_html("{} ms", text)


_TILES = frozenset(kind.code for kind in replay.KINDS)
_SEATS = ("0", "1", "2", "3")
_BONUSES = {
    "supreme": say("賀尊, supreme,"),
    "capture-supreme": say("擒尊, captured supreme,"),
    "four-grand": say("四大賀, four grand,"),
}
# What a finding rests on that cites no rule (FORMAT 6.5): the log's own form, or plain arithmetic.
WITHOUT_RULE = {
    "event-order": say("Each event has its place in the hand and stands there once."),
    "time-backwards": say("The clock of an event never shows less than that of an event before."),
    "tile-excess": say("The set has two copies of each civil tile and one of each military tile."),
    "tile-not-held": say("A seat plays or discards only tiles that it holds."),
    "deal-wall": say("Where the wall is logged, dice and method say which tiles each seat gets."),
    "lead-illegal": say("The leader plays face up, and only a combination that may be led."),
    "carry-out-mismatch": say("What a seat carries out is what it brought and its net result."),
    "not-conserved": say("What some seats win the others lose, but for the rake."),
    "result-missing": say("Every hand that is not void has a settlement in its log."),
    "carry-discontinuity": say("A player brings into a hand what he carried out of the last one."),
}
# How a value is shown, by the code of its finding (FORMAT 6.5); any other is text.
_SHAPES = {
    "tile-excess": _tiles_or_copies,
    "tile-not-held": _tiles,
    "deal-wall": _tiles,
    "deal-count": _tile_count,
    "bid-illegal": _times,
    "bet-illegal": _times,
    "auto-default": _times,
    "banker-multiple": _times,
    "wager-illegal": _doors,
    "tricks-mismatch": _tricks,
    "lead-illegal": _tiles,
    "follow-illegal": _tiles,
    "not-eligible": _tiles,
    "out-of-turn": _seats,
    "deal-order": _seats_or_position,
    "banker-wrong": _seats,
    "reveal-order": _seats,
    "winner-mismatch": _seats,
    "banker-succession": _seats,
    "trick-mismatch": _taken,
    "next-mismatch": _bank,
    "bonus-mismatch": _bonus,
    "time-backwards": _milliseconds,
}


def _counted(text: str, one: str, many: str) -> SafeString:
    return format_html("{}", language.told(one if text == "1" else many).format(count=text))


def _explanation(label: str, options: Mapping[str, object]) -> Explanation:
    """`pg.rake_round=half_up` in words, with what the rules in force say instead."""
    name, _, value = label.partition("=")
    option = name.partition(".")[2]
    in_force = options.get(option)
    return Explanation(
        label=OPTION_WORDS.get(option, option.replace("_", " ")),
        value=VALUE_WORDS.get((option, value), value.replace("_", " ")),
        code=f"{name} = {value}",
        in_force=None if in_force is None else _written(in_force),
    )


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or phrase("none")
    return str(value)
