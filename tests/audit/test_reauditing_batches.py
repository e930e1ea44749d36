"""Batches of a re-audit: under a lease, safe to run twice, parted where one row fails; jobs that
stop and go on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

import replay
from audit import services
from audit.models import (
    Admission,
    Finding,
    Hand,
    Reaudit,
    ReauditAmount,
    ReauditBatch,
    ReauditFault,
    ReauditResult,
    TableTouch,
    Verdict,
)
from audit.selectors.rulesets import forget_rulesets
from audit.services import reauditing_batches
from tests.audit.logs import B, log
from tests.audit.reauditing import engine, know, many, run, start, without_rake, write_revision

STORED = (
    Verdict, Finding, Hand, TableTouch, Reaudit, ReauditBatch, ReauditResult, ReauditAmount,
    ReauditFault, Admission,
)  # fmt: skip


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


@pytest.fixture(autouse=True)
def small_batches(settings: Any) -> None:
    settings.TILECOURT_REAUDIT_BATCH_MAX = 4


def everything() -> list[Any]:
    """All stored rows but for the last sign of life."""
    rows = [list(model.objects.order_by("pk").values()) for model in STORED]
    for row in rows[STORED.index(Reaudit)]:
        del row["worked_at"]
    return rows


def gathered(**asked: Any) -> int:
    """A re-audit whose batches are frozen and wait."""
    job = start(**asked)
    while Reaudit.objects.get(pk=job).state == "gathering":
        services.work_on_reaudit(reaudit_id=job)
    return job


def older(ingest: Any, count: int = 10) -> None:
    """Hands judged by an engine that finds a wrong rake in each."""
    with engine("0.9.0", without_rake):
        ingest(log(*many(count)))


def test_svc_49_a_task_that_comes_twice_changes_nothing(ingest) -> None:
    older(ingest)
    job = run(start()).pk
    before = everything()
    assert services.work_on_reaudit(reaudit_id=job) is None
    assert everything() == before


def test_a_job_that_is_gone_is_no_error(db) -> None:
    assert services.work_on_reaudit(reaudit_id=987_654) is None


def test_a_batch_under_a_lease_is_left_to_its_holder(ingest) -> None:
    older(ingest, 3)
    job = gathered()
    lease = reauditing_batches._take(job)
    assert isinstance(lease, reauditing_batches.Lease)
    before = everything()
    assert services.work_on_reaudit(reaudit_id=job) is None
    assert everything() == before


def test_svc_50_a_lease_that_ran_out_is_taken_over_and_its_holder_stores_nothing(ingest) -> None:
    older(ingest, 3)
    job = gathered()
    late = reauditing_batches._take(job)
    assert isinstance(late, reauditing_batches.Lease)
    ReauditBatch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    done = run(job)
    assert (done.state, done.written_count) == ("done", 3)
    before = everything()
    reauditing_batches._judge_versions(late)
    reauditing_batches._give_back(late, RuntimeError("late"))
    reauditing_batches._hand_back(late)
    assert everything() == before


def test_two_workers_take_different_batches(ingest) -> None:
    older(ingest, 10)
    job = gathered()
    leases = [reauditing_batches._take(job) for _ in range(4)]
    rows = [lease.rows for lease in leases if isinstance(lease, reauditing_batches.Lease)]
    assert [len(one) for one in rows] == [4, 4, 2]
    assert len({row for one in rows for row in one}) == 10
    assert leases[3] is None


def test_a_task_that_runs_too_long_gives_its_batch_back(ingest, monkeypatch) -> None:
    def too_long(*_: Any, **__: Any) -> None:
        raise SoftTimeLimitExceeded

    ingest(log(B))
    job = gathered()
    with monkeypatch.context() as slow:
        slow.setattr(replay, "audit_line", too_long)
        assert services.work_on_reaudit(reaudit_id=job) == 0.0
    batch = ReauditBatch.objects.get()
    assert (batch.state, batch.attempts) == ("queued", 1)
    assert batch.error == "SoftTimeLimitExceeded: SoftTimeLimitExceeded()"
    wait = services.work_on_reaudit(reaudit_id=job)
    assert wait is not None
    assert 4 < wait <= 6
    assert not ReauditFault.objects.exists(), "no version is blamed for it"


def test_svc_32_a_version_that_cannot_be_stored_is_narrowed_down_and_named(
    ingest, monkeypatch
) -> None:
    older(ingest, 10)
    bad = Hand.objects.get(hand_id="h6").version_id
    sound = reauditing_batches.store_judged

    def store(judged: Any, **options: Any) -> Any:
        if bad in {row[1] for row in judged.rows}:
            raise RuntimeError("cannot be stored")
        return sound(judged, **options)

    monkeypatch.setattr(reauditing_batches, "store_judged", store)
    job = gathered()
    for _ in range(40):
        ReauditBatch.objects.filter(state="queued").update(due_at=timezone.now())
        services.work_on_reaudit(reaudit_id=job)
    row = Reaudit.objects.get()
    assert (row.state, row.written_count, row.aside_count) == ("partly", 9, 1)
    fault = ReauditFault.objects.get()
    assert fault.version_id == bad
    assert fault.reason == "could not be stored: RuntimeError: cannot be stored"
    assert Hand.objects.get(hand_id="h6").verdict.engine == "0.9.0"


def test_a_version_whose_workers_always_die_is_narrowed_down(ingest) -> None:
    older(ingest, 2)
    job = gathered()
    for _ in range(20):
        # Each worker that takes the second hand goes down without a word.
        lease = reauditing_batches._take(job)
        if not isinstance(lease, reauditing_batches.Lease):
            if Reaudit.objects.get().state != "running":
                break
            continue
        if Hand.objects.get(hand_id="h1").version_id in lease.rows:
            ReauditBatch.objects.filter(pk=lease.batch_id).update(
                lease_until=timezone.now() - timedelta(seconds=1)
            )
        else:
            reauditing_batches._judge_versions(lease)
    row = Reaudit.objects.get()
    assert (row.state, row.written_count, row.aside_count) == ("partly", 1, 1)
    assert ReauditFault.objects.get().reason == "could not be stored: each attempt was cut off"


def test_a_job_in_which_all_fails_stops_and_says_why(ingest, monkeypatch) -> None:
    def store(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the disk is full")

    older(ingest, 12)
    monkeypatch.setattr(reauditing_batches, "FAILING_MAX", 3)
    job = gathered()
    with monkeypatch.context() as broken:
        broken.setattr(reauditing_batches, "store_judged", store)
        for _ in range(3):
            services.work_on_reaudit(reaudit_id=job)
    row = Reaudit.objects.get()
    assert (row.state, row.done_count) == ("stopped", 0)
    assert row.error == ("Stopped, because nearly everything fails: RuntimeError: the disk is full")
    services.resume_reaudit(reaudit_id=job)
    assert run(job).written_count == 12


def test_stop_and_resume(ingest) -> None:
    older(ingest, 10)
    job = gathered()
    services.work_on_reaudit(reaudit_id=job)
    held = reauditing_batches._take(job)
    assert isinstance(held, reauditing_batches.Lease)
    assert services.stop_reaudit(reaudit_id=job) is True
    assert services.stop_reaudit(reaudit_id=job) is False
    assert services.work_on_reaudit(reaudit_id=job) is None
    reauditing_batches._judge_versions(held)
    row = Reaudit.objects.get()
    assert (row.state, row.written_count, row.running_since) == ("stopped", 8, None)
    assert services.resume_reaudit(reaudit_id=job).is_ended is False
    row = run(job)
    assert (row.state, row.written_count, row.done_count) == ("done", 10, 10)
    assert Verdict.objects.filter(engine=replay.ENGINE).count() == 10


def test_a_job_stopped_while_gathering_goes_on_gathering(ingest, monkeypatch) -> None:
    monkeypatch.setattr("audit.services.reauditing.GATHERED_AT_ONCE", 4)
    older(ingest, 10)
    job = start()
    services.work_on_reaudit(reaudit_id=job)
    services.stop_reaudit(reaudit_id=job)
    assert services.work_on_reaudit(reaudit_id=job) is None
    services.resume_reaudit(reaudit_id=job)
    assert Reaudit.objects.get().state == "gathering"
    assert run(job).written_count == 10


def test_tables_are_compared_once_when_the_job_stands_still(ingest, monkeypatch) -> None:
    queued: list[list[int]] = []
    older(ingest, 10)
    TableTouch.objects.all().delete()
    monkeypatch.setattr(reauditing_batches, "queue_tables_on_commit", queued.append)
    job = gathered()
    services.work_on_reaudit(reaudit_id=job)
    assert (queued, TableTouch.objects.count()) == ([], 1)
    services.stop_reaudit(reaudit_id=job)
    (table,) = TableTouch.objects.values_list("table_id", flat=True)
    assert queued == [[table]]
    services.resume_reaudit(reaudit_id=job)
    run(job)
    assert (queued, TableTouch.objects.count()) == ([[table], [table]], 3)


def test_gathering_that_fails_is_told_and_can_be_resumed(ingest, monkeypatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("no room")

    older(ingest, 3)
    job = start()
    with monkeypatch.context() as broken:
        broken.setattr("audit.services.reauditing._gather_hands", fail)
        assert services.work_on_reaudit(reaudit_id=job) is None
    row = Reaudit.objects.get()
    assert (row.state, row.error) == (
        "stopped",
        "The hands could not be gathered: RuntimeError: no room",
    )
    services.resume_reaudit(reaudit_id=job)
    assert run(job).written_count == 3


def test_a_job_stopped_at_its_last_batch_ends_with_resume(ingest) -> None:
    older(ingest, 3)
    job = gathered()
    lease = reauditing_batches._take(job)
    assert isinstance(lease, reauditing_batches.Lease)
    services.stop_reaudit(reaudit_id=job)
    reauditing_batches._judge_versions(lease)
    assert Reaudit.objects.get().state == "stopped"
    assert services.resume_reaudit(reaudit_id=job).is_ended is True
    assert Reaudit.objects.get().state == "done"


@pytest.mark.parametrize("state", ["gathering", "running", "done"])
def test_only_what_is_stopped_is_resumed(ingest, state: str) -> None:
    ingest(log(B))
    job = {"gathering": start, "running": gathered, "done": lambda: run(start()).pk}[state]()
    assert Reaudit.objects.get().state == state
    with pytest.raises(services.ReauditRefused, match="is not stopped"):
        services.resume_reaudit(reaudit_id=job)


def test_a_worker_of_another_engine_takes_no_part(ingest) -> None:
    older(ingest, 3)
    job = gathered()
    with engine("1.1.0"):
        assert services.work_on_reaudit(reaudit_id=job) is None
        row = Reaudit.objects.get()
        assert (row.state, row.done_count) == ("stopped", 0)
        assert row.error == (
            f"A process runs engine 1.1.0, and this re-audit was started under {replay_engine()}."
            " Restart that process, and resume."
        )
        with pytest.raises(services.ReauditRefused, match="It cannot go on here"):
            services.resume_reaudit(reaudit_id=job)
    services.resume_reaudit(reaudit_id=job)
    assert run(job).written_count == 3


def replay_engine() -> str:
    return Reaudit.objects.get().engine


def test_a_worker_that_knows_other_rulesets_takes_no_part(ingest, settings, tmp_path) -> None:
    older(ingest, 3)
    name = write_revision(tmp_path)
    know(settings, tmp_path)
    job = gathered(ruleset=name)
    know(settings)
    assert services.work_on_reaudit(reaudit_id=job) is None
    row = Reaudit.objects.get()
    assert row.state == "stopped"
    assert f"knows other rulesets than at the start ({name})" in row.error
    know(settings, tmp_path)
    services.resume_reaudit(reaudit_id=job)
    assert run(job).rehearsed_count == 3


def test_the_sweep_nudges_what_has_been_quiet(ingest, monkeypatch) -> None:
    queued: list[int] = []
    monkeypatch.setattr(reauditing_batches, "queue_reaudit_on_commit", queued.append)
    older(ingest, 3)
    job = gathered()
    queued.clear()
    assert services.sweep_reaudits() == 0
    Reaudit.objects.update(worked_at=timezone.now() - timedelta(minutes=1))
    assert services.sweep_reaudits() == 1
    assert queued == [job] * 4
    assert services.sweep_reaudits() == 0, "it has just been queued"
    Reaudit.objects.update(worked_at=timezone.now() - timedelta(minutes=1))
    services.stop_reaudit(reaudit_id=job)
    assert services.sweep_reaudits() == 0
