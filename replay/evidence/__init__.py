"""Evidence that stands without us: a Merkle tree, signed heads, and bundles that anyone can check.

The second front door of the core: the service imports from here and from nowhere deeper.
"""

from replay.evidence.heads import Head, SignedHead, open_head
from replay.evidence.leaves import LOST, leaf_data
from replay.evidence.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    parts_of,
)
from replay.evidence.notes import (
    NoteError,
    PrivateKey,
    PublicKey,
    iter_notes,
    open_note,
    split_notes,
)

__all__ = [
    "LOST", "Frontier", "Head", "NoteError", "PrivateKey", "PublicKey", "SignedHead",
    "consistency_proof", "inclusion_proof", "is_consistent", "is_included", "iter_notes",
    "leaf_data", "leaf_hash", "node_hash", "open_head", "open_note", "parts_of", "split_notes",
]  # fmt: skip
