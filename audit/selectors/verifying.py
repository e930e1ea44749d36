"""Verifying the store against its log, behind the application's back.

Three passes in constant memory: the log with the row of each leaf, then the rows that have no leaf,
then what each hand shows. A pass goes on where it was interrupted; `Verification` is what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import connection

from audit.models import LeafKind
from audit.selectors.evidence import STORED_LEVELS, LogDamaged, StoredTree
from audit.selectors.retention import runs_of_deleted
from audit.selectors.sealed_rows import SEALED, hash_lost, hash_row
from audit.selectors.veiled_rows import Veils, read_leaves, rows_over_names
from audit.selectors.verifying_heads import HeadSeen
from audit.selectors.verifying_rows import raw_troubles, rows_between, told, unsealed, wrongly_shown
from replay.evidence import Frontier

LEAVES_AT_ONCE = 5_000
# So many sentences are kept; all are counted.
TROUBLES_KEPT = 1_000


class Verification(msgspec.Struct, kw_only=True):
    """How far a verification is. Hashes are in hexadecimal.

    `leaves` is the size of the log when it began. `by_log` is the tree of the leaves as they
    stand, `by_rows` that of the leaves as the rows would have them; `head_size` the last head that
    was checked, `suspects` what did not fit since then. `is_broken`: no root can be checked any
    more. `kind` and `row` say how far the second pass is, `hand` the third. `retained` is how many
    leaves stand for rows that a retention run deleted, by run; `erased` how many that are
    over names for rows that an erasure rewrote.
    """

    leaves: int
    next_index: int = 0
    by_log: list[str] = []
    by_rows: list[str] = []
    head_size: int = 0
    suspects: list[str] = []
    blocks: list[str] = []
    is_broken: bool = False
    is_log_done: bool = False
    kind: int = 0
    row: int = 0
    hand: int = 0
    rows_done: int = 0
    trouble_count: int = 0
    troubles: list[str] = []
    retained: dict[int, int] = {}
    erased: int = 0

    def add(self, sentence: str) -> None:
        self.trouble_count += 1
        if len(self.troubles) < TROUBLES_KEPT:
            self.troubles.append(sentence)


@dataclass(frozen=True, slots=True)
class Leaf:
    index: int
    kind: LeafKind
    row: int
    is_lost: bool
    form: int
    hash: bytes


def log_size() -> int:
    """How many leaves the log says to have: the larger of its last leaf and its last head."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT greatest((SELECT coalesce(max(index) + 1, 0) FROM audit_sealedleaf),"
            " (SELECT coalesce(max(size), 0) FROM audit_treehead))"
        )
        return int(cursor.fetchone()[0])


def whole_size(state: Verification) -> int:
    """How many leaves, rows and hands there are to look at, about."""
    tables = sorted({sealed.table for sealed in SEALED.values()} | {"audit_hand"})
    with connection.cursor() as cursor:
        # As the planner knows them: counting takes as long as a pass.
        cursor.execute(
            "SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)"
            " FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid"
            " WHERE coalesce(i.inhparent, c.oid) = ANY(%s::text[]::regclass[])"
            " AND c.relkind = 'r'",
            [tables],
        )
        return state.leaves + int(cursor.fetchone()[0])


def verify_log(state: Verification, heads: Iterator[HeadSeen]) -> Iterator[None]:
    """Check each leaf against its row and its place, each node and each head.

    `heads` are those over more leaves than `state.head_size`. Whenever it yields, `state` may be
    kept and gone on from.
    """
    coming = _Coming(heads)
    while state.next_index < state.leaves:
        _check_batch(state, min(LEAVES_AT_ONCE, state.leaves - state.next_index), coming)
        yield
    for name in state.suspects:
        state.add(f"{name}: not as it was sealed")
    state.suspects, state.blocks = [], []
    while (head := coming.take(None)) is not None:
        state.add(
            f"{head.where} is signed, and the log has {state.leaves:,}:"
            f" {head.size - state.leaves:,} are missing"
        )
    if state.head_size < state.leaves and not state.is_broken:
        count = state.leaves - state.head_size
        state.add(f"the last {count:,} leaves stand under no signed head")
    state.is_log_done = True
    yield


def verify_rows(state: Verification) -> Iterator[None]:
    """Look for rows that have no leaf, kind by kind; yields as `verify_log` does."""
    for kind in SEALED:
        if kind < state.kind:
            continue
        if kind > state.kind:
            state.kind, state.row = kind.value, 0
        while True:
            last, count, sentences = unsealed(kind, state.row)
            if last is None:
                break
            state.row, state.rows_done = last, state.rows_done + count
            for sentence in sentences:
                state.add(sentence)
            yield


