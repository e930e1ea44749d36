"""Tables taken out as lines of JSON and as Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from pyarrow import parquet

from audit.selectors.exports_bulk import ROWS_A_GROUP, write_lines, write_parquet
from audit.selectors.exports_sheet import Plain, Sheet, original
from tests.golden_vectors import GOLDEN

ODD = GOLDEN / "odd"
NAMES = ("hands", "figures", "findings", "totals")


@pytest.fixture
def filled(stored):
    """Store hands of every game, with faults, with odd names and ids, and with odd currencies."""
    for name in ("base-hands", "one-unit", "names-accepted", "hand-ids", "minor-digits"):
        stored(*(ODD / f"{name}.ndjson").read_bytes().splitlines())


def body(answer):
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def of_lines(data):
    lines = data.splitlines(keepends=True)
    about, *rows, end = [json.loads(line) for line in lines]
    assert end["end"] == {
        "rows": len(rows),
        "sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest(),
    }
    return about["about"], rows


def of_parquet(data):
    return parquet.read_table(io.BytesIO(data))


def of_csv(data):
    lines = [line for line in data.decode().split("\r\n") if line and not line.startswith("#")]
    return list(csv.DictReader(lines))


def text(value):
    """A value as the CSV has it."""
    if value is None:
        return ""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", NAMES)
def test_all_three_forms_say_the_same(ask, filled, name):
    table = of_csv(body(ask(f"/api/v1/exports/{name}.csv")))
    about, rows = of_lines(body(ask(f"/api/v1/exports/{name}.ndjson")))
    columns = of_parquet(body(ask(f"/api/v1/exports/{name}.parquet"))).to_pylist()
    assert len(rows) > 5
    assert rows == columns
    assert list(rows[0]) == about["columns"]
    told = [{key: text(value) for key, value in row.items()} for row in rows]
    assert told == [{key: original(cell) for key, cell in row.items()} for row in table]


def test_svc_06_no_digit_of_an_id_is_lost(ask, filled):
    ids = {
        json.loads(line)["hand_id"] for line in (ODD / "hand-ids.ndjson").read_bytes().splitlines()
    }
    _, rows = of_lines(body(ask("/api/v1/exports/hands.ndjson")))
    columns = of_parquet(body(ask("/api/v1/exports/hands.parquet")))
    assert ids <= {row["hand_id"] for row in rows}
    assert ids <= set(columns["hand_id"].to_pylist())
    assert {type(row["number"]) for row in rows} == {str}


def test_filters_narrow_and_are_told(ask, filled):
    about, rows = of_lines(body(ask("/api/v1/exports/hands.ndjson?verdict=discrepant&from=&to=")))
    assert {row["verdict"] for row in rows} == {"discrepant"}
    assert about["filters"] == {"verdict": "discrepant"}
    data = of_parquet(body(ask("/api/v1/exports/hands.parquet?verdict=discrepant")))
    assert len(data) == len(rows)
    assert json.loads(data.schema.metadata[b"filters"]) == {"verdict": "discrepant"}


@pytest.mark.parametrize("ending", ["ndjson", "parquet"])
def test_nothing_to_tell_is_an_empty_table(ask, db, ending):
    data = body(ask(f"/api/v1/exports/hands.{ending}"))
    assert (of_lines(data)[1] if ending == "ndjson" else of_parquet(data).to_pylist()) == []


@pytest.mark.parametrize("ending", ["ndjson", "parquet"])
def test_what_is_wrong_is_refused_before_anything_is_sent(ask, db, ending):
    for query, status in (("?verdict=perfect", 400), ("?colour=red", 400)):
        answer = ask(f"/api/v1/exports/hands.{ending}{query}")
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")
    assert ask(f"/api/v1/exports/secrets.{ending}").status_code == 404


def sheet(count):
    rows = ((number, "room", f"hand-{number}", Plain("-12.50")) for number in range(count))
    columns = ("number", "source", "hand_id", "net_logged")
    return Sheet(
        title="Hands", columns=columns, rows=rows, made_at=datetime(2026, 1, 1, tzinfo=UTC)
    )


@pytest.mark.parametrize("write", [write_lines, write_parquet])
def test_many_rows_take_no_more_memory_than_some(write):
    def peak(count):
        # What pyarrow holds is its own pool's and not Python's.
        kept, held = pa.total_allocated_bytes(), 0
        tracemalloc.start()
        for _ in write(sheet(count)):
            held = max(held, pa.total_allocated_bytes() - kept)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most + held

    peak(100)
    some, many = peak(ROWS_A_GROUP), peak(12 * ROWS_A_GROUP)
    assert many < 1.5 * some + 2**20


def test_a_cut_file_cannot_be_taken_for_a_whole_one():
    pieces = list(write_parquet(sheet(3 * ROWS_A_GROUP)))
    assert len(of_parquet(b"".join(pieces))) == 3 * ROWS_A_GROUP
    with pytest.raises(Exception, match=r"(?i)parquet|footer|magic"):
        of_parquet(b"".join(pieces[:-1]))
    lines = b"".join(write_lines(sheet(1_000))).splitlines(keepends=True)
    assert "end" not in json.loads(lines[-2])


def test_where_pyarrow_is_not_installed_it_is_said():
    code = (
        "import sys, datetime, types\n"
        "sys.modules['pyarrow'] = None\n"
        "import os; os.environ['DATABASE_URL'] = 'postgres://nobody@localhost/none'\n"
        "os.environ['BROKER_URL'] = 'redis://localhost/0'\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'audit.config.settings'\n"
        "import django; django.setup()\n"
        "from audit.selectors.exports_bulk import NotInstalled, write_parquet\n"
        "from audit.selectors.exports_sheet import Sheet\n"
        "one = Sheet(title='x', columns=('a',), rows=(),"
        " made_at=datetime.datetime.now(datetime.UTC))\n"
        "try:\n    write_parquet(one)\nexcept NotInstalled as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240
    )
    assert "Parquet needs pyarrow, which is not installed here" in done.stdout, done.stderr
