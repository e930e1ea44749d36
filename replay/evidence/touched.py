"""Which member of a bundle was touched, and at which byte: the file against its signed manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from replay.evidence.archive import (
    ArchiveError,
    Member,
    is_packed,
    members_by_directory,
    members_by_headers,
    pack,
    regions,
)
from replay.evidence.bundle import (
    BLOCK_BYTES,
    FORMATS,
    MANIFEST,
    Listed,
    Manifest,
    blocks_of,
    listed,
    manifest_text,
)
from replay.evidence.notes import NoteError, PublicKey, open_note


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a member; `words` name the byte where it can be known."""

    member: str
    words: str

    def __str__(self) -> str:
        return f"{self.member}: {self.words}"


@dataclass(frozen=True, slots=True)
class Opened:
    """The members of a file; the manifest where it could be read, and who signed it."""

    members: tuple[Member, ...]
    manifest: Manifest | None
    signer: PublicKey | None
    problems: tuple[Problem, ...]

    def data(self, name: str) -> bytes | None:
        return next((member.data for member in self.members if member.name == name), None)

    def under(self, folder: str) -> list[Member]:
        return [member for member in self.members if member.name.startswith(f"{folder}/")]


def open_bundle(data: bytes, keys: Sequence[PublicKey]) -> Opened:
    """Find the members, and whether they are as the manifest lists them.

    `keys` are those that may have signed it; without any, its own first key may.
    """
    if is_packed(data):
        words = "its members are compressed; a bundle's are stored as they are"
        return Opened((), None, None, (Problem("the archive", words),))
    layouts: list[list[Member]] = []
    for find in (members_by_headers, members_by_directory):
        try:
            layouts.append(find(data))
        except ArchiveError as error:
            damage = str(error)
    if not layouts:
        return Opened((), None, None, (Problem("the archive", damage),))
    opened = [_opened(members, keys) for members in _different(layouts)]
    sound = next((one for one in opened if not one.problems), None)
    if sound is None:
        return opened[0]
    return Opened(sound.members, sound.manifest, sound.signer, tuple(_outside(data, sound)))


def _different(layouts: list[list[Member]]) -> list[list[Member]]:
    return layouts[:1] if layouts[0] == layouts[-1] else layouts


def _outside(data: bytes, sound: Opened) -> list[Problem]:
    """What was touched outside of the members' content: compare with the one spelling."""
    expected = pack(sound.members)
    if data == expected:
        return []
    at = first_difference(data, expected)
    for region in regions(sound.members):
        if at < region.end:
            words = f"its {region.what} was touched, byte {at - region.start} of it"
            return [Problem(region.name, f"{words} (byte {at:,} of the file)")]
    return [Problem("the archive", f"something was added behind its end, byte {at:,} of the file")]


def first_difference(one: bytes, other: bytes) -> int:
    """The first place at which two byte strings differ; they do."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _opened(members: list[Member], keys: Sequence[PublicKey]) -> Opened:
    first, *others = members
    if first.name != MANIFEST:
        problem = Problem(MANIFEST, f"it is not the first member; {first.name!r} is")
        return Opened(tuple(others), None, None, (problem,))
    manifest, signer, found = _read_manifest(first.data, keys, others)
    problems = [] if found is None else [found]
    if manifest is not None:
        problems += _compared(manifest, others)
    return Opened(tuple(members), manifest, signer, tuple(problems))


def _read_manifest(
    data: bytes, keys: Sequence[PublicKey], others: Sequence[Member]
) -> tuple[Manifest | None, PublicKey | None, Problem | None]:
    text, _, _ = data.partition(b"\n")
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
        own = tuple(PublicKey.parse(one) for one in manifest.keys)
    except (msgspec.MsgspecError, UnicodeDecodeError, NoteError) as error:
        return None, None, Problem(MANIFEST, f"it was touched: {error}")
    if manifest.format not in FORMATS:
        words = f"it is of format {manifest.format!r}, which is not known here"
        return None, None, Problem(MANIFEST, words)
    try:
        signed, signer = open_note(data.decode("utf-8"), *(keys or own[:1]))
    except (NoteError, UnicodeDecodeError) as error:
        words = _where_touched(data, manifest, others, keys or own[:1], str(error))
        return manifest, None, Problem(MANIFEST, words)
    if signed != manifest_text(manifest):
        return manifest, signer, Problem(MANIFEST, "it is not written as a manifest is")
    return manifest, signer, None


def _where_touched(
    data: bytes,
    manifest: Manifest,
    others: Sequence[Member],
    keys: Sequence[PublicKey],
    reason: str,
) -> str:
    """Where a manifest differs from the one that the other members make."""
    made = msgspec.structs.replace(manifest, members=[listed(member) for member in others])
    expected = manifest_text(made).encode()
    end = data.find(b"\n") + 1
    if data[:end] == expected:
        return (
            f"it was touched in its fields or its signature (bytes 0 to {len(data) - 1}), or is"
            f" not by this key, for {reason}"
        )
    at = first_difference(data[:end], expected)
    try:
        open_note((expected + data[end:]).decode("utf-8"), *keys)
    except (NoteError, UnicodeDecodeError):
        return f"it was touched at byte {at:,}, or the other members were, for {reason}"
    return f"it was touched at byte {at:,}"


def _compared(manifest: Manifest, others: Sequence[Member]) -> list[Problem]:
    """The members against the manifest, in their order."""
    problems = []
    found = {member.name: member for member in others}
    names = [one.name for one in manifest.members]
    for one in manifest.members:
        member = found.get(one.name)
        if member is None:
            problems.append(Problem(one.name, "it is missing"))
        elif listed(member) != one:
            problems.append(Problem(one.name, touched_at(member.data, one)))
    extra = [member.name for member in others if member.name not in set(names)]
    problems += [Problem(name, "the manifest does not list it") for name in extra]
    if not problems and [member.name for member in others] != names:
        problems.append(Problem("the archive", "its members are not in their order"))
    return problems


def touched_at(data: bytes, one: Listed) -> str:
    """Where the content of a member differs from what the manifest says of it."""
    blocks = blocks_of(data)
    size = f"it has {len(data):,} bytes and should have {one.bytes:,}; "
    words = size if len(data) != one.bytes else ""
    for number, (found, expected) in enumerate(zip(blocks, one.blocks, strict=False)):
        if found == expected:
            continue
        start = number * BLOCK_BYTES
        block = data[start : start + BLOCK_BYTES]
        if not words and (at := _single_change(block, expected)) is not None:
            return f"it was touched at byte {start + at:,}"
        return f"{words}it was touched in bytes {start:,} to {start + len(block) - 1:,}"
    return f"{words}it was touched, or its hash in the manifest was"


def _single_change(block: bytes, expected: str) -> int | None:
    """The byte whose change alone gives the block its hash back; None where there is none."""
    try:
        wanted = bytes.fromhex(expected)
    except ValueError:
        return None
    changed = bytearray(block)
    for at, right in enumerate(block):
        for value in range(256):
            changed[at] = value
            if value != right and hashlib.sha256(changed).digest()[:8] == wanted:
                return at
        changed[at] = right
    return None
