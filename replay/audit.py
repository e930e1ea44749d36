"""The flow of one hand: read, replay, settle, compare, judge. A function of its arguments alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Union

import msgspec
from msgspec.structs import replace

from replay.concealment import AUDITOR, Viewpoint
from replay.findings import CODES, Finding
from replay.game import Game, Judgement
from replay.games import GAMES
from replay.record import (
    Hand,
    Refusal,
    check_times,
    needs_strict_scan,
    salvage,
    strict_scan,
)
from replay.ruleset import OptionValue, Ruleset, Rulesets
from replay.steps import Figure, Rule, Step, Walk
from replay.verdict import Verdict, VerdictKind, digest_of

_GAME_OF = {game.hand_type: game for game in GAMES.values()}
typed_decode: Callable[[bytes], Any] = msgspec.json.Decoder(
    # Made at run time, so that it cannot be written with bars.
    Union[tuple(game.hand_type for game in GAMES.values())]  # noqa: UP007
).decode


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with what it was reached from: the hand, or the refusal."""

    verdict: Verdict
    hand: Hand | None = None
    refusal: Refusal | None = None


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """A line that could be read: the hand, its game, its checked amounts."""

    hand: Hand
    game: Game
    facts: Any

    @property
    def event_count(self) -> int:
        """How many events the hand has: its steps without the one before the first event."""
        events: list[Any] = getattr(self.hand, "events", [])
        return len(events)


def read(line: bytes) -> Read:
    """Read one line of hand-log/1.

    Raises: Refusal with the place and the reason (FORMAT 6.2).
    """
    try:
        hand = typed_decode(line)
    except msgspec.ValidationError as error:
        raise _refusal_of(str(error)) from None
    except msgspec.DecodeError as error:
        raise Refusal("$", str(error)) from None
    except RecursionError:
        raise Refusal("$", "nested too deep") from None
    except UnicodeDecodeError as error:
        raise Refusal("$", f"not UTF-8 (byte {error.start})") from None
    if needs_strict_scan(line, hand):
        strict_scan(line)
    check_times(hand.started_at, hand.ended_at)
    game = _GAME_OF[type(hand)]
    return Read(hand=hand, game=game, facts=game.check(hand))


def _refusal_of(message: str) -> Refusal:
    """Split msgspec's `reason - at `$.place`` into its two parts."""
    reason, found, place = message.rpartition(" - at `")
    return Refusal(place.rstrip("`"), reason) if found else Refusal("$", message)


def audit(line: bytes, rulesets: Rulesets, *, file: str | None = None, number: int = 1) -> Verdict:
    """Judge one line of hand-log/1. Never raises for what a line holds."""
    return audit_line(line, rulesets, file=file, number=number).verdict


def audit_line(
    line: bytes, rulesets: Rulesets, *, file: str | None = None, number: int = 1
) -> Audited:
    """Judge one line, and keep what was read of it.

    `line` is the exact line without its line end, `number` its place in the file from 1.
    """
    try:
        found = read(line)
        ruleset = ruleset_of(found, rulesets)
    except Refusal as refusal:
        return reject(line, refusal, file=file, number=number)
    hand, game = found.hand, found.game
    rules = prepared(game, ruleset)
    judgement = game.judge(hand, found.facts, rules, None)
    findings = _all_findings(found, ruleset, judgement)
    kind: VerdictKind = "void" if judgement.void else "clean"
    for finding in findings:
        if finding.severity == "error":
            kind = "discrepant"
            break
    settlement = None
    if judgement.settlement is not None:
        settlement = game.render(judgement.settlement, hand.minor_digits)
    record_sha256 = hashlib.sha256(line).hexdigest()
    verdict = Verdict(
        file=file,
        line=number,
        source=hand.source,
        hand_id=hand.hand_id,
        game=game.name,
        ruleset=hand.ruleset,
        ruleset_sha256=ruleset.sha256,
        record_sha256=record_sha256,
        verdict=kind,
        findings=findings,
        settlement=settlement,
        replay_digest=digest_of(
            record_sha256=record_sha256,
            ruleset_sha256=ruleset.sha256,
            kind=kind,
            findings=findings,
            settlement=settlement,
        ),
    )
    return Audited(verdict=verdict, hand=hand)


