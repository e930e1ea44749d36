"""One report as files: JSON, CSV and PDF of the same content, and the signed note about them.

Each is a function of the document alone: what was kept can be written again to the byte.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from audit import pdf
from audit.selectors.certificates_content import canonical
from audit.selectors.exports_sheet import LINE_END, Cell, Plain, write_cell
from audit.selectors.reports_content import Body, Json, Level, Section, Shape, body_of

FORMAT = "report/1"
# A PDF prints so many rows of a section: each takes about 110 kB of memory while it is set.
PDF_ROWS_MAX = 1_000
NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """`pdf` is None where no PDF can be made, and `pdf_maker` empty."""

    json: bytes
    csv: bytes
    pdf: bytes | None
    pdf_maker: str


def write_files(document: Mapping[str, Any]) -> Files:
    """All files of a document of report/1. Raises: pdf.PdfRefused."""
    is_set = pdf.is_installed()
    return Files(
        json=(canonical(document) + "\n").encode(),
        csv=b"".join(write_csv(document)),
        pdf=write_pdf(document) if is_set else None,
        pdf_maker=pdf.maker() if is_set else "",
    )


def written_otherwise(document: Mapping[str, Any], kept: Files) -> list[str]:
    """Which files would be other bytes if they were written again from the JSON.

    A PDF is only compared where the same typst sets it. Raises: pdf.PdfRefused.
    """
    again = write_files(document)
    forms = ["json", "csv"]
    if kept.pdf is not None and kept.pdf_maker == again.pdf_maker:
        forms.append("pdf")
    return [form for form in forms if getattr(again, form) != getattr(kept, form)]


def sections_of(document: Mapping[str, Any]) -> tuple[Section, ...]:
    """The tables of a report and those of what changed, in their order."""
    body = body_of(document)
    return (*body.sections, *changes_of(document).sections)


def changes_of(document: Mapping[str, Any]) -> Body:
    """What changed since the edition before, as tables; none in a first edition."""
    changed = document["changes"]
    return body_of({"sections": changed["sections"], "reconciliation": [], "rulesets": {}})


def facts_of(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What stands above the tables, as title and value: the header of PA §811a.9(a)."""
    given, period = document["input"], document["period"]
    sealed = f"a log of {given['log_size']} leaves, root {given['log_root'][:16] or 'none'}"
    if given["waiting"]:
        sealed += f", {given['waiting']} rows not yet sealed"
    previous = document["previous"]
    return [
        ("Title", document["title"]),
        ("Report", f"no. {document['number']}, edition {document['edition']}"
         + ("" if previous is None else f" (after report {previous})")),
        ("Software", document["software"]),
        ("Definition", document["definition"]),
        ("Period", period["words"]),
        ("Made", f"by {document['made_by'] or 'the clock'}, {document['made_at']}"),
        ("Operator", document["operator"]),
        ("Filters", "; ".join(f"{name} {value}" for name, value in document["filters"]) or "none"),
        ("Times", "as logged where a hand was played, else UTC"),
        ("Made of", sealed),
        *([("Names erased", f"by {', '.join(erased)}; files and signature are of after that")]
          if (erased := document.get("erasures")) else ()),
    ]  # fmt: skip


def write_csv(document: Mapping[str, Any]) -> Iterator[bytes]:
    """One file with the head above and a table for each section, as `exports_sheet` writes."""
    out = io.StringIO()
    count = 0
    for name, value in facts_of(document):
        out.write(f"# {name.lower()},{write_cell(_one_line(value))}{LINE_END}")
    out.write(f"# page,1 of 1{LINE_END}")
    if document["no_activity"]:
        out.write(f"# no activity{LINE_END}")
    for section in sections_of(document):
        out.write(f"# section,{write_cell(section.title)}{LINE_END}")
        if section.about:
            out.write(f"# about,{write_cell(section.about)}{LINE_END}")
        titles = ("row", *(column.title for column in section.columns))
        out.write(",".join(map(write_cell, titles)) + LINE_END)
        for line in section.lines:
            cells = _cells(section, line.cells)
            out.write(",".join(map(write_cell, (line.level.value, *cells))) + LINE_END)
            count += 1
        if not section.lines:
            out.write(f"# no activity{LINE_END}")
        if section.more:
            out.write(f"# not listed,{section.more}{LINE_END}")
    for check in body_of(document).checks:
        told = ("equal" if check.holds else "not equal", check.title, check.left_title,
                check.left, check.right_title, check.right, check.difference)  # fmt: skip
        out.write("# reconciliation," + ",".join(map(write_cell, told)) + LINE_END)
    data = out.getvalue().encode()
    yield data
    yield f"# end,rows,{count},sha256:{hashlib.sha256(data).hexdigest()}{LINE_END}".encode()


