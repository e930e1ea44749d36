"""The pages of reports: what templates print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

import replay
from audit import pdf
from audit.models import ReportBasis, ReportKind, ReportRunState
from audit.selectors.access import Access, Act
from audit.selectors.pages import Page
from audit.selectors.reports import FORMS, ReportDetail, ReportRow, ReportRunRow, Signature
from audit.selectors.reports_content import Check, Level, Section, Shape, body_of
from audit.selectors.reports_definitions import DEFINITIONS, Definition
from audit.services.reports_files import NOTHING, facts_of, grouped, sections_of
from audit.web.language import phrase
from audit.web.reports_told import report_words
from audit.web.reports_words import ABOUTS, BASES, STATES, TITLES, period_words

ROWS_SHOWN = 200
_LOOKS = {Shape.MONEY: "num", Shape.COUNT: "num", Shape.TIME: "time", Shape.TEXT: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: its words, the title of its column, and how it stands there ("num", "time")."""

    text: str
    title: str
    look: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row; `level` is row, subtotal or total."""

    level: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A section of a report as far as a page shows it; `more` rows are in the files alone."""

    key: str
    title: str
    about: str
    columns: tuple[Cell, ...]
    rows: tuple[TableRow, ...]
    more: int
    left_out: int


def present_list(
    page: Page[ReportRow], kind: str, runs: Sequence[ReportRunRow], access: Access
) -> dict[str, Any]:
    """The list with its kinds, and the runs that have given no report yet."""
    asked = {"kind": kind} if kind else {}

    def address(cursor: str | None) -> str | None:
        return None if cursor is None else "?" + urlencode({**asked, "cursor": cursor})

    kinds = [("", _("All"))]
    kinds += [(one.kind.value, TITLES[one.kind]) for one in _allowed(access)]
    return {
        "rows": [
            (row, TITLES[ReportKind(row.kind)], _period(row), narrowed_words(row))
            for row in page.rows
        ],
        "newer": address(page.previous_cursor),
        "older": address(page.next_cursor),
        "runs": [
            (run, TITLES[ReportKind(run.kind)], _period(run), STATES[ReportRunState(run.state)])
            for run in runs
        ],
        "kinds": [
            {
                "title": title,
                "url": "?" + urlencode({"kind": value}) if value else reverse("reports"),
                "is_current": value == kind,
            }
            for value, title in kinds
        ],
        "may_make": access.may(Act.MAKE_REPORTS),
    }


def _allowed(access: Access) -> list[Definition]:
    return [one for one in DEFINITIONS.values() if one.act is None or access.may(one.act)]


def narrowed_words(row: ReportRow) -> str:
    """What a report was narrowed by, in a few words."""
    told = [str(value) for key, value in row.asked.items() if isinstance(value, str)]
    if not told and row.sources is not None:
        told = list(row.sources)
    return ", ".join(told)


def present_form(
    definition: Definition | None,
    fields: Mapping[str, str],
    tables: Sequence[tuple[str, str]],
    access: Access,
    *,
    today: date,
) -> dict[str, Any]:
    """The kinds to choose from, and the form of the one that was chosen."""
    shown = dict(fields)
    if definition is not None:
        shown.setdefault("to", (today - timedelta(days=1)).isoformat())
        shown.setdefault("basis", ReportBasis.DAY.value)
        for name in ("large_win", "large_wager"):
            limits = getattr(settings, f"TILECOURT_{name.upper()}S")
            words = ", ".join(f"{currency}={amount}" for currency, amount in limits.items())
            shown.setdefault(name, words)
    return {
        "kinds": [
            {
                "title": TITLES[one.kind],
                "about": ABOUTS[one.kind],
                "url": "?" + urlencode({"kind": one.kind.value}),
            }
            for one in _allowed(access)
        ],
        "definition": definition,
        "title": "" if definition is None else TITLES[definition.kind],
        "about": "" if definition is None else ABOUTS[definition.kind],
        "fields": () if definition is None else definition.fields,
        "given": shown,
        "bases": [(one.value, words) for one, words in BASES.items()],
        "sources": sorted({source for source, _name in tables}),
        "tables": tables,
        "games": [(game.name, game.title) for game in replay.GAMES.values()],
    }


