"""The examples of tables and files in the description are what the service really answers."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.contrib.staticfiles import finders

from audit.api.bulk import PARQUET
from audit.api.docs import description
from audit.selectors.exports_bulk import check_lines
from audit.selectors.exports_sheet import check_sheet
from tests.api.arriving import reports
from tests.api.conftest import Send, World
from tests.audit.reauditing import engine
from tests.web.lines import BASE

# What differs with each report that is made; the rest is the same for an empty day.
OF_ONE = ("# report,", "# made,", "# made of,", "# software,", "# period,", "# end,")


def answer_of(path: str, kind: str) -> Any:
    return description()["paths"][path]["get"]["responses"]["200"]["content"][kind]


@pytest.fixture
def totals(stored: Any, ask: Send, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bytes]:
    """The totals of a store with one hand, made when the example was."""
    then = datetime(2025, 5, 2, 1, 2, 3, tzinfo=UTC)
    stored(BASE[0])

    def read(ending: str) -> bytes:
        with monkeypatch.context() as clock, engine("1.0.0"):
            clock.setattr("audit.api.exports.timezone.now", lambda: then)
            return b"".join(ask(f"/api/v1/exports/totals.{ending}").streaming_content)

    return read


def test_csv_and_lines_are_real_answers_to_the_byte(totals: Callable[[str], bytes]) -> None:
    for ending, kind in (("csv", "text/csv"), ("ndjson", "application/x-ndjson")):
        example = answer_of(f"/api/v1/exports/{{report}}.{ending}", kind)["example"].encode()
        assert example == totals(ending)
    assert check_sheet(io.BytesIO(totals("csv"))).rows == 1
    assert check_lines(io.BytesIO(totals("ndjson"))) == 1


def test_parquet_is_a_real_answer(totals: Callable[[str], bytes]) -> None:
    """Its bytes differ with the library that wrote them; what is in them does not."""
    told = answer_of("/api/v1/exports/{report}.parquet", PARQUET)["examples"]["file"]
    file = finders.find(told["externalValue"].removeprefix("/static/"))
    assert isinstance(file, str)
    example = pq.read_table(Path(file))
    real = pq.read_table(io.BytesIO(totals("parquet")))
    assert example.schema.equals(real.schema, check_metadata=True)
    assert example.equals(real)


def test_a_file_of_a_report_is_a_real_one(world: World, ask: Send) -> None:
    next(reports(world))
    (newest, *_) = ask("/api/v1/reports/").json()["reports"]
    real = ask(f"{newest['url']}csv").content.decode()
    example = answer_of("/api/v1/reports/{made}/{form}", "*/*")["example"]

    def same(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith(OF_ONE)]

    assert same(example) == same(real), "take audit/api/examples/report.csv from such an answer"
    assert len(same(real)) > 20
    assert check_sheet(io.BytesIO(example.encode())).rows == 0
