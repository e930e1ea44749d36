"""Sources: what each has sent, and of those that send a feed what their records lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from audit.models import FeedDrift, HandVersion, PartialRecord, Upload, Verdict
from audit.selectors.access import NOWHERE, Sources
from audit.selectors.belonging import holds, uploads_seen
from audit.selectors.filters import CHOICES_MAX
from audit.selectors.pages import NotFound
from audit.zstd import unpacked

COUNTED_MAX = 10_000
# Gaps are counted over so many records, the latest ones: a page of theirs is no report.
RECORDS_MAX = 5_000
DRIFT_SHOWN = 200


class SourceNotFound(NotFound):
    """No hand of this source is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One source. `hands` are counted to COUNTED_MAX; `feed` is empty where it sends hand logs.

    `first_day` and `last_day` are days in the clock of the log; `drift` are the unknown fields.
    """

    name: str
    feed: str
    hands: int
    tables: int
    first_day: date | None
    last_day: date | None
    drift: int

    @property
    def is_more(self) -> bool:
        """Whether there are more hands than were counted."""
        return self.hands >= COUNTED_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """A field that its importer does not know, where it was seen first, and in how many records.

    An upload that may not be seen has no number and no name; `example` is None where raw values
    may not be seen.
    """

    feed: str
    field: str
    count: int
    first_seen_at: datetime
    upload_id: int | None
    upload_name: str
    line: int
    example: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRecord:
    """A record of a feed with what it takes to read it; `ruleset` is the one it was judged by."""

    feed: str
    raw: bytes
    facts: Mapping[str, Any]
    ruleset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDetail:
    """A source with its drift, its gaps and its latest record.

    `gaps` has the number of hands, of the latest `records` (at most RECORDS_MAX), that each gap
    affects, by its name.
    """

    row: SourceRow
    drift: tuple[DriftRow, ...]
    gaps: Mapping[str, int]
    records: int
    latest: FeedRecord | None


# Each source by hopping from one to the next in the index, or one look for each of a few names;
# then its figures within bounds.
_ALL = """
WITH RECURSIVE known AS (
    (SELECT source AS name FROM audit_identity ORDER BY source LIMIT 1)
    UNION ALL
    SELECT (SELECT source FROM audit_identity WHERE source > known.name ORDER BY source LIMIT 1)
    FROM known WHERE known.name IS NOT NULL
)
"""
_FEW = """
WITH known AS (
    SELECT name FROM unnest(%(names)s::text[]) name
    WHERE EXISTS (SELECT FROM audit_identity i WHERE i.source = name COLLATE "C")
    ORDER BY name COLLATE "C"
)
"""
_SOURCES = """
SELECT
    known.name,
    coalesce((SELECT feed FROM audit_partialrecord p WHERE p.source = known.name
        ORDER BY version_id DESC LIMIT 1), ''),
    (SELECT count(*) FROM (
        SELECT FROM audit_hand h WHERE h.source = known.name LIMIT %(most)s) counted),
    span.tables, span.first_day, span.last_day,
    (SELECT count(*) FROM audit_feeddrift d WHERE d.source = known.name)
