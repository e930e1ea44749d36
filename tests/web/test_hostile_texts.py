"""Names and texts that are markup and formulas at once, on every page and in every file.

The store holds something of everything of a source with such a name, played at such tables by such
people and written about by others: what a browser reads has no element and no script of theirs, and
no cell of a table is one that a spreadsheet would run.
"""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from audit import services
from audit.models import Table, Visit
from audit.selectors.exports_sheet import END
from tests.access import signed_in, trusted
from tests.web.access_rows import NOT_TAKEN, Row, written
from tests.web.operators import draft_of, hand_in, hand_of, operator_of
from tests.web.test_access_table import COMMON, address_of, letter_of

HOSTILE = """=1+1|'x'!A0"><svg onload=alert(1)><!--"""
# What may be asked for beside an address, and what is said of it where it makes no sense.
ASKED = ("q", "player", "met", "source", "table", "game", "verdict", "code", "from", "to", "cursor",
         "as", "kind", "state", "owner", "order", "tile", "net", "actor", "act", "step", "hand",
         "hands", "next", "before", "after", "report", "day", "outcome", "rules")  # fmt: skip
SIGNS = "=+-@＝＋－＠\t\r\n"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


class Read(HTMLParser):
    """What a browser would make of a page that a name may not bring in."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs if name.startswith("on")]
        values = [value for _, value in attrs if (value or "").lower().startswith("javascript:")]
        if names or values:
            self.found.append(f"<{tag} {names} {values}>")
        if tag in ("object", "embed", "iframe", "base"):
            self.found.append(f"<{tag}>")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data[:20]}")


def in_page(data: bytes) -> list[str]:
    read = Read()
    read.feed(data.decode())
    read.close()
    return read.found


def in_table(data: bytes) -> list[str]:
    """Cells that a spreadsheet would take for more than a text, a number or a time."""
    text = data.decode("utf-8-sig")
    return [
        cell
        for row in csv.reader(io.StringIO(text, newline=""))
        for cell in row
        if cell.strip()[:1] in tuple(SIGNS) and not NUMBER.fullmatch(cell)
    ]


def rows() -> list[Row]:
    return [row for row in written() if not row.is_public and row.looking != NOT_TAKEN]


@pytest.fixture
def people(django_user_model: Any, settings: Any, tmp_path: Path) -> tuple[Any, Any]:
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.TILECOURT_API_KEY_PER_MINUTE = settings.TILECOURT_API_ACCOUNT_PER_MINUTE = 10_000
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    first.first_name = second.last_name = HOSTILE
    first.save()
    second.save()
    return first, second


@pytest.fixture
def keys(people: tuple[Any, Any]) -> dict[str, Any]:
    """Everything that one source can have, under the name; what stands in addresses for it."""
    first, second = people
    there = operator_of(HOSTILE, first=first, second=second)
    hand = json.loads(hand_of(HOSTILE, "ext"))
    hand["ext"] = {HOSTILE: [HOSTILE]}
    hand_in(first, f"{HOSTILE}.ndjson", json.dumps(hand).encode(), HOSTILE.encode())
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)
    site = signed_in(first)
    signed_in(second)
    keys = COMMON | dict(there.keys) | draft_of(first)
    keys |= {"account": second.pk, "visit": Visit.objects.latest("pk").pk}
    keys["letter"] = letter_of(site, keys["case"])
    return keys | {"source": quote(HOSTILE, safe="")}


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_name_and_no_text_is_markup_or_a_formula(
    people: tuple[Any, Any], keys: dict[str, Any]
) -> None:
    site, wrong, kinds = signed_in(people[0]), {}, dict.fromkeys(("html", "csv", "pdf", "json"), 0)
    shown = 0
    for row in rows():
        answer = site.get(address_of(row, keys))
        assert answer.status_code < 500, row.name
        kind = re.split("[/;]", answer["Content-Type"])[1]
        data = b"".join(answer.streaming_content) if answer.streaming else answer.content
        kinds[kind] = kinds.get(kind, 0) + (answer.status_code == 200)
        found = in_page(data) if kind == "html" else in_table(data) if kind == "csv" else []
        shown += kind == "html" and b"svg onload=alert(1)&gt;" in data
        if kind == "csv" and answer.status_code == 200 and row.name != "accounts-csv":
            assert END.encode() in data or b"remedy" in data, row.name
        if found:
            wrong[row.name] = found[:3]
        assert answer["X-Content-Type-Options"] == "nosniff", row.name
    assert wrong == {}
    assert shown > 25
    assert min(kinds[kind] for kind in ("html", "csv", "pdf", "json")) > 1, kinds


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_nothing_that_is_asked_for_is_markup_in_the_answer(
    people: tuple[Any, Any], keys: dict[str, Any]
) -> None:
    site, wrong = signed_in(people[0]), {}
    for row in rows():
        if row.is_api:
            continue
        front, _, own = address_of(row, keys).partition("?")
        asked = [{name: HOSTILE} for name in ASKED] if row.name in ("hands", "queue") else []
        for one in (*asked, dict.fromkeys(ASKED, HOSTILE)):
            answer = site.get(f"{front}?{own}&{urlencode(one)}")
            assert answer.status_code < 500, (row.name, one)
            if "html" in answer["Content-Type"] and (found := in_page(answer.content)):
                wrong[row.name] = found[:3]
    assert wrong == {}
