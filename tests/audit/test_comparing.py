"""Hands compared with the one before them at their table, as they come in (FORMAT 6.6)."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import msgspec
import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

import replay
from audit import selectors, services
from audit.models import (
    Chunk,
    Comparison,
    ComparisonFinding,
    Finding,
    Hand,
    Table,
    TableTouch,
    Verdict,
)
from audit.services import comparing
from audit.web.presenters.hands import stored_verdict
from tests.audit.chains import (
    CHAINS,
    assert_counts_hold,
    assert_stands,
    by_command,
    clocked,
    compare_all,
    golden,
    hand_of,
    simulated,
)
from tests.audit.logs import Ingest, changed, log
from tests.golden_vectors import assert_same_verdict, rulesets, vectors


@pytest.fixture(autouse=True)
def golden_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service know the test rulesets, too."""
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)


def everything() -> list[Any]:
    models = (Hand, Verdict, Finding, Comparison, ComparisonFinding, Table, TableTouch)
    return [list(model.objects.order_by("pk").values()) for model in models]


@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_each_hand_of_a_golden_chain_gets_its_verdict(ingest: Ingest, game: str, name: str) -> None:
    lines = golden(game, name)
    row = ingest(log(*lines))
    assert (row.failed, row.rejected, row.new) == (0, 0, len(lines))
    compare_all()
    assert_stands(by_command(lines))
    expected = [
        vector for vector in vectors(game, name) if vector.expected["verdict"] != "rejected"
    ]
    for number, (line, vector) in enumerate(zip(lines, expected, strict=True), start=1):
        verdict = stored_verdict(selectors.hand_detail(hand_of(line).pk, sources=None))
        assert verdict.line == number
        assert_same_verdict(
            msgspec.structs.replace(verdict, file=None, line=vector.number), vector.expected
        )


@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_hands_are_ordered_by_their_clock_then_by_arrival(
    ingest: Ingest, game: str, name: str
) -> None:
    """The golden logs as they are: their clocks run in another order than their lines."""
    lines = [vector.line for vector in vectors(game, name)]
    readable = [line for line in lines if replay.audit(line, rulesets()).verdict != "rejected"]
    ingest(log(*lines))
    compare_all()

    def clock(line: bytes) -> Any:
        return replay.parse_time(json.loads(line)["started_at"])

    assert_stands(by_command(sorted(readable, key=clock)))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_the_order_of_arrival_changes_nothing(
    ingest: Ingest, game: str, name: str, seed: int
) -> None:
    """Small uploads of mixed hands, compared after each: the same end as all at once in order."""
    lines = golden(game, name)
    chance = random.Random(seed)
    mixed = chance.sample(lines, len(lines))
    while mixed:
        count = chance.randint(1, 8)
        ingest(log(*mixed[:count]))
        del mixed[:count]
        compare_all()
        assert_counts_hold()
    assert_stands(by_command(lines))


@pytest.mark.parametrize("size", [1, 2, 7])
def test_a_long_table_is_compared_in_batches(ingest: Ingest, monkeypatch, size: int) -> None:
    monkeypatch.setattr(comparing, "HANDS_AT_ONCE", size)
    lines = golden("tien-gow", "continuity")
    ingest(log(*lines))
    compare_all()
    assert_stands(by_command(lines))


def test_hands_of_one_instant_are_ordered_by_their_lines_in_whatever_order_chunks_end(
    db, settings, monkeypatch
) -> None:
    settings.TILECOURT_CHUNK_LINES_MAX = 3
    monkeypatch.setattr(comparing, "HANDS_AT_ONCE", 4)
    instant = {"started_at": "2025-01-01T00:00:00Z", "ended_at": "2025-01-01T00:01:00Z"}
    lines = [changed(line, **instant) for line in golden("tien-gow", "continuity")]
    services.receive_upload(name="x", stream=io.BytesIO(log(*lines)))
    for chunk in Chunk.objects.order_by("-number"):
        services.judge_chunk(chunk_id=chunk.pk)
    compare_all()
    assert_stands(by_command(lines))


def test_the_clock_counts_beyond_the_microsecond(ingest: Ingest) -> None:
    lines = simulated("tien-gow", 4)
    fine = [
        changed(
            line, started_at=f"2025-01-01T00:00:00.0000001{n}Z", ended_at="2025-01-01T00:01:00Z"
        )
        for n, line in enumerate(lines)
    ]
    for line in reversed(fine):
        ingest(log(line))
    compare_all()
    assert_stands(by_command(fine))
    assert not Comparison.objects.exists()


def rounds() -> list[bytes]:
    """Three hands: a whole round and the first of the next; without the second it is incomplete."""
    lines = simulated("banker-pai-gow", 60)
    for first, second, third in zip(lines, lines[1:], lines[2:], strict=False):
        gap = by_command([first, third])
        codes = {one.code for verdict in gap.values() for one in verdict.findings}
        if "round-incomplete" in codes and json.loads(third)["round"]["hand"] == 1:
            return [first, second, third]
    raise AssertionError("no such round was simulated")


