"""From bytes to lines (FORMAT 6.1)."""

from __future__ import annotations

import gzip
import hashlib
import io
import random

import pytest

from replay.record import LINE_BYTES_MAX
from replay.stream import Line, read_lines
from replay.unpack import zstd

SKIPPABLE = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"


class Pieces:
    """A source that gives at most `size` bytes a read, as a socket may."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data = io.BytesIO(data)
        self._size = size

    def read(self, size: int, /) -> bytes:
        return self._data.read(min(size, self._size))


class Failing:
    """A source that gives some bytes and then fails, as a bad disk may."""

    def __init__(self, data: bytes) -> None:
        self._data = [data]

    def read(self, size: int, /) -> bytes:
        if self._data:
            return self._data.pop()
        raise OSError("Input/output error")


def lines_of(data: bytes, size: int = 1 << 20) -> list[Line]:
    return list(read_lines(Pieces(data, size)))


def texts(data: bytes, size: int = 1 << 20) -> list[tuple[int, bytes | None]]:
    return [(line.number, line.data) for line in lines_of(data, size)]


@pytest.fixture(scope="module")
def log() -> bytes:
    """About 600 KB of lines that do not pack away to nothing."""
    chance = random.Random(7)
    lines = [
        b"%d %s" % (number, chance.randbytes(chance.randrange(0, 1500)).hex().encode())
        for number in range(400)
    ]
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("size", [1, 3, 1000, 65536])
def test_lines_do_not_depend_on_the_size_of_pieces(log: bytes, size: int) -> None:
    data = log[:20_000] if size < 100 else log
    wanted = data.rstrip(b"\n").split(b"\n")
    halves = (data[:7_777], data[7_777:])
    packed = [
        data,
        gzip.compress(data),
        b"".join(gzip.compress(half) for half in halves),
        zstd.compress(data),
        SKIPPABLE + b"".join(zstd.compress(half) + SKIPPABLE for half in halves),
    ]
    for stream in packed:
        assert [line.data for line in lines_of(stream, size)] == wanted


def test_rule_2_only_lf_ends_a_line_and_one_cr_before_it_belongs_to_the_end() -> None:
    assert texts(b"a\r\nb\r\r\nc\rd\ne\r") == [(1, b"a"), (2, b"b\r"), (3, b"c\rd"), (4, b"e")]


def test_rule_2_one_mark_at_the_start_is_dropped() -> None:
    mark = b"\xef\xbb\xbf"
    for size in (1, 2, 100):
        assert texts(mark + b"a\n" + mark + b"b", size) == [(1, b"a"), (2, mark + b"b")]
    assert texts(mark) == []
    assert texts(mark + mark + b"a") == [(1, mark + b"a")]


def test_rule_3_blank_lines_count_but_give_nothing() -> None:
    assert texts(b"\n \t\r\r\n\na\n  \n") == [(4, b"a")]


def test_a_form_feed_is_not_blank() -> None:
    assert texts(b"\x0c\n") == [(1, b"\x0c")]


@pytest.mark.parametrize(
    "start",
    [b"\xff\xfea\x00", b"\xfe\xff\x00a", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"PK\x03\x04"],
)
def test_rule_4_other_encodings_and_archives_are_refused_as_a_whole(start: bytes) -> None:
    for data in (start + b"\nx\n", gzip.compress(start + b"\nx\n")):
        (only,) = lines_of(data)
        assert (only.number, only.data, only.sha256) == (1, None, None)


def test_rule_4_what_is_packed_twice_is_refused_as_a_whole() -> None:
    for once in (gzip.compress(b"a\n"), zstd.compress(b"a\n"), SKIPPABLE):
        for twice in (gzip.compress(once), zstd.compress(once)):
            (only,) = lines_of(twice)
            assert (only.number, only.data) == (1, None)
            assert "still packed" in str(only.refusal)


def test_rule_1_zero_bytes_behind_the_last_gzip_member_are_passed_over() -> None:
    assert texts(gzip.compress(b"a\n") + b"\0" * 70_000) == [(1, b"a")]


@pytest.mark.parametrize("rest", [b"x", b"\0\0x", b"\x1f", b"\x1f\x8b"])
def test_rule_1_other_bytes_there_break_the_stream(rest: bytes) -> None:
    lines = lines_of(gzip.compress(b"a\n") + rest)
    assert [(line.number, line.data) for line in lines] == [(1, b"a"), (2, None)]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_rule_5_a_cut_stream_keeps_its_complete_lines(pack, log: bytes) -> None:  # type: ignore[no-untyped-def]
    packed = pack(log)
    lines = lines_of(packed[: len(packed) // 2])
    assert lines[-1].data is None
    assert "breaks off" in str(lines[-1].refusal)
    kept = [line.data for line in lines[:-1]]
    assert kept == log.split(b"\n")[: len(kept)]
    assert len(kept) > 100


def test_rule_5_a_damaged_block_takes_nothing_before_it_along(log: bytes) -> None:
    packed = bytearray(zstd.compress(log))
    # The second block's header says that it is of the reserved kind.
    first = int.from_bytes(packed[9:12], "little") >> 3
    start = 9 + 3 + first
    packed[start] |= 0b110
    lines = lines_of(bytes(packed))
    assert lines[-1].data is None
    kept = [line.data for line in lines[:-1]]
    whole_lines_of_first_block = log[: 1 << 17].split(b"\n")[:-1]
    assert kept == whole_lines_of_first_block


def test_rule_5_a_wrong_checksum_is_a_break(log: bytes) -> None:
    options = {zstd.CompressionParameter.checksum_flag: 1}
    for packed in (bytearray(gzip.compress(log)), bytearray(zstd.compress(log, options=options))):
        packed[-5 if packed[:2] == b"\x1f\x8b" else -1] ^= 0xFF
        lines = lines_of(bytes(packed))
        assert lines[-1].data is None
        assert lines[-1].number == len(lines)


def test_rule_5_a_read_error_is_a_break() -> None:
    lines = list(read_lines(Failing(b"a\nb")))
    assert [(line.number, line.data) for line in lines] == [(1, b"a"), (2, None)]


def test_rule_1_a_frame_that_needs_a_dictionary_breaks_the_stream() -> None:
    samples = [b'{"format":"hand-log/1","hand_id":"%d"}' % n for n in range(5000)]
    dictionary = zstd.train_dict(samples, 4096)
    (only,) = lines_of(zstd.compress(b"a\n" * 100, zstd_dict=dictionary))
    assert (only.number, only.data) == (1, None)


def test_rule_1_a_window_above_128_MiB_breaks_the_stream() -> None:
    def frame(window_log: int) -> bytes:
        # A frame of one raw block that ends the frame, with a window of 2^window_log bytes.
        return b"\x28\xb5\x2f\xfd\x00" + bytes([(window_log - 10) << 3]) + b"\x11\x00\x00a\n"

    assert texts(frame(27)) == [(1, b"a")]
    assert texts(frame(28)) == [(1, None)]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 1, 1 << 21])
def test_rule_7_the_size_of_a_line_is_limited_without_its_end(end: bytes, size: int) -> None:
    whole, longer = b"a" * LINE_BYTES_MAX, b"b" * (LINE_BYTES_MAX + 1)
    assert texts(whole + end, size) == [(1, whole)]
    (only,) = lines_of(longer + end, size)
    assert (only.number, only.data) == (1, None)
    assert only.sha256 == hashlib.sha256(longer).hexdigest()


def test_rule_7_reading_goes_on_after_a_line_over_the_size() -> None:
    junk = b"x" * (3 * LINE_BYTES_MAX)
    first, second, third = lines_of(b"a\n" + junk + b"\r\nb", 50_000)
    assert (first.data, second.data, third.data) == (b"a", None, b"b")
    assert second.sha256 == hashlib.sha256(junk).hexdigest()
    assert (second.offset, third.offset) == (2, 2 + len(junk) + 2)


def test_rule_7_a_blank_line_over_the_size_is_refused() -> None:
    (only,) = lines_of(b" " * (LINE_BYTES_MAX + 1))
    assert (only.number, only.data) == (1, None)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress], ids=["plain", "gz", "zst"])
def test_the_listener_hears_the_unpacked_bytes_as_they_grow(log: bytes, pack) -> None:
    heard: list[int] = []
    lines = list(read_lines(Pieces(pack(log), 1 << 12), on_bytes=heard.append))
    assert lines == lines_of(log)
    assert heard == sorted(set(heard))
    assert heard[-1] == len(log)
    assert len(heard) > 1, "it is told piece by piece, not at the end only"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress], ids=["plain", "gz", "zst"])
def test_what_the_listener_raises_ends_the_reading(log: bytes, pack) -> None:
    """A caller's limit is no break of the stream: no line is given for it."""

    class TooMuch(Exception):
        pass

    def limit(size: int) -> None:
        if size > len(log) // 2:
            raise TooMuch

    given: list[Line] = []
    with pytest.raises(TooMuch):
        given.extend(read_lines(Pieces(pack(log), 1 << 12), on_bytes=limit))
    assert 0 < len(given) < len(lines_of(log))
    assert given == lines_of(log)[: len(given)]
    assert sum(len(line.data or b"") for line in given) <= len(log) // 2


def test_the_listener_hears_a_packed_bomb_before_it_is_unpacked_whole() -> None:
    bomb = gzip.compress(b"\n" * (64 << 20))
    heard: list[int] = []

    def limit(size: int) -> None:
        heard.append(size)
        if size > 1 << 20:
            raise MemoryError

    with pytest.raises(MemoryError):
        list(read_lines(Pieces(bomb, 1 << 20), on_bytes=limit))
    assert heard[-1] < 4 << 20


def test_the_listener_hears_nothing_of_an_empty_or_refused_stream() -> None:
    heard: list[int] = []
    assert list(read_lines(Pieces(b"", 8), on_bytes=heard.append)) == []
    (only,) = read_lines(Pieces(b"PK\x03\x04 and more", 64), on_bytes=heard.append)
    assert only.data is None
    assert heard == []
