"""Signed notes: a few lines of text, a blank line, and a line for the signature (Ed25519).

The form is that of Go's checksum database and of other transparency logs (C2SP signed-note), so
that tools of others can check them:

    text, each line with its line end
    (blank)
    — NAME BASE64(first four bytes of the key's hash, signature)

A public key is written NAME+HASH+BASE64(0x01, key), a private one with PRIVATE+KEY+ in front and
its seed in the place of the key. HASH is the first four bytes of SHA-256 over NAME, a line end,
0x01 and the public key, in hexadecimal.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = b"\x01"
DASH = "— "
_PRIVATE = "PRIVATE+KEY+"
_NAME = re.compile(r"[!-*,-~]{1,128}")


class NoteError(ValueError):
    """A note, a key or a head that is not one, or that was not signed by the key."""


def _hash(name: str, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public).digest()[:4]


def _base64(text: str, what: str) -> bytes:
    """The bytes of a text in base64, of which there is one spelling only. Raises: NoteError."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        data = b""
    if not data or base64.b64encode(data).decode() != text:
        raise NoteError(f"{what} is not base64")
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """Who signs: a name and 32 bytes."""

    name: str
    raw: bytes

    @property
    def hash(self) -> bytes:
        return _hash(self.name, self.raw)

    def __str__(self) -> str:
        told = base64.b64encode(ED25519 + self.raw).decode()
        return f"{self.name}+{self.hash.hex()}+{told}"

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """Read NAME+HASH+BASE64. Raises: NoteError."""
        name, raw = _parts(text, "the key")
        key = cls(name=name, raw=raw)
        if str(key) != text:
            raise NoteError("the key's hash does not fit it")
        return key

    def check(self, text: str, signature: bytes) -> None:
        """Raises: NoteError when the signature is not by this key over this text."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, text.encode())
        except InvalidSignature:
            raise NoteError("the signature does not fit the text") from None


def _parts(text: str, what: str) -> tuple[str, bytes]:
    """Name and 32 bytes of a key's text; its hash is left to the caller."""
    parts = text.split("+", 2)
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]):
        raise NoteError(f"{what} is not of the form NAME+HASH+BASE64")
    data = _base64(parts[2], what)
    if data[:1] != ED25519 or len(data) != 33:
        raise NoteError(f"{what} is not one of Ed25519")
    return parts[0], data[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateKey:
    """A name and the 32 bytes from which the key is made. Never shown: `repr` leaves them out."""

    name: str
    seed: bytes

    def __repr__(self) -> str:
        return f"PrivateKey(name={self.name!r})"

    @classmethod
    def make(cls, name: str) -> PrivateKey:
        """A new key from the system's randomness."""
        return cls(name=name, seed=Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str) -> PrivateKey:
        """Read PRIVATE+KEY+NAME+HASH+BASE64. Raises: NoteError, which never shows the key."""
        if not text.startswith(_PRIVATE):
            raise NoteError("the private key does not begin with PRIVATE+KEY+")
        name, seed = _parts(text.removeprefix(_PRIVATE), "the private key")
        key = cls(name=name, seed=seed)
        if key.written() != text:
            raise NoteError("the private key's hash does not fit it")
        return key

    def written(self) -> str:
        """The form in which it is kept."""
        told = base64.b64encode(ED25519 + self.seed).decode()
        return f"{_PRIVATE}{self.name}+{self.public.hash.hex()}+{told}"

    @property
    def public(self) -> PublicKey:
        made = Ed25519PrivateKey.from_private_bytes(self.seed).public_key()
        return PublicKey(name=self.name, raw=made.public_bytes_raw())

    def sign(self, text: str) -> str:
        """Make a note of a text, which ends with a line end."""
        assert text.endswith("\n")
        signature = Ed25519PrivateKey.from_private_bytes(self.seed).sign(text.encode())
        told = base64.b64encode(self.public.hash + signature).decode()
        return f"{text}\n{DASH}{self.name} {told}\n"


def open_note(note: str, *keys: PublicKey) -> tuple[str, PublicKey]:
    """The text of a note and which of the keys signed it.

    Raises: NoteError when it is no note, or none of the keys did.
    """
    text, found, rest = note.rpartition("\n\n")
    if not found or not rest.startswith(DASH) or not rest.endswith("\n") or rest.count("\n") != 1:
        raise NoteError("there is no line with a signature at its end")
    text += "\n"
    name, _, told = rest[len(DASH) : -1].partition(" ")
    data = _base64(told, "the signature")
    if len(data) != 68:
        raise NoteError("the signature has not the length of one by Ed25519")
    for key in keys:
        if (key.name, key.hash) == (name, data[:4]):
            key.check(text, data[4:])
            return text, key
    raise NoteError(f"it was signed by another key: {name}+{data[:4].hex()}")


def iter_notes(lines: Iterable[str]) -> Iterator[str]:
    """The notes of a file that holds one behind the other; lines have their ends.

    Raises: NoteError.
    """
    note = []
    for line in lines:
        note.append(line)
        if line.startswith(DASH):
            yield "".join(note)
            note = []
    if "".join(note).strip():
        raise NoteError("behind the last signature there is more text")


def split_notes(text: str) -> list[str]:
    """The notes of a text that holds one behind the other. Raises: NoteError."""
    return list(iter_notes(text.splitlines(keepends=True)))
