"""Judging chunks: under a lease, in one transaction, safe to run twice, with an end to each."""

from __future__ import annotations

import io
import json
import threading
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.utils import timezone

import replay
from audit import selectors, services
from audit.models import (
    Chunk,
    Duplicate,
    Finding,
    Hand,
    HandVersion,
    Refusal,
    Upload,
    Verdict,
)
from audit.services import judging
from audit.services.payloads import unpack_lines
from audit.services.storing import store_outcomes
from audit.tasks import judge_chunk as judge_task
from audit.zstd import unpacked
from tests.audit.logs import GOLDEN, B, W, changed, log, void, with_net

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")
MIXED = log(B, WRONG, void(B, hand_id="void"), b"{}", W)


def receive(data: bytes) -> tuple[int, list[int]]:
    received = services.receive_upload(name="hands.ndjson", stream=io.BytesIO(data))
    chunks = Chunk.objects.filter(upload_id=received.upload_id).order_by("number")
    return received.upload_id, list(chunks.values_list("pk", flat=True))


def everything() -> list[Any]:
    """All stored rows, to see that nothing changed."""
    models = (Upload, Chunk, Refusal, Hand, HandVersion, Duplicate, Verdict, Finding)
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_each_outcome_is_counted_once(ingest) -> None:
    row = ingest(MIXED)
    assert row.state == "done"
    assert (row.lines, row.audited, row.percent) == (5, 5, 100)
    assert (row.clean, row.discrepant, row.void, row.rejected, row.failed) == (2, 1, 1, 1, 0)
    assert (row.new, row.duplicates, row.conflicts, row.hands) == (4, 0, 0, 4)
    assert row.started_at <= row.finished_at


def test_what_is_stored_is_what_the_core_says(ingest) -> None:
    lines = (GOLDEN / "banker-pai-gow" / "planted.ndjson").read_bytes().splitlines()
    shipped = {ruleset.name for ruleset in selectors.current_rulesets()}
    lines = [line for line in lines if json.loads(line)["ruleset"] in shipped]
    ingest(log(*lines))
    assert Hand.objects.count() == len(lines) > 50
    for version in HandVersion.objects.select_related("hand").order_by("line"):
        line = lines[version.line - 1]
        assert unpacked(version.raw) == line
        expected = replay.audit_line(line, selectors.current_rulesets()).verdict
        detail = selectors.hand_detail(version.hand.pk, sources=None)
        assert detail.raw == line
        assert detail.findings == expected.findings
        assert detail.verdict.kind == detail.hand.verdict == expected.verdict
        assert detail.verdict.settlement == expected.settlement
        assert detail.verdict.digest == expected.replay_digest
        assert detail.verdict.ruleset_sha256 == expected.ruleset_sha256
        assert detail.version.sha256 == expected.record_sha256
        assert detail.hand.finding_count == len(expected.findings)
        assert detail.hand.finding_codes == tuple(sorted({one.code for one in expected.findings}))


def test_the_search_columns_are_those_of_the_record(ingest) -> None:
    ingest(log(WRONG))
    (hand,) = selectors.list_hands(sources=None).rows
    record = json.loads(WRONG)
    assert hand.source == record["source"]
    assert hand.hand_id == "wrong"
    assert hand.game == "banker-pai-gow"
    assert hand.ruleset == record["ruleset"]
    assert hand.table == record["table"]
    assert hand.players == ("Ann", "Bo", "Cy", "Di")
    assert hand.started_at == record["started_at"] == "2025-03-01T10:00:00+08:00"
    assert hand.played_at.isoformat() == "2025-03-01T02:00:00+00:00"
    assert hand.played_on.isoformat() == "2025-03-01"
    assert (hand.currency, hand.minor_digits) == ("CNY", 2)
    assert (hand.verdict, hand.error_code) == ("discrepant", "net-mismatch")


def test_a_chunk_that_is_done_keeps_no_second_copy_of_its_lines(ingest) -> None:
    ingest(MIXED)
    assert bytes(Chunk.objects.get().payload) == b""


def test_svc_49_a_task_that_comes_twice_changes_nothing(db) -> None:
    _, (chunk,) = receive(MIXED)
    assert services.judge_chunk(chunk_id=chunk) is None
    before = everything()
    assert services.judge_chunk(chunk_id=chunk) is None
    assert everything() == before


def test_a_chunk_that_is_gone_is_no_error(db) -> None:
    assert services.judge_chunk(chunk_id=987_654) is None


def test_a_chunk_under_a_lease_is_left_alone_until_it_ends(db) -> None:
    _, (chunk,) = receive(MIXED)
    lease = judging._take(chunk)
    assert isinstance(lease, judging.Lease)
    before = everything()
    wait = services.judge_chunk(chunk_id=chunk)
    assert wait is not None
    assert 115 < wait <= 121
    assert everything() == before