def _one_line(text: str) -> str:
    """A line above a table stays one line."""
    return "".join(
        f"\\u{ord(one):04x}" if ord(one) < 32 or 127 <= ord(one) < 160 else one for one in text
    )


def _cells(section: Section, cells: Sequence[Cell]) -> Iterator[Cell]:
    for column, cell in zip(section.columns, cells, strict=True):
        is_plain = column.shape in (Shape.MONEY, Shape.TIME, Shape.COUNT)
        # The words of a total stand in the place of a time.
        is_number = is_plain and isinstance(cell, str) and cell[:1] in "-0123456789"
        yield Plain(cell) if is_number and isinstance(cell, str) else cell


def write_pdf(document: Mapping[str, Any]) -> bytes:
    """Raises: pdf.PdfRefused."""
    return pdf.make_pdf("report", pdf_data(document), made_at=_instant(document["made_at"]))


def pdf_data(document: Mapping[str, Any]) -> Json:
    """What the template prints: texts alone."""
    checks = body_of(document).checks
    return {
        "lang": "en",
        "title": document["title"],
        "operator": document["operator"],
        "period": document["period"]["words"],
        "number_words": f"Report {document['number']}, edition {document['edition']},"
        f" {document['definition']}",
        "made_at": document["made_at"],
        # The title and the days stand above them.
        "facts": [list(one) for one in facts_of(document) if one[0] not in ("Title", "Period")],
        "is_empty": document["no_activity"],
        "sections": [_pdf_section(section) for section in sections_of(document)],
        "checks": [
            {
                "title": one.title,
                "left_title": one.left_title,
                "left": grouped(one.left),
                "right_title": one.right_title,
                "right": grouped(one.right),
                "difference": grouped(one.difference),
                "holds": one.holds,
            }
            for one in checks
        ],
        "closing": f"The JSON of this report has the same content; the figures have the SHA-256"
        f" {document['body_sha256']}. A signed note names each file.",
    }


def _pdf_section(section: Section) -> Json:
    rows = [line for line in section.lines if line.level == Level.ROW]
    printed = set(map(id, rows[:PDF_ROWS_MAX]))
    left_out = len(rows) - len(printed) + section.more
    return {
        "title": section.title,
        "about": section.about,
        "columns": [
            {"title": one.title, "right": one.shape in (Shape.MONEY, Shape.COUNT)}
            for one in section.columns
        ],
        "rows": [
            {
                "level": line.level.value,
                "cells": [
                    _printed(cell, column.shape)
                    for cell, column in zip(line.cells, section.columns, strict=True)
                ],
            }
            for line in section.lines
            if line.level != Level.ROW or id(line) in printed
        ],
        "more": f"{left_out:,} more rows are in the sums and not printed"
        + ("." if section.more else "; the CSV and the JSON have them.")
        if left_out
        else "",
    }


def _printed(cell: Cell, shape: Shape) -> str | None:
    if cell is None:
        # A sum of what there is none of reads as its rows do.
        return NOTHING if shape == Shape.MONEY else None
    text = str(cell)
    if shape in (Shape.MONEY, Shape.COUNT):
        return grouped(text)
    # The words of a total may stand in the place of a time.
    is_time = shape == Shape.TIME and text[:1].isdecimal()
    return text[:19].replace("T", " ") + text[19:] if is_time else text


def grouped(text: str) -> str:
    """Set off the thousands of the number at the end of a text, and write a true minus."""
    head, blank, number = text.rpartition(" ")
    sign = "−" if number.startswith("-") else ""
    whole, point, rest = number.removeprefix("-").partition(".")
    if not (whole.isascii() and whole.isdecimal()):
        return text
    return f"{head}{blank}{sign}{int(whole):,}{point}{rest}"


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def write_note(document: Mapping[str, Any], files: Files) -> str:
    """The text that is signed: what the report is, and the SHA-256 of each of its files."""
    given, period = document["input"], document["period"]
    lines = [
        "tilecourt/report",
        f"number {document['number']}",
        f"definition {document['definition']}",
        f"edition {document['edition']}",
        f"days {period['first']} {period['last']} {period['basis']}",
        f"made {document['made_at']}",
        f"software {document['software']}",
        f"log {given['log_size']} {given['log_root'] or '-'}",
        f"figures {document['body_sha256']}",
        f"json {hashlib.sha256(files.json).hexdigest()} {len(files.json)}",
        f"csv {hashlib.sha256(files.csv).hexdigest()} {len(files.csv)}",
    ]
    if erased := document.get("erasures"):
        lines.append(f"erased {' '.join(erased)}")
    if files.pdf is not None:
        lines.append(f"pdf {hashlib.sha256(files.pdf).hexdigest()} {len(files.pdf)}")
    return "\n".join(lines) + "\n"
