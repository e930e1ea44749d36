"""Cases fill from what is stored, in whatever order it was committed, and when it changes."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.db import connection, transaction

from audit.config.settings import CELERY_BEAT_SCHEDULE
from audit.models import (
    Case,
    CaseAmount,
    CaseHand,
    CaseState,
    Cause,
    Docket,
    Finding,
    GatherMark,
    Hand,
    Verdict,
)
from audit.services import desk
from audit.services.desk import gathering
from audit.tasks import gather_cases
from tests.audit.chains import compare_all, golden
from tests.audit.desk.wrong import Gather, without_rake, wrong
from tests.audit.logs import B, Ingest, changed, log
from tests.golden_vectors import rulesets


def standing(case: Case) -> list[str]:
    rows = CaseHand.objects.filter(case=case, left_at__isnull=True).order_by("id")
    return list(rows.values_list("hand__hand_id", flat=True))


def acts(case: Case) -> list[tuple[str, int]]:
    return list(case.acts.order_by("number").values_list("kind", "count"))


def money(case: Case) -> dict[str, int]:
    return {one.currency: int(one.at_risk_minor) for one in case.money.all()}


def test_hands_of_one_cause_gather_and_strangers_stay_out(gather: Gather) -> None:
    nets, rakes = gather(wrong("a"), wrong("b"), without_rake("c"), B)
    assert (standing(nets), standing(rakes)) == (["a", "b"], ["c"])
    assert nets.cause is not None
    assert (nets.cause.code, nets.cause.rule, nets.cause.relation) == (
        "net-mismatch",
        "PG-30",
        "other",
    )
    assert rakes.cause is not None
    assert rakes.cause.explained_by == ["pg.rake_rate=0"]
    assert (nets.hand_count, money(nets)) == (2, {"CNY": 200})
    assert (rakes.hand_count, money(rakes)) == (1, {"CNY": 500})
    assert acts(nets) == [("opened", 0), ("joined", 2)]
    assert acts(rakes) == [("opened", 0), ("joined", 1)]


def test_planted_faults_come_out_as_they_were_planted(gather: Gather) -> None:
    """Three faults in one log: three cases, no stranger in any, exposure as planted."""
    lines = [changed(B, hand_id=f"clean-{number}") for number in range(12)]
    lines += [wrong(f"half-{n}", seat=0, net="4.75") for n in range(5)]
    lines += [wrong(f"more-{n}", seat=2, net="38.01") for n in range(4)]
    lines += [without_rake(f"rake-{n}") for n in range(3)]
    cases = gather(*lines)
    assert [(one.cause and one.cause.relation, standing(one)) for one in cases] == [
        ("half", [f"half-{n}" for n in range(5)]),
        ("one-more", [f"more-{n}" for n in range(4)]),
        ("", [f"rake-{n}" for n in range(3)]),
    ]
    assert [money(one) for one in cases] == [{"CNY": 5 * 475}, {"CNY": 4}, {"CNY": 3 * 500}]
    owed = CaseAmount.objects.filter(member__case=cases[0], player="Ann")
    assert [(int(one.logged_minor or 0), int(one.recomputed_minor or 0)) for one in owed] == [
        (475, 950)
    ] * 5


def test_gathering_twice_changes_nothing(gather: Gather) -> None:
    gather(wrong("a"), B)
    before = list(CaseHand.objects.values()), list(Docket.objects.values())
    assert desk.file_hands(Hand.objects.filter(hand_id="a").values_list("pk", flat=True)) == 0
    (case,) = gather()
    assert (list(CaseHand.objects.values()), list(Docket.objects.values())) == before
    assert acts(case) == [("opened", 0), ("joined", 1)]


def test_more_hands_of_an_open_case_join_it(gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    (case,) = gather(wrong("b"), wrong("c", started_at="2024-12-31T00:00:00Z",
                                       ended_at="2024-12-31T00:01:00Z"))  # fmt: skip
    assert standing(case) == ["a", "b", "c"]
    assert acts(case) == [("opened", 0), ("joined", 1), ("joined", 2)]
    assert case.first_played is not None
    assert case.first_played.isoformat() == "2024-12-31T00:00:00+00:00"


def test_a_cause_that_comes_again_opens_the_next_case_behind_the_closed_one(
    gather: Gather, ines: Any
) -> None:
    (first,) = gather(wrong("a"))
    desk.decide_case(
        case_id=first.pk, user=ines, decision="operator", reason="paid wrongly", sources=None
    )
    first, second = gather(wrong("b"))
    assert (standing(first), standing(second)) == (["a"], ["b"])
    assert (second.earlier_id, second.sequence, second.state) == (first.pk, 2, CaseState.OPEN)
    assert second.cause_id == first.cause_id
    # The earlier one opened again does not take the later hands.
    desk.reopen_case(case_id=first.pk, user=ines, reason="a mistake", sources=None)
    first, second = gather(wrong("c"))
    assert (standing(first), standing(second)) == (["a"], ["b", "c"])


def test_a_restated_hand_leaves_the_open_count_but_not_the_history(
    gather: Gather, ines: Any
) -> None:
    gather(wrong("base-1"), wrong("b"))
    (case,) = gather(B, user=ines, restatement="the room corrected it")
    assert standing(case) == ["b"]
    assert (case.hand_count, money(case)) == (1, {"CNY": 100})
    left = CaseHand.objects.get(case=case, left_at__isnull=False)
    assert left.hand.hand_id == "base-1"
    assert acts(case) == [("opened", 0), ("joined", 2), ("left", 1)]
    assert Docket.objects.get(pk=left.hand_id).member is None
    # Restated again to what was wrong before, it joins again; the first time stays on record.
    (case,) = gather(wrong("base-1"), user=ines, restatement="no, it was right")
    assert standing(case) == ["b", "base-1"]
    assert CaseHand.objects.filter(case=case, hand=left.hand_id).count() == 2


def test_a_hand_that_was_restated_to_another_fault_moves(gather: Gather, ines: Any) -> None:
    gather(wrong("base-1"))
    nets, rakes = gather(without_rake("base-1"), user=ines, restatement="the room corrected it")
    assert (standing(nets), standing(rakes)) == ([], ["base-1"])
    assert (nets.hand_count, money(nets), nets.state) == (0, {}, CaseState.OPEN)


def judged_by(engine: str, *, with_findings: bool) -> None:
    """Give the one hand another current verdict, as auditing it again does."""
    hand = Hand.objects.get()
    verdict = Verdict.objects.get(pk=hand.verdict_id)
    verdict.pk, verdict.engine = None, engine
    verdict.save(force_insert=True)
    for finding in Finding.objects.filter(verdict_id=hand.verdict_id) if with_findings else ():
        finding.pk, finding.verdict_id = None, verdict.pk
        finding.save(force_insert=True)
    Hand.objects.update(verdict=verdict)


def test_a_hand_that_is_judged_again(gather: Gather) -> None:
    (case,) = gather(wrong("a"))
    judged_by("1.0.1", with_findings=True)
    gather()
    # Found again: it stands with the newer verdict, and that is no news.
    case.refresh_from_db()
    assert (standing(case), acts(case)) == (["a"], [("opened", 0), ("joined", 1)])
    member = CaseHand.objects.get(left_at__isnull=True)
    assert member.verdict.engine == "1.0.1"
    judged_by("1.0.2", with_findings=False)
    (case,) = gather()
    assert (standing(case), acts(case)[2:]) == ([], [("left", 1)])
    # An old verdict made current again brings no new finding, and yet is seen.
    Hand.objects.update(verdict=member.verdict_id)
    (case,) = gather()
    assert (standing(case), acts(case)[3:]) == (["a"], [("joined", 1)])


def test_what_is_found_between_hands_opens_cases_too(
    ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("audit.services.judging", "audit.services.comparing"):
        monkeypatch.setattr(f"{module}.current_rulesets", rulesets)
    ingest(log(*golden("tien-gow", "continuity")))
    compare_all()
    assert desk.gather_cases().is_done
    wrong_hands = Hand.objects.exclude(error_code="")
    filed = {member.hand_id: member.case.cause for member in CaseHand.objects.all()}
    assert {hand.pk: hand.error_code for hand in wrong_hands} == {
        pk: cause.code for pk, cause in filed.items() if cause is not None
    }
    assert {"banker-succession", "streak-mismatch"} <= {one.code for one in Cause.objects.all()}


def test_warnings_alone_open_no_case(gather: Gather, ingest: Ingest) -> None:
    ingest(log(B, changed(B, hand_id="next", started_at="2025-03-01T10:10:00+08:00",
                          ended_at="2025-03-01T10:11:00+08:00")))  # fmt: skip
    compare_all()
    hand = Hand.objects.get(hand_id="next")
    assert (hand.finding_codes, hand.error_code) == (["carry-discontinuity"], "")
    assert gather() == []
    assert Docket.objects.get(pk=hand.pk).member is None


def test_walks_that_are_cut_off_go_on_where_they_stopped(
    gather: Gather, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "BATCH", 3)
    ingest(log(*(wrong(f"h{number}") for number in range(20))))
    filed = []
    while not (gathered := desk.gather_cases(seconds=-1)).is_done and gathered.hands:
        filed.append(Docket.objects.count())
        assert len(filed) < 20
    # Each finding is followed by one that follows from it, so three rows are one hand or two.
    assert filed == sorted(set(filed))
    assert len(filed) > 5
    gather()
    (case,) = Case.objects.all()
    assert len(standing(case)) == 20


def test_one_call_looks_at_so_many_dockets_and_the_next_goes_on(
    gather: Gather, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "STRIDE", 3)
    monkeypatch.setattr(gathering, "DOCKET_STRIDES", 2)
    gather(*(wrong(f"h{number}") for number in range(10)))
    Docket.objects.update(verdict_id=-1)  # as if each had been judged again
    # Six were looked at by the first call; the four behind them come first now.
    assert [desk.gather_cases().hands for _ in range(3)] == [4, 6, 0]
    assert Docket.objects.filter(verdict_id=-1).count() == 0


def test_the_slow_walk_finds_what_the_mark_passed_over(gather: Gather) -> None:
    GatherMark.objects.create(stream="finding", done_through=10**9, seen_through=10**9)
    (case,) = gather(wrong("a"))
    assert standing(case) == ["a"]


@pytest.mark.django_db(transaction=True)
def test_the_mark_waits_for_who_drew_an_earlier_key(ingest: Ingest) -> None:
    """Two chunks: the one with the earlier keys commits after the gathering looked."""
    ingest(log(wrong("late")))
    ingest(log(wrong("early")))
    assert Docket.objects.count() == 0
    late = Hand.objects.get(hand_id="late").verdict_id
    held, go_on = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def writer() -> None:
        """Has drawn a key that lies before the newest one, and takes its time to commit."""
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO audit_finding (verdict_id, position, code, severity, follows,"
                    " explained_by, message) SELECT verdict_id, 99, code, severity, follows,"
                    " explained_by, message FROM audit_finding WHERE verdict_id = %s LIMIT 1",
                    [late],
                )
                held.set()
                assert go_on.wait(240)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=writer)
    thread.start()
    try:
        assert held.wait(240)
        ingest(log(wrong("later")))
        desk.gather_cases()
        mark = GatherMark.objects.get(pk="finding")
        assert mark.done_through < mark.seen_through
        # While it is not known that all is there, nothing is passed over by this walk.
        with connection.cursor() as cursor:
            cursor.execute("SELECT max(id) FROM audit_finding")
            (newest,) = cursor.fetchone()
        assert mark.seen_through == newest
    finally:
        go_on.set()
        thread.join()
    assert failures == []
    # The server's own housekeeping is a writer like any other, and may be at it just then.
    limit = time.monotonic() + 120
    while mark.done_through < mark.seen_through:
        assert time.monotonic() < limit
        assert desk.gather_cases().is_done
        mark.refresh_from_db()
    assert mark.done_through == mark.seen_through
    assert Case.objects.get().hand_count == 3


@pytest.mark.django_db(transaction=True)
def test_two_gatherers_at_once_make_one_case(ingest: Ingest) -> None:
    for attempt in range(8):
        ingest(log(*(wrong(f"{attempt}-{n}", source=f"s{attempt}") for n in range(6))))
        barrier = threading.Barrier(2)
        failures: list[BaseException] = []

        def gather(
            barrier: threading.Barrier = barrier, failures: list[BaseException] = failures
        ) -> None:
            try:
                barrier.wait(240)
                desk.gather_cases()
            except BaseException as error:
                failures.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=gather) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        desk.gather_cases()
        (case,) = Case.objects.filter(source=f"s{attempt}")
        assert (case.hand_count, acts(case)) == (6, [("opened", 0), ("joined", 6)])


def test_the_task_is_known_by_its_name() -> None:
    assert CELERY_BEAT_SCHEDULE["gather_cases"]["task"] == gather_cases.name
