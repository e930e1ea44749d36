"""Uploads, how far they are, and the lines that they had refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BinaryField, F, Func, QuerySet, Value
from django.utils import timezone

from audit.models import Reaudit, Refusal, Upload, UploadState
from audit.selectors.access import NOWHERE, Sources
from audit.selectors.belonging import uploads_in, uploads_seen, within
from audit.selectors.pages import (
    KEY_MAX,
    Page,
    UploadNotFound,
    check_limit,
    make_page,
    read_cursor,
)
from audit.zstd import FIRST_BLOCK_BYTES, unpacked_start

RAW_SHOWN = 2_000
ENDS = (UploadState.DONE, UploadState.PARTLY, UploadState.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadRow:
    """One upload and its counts; see models.Upload for what adds up to what.

    `audited` lines have their outcome; `percent` is 0 to 100 (None while it is received, when the
    end is not known); `rate` is lines a second since the first was taken up; `error` is a sentence
    or empty. `turned` of the clean and void lines have a hand that is discrepant because of the
    hand before it.
    """

    id: int
    name: str
    received_by: str | None
    state: str
    state_title: str
    error: str
    byte_count: int
    sha256: str | None
    lines: int
    clean: int
    consistent: int
    discrepant: int
    void: int
    rejected: int
    failed: int
    turned: int
    new: int
    duplicates: int
    conflicts: int
    restated: int
    restatement: str
    feed: str
    feed_facts: Mapping[str, Any]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    is_ended: bool
    audited: int
    percent: int | None
    rate: float | None

    @property
    def hands(self) -> int:
        """The lines that are hands."""
        return self.clean + self.consistent + self.discrepant + self.void


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRow:
    """One refused line. `raw` is its beginning for the eye, None where the bytes were not kept, or
    where they may not be seen (`is_hidden`).

    `hand_pk` is the hand that stands for it since a re-audit, `reaudit_id` which one; else None.
    """

    id: int
    line: int
    offset: int
    place: str
    reason: str
    raw: str | None
    is_raw_cut: bool
    is_hidden: bool
    sha256: str | None
    is_our_fault: bool
    hand_pk: int | None
    reaudit_id: int | None


def list_uploads(
    *,
    sources: Sources,
    account_id: int | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[UploadRow]:
    """Uploads, newest first, and those that `account_id` handed in. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    found: QuerySet[Upload] = Upload.objects.select_related("received_by")
    found = found.filter(uploads_in(sources, account_id=account_id))
    if at is None:
        found = found.order_by("-id")
    elif at.is_back:
        found = found.filter(id__gt=at.key[0]).order_by("id")
    else:
        found = found.filter(id__lt=at.key[0]).order_by("-id")
    rows = [_upload_row(upload) for upload in found[: limit + 1]]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.id,))


def get_upload(upload_id: int, *, sources: Sources, account_id: int | None = None) -> UploadRow:
    """One upload as it stands now. Raises: UploadNotFound."""
    if not 1 <= upload_id <= KEY_MAX:
        raise UploadNotFound(f"There is no upload {upload_id}.")
    try:
        upload = Upload.objects.select_related("received_by").get(
            uploads_in(sources, account_id=account_id), pk=upload_id
        )
    except Upload.DoesNotExist:
        raise UploadNotFound(f"There is no upload {upload_id}.") from None
    return _upload_row(upload)


def upload_of_key(*, sender: str, key: str) -> UploadRow | None:
    """The upload that a sender's key stands for, None where it stands for none."""
    found = Upload.objects.select_related("received_by").filter(
        submission__sender=sender, submission__key=key
    )
    upload = found.first()
    return None if upload is None else _upload_row(upload)


def list_refusals(
    upload_id: int,
    *,
    sources: Sources,
    raw_sources: Sources = NOWHERE,
    reaudit_sources: Sources = NOWHERE,
    account_id: int | None = None,
    cursor: str | None = None,
    limit: int = 100,
) -> Page[RefusalRow]:
    """The refused lines of an upload, by line; none of one that may not be seen.

    `raw_sources` are those in which raw lines may be seen: what an upload of others is shown of;
    in `reaudit_sources` the re-audit that admitted a line may be named. Raises: BadQuery.
    """
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    if not 1 <= upload_id <= KEY_MAX:
        return Page(rows=())
    if not uploads_seen([upload_id], sources=sources, account_id=account_id):
        return Page(rows=())
    # Of a long line only what the page shows is fetched.
    is_hidden = not _raw_is_seen(upload_id, sources=raw_sources, account_id=account_id)
    start: Any = Func("raw", 1, FIRST_BLOCK_BYTES, function="substring", output_field=BinaryField())
    if is_hidden:
        start = Value(None, output_field=BinaryField())
    found = (
        Refusal.objects.filter(upload_id=upload_id)
        .defer("raw")
        .annotate(
            start=start,
            hand_pk=F("admission__version__hand_id"),
            reaudit_id=F("admission__reaudit_id"),
        )
    )
    found = found.order_by("line")
    if at is not None and at.is_back:
        found = found.filter(line__lt=at.key[0]).order_by("-line")
    elif at is not None:
        found = found.filter(line__gt=at.key[0])
    refusals = list(found[: limit + 1])
    named = _reaudits_seen({one.reaudit_id for one in refusals if one.reaudit_id}, reaudit_sources)
    rows = [
        _refusal_row(
            refusal,
            refusal.start,
            is_hidden,
            refusal.hand_pk,
            refusal.reaudit_id if refusal.reaudit_id in named else None,
        )
        for refusal in refusals
    ]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.line,))


