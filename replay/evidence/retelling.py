"""What the engine makes of the records of a bundle, to be compared with what the bundle says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from replay.audit import Audited, audit_line, walk, with_findings
from replay.continuity import compare, summarise
from replay.evidence.entries import Entry
from replay.evidence.leaves import (
    COMPARISON,
    COMPARISON_FINDING,
    FINDING,
    FINDING_FIELDS,
    VERDICT,
    VERSION,
)
from replay.findings import Finding
from replay.record import Refusal
from replay.ruleset import Ruleset, Rulesets
from replay.steps import Board, Step
from replay.verdict import ENGINE

# Another list of facts of a step would be another format.
STEPS_FORMAT = 1
_ENCODER = msgspec.json.Encoder(order="deterministic")
# Source, hand and number of a version.
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Sources:
    """The records and the rulesets by SHA-256, in hexadecimal, and the record of each version."""

    records: Mapping[str, bytes]
    rulesets: Mapping[str, Ruleset]
    versions: Mapping[Key, str]

    def judge(self, key: Key, ruleset: str) -> Audited:
        """Judge a version. Raises: LookupError when the bundle lacks what it takes."""
        return audit_line(self.records[self.versions[key]], self.only(ruleset))

    def only(self, ruleset: str) -> Rulesets:
        """One ruleset alone, by its SHA-256. Raises: LookupError."""
        known = Rulesets()
        known.add(self.rulesets[ruleset], where=ruleset)
        return known


def sources_of(
    records: Sequence[bytes], rulesets: Sequence[Ruleset], custody: Sequence[Entry]
) -> Sources:
    return Sources(
        records={hashlib.sha256(line).hexdigest(): line for line in records},
        rulesets={ruleset.sha256: ruleset for ruleset in rulesets},
        versions={key_of(one): one["sha256"] for one in custody if one.leaf == VERSION},
    )


def key_of(one: Entry) -> Key:
    return one["source"], one["hand_id"], one["number"]


def retell(entries: Sequence[Entry], sources: Sources) -> list[Entry]:
    """The entries of verdicts as this engine would have written them.

    `entries` are in their order: a verdict, its findings, its comparisons with theirs. Those
    by another engine stay as they are, as do places and instants. Raises: LookupError.
    """
    verdicts = {one["digest"]: one for one in entries if one.leaf == VERDICT}
    told: list[Entry] = []
    for head, *findings in _groups(entries):
        if head.leaf not in (VERDICT, COMPARISON):
            raise LookupError("a finding stands before any verdict")
        if head["engine"] != ENGINE:
            told += [head, *findings]
        elif head.leaf == VERDICT:
            told += _verdict(head, findings, sources)
        else:
            told += _comparison(head, findings, verdicts[head["verdict_digest"]], sources)
    return told


def other_engines(entries: Sequence[Entry]) -> list[str]:
    """The engines of verdicts and comparisons that this one cannot speak for."""
    engines = {one["engine"] for one in entries if one.leaf in (VERDICT, COMPARISON)}
    return sorted(engines - {ENGINE})


def _groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Each verdict or comparison with the findings behind it."""
    group: list[Entry] = []
    for one in entries:
        if one.leaf in (VERDICT, COMPARISON) and group:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _verdict(head: Entry, findings: Sequence[Entry], sources: Sources) -> list[Entry]:
    verdict = sources.judge(key_of(head), head["ruleset_sha256"]).verdict
    return [
        head.with_fields(
            ruleset=verdict.ruleset,
            kind=verdict.verdict,
            settlement=_as_json(verdict.settlement),
            digest=verdict.replay_digest,
        ),
        *_findings(head, FINDING, verdict.findings, findings),
    ]


def _comparison(head: Entry, findings: Sequence[Entry], of: Entry, sources: Sources) -> list[Entry]:
    """A comparison anew: the hand against the one before it, as `continuity` does."""
    audited = sources.judge(key_of(head), of["ruleset_sha256"])
    if audited.hand is None:
        raise LookupError(f"this engine refuses the record ({audited.refusal})")
    found: tuple[Finding, ...] = ()
    if head["earlier_source"] is not None:
        before = head["earlier_source"], head["earlier_hand_id"], head["earlier_number"]
        line = sources.records[sources.versions[before]]
        rulesets = Rulesets()
        for ruleset in sources.rulesets.values():
            rulesets.add(ruleset, where=ruleset.name)
        earlier = audit_line(line, rulesets)
        if earlier.hand is None:
            raise LookupError(f"this engine refuses the record before ({earlier.refusal})")
        bank = summarise(earlier.hand, earlier.verdict.settlement, rulesets)
        found = compare(bank, audited.hand)
    whole = with_findings(audited.verdict, found)
    return [
        head.with_fields(kind=whole.verdict, digest=whole.replay_digest),
        *_findings(head, COMPARISON_FINDING, found, findings),
    ]


def _findings(
    head: Entry, leaf: str, found: Sequence[Finding], stored: Sequence[Entry]
) -> Iterator[Entry]:
    """The entries of findings. Places are those of the bundle, which no engine can know."""
    names = ("source", "hand_id", "number", "engine")
    own = "ruleset_sha256" if leaf == FINDING else "digest"
    for position, one in enumerate(found):
        facts = _as_json(one)
        yield Entry(
            leaf=leaf,
            index=stored[position].index if position < len(stored) else -1,
            fields={
                **{name: head[name] for name in (*names, own)},
                **{name: facts[name] for name in FINDING_FIELDS if name != "position"},
                "position": position,
            },
        )


def _as_json(value: Any) -> Any:
    """A value as it is once it was written as JSON and read again."""
    return msgspec.json.decode(_ENCODER.encode(value))


def step_digests(entries: Sequence[Entry], sources: Sources) -> bytes:
    """A line for each verdict by this engine: the SHA-256 of every step of its hand.

    Raises: LookupError.
    """
    lines = []
    for one in entries:
        if one.leaf != VERDICT or one["engine"] != ENGINE:
            continue
        key, ruleset = key_of(one), one["ruleset_sha256"]
        record = sources.versions[key]
        try:
            steps = walk(sources.records[record], sources.only(ruleset)).steps
        except Refusal as refusal:
            raise LookupError(str(refusal)) from None
        digests = [hashlib.sha256(_ENCODER.encode(_facts(step))).hexdigest() for step in steps]
        lines.append({"record": record, "ruleset": ruleset, "steps": digests})
    return b"".join(_ENCODER.encode(line) + b"\n" for line in lines)


def _facts(step: Step) -> list[Any]:
    """What a step is, without the words in which it is told."""
    return [
        step.number, step.event, step.kind, step.seat, step.tiles, step.is_auto, step.ms,
        step.is_judged, [finding.code for finding in step.findings], _board(step.board),
    ]  # fmt: skip


def _board(board: Board) -> list[Any]:
    return [
        board.dice,
        [
            [
                seat.seat, seat.player, seat.is_banker, seat.is_turn, seat.holding, seat.is_shown,
                seat.tricks, seat.carry_in_minor, seat.so_far_minor, seat.due_minor, seat.bid,
                seat.bet,
            ]
            for seat in board.seats
        ],
        [[one.seat, one.tiles, one.state, one.order] for one in board.placed],
        [
            [
                door.position, door.tiles, door.is_turn,
                [
                    [wager.bet, wager.player, wager.side, wager.stake_minor, wager.profit_minor]
                    for wager in door.wagers
                ],
            ]
            for door in board.doors
        ],
    ]  # fmt: skip
