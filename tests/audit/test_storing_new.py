"""A chunk of new hands goes straight into the tables, with the same rows as by the long way."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

import replay
from audit.models import Finding, Hand, HandVersion, Table, TableTouch, Upload, Verdict
from audit.selectors import current_rulesets
from audit.services import judging, storing, storing_new
from audit.services.outcomes import Outcomes, instant_of
from audit.services.payloads import ChunkLine
from tests.audit.logs import GOLDEN, B, W, changed, void, with_net

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")
LINES = [B, WRONG, void(B, hand_id="void"), W]


def judged(lines: list[bytes]) -> Outcomes:
    return judging.judge_lines(
        [ChunkLine(number, 0, line) for number, line in enumerate(lines, 1)], current_rulesets()
    )


def upload() -> int:
    return Upload.objects.create(name="hands.ndjson", state="queued").pk


def content() -> list[Any]:
    """All rows with names in place of keys, which are drawn in another order."""
    own = ("id", "created_at", "version_id", "verdict_id", "hand_id", "upload_id", "table_id")
    found: list[Any] = []
    for model, order in (
        (Hand, ("source", "hand_id")),
        (HandVersion, ("hand__source", "hand__hand_id", "number")),
        (Verdict, ("version__hand__source", "version__hand__hand_id")),
        (Finding, ("verdict__version__hand__source", "verdict__version__hand__hand_id",
                   "position")),
        (Table, ("source", "name")),
        (TableTouch, ("table__source", "table__name", "since")),
    ):  # fmt: skip
        for row in model.objects.order_by(*order).values():
            kept = {key: value for key, value in row.items() if key not in own}
            kept.pop("queued_at", None)
            found.append({k: bytes(v) if isinstance(v, memoryview) else v for k, v in kept.items()})
        found.append(list(model.objects.order_by(*order).values_list(*order)))
    return found


def test_both_ways_store_the_same(db: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = {ruleset.name for ruleset in replay.load_rulesets()}
    planted = [
        line
        for path in sorted(GOLDEN.glob("*/planted.ndjson"))
        for line in path.read_bytes().splitlines()
        if (hand := replay.audit_line(line, current_rulesets()).hand) and hand.ruleset in shipped
    ]
    outcomes = judged([*LINES, *planted])
    assert len(outcomes.hands) > 300
    assert len(outcomes.findings) > 300
    stored = {}
    for is_direct in (True, False):
        with monkeypatch.context() as ways, transaction.atomic():
            if not is_direct:
                ways.setattr(storing, "store_new_hands", lambda *_: False)
            counts = storing.store_outcomes(upload(), outcomes)
            assert (counts.new, counts.duplicates, counts.conflicts) == (len(outcomes.hands), 0, 0)
            stored[is_direct] = content()
            transaction.set_rollback(True)
    assert stored[True] == stored[False]


def test_new_hands_go_the_short_way_and_known_ones_do_not(db: Any) -> None:
    assert storing_new.store_new_hands(upload(), judged(LINES)) is True
    assert Hand.objects.count() == HandVersion.objects.count() == Verdict.objects.count() == 4
    assert storing_new.store_new_hands(upload(), judged([changed(B, hand_id="new"), B])) is False
    twice = changed(B, hand_id="twice")
    assert storing_new.store_new_hands(upload(), judged([twice, twice])) is False
    assert Hand.objects.count() == 4, "nothing is stored by half"


def test_keys_grow_with_the_lines_and_not_with_the_names(db: Any) -> None:
    """Of two hands at one moment the one that arrived first stands before the other."""
    names = ["m", "z", "a", "b"]
    lines = [changed(B, hand_id=name) for name in names]
    assert storing_new.store_new_hands(upload(), judged(lines)) is True
    in_order = Hand.objects.order_by("pk").values_list("hand_id", "version__line")
    assert list(in_order) == [("m", 1), ("z", 2), ("a", 3), ("b", 4)]
    versions = HandVersion.objects.order_by("pk").values_list("line", flat=True)
    verdicts = Verdict.objects.order_by("pk").values_list("version__line", flat=True)
    assert list(versions) == list(verdicts) == [1, 2, 3, 4]


def test_the_same_id_of_another_source_is_another_hand(db: Any) -> None:
    other = changed(B, source="other")
    assert storing_new.store_new_hands(upload(), judged([B])) is True
    assert storing_new.store_new_hands(upload(), judged([other])) is True
    assert Hand.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_hands_that_another_chunk_brings_at_the_same_moment_are_duplicates() -> None:
    """The short way finds nothing known, waits at the constraint, and leaves it to the long one."""
    first, second = upload(), upload()
    is_stored, may_commit = threading.Event(), threading.Event()

    def store_slowly() -> None:
        try:
            with transaction.atomic():
                storing.store_outcomes(first, judged(LINES))
                is_stored.set()
                assert may_commit.wait(240)
        finally:
            connection.close()

    counts: list[storing.Stored] = []

    def store_meanwhile() -> None:
        try:
            with transaction.atomic():
                lines = [changed(B, hand_id="a new one"), *reversed(LINES)]
                counts.append(storing.store_outcomes(second, judged(lines)))
        finally:
            connection.close()

    threads = [threading.Thread(target=store_slowly), threading.Thread(target=store_meanwhile)]
    threads[0].start()
    assert is_stored.wait(240)
    threads[1].start()
    threads[1].join(0.5)
    assert threads[1].is_alive(), "it should wait for the other to have ended"
    may_commit.set()
    for thread in threads:
        thread.join(240)
    assert counts == [storing.Stored(new=1, duplicates=4, conflicts=0)]
    assert Hand.objects.count() == 5


def test_a_chunk_is_eight_statements(db: Any, django_assert_num_queries: Any) -> None:
    """A savepoint and its end, four COPY, two for the tables; besides, a question and the ids."""
    for prefix, lines in (("few", LINES), ("many", LINES * 9)):
        named = [changed(line, hand_id=f"{prefix}-{n}") for n, line in enumerate(lines)]
        outcomes, upload_id = judged(named), upload()
        with django_assert_num_queries(8):
            storing.store_outcomes(upload_id, outcomes)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2025-03-01T10:00:00+08:00", datetime(2025, 3, 1, 2, tzinfo=UTC)),
        ("2025-03-01T10:00:00.1234Z", datetime(2025, 3, 1, 10, 0, 0, 123_400, UTC)),
        ("2025-03-01T10:00:00Z", datetime(2025, 3, 1, 10, tzinfo=UTC)),
        ("2016-12-31T23:59:60+00:00", datetime(2016, 12, 31, 23, 59, 59, 999_999, UTC)),
        ("0001-01-01T00:00:00+08:00", datetime.min.replace(tzinfo=UTC)),
        ("9999-12-31T23:59:59-08:00", datetime.max.replace(tzinfo=UTC)),
        ("2025-03-01t10:00:00-00:00", datetime(2025, 3, 1, 10, tzinfo=UTC)),
    ],
)
def test_an_instant_is_the_same_by_either_reading(text: str, instant: datetime) -> None:
    assert instant_of(text) == instant
    assert instant_of(text).tzinfo is UTC
