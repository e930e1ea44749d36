"""Evidence that stands without us: a Merkle tree, signed heads, and bundles that anyone can check.

The second front door of the core: the service imports from here and from nowhere deeper.
"""

from replay.evidence.archive import ArchiveError
from replay.evidence.bundle import Content, Proofs, make_bundle
from replay.evidence.entries import Entry, entry
from replay.evidence.heads import Head, SignedHead, open_head
from replay.evidence.leaves import FIELDS, LOST, leaf_data, plain
from replay.evidence.lifting import File, Salts
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
from replay.evidence.veil import (
    SALT_BYTES,
    erased,
    is_token,
    names_of,
    seal_key,
    sealed,
    token_of,
    veiled,
    veiled_subject,
    veiled_value,
)
from replay.evidence.verify import Verified, verify_bundle

__all__ = [
    "FIELDS",
    "LOST",
    "SALT_BYTES",
    "ArchiveError",
    "Content",
    "Entry",
    "File",
    "Frontier",
    "Head",
    "NoteError",
    "PrivateKey",
    "Proofs",
    "PublicKey",
    "Salts",
    "SignedHead",
    "Verified",
    "consistency_proof",
    "entry", "erased",
    "inclusion_proof",
    "is_consistent",
    "is_included",
    "is_token",
    "iter_notes",
    "leaf_data",
    "leaf_hash",
    "make_bundle",
    "names_of",
    "node_hash",
    "open_head",
    "open_note",
    "parts_of",
    "plain",
    "seal_key",
    "sealed",
    "split_notes",
    "token_of",
    "veiled",
    "veiled_subject",
    "veiled_value",
    "verify_bundle",
]  # fmt: skip
