"""Certificates for lists and pages, whether they still hold, and the runs that make them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan

import replay
from audit.models import Certificate, CertificateRun, RunState
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.certificates_census import facts_digests
from audit.selectors.certificates_content import draw_up
from audit.selectors.certificates_days import current_rules
from audit.selectors.filters import HandFilters
from audit.selectors.pages import (
    KEY_MAX,
    BadQuery,
    NotFound,
    Page,
    check_limit,
    make_page,
    read_cursor,
)

RUNS_SHOWN = 5
# A day with more hands takes too long to be drawn up again for a page.
HANDS_COMPARED_MAX = 5_000


class CertificateNotFound(NotFound):
    """No certificate has this number."""


class RunNotFound(NotFound):
    """No run has this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFilters:
    """What was asked for; empty or None where nothing was. Both days are included.

    `state` is complete, incomplete or empty. Unless `has_all`, only the newest certificate of each
    table and day is listed.
    """

    source: str = ""
    table: str = ""
    day_from: date | None = None
    day_to: date | None = None
    state: str = ""
    has_all: bool = False

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> CertificateFilters:
        """Read `source table from to state all`. Raises: BadQuery."""
        named = HandFilters.parse(
            {key: query[key] for key in ("source", "table", "from", "to") if key in query}
        )
        state, every = query.get("state", ""), query.get("all", "")
        if state not in ("", "complete", "incomplete"):
            raise BadQuery(replay.say("The filter “state” is none of complete, incomplete."))
        if every not in ("", "1"):
            raise BadQuery(replay.say("The filter “all” is none of 1."))
        return cls(
            source=named.source,
            table=named.table,
            day_from=named.day_from,
            day_to=named.day_to,
            state=state,
            has_all=every == "1",
        )

    def condition(self) -> Q:
        """The same for the database, but for `has_all`."""
        wanted = Q()
        for column, value in (("source", self.source), ("table", self.table)):
            if value:
                wanted &= Q(**{column: value})
        if self.day_from is not None:
            wanted &= Q(day__gte=self.day_from)
        if self.day_to is not None:
            wanted &= Q(day__lte=self.day_to)
        if self.state:
            wanted &= Q(is_complete=self.state == "complete")
        return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRow:
    """One certificate. `standing`: it `holds`, is `outdated` by later facts or another day rule,
    or was `replaced` by a newer edition."""

    pk: int
    source: str
    table: str
    day: date
    edition: int
    made_at: datetime
    made_by: str
    engine: str
    is_complete: bool
    hands: int
    missing: int
    refused: int
    sha256: str
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateDetail:
    """A certificate whole. `changes` are where it differs from what would be certified now, each
    with the value then and now; None where the day is too large to be drawn up for a page.
    `newest` is the number of the newest edition."""

    row: CertificateRow
    content: dict[str, Any]
    text: str
    changes: tuple[replay.Difference, ...] | None
    newest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run and how far it is; `percent` is 0 to 100. `certificate` is its only one's number."""

    pk: int
    day: date
    source: str
    table: str
    made_by: str
    state: str
    state_title: str
    tables: int
    looked: int
    made: int
    same: int
    empty: int
    created_at: datetime
    finished_at: datetime | None
    percent: int
    certificate: int | None

    @property
    def is_open(self) -> bool:
        return self.state in (RunState.QUEUED, RunState.RUNNING)


def list_certificates(
    filters: CertificateFilters, *, sources: Sources, cursor: str | None = None, limit: int = 25
) -> Page[CertificateRow]:
    """Certificates by day, the latest first. A walk over pages tells of those that there were when
    it began: one that takes the place of another stands before the reader, who would hear of
    neither. Raises: BadQuery."""
    limit = check_limit(limit)
    at = read_cursor(cursor, 3)
    is_back = at is not None and at.is_back
    last = at.key[2] if at is not None else _last(sources)
    found = _wanted(filters, last).filter(in_sources(sources))
    if at is not None:
        compare = TupleGreaterThan if is_back else TupleLessThan
        found = found.filter(compare(("day", "id"), (_day(at.key[0]), at.key[1])))
    found = found.order_by(*(("day", "id") if is_back else ("-day", "-id")))
    rows = _rows(found.select_related("made_by").defer("content")[: limit + 1])
    return make_page(
        rows, cursor=at, limit=limit, key=lambda row: (row.day.toordinal(), row.pk, last)
    )


def _last(sources: Sources) -> int:
    known = Certificate.objects.filter(in_sources(sources))
    return known.order_by("-id").values_list("id", flat=True).first() or 0


def get_certificate(pk: int, *, sources: Sources) -> CertificateDetail:
    """A certificate, set against what would be certified now. Raises: CertificateNotFound."""
    certificate = None
    if pk <= KEY_MAX:
        found = Certificate.objects.select_related("made_by")
        certificate = found.filter(in_sources(sources), pk=pk).first()
    if certificate is None:
        raise CertificateNotFound(f"There is no certificate {pk}.")
    (row,) = _rows([certificate])
    changes = None if row.hands > HANDS_COMPARED_MAX else _changes(certificate)
    newest = _editions(row.source, row.table, row.day).latest("edition").pk
    standing = row.standing
    if changes is not None and newest == row.pk:
        standing = "outdated" if changes else "holds"
    return CertificateDetail(
        row=_with_standing(certificate, standing),
        content=json.loads(certificate.content),
        text=certificate.content,
        changes=changes,
        newest=newest,
    )