def test_a_late_hand_repairs_a_round_that_seemed_incomplete(ingest: Ingest) -> None:
    """PG-1. What was found meanwhile stays in the history."""
    first, second, third = rounds()
    ingest(log(first, third))
    compare_all()
    assert_stands(by_command([first, third]))
    before = selectors.hand_detail(hand_of(third).pk, sources=None)
    assert before.comparison is not None
    assert before.comparison.earlier_id == hand_of(first).hand_id
    assert before.comparison.earlier_pk == hand_of(first).pk
    ingest(log(second))
    compare_all()
    assert_stands(by_command([first, second, third]))
    after = selectors.hand_detail(hand_of(third).pk, sources=None)
    assert after.findings == ()
    assert [(one.earlier_id, one.is_current) for one in after.comparisons] == [
        (hand_of(second).hand_id, True),
        (hand_of(first).hand_id, False),
    ]
    assert after.comparisons[1].findings == before.comparison.findings
    assert "round-incomplete" in [one.code for one in after.comparisons[1].findings]
    assert hand_of(second).comparison_id is None, "of it nothing was ever found"


def bank() -> list[bytes]:
    """Three hands in order; without the second one the bank goes wrong in the third."""
    lines = simulated("tien-gow", 60)
    for three in zip(lines, lines[1:], lines[2:], strict=False):
        gap = list(by_command([three[0], three[2]]).values())
        alone = {replay.audit(line, rulesets()).verdict for line in three}
        if gap[1].verdict == "discrepant" and alone == {"clean"}:
            return list(three)
    raise AssertionError("no such hands were simulated")


def test_a_hand_that_turns_discrepant_is_found_and_counted_as_such(ingest: Ingest) -> None:
    """TG-5, TG-6: by the upload that brought it and those that repeat it; and back.

    SVC-28: each line stays counted as it was judged by itself.
    """
    first, second, third = bank()
    one = ingest(log(third))
    two = ingest(log(third, b"{}"))
    compare_all()
    assert (one.clean, two.clean, two.rejected, two.duplicates) == (1, 1, 1, 1)
    three = ingest(log(first))
    compare_all()
    four = ingest(log(third))

    def counted() -> list[tuple[int, int, int, int]]:
        rows = [selectors.get_upload(upload.id, sources=None) for upload in (one, two, three, four)]
        return [(row.clean, row.discrepant, row.rejected, row.turned) for row in rows]

    assert counted() == [(1, 0, 0, 1), (1, 0, 1, 1), (1, 0, 0, 0), (1, 0, 0, 1)]
    (code,) = hand_of(third).finding_codes[:1]
    wanted = selectors.HandFilters(verdict="discrepant", code=code, upload=two.id)
    (listed,) = selectors.list_hands(wanted, sources=None).rows
    error = hand_of(third).error_code
    assert (listed.pk, listed.error_code) == (hand_of(third).pk, error)
    assert error in ("banker-succession", "streak-mismatch")
    ingest(log(second))
    compare_all()
    assert counted() == [(1, 0, 0, 0), (1, 0, 1, 0), (1, 0, 0, 0), (1, 0, 0, 0)]
    assert_stands(by_command([first, second, third]))


def test_the_verdict_of_the_hand_itself_stays_as_it_is(ingest: Ingest) -> None:
    first, _, third = bank()
    ingest(log(first, third))
    before = list(Verdict.objects.order_by("pk").values()), list(Finding.objects.values())
    compare_all()
    assert (list(Verdict.objects.order_by("pk").values()), list(Finding.objects.values())) == before
    detail = selectors.hand_detail(hand_of(third).pk, sources=None)
    assert (detail.verdict.kind, detail.kind) == ("clean", "discrepant")
    assert detail.verdict.digest != detail.digest


def test_comparing_again_changes_nothing(ingest: Ingest) -> None:
    lines = golden("banker-pai-gow", "continuity")
    ingest(log(*lines))
    compare_all()
    before = everything()
    services.touch_hands(hand_ids=Hand.objects.values_list("pk", flat=True))
    assert TableTouch.objects.count() == len(lines)
    compare_all()
    assert everything() == before


WRONG_RAKE = {
    "verdict": "discrepant",
    "findings": (replay.Finding(code="rake-mismatch", rule="TG-91", message="Wrong."),),
}


