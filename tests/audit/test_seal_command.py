"""`manage.py seal` and the task: what they say, and what they leave behind."""

from __future__ import annotations

import io
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from audit.config.celery import app
from audit.models import TreeHead
from audit.selectors.seal_keys import read_keys
from audit.services.sealing import seal
from audit.tasks import seal_log
from replay.evidence import Head, open_head, split_notes
from tests.audit.logs import B, changed, log

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_key(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("seal", *arguments, stdout=out, stderr=err)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_seal_says_what_it_did(ingest):
    assert run() == (0, "There is nothing to seal.\n", "")
    ingest(log(B))
    assert run() == (0, "3 rows sealed; the log has 3 leaves.\n", "")
    assert run() == (0, "0 rows sealed; the log has 3 leaves.\n", "")


def test_heads_are_handed_out_once_each(ingest, tmp_path):
    folder = tmp_path / "outside" / "heads"
    assert (
        run("--export", str(folder))[1].splitlines()[-1] == f"0 heads added to {folder}/heads.txt."
    )
    for number in range(3):
        ingest(log(changed(B, hand_id=f"h{number}")))
        words = run("--export", str(folder))[1].splitlines()
        assert words[-1] == f"1 heads added to {folder}/heads.txt."
    notes = split_notes((folder / "heads.txt").read_text())
    assert notes == list(TreeHead.objects.order_by("size").values_list("note", flat=True))
    assert run("--export", str(folder))[1].endswith(f"0 heads added to {folder}/heads.txt.\n")


def test_a_log_that_is_shorter_than_its_copy_outside_is_told(ingest, tmp_path, settings):
    ingest(log(B))
    seal()
    (file,) = Path(settings.TILECOURT_SEAL_HEADS).iterdir()
    head = open_own(file.read_text())
    longer = replace(head, size=head.size + 10).sign(read_keys().private)
    (tmp_path / "heads.txt").write_text(longer)
    status, _, words = run("--export", str(tmp_path))
    assert status == 1
    assert words == (
        f"{tmp_path}/heads.txt ends with a head over 13 leaves, and the log has fewer:"
        " run manage.py verify-store.\n"
    )
    assert (tmp_path / "heads.txt").read_text() == longer


def open_own(note: str) -> Head:
    return open_head(note, *read_keys().public).head


def test_the_public_key_is_printed_and_replaced(ingest, settings):
    assert run("--public-key")[0] == 1
    ingest(log(B))
    seal()
    first = read_keys().public[0]
    assert run("--public-key") == (0, f"{first}\n", "")
    status, words, _ = run("--new-key")
    second = read_keys().public[0]
    assert (status, words) == (0, f"{second}\n")
    assert first != second
    assert run("--public-key") == (0, f"{second}\n{first}\n", "")
    path = Path(settings.TILECOURT_SEAL_KEY_FILE)
    kept = path.with_name(f"seal_key.{first.hash.hex()}")
    assert stat.S_IMODE(kept.stat().st_mode) == stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_given_by_the_environment_wins(ingest, monkeypatch, settings):
    ingest(log(B))
    seal()
    path = Path(settings.TILECOURT_SEAL_KEY_FILE)
    monkeypatch.setenv("TILECOURT_SEAL_KEY", path.read_text())
    path.unlink()
    ingest(log(changed(B, hand_id="B2")))
    assert run()[0] == 0
    assert run("--new-key") == (
        1, "", "The key is given by TILECOURT_SEAL_KEY: replace it there.\n",
    )  # fmt: skip


def test_beat_queues_tasks_that_there_are(settings):
    app.loader.import_default_modules()
    wanted = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {"audit.seal", "audit.self_check"} <= wanted
    assert wanted <= set(app.tasks)


def test_the_task_seals(ingest):
    ingest(log(B))
    seal_log()
    assert TreeHead.objects.get().size == 3