def test_svc_50_a_lease_that_ran_out_is_taken_over_and_its_holder_stores_nothing(db) -> None:
    upload, (chunk,) = receive(MIXED)
    late = judging._take(chunk)
    assert isinstance(late, judging.Lease)
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert services.judge_chunk(chunk_id=chunk) is None
    before = everything()
    assert judging._still_ours(late) is False
    assert judging._give_back(late, RuntimeError("late")) is None
    assert everything() == before
    assert selectors.get_upload(upload, sources=None).audited == 5
    assert Chunk.objects.get().attempts == 2


def test_svc_50_of_two_holders_only_the_later_may_store(db) -> None:
    _, (chunk,) = receive(MIXED)
    late = judging._take(chunk)
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    present = judging._take(chunk)
    assert isinstance(late, judging.Lease)
    assert isinstance(present, judging.Lease)
    assert (judging._still_ours(late), judging._still_ours(present)) == (False, True)


def test_a_task_that_runs_too_long_gives_its_chunk_back(db, monkeypatch) -> None:
    def too_long(*_: Any, **__: Any) -> None:
        raise SoftTimeLimitExceeded

    _, (chunk,) = receive(MIXED)
    with monkeypatch.context() as slow:
        slow.setattr(replay, "audit_line", too_long)
        assert services.judge_chunk(chunk_id=chunk) == 6
    stored = Chunk.objects.get()
    assert (stored.state, stored.attempts) == ("queued", 1)
    assert stored.error == "SoftTimeLimitExceeded: SoftTimeLimitExceeded()"
    assert judge_task.time_limit < judging.LEASE.total_seconds()
    assert not Refusal.objects.exists(), "no line is blamed for it"


def test_an_upload_runs_until_its_last_chunk_has_ended(db, settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 2
    upload, chunks = receive(MIXED)
    states = []
    for chunk in chunks:
        services.judge_chunk(chunk_id=chunk)
        row = selectors.get_upload(upload, sources=None)
        states.append((row.state, row.audited, row.percent))
    assert states == [("running", 2, 40), ("running", 4, 80), ("done", 5, 100)]


@pytest.mark.django_db(transaction=True)
def test_two_last_chunks_that_end_at_once_give_the_upload_its_end(settings) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 3
    upload, (first, second) = receive(MIXED)
    lease = judging._take(first)
    assert isinstance(lease, judging.Lease)
    is_counted, may_commit = threading.Event(), threading.Event()

    def end_slowly() -> None:
        outcomes = judging.judge_lines(unpack_lines(lease.payload), selectors.current_rulesets())
        try:
            with transaction.atomic():
                assert judging._still_ours(lease)
                judging._close(lease, outcomes, store_outcomes(upload, outcomes))
                is_counted.set()
                assert may_commit.wait(240)
        finally:
            connection.close()

    def end_meanwhile() -> None:
        try:
            services.judge_chunk(chunk_id=second)
        finally:
            connection.close()

    threads = [threading.Thread(target=end_slowly), threading.Thread(target=end_meanwhile)]
    threads[0].start()
    assert is_counted.wait(240)
    threads[1].start()
    threads[1].join(0.3)
    assert threads[1].is_alive(), "it should wait for the first to have counted"
    may_commit.set()
    for thread in threads:
        thread.join()
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.audited) == ("done", 5)


