"""What a person does with a case, alone and beside others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.utils import timezone

from audit.config.settings import weights
from audit.models import Case, CaseAct, CaseState, Hand
from audit.selectors.desk_queue import QueueFilters, desk_overview, list_cases
from audit.services import desk
from tests.audit.desk.wrong import Gather, without_rake, wrong
from tests.audit.logs import Ingest, log

ROUNDS = 50


def acts(case_id: int) -> list[tuple[str, str | None, str]]:
    rows = CaseAct.objects.filter(case_id=case_id).order_by("number")
    return [(one.kind, one.actor.get_username() if one.actor else None, one.text) for one in rows]


def test_svc_10_undo_of_a_decision_keeps_both_acts(gather: Gather, ines: Any, tom: Any) -> None:
    (case,) = gather(wrong("a"))
    assert desk_overview(user_id=ines.pk, sources=None).open_count == 1
    desk.decide_case(
        case_id=case.pk,
        user=ines,
        decision="rule",
        reason="explained",
        revision=case.revision,
        sources=None,
    )
    case.refresh_from_db()
    assert (case.state, case.decision) == (CaseState.DECIDED, "rule")
    assert desk_overview(user_id=ines.pk, sources=None).open_count == 0
    desk.reopen_case(
        case_id=case.pk, user=tom, reason="not explained", revision=case.revision, sources=None
    )
    case.refresh_from_db()
    assert (case.state, case.decision) == (CaseState.OPEN, "")
    assert desk_overview(user_id=ines.pk, sources=None).open_count == 1
    assert acts(case.pk)[2:] == [
        ("decided", "ines.castro", "explained"),
        ("reopened", "tom.reyes", "not explained"),
    ]
    decided = CaseAct.objects.get(kind="decided")
    assert (decided.state, decided.decision) == ("decided", "rule")


def test_the_order_is_money_at_risk_times_age(gather: Gather, ines: Any, settings: Any) -> None:
    nets, rakes = gather(wrong("a"), without_rake("b"))  # 1.00 and 5.00 at risk

    def order() -> list[int]:
        return [row.pk for row in list_cases(QueueFilters(), user_id=ines.pk, sources=None).rows]

    assert order() == [rakes.pk, nets.pk]
    aged(nets.pk, days=20)
    aged(rakes.pk, days=3)
    assert order() == [nets.pk, rakes.pk]  # 20 against 15
    row = list_cases(QueueFilters(), user_id=ines.pk, sources=None).rows[0]
    assert (row.risk, row.score // 1000) == ("1", 20)
    aged(nets.pk, days=14)
    assert order() == [rakes.pk, nets.pk]  # 14 against 15
    settings.TILECOURT_CURRENCY_WEIGHTS = {"CNY": Decimal("0.5")}
    assert list_cases(QueueFilters(), user_id=ines.pk, sources=None).rows[0].risk == "2.5"


def aged(case_id: int, *, days: int) -> None:
    """Move the opening of a case; only a superuser behind the back of the guards can."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE audit_case DISABLE TRIGGER by_an_act")
        cursor.execute(
            "UPDATE audit_case SET opened_at = now() - make_interval(days => %s) WHERE id = %s",
            [days, case_id],
        )
        cursor.execute("ALTER TABLE audit_case ENABLE TRIGGER by_an_act")


def test_of_several_currencies_the_largest_weighed_one_counts(
    gather: Gather, ines: Any, settings: Any
) -> None:
    gather(wrong("a"), wrong("b", currency="JPX"), wrong("c", currency="JPX"))
    (row,) = list_cases(QueueFilters(), user_id=ines.pk, sources=None).rows
    assert [(one.currency, one.minor) for one in row.money] == [("CNY", 100), ("JPX", 200)]
    assert row.risk == "2"
    settings.TILECOURT_CURRENCY_WEIGHTS = {"CNY": 3, "JPX": 1}
    (row,) = list_cases(QueueFilters(), user_id=ines.pk, sources=None).rows
    assert row.risk == "3"


def test_weights_are_read_strictly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGHTS", "HKD=1, CNY=1.08,A=B=2")
    assert weights("WEIGHTS") == {
        "HKD": Decimal(1),
        "CNY": Decimal("1.08"),
        "A=B": Decimal(2),
    }
    monkeypatch.delenv("WEIGHTS")
    assert weights("WEIGHTS") == {}
    for text in ("HKD", "HKD=", "=1", "HKD=-1", "HKD=1e3", "HKD=1,08", "HKD=NaN"):
        monkeypatch.setenv("WEIGHTS", text)
        with pytest.raises(ImproperlyConfigured):
            weights("WEIGHTS")


