"""The key that signs tree heads: a file outside of the database, made by the first seal.

Its first line is the private key, readable by its owner alone; each further line is the public key
of one that signed before. TILECOURT_SEAL_KEY may hold the text itself.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from replay.evidence import NoteError, PrivateKey, PublicKey


class SealKeyMissing(Exception):
    """There is no key to sign with, or it cannot be read; the text is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealKeys:
    """The key that signs, and those by which heads may have been signed, the present one first."""

    private: PrivateKey
    public: tuple[PublicKey, ...]


def key_path() -> Path:
    return Path(settings.TILECOURT_SEAL_KEY_FILE)


def read_keys() -> SealKeys | None:
    """The keys, None where none was made yet. Raises: SealKeyMissing."""
    text = os.environ.get("TILECOURT_SEAL_KEY")
    where = "TILECOURT_SEAL_KEY" if text else str(key_path())
    if not text:
        try:
            text = key_path().read_text(encoding="ascii")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise SealKeyMissing(f"The seal key {where} cannot be read: {error}.") from None
    try:
        first, *others = text.split()
        private = PrivateKey.parse(first)
        earlier = tuple(PublicKey.parse(one) for one in others)
    except (NoteError, ValueError) as error:
        raise SealKeyMissing(f"The seal key {where} cannot be read: {error}.") from None
    return SealKeys(private=private, public=(private.public, *earlier))
