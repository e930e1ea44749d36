"""A dump by `pg_dump`, searched for a person before and after the name was erased."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.devstack.postgres import find_binaries
from audit.selectors.access import access_of
from audit.services.erasing import erase_person
from audit.services.sealing import seal
from tests.access import trusted
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, W, log

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

NAME = "Ngozi Adichie-42"
SOURCE = "table-7"


def dumped(path: Path) -> bytes:
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = parts._replace(path=f"/{quote(connection.settings_dict['NAME'])}").geturl()
    done = subprocess.run(
        [str(find_binaries() / "pg_dump"), f"--file={path}", url],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def test_the_name_is_in_no_line_of_a_dump(
    ingest: Any,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    lines = []
    for line, name in ((B, json.loads(B)["seats"][0]["player"]), (W, "Ann")):
        text = json.dumps(json.loads(line) | {"source": SOURCE}, ensure_ascii=False)
        lines.append(text.replace(json.dumps(name), json.dumps(NAME)).encode())
    ingest(log(*lines), name=f"{NAME}.ndjson")
    seal()
    assert dumped(tmp_path / "before.sql").count(NAME.encode()) >= 4
    user = trusted(User.objects.create_user("kay"))
    erase_person(access=access_of(user), source=SOURCE, name=NAME, reason="r", ground="g")
    after = dumped(tmp_path / "after.sql")
    for spelt in (NAME.encode(), NAME.encode().hex().encode(), b"Adichie"):
        assert spelt not in after