def game_of(hand: Hand) -> Game:
    """The game that a hand is one of."""
    return _GAME_OF[type(hand)]


def with_findings(verdict: Verdict, more: Sequence[Finding]) -> Verdict:
    """The verdict of a hand with findings from outside of the hand put behind its own."""
    if not more:
        return verdict
    findings = verdict.findings + tuple(more)
    kind = verdict.verdict
    if any(finding.severity == "error" for finding in more):
        kind = "discrepant"
    assert verdict.record_sha256 is not None
    assert verdict.ruleset_sha256 is not None
    return replace(
        verdict,
        verdict=kind,
        findings=findings,
        replay_digest=digest_of(
            record_sha256=verdict.record_sha256,
            ruleset_sha256=verdict.ruleset_sha256,
            kind=kind,
            findings=findings,
            settlement=verdict.settlement,
        ),
    )


def reject(
    line: bytes | None,
    refusal: Refusal,
    *,
    file: str | None,
    number: int,
    record_sha256: str | None = None,
) -> Audited:
    """The verdict for what cannot be read as a hand (FORMAT 6.2, 18).

    `line` is None where the bytes are not at hand (a line over the limit, a broken stream).
    """
    names: dict[str, str | None] = salvage(line) if line is not None else {}
    game = names.get("game")
    verdict = Verdict(
        file=file,
        line=number,
        source=names.get("source"),
        hand_id=names.get("hand_id"),
        game=game if game in GAMES else None,
        ruleset=names.get("ruleset"),
        ruleset_sha256=None,
        record_sha256=hashlib.sha256(line).hexdigest() if line is not None else record_sha256,
        verdict="rejected",
        error=str(refusal),
    )
    return Audited(verdict=verdict, refusal=refusal)


def ruleset_of(found: Read, rulesets: Rulesets) -> Ruleset:
    """The ruleset that a hand names. Raises: Refusal where it is unknown or another game's."""
    ruleset = rulesets.get(found.hand.ruleset)
    if ruleset is None:
        raise Refusal("$.ruleset", f"unknown ruleset {found.hand.ruleset}")
    if ruleset.game != found.game.name:
        raise Refusal("$.ruleset", f"{ruleset.name} is a ruleset of {ruleset.game}")
    return ruleset


_PREPARED: dict[str, Any] = {}
_ALTERNATIVES: dict[str, list[tuple[str, Any]]] = {}


def prepared(game: Game, ruleset: Ruleset) -> Any:
    """The compiled options of a ruleset, made once for each content."""
    rules = _PREPARED.get(ruleset.sha256)
    if rules is None:
        rules = _PREPARED[ruleset.sha256] = game.prepare(ruleset.options)
    return rules


def alternatives(game: Game, ruleset: Ruleset) -> list[tuple[str, Any]]:
    """Each single change of an option with its label, `pg.rake_round=half_up`, sorted."""
    known = _ALTERNATIVES.get(ruleset.sha256)
    if known is None:
        known = [
            (
                f"{game.prefix}.{name}={option_text(value)}",
                game.prepare(ruleset.changed(name, value)),
            )
            for name, option in game.options.items()
            for value in option.alternatives
            if value != ruleset.options[name]
        ]
        known.sort(key=lambda pair: pair[0])
        _ALTERNATIVES[ruleset.sha256] = known
    return known


