"""Uploads through a real broker and a real Celery worker, also one that is killed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import time
from datetime import timedelta

import pytest
from celery import current_app
from django.core.management import call_command
from django.utils import timezone

from audit import selectors
from audit.models import Chunk, Comparison, Finding, Hand, HandVersion, Refusal, Verdict
from audit.services.queueing import COMPARE_TABLE, JUDGE_CHUNK
from audit.zstd import unpacked
from tests.audit.chains import GAMES, assert_stands, by_command, clocked, simulated
from tests.audit.logs import BASE_LINES, GOLDEN, B, W, changed, log, void, with_net
from tests.integration.holding import HELD_NAME, held
from tests.integration.web import PATIENCE_SECONDS

pytestmark = pytest.mark.integration

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


def test_the_names_of_the_tasks_are_known() -> None:
    """What is queued by name would otherwise be lost without a word."""
    current_app.loader.import_default_modules()
    assert {COMPARE_TABLE, JUDGE_CHUNK, "audit.sweep"} <= set(current_app.tasks)


def test_an_upload_is_audited_stored_and_counted(celery_worker_process, upload, wait) -> None:
    lines = [B, WRONG, void(B, hand_id="void"), b"{}", W]
    data = log(*lines)
    (row,) = wait(upload(data))
    assert row.state == "done"
    assert (row.clean, row.discrepant, row.void, row.rejected, row.failed) == (2, 1, 1, 1, 0)
    assert row.sha256 == hashlib.sha256(data).hexdigest()
    stored = {version.line: version for version in HandVersion.objects.all()}
    assert sorted(stored) == [1, 2, 3, 5]
    for number, version in stored.items():
        assert unpacked(version.raw) == lines[number - 1]
        assert bytes(version.sha256) == hashlib.sha256(lines[number - 1]).digest()
    refusal = Refusal.objects.get()
    assert (refusal.line, unpacked(refusal.raw)) == (4, b"{}")
    (flagged,) = selectors.list_hands(
        selectors.HandFilters(verdict="discrepant"), sources=None
    ).rows
    assert (flagged.hand_id, flagged.error_code) == ("wrong", "net-mismatch")


def test_the_same_file_twice_and_other_bytes_of_a_hand(celery_worker_process, upload, wait) -> None:
    (first,) = wait(upload(log(B)))
    (second,) = wait(upload(log(B)))
    (third,) = wait(upload(log(with_net(B, 1, "-99.00"))))
    assert [(row.new, row.duplicates, row.conflicts) for row in (first, second, third)] == [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
    ]
    detail = selectors.hand_detail(Hand.objects.get().pk, sources=None)
    assert detail.hand.is_conflict
    assert [version.upload_id for version in detail.versions] == [first.id, third.id]


def test_svc_46_two_files_at_once_keep_their_hands_apart(
    celery_worker_process, upload, wait, settings
) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 50
    right = [changed(B, source="one", hand_id=str(number)) for number in range(500)]
    wrong = [with_net(changed(B, source="two", hand_id=str(n)), 1, "-99.00") for n in range(500)]
    one, two = wait(upload(log(*right)), upload(log(*wrong)))
    assert (one.clean, one.new, two.discrepant, two.new) == (500, 500, 500, 500)
    assert set(Hand.objects.filter(source="one").values_list("verdict_kind", flat=True)) == {
        "clean"
    }
    assert set(Finding.objects.values_list("verdict__version__hand__source", flat=True)) == {"two"}


def test_the_command_waits_for_the_worker(celery_worker_process, tmp_path) -> None:
    path = tmp_path / "hands.ndjson"
    path.write_bytes(log(B, WRONG))
    out = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("ingest", str(path), stdout=out)
    assert stopped.value.code == 1
    assert out.getvalue().endswith("2 lines: 1 clean, 1 discrepant, 0 rejected\n")


def test_svc_50_a_worker_that_is_killed_costs_time_and_no_hand(
    celery_worker_process, worker_keeper, upload, wait, settings
) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 200
    lines = [
        changed(line, hand_id=f"{number}-{turn}")
        for turn in range(600)
        for number, line in enumerate(BASE_LINES[:5])
    ]
    lines.append(changed(B, source="odd", hand_id="last"))
    with held(HELD_NAME, "odd", "last"):
        upload_id = upload(log(*lines))
        limit = time.monotonic() + PATIENCE_SECONDS
        while selectors.get_upload(upload_id, sources=None).audited == 0:
            assert time.monotonic() < limit
            time.sleep(0.01)
        os.killpg(celery_worker_process.pid, signal.SIGKILL)
        celery_worker_process.wait()
        halfway = selectors.get_upload(upload_id, sources=None)
        assert halfway.state == "running"
        assert 0 < halfway.audited < len(lines)
    # Two minutes go by; a worker that starts looks for what was left.
    past = timezone.now() - timedelta(seconds=1)
    Chunk.objects.filter(state="running").update(lease_until=past)
    second = worker_keeper.running()
    (row,) = wait(upload_id)
    os.killpg(second.pid, signal.SIGKILL)
    assert (row.state, row.new, row.clean) == ("done", len(lines), len(lines))
    assert (row.duplicates, row.conflicts, row.failed) == (0, 0, 0)
    assert Hand.objects.count() == Verdict.objects.count() == len(lines)


def test_hands_are_compared_with_those_before_them(
    celery_worker_process, upload, wait, settings
) -> None:
    """FORMAT 6.6: in pieces and mixed, and again when the missing hand of a round comes late."""
    settings.TILECOURT_CHUNK_LINES_MAX = 7
    lines = [line for game in GAMES for line in clocked(simulated(game, 30))]
    late = lines[11]
    early = [line for line in lines if line != late]
    uploads = [upload(log(*early[1::2])), upload(log(*early[::-2]))]
    wait(*uploads)
    wait_until_compared(*uploads)
    assert_stands(by_command(early))
    assert Comparison.objects.exists()
    last = upload(log(late))
    wait(last)
    wait_until_compared(last)
    assert_stands(by_command(lines))


def wait_until_compared(*uploads: int) -> None:
    limit = time.monotonic() + PATIENCE_SECONDS
    while selectors.open_touches(uploads):
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_svc_23_the_order_of_the_lines_changes_no_verdict(
    celery_worker_process, upload, wait
) -> None:
    lines = (GOLDEN / "odd" / "mixed-games.ndjson").read_bytes().splitlines()
    wait(upload(log(*lines)))
    for line in reversed(lines):
        wait(upload(log(changed(line, source="alone"))))
    assert len(judged("alone")) == len(lines)
    assert judged("alone") == judged(json.loads(lines[0])["source"])


def judged(source: str) -> dict[str, object]:
    """What was said of each hand of a source by itself."""
    hands = Hand.objects.filter(source=source)
    return {
        hand.hand_id: (
            hand.verdict.kind,
            list(hand.verdict.findings.order_by("position").values_list("code", flat=True)),
            hand.verdict.settlement,
        )
        for hand in hands.select_related("verdict")
    }