def _raw_is_seen(upload_id: int, *, sources: Sources, account_id: int | None) -> bool:
    """Whether the raw lines of an upload may be seen: one's own, and those of one's sources."""
    if uploads_seen([upload_id], sources=sources, account_id=account_id):
        return True
    own = Upload.objects.filter(pk=upload_id, received_by_id=account_id)
    return account_id is not None and own.exists()


def _reaudits_seen(numbers: set[int], sources: Sources) -> set[int]:
    """Which of these re-audits may be named."""
    if sources is None or not numbers:
        return numbers
    found = Reaudit.objects.filter(within(sources), pk__in=numbers)
    return set(found.values_list("pk", flat=True))


def known_files(hashes: Iterable[bytes]) -> dict[bytes, int]:
    """The latest upload of each of these SHA-256 that has been received and did not fail."""
    found = Upload.objects.filter(sha256__in=list(hashes)).exclude(state=UploadState.FAILED)
    return {
        bytes(sha256): upload_id
        for upload_id, sha256 in found.order_by("id").values_list("id", "sha256")
        if sha256 is not None
    }


def _upload_row(upload: Upload) -> UploadRow:
    audited = (
        upload.clean_count
        + upload.consistent_count
        + upload.discrepant_count
        + upload.void_count
        + upload.rejected_count
        + upload.failed_count
    )
    return UploadRow(
        id=upload.pk,
        name=upload.name,
        received_by=upload.received_by.get_username() if upload.received_by else None,
        state=upload.state,
        state_title=upload.get_state_display(),
        error=upload.error,
        byte_count=upload.byte_count,
        sha256=upload.sha256.hex() if upload.sha256 else None,
        lines=upload.line_count,
        clean=upload.clean_count,
        consistent=upload.consistent_count,
        discrepant=upload.discrepant_count,
        void=upload.void_count,
        rejected=upload.rejected_count,
        failed=upload.failed_count,
        turned=upload.turned_count,
        new=upload.new_count,
        duplicates=upload.duplicate_count,
        conflicts=upload.conflict_count,
        restated=upload.restated_count,
        restatement=upload.restatement,
        feed=upload.feed,
        feed_facts=upload.feed_facts,
        created_at=upload.created_at,
        started_at=upload.started_at,
        finished_at=upload.finished_at,
        is_ended=upload.state in ENDS,
        audited=audited,
        percent=_percent(upload, audited),
        rate=_rate(upload, audited),
    )


def _percent(upload: Upload, audited: int) -> int | None:
    if upload.state == UploadState.RECEIVING:
        return None
    if upload.state in ENDS:
        return 100
    return audited * 100 // upload.line_count if upload.line_count else 0


def _rate(upload: Upload, audited: int) -> float | None:
    if upload.started_at is None or audited == 0:
        return None
    seconds = ((upload.finished_at or timezone.now()) - upload.started_at).total_seconds()
    return audited / seconds if seconds > 0 else None


def _refusal_row(
    refusal: Refusal,
    start: bytes | memoryview | None,
    is_hidden: bool,
    hand_pk: int | None,
    reaudit_id: int | None,
) -> RefusalRow:
    raw = None if start is None else unpacked_start(start, RAW_SHOWN + 1)
    return RefusalRow(
        id=refusal.pk,
        line=refusal.line,
        offset=refusal.offset,
        place=refusal.place,
        reason=refusal.reason,
        raw=None if raw is None else raw[:RAW_SHOWN].decode("utf-8", "backslashreplace"),
        is_raw_cut=raw is not None and len(raw) > RAW_SHOWN,
        is_hidden=is_hidden,
        sha256=refusal.sha256.hex() if refusal.sha256 else None,
        is_our_fault=refusal.is_our_fault,
        hand_pk=hand_pk,
        reaudit_id=reaudit_id,
    )
