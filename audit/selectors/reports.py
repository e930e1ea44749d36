"""Reports for lists and pages: what was made, what is being made, and whether signatures fit.

Who may not see every source sees the reports that are kept to sources of his, and no other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from audit.models import Report, ReportKind, ReportRun, ReportRunState
from audit.selectors.access import Access, Act
from audit.selectors.pages import (
    KEY_MAX,
    BadQuery,
    NotFound,
    Page,
    check_limit,
    make_page,
    read_cursor,
)
from audit.selectors.reports_definitions import DEFINITIONS, Definition
from audit.selectors.seal_keys import SealKeyMissing, read_keys
from replay import say
from replay.evidence import NoteError, open_note

FORMS = ("pdf", "csv", "json", "note")
RUNS_SHOWN = 10
FAILED_SHOWN = timedelta(days=3)


class ReportNotFound(NotFound):
    """No report has this number, or it has no such file; or it is not for these eyes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One version. `asked` is what it was narrowed by, `changes` how many rows of what changed are
    in it by section, `newest` whether no later edition was made."""

    pk: int
    kind: str
    title: str
    basis: str
    first: date
    last: date
    asked: Mapping[str, Any]
    sources: tuple[str, ...] | None
    edition: int
    previous: int | None
    definition: str
    software: str
    made_by: str
    made_at: datetime
    is_empty: bool
    rows: int
    changes: Mapping[str, int]
    figures: str
    has_pdf: bool
    pdf_maker: str
    newest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Whether the note was signed by a key of ours and names exactly the files that are kept.

    `problem` is empty where it fits, else a sentence; `key` is the name of the key.
    """

    key: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDetail:
    """A version whole: its document of report/1, the signed note, the bytes of each file."""

    row: ReportRow
    document: dict[str, Any]
    note: str
    sizes: Mapping[str, int]
    signature: Signature
    newest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRunRow:
    """How far the making of a report is; `percent` is 0 to 100. `is_same` where it gave a version
    that was there before."""

    pk: int
    kind: str
    basis: str
    first: date
    last: date
    asked_by: str
    state: str
    error: str
    days: int
    read: int
    percent: int
    report: int | None
    is_same: bool

    @property
    def is_open(self) -> bool:
        return self.state in (ReportRunState.QUEUED, ReportRunState.RUNNING)


def visible(access: Access, act: Act = Act.SEE_REPORTS) -> Q:
    """The reports and runs of the sources in which the account may do the act."""
    wanted = Q(pk__in=())
    for definition in DEFINITIONS.values():
        if definition.act is not None and not access.may(definition.act):
            continue
        wanted |= Q(kind=definition.kind.value) & _within(access, act, definition)
    return wanted


def _within(access: Access, act: Act, definition: Definition) -> Q:
    acts = (act,) if definition.act is None else (act, definition.act)
    wanted = Q()
    for one in acts:
        allowed = access.sources(one)
        if allowed is not None:
            wanted &= Q(sources__isnull=False, sources__contained_by=sorted(allowed))
    return wanted


def list_reports(
    access: Access, *, kind: str = "", cursor: str | None = None, limit: int = 25
) -> Page[ReportRow]:
    """Versions by number, the latest first. Raises: BadQuery."""
    if kind and kind not in ReportKind.values:
        raise BadQuery(
            say("The filter “kind” is none of {join}.", join=", ".join(ReportKind.values))
        )
    limit = check_limit(limit)
    at = read_cursor(cursor, 1)
    is_back = at is not None and at.is_back
    found = _light(Report.objects.filter(visible(access)))
    if kind:
        found = found.filter(kind=kind)
    if at is not None:
        found = found.filter(**{"pk__gt" if is_back else "pk__lt": at.key[0]})
    found = found.order_by("pk" if is_back else "-pk")
    rows = [_row(one) for one in found[: limit + 1]]
    return make_page(rows, cursor=at, limit=limit, key=lambda row: (row.pk,))


def _light(found: QuerySet[Report]) -> QuerySet[Report]:
    """Without the files, with what a row says of its maker and of later editions."""
    return found.select_related("made_by", "following").defer(
        "json", "csv", "pdf", "note", "following__json", "following__csv", "following__pdf",
        "following__note",
    )  # fmt: skip


def get_report(number: int, access: Access) -> ReportDetail:
    """A version whole. Raises: ReportNotFound."""
    report = _found(number, access)
    data = bytes(report.json)
    sizes = {"json": len(data), "csv": len(report.csv), "note": len(report.note.encode())}
    if report.pdf is not None:
        sizes["pdf"] = len(report.pdf)
    newest = Report.objects.filter(series=report.series).latest("edition").pk
    return ReportDetail(
        row=_row(report),
        document=json.loads(data),
        note=report.note,
        sizes=sizes,
        signature=check_signature(report),
        newest=newest,
    )


