"""Ending an upload when the last of its chunks has ended."""

from __future__ import annotations

from django.utils import timezone

from audit.models import Chunk, ChunkState, Refusal, TableTouch, Upload, UploadState
from audit.services.queueing import queue_tables_on_commit


def settle_upload(upload_id: int) -> None:
    """Give an upload its end if none of its chunks is open, and queue the tables that it touched.

    The caller's transaction must already have changed the upload's row: that lock makes two last
    chunks come here one after the other, so that the second sees the first as ended.
    """
    open_states = (ChunkState.QUEUED, ChunkState.RUNNING)
    if Chunk.objects.filter(upload_id=upload_id, state__in=open_states).exists():
        return
    upload = Upload.objects.get(pk=upload_id)
    if upload.state not in (UploadState.QUEUED, UploadState.RUNNING):
        return
    state, error = _end_of(upload)
    Upload.objects.filter(pk=upload_id).update(state=state, error=error, finished_at=timezone.now())
    touches = TableTouch.objects.filter(upload_id=upload_id).order_by("table_id")
    tables = list(touches.values_list("table_id", flat=True).distinct())
    if tables:
        queue_tables_on_commit(tables)


def _end_of(upload: Upload) -> tuple[UploadState, str]:
    hands = upload.clean_count + upload.discrepant_count + upload.void_count
    hands += upload.consistent_count
    if upload.failed_count:
        words = f"{upload.failed_count} of {upload.line_count} lines could not be audited"
        state = UploadState.PARTLY if hands else UploadState.FAILED
        return state, words + _because(upload, has_hands=hands > 0)
    if hands:
        return UploadState.DONE, _broken_off(upload)
    if upload.byte_count == 0:
        return UploadState.FAILED, "No hands found: the file is empty."
    if upload.line_count == 0:
        return UploadState.FAILED, "No hands found: the file holds only blank lines."
    if upload.line_count == 1:
        refusal = Refusal.objects.get(upload_id=upload.pk)
        place = refusal.place if refusal.place not in ("", "$") else ""
        words = f"{place}: {refusal.reason}" if place else refusal.reason
        return UploadState.FAILED, f"No hands found. The only line was refused: {words}."
    if upload.feed:
        words = f"none of its {upload.line_count} records could be read"
        return UploadState.FAILED, f"No hands found: {words} as one of the feed {upload.feed}."
    lines = f"none of its {upload.line_count} lines"
    return UploadState.FAILED, f"No hands found: {lines} is a hand in the format hand-log/1."


def _because(upload: Upload, *, has_hands: bool) -> str:
    """Why lines could not be audited: what ended a chunk, else what set the first line aside."""
    chunk = Chunk.objects.filter(upload_id=upload.pk, state=ChunkState.FAILED).first()
    if chunk is not None:
        return f": {chunk.error}"
    if has_hands:
        return ", through a fault of ours."
    faults = Refusal.objects.filter(upload_id=upload.pk, is_our_fault=True)
    first = faults.order_by("line")[0]
    return f". The first is line {first.line}: {first.reason}."


def _broken_off(upload: Upload) -> str:
    """What an auditor must know of a file that ends too early; empty where it did not.

    Only such an end has no bytes to be hashed (FORMAT 6.2, 18).
    """
    end = Refusal.objects.filter(upload_id=upload.pk, sha256__isnull=True).first()
    if end is None:
        return ""
    return f"The file is incomplete, and what follows line {end.line - 1} is missing: {end.reason}."
