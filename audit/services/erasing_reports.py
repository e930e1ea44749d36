"""Reports that were made with a person's name in them: they stay, under the token.

The document has the token where a row or a parameter names the person, and says under which act.
Its files are written again from it, since they are functions of it alone, and a new note is signed.
What the files were before stands under the commitment of the report's leaf, which nobody can open
any more. A report made again of what is left has the same figures, so it is the same version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db import connection
from django.db.models import Q

from audit.models import Certificate, ErasedRow, LeafKind, Report, ReportKind
from audit.selectors.reports_content import body_of
from audit.selectors.reports_happenings import TITLES
from audit.selectors.veiled_rows import OVER_NAMES
from audit.services.erasing_rows import Erasing, at_work, open_rows
from audit.services.reports_files import write_files
from audit.services.reports_keeping import SERIES_BYTES, series_of, sign_report
from replay.evidence import veiled_subject

# Events whose "player or account" is a player.
_OF_PLAYERS = frozenset({TITLES["large-win"], TITLES["large-wager"]})
# How many characters of a certificate's SHA-256 a report prints.
_DIGITS = 16
_JOINT = " | "
_NONE = "–"
Cells = list[Any]
Progress = Callable[[str, int, int], None]


def reports_naming(work: Erasing) -> list[int]:
    """The reports that would be others without the name, by number."""
    return [pk for pk in _candidates(work) if _told(work, _document(pk)) is not None]


def erase_reports(work: Erasing, on_progress: Progress | None) -> None:
    """Write each report that names the person anew, one in a transaction."""
    keys = _candidates(work)
    for place, pk in enumerate(keys, start=1):
        document = _told(work, _document(pk))
        if document is not None:
            with at_work(work):
                _rewrite(work, pk, document)
        if on_progress is not None:
            on_progress("reports", place, len(keys))


def _candidates(work: Erasing) -> list[int]:
    """Reports with the letters of the name, and those that print a hash of a certificate that had
    to be made over commitments."""
    spelt = json.dumps(work.name, ensure_ascii=False)[1:-1]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM audit_report WHERE position(%s::bytea in json) > 0", [spelt.encode()]
        )
        keys = {pk for (pk,) in cursor.fetchall()}
    rewritten = ErasedRow.objects.filter(erasure_id=work.act, kind=LeafKind.CERTIFICATE)
    days = Certificate.objects.filter(pk__in=rewritten.values("row")).values_list("day", flat=True)
    wanted = Q(pk__in=())
    for day in set(days):
        wanted |= Q(first__lte=day, last__gte=day)
    printed = Report.objects.filter(wanted, kind=ReportKind.COMPLETENESS)
    return sorted(keys | set(printed.values_list("pk", flat=True)))


def _document(pk: int) -> dict[str, Any]:
    (data,) = Report.objects.filter(pk=pk).values_list("json", flat=True)
    found: dict[str, Any] = json.loads(bytes(data))
    return found


def _told(work: Erasing, document: dict[str, Any]) -> dict[str, Any] | None:
    """The document without the name; None where it has to stay as it is."""
    sections = [_section_told(work, one) for one in document["sections"]]
    shapes = {one["title"]: one for one in document["sections"]}
    changed = document["changes"]
    changes = [_changes_told(work, one, shapes) for one in changed["sections"]]
    filters = document["filters"]
    if ["source", work.source] in filters:
        own = ["player", work.name]
        filters = [["player", work.token] if one == own else one for one in filters]
    told = document | {
        "sections": sections,
        "changes": changed | {"sections": changes},
        "filters": filters,
    }
    return None if told == document else told


def _section_told(work: Erasing, section: dict[str, Any]) -> dict[str, Any]:
    keys = [column["key"] for column in section["columns"]]
    rows = [row | {"cells": _cells_told(work, keys, row["cells"])} for row in section["rows"]]
    if section["key"] == "events" and rows != section["rows"]:
        rows = _in_order(keys, rows)
    return section | {"rows": rows}


def _cells_told(work: Erasing, keys: Sequence[str], cells: Cells) -> Cells:
    """The cells of one row, by the keys of their columns. A row of another source is of others."""
    row = dict(zip(keys, cells, strict=True))
    if row.get("source") not in (None, "", work.source):
        return cells
    told = dict(row)
    if row.get("event") in _OF_PLAYERS and row.get("by") == work.name:
        told["by"] = work.token
    if "where" in row and "finding" in row:
        told["where"] = veiled_subject(row["finding"] or "", row["where"], work.names)
    if isinstance(row.get("detail"), str):
        told["detail"] = work.words.told(row["detail"])
    if isinstance(row.get("certificate"), str) and row.get("sha256"):
        told["sha256"] = _certificate_sha256(work, row["certificate"]) or row["sha256"]
    return [told[key] for key in keys]


def _certificate_sha256(work: Erasing, certificate: str) -> str | None:
    """What stands for a certificate that this act rewrote, such as `12, edition 1`."""
    number = certificate.partition(",")[0]
    if not number.isdecimal():
        return None
    rewritten = ErasedRow.objects.filter(erasure_id=work.act, kind=LeafKind.CERTIFICATE)
    found = Certificate.objects.filter(pk=int(number), pk__in=rewritten.values("row"))
    sha256 = found.values_list("sha256", flat=True).first()
    return None if sha256 is None else bytes(sha256).hex()[:_DIGITS]


def _in_order(keys: Sequence[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events of one time, kind and subject stand by the names in them: they are put in order anew,
    as the report made again has them."""
    at, event, subject, by = (keys.index(key) for key in ("at", "event", "subject", "by"))

    def alike(row: dict[str, Any]) -> tuple[Any, ...]:
        cells = row["cells"]
        return cells[at], cells[event], cells[subject]

    found: list[dict[str, Any]] = []
    for _, group in groupby(rows, key=alike):
        found += sorted(group, key=lambda row: row["cells"][by] or "")
    return found


