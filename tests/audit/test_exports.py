"""Tables taken out as CSV: for spreadsheets, for programs, and when they are cut."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

import replay
from audit.selectors.exports import (
    FINDING_COLUMNS,
    REPORTS,
    TOTALS_COLUMNS,
    totals_rows,
)
from audit.selectors.exports_bulk import check_lines, write_lines
from audit.selectors.exports_sheet import (
    BOM,
    Plain,
    Sheet,
    SheetBroken,
    check_sheet,
    neutral,
    original,
    write_cell,
    write_sheet,
)
from audit.selectors.filters import HandFilters
from audit.selectors.totals import TotalsQuery
from tests.audit.chains import compare_all
from tests.audit.logs import GOLDEN, B, Ingest, W, changed, log, with_net

ODD = GOLDEN / "odd"
NOW = datetime(2025, 5, 2, 8, 0, tzinfo=UTC)
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "−")


def sheet_of(report: str, filters: HandFilters | None = None) -> bytes:
    wanted = REPORTS[report]
    rows = wanted.rows(filters or HandFilters(), None)
    sheet = Sheet(title=wanted.title, columns=wanted.columns, rows=rows, made_at=NOW)
    return b"".join(write_sheet(sheet, with_mark=False))


def raw_rows(data: bytes) -> list[list[str]]:
    """The rows of a table as any reader of CSV has them, without the lines about it."""
    lines = [line for line in data.decode().split("\r\n") if not line.startswith("#")]
    return list(csv.reader(lines))[1:-1] if lines[-1] else list(csv.reader(lines[:-1]))[1:]


def read(data: bytes) -> list[dict[str, str]]:
    """The rows with each text as it was, by column."""
    lines = [line for line in data.decode().split("\r\n") if line and not line.startswith("#")]
    return [{name: original(value) for name, value in row.items()} for row in csv.DictReader(lines)]


@given(st.text())
def test_a_text_comes_back_as_it_was(text: str) -> None:
    written = neutral(text)
    assert original(written) == text
    assert not written.startswith(DANGEROUS)
    (row,) = csv.reader(io.StringIO(write_cell(text), newline=""))
    assert [original(cell) for cell in row] == [text]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", " =1", "\u00a0=1", "＝1", "007", "1E5", "66 11",
     "2025-05-01", "1/2", "(5)", "$5", "MAR1", "Dec 4", "TRUE", "false", "'x", ".5", "9" * 20,
     "＋1", "﹣1", "﹢1", "﹫x", "⁺1", "⁻", "₌1", "\u200b=1", "\u202e\u2066=1", "\ufeff+1",
     "\u00ad@x", "\u2028=1", "\x07-1"],
)  # fmt: skip
def test_a_text_that_is_taken_for_more_gets_an_apostrophe(text: str) -> None:
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize(
    "text",
    ["Ann", "T1", "base-1", "陳大文", "", "abc ", "Marble", "x=1", "\u202eAnn", "\u200b", "אבג"],
)
def test_other_texts_stand_as_they_are(text: str) -> None:
    assert neutral(text) == text


@pytest.mark.timeout(10)
def test_a_long_text_that_is_nearly_a_number_is_looked_at_once() -> None:
    """By a pattern that tries each digit as the last one this takes minutes."""
    nearly = "$" + "1" * 100_000
    assert neutral(f"{nearly}x") == f"{nearly}x"
    assert neutral(nearly) == f"'{nearly}"


def test_svc_70_names_come_back_exactly_and_none_is_a_formula(ingest: Ingest) -> None:
    data = (ODD / "names-accepted.ndjson").read_bytes()
    ingest(data)
    names = {
        entry["player"] for line in data.splitlines() for entry in json.loads(line).get("seats", ())
    }
    table = sheet_of("figures")
    assert {row["player"] for row in read(table)} == names
    formulas = {name for name in names if name.strip().startswith(DANGEROUS)}
    assert formulas
    for row in csv.DictReader(
        line for line in table.decode().split("\r\n") if not line.startswith("#")
    ):
        assert not row["player"].startswith(DANGEROUS)
    # Numbers stay numbers: without quotes, with their sign.
    line = next(one for one in table.decode().split("\r\n") if '"Bo"' in one or ",-100.00," in one)
    assert ",-100.00,-100.00," in line
    assert '"-100.00"' not in table.decode()


def test_svc_71_ids_pairs_and_chinese_names_stay_text(ingest: Ingest) -> None:
    ids = (ODD / "hand-ids.ndjson").read_bytes()
    chinese = (ODD / "cjk-chunks.ndjson").read_bytes()
    ingest(ids)
    ingest(chinese, "cjk.ndjson")
    table = sheet_of("hands")
    wanted = [json.loads(line)["hand_id"] for line in (ids + chinese).splitlines() if line.strip()]
    assert sorted(row["hand_id"] for row in read(table)) == sorted(wanted)
    players = {row["player_0"] for row in read(table)} | {row["player_1"] for row in read(table)}
    assert any("\u4e00" <= name[0] <= "\u9fff" for name in players if name)
    for row in csv.DictReader(
        line for line in table.decode().split("\r\n") if not line.startswith("#")
    ):
        if original(row["hand_id"])[:1].isdigit():
            assert row["hand_id"].startswith("'")


def test_svc_71_the_mark_stands_in_front_and_nowhere_else() -> None:
    sheet = Sheet(title="陳", columns=("id",), rows=[("007",)], made_at=NOW)
    marked = b"".join(write_sheet(sheet, with_mark=True))
    plain = b"".join(write_sheet(sheet, with_mark=False))
    assert marked == BOM + plain
    for data in (marked, plain):
        found = check_sheet(io.BytesIO(data))
        assert (found.columns, found.rows) == (("id",), 1)
        assert found.about[0] == ("title", "陳")


def test_svc_06_no_digit_is_lost(ingest: Ingest) -> None:
    ingest((ODD / "hand-ids.ndjson").read_bytes())
    ids = [row["hand_id"] for row in read(sheet_of("hands"))]
    assert len(ids) == len(set(ids)) == 13
    for one in ("9007199254740993", "9007199254740992", "abc", "abc "):
        assert ids.count(one) == 1


def test_svc_18_findings_stand_logged_beside_expected(ingest: Ingest) -> None:
    ingest((ODD / "one-unit.ndjson").read_bytes())
    rows = read(sheet_of("findings"))
    assert len({row["hand_id"] for row in rows}) == 8
    net = [row for row in rows if row["code"] == "net-mismatch"]
    assert ("9.51", "9.50") in {(row["logged"], row["expected"]) for row in net}
    assert all(row["verdict"] == "discrepant" for row in rows)


def test_svc_19_zeros_have_rows(ingest: Ingest) -> None:
    data = (ODD / "zeros.ndjson").read_bytes()
    ingest(data)
    hands = [json.loads(line) for line in data.splitlines()]
    rows = read(sheet_of("figures"))
    for hand in hands:
        seats = [row["seat"] for row in rows if row["hand_id"] == hand["hand_id"]]
        assert seats == ["0", "1", "2", "3"]
    zeros = [row for row in rows if row["net_recomputed"] == "0.00"]
    assert zeros
    assert all(row["net_logged"] == "0.00" for row in zeros)


def test_svc_19_a_zero_is_written_with_its_decimals_however_it_was_logged(ingest: Ingest) -> None:
    hand = json.loads(B)
    spelt = {"9.50": "9.5", "-100.00": "-100", "38.00": "38", "0.00": "0"}
    for seat in hand["result"]["seats"]:
        for name in ("gross", "rake", "net", "valid_bet"):
            seat[name] = spelt.get(seat[name], seat[name])
    ingest(log(changed(B, result=hand["result"])))
    rows = read(sheet_of("figures"))
    assert [row["net_logged"] for row in rows] == ["9.50", "-100.00", "38.00", "47.50"]
    assert [row["rake_logged"] for row in rows] == [row["rake_recomputed"] for row in rows]
    assert rows[1]["rake_logged"] == "0.00"
    bets = json.loads(W)["result"]
    bets["bets"][0]["profit"] = "100"
    ingest(log(changed(W, result=bets)))
    paid = [row["net_logged"] for row in read(sheet_of("figures")) if row["bet"] == "b1"]
    assert paid == ["100.00"]


def test_svc_27_decimals_are_the_currencys(ingest: Ingest) -> None:
    ingest((ODD / "minor-digits.ndjson").read_bytes())
    rows = [row for row in read(sheet_of("figures")) if row["seat"] == "2"]
    assert {row["net_logged"] for row in rows} == {"236", "38.00", "0.236", "0.00000236"}
    assert {row["net_recomputed"] for row in rows} == {"236", "38.00", "0.236", "0.00000236"}
    totals = list(totals_rows(TotalsQuery(sources=None)))
    valid_bet = TOTALS_COLUMNS.index("valid_bet")
    currency = TOTALS_COLUMNS.index("currency")
    assert [(row[currency], row[valid_bet]) for row in totals] == [
        ("CNY", "200.00"), ("JPY", "1240"), ("KWD", "1.240"), ("XBT", "0.00001240"),
    ]  # fmt: skip


def test_wagers_and_players_have_rows(ingest: Ingest) -> None:
    ingest(log(W))
    result = json.loads(W)["result"]
    rows = read(sheet_of("figures"))
    assert [row["bet"] for row in rows if row["bet"]] == [one["bet"] for one in result["bets"]]
    assert {row["net_logged"] for row in rows if row["bet"]} == {
        one["profit"] for one in result["bets"]
    }
    assert any(row["player"] for row in rows)


def test_findings_against_the_hand_before_are_among_them(ingest: Ingest) -> None:
    round_ = {"id": "r1", "hand": 1}
    later = {"started_at": "2025-03-01T10:05:00+08:00", "ended_at": "2025-03-01T10:06:00+08:00"}
    ingest(log(changed(B, round=round_), changed(B, hand_id="next", **later)))
    compare_all()
    found = [row for row in read(sheet_of("findings")) if row["against_hand_before"] == "yes"]
    assert {row["code"] for row in found} >= {"round-incomplete"}
    (one,) = [row for row in found if row["code"] == "round-incomplete"]
    assert (one["hand_id"], one["subject"]) == ("next", "r1")


def test_filters_narrow_a_table_and_are_named(ingest: Ingest) -> None:
    ingest(log(B, changed(with_net(B, 1, "-99.00"), hand_id="wrong")))
    rows = read(sheet_of("hands", HandFilters(verdict="discrepant")))
    assert [row["hand_id"] for row in rows] == ["wrong"]
    sheet = Sheet(title="x", columns=("a",), rows=[], made_at=NOW, filters={"q": "=x\ny"})
    data = b"".join(write_sheet(sheet, with_mark=False))
    assert check_sheet(io.BytesIO(data)).about == (
        ("title", "x"), ("made at", "2025-05-02T08:00:00Z"), ("engine", replay.ENGINE),
        ("filter", "q", "'=x\\u000ay"), ("no activity",),
    )  # fmt: skip
    assert b"# no activity\r\n" in data


def test_pages_of_rows_lose_and_double_nothing(
    ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.selectors.exports.ROWS_AT_ONCE", 3)
    for count in (1, 3, 7):
        ingest(log(*(changed(B, hand_id=f"h-{number}") for number in range(count))))
        ids = [row["hand_id"] for row in read(sheet_of("hands"))]
        assert sorted(ids) == sorted(f"h-{number}" for number in range(count))


def whole(rows: int = 5) -> bytes:
    sheet = Sheet(
        title="x", columns=("a", "b"), rows=((n, f"row {n}") for n in range(rows)), made_at=NOW
    )
    return b"".join(write_sheet(sheet, with_mark=True))


def test_a_whole_table_is_told_by_its_end() -> None:
    found = check_sheet(io.BytesIO(whole()))
    body = whole().removeprefix(BOM)
    assert found.rows == 5
    assert found.sha256 == hashlib.sha256(body[: body.rindex(b"# end")]).hexdigest()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[: data.rindex(b"# end")], "was cut"),
        (lambda data: data[:-1], "was cut"),
        (lambda data: data[: len(data) // 2], "was cut"),
        (lambda _: b"", "was cut"),
        (lambda data: data.replace(b"row 3", b"row 4"), "was changed"),
        (lambda data: data.replace(b'3,"row 3"\r\n', b""), "was changed"),
        (lambda data: data.replace(b"rows,5", b"rows,6"), "has 5 rows"),
    ],
)
def test_svc_72_a_cut_or_changed_table_is_told(change: Any, words: str) -> None:
    with pytest.raises(SheetBroken, match=words):
        check_sheet(io.BytesIO(change(whole())))


# In ASCII, for the locale also says how a program on the command line is read.
SCRIPT = r"""
import sys, hashlib
from datetime import UTC, datetime
import django
django.setup()
from audit.selectors.exports_sheet import Sheet, Plain, write_sheet
rows = [("\u9673", Plain("-1000.50"), 1234567), ("\u00dcnal", Plain("0.236"), 0)]
made = datetime(2025, 5, 2, tzinfo=UTC)
sheet = Sheet(title="\u00c4", columns=("a", "b", "c"), rows=rows, made_at=made)
sys.stdout.write(hashlib.sha256(b"".join(write_sheet(sheet, with_mark=True))).hexdigest())
"""


def test_svc_75_the_locale_changes_no_byte() -> None:
    rows = [("陳", Plain("-1000.50"), 1234567), ("Ünal", Plain("0.236"), 0)]
    sheet = Sheet(title="Ä", columns=("a", "b", "c"), rows=rows,
                  made_at=datetime(2025, 5, 2, tzinfo=UTC))  # fmt: skip
    here = hashlib.sha256(b"".join(write_sheet(sheet, with_mark=True))).hexdigest()
    for locale in ("C", "de_DE.UTF-8"):
        env = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0",
               "DJANGO_SETTINGS_MODULE": "audit.config.settings"}  # fmt: skip
        told = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, check=True, timeout=60,
            cwd=Path(__file__).resolve().parents[2],
        )  # fmt: skip
        assert told.stdout.decode() == here


def test_columns_are_as_many_as_cells(ingest: Ingest) -> None:
    ingest(log(B, W, changed(with_net(B, 1, "-99.00"), hand_id="wrong")))
    for report in REPORTS.values():
        rows = list(report.rows(HandFilters(), None))
        assert {len(row) for row in rows} == {len(report.columns)}
    assert {len(row) for row in totals_rows(TotalsQuery(sources=None))} == {len(TOTALS_COLUMNS)}
    assert len(set(FINDING_COLUMNS)) == len(FINDING_COLUMNS)


def test_svc_72_lines_of_json_that_were_cut_or_changed_are_told(
    ingest: Ingest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest(log(B, W, changed(with_net(B, 1, "-99.00"), hand_id="wrong")))
    hands = REPORTS["hands"]
    sheet = Sheet(
        title="Hands", columns=hands.columns, rows=hands.rows(HandFilters(), None), made_at=NOW
    )
    lines = b"".join(write_lines(sheet)).splitlines(keepends=True)
    assert check_lines(lines) == 3
    empty = Sheet(title="Hands", columns=("hand_id",), rows=iter(()), made_at=NOW)
    assert check_lines(b"".join(write_lines(empty)).splitlines(keepends=True)) == 0
    path = tmp_path / "whole.ndjson"
    path.write_bytes(b"".join(lines))
    call_command("check_export", str(path))
    assert capsys.readouterr().out == f"{path}: whole, 3 rows\n"
    swapped = [lines[0], lines[2], lines[1], *lines[3:]]
    renamed = [line.replace(b'"Ann"', b'"Amn"') for line in lines]
    for broken in (lines[:-1], [*lines[:-1], lines[-1][:-1]], lines[1:], swapped, renamed, [],
                   [*lines[:2], lines[-1]], [*lines, lines[1]], [b"{}\n"]):  # fmt: skip
        with pytest.raises(SheetBroken):
            check_lines(broken)


def test_a_command_tells_whole_tables_from_cut_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "whole.csv").write_bytes(whole())
    (tmp_path / "cut.csv").write_bytes(whole()[:-100])
    call_command("check_export", str(tmp_path / "whole.csv"))
    assert capsys.readouterr().out == f"{tmp_path}/whole.csv: whole, 5 rows\n"
    with pytest.raises(CommandError, match="2 of 3 tables"):
        call_command(
            "check_export",
            *(str(tmp_path / name) for name in ("whole.csv", "cut.csv", "missing.csv")),
        )
