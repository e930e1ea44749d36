"""The commands: what they print, what they leave, how they exit."""

from __future__ import annotations

import getpass
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import RequestFactory

from audit import selectors, services
from audit.management.commands import ingest as ingest_command
from audit.management.progress import Progress
from audit.models import Chunk, Hand, JournalEntry, Table, Upload
from tests.access import trusted
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import B, W, changed, log, void, with_net
from tests.golden_vectors import vectors

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


def run(*arguments: str) -> tuple[int, str]:
    """Run `manage.py` with these words; gives the exit status and what it printed."""
    out = io.StringIO()
    try:
        call_command(*arguments, stdout=out)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def working(db: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do what is waiting whenever the command sleeps, as a worker would meanwhile."""

    def work(_: float) -> None:
        for chunk in Chunk.objects.filter(state="queued"):
            services.judge_chunk(chunk_id=chunk.pk)
        for table in Table.objects.filter(touches__isnull=False).distinct():
            services.compare_table(table_id=table.pk)

    monkeypatch.setattr(ingest_command.time, "sleep", work)
    return


def written(folder: Path, *lines: bytes, name: str = "hands.ndjson") -> str:
    path = folder / name
    path.write_bytes(log(*lines))
    return str(path)


@pytest.mark.parametrize(
    ("lines", "status", "words"),
    [
        ((B, void(B, hand_id="void")), 0, "2 lines: 1 clean, 0 discrepant, 1 void, 0 rejected"),
        ((B, WRONG), 1, "2 lines: 1 clean, 1 discrepant, 0 rejected"),
        ((B, WRONG, b"junk"), 2, "3 lines: 1 clean, 1 discrepant, 1 rejected"),
        ((), 0, "0 lines: 0 clean, 0 discrepant, 0 rejected"),
    ],
    ids=["clean", "discrepant", "rejected", "empty"],
)
def test_ingest_prints_the_counts_and_exits_as_the_audit_does(
    working, tmp_path, lines, status, words
) -> None:
    code, out = run("ingest", written(tmp_path, *lines))
    upload = Upload.objects.get()
    assert out == f"hands.ndjson: upload {upload.pk}, {words}\n"
    assert code == status


def test_what_nobody_with_an_account_hands_in_is_in_the_journal(
    working, tmp_path, django_user_model
) -> None:
    trusted(django_user_model.objects.create_user("ines.castro"))
    run("ingest", written(tmp_path, B, name="a\x01.ndjson"))
    run("ingest", written(tmp_path, W, name="b.ndjson"), "--by", "ines.castro")
    assert list(Upload.objects.order_by("id").values_list("received_by__username", flat=True)) == [
        None,
        "ines.castro",
    ]
    (entry,) = JournalEntry.objects.filter(act="upload")
    assert (entry.actor, entry.act, entry.subject) == (
        "tilecourt", "upload", "command ingest a\x01.ndjson",
    )  # fmt: skip
    assert entry.detail == {"system_account": getpass.getuser()}


def test_ingest_takes_several_files_and_passes_over_what_cannot_be_opened(
    working, tmp_path, capsys
) -> None:
    first = written(tmp_path, B, name="a.ndjson")
    second = written(tmp_path, B, W, name="b.ndjson")
    missing = str(tmp_path / "missing.ndjson")
    code, out = run("ingest", first, missing, str(tmp_path), second)
    assert code == 2
    assert [line.split(": upload")[0] for line in out.splitlines()] == ["a.ndjson", "b.ndjson"]
    assert out.endswith("2 lines: 2 clean, 0 discrepant, 0 rejected, 1 known before\n")
    assert capsys.readouterr().err.splitlines() == [
        f"{missing}: No such file or directory",
        f"{tmp_path}: Is a directory",
    ]
    assert Hand.objects.count() == 2


def test_ingest_says_why_a_file_gave_nothing(working, tmp_path, capsys) -> None:
    code, _ = run("ingest", written(tmp_path, name="empty.ndjson"))
    assert code == 0
    assert capsys.readouterr().err == "empty.ndjson: No hands found: the file is empty.\n"


def test_ingest_reads_standard_input(working, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log(B))))
    code, out = run("ingest", "-")
    assert code == 0
    assert out.startswith("standard input: upload ")


def test_ingest_need_not_wait(db, tmp_path) -> None:
    code, out = run("ingest", "--no-wait", written(tmp_path, B))
    assert code == 0
    assert out.endswith("1 lines: 0 clean, 0 discrepant, 0 rejected\n")
    assert Upload.objects.get().state == "queued"


def test_ingest_of_nothing_is_wrong_usage(db) -> None:
    assert run("ingest") == (64, "")


def test_ingest_that_is_interrupted_leaves_the_work_queued(db, tmp_path, monkeypatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_command.time, "sleep", interrupt)
    code, _ = run("ingest", written(tmp_path, B))
    assert code == 130
    assert Upload.objects.get().state == "queued"
    assert Chunk.objects.get().state == "queued"


def test_ingest_of_too_much_says_so(working, tmp_path, settings, capsys) -> None:
    settings.TILECOURT_UPLOAD_BYTES_MAX = 100
    path = written(tmp_path, B)
    assert run("ingest", path) == (2, "")
    sentence = "The file is larger than 100 bytes: send it in parts."
    assert capsys.readouterr().err == f"{path}: {sentence}\n"


def test_the_sample_logs_are_taken_in_once(working) -> None:
    code, out = run("ingest", "--bundled")
    assert code == 0, "their faults are there on purpose"
    samples = sorted(path.name for path in ingest_command.SAMPLES.glob("*.ndjson"))
    assert [line.split(": ")[0] for line in out.splitlines()] == samples
    rows = selectors.list_uploads(sources=None).rows
    assert len(rows) == len(samples) == 5
    assert {row.state for row in rows} == {"done"}
    assert sum(row.rejected + row.failed + row.duplicates + row.conflicts for row in rows) == 0
    assert Hand.objects.filter(verdict_kind="discrepant").count() > 80
    assert sum(row.turned for row in rows) == 2, "a bank that jumps where a hand is missing"
    assert set(Hand.objects.values_list("game", flat=True).distinct()) == {
        "banker-pai-gow", "small-tien-gow", "tien-gow", "wenzhou-pai-gow",
    }  # fmt: skip
    assert run("ingest", "--bundled") == (0, "")
    assert Upload.objects.count() == 5


def test_sample_logs_that_an_interrupted_start_left_are_waited_for(working) -> None:
    assert run("ingest", "--bundled", "--no-wait")[0] == 0
    assert Upload.objects.filter(state="queued").count() == 5
    code, out = run("ingest", "--bundled")
    assert (code, len(out.splitlines())) == (0, 5)
    assert set(Upload.objects.values_list("state", flat=True)) == {"done"}


def test_the_first_account_is_made_once_and_its_password_works(db) -> None:
    code, out = run("first_account")
    assert code == 0
    words = out.split()
    assert words[:4] == ["Log", "in", "as", "auditor"]
    password = words[words.index("password") + 1]
    request = RequestFactory().post("/login")
    assert authenticate(request, username="auditor", password=password) == User.objects.get()
    assert User.objects.get().is_superuser
    assert run("first_account") == (0, "")
    assert User.objects.count() == 1


def test_no_first_account_beside_another(db) -> None:
    User.objects.create_user("ann")
    assert run("first_account") == (0, "")
    assert User.objects.count() == 1


def test_sweep_says_what_it_found(db) -> None:
    services.receive_upload(name="x", stream=io.BytesIO(log(B)))
    assert run("sweep") == (
        0,
        "0 chunks and 0 tables queued again, 0 incomplete uploads given up\n",
    )
    assert run("sweep", "--quiet-seconds", "0") == (
        0,
        "1 chunks and 0 tables queued again, 0 incomplete uploads given up\n",
    )
    Upload.objects.create(name="cut off")
    assert run("sweep", "--silent-seconds", "60")[1].endswith(" 0 incomplete uploads given up\n")
    assert run("sweep", "--silent-seconds", "0")[1].endswith(" 1 incomplete uploads given up\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_progress_is_a_bar_that_goes_away() -> None:
    stream = Terminal()
    progress = Progress(stream)
    progress.show("Auditing", 1, 4, "1 of 4 lines")
    progress.show("Auditing", 2, 4, "drawn too soon")
    bar = f"Auditing [{'█' * 8}{'·' * 22}]  25% 1 of 4 lines"
    assert stream.getvalue() == f"\r{bar}"
    progress.clear()
    assert stream.getvalue() == f"\r{bar}\r{' ' * len(bar)}\r"


def test_elsewhere_progress_is_quiet_for_a_while() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.show("Auditing", 1, 4)
    progress.clear()
    assert stream.getvalue() == ""
    progress.say("a sentence")
    assert stream.getvalue() == "a sentence\n"


def test_ingest_waits_until_the_hands_are_compared(working, tmp_path) -> None:
    """FORMAT 6.6: what is found against the hand before is in the counts and the exit status."""
    vector = next(
        vector
        for vector in vectors("tien-gow", "continuity")
        if "banker-succession" in {one["code"] for one in vector.expected["findings"]}
        and json.loads(vector.line)["ruleset"] == "tien-gow/classic@1"
    )
    later = vector.line
    table = json.loads(later)["table"]
    earlier = [
        one.line
        for one in vectors("tien-gow", "continuity")
        if one.number < vector.number and json.loads(one.line).get("table") == table
    ][-1]
    lines = [
        changed(
            line, started_at=f"2025-01-01T0{hour}:00:00Z", ended_at=f"2025-01-01T0{hour}:30:00Z"
        )
        for hour, line in ((1, earlier), (2, later))
    ]
    code, out = run("ingest", written(tmp_path, *lines))
    assert code == 1
    counts = "2 lines: 2 clean, 0 discrepant, 0 rejected, 1 discrepant after the hand before\n"
    assert out.endswith(counts)
    assert Hand.objects.get(verdict_kind="discrepant").error_code == "banker-succession"


def test_svc_09_a_restatement_by_command(working, tmp_path) -> None:
    User.objects.create_user("ines.castro")
    restated = with_net(B, 1, "-90.00")
    assert run("ingest", written(tmp_path, B))[0] == 0
    known = ("--restatement", "seat 1 was corrected", "--by", "ines.castro")
    status, out = run("ingest", written(tmp_path, restated), *known)
    assert status == 1
    assert "1 restated" in out
    hand = Hand.objects.get()
    assert (hand.version.number, hand.is_conflict) == (2, False)
    (told,) = selectors.hand_detail(hand.pk, sources=None).restatements
    assert (told.announced_by, told.reason) == ("ines.castro", "seat 1 was corrected")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--restatement", "why"), 64),
        (("--restatement", "why", "--by", "nobody"), 64),
        (("--restatement", "why", "--by", "gone"), 64),
        (("--restatement", "why", "--by", "ines.castro", "--bundled"), 64),
        (("--restatement", " ", "--by", "ines.castro"), 2),
    ],
)
def test_a_restatement_by_command_needs_a_reason_and_an_account(
    working, tmp_path, words, status
) -> None:
    User.objects.create_user("ines.castro")
    User.objects.create_user("gone", is_active=False)
    assert run("ingest", written(tmp_path, B), *words)[0] == status
    assert not Hand.objects.exists()


def test_a_feed_is_taken_in_and_exits_by_what_could_not_be_checked(
    working: None, tmp_path: Path
) -> None:
    path = tmp_path / "pull.json"
    path.write_bytes(ky_answer(ky_row()))
    status, out = run("ingest", "--feed", "ky-730", "--source", "op", str(path))
    assert status == ingest_command.EXIT_CONSISTENT
    assert "1 lines: 0 clean, 1 consistent, not all checkable, 0 discrepant" in out
    wrong = ky_row(ChairID=4, Accounts="7_bob", Profit="19.20", Revenue="0.80")
    path.write_bytes(ky_answer(wrong))
    status, _ = run("ingest", "--feed", "ky-730", "--source", "op", str(path))
    assert status == ingest_command.EXIT_DISCREPANT


@pytest.mark.parametrize(
    "arguments",
    [("--feed", "ky-730"), ("--source", "op"), ("--feed", "partial", "--source", "op"),
     ("--bundled", "--feed", "partial")],
)  # fmt: skip
def test_a_feed_needs_its_source_and_nothing_else_has_one(
    db: Any, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    assert run("ingest", *arguments, written(tmp_path, B))[0] == 64