def _changes(certificate: Certificate) -> tuple[replay.Difference, ...]:
    source, table = certificate.source, certificate.table
    now = draw_up(source, table, certificate.day, current_rules().of(source, table))
    if now.sha256 == bytes(certificate.sha256):
        return ()
    return replay.differences([certificate.content.encode(), now.text.encode()])


def get_run(pk: int, *, sources: Sources) -> RunRow:
    """A run for one of these sources; one for all is seen by whoever sees all.

    Raises: RunNotFound.
    """
    run = None
    if pk <= KEY_MAX:
        found = CertificateRun.objects.select_related("made_by")
        run = found.filter(in_sources(sources), pk=pk).first()
    if run is None:
        raise RunNotFound(f"There is no run {pk}.")
    return _run_row(run)


def open_runs(*, sources: Sources) -> tuple[RunRow, ...]:
    """The latest runs that have not ended, and those that were stopped."""
    found = CertificateRun.objects.select_related("made_by").exclude(state=RunState.DONE)
    found = found.filter(in_sources(sources))
    return tuple(_run_row(run) for run in found.order_by("-id")[:RUNS_SHOWN])


def _wanted(filters: CertificateFilters, last: int) -> QuerySet[Certificate]:
    """Those up to the one with the key `last`."""
    known = Certificate.objects.filter(id__lte=last)
    found = known.filter(filters.condition())
    if filters.has_all:
        return found
    later = known.filter(
        source=OuterRef("source"),
        table=OuterRef("table"),
        day=OuterRef("day"),
        edition__gt=OuterRef("edition"),
    )
    return found.filter(~Exists(later))


def _editions(source: str, table: str, day: date) -> QuerySet[Certificate]:
    return Certificate.objects.filter(source=source, table=table, day=day)


def _rows(certificates: QuerySet[Certificate] | list[Certificate]) -> list[CertificateRow]:
    """Rows with their standing, as far as it can be told without drawing each up again."""
    listed = list(certificates)
    rules = current_rules()
    digests = facts_digests(
        [(one.source, one.table, rules.of(one.source, one.table), one.day) for one in listed]
    )
    newest = _newest(listed)
    rows = []
    for one, digest in zip(listed, digests, strict=True):
        holds = bytes(one.facts) == digest and one.engine == replay.ENGINE
        standing = "holds" if holds else "outdated"
        if newest[one.source, one.table, one.day] != one.edition:
            standing = "replaced"
        rows.append(_with_standing(one, standing))
    return rows


def _newest(listed: list[Certificate]) -> dict[tuple[str, str, date], int]:
    """The newest edition of each table and day that is listed."""
    found = (
        Certificate.objects.filter(
            source__in={one.source for one in listed},
            table__in={one.table for one in listed},
            day__in={one.day for one in listed},
        )
        .order_by("source", "table", "day", "-edition")
        .distinct("source", "table", "day")
    )
    return {
        (source, table, day): edition
        for source, table, day, edition in found.values_list("source", "table", "day", "edition")
    }


def _with_standing(one: Certificate, standing: str) -> CertificateRow:
    return CertificateRow(
        pk=one.pk,
        source=one.source,
        table=one.table,
        day=one.day,
        edition=one.edition,
        made_at=one.made_at,
        made_by=one.made_by.get_username(),
        engine=one.engine,
        is_complete=one.is_complete,
        hands=one.hand_count,
        missing=one.missing_count,
        refused=one.refused_count,
        sha256=bytes(one.sha256).hex(),
        standing=standing,
    )


def _day(ordinal: int) -> date:
    try:
        return date.fromordinal(ordinal)
    except (ValueError, OverflowError):
        raise BadQuery(
            replay.say("The page cannot be found: its mark in the address is damaged.")
        ) from None


def _run_row(run: CertificateRun) -> RunRow:
    is_one = bool(run.table) and run.state == RunState.DONE
    certificate = None
    if is_one:
        newest = _editions(run.source, run.table, run.day).order_by("-edition")
        certificate = newest.values_list("pk", flat=True).first()
    percent = 100 if run.state == RunState.DONE else 0
    if run.table_count and run.state != RunState.DONE:
        percent = min(99, run.looked_count * 100 // run.table_count)
    return RunRow(
        pk=run.pk,
        day=run.day,
        source=run.source,
        table=run.table,
        made_by=run.made_by.get_username(),
        state=run.state,
        state_title=run.get_state_display(),
        tables=run.table_count,
        looked=run.looked_count,
        made=run.made_count,
        same=run.same_count,
        empty=run.empty_count,
        created_at=run.created_at,
        finished_at=run.finished_at,
        percent=percent,
        certificate=certificate,
    )
