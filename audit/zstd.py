"""zstd, out of the standard library where it has it; a line of a log is packed with a dictionary.

A dictionary holds what the lines of a schema share, so that a line of 2 KB takes half the room.
Each frame names its dictionary by number. The files in `dictionaries/` are therefore only ever
added to: what was packed with one can be read only with the same one.
"""

import sys
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["UnknownDictionary", "packed", "packed_line", "unpacked", "unpacked_start", "zstd"]

# No beginning of a frame shorter than this gives anything: a block is at most 128 KiB.
FIRST_BLOCK_BYTES = 132_000
DICTIONARIES = Path(__file__).with_name("dictionaries")
# With which lines are packed from now on.
CURRENT = "hand-log-1.1.zdict"
LINE_LEVEL = 3


class UnknownDictionary(LookupError):
    """A frame was packed with a dictionary that this version of the service does not have."""


def _known(folder: Path) -> dict[int, zstd.ZstdDict]:
    """The dictionaries by their numbers; 0 is none."""
    found = [zstd.ZstdDict(path.read_bytes()) for path in sorted(folder.glob("*.zdict"))]
    known = {one.dict_id: one for one in found}
    assert len(known) == len(found), "two dictionaries have the same number"
    return known


_KNOWN = _known(DICTIONARIES)
_COMPRESSOR = zstd.ZstdCompressor(level=1)
_LINE_COMPRESSOR = zstd.ZstdCompressor(
    level=LINE_LEVEL,
    zstd_dict=zstd.ZstdDict((DICTIONARIES / CURRENT).read_bytes()).as_digested_dict,
)


def packed(data: bytes) -> bytes:
    """One whole frame, without a dictionary."""
    return _COMPRESSOR.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def packed_line(line: bytes) -> bytes:
    """One whole frame, with the current dictionary."""
    return _LINE_COMPRESSOR.compress(line, zstd.ZstdCompressor.FLUSH_FRAME)


def unpacked(frame: bytes | memoryview) -> bytes:
    """What `packed` or `packed_line` was given. Raises: UnknownDictionary; zstd.ZstdError when the
    frame is damaged."""
    data = bytes(frame)
    decompressor = zstd.ZstdDecompressor(_dictionary_of(data))
    whole = decompressor.decompress(data)
    if not decompressor.eof or decompressor.unused_data:
        raise zstd.ZstdError("It is not one whole frame.")
    return whole


def unpacked_start(frame: bytes | memoryview, size: int) -> bytes:
    """At most the first `size` bytes of what was packed; the frame may be cut off.

    Raises: as `unpacked`.
    """
    data = bytes(frame)
    return zstd.ZstdDecompressor(_dictionary_of(data)).decompress(data, max_length=size)


def _dictionary_of(frame: bytes) -> zstd.ZstdDict | None:
    number = zstd.get_frame_info(frame).dictionary_id
    if number == 0:
        return None
    if number not in _KNOWN:
        raise UnknownDictionary(f"There is no dictionary {number} in {DICTIONARIES.name}/.")
    return _KNOWN[number]
