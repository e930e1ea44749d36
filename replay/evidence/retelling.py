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
    VEILED_COMPARISON_FINDING,
    VEILED_FINDING,
    VERDICT,
    VERSION,
)
from replay.evidence.lifting import COMPARISONS, VERDICTS, VERSIONS, Salts, Veiling, veiling_of
from replay.evidence.veil import veiled_subject, veiled_value
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
    """The records and the rulesets by SHA-256, in hexadecimal, and the record of each version.

    `veiling` is that of the records, where there are leaves with commitments.
    """

    records: Mapping[str, bytes]
    rulesets: Mapping[str, Ruleset]
    versions: Mapping[Key, str]
    veiling: Veiling

    def judge(self, key: Key, ruleset: str) -> Audited:
        """Judge a version. Raises: LookupError when the bundle lacks what it takes."""
        return audit_line(self.records[self.versions[key]], self.only(ruleset))

    def only(self, ruleset: str) -> Rulesets:
        """One ruleset alone, by its SHA-256. Raises: LookupError."""
        known = Rulesets()
        known.add(self.rulesets[ruleset], where=ruleset)
        return known


def sources_of(
    records: Sequence[bytes],
    rulesets: Sequence[Ruleset],
    custody: Sequence[Entry],
    salts: Salts | None,
) -> Sources:
    """Raises: LookupError, ValueError as `veiling_of` does."""
    veiling = Veiling() if salts is None else veiling_of(records, salts)
    by_veiled = veiling.by_veiled()
    return Sources(
        records={hashlib.sha256(line).hexdigest(): line for line in records},
        rulesets={ruleset.sha256: ruleset for ruleset in rulesets},
        versions={
            key_of(one): one["sha256"]
            if one.leaf == VERSION
            else by_veiled.get(one["veiled"], one["veiled"])
            for one in custody
            if one.leaf in VERSIONS
        },
        veiling=veiling,
    )


def key_of(one: Entry) -> Key:
    return one["source"], one["hand_id"], one["number"]


def retell(entries: Sequence[Entry], sources: Sources) -> list[Entry]:
    """The entries of verdicts as this engine would have written them.

    `entries` are in their order: a verdict, its findings, its comparisons with theirs. Those
    by another engine stay as they are, as do places and instants. Raises: LookupError.
    """
    rulesets = {one["digest"]: one["ruleset_sha256"] for one in entries if one.leaf == VERDICT}
    told: list[Entry] = []
    for head, *findings in _groups(entries):
        if head.leaf not in (*VERDICTS, *COMPARISONS):
            raise LookupError("a finding stands before any verdict")
        if head["engine"] != ENGINE:
            told += [head, *findings]
        elif head.leaf in VERDICTS:
            told += _verdict(head, findings, sources)
        elif head.leaf == COMPARISON:
            told += _comparison(head, findings, rulesets[head["verdict_digest"]], sources)
        else:
            told += _comparison(head, findings, head["ruleset_sha256"], sources)
    return told


def other_engines(entries: Sequence[Entry]) -> list[str]:
    """The engines of verdicts and comparisons that this one cannot speak for."""
    engines = {one["engine"] for one in entries if one.leaf in (*VERDICTS, *COMPARISONS)}
    return sorted(engines - {ENGINE})


def _groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Each verdict or comparison with the findings behind it."""
    group: list[Entry] = []
    for one in entries:
        if one.leaf in (*VERDICTS, *COMPARISONS) and group:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _verdict(head: Entry, findings: Sequence[Entry], sources: Sources) -> list[Entry]:
    verdict = sources.judge(key_of(head), head["ruleset_sha256"]).verdict
    settlement = _as_json(verdict.settlement)
    told = {"ruleset": verdict.ruleset, "kind": verdict.verdict}
    if head.leaf == VERDICT:
        head = head.with_fields(**told, settlement=settlement, digest=verdict.replay_digest)
    else:
        head = head.with_fields(
            **told,
            settlement=veiled_value(settlement, _tokens(head, sources)),
            sealed=_sealed(head, verdict.replay_digest, sources),
        )
    return [head, *_findings(head, FINDING, verdict.findings, findings, sources)]


def _tokens(head: Entry, sources: Sources) -> Mapping[str, str]:
    veil = sources.veiling.records.get(sources.versions[key_of(head)])
    return {} if veil is None else veil.tokens


def _sealed(head: Entry, digest: str | None, sources: Sources) -> str:
    """The commitment to a digest. Where a name was erased the one that is there must do: the digest
    was over a record that nobody knows any more."""
    veil = sources.veiling.records[sources.versions[key_of(head)]]
    assert digest is not None
    return veil.sealed(digest) or head["sealed"]


def _comparison(
    head: Entry, findings: Sequence[Entry], under: str, sources: Sources
) -> list[Entry]:
    """A comparison anew: the hand against the one before it, as `continuity` does."""
    audited = sources.judge(key_of(head), under)
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
    if head.leaf == COMPARISON:
        head = head.with_fields(kind=whole.verdict, digest=whole.replay_digest)
    else:
        commitment = _sealed(head, whole.replay_digest, sources)
        head = head.with_fields(kind=whole.verdict, sealed=commitment)
    return [head, *_findings(head, COMPARISON_FINDING, found, findings, sources)]


# What the leaf of a finding says of the verdict or the comparison that it belongs to.
_OWN = {
    FINDING: ("ruleset_sha256",),
    VEILED_FINDING: ("ruleset_sha256",),
    COMPARISON_FINDING: ("digest",),
    VEILED_COMPARISON_FINDING: (
        "ruleset_sha256", "verdict_engine", "earlier_hand_id", "earlier_number",
    ),
}  # fmt: skip
_VEILED = {FINDING: VEILED_FINDING, COMPARISON_FINDING: VEILED_COMPARISON_FINDING}


def _findings(
    head: Entry, leaf: str, found: Sequence[Finding], stored: Sequence[Entry], sources: Sources
) -> Iterator[Entry]:
    """The entries of findings. Places are those of the bundle, which no engine can know."""
    names = ("source", "hand_id", "number", "engine")
    is_veiled = head.leaf not in (VERDICT, COMPARISON)
    if is_veiled:
        leaf = _VEILED[leaf]
    for position, one in enumerate(found):
        facts = _as_json(one)
        if is_veiled:
            tokens = _tokens(head, sources)
            facts["subject"] = veiled_subject(facts["code"], facts["subject"], tokens)
        yield Entry(
            leaf=leaf,
            index=stored[position].index if position < len(stored) else -1,
            fields={
                **{name: head[name] for name in (*names, *_OWN[leaf])},
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
        if one.leaf not in VERDICTS or one["engine"] != ENGINE:
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