def test_pages_of_the_queue_go_on_and_back(gather: Gather, ines: Any) -> None:
    gather(*(wrong(f"h{number}", source=f"s{number}") for number in range(7)))

    def page(cursor: str | None) -> Any:
        return list_cases(QueueFilters(), user_id=ines.pk, cursor=cursor, limit=3, sources=None)

    first = page(None)
    second = page(first.next_cursor)
    third = page(second.next_cursor)
    numbers = [[row.pk for row in one.rows] for one in (first, second, third)]
    assert [len(one) for one in numbers] == [3, 3, 1]
    assert sorted(pk for one in numbers for pk in one) == sorted(
        Case.objects.values_list("pk", flat=True)
    )
    assert [row.pk for row in page(third.previous_cursor).rows] == numbers[1]
    assert [row.pk for row in page(second.previous_cursor).rows] == numbers[0]
    assert (first.previous_cursor, third.next_cursor) == (None, None)


def test_taking_the_next_case_locks_it_for_a_while(gather: Gather, ines: Any, tom: Any) -> None:
    nets, rakes = gather(wrong("a"), without_rake("b"))
    assert desk.take_next(user=ines, sources=None) == rakes.pk
    assert desk.take_next(user=tom, sources=None) == nets.pk
    assert desk.take_next(user=tom, sources=None) is None
    rakes.refresh_from_db()
    assert rakes.assignee == ines
    with pytest.raises(desk.DeskConflict, match=r"C-\d+ is with ines.castro until"):
        desk.decide_case(case_id=rakes.pk, user=tom, decision="log", reason="no", sources=None)
    with pytest.raises(desk.DeskConflict, match="is with ines"):
        desk.take_case(case_id=rakes.pk, user=tom, sources=None)
    desk.release_case(case_id=rakes.pk, user=ines, note="ask the room first", sources=None)
    assert desk.take_next(user=tom, sources=None) == rakes.pk
    assert acts(rakes.pk)[2:] == [
        ("taken", "ines.castro", ""),
        ("released", "ines.castro", "ask the room first"),
        ("taken", "tom.reyes", ""),
    ]


def test_a_lock_that_ran_out_is_released_and_on_record(
    gather: Gather, ines: Any, tom: Any, settings: Any
) -> None:
    (case,) = gather(wrong("a"))
    settings.TILECOURT_TAKE_MINUTES = 0
    assert desk.take_next(user=ines, sources=None) == case.pk
    settings.TILECOURT_TAKE_MINUTES = 30
    assert desk.take_next(user=tom, sources=None) == case.pk
    assert acts(case.pk)[2:] == [
        ("taken", "ines.castro", ""),
        ("lapsed", None, ""),
        ("taken", "tom.reyes", ""),
    ]
    case.refresh_from_db()
    assert case.assignee == tom
    assert case.taken_until is not None
    assert timedelta(minutes=29) < case.taken_until - timezone.now() <= timedelta(minutes=30)


def test_assigning_is_for_good_and_takes_it_out_of_the_queue(
    gather: Gather, ines: Any, tom: Any
) -> None:
    (case,) = gather(wrong("a"))
    desk.assign_case(case_id=case.pk, user=ines, to=tom, note="you know the room", sources=None)
    assert desk.take_next(user=ines, sources=None) is None
    with pytest.raises(desk.DeskConflict, match=r"with tom\.reyes"):
        desk.withdraw_case(case_id=case.pk, user=ines, reason="no", sources=None)
    with pytest.raises(desk.DeskConflict, match="not yours"):
        desk.release_case(case_id=case.pk, user=ines, sources=None)
    desk.decide_case(
        case_id=case.pk, user=tom, decision="player", reason="he is right", sources=None
    )
    case.refresh_from_db()
    assert (case.decision, case.assignee, case.taken_until) == ("player", None, None)


