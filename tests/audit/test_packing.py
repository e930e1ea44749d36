"""Lines are packed with a dictionary; what was packed with an older one or none can be read."""

from __future__ import annotations

import hashlib

import pytest

import replay
from audit import selectors, zstd
from audit.models import HandVersion
from audit.zstd import UnknownDictionary, packed, packed_line, unpacked, unpacked_start
from tests.audit.logs import BASE_LINES, B, Ingest, log

# A dictionary that lines were packed with is never changed and never taken away.
DICTIONARIES = {
    "hand-log-1.1.zdict": "90e9a89584be5aaa88a645a1552279b00fe4005d69e8abff674887a8e953ebe7",
}


def dictionary_of(frame: bytes) -> int:
    number = zstd.zstd.get_frame_info(frame).dictionary_id
    assert isinstance(number, int)
    return number


def test_the_dictionaries_are_those_that_lines_were_packed_with() -> None:
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in zstd.DICTIONARIES.glob("*")
    }
    assert found == DICTIONARIES
    assert zstd.CURRENT in DICTIONARIES


@pytest.mark.parametrize("line", [b"", b"{}", B, B * 1000, bytes(range(256)), *BASE_LINES[:5]])
def test_unpacking_gives_the_exact_line(line: bytes) -> None:
    for frame in (packed(line), packed_line(line)):
        assert unpacked(frame) == unpacked(memoryview(frame)) == line
        assert unpacked_start(frame, 100) == line[:100]
        assert unpacked_start(frame[: zstd.FIRST_BLOCK_BYTES], 10) == line[:10]


def test_each_frame_names_its_dictionary() -> None:
    assert dictionary_of(packed(B)) == 0
    assert dictionary_of(packed_line(B)) == 1416825845


def test_an_unknown_dictionary_is_named() -> None:
    other = zstd.zstd.train_dict([b"%d %s" % (n, B) for n in range(200)], 4096)
    frame = zstd.zstd.compress(B, zstd_dict=other)
    sentence = f"There is no dictionary {other.dict_id} in dictionaries/."
    with pytest.raises(UnknownDictionary, match=sentence):
        unpacked(frame)
    with pytest.raises(UnknownDictionary, match=sentence):
        unpacked_start(frame, 10)


def test_a_damaged_frame_is_an_error() -> None:
    for frame in (packed(B), packed_line(B)):
        with pytest.raises(zstd.zstd.ZstdError):
            unpacked(frame[:-1])
        for more in (b"\0", frame):
            with pytest.raises(zstd.zstd.ZstdError, match="not one whole frame"):
                unpacked(frame + more)
    with pytest.raises(zstd.zstd.ZstdError):
        unpacked(b"no frame")


def test_a_dictionary_halves_the_hands_of_each_game() -> None:
    for game in replay.GAMES:
        ruleset = next(one for one in replay.load_rulesets() if one.game == game)
        lines = list(replay.simulate(game, 200, 77, ruleset))
        alone = sum(len(packed(line)) for line in lines)
        shared = sum(len(packed_line(line)) for line in lines)
        assert shared < 0.6 * alone


def test_a_hand_that_was_stored_without_one_reads_as_before(ingest: Ingest) -> None:
    ingest(log(B))
    version = HandVersion.objects.get()
    assert dictionary_of(bytes(version.raw)) == 1416825845
    assert selectors.hand_detail(version.hand_id, sources=None).raw == B
    # As it was stored before there were dictionaries; a version is never updated, so a new one.
    other = B.replace(b'"Ann"', b'"Anna"')
    HandVersion.objects.create(
        hand_id=version.hand_id,
        number=2,
        raw=packed(other),
        sha256=hashlib.sha256(other).digest(),
        upload_id=version.upload_id,
        line=2,
    )
    row = ingest(log(other.replace(b'":"', b'": "')))
    assert (row.new, row.duplicates, row.conflicts) == (0, 1, 0), "it says the same as the old one"
