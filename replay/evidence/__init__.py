"""Evidence that stands without us: a Merkle tree, signed heads, and bundles that anyone can check.

The second front door of the core: the service imports from here and from nowhere deeper.
"""

from replay.evidence.archive import ArchiveError
from replay.evidence.bundle import Content, Proofs, make_bundle
from replay.evidence.entries import Entry, entry
from replay.evidence.heads import Head, SignedHead, open_head
from replay.evidence.leaves import FIELDS, LOST, leaf_data
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
from replay.evidence.verify import Verified, verify_bundle

__all__ = [
    "FIELDS", "LOST", "ArchiveError", "Content", "Entry", "Frontier", "Head", "NoteError",
    "PrivateKey", "Proofs", "PublicKey", "SignedHead", "Verified", "consistency_proof", "entry",
    "inclusion_proof", "is_consistent", "is_included", "iter_notes", "leaf_data", "leaf_hash",
    "make_bundle", "node_hash", "open_head", "open_note", "parts_of", "split_notes",
    "verify_bundle",
]  # fmt: skip
