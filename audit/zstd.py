"""zstd, out of the standard library where it has it."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# No beginning of a frame shorter than this gives anything: a block is at most 128 KiB.
FIRST_BLOCK_BYTES = 132_000

_COMPRESSOR = zstd.ZstdCompressor(level=1)


def packed(data: bytes) -> bytes:
    """One whole frame."""
    return _COMPRESSOR.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def unpacked(frame: bytes | memoryview) -> bytes:
    """What `packed` was given. Raises: zstd.ZstdError when the frame is damaged."""
    return zstd.decompress(bytes(frame))


def unpacked_start(frame: bytes | memoryview, size: int) -> bytes:
    """At most the first `size` bytes of what `packed` was given; the frame may be cut off."""
    return zstd.ZstdDecompressor().decompress(bytes(frame), max_length=size)