def use_an_older_engine(monkeypatch: pytest.MonkeyPatch, **says: Any) -> None:
    """Judge with an engine that says this of every hand; else that its rake is wrong."""
    sound = replay.audit_line

    def older(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        wrong = msgspec.structs.replace(
            audited.verdict,
            engine="0.9.0",
            **(says or WRONG_RAKE),
        )
        return replay.Audited(verdict=wrong, hand=audited.hand)

    monkeypatch.setattr(replay, "audit_line", older)


def test_a_new_verdict_is_compared_again(ingest: Ingest, monkeypatch) -> None:
    """Of the hand itself and of the one behind it; what was found before stays in the history."""
    first, _, third = bank()
    with monkeypatch.context() as old:
        use_an_older_engine(old)
        one = ingest(log(first))
    ingest(log(third))
    compare_all()
    old_comparison = hand_of(third).comparison
    assert old_comparison is not None
    assert old_comparison.earlier == hand_of(first).verdict
    two = ingest(log(first))
    compare_all()
    assert hand_of(third).comparison_id != old_comparison.pk
    assert Comparison.objects.filter(verdict=hand_of(third).verdict).count() == 2
    assert (one.discrepant, two.clean, two.turned) == (1, 1, 0)
    assert_stands(by_command([first, third]))


def test_a_hand_that_had_turned_is_counted_anew_under_a_new_verdict(
    ingest: Ingest, monkeypatch
) -> None:
    first, _, third = bank()
    with monkeypatch.context() as old:
        use_an_older_engine(old, verdict="clean", findings=())
        one = ingest(log(first, third))
        two = ingest(log(third))
        compare_all()
    assert [selectors.get_upload(row.id, sources=None).turned for row in (one, two)] == [1, 1]
    three = ingest(log(third, first, third))
    assert hand_of(third).comparison is None, "until it is compared under its new verdict"
    assert [selectors.get_upload(row.id, sources=None).turned for row in (one, two, three)] == [
        0,
        0,
        0,
    ]
    assert_counts_hold()
    compare_all()
    assert [selectors.get_upload(row.id, sources=None).turned for row in (one, two, three)] == [
        1,
        1,
        2,
    ]
    assert_stands(by_command([first, third]))
    assert Comparison.objects.count() == 2


def test_a_late_hand_is_not_an_occasion_to_read_the_whole_table(
    ingest: Ingest, monkeypatch
) -> None:
    lines = clocked(simulated("tien-gow", 40))
    ingest(log(*lines[:20], *lines[21:]))
    compare_all()
    read: list[int] = []
    sound = comparing._read

    def counted(stored: Any, *args: Any) -> Any:
        read.append(stored.pk)
        return sound(stored, *args)

    monkeypatch.setattr(comparing, "_read", counted)
    ingest(log(lines[20]))
    compare_all()
    assert read == [hand_of(line).pk for line in lines[19:22]]
    assert_stands(by_command(lines))


@pytest.mark.parametrize("count", [3, 30])
def test_a_batch_takes_as_many_queries_whatever_it_holds(ingest: Ingest, count: int) -> None:
    """All hands but the first have a gap before them, so that each has something to store."""
    lines = clocked(simulated("tien-gow", 2 * count)[::2])
    ingest(log(*lines))
    table = Table.objects.get()
    with CaptureQueriesContext(connection) as queries:
        assert services.compare_table(table_id=table.pk) is False
    assert Hand.objects.exclude(comparison=None).count() > count // 2
    words = [query["sql"].split(" ")[0] for query in queries]
    assert len([word for word in words if word not in ("SAVEPOINT", "RELEASE")]) == 22


def test_a_hand_whose_ruleset_was_taken_away_is_passed_over(ingest: Ingest, monkeypatch) -> None:
    lines = golden("banker-pai-gow", "continuity-gaps")
    kept = [line for line in lines if "/test-" not in json.loads(line)["ruleset"]]
    assert 0 < len(kept) < len(lines)
    ingest(log(*lines))
    monkeypatch.setattr("audit.services.comparing.current_rulesets", replay.load_rulesets)
    compare_all()
    expected = by_command(kept)
    for line in kept:
        hand = hand_of(line)
        assert (
            selectors.hand_detail(hand.pk, sources=None).findings
            == expected[hand.source, hand.hand_id].findings
        )


def test_comparisons_are_only_ever_added(ingest: Ingest) -> None:
    first, _, third = bank()
    ingest(log(first, third))
    compare_all()
    for model in (Comparison, ComparisonFinding):
        assert model.objects.exists()
        table = model._meta.db_table
        for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}"):
            with (
                pytest.raises(DatabaseError, match="never changed or deleted"),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)


def test_hands_are_looked_up_even_where_the_planner_thinks_the_store_empty(ingest: Ingest) -> None:
    """Within one transaction nothing is known of what was just stored, as after a crash."""
    ingest(log(*clocked(simulated("tien-gow", 40))))
    before = sequential_reads()
    compare_all()
    assert not TableTouch.objects.exists()
    assert sequential_reads() == before


def sequential_reads() -> dict[str, int]:
    """How often this transaction has read each table of hands from end to end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, seq_scan FROM pg_stat_xact_user_tables"
            " WHERE relname = ANY(%s) ORDER BY relname",
            [["audit_hand", "audit_handversion", "audit_verdict", "audit_upload"]],
        )
        return dict(cursor.fetchall())
