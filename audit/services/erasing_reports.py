"""Reports that were made with a person's name in them: they stay, under the token.

The document has the token where a row or a parameter names the person, and says under which act.
Its files are written again from it, since they are functions of it alone, and a new note is signed.
What the files were before stands under the commitment of the report's leaf, which nobody can open
any more. A report made again of what is left has the same figures, so it is the same version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
Progress = Callable[[int, int], None]


def reports_naming(work: Erasing) -> list[int]:
    """The reports that would be others without the name, by number."""
    teller = _Teller(work=work, certificates=_certificates(work))
    return [pk for pk in _candidates(work) if teller.told(_document(pk)) is not None]


def erase_reports(work: Erasing, on_progress: Progress | None) -> None:
    """Write each report that names the person anew, one in a transaction."""
    keys, teller = _candidates(work), _Teller(work=work, certificates=_certificates(work))
    for place, pk in enumerate(keys, start=1):
        document = teller.told(_document(pk))
        if document is not None:
            with at_work(work):
                _rewrite(work, pk, document)
        if on_progress is not None:
            on_progress(place, len(keys))


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


def _certificates(work: Erasing) -> dict[int, str]:
    """What a report prints of the SHA-256 of each certificate that this act rewrote, by number."""
    rewritten = ErasedRow.objects.filter(erasure_id=work.act, kind=LeafKind.CERTIFICATE)
    found = Certificate.objects.filter(pk__in=rewritten.values("row"))
    return {pk: bytes(sha256).hex()[:_DIGITS] for pk, sha256 in found.values_list("pk", "sha256")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Teller:
    """Tells documents of reports without the name; `certificates` as `_certificates` gives them."""

    work: Erasing
    certificates: Mapping[int, str]

    def told(self, document: dict[str, Any]) -> dict[str, Any] | None:
        """The document without the name; None where it has to stay as it is."""
        work, changed = self.work, document["changes"]
        shapes = {one["title"]: one for one in document["sections"]}
        filters = document["filters"]
        if ["source", work.source] in filters:
            own = ["player", work.name]
            filters = [["player", work.token] if one == own else one for one in filters]
        told = document | {
            "sections": [self._section(one) for one in document["sections"]],
            "changes": changed
            | {"sections": [self._changes(one, shapes) for one in changed["sections"]]},
            "filters": filters,
        }
        return None if told == document else told

    def _section(self, section: dict[str, Any]) -> dict[str, Any]:
        keys = [column["key"] for column in section["columns"]]
        rows = [row | {"cells": self._cells(keys, row["cells"])} for row in section["rows"]]
        if section["key"] == "events" and rows != section["rows"]:
            rows = _in_order(keys, rows)
        return section | {"rows": rows}

    def _cells(self, keys: Sequence[str], cells: Cells) -> Cells:
        """The cells of one row, by the keys of their columns. A row of another source is of
        others."""
        work, row = self.work, dict(zip(keys, cells, strict=True))
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
            # Such as `12, edition 1`.
            number = row["certificate"].partition(",")[0]
            known = self.certificates.get(int(number)) if number.isdecimal() else None
            told["sha256"] = known or row["sha256"]
        return [told[key] for key in keys]

    def _changes(
        self, section: dict[str, Any], shapes: Mapping[str, dict[str, Any]]
    ) -> dict[str, Any]:
        """A table of what changed; rows of before and now stand in one cell each, with joints."""
        if section["key"] != "figures":
            return self._section(section)
        rows = []
        for row in section["rows"]:
            title, *sides = row["cells"]
            columns = shapes.get(title, {"columns": ()})["columns"]
            keys = [column["key"] for column in columns]
            rows.append(row | {"cells": [title, *(self._side(keys, one) for one in sides)]})
        return section | {"rows": rows}

    def _side(self, keys: Sequence[str], side: str | None) -> str | None:
        if side is None:
            return None
        parts = side.split(_JOINT)
        if len(parts) != len(keys):
            return self.work.words.told(side)
        told = self._cells(keys, [None if part == _NONE else part for part in parts])
        return _JOINT.join(_NONE if one is None else str(one) for one in told)


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
