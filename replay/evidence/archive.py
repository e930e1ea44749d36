"""Zip files in one spelling: stored, no dates, no comments, nothing between the members.

The same members always give the same bytes, so a file can be compared with what its members make,
and a byte that was touched outside of any member's content is found as well.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_LOCAL = struct.Struct("<4s5H3L2H")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_LOCAL_MARK, _ENTRY_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION = 20
_MADE_BY = 3 << 8 | _VERSION
# The first day that a zip file can name.
_DATE = 1 << 5 | 1
_PLAIN_FILE = 0o100644 << 16
MEMBERS_MAX = 65_534
BYTES_MAX = (1 << 32) - 2


class ArchiveError(ValueError):
    """Members that cannot be put in one file, or a file in which no members can be found."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file inside. `name` is ASCII with slashes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Region:
    """Some bytes of a file: `what` they are of the member `name`, from `start`."""

    name: str
    what: str
    start: int
    end: int


def pack(members: Sequence[Member]) -> bytes:
    """The file of these members, in their order. Raises: ArchiveError when they are too much."""
    return b"".join(piece for _, piece in _pieces(members))


def regions(members: Sequence[Member]) -> list[Region]:
    """What each byte of `pack` is."""
    found, at = [], 0
    for (name, what), piece in _pieces(members):
        found.append(Region(name, what, at, at + len(piece)))
        at += len(piece)
    return found


def _pieces(members: Sequence[Member]) -> list[tuple[tuple[str, str], bytes]]:
    pieces: list[tuple[tuple[str, str], bytes]] = []
    entries: list[tuple[tuple[str, str], bytes]] = []
    at = 0
    for member in members:
        name = member.name.encode("ascii")
        size, checksum = len(member.data), zlib.crc32(member.data)
        facts = (_VERSION, 0, 0, 0, _DATE, checksum, size, size, len(name), 0)
        header = _LOCAL.pack(_LOCAL_MARK, *facts) + name
        if at + len(header) + size > BYTES_MAX:
            raise ArchiveError("the members are more than 4 GiB together")
        entry = _ENTRY.pack(_ENTRY_MARK, _MADE_BY, *facts, 0, 0, 0, _PLAIN_FILE, at) + name
        pieces += [((member.name, "header"), header), ((member.name, "content"), member.data)]
        entries.append(((member.name, "directory entry"), entry))
        at += len(header) + size
    if len(members) > MEMBERS_MAX:
        raise ArchiveError(f"there are more than {MEMBERS_MAX} members")
    length = sum(len(entry) for _, entry in entries)
    if at + length > BYTES_MAX:
        raise ArchiveError("the members are more than 4 GiB together")
    count = len(members)
    end = _END.pack(_END_MARK, 0, 0, count, count, length, at, 0)
    return [*pieces, *entries, (("the archive", "end record"), end)]


def members_by_headers(data: bytes) -> list[Member]:
    """The members as the headers in front of them say. Raises: ArchiveError."""
    members, at = [], 0
    while data[at : at + 4] == _LOCAL_MARK:
        member, at = _member_at(data, at)
        members.append(member)
    if not members:
        raise ArchiveError("it does not begin as a zip file")
    return members


def _member_at(data: bytes, at: int) -> tuple[Member, int]:
    if at + _LOCAL.size > len(data):
        raise ArchiveError("it ends inside a header")
    facts = _LOCAL.unpack_from(data, at)
    size, name_size = facts[7], facts[9]
    start = at + _LOCAL.size
    return _cut(data, start, name_size, start + name_size, size), start + name_size + size


def members_by_directory(data: bytes) -> list[Member]:
    """The members as the directory at the end says. Raises: ArchiveError."""
    if len(data) < _END.size or data[-_END.size :][:4] != _END_MARK:
        raise ArchiveError("it does not end as a zip file")
    _, _, _, _, count, _, at, _ = _END.unpack(data[-_END.size :])
    members: list[Member] = []
    room = len(data)
    for _ in range(count):
        if at + _ENTRY.size > len(data) or data[at : at + 4] != _ENTRY_MARK:
            raise ArchiveError("its directory is damaged")
        facts = _ENTRY.unpack_from(data, at)
        size, name_size, header = facts[9], facts[10], facts[16]
        members.append(
            _cut(data, at + _ENTRY.size, name_size, header + _LOCAL.size + name_size, size)
        )
        at += _ENTRY.size + name_size
        room -= size
        if room < 0:
            # A small file whose members overlap could stand for any amount of them.
            raise ArchiveError("its members are larger than the file")
    if not members:
        raise ArchiveError("it has no members")
    return members


def is_packed(data: bytes) -> bool:
    """Whether each member is compressed by the directory, as by a program that made the file anew.

    Of one member alone it is a byte that was touched.
    """
    if len(data) < _END.size or data[-_END.size :][:4] != _END_MARK:
        return False
    _, _, _, _, count, _, at, _ = _END.unpack(data[-_END.size :])
    for _ in range(count):
        if at + _ENTRY.size > len(data) or data[at : at + 4] != _ENTRY_MARK:
            return False
        facts = _ENTRY.unpack_from(data, at)
        if facts[4] == 0:
            return False
        at += _ENTRY.size + sum(facts[10:13])
    return bool(count)


def _cut(data: bytes, name_at: int, name_size: int, at: int, size: int) -> Member:
    name = data[name_at : name_at + name_size]
    if len(name) != name_size or at + size > len(data):
        raise ArchiveError("a member reaches beyond the end")
    if not name.isascii():
        raise ArchiveError("a name is not ASCII")
    return Member(name.decode("ascii"), data[at : at + size])
