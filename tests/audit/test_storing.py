"""Identity: which lines are new, which are known, which are in conflict; and nothing is doubled."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable
from datetime import date
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.utils import IntegrityError

import replay
from audit import selectors, services
from audit.models import Chunk, Duplicate, Finding, Hand, HandVersion, Upload, Verdict
from audit.services.outcomes import Outcomes, day_of, instant_of
from audit.services.payloads import ChunkLine
from audit.services.storing import store_outcomes
from audit.zstd import packed, unpacked
from tests.audit.logs import GOLDEN, B, changed, log, respelt, with_net

OTHER = with_net(B, 1, "-99.00")


def test_the_same_file_twice_gives_duplicates_only(ingest) -> None:
    data = log(B, changed(B, hand_id="base-2"))
    first, second = ingest(data), ingest(data)
    assert (first.new, first.duplicates) == (2, 0)
    assert (second.state, second.new, second.duplicates, second.clean) == ("done", 0, 2, 2)
    assert (Hand.objects.count(), HandVersion.objects.count(), Verdict.objects.count()) == (2, 2, 2)
    (row, *_) = selectors.list_hands(sources=None).rows
    detail = selectors.hand_detail(row.pk, sources=None)
    assert detail.version.upload_id == first.id
    assert [one.upload_id for one in detail.duplicates] == [second.id]


def test_svc_01_the_same_meaning_in_other_bytes_is_a_duplicate(ingest) -> None:
    other = respelt(B)
    first, second = ingest(log(B), "a.ndjson"), ingest(log(other), "b.ndjson")
    assert (first.new, first.duplicates, first.conflicts, first.clean) == (1, 0, 0, 1)
    assert (second.new, second.duplicates, second.conflicts, second.clean) == (0, 1, 0, 1)
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict_kind) == (False, "clean")
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert detail.raw == B
    assert (len(detail.versions), len(detail.verdicts)) == (1, 1)
    assert detail.version.upload_name == "a.ndjson"
    (duplicate,) = detail.duplicates
    assert (duplicate.upload_name, duplicate.is_respelt) == ("b.ndjson", True)
    stored = Duplicate.objects.get()
    assert (unpacked(stored.raw), stored.sha256) == (other, hashlib.sha256(other).digest())


def test_svc_01_within_one_chunk_and_beside_a_conflict(ingest) -> None:
    row = ingest(log(respelt(B), B, OTHER, respelt(OTHER), B))
    assert (row.new, row.duplicates, row.conflicts) == (1, 3, 1)
    versions = HandVersion.objects.order_by("number").values_list("number", "line")
    assert list(versions) == [(1, 1), (2, 3)]
    duplicates = Duplicate.objects.order_by("line").values_list("version__number", "line")
    assert list(duplicates) == [(1, 2), (2, 4), (1, 5)]
    again = ingest(log(OTHER, respelt(OTHER), respelt(B)))
    assert (again.new, again.duplicates, again.conflicts) == (0, 3, 0)
    kept = Duplicate.objects.filter(upload_id=again.id).order_by("line")
    assert [one.raw is None for one in kept] == [True, False, True]


def test_another_spelling_of_an_amount_is_another_meaning(ingest) -> None:
    ingest(log(changed(B, ext={"fee": 80})))
    row = ingest(log(changed(B, ext={"fee": "80"}), changed(B, ext={"fee": 80.0})))
    assert (row.duplicates, row.conflicts) == (0, 2)


def test_svc_03_the_same_hand_twice_in_one_file(ingest) -> None:
    row = ingest((GOLDEN / "odd" / "same-hand-twice.ndjson").read_bytes())
    assert (row.lines, row.new, row.duplicates, row.conflicts) == (3, 1, 1, 1)
    hand = Hand.objects.get()
    assert hand.is_conflict
    assert row.new + row.duplicates + row.conflicts == row.hands == row.lines
    assert len(selectors.hand_detail(hand.pk, sources=None).differences) == 1


@pytest.mark.parametrize("first", [B, OTHER], ids=["right first", "wrong first"])
def test_svc_02_other_bytes_are_a_second_version_in_conflict(ingest, first) -> None:
    second = OTHER if first == B else B
    ingest(log(first), "a.ndjson")
    row = ingest(log(second), "b.ndjson")
    assert (row.new, row.duplicates, row.conflicts) == (0, 0, 1)
    hand = Hand.objects.get()
    assert (hand.is_conflict, hand.verdict_kind, hand.error_code) == (True, "discrepant", "")
    for number, line in ((1, first), (2, second)):
        detail = selectors.hand_detail(hand.pk, version=number, sources=None)
        assert detail.raw == line
        assert detail.verdict.kind == ("clean" if line == B else "discrepant")
        assert bool(detail.findings) is (line != B)
        assert [one.upload_name for one in detail.versions] == ["a.ndjson", "b.ndjson"]
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert detail.raw == min(B, OTHER, key=replay.canonical_sha256), "whichever came first"
    nets = {B: "-100.00", OTHER: "-99.00"}
    values = (nets[first], nets[second])
    assert detail.differences == (replay.Difference(path="result.seats.1.net", values=values),)
    kinds = {B: "clean", OTHER: "discrepant"}
    assert [one.kind for one in detail.versions] == [kinds[first], kinds[second]]
    again = ingest(log(second))
    assert (again.new, again.duplicates, again.conflicts) == (0, 1, 0)


def test_several_new_versions_in_one_chunk_are_numbered_in_order(ingest) -> None:
    ingest(log(B))
    versions = [with_net(B, 1, f"-{amount}.00") for amount in (1, 2, 3)]
    row = ingest(log(*versions, versions[0]))
    assert (row.new, row.duplicates, row.conflicts) == (0, 1, 3)
    stored = HandVersion.objects.order_by("number").values_list("number", "line")
    assert list(stored) == [(1, 1), (2, 1), (3, 2), (4, 3)]


def test_svc_05_legal_twins_are_two_hands(ingest) -> None:
    ingest(log(changed(B, hand_id="301"), changed(B, hand_id="302")))
    row = ingest(log(changed(B, hand_id="302")))
    assert (row.new, row.duplicates) == (0, 1)
    assert Duplicate.objects.get().version.hand.hand_id == "302"


def test_svc_06_ids_are_texts_and_compared_exactly(ingest) -> None:
    row = ingest((GOLDEN / "odd" / "hand-ids.ndjson").read_bytes())
    assert row.new == row.lines == 13
    ids = set(Hand.objects.values_list("hand_id", flat=True))
    assert len(ids) == 13
    assert {"9007199254740993", "abc", "abc "} <= ids
    assert Hand.objects.get(hand_id="abc ").hand_id == "abc "


def test_names_that_look_alike_are_kept_apart_code_point_by_code_point(ingest) -> None:
    names = ["e\u0301", "\u00e9", "E\u0301", "ß", "ss", "ﬁ", "fi", "１", "1", "01"]
    row = ingest(log(*(changed(B, hand_id=name) for name in names)))
    assert row.new == len(names)
    assert set(Hand.objects.values_list("hand_id", flat=True)) == set(names)


def test_one_id_of_two_sources_is_two_hands(ingest) -> None:
    assert ingest(log(B, changed(B, source="elsewhere"))).new == 2


def test_svc_08_late_hands_are_taken(ingest) -> None:
    def at(minute: int) -> bytes:
        return changed(
            B,
            hand_id=f"at-{minute}",
            started_at=f"2025-03-01T10:{minute:02}:00+08:00",
            ended_at="2025-03-01T11:00:00+08:00",
        )

    ingest(log(at(0), at(5), at(10)))
    assert ingest(log(at(3), at(12))).new == 2
    order = [row.hand_id for row in selectors.list_hands(sources=None).rows]
    assert order == ["at-12", "at-10", "at-5", "at-3", "at-0"]


@pytest.mark.django_db(transaction=True)
def test_svc_45_one_file_eight_uploads_at_once() -> None:
    lines = [changed(B, hand_id=f"h{number}") for number in range(100)]
    lines.append(with_net(changed(B, hand_id="x"), 1, "-99.00"))
    barrier = threading.Barrier(8)
    rows: list[selectors.UploadRow] = []
    errors: list[BaseException] = []

    def upload(turn: int) -> None:
        try:
            # Each in another order: whoever waits for whom must not depend on the file.
            data = log(*lines[turn * 10 :], *lines[: turn * 10])
            barrier.wait()
            received = services.receive_upload(name=f"{turn}", stream=io.BytesIO(data))
            for chunk in Chunk.objects.filter(upload_id=received.upload_id):
                assert services.judge_chunk(chunk_id=chunk.pk) is None
            rows.append(selectors.get_upload(received.upload_id, sources=None))
        except BaseException as error:
            errors.append(error)
            raise
        finally:
            connection.close()

    threads = [threading.Thread(target=upload, args=(turn,)) for turn in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [row.state for row in rows] == ["done"] * 8
    assert sum(row.new for row in rows) == 101
    assert sum(row.duplicates for row in rows) == 707
    assert sum(row.conflicts for row in rows) == 0
    assert Hand.objects.count() == HandVersion.objects.count() == Verdict.objects.count() == 101
    assert Finding.objects.values("verdict").distinct().count() == 1


def receive(*lines: bytes) -> int:
    return services.receive_upload(name="x", stream=io.BytesIO(log(*lines))).upload_id


def store(upload: int, line: bytes) -> None:
    outcomes = Outcomes()
    outcomes.add(ChunkLine(1, 0, line), replay.audit_line(line, selectors.current_rulesets()))
    store_outcomes(upload, outcomes)


def race(act: Callable[[], None], second: int, *, rolls_back: bool) -> None:
    """Act, and while that is not committed yet judge an upload; then commit or roll back the act.

    Fails when the second does not wait for the first.
    """
    is_stored, may_end = threading.Event(), threading.Event()

    def act_slowly() -> None:
        try:
            with transaction.atomic():
                act()
                is_stored.set()
                assert may_end.wait(240)
                transaction.set_rollback(rolls_back)
        finally:
            connection.close()

    def judge() -> None:
        try:
            services.judge_chunk(chunk_id=Chunk.objects.get(upload_id=second).pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=act_slowly), threading.Thread(target=judge)]
    threads[0].start()
    assert is_stored.wait(240)
    threads[1].start()
    threads[1].join(0.3)
    waited = threads[1].is_alive()
    may_end.set()
    for thread in threads:
        thread.join()
    assert waited


@pytest.mark.django_db(transaction=True)
def test_svc_47_a_rollback_leaves_the_hand_to_the_one_who_waited() -> None:
    second = receive(B)
    race(partial(store, receive(B), B), second, rolls_back=True)
    row = selectors.get_upload(second, sources=None)
    assert (row.state, row.new, row.duplicates) == ("done", 1, 0)
    assert Hand.objects.count() == HandVersion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_whoever_waited_for_a_hand_that_was_committed_finds_it_known() -> None:
    second = receive(B)
    race(partial(store, receive(B), B), second, rolls_back=False)
    row = selectors.get_upload(second, sources=None)
    assert (row.state, row.new, row.duplicates) == ("done", 0, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_half", [False, True], ids=["stored", "half stored"])
def test_two_new_versions_of_one_hand_at_once_get_two_numbers(is_half) -> None:
    services.judge_chunk(chunk_id=Chunk.objects.get(upload_id=receive(B)).pk)
    first, second = (receive(with_net(B, 1, net)) for net in ("-1.00", "-2.00"))

    def store_half() -> None:
        """As far as the lock on the hand and the version."""
        hand = Hand.objects.select_for_update(no_key=True).get()
        line = with_net(B, 1, "-1.00")
        HandVersion.objects.create(
            hand=hand,
            number=2,
            raw=packed(line),
            sha256=hashlib.sha256(line).digest(),
            upload_id=first,
            line=1,
        )

    whole = partial(store, first, with_net(B, 1, "-1.00"))
    race(store_half if is_half else whole, second, rolls_back=False)
    row = selectors.get_upload(second, sources=None)
    chunk = Chunk.objects.get(upload_id=second)
    assert (row.state, row.conflicts, chunk.attempts, chunk.error) == ("done", 1, 1, "")
    assert list(HandVersion.objects.order_by("id").values_list("number", flat=True)) == [1, 2, 3]


@pytest.mark.parametrize("model", [HandVersion, Verdict, Finding, Duplicate])
@pytest.mark.parametrize("act", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_what_was_said_once_cannot_be_changed_or_deleted(ingest, model, act) -> None:
    ingest(log(OTHER, OTHER))
    table = model._meta.db_table
    assert model.objects.exists()
    with pytest.raises(DatabaseError, match="are never changed or deleted"), transaction.atomic():
        connection.cursor().execute(act.format(table))


def test_a_state_that_does_not_exist_is_refused_by_the_database(ingest) -> None:
    ingest(log(B))
    with pytest.raises(IntegrityError, match="chunk_state_known"), transaction.atomic():
        Chunk.objects.update(state="processing")


def test_counts_beyond_the_lines_are_refused_by_the_database(ingest) -> None:
    row = ingest(log(B))
    with pytest.raises(IntegrityError, match="upload_counts_add_up"), transaction.atomic():
        Upload.objects.filter(pk=row.id).update(clean_count=2)


@pytest.mark.parametrize(
    ("text", "instant", "day"),
    [
        ("2025-05-01T00:30:00+08:00", "2025-04-30T16:30:00+00:00", date(2025, 5, 1)),
        ("2025-04-30T23:30:00-07:00", "2025-05-01T06:30:00+00:00", date(2025, 4, 30)),
        ("2026-01-05T23:11:17.250Z", "2026-01-05T23:11:17.250000+00:00", date(2026, 1, 5)),
        ("2026-01-05T00:11:17.001+08:00", "2026-01-04T16:11:17.001000+00:00", date(2026, 1, 5)),
        ("2025-05-01t00:00:00.5z", "2025-05-01T00:00:00.500000+00:00", date(2025, 5, 1)),
        ("2025-05-01T00:00:00.0000019Z", "2025-05-01T00:00:00.000001+00:00", date(2025, 5, 1)),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999+00:00", date(2016, 12, 31)),
        ("0001-01-01T00:00:00+08:00", "0001-01-01T00:00:00+00:00", date(1, 1, 1)),
        ("9999-12-31T23:00:00-08:00", "9999-12-31T23:59:59.999999+00:00", date(9999, 12, 31)),
    ],
)
def test_times_become_an_instant_and_the_day_of_the_log(text, instant, day) -> None:
    assert instant_of(text).isoformat() == instant
    assert day_of(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "2025-W01-1T10:00:00.000Z",
        "2026-01-05T100000.00000Z",
        "2026-01-05T10:00:00,000Z",
        "2026-01-05T24:00:00Z",
        "2026-01-05T10:00:00+08:60",
        "2026-02-29T10:00:00Z",
        "2026-01-05",
    ],
)
def test_what_is_no_time_of_rfc_3339_has_no_instant(text) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - that it has none is all that is said
        instant_of(text)


def test_svc_74_every_time_that_is_accepted_can_be_stored_and_listed(ingest) -> None:
    row = ingest((GOLDEN / "odd" / "times-accepted.ndjson").read_bytes())
    rows = selectors.list_hands(limit=500, sources=None).rows
    assert len(rows) == row.new == row.hands > 5
    assert [one.played_at for one in rows] == sorted((one.played_at for one in rows), reverse=True)
