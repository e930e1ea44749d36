"""Tree heads: how many leaves a log had at an instant, and the hash over all of them, signed.

The form is a C2SP checkpoint with one line more, for the time:

    tilecourt/5f1c9a30b2d74e68
    12345
    BASE64 of the root
    time 2026-11-29T23:00:00Z
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from replay.evidence.notes import NoteError, PrivateKey, PublicKey, open_note

_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")
_TIME = re.compile(r"time (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a head says. `time` is an instant in UTC to the second, as text."""

    origin: str
    size: int
    root: bytes
    time: str

    def text(self) -> str:
        root = base64.b64encode(self.root).decode()
        return f"{self.origin}\n{self.size}\n{root}\ntime {self.time}\n"

    def sign(self, key: PrivateKey) -> str:
        assert self.origin == key.name
        return key.sign(self.text())


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedHead:
    """A head, the whole note, and the key that signed it."""

    head: Head
    note: str
    key: PublicKey


def open_head(note: str, *keys: PublicKey) -> SignedHead:
    """Read a signed head. Raises: NoteError."""
    text, key = open_note(note, *keys)
    head = parse_head(text)
    if head.origin != key.name:
        raise NoteError(f"the head is of {head.origin} and signed for {key.name}")
    return SignedHead(head=head, note=note, key=key)


def parse_head(text: str) -> Head:
    """Read the text of a head, of which there is one spelling only. Raises: NoteError."""
    lines = text.split("\n")
    time = _TIME.fullmatch(lines[3]) if len(lines) == 5 else None
    if time is None or not _SIZE.fullmatch(lines[1]):
        raise NoteError("this is no tree head")
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (ValueError, binascii.Error):
        root = b""
    head = Head(origin=lines[0], size=int(lines[1]), root=root, time=time[1])
    if len(root) != 32 or head.text() != text:
        raise NoteError("this is no tree head")
    return head
