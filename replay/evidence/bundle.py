"""Bundles: all the evidence about some hands in one file that stands without us.

manifest.note       what is in it: size, SHA-256 and block hashes of each member; signed
README.txt          how to check it
records/HASH.json   the exact bytes of each record, named by their SHA-256
rulesets/HASH.toml  the exact bytes of each ruleset, named by their SHA-256
verdicts.ndjson     verdicts, findings, comparisons: entries of the log
custody.ndjson      versions, files, duplicates, restatements: entries of the log
accounts.json       the names of the accounts that the files came from
salts.json          what opens the commitments of the leaves, but of names that were erased
steps.ndjson        the SHA-256 of each step of each replay
proofs.json         for each entry its path to a signed head, and from there to the newest
report.html         the same for people, to be printed
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from replay.evidence.archive import Member, pack
from replay.evidence.entries import Entry, write_entries
from replay.evidence.lifting import NO_SALTS, Salts, shown
from replay.evidence.notes import PrivateKey, PublicKey
from replay.evidence.report import REPORT_FORMAT, write_report
from replay.evidence.retelling import STEPS_FORMAT, Sources, sources_of, step_digests
from replay.ruleset import Ruleset
from replay.verdict import ENGINE

# The first has no salts: its leaves have no commitments.
FORMATS = ("tilecourt-bundle/1", "tilecourt-bundle/2")
BLOCK_BYTES = 256
MANIFEST = "manifest.note"
README, VERDICTS, CUSTODY = "README.txt", "verdicts.ndjson", "custody.ndjson"
ACCOUNTS, STEPS, PROOFS, REPORT = "accounts.json", "steps.ndjson", "proofs.json", "report.html"
SALTS = "salts.json"
_ENCODER = msgspec.json.Encoder(order="deterministic")

_README = """\
This bundle holds records of played hands, the verdicts on them, and the proof that neither was
changed since they were sealed in a log.

    python -m replay verify THIS-FILE.zip --key KEY

makes every verdict again from the records and the rulesets in here and checks every hash, proof
and signature. It needs no network and no database. KEY is the public key of whoever made the
bundle; take it from them by another way than this file. Without --key the key in the bundle is
used, and it is for you to compare it.
"""


class Listed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A member: its SHA-256, and the first eight bytes of that of each block of 256 bytes."""

    name: str
    bytes: int
    sha256: str
    blocks: list[str]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bundle holds. `keys` are those that signed the bundle and its heads, the bundle's
    first; `at` is the time of the newest head."""

    format: str
    subject: str
    engine: str
    steps_format: int
    report_format: int
    at: str
    keys: list[str]
    members: list[Listed]


class Proofs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`head` covers every entry, `newest` is the last one there was. Hashes are in hexadecimal:
    `paths` those of the entries of `verdicts`, then of `custody`, up to the root of `head`."""

    head: str
    newest: str
    consistency: list[str]
    paths: list[list[str]]


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into a bundle. `subject` says in words what it is about; `salts` are None where
    no leaf has a commitment."""

    subject: str
    records: Sequence[bytes]
    rulesets: Sequence[Ruleset]
    verdicts: Sequence[Entry]
    custody: Sequence[Entry]
    accounts: dict[str, str]
    proofs: Proofs
    at: str
    salts: Salts | None = None


def make_bundle(content: Content, key: PrivateKey, known: Sequence[PublicKey]) -> bytes:
    """The bytes of a bundle; the same content and key give the same bytes.

    `known` are further keys that signed heads. Raises: ArchiveError when it is too large;
    LookupError when a record or a ruleset is missing.
    """
    members = members_of(content)
    manifest = Manifest(
        format=FORMATS[content.salts is not None],
        subject=content.subject,
        engine=ENGINE,
        steps_format=STEPS_FORMAT,
        report_format=REPORT_FORMAT,
        at=content.at,
        keys=list(dict.fromkeys(str(one) for one in (key.public, *known))),
        members=[listed(member) for member in members],
    )
    note = key.sign(manifest_text(manifest))
    return pack([Member(MANIFEST, note.encode()), *members])


def manifest_text(manifest: Manifest) -> str:
    """The text that is signed: one line of JSON."""
    return _ENCODER.encode(manifest).decode() + "\n"


def listed(member: Member) -> Listed:
    return Listed(
        name=member.name,
        bytes=len(member.data),
        sha256=hashlib.sha256(member.data).hexdigest(),
        blocks=blocks_of(member.data),
    )


def blocks_of(data: bytes) -> list[str]:
    return [
        hashlib.sha256(data[at : at + BLOCK_BYTES]).hexdigest()[:16]
        for at in range(0, len(data), BLOCK_BYTES)
    ]


def members_of(content: Content) -> list[Member]:
    """All members but the manifest, in their order. Raises: LookupError."""
    sources = sources_of(content.records, content.rulesets, content.custody, content.salts)
    opened = []
    if content.salts is not None:
        opened = [Member(SALTS, _ENCODER.encode(content.salts) + b"\n")]
    return [
        Member(README, _README.encode()),
        *(Member(f"records/{name}.json", line) for name, line in sorted(sources.records.items())),
        *(
            Member(f"rulesets/{name}.toml", ruleset.content)
            for name, ruleset in sorted(sources.rulesets.items())
        ),
        Member(VERDICTS, write_entries(content.verdicts)),
        Member(CUSTODY, write_entries(content.custody)),
        Member(ACCOUNTS, _ENCODER.encode(content.accounts) + b"\n"),
        *opened,
        Member(STEPS, step_digests(content.verdicts, sources)),
        Member(PROOFS, _ENCODER.encode(content.proofs) + b"\n"),
        Member(REPORT, report_of(content, sources)),
    ]


def report_of(content: Content, sources: Sources) -> bytes:
    records = {hashlib.sha256(line).hexdigest(): line for line in content.records}
    salts = content.salts or NO_SALTS

    def read(entries: Sequence[Entry]) -> list[Entry]:
        return shown(entries, sources.versions, sources.veiling, salts)

    return write_report(
        title=content.subject,
        verdicts=read(content.verdicts),
        custody=read(content.custody),
        accounts=content.accounts,
        heads=[content.proofs.head, content.proofs.newest],
        records=sorted(records.items()),
    )