def verify_hands(state: Verification) -> Iterator[None]:
    """Look at what each hand shows; yields as `verify_log` does."""
    while True:
        last, count, sentences = wrongly_shown(state.hand)
        if last is None:
            return
        state.hand, state.rows_done = last, state.rows_done + count
        for sentence in sentences:
            state.add(sentence)
        yield


def _leaves(start: int, count: int) -> list[Leaf]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT index, kind, row, is_lost, form, hash FROM audit_sealedleaf"
            " WHERE index >= %s AND index < %s ORDER BY index",
            [start, start + count],
        )
        return [
            Leaf(index, LeafKind(kind), row, is_lost, form, bytes(found))
            for index, kind, row, is_lost, form, found in cursor
        ]


class _Coming:
    """Heads that are still to be checked, the smallest first."""

    def __init__(self, heads: Iterator[HeadSeen]) -> None:
        self._heads = heads
        self._first = next(heads, None)

    def take(self, size: int | None) -> HeadSeen | None:
        """The next head over at most `size` leaves, over any number where it is None."""
        found = self._first
        if found is None or (size is not None and found.size > size):
            return None
        self._first = next(self._heads, None)
        return found


@dataclass(slots=True)
class _Trees:
    """The trees of the leaves as they stand, and as the rows would have them."""

    by_log: Frontier
    by_rows: Frontier


def _check_batch(state: Verification, count: int, coming: _Coming) -> None:
    end = state.next_index + count
    leaves = _leaves(state.next_index, count)
    rows = _rows_of(state, leaves)
    gone = _gone(leaves, rows)
    erased = rows_over_names(
        (leaf.kind, leaf.row, leaf.form) for leaf in leaves if not leaf.is_lost
    )
    nodes = _nodes(state.next_index, end)
    trees = _Trees(
        _frontier(state.next_index, state.by_log, state),
        _frontier(state.next_index, state.by_rows, state),
    )
    for leaf in leaves:
        if leaf.index > state.next_index:
            _miss(state, leaf.index)
        expected = None
        if (leaf.kind, leaf.row) in erased:
            state.erased += 1
        else:
            expected = _check_leaf(state, leaf, rows, gone)
        state.next_index += 1
        if not state.is_broken:
            _check_nodes(state, trees.by_log, leaf.hash, nodes)
            trees.by_rows.append(leaf.hash if expected is None else expected)
        while (head := coming.take(state.next_index)) is not None:
            _check_head(state, head, trees)
    if end > state.next_index:
        _miss(state, end)
        while (head := coming.take(end)) is not None:
            _check_head(state, head, trees)
    state.by_log, state.by_rows = (
        [] if state.is_broken else [found.hex() for found in tree.hashes]
        for tree in (trees.by_log, trees.by_rows)
    )


def _frontier(size: int, hashes: list[str], state: Verification) -> Frontier:
    if state.is_broken:
        return Frontier()
    return Frontier(size, [bytes.fromhex(found) for found in hashes])


def _miss(state: Verification, upto: int) -> None:
    """Say that the leaves up to one are not there; no root can be made any more."""
    first, last = state.next_index, upto - 1
    words = f"leaf {first:,} is" if first == last else f"leaves {first:,} to {last:,} are"
    state.add(f"{words} missing from the log ({upto - first:,} in all)")
    state.is_broken = True
    state.next_index = upto


def _rows_of(state: Verification, leaves: list[Leaf]) -> dict[tuple[LeafKind, int], list[Any]]:
    """The fields of the rows of these leaves; their raw bytes are checked at once."""
    wanted: dict[tuple[LeafKind, int], list[int]] = {}
    for leaf in leaves:
        wanted.setdefault((leaf.kind, leaf.form), []).append(leaf.row)
    rows: dict[tuple[LeafKind, int], list[Any]] = {}
    veils = Veils()
    for (kind, form), keys in wanted.items():
        found = read_leaves(kind, keys, form=form, veils=veils)
        rows |= {(kind, key): fields for key, fields in found}
        for key, words in raw_troubles(kind, keys):
            state.add(f"{told(kind, key, rows.get((kind, key)))}: {words}")
    return rows


def _gone(
    leaves: list[Leaf], rows: dict[tuple[LeafKind, int], list[Any]]
) -> dict[tuple[LeafKind, int], int]:
    """The retention runs that deleted rows of these leaves."""
    missing: dict[LeafKind, list[int]] = {}
    for leaf in leaves:
        if not leaf.is_lost and (leaf.kind, leaf.row) not in rows:
            missing.setdefault(leaf.kind, []).append(leaf.row)
    return {
        (kind, row): run
        for kind, keys in missing.items()
        for row, run in runs_of_deleted(kind, keys).items()
    }


