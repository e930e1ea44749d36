"""A dump by `pg_dump`, searched for a person before and after the name was erased."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.devstack.postgres import find_binaries
from audit.models import Hand, ReportKind
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import DEFINITIONS
from audit.services.erasing import erase_person
from audit.services.reports import continue_report, request_report
from audit.services.sealing import seal
from tests.access import trusted
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, W, log
from tests.audit.named import WRITTEN, name_everywhere

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

NAME = "Ngozi Adichie-42"
SOURCE = "table-7"
SPELT = tuple(
    sorted({one.encode() for one in (NAME, quote(NAME), quote_plus(NAME))} | {b"Adichie"})
)
SPELT_IN_HEX = tuple(one.hex().encode() for one in SPELT)
# Hands and what hangs on them lie in partitions by month.
_MONTH = re.compile(r"_(\d{4}_\d{2}|rest|before)$")
_COPY = re.compile(rb"COPY public\.(\w+) \((.*?)\) FROM stdin;\n(.*?)\n?\\\.\n", re.DOTALL)


def dumped(path: Path) -> bytes:
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = parts._replace(path=f"/{quote(connection.settings_dict['NAME'])}").geturl()
    done = subprocess.run(
        [str(find_binaries() / "pg_dump"), f"--file={path}", url],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def columns_with_the_name(dump: bytes) -> set[str]:
    """Tables and columns of a dump in which the name stands, as text or in hexadecimal."""
    found = set()
    for table, names, rows in _COPY.findall(dump):
        columns = [one.strip().strip('"') for one in names.decode().split(",")]
        for row in rows.split(b"\n"):
            for column, value in zip(columns, row.split(b"\t"), strict=False):
                if any(spelt in value for spelt in (*SPELT, *SPELT_IN_HEX)):
                    found.add(f"{_MONTH.sub('', table.decode())}.{column}")
    return found


def make_reports(user: User) -> None:
    """A statement of the player, and a list of events that names players."""
    for kind, asked in (
        ("player-statement", {"source": SOURCE, "player": NAME}),
        ("significant-events", {"large_win": "CNY=1,HKD=1", "large_wager": ""}),
    ):
        definition, access = DEFINITIONS[ReportKind(kind)], access_of(user)
        request = read_request(definition, {"to": "2025-03-01", **asked}, access)
        number = request_report(definition=definition, asked=request, access=access)
        while continue_report(run_id=number):
            pass


def test_the_name_is_in_no_line_of_a_dump(
    ingest: Any,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    user = trusted(User.objects.create_user("kay"))
    second = trusted(User.objects.create_user("lou"))
    lines = []
    for line, name in ((B, json.loads(B)["seats"][0]["player"]), (W, "Ann")):
        text = json.dumps(json.loads(line) | {"source": SOURCE}, ensure_ascii=False)
        lines.append(text.replace(json.dumps(name), json.dumps(NAME)).encode())
    ingest(log(*lines), name=f"{NAME}.ndjson", user=user, restatement=f"{NAME} complained")
    hand = Hand.objects.order_by("pk").first()
    assert hand is not None
    name_everywhere(SOURCE, NAME, hand, user, second)
    seal()
    make_reports(user)
    before = columns_with_the_name(dumped(tmp_path / "before.sql"))
    # Every store of texts, of names and of reports held it. What is packed is looked at elsewhere.
    assert before >= WRITTEN | {
        "audit_hand.players", "audit_namesalt.name", "audit_report.csv", "audit_report.json",
        "audit_report.parameters", "audit_upload.name", "audit_verdict.settlement",
    }  # fmt: skip
    erase_person(access=access_of(user), source=SOURCE, name=NAME, reason="r", ground="g")
    after = dumped(tmp_path / "after.sql")
    assert columns_with_the_name(after) == set()
    for spelt in (*SPELT, *SPELT_IN_HEX):
        assert spelt not in after
