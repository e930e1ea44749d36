"""What people and programs wrote in which a person may be named: where it is, and how it is told.

A text of the source, or of no source at all, has the token for the name then, wherever the name
stands as a whole word. Texts of other sources are of somebody else. What holds the letters of the
name as a part of a longer word is left, and counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from audit.models import LeafKind, Reaudit, SavedFilter
from audit.services.erasing_rows import Erasing, open_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Columns of a table with texts of one sort, by the words that they are counted by.

    `within` is what is true of the rows `t` of the source. `kinds` are the leaves that rows have.
    `summed` is a column that has the SHA-256 of the last of the columns, `most` how many characters
    fit into the first. `page` and `number` say where a row is shown: the name of an address and the
    number in it.
    """

    label: str
    table: str
    columns: tuple[str, ...]
    within: str = "true"
    kinds: tuple[LeafKind, ...] = ()
    summed: str = ""
    most: int | None = None
    page: str = ""
    number: str = "t.id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A row in which the person is named: what it is called, and where it is shown."""

    label: str
    row: int
    page: str
    number: int


_OF_CASE = "t.case_id IN (SELECT id FROM audit_case WHERE source = %(source)s)"
_OF_HOLD = "EXISTS (SELECT FROM audit_legalhold l WHERE l.id = t.hold_id AND l.source = %(source)s)"
_OF_HAND = "EXISTS (SELECT FROM audit_hand h WHERE h.id = t.hand_id AND h.source = %(source)s)"
_OF_BULK = (
    "EXISTS (SELECT FROM audit_caseact a JOIN audit_case c ON c.id = a.case_id"
    " WHERE a.bulk_id = t.id AND c.source = %(source)s)"
)
# A file of no source had no line that could be believed of any.
_OF_UPLOAD = (
    "(NOT EXISTS (SELECT FROM audit_uploadsource s WHERE s.upload_id = t.id)"
    " OR EXISTS (SELECT FROM audit_uploadsource s"
    " WHERE s.upload_id = t.id AND s.source = %(source)s))"
)
_OWN = "t.source = %(source)s"
_OWN_OR_NONE = f"(t.source IS NULL OR {_OWN})"

PLACES = (
    Place(label="act at the desk", table="audit_caseact", columns=("text",), within=_OF_CASE,
          kinds=(LeafKind.CASE_ACT,), page="case", number="t.case_id"),
    Place(label="claim", table="audit_claim", columns=("text",), within=_OWN,
          kinds=(LeafKind.CLAIM,), page="claim"),
    Place(label="bulk act", table="audit_bulkact", columns=("reason",), within=_OF_BULK,
          kinds=(LeafKind.BULK_ACT,), page="bulk"),
    Place(label="remedy", table="audit_remedy", columns=("reason",), within=_OF_CASE,
          page="remedy"),
    Place(label="decision about names", table="audit_namedecision", columns=("reason",),
          within=_OWN, kinds=(LeafKind.NAME_DECISION,)),
    Place(label="link to a hand", table="audit_sharelink", columns=("reason",), within=_OF_HAND,
          page="hand-links", number="t.hand_id"),
    Place(label="legal hold", table="audit_legalhold", columns=("reason",), within=_OWN,
          kinds=(LeafKind.LEGAL_HOLD,), page="retention"),
    Place(label="end of a legal hold", table="audit_holdend", columns=("reason",), within=_OF_HOLD,
          kinds=(LeafKind.HOLD_END,), page="retention"),
    Place(label="term of keeping", table="audit_retentionterm", columns=("reason",),
          within=_OWN_OR_NONE, kinds=(LeafKind.RETENTION_TERM,), page="retention"),
    Place(label="retention run", table="audit_retentionrun", columns=("reason", "certificate"),
          within=_OWN_OR_NONE, kinds=(LeafKind.RETENTION_RUN,), summed="sha256",
          page="retention-run"),
    Place(label="erasure", table="audit_erasure", columns=("reason", "ground"), within=_OWN,
          kinds=(LeafKind.ERASURE,), page="retention"),
    Place(label="re-audit", table="audit_reaudit", columns=("reason", "filter_text", "error"),
          within="(t.filter ->> 'source' IS NULL OR t.filter ->> 'source' IN ('', %(source)s))",
          page="reaudit"),
    Place(label="fault of a re-audit", table="audit_reauditfault", columns=("reason",),
          page="reaudit", number="t.reaudit_id"),
    Place(label="part of a re-audit", table="audit_reauditbatch", columns=("error",),
          page="reaudit", number="t.reaudit_id"),
    Place(label="upload", table="audit_upload", columns=("name", "restatement"), within=_OF_UPLOAD,
          kinds=(LeafKind.UPLOAD,), most=255, page="upload"),
    Place(label="error of an upload", table="audit_upload", columns=("error",), page="upload"),
    Place(label="part of an upload", table="audit_chunk", columns=("error",), page="upload",
          number="t.upload_id"),
    Place(label="ruleset", table="audit_rulesetrevision",
          columns=("reason", "publish_reason", "unrehearsed_reason", "close_reason"),
          kinds=(LeafKind.RULESET, LeafKind.RULESET_PUBLICATION), page="rulesets"),
    Place(label="word on the rules in force", table="audit_rulesetswitch", columns=("reason",),
          within=_OWN, kinds=(LeafKind.RULESET_SWITCH,), page="rulesets-in-force"),
    Place(label="review", table="audit_review", columns=("note",), kinds=(LeafKind.REVIEW,),
          page="log-reviews"),
    Place(label="incident", table="audit_incident", columns=("place", "detail"),
          kinds=(LeafKind.INCIDENT,), page="evidence"),
    Place(label="accepted software", table="audit_acceptedsoftware", columns=("reason",),
          kinds=(LeafKind.SOFTWARE,), page="evidence"),
    Place(label="run of a report", table="audit_reportrun", columns=("error",),
          page="report-run"),
    Place(label="answer to a webhook", table="audit_webhookattempt", columns=("error", "answer"),
          page="webhook",
          number="(SELECT d.webhook_id FROM audit_webhookdelivery d WHERE d.id = t.delivery_id)"),
)  # fmt: skip
# Only these rows of a table have the leaf.
_SEALED_ONLY = {
    LeafKind.RULESET_PUBLICATION: "publication IS NOT NULL",
    LeafKind.UPLOAD: "sha256 IS NOT NULL",
}


