"""New hands are stored while those behind them are judged, and come to the same as at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.db.utils import IntegrityError

import replay
from audit import services
from audit.models import Chunk, Finding, Hand, HandVersion, Refusal, Verdict
from audit.selectors import current_rulesets
from audit.services import judging, storing, storing_new, storing_sql
from audit.services.copying import copy_rows
from audit.services.outcomes import Outcomes
from audit.services.payloads import ChunkLine
from audit.services.storing import Stored
from tests.audit.logs import B, changed, log, void, with_net
from tests.audit.test_judging import receive
from tests.audit.test_storing_new import content, judged, upload

PIECE = 4


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a few hands, and steps of one line: each COPY then has a line judged beside it."""
    monkeypatch.setattr(storing_new, "PIECE_HANDS", PIECE)
    monkeypatch.setattr(judging, "STEP_LINES", 1)


def named(count: int, prefix: str = "h") -> list[bytes]:
    """So many hands, not in the order of their names, every third of them wrong, one void."""
    lines = [changed(B, hand_id=f"{prefix}-{(7 * n) % 100:02}-{n}") for n in range(count)]
    lines[::3] = [with_net(line, 1, "-99.00") for line in lines[::3]]
    lines[1] = void(lines[1])
    return lines


def in_steps(lines: list[bytes]) -> tuple[Outcomes, Callable[[], bool]]:
    """Outcomes, and what judges one more line into them."""
    outcomes, rulesets = Outcomes(), current_rulesets()

    def judge() -> Iterator[bool]:
        for number, line in enumerate(lines, 1):
            outcomes.add(ChunkLine(number, 0, line), replay.audit_line(line, rulesets))
            yield True

    steps = judge()
    return outcomes, lambda: next(steps, False)


def test_piece_by_piece_stores_the_same(db: Any, small_pieces: None) -> None:
    lines = [*named(30), b"{}"]
    stored = {}
    for is_at_once in (True, False):
        outcomes, judge_on = in_steps(lines)
        with transaction.atomic():
            if is_at_once:
                counts = storing.store_outcomes(upload(), judged(lines))
            else:
                counts = storing.store_outcomes(upload(), outcomes, judge_on)
            assert counts == Stored(new=30, duplicates=0, conflicts=0)
            assert Refusal.objects.count() == 1
            assert Finding.objects.count() > 10
            stored[is_at_once] = content()
            transaction.set_rollback(True)
    assert stored[True] == stored[False]


def test_a_piece_is_stored_before_the_last_line_is_judged(
    db: Any, small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_then: list[int] = []
    outcomes, judge_on = in_steps(named(30))
    store = storing_new._store

    def noted(cursor: Any, upload_id: int, hands: list[Any], *rest: Any) -> None:
        judged_then.append(len(outcomes.hands))
        store(cursor, upload_id, hands, *rest)

    monkeypatch.setattr(storing_new, "_store", noted)
    assert storing_new.store_new_hands(upload(), outcomes, judge_on) is True
    assert judged_then[0] == PIECE
    assert judged_then[-1] == 30
    assert len(judged_then) >= 4
    keys = Hand.objects.order_by("pk").values_list("version__line", flat=True)
    assert list(keys) == list(range(1, 31)), "keys grow with the lines"


@pytest.mark.parametrize("place", [0, 1, 9, 29])
def test_a_hand_that_is_known_sends_all_the_long_way(
    ingest: Any, small_pieces: None, place: int
) -> None:
    lines = named(30)
    ingest(log(lines[place]))
    row = ingest(log(*lines))
    assert (row.new, row.duplicates, row.conflicts) == (29, 1, 0)
    assert (row.hands, row.state) == (30, "done")
    assert Hand.objects.count() == HandVersion.objects.count() == Verdict.objects.count() == 30


def test_a_hand_that_comes_twice_in_a_chunk_is_one(ingest: Any, small_pieces: None) -> None:
    lines = named(20)
    row = ingest(log(*lines, lines[2], changed(lines[4], table="another")))
    assert (row.new, row.duplicates, row.conflicts) == (20, 1, 1)
    assert (Hand.objects.count(), HandVersion.objects.count()) == (20, 21)


def test_time_that_runs_out_beside_a_copy_leaves_no_trace(
    db: Any, small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each place where lines are judged while rows are on their way, also behind their end."""
    sound, calls = replay.audit_line, 0
    lines = named(30)
    # Four lines come before the first piece; then two beside each of four COPY.
    for last in range(1, 14):
        _, (chunk,) = receive(log(*lines))
        calls = 0

        def until(*args: Any, limit: int = last, **options: Any) -> replay.Audited:
            nonlocal calls
            calls += 1
            if calls > limit:
                raise SoftTimeLimitExceeded
            return sound(*args, **options)

        with monkeypatch.context() as slow:
            slow.setattr(replay, "audit_line", until)
            assert services.judge_chunk(chunk_id=chunk) == 6
        known = Chunk.objects.get(pk=chunk)
        assert (known.state, known.attempts) == ("queued", 1)
        assert not Hand.objects.exists()
        assert not Verdict.objects.exists()


def test_what_the_database_does_not_take_is_said_also_behind_the_end(db: Any) -> None:
    row = (upload(), 1, 0, "$", "why", None, None, False)
    columns = storing_sql.REFUSAL
    calls: list[int] = []
    with (
        connection.cursor() as cursor,
        pytest.raises(IntegrityError, match="null value"),
        transaction.atomic(),
    ):
        copy_rows(
            cursor, "audit_refusal", columns, [(*row[:3], None, *row[4:])],
            meanwhile=lambda: calls.append(1),
        )  # fmt: skip
    assert calls == [1, 1]
    with connection.cursor() as cursor:
        copy_rows(cursor, "audit_refusal", columns, [row], meanwhile=lambda: calls.append(2))
    assert calls == [1, 1, 2, 2]
    assert Refusal.objects.get().reason == "why"


@pytest.mark.django_db(transaction=True)
def test_chunks_with_the_same_hands_in_another_order_do_not_wait_for_each_other(
    small_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has stored what the other is to store next. Without stepping back it would be a knot,
    which the database cuts after a second by ending one of the two."""
    lines = named(2 * PIECE)
    meet = threading.Barrier(2, timeout=240)
    uploads = [upload(), upload()]
    of_thread = threading.local()
    store_piece = storing_new._store

    def store_and_meet(*piece: Any) -> None:
        if getattr(of_thread, "has_stored", False):
            meet.wait()
        store_piece(*piece)
        of_thread.has_stored = True

    monkeypatch.setattr(storing_new, "_store", store_and_meet)
    counts: dict[int, Stored] = {}
    errors: list[BaseException] = []

    def store(number: int, own: list[bytes]) -> None:
        outcomes, judge_on = in_steps(own)
        try:
            with transaction.atomic():
                counts[number] = storing.store_outcomes(uploads[number], outcomes, judge_on)
        except BaseException as error:
            errors.append(error)
            raise
        finally:
            connection.close()

    orders = [lines, [*lines[PIECE:], *lines[:PIECE]]]
    threads = [threading.Thread(target=store, args=pair) for pair in enumerate(orders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
        assert not thread.is_alive()
    assert not errors
    assert sorted((one.new, one.duplicates, one.conflicts) for one in counts.values()) == [
        (0, 2 * PIECE, 0),
        (2 * PIECE, 0, 0),
    ]
    assert Hand.objects.count() == 2 * PIECE
