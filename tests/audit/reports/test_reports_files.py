"""The files of a report: the ten items of its head, the same content in each, and its signature."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from audit import pdf
from audit.models import AcceptedSoftware, Report, SoftwareCheck
from audit.selectors.exports_sheet import check_sheet, original
from audit.selectors.reports import check_signature
from audit.selectors.seal_keys import read_keys
from audit.services.reports_files import write_files, written_otherwise
from replay.evidence import NoteError, PublicKey, open_note
from tests.audit.logs import GOLDEN, B, Ingest, W, changed, log, void, with_net
from tests.audit.reports.conftest import Make, document_of, rows_of
from tests.pdf_text import pages_of

NAMES = (GOLDEN / "odd" / "names-accepted.ndjson").read_bytes()
SECTIONS = {
    "game-performance": ["By gaming day", "Hands", "Money", "Funds at the tables"],
    "significant-events": ["By kind", "Events"],
    "discrepancies": ["By primary finding", "Hands"],
    "completeness": ["By state", "Table-days"],
}


@pytest.fixture
def operator(settings: Any) -> None:
    settings.TILECOURT_OPERATOR = "Room #1 *of* $many$"


def head_of_csv(report: Report) -> dict[str, str]:
    rows = csv.reader(io.StringIO(bytes(report.csv).decode()))
    about = [row for row in rows if row[0].startswith("# ")]
    return {row[0].removeprefix("# "): original(row[1]) for row in about if len(row) == 2}


@pytest.mark.parametrize("kind", SECTIONS)
def test_the_ten_items_of_a_head_in_each_form(
    kind: str, ingest: Ingest, make: Make, operator: None
) -> None:
    wrong = with_net(changed(B, hand_id="d-1"), 1, "-99.00")
    ingest(log(B, W, void(B, hand_id="v-1"), wrong))
    report = make(kind, source="odd")
    document, head, pages = document_of(report), head_of_csv(report), pages_of(bytes(report.pdf))
    shown = " ".join(pages)
    title, period = document["title"], "One day, 2025-03-01"
    made_at = document["made_at"]
    # 1 title, 2 versions of software and report, 3 period, 4 time made, 9 operator, 7 filters
    assert (head["title"], head["definition"]) == (title, f"{kind}/1")
    assert head["software"] == document["software"] == "engine 1.0.0"
    assert (head["period"], document["period"]["words"]) == (period, period)
    assert head["made"] == f"by ines.castro, {made_at}"
    assert head["operator"] == document["operator"] == "Room #1 *of* $many$"
    assert (head["filters"], document["filters"]) == ("source odd", [["source", "odd"]])
    for item in (title, f"{kind}/1", "engine 1.0.0", period, made_at, "Room #1 *of* $many$",
                 "source odd"):  # fmt: skip
        assert item in shown, item
    # 5 page x of y
    assert [f"Page {number + 1} of {len(pages)}" in page for number, page in enumerate(pages)] == [
        True
    ] * len(pages)
    assert head["page"] == "1 of 1"
    # 6 totals, 8 titles of rows and columns
    assert [section["title"] for section in document["sections"]] == SECTIONS[kind]
    for section in document["sections"]:
        assert section["title"] in shown
        levels = {row["level"] for row in section["rows"]}
        assert not section["rows"] or kind == "significant-events" or "total" in levels
        for column in section["columns"]:
            assert column["title"] in shown
    # 10 reconciliation
    assert "Reconciliation" in shown
    assert {check["holds"] for check in document["reconciliation"]} == {True}
    assert bytes(report.csv).count(b"# reconciliation,") == len(document["reconciliation"])


@pytest.mark.parametrize(
    ("kind", "asked", "filters"),
    [
        ("player-statement", {"source": "odd", "player": "Ann"}, "source odd; player Ann"),
        ("access-review", {}, "none"),
    ],
)
def test_a_statement_and_a_review_have_the_same_head(
    kind: str, asked: dict[str, str], filters: str, ingest: Ingest, make: Make, operator: None
) -> None:
    """And each head names the manifest of what is installed, once somebody has looked."""
    ingest(log(B))
    accepted = AcceptedSoftware.objects.create(reason="x", engine="1", items={}, sha256=b"1")
    SoftwareCheck.objects.create(
        accepted=accepted, occasion="daily", process="worker", engine="1", is_good=True,
        sha256=bytes(range(32)), differences={},
    )  # fmt: skip
    report = make(kind, **asked)
    document, head, pages = document_of(report), head_of_csv(report), pages_of(bytes(report.pdf))
    software = "engine 1.0.0, manifest 0001020304050607"
    assert head == head | {
        "title": document["title"],
        "definition": f"{kind}/{document['definition'].rpartition('/')[2]}",
        "software": software,
        "period": "One day, 2025-03-01",
        "made": f"by ines.castro, {document['made_at']}",
        "operator": "Room #1 *of* $many$",
        "filters": filters,
        "page": "1 of 1",
    }
    shown = " ".join(pages)
    filled = [one for one in document["sections"] if one["rows"]]
    assert filled
    titles = [column["title"] for one in filled for column in one["columns"]]
    told = (document["title"], document["definition"], software, document["made_at"])
    for item in (*told, "One day, 2025-03-01", "Room #1 *of* $many$", *titles, "Reconciliation"):
        assert item in shown, item
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
    assert "total" in {row["level"] for one in document["sections"] for row in one["rows"]}


@pytest.mark.parametrize("kind", SECTIONS)
def test_an_empty_period_says_so_in_each_form(kind: str, ingest: Ingest, make: Make) -> None:
    ingest(log(B))
    report = make(kind, to="2024-01-01")
    assert (report.is_empty, report.row_count) == (True, 0)
    assert document_of(report)["no_activity"] is True
    assert b"\r\n# no activity\r\n" in bytes(report.csv)
    assert "No Activity" in pages_of(bytes(report.pdf))[0]
    assert check_sheet(bytes(report.csv).splitlines(keepends=True)).rows == 0


def test_the_same_content_in_csv_and_json(ingest: Ingest, make: Make) -> None:
    ingest(log(B, W))
    ingest(NAMES)
    report = make("significant-events", large_win="CNY=1", large_wager="CNY=1")
    lines = bytes(report.csv).decode().split("\r\n")
    start = next(place for place, line in enumerate(lines) if line.startswith('# section,"Events"'))
    read = csv.reader(line for line in lines[start:] if line.startswith(('"row"', '"total"')))
    written = [row[1:] for row in read][1:]
    events = document_of(report)["sections"][1]
    assert [[original(cell) for cell in row] for row in written] == [
        ["" if cell is None else str(cell) for cell in row["cells"]] for row in events["rows"]
    ]
    # The title row and each row of both sections, as its end says.
    found = check_sheet(bytes(report.csv).splitlines(keepends=True))
    assert found.rows == sum(len(one["rows"]) for one in document_of(report)["sections"])


def test_svc_70_formulas_are_texts_and_names_come_back(ingest: Ingest, make: Make) -> None:
    ingest(NAMES)
    report = make("significant-events", large_win="", large_wager="CNY=1")
    names = {row["by"] for row in rows_of(report, "events")}
    written = {
        cell
        for row in csv.reader(io.StringIO(bytes(report.csv).decode()))
        for cell in row
        if not row[0].startswith("#")
    }
    formulas = {name for name in names if name[:1] in "=+-@"}
    assert formulas == {"@SUM(A1)", "+1", "-x", "=cmd|' /C calc'!A0"}
    assert formulas & written == set()
    assert names <= {original(cell) for cell in written}


def test_svc_64_markup_in_names_is_text_in_a_pdf(ingest: Ingest, make: Make) -> None:
    nasty = ["#panic()", "*bold* $x$ `raw`", '"]); #image("x")', "\u202egnp.exe", "<b>&amp;</b> \\"]
    for number, name in enumerate(nasty):
        seats = json.loads(B)["seats"]
        seats[0]["player"] = name
        ingest(log(changed(B, hand_id=f"n-{number}", seats=seats)))
    report = make("significant-events", large_win="CNY=9", large_wager="")
    shown = " ".join(pages_of(bytes(report.pdf)))
    for name in (*nasty[:3], nasty[4]):
        assert name in shown
    # The mark turns its own cell around and nothing beside it.
    assert "n-3" in shown
    assert "exe.png" in shown.replace(" ", "")


def test_files_are_a_function_of_the_document(ingest: Ingest, make: Make) -> None:
    ingest(log(B))
    report = make("game-performance")
    again = write_files(document_of(report))
    assert (again.json, again.csv) == (bytes(report.json), bytes(report.csv))
    assert (again.pdf, again.pdf_maker) == (bytes(report.pdf), pdf.maker())
    assert written_otherwise(document_of(report), again) == []
    other = replace(again, csv=again.csv + b" ", pdf=b"")
    assert written_otherwise(document_of(report), other) == ["csv", "pdf"]
    assert written_otherwise(document_of(report), replace(other, pdf_maker="x")) == ["csv"]


def test_the_signature_is_checked_with_the_public_key_alone(ingest: Ingest, make: Make) -> None:
    ingest(log(B))
    report = make("game-performance")
    keys = read_keys()
    assert keys is not None
    # As somebody elsewhere would: the key's text, the note, the files.
    key = PublicKey.parse(str(keys.public[0]))
    text, _ = open_note(report.note, key)
    assert f"number {report.pk}\n" in text
    assert check_signature(report).problem == ""
    with pytest.raises(NoteError):
        open_note(report.note.replace("edition 1", "edition 2"), key)
    for form in ("json", "csv", "pdf"):
        kept = bytes(getattr(report, form))
        setattr(report, form, kept[:-1] + bytes([kept[-1] ^ 1]))
        assert check_signature(report).problem == f"The {form.upper()} is not the one signed."
        setattr(report, form, kept)


def test_without_typst_a_report_is_made_without_a_pdf(
    ingest: Ingest, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "typst", None)
    ingest(log(B))
    report = make("game-performance")
    assert (report.pdf, report.pdf_maker) == (None, "")
    assert check_signature(report).problem == ""
    with pytest.raises(pdf.PdfRefused):
        pdf.make_pdf("report", {}, made_at=report.made_at)
