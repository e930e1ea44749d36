"""Signed heads for a verification: those of the store and those kept outside, by size."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from audit.selectors.evidence import heads_after
from replay.evidence import NoteError, PublicKey, SignedHead, iter_notes, open_head


class Troubles(Protocol):
    """Who hears what is wrong, a sentence at a time."""

    def add(self, sentence: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadSeen:
    """A head whose signature is right. `where` names it: the store, or the file that kept it."""

    size: int
    root: bytes
    where: str


def all_heads(
    after: int, keys: Sequence[PublicKey], outside: Sequence[Path], troubles: Troubles
) -> Iterator[HeadSeen]:
    """Heads over more leaves than `after`, the smallest first; bad ones are told and left out.

    A file outside may be a folder, whose text files are then read. Raises: OSError.
    """
    streams = [_in_store(after, keys, troubles)]
    for path in outside:
        files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
        streams += [_in_file(file, after, keys, troubles) for file in files]
    return heapq.merge(*streams, key=lambda head: head.size)


def _in_store(after: int, keys: Sequence[PublicKey], troubles: Troubles) -> Iterator[HeadSeen]:
    while rows := heads_after(after):
        after = rows[-1].size
        for row in rows:
            where = f"the head over {row.size:,} leaves"
            signed = _opened(row.note, keys, where, troubles)
            if signed is None:
                continue
            head = signed.head
            told_at = row.made_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            if (head.size, head.root.hex()) != (row.size, row.root) or told_at != (
                f"{head.time[:-1]}.000000Z"
            ):
                troubles.add(f"{where}: altered; its row says something else than what was signed")
            if head.size == row.size:
                yield HeadSeen(size=head.size, root=head.root, where=where)


def _in_file(
    path: Path, after: int, keys: Sequence[PublicKey], troubles: Troubles
) -> Iterator[HeadSeen]:
    last = 0
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        try:
            for number, note in enumerate(iter_notes(file), start=1):
                signed = _opened(note, keys, f"{path}: its head {number}", troubles)
                if signed is None:
                    continue
                head = signed.head
                where = f"the head over {head.size:,} leaves kept in {path}"
                if head.size < last:
                    troubles.add(f"{where}: the heads of the file are not in their order")
                    continue
                last = head.size
                if head.size > after:
                    yield HeadSeen(size=head.size, root=head.root, where=where)
        except NoteError as error:
            troubles.add(f"{path}: {error}")


def _opened(
    note: str, keys: Sequence[PublicKey], where: str, troubles: Troubles
) -> SignedHead | None:
    try:
        return open_head(note, *keys)
    except NoteError as error:
        troubles.add(f"{where}: not a head of this log: {error}")
        return None
