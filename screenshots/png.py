"""PNG files made small: 256 colours at most, chosen so that no difference strikes the eye."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS_MAX = 256
# So many are taken because they are frequent; the others, because they were far from these.
FREQUENT = 96
TRUE_COLOUR, PALETTE = 2, 3

Colour = tuple[int, int, int]
Row = bytearray


def squeeze(data: bytes) -> bytes:
    """Give a browser's PNG (8 bits each of red, green and blue) with a palette.

    Pixels stay exact where there are at most 256 colours. Raises: ValueError for another file.
    """
    if not data.startswith(SIGNATURE):
        raise ValueError("This is no PNG file.")
    parts = list(_parts(data))
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", parts[0][1])
    if (depth, kind, rest) != (8, TRUE_COLOUR, [0, 0, 0]):
        raise ValueError("This PNG file is not of plain red, green and blue.")
    pixels = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    rows = [list(zip(*_channels(row), strict=True)) for row in _rows(pixels, width, height)]
    counts = Counter(colour for row in rows for colour in row)
    palette = choose(counts)
    index = {colour: nearest(palette, colour) for colour in counts}
    body = b"".join(b"\0" + bytes(map(index.__getitem__, row)) for row in rows)
    return SIGNATURE + b"".join(
        _part(name, content)
        for name, content in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, PALETTE, 0, 0, 0)),
            (b"PLTE", bytes(value for colour in palette for value in colour)),
            (b"IDAT", zlib.compress(body, 9)),
            (b"IEND", b""),
        )
    )


def choose(counts: Counter[Colour]) -> list[Colour]:
    """The colours of a palette: the frequent ones, then what is worst without one of its own."""
    if len(counts) <= COLOURS_MAX:
        return sorted(counts)
    palette = [colour for colour, _ in counts.most_common(FREQUENT)]
    off = {colour: min(distance(colour, one) for one in palette) for colour in counts}
    while len(palette) < COLOURS_MAX:
        worst = max(off, key=lambda colour: off[colour] * counts[colour])
        palette.append(worst)
        for colour, at in off.items():
            if at:
                off[colour] = min(at, distance(colour, worst))
    return sorted(palette)


def nearest(palette: Sequence[Colour], colour: Colour) -> int:
    return min(range(len(palette)), key=lambda place: distance(palette[place], colour))


def distance(one: Colour, other: Colour) -> int:
    red, green, blue = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    return red * red + green * green + blue * blue


def _channels(row: Row) -> tuple[Row, Row, Row]:
    return row[0::3], row[1::3], row[2::3]


def _rows(pixels: bytes, width: int, height: int) -> Iterator[Row]:
    """The rows with their filters undone (PNG specification, 9.2)."""
    size = 3 * width
    above = Row(size)
    for number in range(height):
        at = number * (size + 1)
        row = Row(pixels[at + 1 : at + 1 + size])
        above = _unfiltered(pixels[at], row, above)
        yield above


def _unfiltered(kind: int, row: Row, above: Row) -> Row:
    if kind == 0:
        return row
    if kind == 2:
        return Row((here + up) & 255 for here, up in zip(row, above, strict=True))
    for channel in range(3):
        mine, upper = row[channel::3], above[channel::3]
        if kind == 1:
            row[channel::3] = Row(value & 255 for value in accumulate(mine))
        elif kind == 3:
            row[channel::3] = Row(_averaged(mine, upper))
        else:
            row[channel::3] = Row(_paeth(mine, upper))
    return row


def _averaged(row: Iterable[int], above: Iterable[int]) -> Iterator[int]:
    left = 0
    for here, up in zip(row, above, strict=True):
        left = (here + (left + up) // 2) & 255
        yield left


def _paeth(row: Iterable[int], above: Iterable[int]) -> Iterator[int]:
    left = corner = 0
    for here, up in zip(row, above, strict=True):
        by_left, by_up = abs(up - corner), abs(left - corner)
        by_corner = abs(left + up - 2 * corner)
        if by_left <= by_up and by_left <= by_corner:
            guess = left
        elif by_up <= by_corner:
            guess = up
        else:
            guess = corner
        left, corner = (here + guess) & 255, up
        yield left


def _parts(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += length + 12


def _part(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