def mentions(work: Erasing) -> list[Mention]:
    """Every text that will have the token for the name, by what it is and its number."""
    found = [
        Mention(label=place.label, row=row, page=place.page, number=number)
        for place in PLACES
        for row, number, texts in _rows(work, place)
        if _told(work, texts) != texts
    ]
    found += [
        Mention(label="saved filter", row=one.pk, page="hands", number=0)
        for one in _filters(work)
        if _filter_told(work, one) != (one.name, one.query)
    ]
    found += [
        Mention(label="re-audit", row=row, page="reaudit", number=row)
        for row, asked in _asked(work)
        if work.words.told_query(work.source, asked) != asked
    ]
    return found


def erase_free_texts(work: Erasing) -> None:
    """Put the token for the name into every such text; counts those that are left."""
    for place in PLACES:
        _erase(work, place)
    _erase_filters(work)
    for row, asked in _asked(work):
        told = work.words.told_query(work.source, asked)
        if told != asked:
            Reaudit.objects.filter(pk=row).update(filter=told)
            work.counts["filter of a re-audit"] += 1


def _rows(work: Erasing, place: Place) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Key, number and texts of each row that has the letters of the name in one of them."""
    columns = ", ".join(f"t.{name}" for name in place.columns)
    has = " OR ".join(f"position(s.spelt in t.{name}) > 0" for name in place.columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT t.id, {place.number}, {columns} FROM {place.table} t"  # noqa: S608 - constants
            f" WHERE EXISTS (SELECT FROM unnest(%(spellings)s::text[]) s (spelt) WHERE {has})"
            f" AND {place.within} ORDER BY t.id",
            {"spellings": list(work.words.spellings), "source": work.source},
        )
        rows = cursor.fetchall()
    for row, number, *texts in rows:
        yield row, number, tuple(texts)


def _told(work: Erasing, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(work.words.told(text) for text in texts)


def _erase(work: Erasing, place: Place) -> None:
    told: dict[int, tuple[str, ...]] = {}
    for row, _, texts in _rows(work, place):
        found = _told(work, texts)
        if found != texts:
            told[row] = (found[0][: place.most], *found[1:])
        work.left[place.label] += any(work.words.stand_in(text) for text in found)
    if not told:
        return
    for kind in place.kinds:
        open_rows(work, kind, _sealed_only(kind, place, list(told)))
    columns = [*place.columns, *([place.summed] if place.summed else [])]
    sets = ", ".join(f"{name} = %s" for name in columns)
    with connection.cursor() as cursor:
        for row, found in told.items():
            sums = [hashlib.sha256(found[-1].encode()).digest()] if place.summed else []
            cursor.execute(
                f"UPDATE {place.table} SET {sets} WHERE id = %s",  # noqa: S608 - from constants
                [*found, *sums, row],
            )
    if not place.kinds:
        work.counts[place.label] += len(told)


def _sealed_only(kind: LeafKind, place: Place, rows: list[int]) -> list[int]:
    if kind not in _SEALED_ONLY:
        return rows
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM {place.table} WHERE id = ANY(%s)"  # noqa: S608 - from constants
            f" AND {_SEALED_ONLY[kind]}",
            [rows],
        )
        return [row for (row,) in cursor.fetchall()]


# -- lists that were asked for --------------------------------------------------------------


def _asked(work: Erasing) -> Iterator[tuple[int, dict[str, Any]]]:
    """Re-audits with what they were narrowed to, as far as it has the letters of the name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.id FROM audit_reaudit t"
            " WHERE EXISTS (SELECT FROM unnest(%s::text[]) s (spelt)"
            " WHERE position(s.spelt in t.filter::text) > 0) ORDER BY t.id",
            [list(work.words.spellings)],
        )
        keys = [key for (key,) in cursor.fetchall()]
    rows = Reaudit.objects.filter(pk__in=keys).order_by("pk").values_list("pk", "filter")
    for row, asked in rows:
        if isinstance(asked, Mapping):
            yield row, dict(asked)


def _filters(work: Erasing) -> Iterator[SavedFilter]:
    for one in SavedFilter.objects.order_by("pk").iterator():
        if work.words.stand_in(one.name) or work.words.stand_in(one.query):
            yield one


def _filter_told(work: Erasing, one: SavedFilter) -> tuple[str, str]:
    query = work.words.told_address(work.source, one.query)
    name = work.words.told(one.name)
    if name != one.name:
        # Names of one account's filters are told apart, and are no longer than this.
        name = f"{name[:40]} {one.pk}"
    return name, query


def _erase_filters(work: Erasing) -> None:
    for one in _filters(work):
        name, query = _filter_told(work, one)
        if (name, query) != (one.name, one.query):
            SavedFilter.objects.filter(pk=one.pk).update(name=name, query=query)
            work.counts["saved filter"] += 1
