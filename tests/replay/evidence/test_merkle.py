"""The tree against the published vectors, and exhaustively where it is small."""

from __future__ import annotations

import hashlib

import pytest

from replay.evidence.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    tree_hash,
)

# The leaves and roots by which Certificate Transparency's reference implementation
# (merkletree/merkle_tree_test.cc) and its successors check themselves.
CT_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
CT_INCLUSION = [
    # index, size, path
    (0, 8, [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]),
    (5, 8, [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (1, 5, [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]),
]  # fmt: skip
CT_CONSISTENCY = [
    (1, 1, []),
    (1, 8, [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]),
    (6, 8, [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]),
    (2, 5, [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]),
]  # fmt: skip
SIZE_MAX = 130


class Whole:
    """A tree held whole, hashed by the recursive definition of the RFC, to check against."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.leaves = leaves
        self.known: dict[tuple[int, int], bytes] = {}

    def hash(self, start: int, end: int) -> bytes:
        if (start, end) not in self.known:
            size = end - start
            if size == 0:
                found = hashlib.sha256(b"").digest()
            elif size == 1:
                found = self.leaves[start]
            else:
                half = 1
                while half * 2 < size:
                    half *= 2
                left, right = self.hash(start, start + half), self.hash(start + half, end)
                found = hashlib.sha256(b"\x01" + left + right).digest()
            self.known[start, end] = found
        return self.known[start, end]

    def subtree(self, level: int, number: int) -> bytes:
        return self.hash(number << level, (number + 1) << level)


TREE = Whole([leaf_hash(b"leaf %d" % number) for number in range(SIZE_MAX)])
CT = Whole([leaf_hash(data) for data in CT_LEAVES])


def test_the_empty_tree_has_the_hash_of_nothing():
    assert EMPTY_ROOT == Frontier().root() == tree_hash(0, 0, CT.subtree)
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_published_roots():
    frontier = Frontier()
    for leaf, root in zip(CT.leaves, CT_ROOTS, strict=True):
        frontier.append(leaf)
        assert frontier.root().hex() == root
        assert tree_hash(0, frontier.size, CT.subtree).hex() == root


@pytest.mark.parametrize(("index", "size", "path"), CT_INCLUSION)
def test_published_inclusion_proofs(index, size, path):
    proof = inclusion_proof(index, size, CT.subtree)
    assert [one.hex() for one in proof] == path
    assert is_included(CT.leaves[index], index, size, proof, bytes.fromhex(CT_ROOTS[size - 1]))


@pytest.mark.parametrize(("old", "new", "path"), CT_CONSISTENCY)
def test_published_consistency_proofs(old, new, path):
    proof = consistency_proof(old, new, CT.subtree)
    assert [one.hex() for one in proof] == path
    old_root, new_root = (bytes.fromhex(CT_ROOTS[size - 1]) for size in (old, new))
    assert is_consistent(old, new, proof, old_root, new_root)


def test_a_growing_tree_tells_each_whole_subtree_once():
    frontier, told = Frontier(), {}
    for size, leaf in enumerate(TREE.leaves, start=1):
        for level, number, found in frontier.grow(leaf):
            assert (level, number) not in told
            told[level, number] = found
        assert frontier.root() == TREE.hash(0, size)
        assert Frontier(size, list(frontier.hashes)).root() == TREE.hash(0, size)
    assert told == {
        (level, number): TREE.subtree(level, number)
        for level in range(1, 8)
        for number in range(SIZE_MAX >> level)
    }


def spoilt(proof: list[bytes]):
    """The proof with each hash changed, left out, doubled or moved, and one hash too many."""
    for place, one in enumerate(proof):
        changed = bytes([one[0] ^ 1]) + one[1:]
        yield [*proof[:place], changed, *proof[place + 1 :]]
        yield [*proof[:place], *proof[place + 1 :]]
        yield [*proof[:place], one, *proof[place:]]
        if place and one != proof[place - 1]:
            yield [*proof[: place - 1], one, proof[place - 1], *proof[place + 1 :]]
    yield [*proof, TREE.leaves[0]]


def test_every_inclusion_proof_shows_its_leaf_and_nothing_else():
    for size in range(1, SIZE_MAX + 1):
        root = TREE.hash(0, size)
        for index in range(size):
            leaf = TREE.leaves[index]
            proof = inclusion_proof(index, size, TREE.subtree)
            assert is_included(leaf, index, size, proof, root)
            assert not is_included(node_hash(leaf, leaf), index, size, proof, root)
            assert not is_included(leaf, (index + 1) % size, size, proof, root) or size == 1
            assert not is_included(leaf, index, size, proof, TREE.hash(0, size - 1))
            if size % 13 in (0, 1, 5):
                for wrong in spoilt(proof):
                    assert not is_included(leaf, index, size, wrong, root)
    assert not is_included(TREE.leaves[0], 1, 1, [], TREE.leaves[0])
    assert not is_included(TREE.leaves[0], -1, 1, [], TREE.leaves[0])


def test_every_consistency_proof_shows_that_nothing_before_was_changed():
    for new in range(1, SIZE_MAX + 1):
        new_root = TREE.hash(0, new)
        for old in range(1, new + 1):
            old_root = TREE.hash(0, old)
            proof = consistency_proof(old, new, TREE.subtree)
            assert is_consistent(old, new, proof, old_root, new_root)
            assert not is_consistent(old, new, proof, TREE.hash(0, old - 1), new_root)
            if old < new:
                assert not is_consistent(old, new, proof, old_root, TREE.hash(0, new - 1))
            if new % 13 in (0, 1, 5):
                for wrong in spoilt(proof):
                    assert not is_consistent(old, new, wrong, old_root, new_root)


def test_every_tree_begins_with_the_empty_one():
    assert is_consistent(0, 5, [], EMPTY_ROOT, TREE.hash(0, 5))
    assert not is_consistent(0, 5, [EMPTY_ROOT], EMPTY_ROOT, TREE.hash(0, 5))
    assert not is_consistent(0, 5, [], TREE.hash(0, 1), TREE.hash(0, 5))
    assert not is_consistent(6, 5, [], TREE.hash(0, 6), TREE.hash(0, 5))
    assert not is_consistent(2, 4, [], TREE.hash(0, 3), TREE.hash(0, 4))