def get_file(number: int, form: str, access: Access) -> bytes:
    """The exact bytes of a file of a version: pdf, csv, json or note. Raises: ReportNotFound."""
    report = _found(number, access)
    if form == "note":
        return report.note.encode()
    data = getattr(report, form) if form in FORMS else None
    if data is None:
        raise ReportNotFound(f"Report {number} has no such file.")
    return bytes(data)


def _found(number: int, access: Access, act: Act = Act.SEE_REPORTS) -> Report:
    found = Report.objects.filter(visible(access, act)).select_related("made_by", "following")
    report = found.filter(pk=number).first() if number <= KEY_MAX else None
    if report is None:
        raise ReportNotFound(f"There is no report {number}.")
    return report


def editions_of(number: int, access: Access) -> tuple[tuple[ReportRow, Signature], ...]:
    """Every version of what this one says, the first first, and whether each is as it was signed.

    Raises: ReportNotFound.
    """
    report = _found(number, access)
    editions = Report.objects.filter(series=report.series).select_related("made_by", "following")
    return tuple((_row(one), check_signature(one)) for one in editions.order_by("edition"))


def asked_of(number: int, access: Access) -> Report:
    """A version that the account may have made again: its kind, days and parameters.

    Raises: ReportNotFound.
    """
    return _found(number, access, Act.MAKE_REPORTS)


def check_signature(report: Report) -> Signature:
    """Read the note by the keys that are known here, and its files by what it says of them."""
    try:
        keys = read_keys()
    except SealKeyMissing as error:
        return Signature(key="", problem=str(error))
    try:
        text, key = open_note(report.note, *(() if keys is None else keys.public))
    except NoteError as error:
        return Signature(key="", problem=f"The signature does not fit: {error}.")
    said = {words[0]: words[1:] for words in map(str.split, text.splitlines()) if len(words) > 1}
    for form in ("json", "csv", "pdf"):
        data = getattr(report, form)
        found = None if data is None else [_sha256(data), str(len(data))]
        if said.get(form) != found:
            return Signature(key=key.name, problem=f"The {form.upper()} is not the one signed.")
    if said.get("number") != [str(report.pk)]:
        return Signature(key=key.name, problem="The note is that of another report.")
    return Signature(key=key.name, problem="")


def _sha256(data: Any) -> str:
    return hashlib.sha256(bytes(data)).hexdigest()


def _row(report: Report) -> ReportRow:
    return ReportRow(
        pk=report.pk,
        kind=report.kind,
        title=report.title,
        basis=report.basis,
        first=report.first,
        last=report.last,
        asked=report.parameters,
        sources=None if report.sources is None else tuple(report.sources),
        edition=report.edition,
        previous=report.previous_id,
        definition=report.definition,
        software=report.software,
        made_by="" if report.made_by is None else report.made_by.get_username(),
        made_at=report.made_at,
        is_empty=report.is_empty,
        rows=report.row_count,
        changes=report.changes,
        figures=bytes(report.body_sha256).hex(),
        has_pdf=bool(report.pdf_maker),
        pdf_maker=report.pdf_maker,
        newest=not hasattr(report, "following"),
    )


def get_run(number: int, access: Access) -> ReportRunRow:
    """Raises: ReportNotFound."""
    found = ReportRun.objects.filter(visible(access)).select_related("asked_by", "report")
    run = found.filter(pk=number).first() if number <= KEY_MAX else None
    if run is None:
        raise ReportNotFound(f"There is no run {number}.")
    return _run_row(run)


def open_runs(access: Access) -> tuple[ReportRunRow, ...]:
    """The latest runs that have given no report yet; one that failed is told of for some days."""
    found = ReportRun.objects.filter(visible(access)).exclude(state=ReportRunState.DONE)
    found = found.exclude(
        state=ReportRunState.FAILED, finished_at__lt=timezone.now() - FAILED_SHOWN
    )
    ordered = found.select_related("asked_by", "report").order_by("-pk")
    return tuple(_run_row(run) for run in ordered[:RUNS_SHOWN])


def _run_row(run: ReportRun) -> ReportRunRow:
    is_done = run.state == ReportRunState.DONE
    percent = min(99, run.read_count * 100 // run.days_count) if run.days_count else 0
    is_same = run.report is not None and run.report.runs.filter(pk__lt=run.pk).exists()
    return ReportRunRow(
        pk=run.pk,
        kind=run.kind,
        basis=run.basis,
        first=run.first,
        last=run.last,
        asked_by="" if run.asked_by is None else run.asked_by.get_username(),
        state=run.state,
        error=run.error,
        days=run.days_count,
        read=run.read_count,
        percent=100 if is_done else percent,
        report=run.report_id,
        is_same=is_same,
    )