def break_the_core(monkeypatch: pytest.MonkeyPatch, *hand_ids: str) -> None:
    """Put a fault into the core that shows with some hands only."""
    sound = replay.audit_line

    def audit_line(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        if json.loads(line)["hand_id"] in hand_ids:
            raise ZeroDivisionError("a planted fault\0")
        return sound(line, *args, **options)

    monkeypatch.setattr(replay, "audit_line", audit_line)


def test_svc_32_one_line_that_the_audit_fails_on_is_set_aside(ingest, monkeypatch) -> None:
    break_the_core(monkeypatch, "h17")
    row = ingest(log(*(changed(B, hand_id=f"h{number}") for number in range(1, 51))))
    assert row.state == "partly"
    assert (row.clean, row.failed, row.new) == (49, 1, 49)
    assert row.error == "1 of 50 lines could not be audited, through a fault of ours."
    refusal = Refusal.objects.get()
    assert refusal.line == 17
    assert refusal.is_our_fault
    assert refusal.reason.endswith("(ZeroDivisionError: a planted fault\\u0000)")
    assert json.loads(unpacked(refusal.raw))["hand_id"] == "h17"


def test_svc_32_an_upload_whose_every_line_fails_has_failed(ingest, monkeypatch) -> None:
    break_the_core(monkeypatch, "base-1")
    row = ingest(log(B))
    assert (row.state, row.failed, row.hands) == ("failed", 1, 0)


def test_svc_32_storing_that_fails_is_tried_again_and_then_given_up(db, monkeypatch) -> None:
    def store_nothing(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    upload, (chunk,) = receive(MIXED)
    with monkeypatch.context() as broken:
        broken.setattr(judging, "store_outcomes", store_nothing)
        waits = []
        for _ in range(judging.ATTEMPTS_MAX):
            waits.append(services.judge_chunk(chunk_id=chunk))
            Chunk.objects.update(due_at=timezone.now())
    assert waits == [6, 11, 21, None]
    row = selectors.get_upload(upload, sources=None)
    assert row.state == "failed"
    assert row.error == "5 of 5 lines could not be audited: RuntimeError: the disk is full"
    assert (row.failed, row.audited, row.lines) == (5, 5, 5)
    assert not Hand.objects.exists()
    assert not Refusal.objects.exists()
    assert services.judge_chunk(chunk_id=chunk) is None


def test_storing_that_fails_once_leaves_no_trace(db, monkeypatch) -> None:
    sound = judging.store_outcomes

    def store_then_fail(*args: Any) -> Any:
        sound(*args)
        raise RuntimeError("too late")

    upload, (chunk,) = receive(MIXED)
    with monkeypatch.context() as broken:
        broken.setattr(judging, "store_outcomes", store_then_fail)
        assert services.judge_chunk(chunk_id=chunk) == 6
    assert not Hand.objects.exists()
    assert services.judge_chunk(chunk_id=chunk) is not None, "it is not due yet"
    Chunk.objects.update(due_at=timezone.now())
    assert services.judge_chunk(chunk_id=chunk) is None
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.error) == ("done", 2, "")


def test_one_chunk_that_fails_leaves_the_upload_partly_done(db, settings, monkeypatch) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 3
    monkeypatch.setattr(judging, "ATTEMPTS_MAX", 1)
    upload, (first, second) = receive(MIXED)
    Chunk.objects.filter(pk=second).update(payload=b"damaged")
    services.judge_chunk(chunk_id=second)
    assert selectors.get_upload(upload, sources=None).state == "running"
    services.judge_chunk(chunk_id=first)
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed) == ("partly", 1, 2)
    assert row.error.startswith("2 of 5 lines could not be audited: ")


def cut_off(chunk: int, times: int = 1) -> None:
    """Let workers take a chunk and die without a word."""
    for _ in range(times):
        assert isinstance(judging._take(chunk), judging.Lease)
        Chunk.objects.filter(pk=chunk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_chunk_whose_workers_died_is_divided_and_its_lines_go_through(db) -> None:
    upload, (chunk,) = receive(MIXED)
    cut_off(chunk, judging.ATTEMPTS_MAX)
    assert services.judge_chunk(chunk_id=chunk) == 0
    parts = Chunk.objects.order_by("number")
    columns = ("number", "first_line", "line_count", "state", "attempts", "error")
    assert list(parts.values_list(*columns)) == [
        (number, number, 1, "queued", judging.ATTEMPTS_MAX - 1, "each attempt was cut off")
        for number in range(1, 6)
    ]
    for part in parts:
        assert services.judge_chunk(chunk_id=part.pk) is None
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.discrepant, row.void, row.rejected) == ("done", 2, 1, 1, 1)
    assert set(Chunk.objects.values_list("error", flat=True)) == {""}


def test_a_line_that_every_worker_dies_of_is_set_aside(db) -> None:
    upload, (chunk,) = receive(log(*(changed(B, hand_id=f"h{n}") for n in range(1, 51))))
    cut_off(chunk, judging.ATTEMPTS_MAX)
    cuts = judging.ATTEMPTS_MAX
    while (waiting := Chunk.objects.filter(state="queued").order_by("number")).exists() or (
        Chunk.objects.filter(state="running").exists()
    ):
        for one in list(waiting) + list(Chunk.objects.filter(state="running")):
            holds = one.first_line <= 17 < one.first_line + one.line_count
            if holds and one.attempts < judging.ATTEMPTS_MAX:
                cut_off(one.pk)
                cuts += 1
            else:
                services.judge_chunk(chunk_id=one.pk)
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed, row.new) == ("partly", 49, 1, 49)
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.is_our_fault) == (17, True)
    assert refusal.reason.endswith("(each attempt was cut off)")
    assert json.loads(unpacked(refusal.raw))["hand_id"] == "h17"
    assert cuts == judging.ATTEMPTS_MAX + 2, "parts of four lines, then one line"


