"""The flow of a record with gaps: read, check what can be checked, say what cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace as replaced

from replay.audit import alternatives, prepared, worded
from replay.findings import Finding
from replay.game import Game
from replay.games import GAMES
from replay.partial import pai_gow, pai_gow_record, wenzhou
from replay.partial.gaps import CHECKS, GAPS, Check, GapName, prevented
from replay.partial.judged import Judged
from replay.partial.record import FORMAT, PartialHand, decode, decoder_of
from replay.partial.verdict import NotCheckable, PartialVerdict, digest_of_partial
from replay.record import Refusal, salvage
from replay.ruleset import Ruleset, Rulesets

_MARK = FORMAT.encode()
_decoder = decoder_of((pai_gow_record.PartialPaiGow, wenzhou.PartialWenzhou))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What a game brings for its records with gaps."""

    game: Game
    check: Callable[[Any], Any]
    judge: Callable[[Any, Any, Any], Judged]
    unchecked: Callable[[Any, Any, Any, str], tuple[tuple[int, ...], frozenset[GapName]]]


_KINDS: dict[type[PartialHand], _Kind] = {
    pai_gow_record.PartialPaiGow: _Kind(
        game=GAMES[pai_gow_record.GAME],
        check=pai_gow_record.check,
        judge=pai_gow.judge,
        unchecked=pai_gow.unchecked,
    ),
    wenzhou.PartialWenzhou: _Kind(
        game=GAMES[wenzhou.GAME],
        check=wenzhou.check,
        judge=wenzhou.judge,
        unchecked=wenzhou.unchecked,
    ),
}


class PartiallyAudited(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with what it was reached from: the record, or the refusal."""

    verdict: PartialVerdict
    hand: PartialHand | None = None
    refusal: Refusal | None = None


class Readable(msgspec.Struct, frozen=True, kw_only=True):
    """A record with gaps that could be read: the record, its game, its checked amounts."""

    hand: Any
    game: Game
    facts: Any


class _Form(msgspec.Struct, frozen=True):
    format: str


def is_partial(line: bytes) -> bool:
    """Tell whether a line that is no hand-log/1 says of itself that it is a record with gaps."""
    if _MARK not in line:
        return False
    try:
        return msgspec.json.decode(line, type=_Form).format == FORMAT
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False


def read_partial(line: bytes) -> Readable:
    """Read one line of hand-log/1-partial. Raises: Refusal with the place and the reason."""
    hand = decode(line, _decoder)
    kind = _KINDS[type(hand)]
    return Readable(hand=hand, game=kind.game, facts=kind.check(hand))


def audit_partial(
    line: bytes, rulesets: Rulesets, *, file: str | None = None, number: int = 1
) -> PartiallyAudited:
    """Judge one line of hand-log/1-partial. Never raises for what a line holds."""
    try:
        found = read_partial(line)
        return judge_partial(
            found, rulesets, record_sha256=hashlib.sha256(line).hexdigest(), file=file,
            number=number,
        )  # fmt: skip
    except Refusal as refusal:
        return reject_partial(line, refusal, file=file, number=number)


def judge_partial(
    found: Readable,
    rulesets: Rulesets,
    *,
    record_sha256: str,
    file: str | None = None,
    number: int = 1,
) -> PartiallyAudited:
    """Judge a record that was read; `record_sha256` is of the bytes that it was made from.

    Raises: Refusal where its ruleset is not at hand.
    """
    hand, kind = found.hand, _KINDS[type(found.hand)]
    ruleset = _ruleset_of(hand, kind.game, rulesets)
    rules = prepared(kind.game, ruleset)
    judged = kind.judge(hand, found.facts, rules)
    findings = _worded(found, ruleset, kind, judged)
    is_wrong = any(one.severity == "error" for one in findings)
    verdict = PartialVerdict(
        file=file,
        line=number,
        source=hand.source,
        hand_id=hand.hand_id,
        game=kind.game.name,
        ruleset=hand.ruleset,
        ruleset_sha256=ruleset.sha256,
        record_sha256=record_sha256,
        verdict="discrepant" if is_wrong else "consistent",
        findings=findings,
        settlement=judged.settlement,
        feed=hand.feed,
        gaps=tuple(name for name in GAPS if name in hand.gaps),
        not_checkable=_not_checkable(found, kind, rules),
        assumptions=tuple(hand.assumptions),
    )
    return PartiallyAudited(
        verdict=replaced(verdict, replay_digest=digest_of_partial(verdict)), hand=hand
    )


def reject_partial(
    line: bytes, refusal: Refusal, *, file: str | None = None, number: int = 1
) -> PartiallyAudited:
    """The verdict for what cannot be read as a record with gaps."""
    names = salvage(line)
    game = names["game"]
    verdict = PartialVerdict(
        file=file,
        line=number,
        source=names["source"],
        hand_id=names["hand_id"],
        game=game if game in GAMES else None,
        ruleset=names["ruleset"],
        ruleset_sha256=None,
        record_sha256=hashlib.sha256(line).hexdigest(),
        verdict="rejected",
        error=str(refusal),
    )
    return PartiallyAudited(verdict=verdict, refusal=refusal)


def _ruleset_of(hand: PartialHand, game: Game, rulesets: Rulesets) -> Ruleset:
    ruleset = rulesets.get(hand.ruleset)
    if ruleset is None:
        raise Refusal("$.ruleset", f"unknown ruleset {hand.ruleset}")
    if ruleset.game != game.name:
        raise Refusal("$.ruleset", f"{ruleset.name} is a ruleset of {ruleset.game}")
    return ruleset


def _worded(found: Readable, ruleset: Ruleset, kind: _Kind, judged: Judged) -> tuple[Finding, ...]:
    """Every finding in words; those on figures with the option changes that explain them all."""
    explained: tuple[str, ...] = ()
    if judged.figures:
        explained = tuple(
            label
            for label, rules in alternatives(kind.game, ruleset)
            if not kind.judge(found.hand, found.facts, rules).figures
        )
    whole = [worded(one, kind.game) for one in judged.findings]
    whole += [worded(replaced(one, explained_by=explained), kind.game) for one in judged.figures]
    return tuple(whole)


def _not_checkable(found: Readable, kind: _Kind, rules: Any) -> tuple[NotCheckable, ...]:
    """Each check that was not made, or not for every seat, in the order of the list."""
    whole = {check.name: why for check, why in prevented(kind.game.name, found.hand.gaps)}
    entries = []
    for check in CHECKS[kind.game.name]:
        why = whole.get(check.name, ())
        seats: tuple[int, ...] | None = None
        if check.by_seat and set(why) <= {"other_seats_money"}:
            seats, more = kind.unchecked(found.hand, found.facts, rules, check.name)
            if not seats:
                continue
            why = tuple(name for name in GAPS if name in {*why, *more})
        if why:
            entries.append(_entry(check, why, seats))
    return tuple(entries)


def _entry(check: Check, gaps: tuple[GapName, ...], seats: tuple[int, ...] | None) -> NotCheckable:
    lacking = "; ".join(GAPS[name].lacking for name in gaps)
    where = ""
    if seats is not None:
        where = f" for seat {', '.join(map(str, seats))}"
    return NotCheckable(
        check=check.name,
        gaps=gaps,
        rules=check.rules,
        seats=seats,
        message=f"Not checked{where}: {check.title[0].lower()}{check.title[1:]}."
        f" The record does not say {lacking}.",
    )