def test_what_makes_no_sense_is_refused_with_words(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"))
    for call in (
        lambda: desk.decide_case(
            case_id=case.pk, user=ines, decision="log", reason="  ", sources=None
        ),
        lambda: desk.decide_case(
            case_id=case.pk, user=ines, decision="yes", reason="so", sources=None
        ),
        lambda: desk.decide_case(
            case_id=case.pk, user=ines, decision="log", reason="a\0b", sources=None
        ),
        lambda: desk.comment_case(case_id=case.pk, user=ines, text="x" * 4001, sources=None),
        lambda: desk.comment_case(case_id=case.pk, user=ines, text="x", hand_id=99, sources=None),
        lambda: desk.comment_case(case_id=case.pk, user=ines, text="x", step=3, sources=None),
    ):
        with pytest.raises(desk.DeskRefused):
            call()
    for case_id in (case.pk + 1, 0, -1, 10**30):
        with pytest.raises(desk.CaseNotFound):
            desk.comment_case(case_id=case_id, user=ines, text="hello", sources=None)
    assert len(acts(case.pk)) == 2


def test_a_comment_points_to_a_step_and_changes_nothing_else(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"))
    hand = Hand.objects.get()
    desk.decide_case(
        case_id=case.pk, user=ines, decision="log", reason="paid rightly", sources=None
    )
    desk.comment_case(
        case_id=case.pk, user=ines, text="see here", hand_id=hand.pk, step=4, sources=None
    )
    act = CaseAct.objects.order_by("-number")[0]
    assert (act.hand_id, act.step, act.state, act.decision) == (hand.pk, 4, "decided", "log")


def test_svc_54_deciding_a_withdrawn_case_is_refused_with_its_state(
    gather: Gather, ines: Any, tom: Any
) -> None:
    (case,) = gather(wrong("a"))
    desk.withdraw_case(case_id=case.pk, user=ines, reason="filed by mistake", sources=None)
    with pytest.raises(desk.DeskConflict, match=r"C-\d+ is withdrawn by ines.castro"):
        desk.decide_case(case_id=case.pk, user=tom, decision="log", reason="late", sources=None)
    with pytest.raises(desk.DeskConflict, match="is withdrawn"):
        desk.take_case(case_id=case.pk, user=tom, sources=None)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run calls in threads that start together; gives what each returned or raised."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait(240)
            results[place] = call()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place, call)) for place, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)
    return results


@pytest.mark.django_db(transaction=True)
def test_svc_53_two_deciders_and_one_decision(ingest: Ingest, ines: Any, tom: Any) -> None:
    lines = (wrong(f"h{number}", source=f"s{number}") for number in range(ROUNDS))
    ingest(log(*lines))
    desk.gather_cases()
    cases = list(Case.objects.order_by("pk"))
    assert len(cases) == ROUNDS
    winners = set()
    for case in cases:
        results = at_once(
            lambda case=case: desk.decide_case(
                case_id=case.pk,
                user=ines,
                decision="player",
                reason="upheld",
                revision=0,
                sources=None,
            ),
            lambda case=case: desk.decide_case(
                case_id=case.pk,
                user=tom,
                decision="log",
                reason="rejected",
                revision=0,
                sources=None,
            ),
        )
        lost = [one for one in results if isinstance(one, desk.DeskConflict)]
        assert (results.count(None), len(lost)) == (1, 1)
        (decided,) = CaseAct.objects.filter(case=case, kind="decided")
        winner = decided.actor
        assert winner is not None
        assert f"by {winner.get_username()}" in str(lost[0])
        assert results[0 if winner == ines else 1] is None
        winners.add(winner.get_username())
    assert winners <= {"ines.castro", "tom.reyes"}


@pytest.mark.django_db(transaction=True)
def test_two_people_never_get_one_case(ingest: Ingest, ines: Any, tom: Any) -> None:
    ingest(log(*(wrong(f"h{number}", source=f"s{number}") for number in range(2 * ROUNDS))))
    desk.gather_cases()
    taken: list[int] = []
    for _ in range(ROUNDS):
        results = at_once(
            lambda: desk.take_next(user=ines, sources=None),
            lambda: desk.take_next(user=tom, sources=None),
        )
        assert all(isinstance(one, int) for one in results)
        taken += results
    assert len(set(taken)) == 2 * ROUNDS
    assert desk.take_next(user=ines, sources=None) is None
    held = dict(Case.objects.values_list("pk", "assignee__username"))
    assert [held[pk] for pk in taken] == ["ines.castro", "tom.reyes"] * ROUNDS


@pytest.mark.django_db(transaction=True)
def test_one_case_left_goes_to_one_of_two(ingest: Ingest, ines: Any, tom: Any) -> None:
    ingest(log(wrong("a")))
    desk.gather_cases()
    (case,) = Case.objects.all()
    for _ in range(20):
        results = at_once(
            lambda: desk.take_next(user=ines, sources=None),
            lambda: desk.take_next(user=tom, sources=None),
        )
        assert sorted(results, key=str) == sorted([case.pk, None], key=str)
        winner = ines if results[0] is not None else tom
        desk.release_case(case_id=case.pk, user=winner, sources=None)
