"""The Merkle tree of RFC 9162, 2.1 (and RFC 6962, 2.1): hashes, proofs, and how to check them.

A tree is over leaves in their order, counted from 0. The hash of a leaf is SHA-256 over 0x00 and
its bytes, that of a node SHA-256 over 0x01 and the hashes of its two children; the left child of
a tree of n leaves holds the largest power of two below n. Nothing here stores anything: who makes
a proof gives a function that knows the hashes of whole subtrees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

EMPTY_ROOT = hashlib.sha256().digest()
# The hash of the subtree of 2**level leaves that starts at leaf `number` * 2**level.
Subtree = Callable[[int, int], bytes]


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class Frontier:
    """A tree that only grows, in memory of the size of its height.

    It holds the whole subtrees of which the tree consists, the largest first, one for each bit of
    `size`.
    """

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        assert len(hashes) == size.bit_count()
        self.size = size
        self.hashes = list(hashes)

    def append(self, leaf: bytes) -> None:
        """Add the hash of a leaf."""
        for _ in self.grow(leaf):
            pass

    def grow(self, leaf: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Add the hash of a leaf; tell level, number and hash of each subtree that is whole now.

        It must be read to its end.
        """
        number, level = self.size, 0
        self.size += 1
        while number & 1:
            leaf = node_hash(self.hashes.pop(), leaf)
            number >>= 1
            level += 1
            yield level, number, leaf
        self.hashes.append(leaf)

    def root(self) -> bytes:
        if not self.hashes:
            return EMPTY_ROOT
        found = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            found = node_hash(left, found)
        return found


def parts_of(start: int, end: int) -> list[tuple[int, int]]:
    """The whole subtrees, as level and number, of which the leaves from `start` to `end` consist.

    `start` is a multiple of the power of two at or above `end` - `start`, as in every tree here.
    """
    parts = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append((level, start >> level))
        start += 1 << level
    return parts


def tree_hash(start: int, end: int, subtree: Subtree) -> bytes:
    """The hash of the tree over the leaves from `start` to `end` of a larger one."""
    if start == end:
        return EMPTY_ROOT
    hashes = [subtree(level, number) for level, number in parts_of(start, end)]
    found = hashes[-1]
    for left in reversed(hashes[:-1]):
        found = node_hash(left, found)
    return found


def _split(size: int) -> int:
    """The largest power of two below `size`, which is 2 or more."""
    return 1 << (size - 1).bit_length() - 1


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """The path from a leaf to the root of the first `size` leaves (RFC 9162, 2.1.3.1)."""
    assert 0 <= index < size
    start, end, path = 0, size, []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(tree_hash(middle, end, subtree))
            end = middle
        else:
            path.append(tree_hash(start, middle, subtree))
            start = middle
    return path[::-1]


def consistency_proof(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """The proof that the first `old` of `new` leaves are unchanged (RFC 9162, 2.1.4.1)."""
    assert 0 < old <= new
    start, end, path = 0, new, []
    is_whole = True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(tree_hash(middle, end, subtree))
            end = middle
        else:
            path.append(tree_hash(start, middle, subtree))
            start = middle
            is_whole = False
    if not is_whole:
        path.append(tree_hash(start, end, subtree))
    return path[::-1]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof shows that the leaf stands there in the tree (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(sibling, found)
            while not place & 1 and place:
                place >>= 1
                last >>= 1
        else:
            found = node_hash(found, sibling)
        place >>= 1
        last >>= 1
    return last == 0 and found == root


def is_consistent(
    old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> bool:
    """Whether the proof shows that the old tree begins the new one (RFC 9162, 2.1.4.2).

    Every tree begins with the empty one, and a tree with itself, without any proof.
    """
    if not 0 <= old <= new:
        return False
    if old in (0, new):
        return not proof and old_root == (EMPTY_ROOT if old == 0 else new_root)
    path = list(proof)
    if old & (old - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    place, last = old - 1, new - 1
    while place & 1:
        place >>= 1
        last >>= 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while not place & 1 and place:
                place >>= 1
                last >>= 1
        else:
            second = node_hash(second, sibling)
        place >>= 1
        last >>= 1
    return last == 0 and first == old_root and second == new_root