def present_report(detail: ReportDetail, *, may_make: bool) -> dict[str, Any]:
    """One version: what stands above the tables, the tables, the checks, the files."""
    document = detail.document
    return {
        "row": detail.row,
        "title": TITLES[ReportKind(detail.row.kind)],
        "period": _period(detail.row),
        "facts": [(report_words(name), value) for name, value in facts_of(document)[1:]],
        "is_empty": document["no_activity"],
        "tables": [_table(section) for section in sections_of(document)],
        "checks": [
            (_told_check(one), grouped(one.left), grouped(one.right), grouped(one.difference))
            for one in body_of(document).checks
        ],
        "rulesets": sorted(document["rulesets"].items()),
        "files": [
            (form.upper(), reverse("report-file", args=(detail.row.pk, form)), detail.sizes[form])
            for form in FORMS
            if form in detail.sizes
        ],
        "signature": detail.signature,
        "note": detail.note,
        "newest": detail.newest,
        "has_pdf": "pdf" in detail.sizes,
        "is_pdf_here": pdf.is_installed(),
        "may_make": may_make,
    }


def _told_check(check: Check) -> Check:
    """A reconciliation in the words of the page; its figures stand as they were made."""
    return replace(
        check,
        title=report_words(check.title),
        left_title=report_words(check.left_title),
        right_title=report_words(check.right_title),
    )


def _table(section: Section) -> Table:
    titles = {column.key: report_words(column.title) for column in section.columns}
    rows: list[TableRow] = []
    shown = left_out = 0
    for line in section.lines:
        shown += line.level == Level.ROW
        if line.level == Level.ROW and shown > ROWS_SHOWN:
            left_out += 1
            continue
        cells = []
        for column, cell in zip(section.columns, line.cells, strict=True):
            is_number = column.shape in (Shape.MONEY, Shape.COUNT)
            text = NOTHING if cell is None else str(cell)
            if cell is None and line.level != Level.ROW and column.shape != Shape.MONEY:
                text = ""
            is_hand = column.key in ("hand_id", "subject") and line.hand is not None
            cells.append(
                Cell(
                    text=grouped(text) if is_number else text,
                    title=titles[column.key],
                    look=_LOOKS[column.shape],
                    url=reverse("hand", args=(line.hand,)) if is_hand else "",
                )
            )
        rows.append(TableRow(level=line.level.value, cells=tuple(cells)))
    return Table(
        key=section.key,
        title=report_words(section.title),
        about=report_words(section.about),
        columns=tuple(
            Cell(text=titles[one.key], title=titles[one.key], look=_LOOKS[one.shape])
            for one in section.columns
        ),
        rows=tuple(rows),
        more=left_out,
        left_out=section.more,
    )


def present_editions(
    number: int, editions: Sequence[tuple[ReportRow, Signature]]
) -> dict[str, Any]:
    """Every version of one report, the newest first."""
    return {
        "number": number,
        "title": TITLES[ReportKind(editions[0][0].kind)],
        "period": _period(editions[0][0]),
        "editions": [
            (row, signature, row.changes.get("figures", 0), row.changes.get("causes", 0))
            for row, signature in reversed(editions)
        ],
    }


def present_run(run: ReportRunRow) -> dict[str, Any]:
    """One run as it stands now."""
    return {
        "run": run,
        "title": TITLES[ReportKind(run.kind)],
        "period": _period(run),
        "state": STATES[ReportRunState(run.state)],
        "words": _run_words(run),
        "poll_url": reverse("report-run-progress", args=(run.pk,)),
    }


def _period(row: ReportRow | ReportRunRow) -> str:
    return period_words(row.basis, row.first, row.last)


def _run_words(run: ReportRunRow) -> str:
    if run.state == ReportRunState.DONE:
        if run.is_same:
            return _("Nothing has changed: the report that was made before says the same.")
        return _("The report was made.")
    if run.state == ReportRunState.FAILED:
        return _("No report was made.")
    if not run.days:
        return _("The figures are being put together.")
    return phrase("{read} of {days} days read", read=run.read, days=run.days)
