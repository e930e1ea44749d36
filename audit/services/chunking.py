"""The lines of a file put away as they come: readable ones in chunks, refused ones as refusals."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

from django.conf import settings
from django.db import transaction
from django.utils import timezone

import replay
from audit.models import Refusal, Upload, UploadState
from audit.services.arriving import REASON_MAX, Arriving, UploadInterrupted, UploadTooLarge
from audit.services.payloads import FRAME_LINES, ChunkLine, pack_frame, store_chunk
from audit.services.texts import storable
from audit.zstd import packed

PLACE_MAX = 500
REFUSALS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Packing:
    """A full chunk that is being packed, and how far the file had been read with it."""

    frames: list[Future[bytes]]
    first_line: int
    line_count: int
    lines_read: int
    bytes_read: int


class LineStore:
    """Stores the lines of an upload as it is told of them; `chunks` are the keys of those stored.

    A chunk is packed in a thread while the lines behind it are read, frame by frame, and stored
    with the next one: packing lets go of the interpreter, and takes as long as reading.
    """

    def __init__(self, upload_id: int, source: Arriving) -> None:
        self._upload_id = upload_id
        self._source = source
        # The chunk that is being filled: its frames, and the lines that are in none of them yet.
        self._frames: list[Future[bytes]] = []
        self._lines: list[ChunkLine] = []
        self._first_line = self._line_count = self._size = 0
        self._packer = ThreadPoolExecutor(1, thread_name_prefix="packing")
        self._packing: _Packing | None = None
        self._refused: list[Refusal] = []
        self.count = 0
        self.refused = 0
        self.chunks: list[int] = []
        # Asked for once: of each line they would cost a tenth of its time.
        self._lines_most = settings.TILECOURT_UPLOAD_LINES_MAX
        self._chunk_bytes = settings.TILECOURT_CHUNK_BYTES_MAX
        self._chunk_lines = settings.TILECOURT_CHUNK_LINES_MAX

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._packer.shutdown()

    def add(self, line: replay.Line) -> None:
        self.count += 1
        if self.count > self._lines_most:
            raise UploadTooLarge(
                replay.say(
                    "The file has more than {most} lines: send it in parts.", most=self._lines_most
                )
            )
        if line.refusal is not None or line.data is None:
            self._refuse(line)
            return
        # An overfull chunk is closed before the line, so that only a single line can be over.
        if self._size + len(line.data) > self._chunk_bytes:
            self._close_chunk()
        if not self._line_count:
            self._first_line = line.number
        self._lines.append(ChunkLine(line.number, line.offset, line.data))
        self._line_count += 1
        self._size += len(line.data)
        if len(self._lines) >= FRAME_LINES:
            self._pack()
        if self._line_count >= self._chunk_lines:
            self._close_chunk()

    def _refuse(self, line: replay.Line) -> None:
        assert line.refusal is not None
        self.refused += 1
        self._refused.append(
            Refusal(
                upload_id=self._upload_id,
                line=line.number,
                offset=line.offset,
                place=storable(line.refusal.place, PLACE_MAX),
                reason=storable(line.refusal.reason, REASON_MAX),
                raw=None if line.data is None else packed(line.data),
                sha256=None if line.sha256 is None else bytes.fromhex(line.sha256),
            )
        )
        if len(self._refused) >= REFUSALS_AT_ONCE:
            self._store_refusals()

    def flush(self) -> None:
        self._close_chunk()
        self._store_packed()
        self._store_refusals()

    def _store_refusals(self) -> None:
        Refusal.objects.bulk_create(self._refused)
        self._refused = []

    def _pack(self) -> None:
        if self._lines:
            self._frames.append(self._packer.submit(pack_frame, self._lines))
            self._lines = []

    def _close_chunk(self) -> None:
        if not self._line_count:
            return
        self._pack()
        packing = _Packing(
            frames=self._frames,
            first_line=self._first_line,
            line_count=self._line_count,
            lines_read=self.count,
            bytes_read=self._source.byte_count,
        )
        self._frames, self._line_count, self._size = [], 0, 0
        self._store_packed()
        self._packing = packing

    def _store_packed(self) -> None:
        packing, self._packing = self._packing, None
        if packing is None:
            return
        payload = b"".join([frame.result() for frame in packing.frames])
        with transaction.atomic():
            chunk_id = store_chunk(
                upload_id=self._upload_id,
                number=len(self.chunks) + 1,
                first_line=packing.first_line,
                line_count=packing.line_count,
                payload=payload,
            )
            still_open = Upload.objects.filter(
                pk=self._upload_id, state=UploadState.RECEIVING
            ).update(
                touched_at=timezone.now(),
                byte_count=packing.bytes_read,
                line_count=packing.lines_read,
            )
            if not still_open:
                raise UploadInterrupted(
                    replay.say("Incomplete upload: it took too long and was given up.")
                )
        self.chunks.append(chunk_id)