def _check_leaf(
    state: Verification,
    leaf: Leaf,
    rows: dict[tuple[LeafKind, int], list[Any]],
    gone: dict[tuple[LeafKind, int], int],
) -> bytes | None:
    """What the row makes of the leaf; None where there is no row, or the leaf says it is lost."""
    fields = rows.get((leaf.kind, leaf.row))
    name = told(leaf.kind, leaf.row, fields)
    if leaf.is_lost:
        state.add(f"{name}: it was gone before it could be sealed, as leaf {leaf.index:,} says")
        if hash_lost(leaf.kind, leaf.index, leaf.row) != leaf.hash:
            state.suspects.append(f"{name}: leaf {leaf.index:,}")
        return None
    if fields is None:
        run = gone.get((leaf.kind, leaf.row))
        if run is not None:
            state.retained[run] = state.retained.get(run, 0) + 1
        else:
            state.add(f"{name}: deleted; it was sealed as leaf {leaf.index:,}")
        return None
    expected = hash_row(leaf.kind, leaf.index, fields, leaf.form)
    if expected != leaf.hash:
        state.suspects.append(name)
    return expected


def _nodes(start: int, end: int) -> dict[tuple[int, int], bytes]:
    """The stored nodes that become whole while the tree grows from `start` to `end` leaves."""
    found: dict[tuple[int, int], bytes] = {}
    with connection.cursor() as cursor:
        for level in STORED_LEVELS:
            cursor.execute(
                "SELECT number, hash FROM audit_sealnode"
                " WHERE level = %s AND number >= %s AND number < %s",
                [level, start >> level, end >> level],
            )
            found |= {(level, number): bytes(value) for number, value in cursor}
    return found


def _check_nodes(
    state: Verification, by_log: Frontier, leaf: bytes, nodes: dict[tuple[int, int], bytes]
) -> None:
    """Add a leaf to the tree, and compare each node that is stored with the one that comes out.

    A node stands in the store beside the leaves, so this only says more exactly where something is
    wrong; what is right is said by the heads.
    """
    for level, number, value in by_log.grow(leaf):
        if level not in STORED_LEVELS:
            continue
        stored = nodes.get((level, number))
        if stored is None:
            state.add(f"node {level}/{number} of the log is missing")
        elif stored != value:
            first, last = number << level, ((number + 1) << level) - 1
            state.blocks.append(f"leaves {first:,} to {last:,} (node {level}/{number})")


def _check_head(state: Verification, head: HeadSeen, trees: _Trees) -> None:
    """See whether the leaves up to here are those that were signed, and name what is not."""
    names, blocks = state.suspects, state.blocks
    state.suspects, state.blocks = [], []
    before, state.head_size = state.head_size, head.size
    if state.is_broken:
        for name in names:
            state.add(f"{name}: not as it was sealed")
        return
    if trees.by_log.root() == head.root:
        for name in names:
            state.add(f"{name}: altered since it was sealed")
        for block in blocks:
            state.add(f"{block}: the node was altered; the leaves are as they were sealed")
        trees.by_rows = _copy(trees.by_log)
    elif trees.by_rows.root() == head.root:
        for name in names:
            state.add(f"{name}: its entry in the log was altered; the row is as it was sealed")
        trees.by_log = _copy(trees.by_rows)
    else:
        for name in names:
            state.add(f"{name}: not as it was sealed")
        for block in blocks:
            state.add(f"{block}: altered or moved in the log")
        state.add(
            f"leaves {before:,} to {head.size - 1:,} are not those that {head.where} signed:"
            f" altered or moved in the log, {rows_between(before, head.size)}"
        )
        _go_on_from_nodes(state, head, trees)


def _copy(tree: Frontier) -> Frontier:
    return Frontier(tree.size, tree.hashes)


def _go_on_from_nodes(state: Verification, head: HeadSeen, trees: _Trees) -> None:
    """Go on with the tree that was signed where the stored nodes still know it."""
    try:
        frontier = StoredTree().frontier(head.size)
    except LogDamaged as error:
        state.add(f"the log cannot be followed any further: {error}")
        state.is_broken = True
        return
    if frontier.root() != head.root:
        state.add(f"no root behind leaf {head.size:,} can be checked")
        state.is_broken = True
        return
    trees.by_log, trees.by_rows = frontier, _copy(frontier)
