"""Unpacking a byte stream: plain, gzip or zstd, told by its first bytes (FORMAT 6.1, 1 and 4).

Everything that comes before a break is given out, whatever the size of the pieces that were
read; memory stays bounded by one piece and the window of the packing.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE_BYTES = 1 << 16
WINDOW_LOG_MAX = 27

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class ByteSource(Protocol):
    """Anything that is read in pieces: a file, a request body."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; empty at the end."""


class StreamBroken(Exception):
    """The stream breaks off here: cut, damaged, or it cannot be read on."""


class StreamRefused(Exception):
    """The whole stream is of a kind that is not read."""


def is_packed(start: bytes) -> bool:
    """Tell whether a stream that starts so is gzip or zstd."""
    return start.startswith((GZIP_MAGIC, ZSTD_MAGIC)) or _is_skippable(start)


def _is_skippable(start: bytes) -> bool:
    return len(start) >= 4 and 0x50 <= start[0] <= 0x5F and start[1:4] == b"\x2a\x4d\x18"


def unpacked(source: ByteSource) -> Iterator[bytes]:
    """The pieces of a stream, unpacked where it is packed.

    Raises: StreamBroken behind the last piece that could be had; StreamRefused before the first
    piece of a stream in UTF-16 or UTF-32, of a ZIP archive, or packed twice.
    """
    reader = _Reader(source)
    start = reader.peek(4)
    if start.startswith(GZIP_MAGIC):
        pieces = _gunzip(reader)
    elif is_packed(start):
        pieces = _unzstd(reader)
    else:
        yield from _checked(reader.pieces(), is_unpacked=False)
        return
    yield from _checked(pieces, is_unpacked=True)


def _checked(pieces: Iterator[bytes], *, is_unpacked: bool) -> Iterator[bytes]:
    """Look at the first four bytes of what came out before anything is given on."""
    start = b""
    broken = None
    try:
        for piece in pieces:
            start += piece
            if len(start) >= 4:
                break
    except StreamBroken as error:
        broken = error
    if start.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        raise StreamRefused("text in UTF-16 or UTF-32; a hand log is UTF-8")
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        raise StreamRefused("a ZIP archive; send the hand log itself, plain, gzip or zstd")
    if is_unpacked and is_packed(start):
        raise StreamRefused("still packed after one unpacking")
    if start:
        yield start
    if broken is not None:
        raise broken
    yield from pieces


class _Reader:
    """A source with a buffer to look ahead in."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._buffer = b""
        self._broken: StreamBroken | None = None

    def _more(self) -> bytes:
        if self._broken is not None:
            raise self._broken
        try:
            return self._source.read(PIECE_BYTES)
        except (OSError, ValueError, EOFError) as error:
            self._broken = StreamBroken(f"it cannot be read on: {error}")
            raise self._broken from None

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end; they stay."""
        while len(self._buffer) < size:
            try:
                piece = self._more()
            except StreamBroken:
                # What is at hand is given first; whoever asks for more hears of the break.
                if not self._buffer:
                    raise
                break
            if not piece:
                break
            self._buffer += piece
        return self._buffer[:size]

    def take(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end."""
        taken = self.peek(size)
        self._buffer = self._buffer[len(taken) :]
        return taken

    def piece(self) -> bytes:
        """Whatever is at hand; empty at the end."""
        if self._buffer:
            piece, self._buffer = self._buffer, b""
            return piece
        return self._more()

    def pieces(self) -> Iterator[bytes]:
        """All that is left."""
        while piece := self.piece():
            yield piece

    def give_back(self, rest: bytes) -> None:
        """Put bytes back in front."""
        self._buffer = rest + self._buffer


def _gunzip(reader: _Reader) -> Iterator[bytes]:
    """All members as one stream; zero bytes behind the last one are passed over."""
    while True:
        yield from _gunzip_member(reader)
        while piece := reader.piece():
            rest = piece.lstrip(b"\x00")
            if rest:
                reader.give_back(rest)
                break
        else:
            return
        if reader.peek(2) != GZIP_MAGIC:
            raise StreamBroken("other bytes behind the last gzip member")


def _gunzip_member(reader: _Reader) -> Iterator[bytes]:
    inflater = zlib.decompressobj(wbits=31)
    while not inflater.eof:
        packed = reader.piece()
        if not packed:
            raise StreamBroken("the gzip stream is cut")
        while packed and not inflater.eof:
            before = inflater.copy()
            try:
                plain = inflater.decompress(packed, PIECE_BYTES)
            except zlib.error as error:
                yield from _inflate_to_the_break(before, packed)
                raise StreamBroken(f"damaged gzip: {error}") from None
            packed = inflater.unconsumed_tail
            if plain:
                yield plain
    reader.give_back(inflater.unused_data)


def _inflate_to_the_break(inflater: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
    """zlib throws away what a failing call had already made: go there again byte by byte."""
    for position in range(len(packed)):
        try:
            plain = inflater.decompress(packed[position : position + 1])
        except zlib.error:
            return
        if plain:
            yield plain


def _unzstd(reader: _Reader) -> Iterator[bytes]:
    """All frames as one stream; skippable frames are passed over."""
    while start := reader.peek(4):
        if start == ZSTD_MAGIC:
            yield from _unzstd_frame(reader)
        elif _is_skippable(start):
            _skip_frame(reader)
        else:
            raise StreamBroken("other bytes behind the last zstd frame")


def _skip_frame(reader: _Reader) -> None:
    head = reader.take(8)
    left = int.from_bytes(head[4:8], "little")
    if len(head) < 8:
        raise StreamBroken("the zstd stream is cut")
    while left:
        taken = reader.take(min(left, PIECE_BYTES))
        if not taken:
            raise StreamBroken("the zstd stream is cut")
        left -= len(taken)


def _unzstd_frame(reader: _Reader) -> Iterator[bytes]:
    """One frame, fed block by block, so that a damaged block takes nothing before it along."""
    inflater = zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG_MAX}
    )
    for packed in _frame_parts(reader):
        rest = packed
        while True:
            try:
                plain = inflater.decompress(rest, PIECE_BYTES)
            except (zstd.ZstdError, MemoryError) as error:
                raise StreamBroken(f"damaged zstd: {error}") from None
            rest = b""
            if plain:
                yield plain
            if inflater.eof or (inflater.needs_input and not plain):
                break
    if not inflater.eof:
        raise StreamBroken("damaged zstd: the frame does not end where it says")


def _frame_parts(reader: _Reader) -> Iterator[bytes]:
    """The header of a zstd frame, then each block, then the checksum (RFC 8878, 3.1.1)."""
    head = _exactly(reader, 5)
    descriptor = head[4]
    is_single = bool(descriptor & 0x20)
    has_checksum = bool(descriptor & 0x04)
    content_size = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    dictionary = (0, 1, 2, 4)[descriptor & 3]
    yield head + _exactly(reader, (0 if is_single else 1) + dictionary + content_size)
    is_last = False
    while not is_last:
        start = _exactly(reader, 3)
        block = int.from_bytes(start, "little")
        is_last = bool(block & 1)
        kind, size = block >> 1 & 3, block >> 3
        yield start + _exactly(reader, 1 if kind == 1 else size)
    if has_checksum:
        yield _exactly(reader, 4)


def _exactly(reader: _Reader, size: int) -> bytes:
    taken = reader.take(size)
    if len(taken) < size:
        raise StreamBroken("the zstd stream is cut")
    return taken