def _changes_told(
    work: Erasing, section: dict[str, Any], shapes: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """A table of what changed; rows of before and now stand in one cell each, with joints."""
    if section["key"] != "figures":
        return _section_told(work, section)
    rows = []
    for row in section["rows"]:
        title, *sides = row["cells"]
        columns = shapes.get(title, {"columns": ()})["columns"]
        keys = [column["key"] for column in columns]
        rows.append(row | {"cells": [title, *(_side_told(work, keys, one) for one in sides)]})
    return section | {"rows": rows}


def _side_told(work: Erasing, keys: Sequence[str], side: str | None) -> str | None:
    if side is None:
        return None
    parts = side.split(_JOINT)
    if len(parts) != len(keys):
        return work.words.told(side)
    cells = [None if part == _NONE else part for part in parts]
    told = _cells_told(work, keys, cells)
    return _JOINT.join(_NONE if one is None else str(one) for one in told)


def _rewrite(work: Erasing, pk: int, document: dict[str, Any]) -> None:
    report = Report.objects.defer("json", "csv", "pdf", "note").get(pk=pk)
    document["erasures"] = [*document.get("erasures", ()), f"E-{work.act}"]
    figures = body_of(document).sha256()
    document["body_sha256"] = figures.hex()
    files = write_files(document)
    parameters, series = report.parameters, bytes(report.series)
    if (parameters.get("source"), parameters.get("player")) == (work.source, work.name):
        parameters = parameters | {"player": work.token}
        if len(series) != SERIES_BYTES:
            # It was a hash over the name, and so the leaf is over the name.
            series = series_of(_first_edition(report))
            work.put_on_record(LeafKind.REPORT, {pk: OVER_NAMES})
    open_rows(work, LeafKind.REPORT, [pk])
    Report.objects.filter(pk=pk).update(
        parameters=parameters,
        series=series,
        body_sha256=figures,
        json=files.json,
        csv=files.csv,
        pdf=files.pdf,
        pdf_maker=files.pdf_maker,
        note=sign_report(document, files),
    )


def _first_edition(report: Report) -> int:
    number, previous = report.pk, report.previous_id
    while previous is not None:
        number = previous
        previous = Report.objects.values_list("previous", flat=True).get(pk=number)
    return number
