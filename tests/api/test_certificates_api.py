"""Certificates and tables by program."""

from __future__ import annotations

import hashlib
import io
import json

import pytest
from django.test import Client

from audit import services
from audit.models import CertificateRun, Chunk, Table
from audit.selectors.exports_sheet import BOM, check_sheet
from audit.services import certifying
from tests.web.lines import PAI_GOW, changed

CERTIFICATES = "/api/v1/certificates/"
DAY = "2025-03-01"


@pytest.fixture
def stored(send):
    """Three hands of two tables, one number missing."""
    lines = [changed(PAI_GOW, hand_id=f"g-{number}", table=table)
             for number, table in ((1, "T1"), (3, "T1"), (4, "T2"))]  # fmt: skip
    send(b"\n".join(lines))
    for chunk in Chunk.objects.all():
        services.judge_chunk(chunk_id=chunk.pk)
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)


@pytest.fixture
def make(db, token):
    def post(query, kind="application/json"):
        return Client().post(CERTIFICATES + query, content_type=kind,
                             headers={"Authorization": f"Bearer {token}"})  # fmt: skip

    return post


def test_a_day_is_certified_and_read(stored, make, ask):
    answer = make(f"?day={DAY}")
    assert (answer.status_code, answer["Location"]) == (202, answer.json()["url"])
    assert (answer.json()["state"], answer.json()["tables"]) == ("queued", 2)
    assert not certifying.continue_run(run_id=answer.json()["id"])
    run = ask(answer["Location"]).json()
    assert (run["state"], run["percent"], run["made"]) == ("done", 100, 2)
    listed = ask(CERTIFICATES).json()["certificates"]
    assert [(one["table"], one["is_complete"], one["standing"]) for one in listed] == [
        ("T2", True, "holds"), ("T1", False, "holds"),
    ]  # fmt: skip
    document = ask(listed[1]["url"]).json()
    content = document["certificate"]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert document["sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert content["sequence"]["gaps"]["listed"] == [
        {"from": "g-2", "to": "g-2", "count": 1, "where": "inside"}
    ]
    assert document["changes"] == []


@pytest.mark.parametrize(
    "query", ["", "?day=today", f"?day={DAY}&table=T1", f"?day={DAY}&source=odd&table=T9"]
)
def test_what_cannot_be_certified_is_told(stored, make, query):
    answer = make(query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-query")
    assert not CertificateRun.objects.exists()


def test_a_form_is_not_taken(stored, make):
    answer = make(f"?day={DAY}", kind="application/x-www-form-urlencoded")
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported-type")


@pytest.mark.parametrize("address", ["9/", "runs/9/", "99999999999999999999999/"])
def test_what_is_not_there_is_not_found(stored, ask, address):
    assert ask(CERTIFICATES + address).status_code == 404


@pytest.mark.parametrize("query", ["?state=x", "?cursor=zz", "?from=x"])
def test_a_damaged_query_is_told(stored, ask, query):
    assert ask(CERTIFICATES + query).json()["error"]["code"] == "bad-query"


@pytest.mark.parametrize(
    ("report", "rows"), [("hands", 3), ("figures", 12), ("findings", 4), ("totals", 2)]
)
def test_tables_are_whole_and_without_a_mark(stored, ask, report, rows):
    answer = ask(f"/api/v1/exports/{report}.csv?source=odd")
    data = b"".join(answer.streaming_content)
    assert (answer.status_code, data.startswith(BOM)) == (200, False)
    found = check_sheet(io.BytesIO(data))
    assert found.rows == rows
    assert ("filter", "source", "odd") in found.about


def test_tables_that_are_none(stored, ask):
    assert ask("/api/v1/exports/players.csv").status_code == 404
    answer = ask("/api/v1/exports/hands.csv?game=chess")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-query")