FROM known
CROSS JOIN LATERAL (
    SELECT count(*) AS tables, min(early.day) AS first_day, max(late.day) AS last_day
    FROM (SELECT name FROM audit_table t WHERE t.source = known.name LIMIT %(tables)s) t
    CROSS JOIN LATERAL (
        SELECT played_on AS day FROM audit_hand h
        WHERE h.source = known.name AND h."table" = t.name ORDER BY played_at LIMIT 1
    ) early
    CROSS JOIN LATERAL (
        SELECT played_on AS day FROM audit_hand h
        WHERE h.source = known.name AND h."table" = t.name ORDER BY played_at DESC LIMIT 1
    ) late
) span
WHERE known.name IS NOT NULL
LIMIT %(limit)s
"""

_GAPS = """
SELECT gap, count(*)
FROM (
    SELECT p.gaps FROM audit_partialrecord p
    JOIN audit_hand h ON h.id = p.hand_id AND h.version_id = p.version_id
    WHERE p.source = %s ORDER BY p.version_id DESC LIMIT %s
) latest, unnest(latest.gaps) gap
GROUP BY gap
"""

_RECORDS = """
SELECT count(*) FROM (
    SELECT FROM audit_partialrecord p
    JOIN audit_hand h ON h.id = p.hand_id AND h.version_id = p.version_id
    WHERE p.source = %s LIMIT %s
) counted
"""


def list_sources(*, sources: Sources) -> tuple[SourceRow, ...]:
    """Every one of these sources with stored hands, by its name; CHOICES_MAX at most."""
    return _rows(None if sources is None else sorted(sources))


def source_detail(name: str, *, sources: Sources, raw_sources: Sources = NOWHERE) -> SourceDetail:
    """One source; raw values are shown of `raw_sources`. Raises: SourceNotFound."""
    # A name that no hand can have must not reach the database.
    is_name = "\0" not in name and 1 <= len(name) <= 128
    rows = _rows([name]) if is_name and holds(sources, name) else ()
    if not rows:
        raise SourceNotFound("There is no source of this name.")
    with connection.cursor() as cursor:
        cursor.execute(_GAPS, [name, RECORDS_MAX])
        gaps = dict(cursor.fetchall())
        cursor.execute(_RECORDS, [name, RECORDS_MAX])
        (records,) = cursor.fetchone()
    drift = FeedDrift.objects.filter(source=name).select_related("upload").order_by("-id")
    shown = list(drift[:DRIFT_SHOWN])
    seen = uploads_seen([one.upload_id for one in shown], sources=sources)
    return SourceDetail(
        row=rows[0],
        drift=tuple(
            DriftRow(
                feed=one.feed,
                field=one.field,
                count=one.count,
                first_seen_at=one.first_seen_at,
                upload_id=one.upload_id if one.upload_id in seen else None,
                upload_name=one.upload.name if one.upload_id in seen else "",
                line=one.line,
                example=one.example if holds(raw_sources, name) else None,
            )
            for one in shown
        ),
        gaps=gaps,
        records=records,
        latest=_latest(name),
    )


def feed_record(*, upload_id: int, raw: bytes, ruleset: str) -> FeedRecord | None:
    """A record that an upload brought, to be read; None where the upload is a hand log."""
    found = Upload.objects.filter(pk=upload_id).values_list("feed", "feed_facts").first()
    if found is None or not found[0]:
        return None
    return FeedRecord(feed=found[0], raw=raw, facts=found[1], ruleset=ruleset)


def _rows(names: list[str] | None) -> tuple[SourceRow, ...]:
    """The sources of these names, or all."""
    asked: dict[str, Any] = {"most": COUNTED_MAX, "tables": CHOICES_MAX, "limit": CHOICES_MAX}
    if names is not None:
        asked["names"] = names
    with connection.cursor() as cursor:
        cursor.execute((_ALL if names is None else _FEW) + _SOURCES, asked)
        return tuple(
            SourceRow(
                name=row[0], feed=row[1], hands=row[2], tables=row[3], first_day=row[4],
                last_day=row[5], drift=row[6],
            )
            for row in cursor.fetchall()
        )  # fmt: skip


def _latest(name: str) -> FeedRecord | None:
    last = PartialRecord.objects.filter(source=name).order_by("-version_id").first()
    if last is None:
        return None
    version = HandVersion.objects.filter(pk=last.version_id).first()
    if version is None:
        return None
    verdicts = Verdict.objects.filter(version_id=version.pk).order_by("-id")
    ruleset = verdicts.values_list("ruleset", flat=True).first()
    if ruleset is None:
        return None
    return feed_record(upload_id=version.upload_id, raw=unpacked(version.raw), ruleset=ruleset)
