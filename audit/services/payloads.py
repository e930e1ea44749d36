"""How a chunk keeps its lines: zstd over a MessagePack list of number, offset and exact bytes."""

from __future__ import annotations

import msgspec

from audit.zstd import packed, unpacked


class ChunkLine(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line: its number from 1, the byte at which it starts after unpacking, its bytes."""

    number: int
    offset: int
    data: bytes


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[ChunkLine])


def pack_lines(lines: list[ChunkLine]) -> bytes:
    return packed(_ENCODER.encode(lines))


def unpack_lines(payload: bytes | memoryview) -> list[ChunkLine]:
    return _DECODER.decode(unpacked(payload))