def test_a_damaged_chunk_whose_workers_died_has_failed(db) -> None:
    upload, (chunk,) = receive(MIXED)
    cut_off(chunk, judging.ATTEMPTS_MAX)
    Chunk.objects.update(payload=b"damaged")
    assert services.judge_chunk(chunk_id=chunk) is None
    row = selectors.get_upload(upload, sources=None)
    assert row.state == "failed"
    assert row.error == "5 of 5 lines could not be audited: each attempt was cut off"


def test_a_chunk_that_always_takes_too_long_is_divided(db, monkeypatch) -> None:
    def too_long(*_: Any, **__: Any) -> None:
        raise SoftTimeLimitExceeded

    upload, (chunk,) = receive(MIXED)
    with monkeypatch.context() as slow:
        slow.setattr(replay, "audit_line", too_long)
        waits = []
        for _ in range(judging.ATTEMPTS_MAX):
            waits.append(services.judge_chunk(chunk_id=chunk))
            Chunk.objects.update(due_at=timezone.now())
        assert waits == [6, 11, 21, 0]
        assert services.judge_chunk(chunk_id=chunk) is None
    reasons = Refusal.objects.values_list("line", "is_our_fault", "reason")
    assert [(line, fault) for line, fault, _ in reasons] == [(1, True)]
    for part in Chunk.objects.filter(state="queued"):
        assert services.judge_chunk(chunk_id=part.pk) is None
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed, row.hands) == ("partly", 1, 1, 3)


def use_an_older_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge with an engine that finds a wrong rake in every hand."""
    sound = replay.audit_line

    def older(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        wrong = msgspec.structs.replace(
            audited.verdict,
            engine="0.9.0",
            verdict="discrepant",
            findings=(replay.Finding(code="rake-mismatch"),),
        )
        return replay.Audited(verdict=wrong, hand=audited.hand)

    monkeypatch.setattr(replay, "audit_line", older)


def test_svc_14_a_new_engine_adds_a_verdict_and_makes_it_current(ingest, monkeypatch) -> None:
    with monkeypatch.context() as old:
        use_an_older_engine(old)
        ingest(log(B))
    (hand,) = selectors.list_hands(sources=None).rows
    assert (hand.verdict, hand.error_code) == ("discrepant", "rake-mismatch")
    row = ingest(log(B))
    assert (row.new, row.duplicates, row.clean) == (0, 1, 1)
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert (detail.hand.verdict, detail.hand.error_code) == ("clean", "")
    assert (detail.hand.finding_codes, detail.hand.finding_count) == ((), 0)
    assert detail.findings == ()
    assert [(one.engine, one.kind) for one in detail.verdicts] == [
        (replay.ENGINE, "clean"),
        ("0.9.0", "discrepant"),
    ]
    assert detail.verdict.engine == replay.ENGINE
    assert len(detail.versions) == 1
    Hand.objects.update(verdict=Verdict.objects.get(engine="0.9.0"))
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert detail.verdict.engine == "0.9.0", "the current verdict is the one that the hand names"
    assert [finding.code for finding in detail.findings] == ["rake-mismatch"]


def test_a_new_verdict_of_one_of_two_versions_in_conflict_is_that_ones_alone(
    ingest, monkeypatch
) -> None:
    other = with_net(B, 1, "-99.00")
    with monkeypatch.context() as old:
        use_an_older_engine(old)
        ingest(log(B, other))
    ingest(log(other))
    (hand,) = selectors.list_hands(sources=None).rows
    assert hand.error_code == ""
    assert set(hand.finding_codes) >= {"rake-mismatch", "net-mismatch"}
    assert selectors.hand_detail(hand.pk, version=1, sources=None).verdict.engine == "0.9.0"
    assert selectors.hand_detail(hand.pk, version=2, sources=None).verdict.engine == replay.ENGINE


def test_a_warning_is_listed_but_is_no_error(ingest) -> None:
    """WZ-22: a hedged wager under a ruleset that only warns of it."""
    folder = GOLDEN / "wenzhou-pai-gow"
    lines = (folder / "planted.ndjson").read_bytes().splitlines()
    verdicts = (folder / "planted.verdicts.ndjson").read_bytes().splitlines()
    warned = [
        line
        for line, verdict in zip(lines, map(json.loads, verdicts), strict=True)
        if [one["code"] for one in verdict["findings"]] == ["wager-hedged"]
        and verdict["verdict"] == "clean"
        and selectors.current_rulesets().get(json.loads(line)["ruleset"]) is not None
    ]
    row = ingest(log(*warned))
    assert row.clean == len(warned) > 0
    for hand in selectors.list_hands(sources=None).rows:
        assert (hand.error_code, hand.finding_codes) == ("", ("wager-hedged",))


def test_players_stand_in_the_order_of_their_seats(ingest) -> None:
    ingest(log(changed(B, seats=json.loads(B)["seats"][::-1])))
    assert Hand.objects.get().players == ["Ann", "Bo", "Cy", "Di"]
