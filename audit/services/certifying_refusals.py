"""Finding out at which table, and when, a refused line was played: only what it says itself counts.

FORMAT 6.2, 18 says when a value of a refused line may be believed: the line is a JSON object
without repeated keys, and the value itself is well-formed. A line counts for a table only when
source, table and time all are; every other stays with its upload as one whose table is not known.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

import replay
from audit.models import Refusal, SortedRefusal, SortedUpload, Table, Upload
from audit.services.believing import believed_fields, is_name
from audit.services.outcomes import day_of, instant_of
from audit.zstd import unpacked

LINES_AT_ONCE = 1_000
# The first half of the advisory lock that one upload is sorted under.
_LOCK = 0x5EA7


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a refused line says of itself; `hand_id` is empty where it names none."""

    source: str
    table: str
    hand_id: str
    started_at: str


def place_of(line: bytes) -> Place | None:
    """Where a refused line was played, None where it does not say so without doubt."""
    value = believed_fields(line)
    source, table, started_at = value.get("source"), value.get("table"), value.get("started_at")
    if not (is_name(source) and is_name(table) and isinstance(started_at, str)):
        return None
    try:
        replay.parse_time(started_at)
    except ValueError:
        return None
    hand_id = value.get("hand_id")
    return Place(
        source=source,
        table=table,
        hand_id=hand_id if is_name(hand_id) else "",
        started_at=started_at,
    )


def sort_refusals(*, seconds: float) -> bool:
    """Look through the refused lines of uploads that have ended, one upload after the other.

    Safe to run twice and at once. Returns: whether some are left after so many seconds.
    """
    end = time.monotonic() + seconds
    for upload_id in list(_unsorted()):
        if time.monotonic() >= end:
            return True
        with transaction.atomic():
            _sort(upload_id)
    return False


def is_unsorted() -> bool:
    """Whether refused lines wait to be looked through."""
    return _unsorted().exists()


def _unsorted() -> QuerySet[Upload, int]:
    """The uploads that were never looked through, or have other refused lines since."""
    refused = F("rejected_count") + F("failed_count")
    found = (
        Upload.objects.filter(finished_at__isnull=False)
        .annotate(refused=refused, looked_at=F("sorted__known_count") + F("sorted__unknown_count"))
        .filter(~Q(refused=F("looked_at")) | Q(refused__gt=0, looked_at__isnull=True))
    )
    return found.order_by("pk").values_list("pk", flat=True)


def _sort(upload_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK << 48 | upload_id])
        (is_mine,) = cursor.fetchone()
    if not is_mine:
        return
    upload = Upload.objects.get(pk=upload_id)
    SortedRefusal.objects.filter(upload_id=upload_id).delete()
    known, after = 0, 0
    while True:
        refusals = list(
            Refusal.objects.filter(upload_id=upload_id, line__gt=after)
            .order_by("line")
            .values_list("line", "raw")[:LINES_AT_ONCE]
        )
        if not refusals:
            break
        after = refusals[-1][0]
        rows = [
            _row(upload_id, line, place)
            for line, raw in refusals
            if raw is not None and (place := place_of(unpacked(raw))) is not None
        ]
        SortedRefusal.objects.bulk_create(rows)
        Table.objects.bulk_create(
            (Table(source=source, name=name) for source, name in _tables(rows)),
            ignore_conflicts=True,
        )
        known += len(rows)
    # A refused line that a later engine could read is kept, but counts as refused no more.
    lines = upload.rejected_count + upload.failed_count
    known = min(known, lines)
    SortedUpload.objects.update_or_create(
        upload_id=upload_id, defaults={"known_count": known, "unknown_count": lines - known}
    )


def _tables(rows: list[SortedRefusal]) -> list[tuple[str, str]]:
    return sorted({(row.source, row.table) for row in rows})


def _row(upload_id: int, line: int, place: Place) -> SortedRefusal:
    return SortedRefusal(
        upload_id=upload_id,
        line=line,
        source=place.source,
        table=place.table,
        hand_id=place.hand_id,
        played_at=instant_of(place.started_at),
        played_on=day_of(place.started_at),
        started_at=place.started_at,
    )
