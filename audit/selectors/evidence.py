"""The log as it stands: its heads, its tree, and proofs out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from audit.models import LeafKind, SealedLeaf, TreeHead
from replay.evidence import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    node_hash,
    parts_of,
)

# The levels whose nodes are stored: a proof reads at most 255 hashes of each.
STORED_LEVELS = (8, 16, 24, 32)
HEADS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadRow:
    """A signed head; `root` is in hexadecimal, `note` the signed text."""

    size: int
    root: str
    note: str
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealFigures:
    """`size` leaves under the latest head; rows announced and not sealed, and how long they have
    waited at most. `is_accepted` is what the newest look at the software found, None without one.
    """

    size: int
    head_at: datetime | None
    waiting: int
    waiting_seconds: float
    is_accepted: bool | None


class StoredTree:
    """The hashes of whole subtrees, out of the store. What was read once is kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bytes] = {}

    def subtree(self, level: int, number: int) -> bytes:
        """The hash of the 2**level leaves from `number` * 2**level, all of which are there."""
        known = self._known.get((level, number))
        if known is not None:
            return known
        base = max((0, *(stored for stored in STORED_LEVELS if stored <= level)))
        first, count = number << (level - base), 1 << (level - base)
        hashes = self._read(base, first, count)
        for one in range(base, level + 1):
            for place, found in enumerate(hashes):
                self._known[one, (first >> (one - base)) + place] = found
            hashes = [
                node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=False)
            ]  # fmt: skip
        return self._known[level, number]

    def _read(self, level: int, first: int, count: int) -> list[bytes]:
        with connection.cursor() as cursor:
            if level == 0:
                cursor.execute(
                    "SELECT hash FROM audit_sealedleaf WHERE index >= %s AND index < %s"
                    " ORDER BY index",
                    [first, first + count],
                )
            else:
                cursor.execute(
                    "SELECT hash FROM audit_sealnode WHERE level = %s AND number >= %s"
                    " AND number < %s ORDER BY number",
                    [level, first, first + count],
                )
            hashes = [bytes(found) for (found,) in cursor]
        if len(hashes) != count:
            raise LogDamaged(
                f"The log lacks hashes at level {level}, from {first}: run manage.py verify-store."
            )
        return hashes

    def frontier(self, size: int) -> Frontier:
        """A tree of so many leaves, to go on from."""
        return Frontier(size, [self.subtree(*part) for part in parts_of(0, size)])

    def inclusion(self, index: int, size: int) -> list[bytes]:
        return inclusion_proof(index, size, self.subtree)

    def consistency(self, old: int, new: int) -> list[bytes]:
        return consistency_proof(old, new, self.subtree)


class LogDamaged(Exception):
    """The log cannot be as it was written; the text is a sentence."""


def latest_head() -> HeadRow | None:
    found = TreeHead.objects.order_by("-size").first()
    return None if found is None else _head_row(found)


def latest_heads(count: int = HEADS_SHOWN) -> tuple[HeadRow, ...]:
    """The newest heads, the newest first."""
    return tuple(_head_row(one) for one in TreeHead.objects.order_by("-size")[:count])


def heads_after(size: int, count: int = 1_000) -> tuple[HeadRow, ...]:
    """Heads over more leaves than `size`, the smallest first."""
    found = TreeHead.objects.filter(size__gt=size).order_by("size")[:count]
    return tuple(_head_row(one) for one in found)


def head_over(index: int) -> HeadRow | None:
    """The first head that covers a leaf; None where none does."""
    found = TreeHead.objects.filter(size__gt=index).order_by("size").first()
    return None if found is None else _head_row(found)


def _head_row(head: TreeHead) -> HeadRow:
    return HeadRow(
        size=head.size, root=bytes(head.root).hex(), note=head.note, made_at=head.made_at
    )


def leaves_of(kind: LeafKind, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The index and the form of the leaf of each of these rows that has one."""
    found = SealedLeaf.objects.filter(kind=kind, row__in=list(rows))
    return {row: (index, form) for row, index, form in found.values_list("row", "index", "form")}


_FIGURES = """
SELECT h.size, h.made_at, p.waiting, p.seconds, c.is_good FROM
    (SELECT coalesce(sum(cardinality(rows)), 0)::bigint AS waiting,
        coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS seconds
        FROM audit_sealpending) p
    LEFT JOIN (SELECT size, made_at FROM audit_treehead ORDER BY size DESC LIMIT 1) h ON true
    LEFT JOIN (SELECT is_good FROM audit_softwarecheck ORDER BY id DESC LIMIT 1) c ON true
"""


def seal_figures() -> SealFigures:
    """All in one query. Raises: django.db.DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute(_FIGURES)
        size, head_at, waiting, seconds, is_accepted = cursor.fetchone()
    return SealFigures(
        size=size or 0,
        head_at=head_at,
        waiting=waiting,
        waiting_seconds=max(0.0, seconds),
        is_accepted=is_accepted,
    )
