"""SVC-76: what was sealed is dumped and restored elsewhere, and still verifies there."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.devstack.postgres import find_binaries
from audit.models import Chunk
from audit.selectors.seal_keys import read_keys
from audit.services import judge_chunk, receive_upload
from audit.services.sealing import seal
from tests.audit.logs import B, changed, log
from tests.integration.test_backup import fresh_server, run
from tests.integration.web import ROOT, environment

__all__ = ["fresh_server"]

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


def verify(url: str, heads: Path) -> tuple[int, str]:
    key = str(read_keys().public[0])
    done = subprocess.run(
        [sys.executable, "manage.py", "verify-store", "--head", str(heads), "--key", key],
        cwd=ROOT,
        env={**os.environ, **environment(), "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.django_db(transaction=True)
def test_a_restored_store_still_verifies(fresh_server: str, tmp_path: Path) -> None:
    lines = (changed(B, hand_id=f"h{number}") for number in range(400))
    received = receive_upload(name="hands.ndjson", stream=io.BytesIO(log(*lines)))
    for chunk in Chunk.objects.filter(upload_id=received.upload_id):
        judge_chunk(chunk_id=chunk.pk)
    size = seal().size
    url = environment()["DATABASE_URL"]
    dump = str(tmp_path / "tilecourt.dump")
    run("pg_dump", "--format=custom", f"--file={dump}", url)
    run("pg_restore", "--no-owner", "--exit-on-error", "--jobs=2", f"--dbname={fresh_server}", dump)
    for place in (url, fresh_server):
        status, said = verify(place, tmp_path / "heads")
        assert (status, said.startswith(f"{size:,} leaves and ")) == (0, True), said
    tampered: Any = run_sql(fresh_server, "SET session_replication_role = replica;"
                            " DELETE FROM audit_sealedleaf WHERE index >= 791;"
                            " DELETE FROM audit_treehead")  # fmt: skip
    assert tampered.stderr == ""
    status, said = verify(fresh_server, tmp_path / "heads")
    assert status == 1
    assert f"is signed, and the log has 791: {size - 791:,} are missing" in said


def run_sql(url: str, statement: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(find_binaries() / "psql"), url, "-q", "-c", statement],
        capture_output=True,
        text=True,
        check=False,
    )