def option_text(value: OptionValue) -> str:
    """A value as a ruleset file and `explained_by` write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _all_findings(found: Read, ruleset: Ruleset, judgement: Judgement) -> tuple[Finding, ...]:
    """Findings on events, then on figures; each with its confidence, words and explanations."""
    if not judgement.findings and not judgement.figures:
        return ()
    game = found.game
    explained: tuple[str, ...] = ()
    is_searched = not judgement.void and not judgement.stopped
    if is_searched and any(f.code not in game.unexplained for f in judgement.figures):
        explained = _explanations(found, ruleset)
    whole = [worded(finding, game) for finding in judgement.findings]
    for finding in judgement.figures:
        own = explained if finding.code not in game.unexplained else ()
        whole.append(worded(replace(finding, explained_by=own), game))
    return tuple(whole)


def _explanations(found: Read, ruleset: Ruleset) -> tuple[str, ...]:
    """The single option changes under which every figure of the logged result is right."""
    labels = []
    for label, rules in alternatives(found.game, ruleset):
        other = found.game.judge(found.hand, found.facts, rules, None)
        if not other.stopped and not other.figures:
            labels.append(label)
    return tuple(labels)


def worded(finding: Finding, game: Game) -> Finding:
    """A finding with the confidence of its rule and its words."""
    rule = game.rules.get(finding.rule) if finding.rule is not None else None
    confidence = rule.confidence if rule is not None else None
    if game.confidence is not None and rule is not None:
        confidence = max(game.confidence, rule.confidence)
    return replace(finding, confidence=confidence, message=message_of(finding, rule, confidence))


def message_of(finding: Finding, rule: Rule | None, confidence: str | None) -> str:
    """One or two sentences for people, in English."""
    text = CODES[finding.code].title
    if finding.logged is not None and finding.expected is not None:
        text += f": logged {finding.logged}, expected {finding.expected}"
    elif finding.logged is not None:
        text += f": logged {finding.logged}"
    elif finding.expected is not None:
        text += f": expected {finding.expected}"
    text += "."
    if rule is not None:
        text += f" {rule.id}: {rule.sentence}"
        if confidence in ("C", "D"):
            text += f" This rests on a rule of confidence {confidence}."
    return text


def walk(line: bytes, rulesets: Rulesets) -> Walk:
    """Every step and figure of a hand, for a page, a report or the API.

    Findings on an event stand at its step; those without one, and those on `result`, at the last.
    Raises: Refusal, as `read` does.
    """
    found = read(line)
    return walk_of(found, ruleset_of(found, rulesets))


def walk_of(found: Read, ruleset: Ruleset, viewpoint: Viewpoint = AUDITOR) -> Walk:
    """The same for a hand that was read, under rules that need not be those that it names, with the
    decisions that are the viewer's to know."""
    rules = prepared(found.game, ruleset)
    judgement = found.game.judge(found.hand, found.facts, rules, None)
    findings = _all_findings(found, ruleset, judgement)
    steps = found.game.tell(found.hand, found.facts, rules, viewpoint)
    figures: tuple[Figure, ...] = ()
    if judgement.settlement is not None:
        figures = found.game.derive(found.hand, found.facts, rules)
    return Walk(
        steps=_with_findings(steps, findings),
        figures=_with_own(figures, findings),
    )


def _with_findings(steps: tuple[Step, ...], findings: tuple[Finding, ...]) -> tuple[Step, ...]:
    at: dict[int, list[Finding]] = {}
    last = len(steps) - 1
    for finding in findings:
        at.setdefault(last if finding.event is None else finding.event + 1, []).append(finding)
    return tuple(
        replace(step, findings=tuple(at[position])) if position in at else step
        for position, step in enumerate(steps)
    )


_NAME_OF_CODE = {
    "winner-mismatch": "winner",
    "tricks-mismatch": "tricks",
    "units-mismatch": "units",
    "next-mismatch": "next",
    "theoretical-mismatch": "theoretical",
    "gross-mismatch": "gross",
    "rake-mismatch": "rake",
    "net-mismatch": "net",
    "profit-mismatch": "profit",
    "valid-bet-mismatch": "valid_bet",
    "carry-out-mismatch": "carry_out",
}


def _with_own(figures: tuple[Figure, ...], findings: tuple[Finding, ...]) -> tuple[Figure, ...]:
    """Each figure with the findings on it. A hand may have thousands of both: one look-up each."""
    on: dict[tuple[str | int | None, ...], list[Finding]] = {}
    for finding in findings:
        name = _NAME_OF_CODE.get(finding.code)
        if finding.event is None and name is not None:
            on.setdefault((name, finding.seat, finding.subject), []).append(finding)
    told: list[Figure] = []
    for figure in figures:
        own = tuple(
            finding
            for finding in on.get((figure.name, figure.seat, figure.subject), ())
            # A bet and a player may bear one name. An entry of nobody has nothing to be expected.
            if finding.logged == figure.logged and finding.expected in (None, figure.recomputed)
        )
        told.append(replace(figure, findings=own) if own else figure)
    return tuple(told)
