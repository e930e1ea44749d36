"""Lines that the store fails on are found by halves and set aside; the rest goes through."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils import timezone

from audit import selectors, services
from audit.models import Chunk, Hand, HandVersion, Refusal, Verdict
from audit.services import judging
from audit.services.payloads import ChunkLine
from audit.services.sifting import is_passing, sift_lines
from audit.zstd import unpacked
from tests.audit.logs import B, changed, log

FIFTY = log(*(changed(B, hand_id=f"h{number}") for number in range(1, 51)))

# The real store refuses certain hands by a trigger, at once or as late as at the commit.
REFUSE = """
CREATE FUNCTION refuse_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.hand_id ~ TG_ARGV[0] THEN
        RAISE EXCEPTION 'no room for %', NEW.hand_id {using};
    END IF;
    RETURN NEW;
END $$;
"""
AT_ONCE = """
CREATE TRIGGER refuse_hand BEFORE INSERT ON audit_hand
    FOR EACH ROW EXECUTE FUNCTION refuse_hand('{pattern}')
"""
AT_COMMIT = """
CREATE CONSTRAINT TRIGGER refuse_hand AFTER INSERT ON audit_hand
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_hand('{pattern}')
"""


def refuse(pattern: str, *, trigger: str = AT_ONCE, using: str = "") -> None:
    with connection.cursor() as cursor:
        cursor.execute(REFUSE.format(using=using))
        cursor.execute(trigger.format(pattern=pattern))


def receive(data: bytes) -> tuple[int, int]:
    received = services.receive_upload(name="hands.ndjson", stream=io.BytesIO(data))
    return received.upload_id, Chunk.objects.get(upload_id=received.upload_id).pk


def judge_to_the_end(chunk: int) -> list[float | None]:
    """Judge a chunk until it has ended; gives what each attempt returned."""
    waits: list[float | None] = []
    while not waits or waits[-1] is not None:
        waits.append(services.judge_chunk(chunk_id=chunk))
        Chunk.objects.update(due_at=timezone.now())
    return waits


def test_svc_32_storing_that_fails_for_one_hand_sets_its_line_aside(db) -> None:
    refuse("^h17$")
    upload, chunk = receive(FIFTY)
    assert judge_to_the_end(chunk) == [6, 11, 21, None]
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed, row.new, row.rejected) == ("partly", 49, 1, 49, 0)
    assert row.error == "1 of 50 lines could not be audited, through a fault of ours."
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.place, refusal.is_our_fault) == (17, "$", True)
    assert refusal.reason.endswith("no room for h17)")
    assert json.loads(unpacked(refusal.raw))["hand_id"] == "h17"
    assert set(Hand.objects.values_list("hand_id", flat=True)) == {
        f"h{number}" for number in range(1, 51) if number != 17
    }
    assert Verdict.objects.count() == HandVersion.objects.count() == 49
    assert bytes(Chunk.objects.get().payload) == b""


@pytest.mark.django_db(transaction=True)
def test_svc_32_storing_that_fails_at_the_commit_for_one_hand() -> None:
    refuse("^h17$", trigger=AT_COMMIT)
    try:
        upload, chunk = receive(FIFTY)
        assert judge_to_the_end(chunk) == [6, 11, 21, None]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse_hand CASCADE")
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed, row.new) == ("partly", 49, 1, 49)
    assert Refusal.objects.get().line == 17


def test_svc_32_storing_that_fails_for_every_hand(db) -> None:
    refuse("")
    upload, chunk = receive(FIFTY)
    assert judge_to_the_end(chunk) == [6, 11, 21, None]
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.hands, row.failed, row.new) == ("failed", 0, 50, 0)
    assert row.error.startswith("50 of 50 lines could not be audited. The first is line 1: ")
    assert "no room for h1" in row.error
    assert list(Refusal.objects.order_by("line").values_list("line", flat=True)) == list(
        range(1, 51)
    )
    assert not Hand.objects.exists()


def test_several_lines_are_set_aside_and_repeats_are_counted_as_ever(db) -> None:
    refuse("^h(3|4|50)$")
    upload, chunk = receive(FIFTY + FIFTY + log(b"{}"))
    judge_to_the_end(chunk)
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.lines, row.new, row.duplicates) == ("partly", 101, 47, 47)
    assert (row.clean, row.failed, row.rejected) == (94, 6, 1)
    faults = Refusal.objects.filter(is_our_fault=True).order_by("line")
    assert list(faults.values_list("line", flat=True)) == [3, 4, 50, 53, 54, 100]


def test_a_database_that_is_busy_is_no_fault_of_a_line_and_costs_no_attempt(db) -> None:
    refuse("^h17$", using="USING ERRCODE = 'deadlock_detected'")
    upload, chunk = receive(FIFTY)
    for _ in range(judging.ATTEMPTS_MAX + 1):
        with pytest.raises(OperationalError, match="no room for h17"):
            services.judge_chunk(chunk_id=chunk)
        stored = Chunk.objects.get()
        assert (stored.state, stored.attempts, stored.lease_until) == ("queued", 0, None)
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER refuse_hand ON audit_hand")
    assert services.judge_chunk(chunk_id=chunk) is None
    row = selectors.get_upload(upload, sources=None)
    assert (row.state, row.clean, row.failed) == ("done", 50, 0)


def test_what_the_database_says_of_itself_is_told_from_what_it_says_of_a_row(db) -> None:
    statements = {
        "SELECT 1/0": False,
        "SELECT 'x'::int": False,
        "SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)": True,
        "DO $$ BEGIN RAISE 'full' USING ERRCODE = 'disk_full'; END $$": True,
        "DO $$ BEGIN RAISE 'too long' USING ERRCODE = 'program_limit_exceeded'; END $$": False,
    }
    for statement, expected in statements.items():
        with (
            pytest.raises(DatabaseError) as raised,
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
        assert is_passing(raised.value) is expected, statement
    assert is_passing(OperationalError("the connection is lost"))
    assert not is_passing(MemoryError())


def test_the_work_of_halving_is_bounded(db) -> None:
    tried: list[int] = []

    def store(piece: list[ChunkLine]) -> int:
        tried.append(len(piece))
        raise ValueError(f"not {piece[0].number}")

    def set_aside(line: ChunkLine, reason: str) -> tuple[int, str]:
        return line.number, reason

    lines = [ChunkLine(number, 0, b"") for number in range(1, 65)]
    result: list[Any] = sift_lines(lines, store=store, set_aside=set_aside)
    assert result == [(number, f"ValueError: not {number}") for number in range(1, 65)]
    assert len(tried) == 2 * 64 - 2
    assert sum(tried) == 64 * 6
