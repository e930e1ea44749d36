"""From a byte stream to its lines: line ends, blank lines, limits (FORMAT 6.1).

Works in constant memory whatever the input: one piece of the stream and one line at most are
held. Opening files is the caller's business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import msgspec

from replay.record import LINE_BYTES_MAX, Refusal
from replay.unpack import ByteSource, StreamBroken, StreamRefused, unpacked

__all__ = ["ByteSource", "Line", "read_lines", "read_whole"]

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class Line(msgspec.Struct, frozen=True, gc=False):
    """One physical line that is not blank.

    `number` counts from 1 after unpacking, `offset` is the unpacked byte at which it starts.
    `data` is the exact line without its line end; it is None together with a `refusal` when the
    line is over the size, the stream broke there, or the whole stream is refused. `sha256` is
    that of a line over the size, else None.
    """

    number: int
    offset: int
    data: bytes | None
    refusal: Refusal | None = None
    sha256: str | None = None


def read_lines(
    source: ByteSource, *, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Line]:
    """Each line of a stream that is not blank, plain or unpacked from gzip or zstd.

    Never raises for what the stream holds: a break or a refusal is the last line given. `on_bytes`
    hears how many bytes have been unpacked so far, piece by piece; what it raises ends the
    reading, which is how a caller sets a limit.
    """
    splitter = _Splitter()
    size = 0
    try:
        for piece in unpacked(source):
            if on_bytes is not None:
                size += len(piece)
                on_bytes(size)
            yield from splitter.split(piece)
    except StreamRefused as refused:
        yield Line(1, 0, None, Refusal("$", str(refused)))
    except StreamBroken as broken:
        yield from splitter.break_off(str(broken))
    else:
        yield from splitter.finish()


def read_whole(source: ByteSource, *, most: int) -> bytes:
    """All of a stream, plain or unpacked, where it is no log of lines.

    Raises: Refusal for a stream that breaks off, is of a kind that is not read, or unpacks to more
    than `most` bytes; no more than a piece beyond that is held.
    """
    pieces, size = [], 0
    try:
        for piece in unpacked(source):
            size += len(piece)
            if size > most:
                raise Refusal("$", f"more than {most} bytes: send it in parts")
            pieces.append(piece)
    except (StreamRefused, StreamBroken) as error:
        raise Refusal("$", str(error)) from None
    return b"".join(pieces)


class _Splitter:
    """Cuts pieces into lines; what is left of a piece waits for the next."""

    def __init__(self) -> None:
        self._number = 1
        self._offset = 0
        self._tail = b""
        self._may_start = True
        self._over: _LongLine | None = None

    def split(self, piece: bytes) -> Iterator[Line]:
        if self._over is not None:
            end = piece.find(b"\n")
            if end < 0:
                self._over.add(piece)
                return
            self._over.add(piece[:end])
            yield self._close_long()
            piece = piece[end + 1 :]
        data = self._tail + piece if self._tail else piece
        if self._may_start and len(data) >= len(_BOM):
            data = self._drop_mark(data)
        lines = data.split(b"\n")
        self._tail = lines.pop()
        number, offset = self._number, self._offset
        for raw in lines:
            line = _line(number, offset, raw)
            number += 1
            offset += len(raw) + 1
            if line is not None:
                yield line
        self._number, self._offset = number, offset
        # A carriage return may still turn out to belong to the line end.
        if len(self._tail) > LINE_BYTES_MAX + 1:
            self._over = _LongLine()
            self._over.add(self._tail)
            self._tail = b""

    def finish(self) -> Iterator[Line]:
        """The last line, which need not have a line end."""
        if self._over is not None:
            yield self._close_long()
        elif self._tail:
            tail = self._drop_mark(self._tail) if self._may_start else self._tail
            line = _line(self._number, self._offset, tail)
            if line is not None:
                yield line

    def break_off(self, reason: str) -> Iterator[Line]:
        """The line at which the stream broke; what there is of it is not judged."""
        yield Line(
            self._number, self._offset, None, Refusal("$", f"the stream breaks off: {reason}")
        )

    def _drop_mark(self, data: bytes) -> bytes:
        self._may_start = False
        if data.startswith(_BOM):
            self._offset = len(_BOM)
            return data[len(_BOM) :]
        return data

    def _close_long(self) -> Line:
        assert self._over is not None
        line = Line(self._number, self._offset, None, _too_long(), self._over.sha256())
        self._number += 1
        self._offset += self._over.size + 1
        self._over = None
        return line


class _LongLine:
    """A line over the limit: only its hash and its size are kept."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._held_back = b""
        self.size = 0

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        piece = self._held_back + piece
        # The last byte waits: a carriage return at the very end is no part of the line.
        self._held_back = piece[-1:]
        self._hash.update(piece[:-1])

    def sha256(self) -> str:
        if self._held_back != b"\r":
            self._hash.update(self._held_back)
        return self._hash.hexdigest()


def _too_long() -> Refusal:
    return Refusal("$", f"longer than {LINE_BYTES_MAX} bytes")


def _line(number: int, offset: int, raw: bytes) -> Line | None:
    """The line of these bytes, or None for a blank one."""
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    if len(raw) > LINE_BYTES_MAX:
        return Line(number, offset, None, _too_long(), hashlib.sha256(raw).hexdigest())
    if not raw.strip(_BLANK):
        return None
    return Line(number, offset, raw)
