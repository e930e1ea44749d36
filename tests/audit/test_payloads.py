"""The lines of a chunk, packed frame by frame: all of them come back, or it is said that not."""

from __future__ import annotations

import io

import msgspec
import pytest
from django.utils import timezone

from audit import selectors, services
from audit.models import Chunk, Hand
from audit.services import judging
from audit.services.payloads import FRAME_LINES, ChunkLine, pack_frame, pack_lines, unpack_lines
from audit.zstd import packed, zstd
from tests.audit.logs import B, changed, log

LINES = [ChunkLine(n, 10 * n, b'{"n":%d}' % n) for n in range(1, 2 * FRAME_LINES + 2)]


def frames_of(payload: bytes) -> list[bytes]:
    frames = []
    while payload:
        size = zstd.get_frame_size(payload)
        frames.append(payload[:size])
        payload = payload[size:]
    return frames


@pytest.mark.parametrize(
    ("count", "frames"),
    [(1, 1), (FRAME_LINES, 1), (FRAME_LINES + 1, 2), (2 * FRAME_LINES + 1, 3)],
)
def test_lines_come_back_in_their_order(count: int, frames: int) -> None:
    payload = pack_lines(LINES[:count])
    assert len(frames_of(payload)) == frames
    assert unpack_lines(payload) == LINES[:count]
    assert unpack_lines(memoryview(payload)) == LINES[:count]


def test_a_chunk_that_was_packed_whole_by_an_earlier_version_is_read() -> None:
    assert unpack_lines(packed(msgspec.msgpack.encode(LINES))) == LINES


@pytest.mark.parametrize("cut", [0, 3, 40, -1])
def test_a_payload_that_is_cut_off_is_damaged(cut: int) -> None:
    payload = pack_lines(LINES)
    with pytest.raises(zstd.ZstdError):
        unpack_lines(payload[:cut])
    first, *_ = frames_of(payload)
    with pytest.raises(zstd.ZstdError):
        unpack_lines(first + payload[len(first) :][:cut] + b"more")


def test_a_file_is_packed_by_frames(db, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = FRAME_LINES + 2
    lines = [changed(B, hand_id=f"h{n}") for n in range(FRAME_LINES + 5)]
    services.receive_upload(name="hands.ndjson", stream=io.BytesIO(log(*lines)))
    chunks = list(Chunk.objects.order_by("number"))
    assert [(one.first_line, one.line_count) for one in chunks] == [
        (1, FRAME_LINES + 2),
        (FRAME_LINES + 3, 3),
    ]
    assert [len(frames_of(bytes(one.payload))) for one in chunks] == [2, 1]
    kept = [line for one in chunks for line in unpack_lines(one.payload)]
    assert [line.number for line in kept] == list(range(1, FRAME_LINES + 6))
    assert [line.data for line in kept] == lines


def test_a_chunk_that_lost_a_frame_has_failed_and_stores_nothing(db, monkeypatch) -> None:
    """Nothing else would tell: what is left of it can be unpacked."""
    monkeypatch.setattr(judging, "ATTEMPTS_MAX", 2)
    one, two = (ChunkLine(n, 0, changed(B, hand_id=f"h{n}")) for n in (1, 2))
    received = services.receive_upload(
        name="hands.ndjson", stream=io.BytesIO(log(one.data, two.data))
    )
    Chunk.objects.update(payload=pack_frame([one]))
    (chunk,) = Chunk.objects.values_list("pk", flat=True)
    assert services.judge_chunk(chunk_id=chunk) == judging.FIRST_WAIT_SECONDS + 1
    Chunk.objects.update(due_at=timezone.now())
    assert services.judge_chunk(chunk_id=chunk) is None
    row = selectors.get_upload(received.upload_id, sources=None)
    assert (row.state, row.failed) == ("failed", 2)
    assert row.error == (
        "2 of 2 lines could not be audited: ValueError: the chunk holds 1 lines instead of 2"
    )
    assert not Hand.objects.exists()
