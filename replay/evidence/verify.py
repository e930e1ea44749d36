"""Verifying a bundle: nothing of it is believed that can be made again or proven.

No network, no database, no clock; the engine here judges every record again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from replay.audit import read
from replay.evidence.archive import Member
from replay.evidence.bundle import (
    ACCOUNTS,
    CUSTODY,
    FORMATS,
    MANIFEST,
    PROOFS,
    REPORT,
    SALTS,
    STEPS,
    VERDICTS,
    Content,
    Manifest,
    Proofs,
    members_of,
)
from replay.evidence.entries import Entry, EntryError, read_entries, write_entries
from replay.evidence.heads import Head, open_head
from replay.evidence.leaves import UPLOAD, VEILED_UPLOAD, VERSION
from replay.evidence.lifting import VERSIONS, Salts, file_commitment
from replay.evidence.merkle import is_consistent, is_included
from replay.evidence.notes import NoteError, PublicKey
from replay.evidence.report import REPORT_FORMAT
from replay.evidence.retelling import (
    STEPS_FORMAT,
    Sources,
    key_of,
    other_engines,
    retell,
    sources_of,
)
from replay.evidence.touched import Opened, Problem, first_difference, open_bundle
from replay.library import read_ruleset
from replay.record import Refusal
from replay.ruleset import Ruleset, RulesetError
from replay.verdict import ENGINE

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What came out. A bundle is accepted when there is no problem.

    `checked` are sentences about what holds, `notes` about what could not be made again here.
    `signer` is who signed it; `is_own_key`: nobody said which key it should be.
    """

    problems: tuple[Problem, ...]
    checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signer: PublicKey | None = None
    is_own_key: bool = True

    @property
    def is_accepted(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Parts:
    """The members, read."""

    manifest: Manifest
    records: dict[str, bytes]
    rulesets: tuple[Ruleset, ...]
    verdicts: tuple[Entry, ...]
    custody: tuple[Entry, ...]
    accounts: dict[str, str]
    proofs: Proofs
    salts: Salts | None
    sources: Sources

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.verdicts + self.custody


def verify_bundle(data: bytes, keys: Sequence[PublicKey] = ()) -> Verified:
    """Verify the bytes of a bundle; `keys` are those one trusts, none to take its own."""
    opened = open_bundle(data, keys)
    problems = list(opened.problems)
    manifest = opened.manifest
    touched = {problem.member for problem in problems}
    if manifest is None or touched - {MANIFEST}:
        # What follows would only say the same again, of the members that are made from these.
        return Verified(problems=tuple(problems), is_own_key=not keys)
    try:
        parts = _read(opened, manifest)
    except _Unreadable as error:
        problems.append(error.problem)
        return Verified(problems=tuple(problems), signer=opened.signer, is_own_key=not keys)
    notes: list[str] = []
    checked = [f"{len(opened.members)} members are as the signed manifest lists them"]
    checks = [_check_records, _check_proofs, _check_custody]
    if parts.salts is not None:
        checks.append(_check_files)
    for check in checks:
        found, sentence = check(parts)
        problems += found
        checked.append(sentence)
    notes += _erased(parts)
    if not problems:
        problems += _check_made(opened, parts, notes)
        if not problems:
            checked.append(f"engine {ENGINE} made every verdict, step and report the same again")
    if problems:
        checked = []
    return Verified(
        problems=tuple(problems),
        checked=tuple(checked),
        notes=tuple(notes),
        signer=opened.signer,
        is_own_key=not keys,
    )


def _erased(parts: _Parts) -> list[str]:
    """What cannot be checked for a name was erased."""
    notes = []
    if erased := parts.sources.veiling.erased:
        notes.append(
            f"{len(erased)} of the records are redacted, for names were erased: each is the one"
            " that was sealed but for its names, extras and words; its first bytes and the digests"
            " of its verdicts stand under commitments that nobody can open any more"
        )
    files = {} if parts.salts is None else parts.salts.files
    uploads = {str(one["upload"]) for one in parts.custody if one.leaf == VEILED_UPLOAD}
    if closed := sorted(uploads - files.keys(), key=int):
        notes.append(f"of upload {', '.join(closed)} name and hash were erased")
    return notes


class _Unreadable(Exception):
    def __init__(self, member: str, words: str) -> None:
        super().__init__(words)
        self.problem = Problem(member, words)


def _read(opened: Opened, manifest: Manifest) -> _Parts:
    """Raises: _Unreadable."""
    records = {
        hashlib.sha256(member.data).hexdigest(): member.data for member in opened.under("records")
    }
    rulesets = tuple(_ruleset(member) for member in opened.under("rulesets"))
    custody = _entries(opened, CUSTODY)
    salts = None
    if manifest.format != FORMATS[0]:
        salts = _decoded(opened, SALTS, Salts)
    try:
        sources = sources_of(list(records.values()), rulesets, custody, salts)
    except (LookupError, ValueError) as error:
        raise _Unreadable(SALTS, str(error)) from None
    return _Parts(
        manifest=manifest,
        records=records,
        rulesets=rulesets,
        verdicts=_entries(opened, VERDICTS),
        custody=custody,
        accounts=_decoded(opened, ACCOUNTS, dict[str, str]),
        proofs=_decoded(opened, PROOFS, Proofs),
        salts=salts,
        sources=sources,
    )


def _content(opened: Opened, name: str) -> bytes:
    data = opened.data(name)
    if data is None:
        raise _Unreadable(name, "it is missing")
    return data


def _decoded(opened: Opened, name: str, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(_content(opened, name), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _Unreadable(name, str(error)) from None


def _entries(opened: Opened, name: str) -> tuple[Entry, ...]:
    data = _content(opened, name)
    try:
        entries = read_entries(data)
    except (EntryError, UnicodeDecodeError) as error:
        raise _Unreadable(name, str(error)) from None
    written = write_entries(entries)
    if written != data:
        at = first_difference(data, written)
        raise _Unreadable(name, f"its entries are not written as they should be, byte {at:,}")
    return tuple(entries)


def _ruleset(member: Member) -> Ruleset:
    try:
        return read_ruleset(member.data, where=member.name)
    except RulesetError as error:
        raise _Unreadable(member.name, str(error)) from None


# Problems, and a sentence about what holds where there are none.
Checked = tuple[list[Problem], str]


def _check_records(parts: _Parts) -> Checked:
    """Each version is of a record that is here and says to be that hand."""
    problems = []
    for one in parts.custody:
        if one.leaf not in VERSIONS:
            continue
        name = parts.sources.versions[key_of(one)]
        line = parts.records.get(name)
        if line is None:
            problems.append(Problem(CUSTODY, f"leaf {one.index}: its record is not in the bundle"))
            continue
        try:
            hand = read(line).hand
        except Refusal as refusal:
            problems.append(Problem(f"records/{name}.json", f"no hand: {refusal}"))
            continue
        if (hand.source, hand.hand_id) != (one["source"], one["hand_id"]):
            words = f"leaf {one.index} says it is another hand than its record does"
            problems.append(Problem(CUSTODY, words))
        if one.leaf != VERSION:
            commitment = parts.sources.veiling.records[name].sealed(name)
            if commitment is not None and commitment != one["sealed"]:
                words = f"its bytes are not those that leaf {one.index} is sealed over"
                problems.append(Problem(f"records/{name}.json", words))
    return problems, f"{len(parts.records)} records are those of the versions"


def _check_files(parts: _Parts) -> Checked:
    """What is said of each file is what its leaf is sealed over."""
    problems = []
    files = {} if parts.salts is None else parts.salts.files
    uploads = {str(one["upload"]): one for one in parts.custody if one.leaf == VEILED_UPLOAD}
    for name, file in files.items():
        one = uploads.get(name)
        try:
            is_right = one is not None and file_commitment(file) == one["sealed"]
        except ValueError:
            is_right = False
        if not is_right:
            problems.append(Problem(SALTS, f"what it says of upload {name} is not what was sealed"))
    return problems, f"{len(files)} files are opened by their salts"


def _check_proofs(parts: _Parts) -> Checked:
    """Each entry stands in the log under a signed head, which the newest head goes on from."""
    keys = [PublicKey.parse(one) for one in parts.manifest.keys]
    try:
        head = open_head(parts.proofs.head, *keys).head
        newest = open_head(parts.proofs.newest, *keys).head
        paths = [_hashes(path) for path in parts.proofs.paths]
        consistency = _hashes(parts.proofs.consistency)
    except (NoteError, ValueError) as error:
        return [Problem(PROOFS, str(error))], ""
    problems = _unproven(parts, head, paths)
    is_joined = head.origin == newest.origin and is_consistent(
        head.size, newest.size, consistency, head.root, newest.root
    )
    if not is_joined:
        problems.append(Problem(PROOFS, "the newest head does not go on from the head"))
    if newest.time != parts.manifest.at:
        problems.append(Problem(MANIFEST, "its time is not that of the newest head"))
    return problems, (
        f"{len(parts.entries)} entries stand in the log {head.origin} under a head over"
        f" {head.size:,} leaves of {head.time}; the newest over {newest.size:,} goes on from it"
    )


def _hashes(texts: Sequence[str]) -> list[bytes]:
    hashes = [bytes.fromhex(text) for text in texts]
    if any(len(one) != 32 for one in hashes):
        raise ValueError("a hash has not 32 bytes")
    return hashes


def _unproven(parts: _Parts, head: Head, paths: Sequence[list[bytes]]) -> list[Problem]:
    if len(paths) != len(parts.entries):
        return [Problem(PROOFS, f"{len(paths)} paths for {len(parts.entries)} entries")]
    problems = []
    for place, (one, path) in enumerate(zip(parts.entries, paths, strict=True)):
        if not is_included(one.hash(), one.index, head.size, path, head.root):
            member = VERDICTS if place < len(parts.verdicts) else CUSTODY
            line = place + 1 if member == VERDICTS else place + 1 - len(parts.verdicts)
            words = f"line {line} ({one.leaf}) does not stand in the log as leaf {one.index:,}"
            problems.append(Problem(member, words))
    return problems


def _check_custody(parts: _Parts) -> Checked:
    """Every file that a version, a duplicate or a restatement came from is listed; every verdict
    is of a version."""
    is_upload = (UPLOAD, VEILED_UPLOAD)
    uploads = {one["upload"] for one in parts.custody if one.leaf in is_upload}
    versions = {key_of(one) for one in parts.custody if one.leaf in VERSIONS}
    problems = [
        Problem(CUSTODY, f"leaf {one.index}: its file, upload {one['upload']}, is not listed")
        for one in parts.custody
        if one["upload"] not in uploads
    ]
    problems += [
        Problem(VERDICTS, f"leaf {one.index}: its version is not in the bundle")
        for one in parts.verdicts
        if key_of(one) not in versions
    ]
    return problems, f"{len(uploads)} files are listed with who handed them in"


def _check_made(opened: Opened, parts: _Parts, notes: list[str]) -> list[Problem]:
    """Make again what the engine can make, and name the first byte that differs."""
    manifest = parts.manifest
    content = Content(
        subject=manifest.subject,
        records=list(parts.records.values()),
        rulesets=parts.rulesets,
        verdicts=parts.verdicts,
        custody=parts.custody,
        accounts=parts.accounts,
        proofs=parts.proofs,
        at=manifest.at,
        salts=parts.salts,
    )
    if others := other_engines(parts.verdicts):
        engines = ", ".join(others)
        notes.append(f"verdicts by engine {engines} were not made again: this is {ENGINE}")
    skipped = set()
    if manifest.report_format != REPORT_FORMAT:
        skipped.add(REPORT)
    if manifest.steps_format != STEPS_FORMAT or manifest.engine != ENGINE:
        skipped.add(STEPS)
    notes += [f"{name} was not made again: it is of another version" for name in sorted(skipped)]
    try:
        made = {member.name: member.data for member in members_of(content)}
        made[VERDICTS] = write_entries(retell(parts.verdicts, parts.sources))
    except (LookupError, RecursionError) as error:
        return [Problem(VERDICTS, f"it cannot be made again: {error}")]
    given = {member.name: member.data for member in opened.members if member.name != MANIFEST}
    problems = [Problem(name, "it is missing") for name in sorted(made.keys() - given.keys())]
    problems += [Problem(name, "no bundle has it") for name in sorted(given.keys() - made.keys())]
    problems += [
        Problem(name, _differs(given[name], made[name]))
        for name in sorted(made.keys() & given.keys() - skipped)
        if given[name] != made[name]
    ]
    if not problems and list(given) != list(made):
        problems.append(Problem("the archive", "its members are not in their order"))
    return problems


def _differs(given: bytes, made: bytes) -> str:
    at = first_difference(given, made)
    line = given.count(b"\n", 0, at) + 1
    around = slice(max(0, at - 10), at + 20)
    return (
        f"byte {at:,} (line {line}) differs from what the engine makes:"
        f" {given[around]!r} instead of {made[around]!r}"
    )
