"""Claims: entered in time, joined to the case of their hands or to one of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from audit.models import Case, CaseState, Claim, DayRule, Hand
from audit.selectors.desk_zones import days_after
from audit.services import desk
from tests.audit.desk.wrong import Gather, wrong
from tests.audit.logs import B, changed

PLAYED = datetime(2025, 3, 1, 2, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def claim(user: Any, *hands: Hand, **fields: Any) -> Claim:
    values = {
        "player": "Bo",
        "claimed_at": PLAYED + timedelta(hours=1),
        "text": "I was paid too little",
        "hand_ids": tuple(hand.pk for hand in hands),
    }
    return desk.enter_claim(user=user, complaint=desk.Complaint(**(values | fields)), sources=None)


def hand(name: str) -> Hand:
    return Hand.objects.get(hand_id=name)


def test_a_claim_joins_the_case_of_its_hand(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"))
    entered = claim(ines, hand("a"), amount="1.00")
    assert (entered.case, entered.currency, int(entered.amount_minor or 0)) == (case, "CNY", 100)
    case.refresh_from_db()
    kinds = [act.kind for act in case.acts.order_by("number")]
    assert kinds == ["opened", "joined", "claimed"]
    assert case.revision == 3


def test_a_claim_about_a_clean_hand_opens_a_case_of_its_own(gather: Gather, ines: Any) -> None:
    assert gather(changed(B, hand_id="clean")) == []
    entered = claim(ines, hand("clean"))
    case = entered.case
    assert (case.cause, case.source, case.state) == (None, "odd", CaseState.OPEN)
    assert [(act.kind, act.actor) for act in case.acts.order_by("number")] == [
        ("opened", ines),
        ("claimed", ines),
    ]


def test_a_claim_about_a_closed_case_opens_one_behind_it(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"))
    desk.decide_case(
        case_id=case.pk, user=ines, decision="log", reason="paid rightly", sources=None
    )
    entered = claim(ines, hand("a"))
    assert (entered.case.earlier, entered.case.cause) == (case, None)


def test_svc_54_the_last_second_of_the_window(gather: Gather, ines: Any) -> None:
    gather(wrong("a"))
    deadline = PLAYED + timedelta(days=7)
    with pytest.raises(desk.DeskConflict, match="ended at 2025-03-08 02:00:00 UTC"):
        claim(ines, hand("a"), claimed_at=deadline + SECOND)
    assert claim(ines, hand("a"), claimed_at=deadline - SECOND).deadline_at == deadline
    assert claim(ines, hand("a"), claimed_at=deadline).deadline_at == deadline


def test_svc_54_seven_days_by_the_clock_of_the_table_across_its_change(
    gather: Gather, ines: Any
) -> None:
    """The clocks of Vancouver go forward on 9 March 2025: seven days are 167 hours."""
    DayRule.objects.create(source="odd", time_zone="America/Vancouver", made_by=ines)
    gather(wrong("a", started_at="2025-03-05T20:00:00-08:00", ended_at="2025-03-05T20:01:00-08:00"))
    played = hand("a").played_at
    deadline = datetime(2025, 3, 12, 20, 0, tzinfo=ZoneInfo("America/Vancouver"))
    assert deadline - played == timedelta(hours=167)
    with pytest.raises(desk.DeskConflict, match="ended at 2025-03-13 03:00:00 UTC"):
        claim(ines, hand("a"), claimed_at=deadline + SECOND)
    assert claim(ines, hand("a"), claimed_at=deadline - SECOND).deadline_at == deadline


@pytest.mark.parametrize(
    ("start", "days", "end"),
    [
        # Autumn: a week of 169 hours.
        ("2025-10-29T20:00:00-07:00", 7, "2025-11-05T20:00:00-08:00"),
        # The hour that comes twice: the later of the two.
        ("2025-10-26T01:30:00-07:00", 7, "2025-11-02T01:30:00-08:00"),
        # The hour that never comes: moved on, never less than the days promised.
        ("2025-03-02T02:30:00-08:00", 7, "2025-03-09T03:30:00-07:00"),
    ],
)
def test_days_are_counted_by_the_calendar(start: str, days: int, end: str) -> None:
    zone = ZoneInfo("America/Vancouver")
    assert days_after(datetime.fromisoformat(start), days, zone) == datetime.fromisoformat(end)


def test_a_case_is_due_three_days_on_by_the_clock_of_its_table(
    gather: Gather, ines: Any, settings: Any
) -> None:
    DayRule.objects.create(source="odd", table="T1", time_zone="Asia/Macau", made_by=ines)
    (case,) = gather(wrong("a"))
    assert case.due_at - case.opened_at == timedelta(days=3)
    settings.TILECOURT_CASE_DAYS = 5
    _, other = gather(wrong("b", source="harbour"))
    assert other.due_at - other.opened_at == timedelta(days=5)


def test_what_is_no_claim(gather: Gather, ines: Any) -> None:
    gather(wrong("a"), wrong("b", source="harbour"), wrong("c", currency="HKD"))
    a, b, c = hand("a"), hand("b"), hand("c")
    for hands, fields in (
        ((), {}),
        ((a, b), {}),
        ((a, c), {}),
        ((a,), {"player": "Nobody"}),
        ((a,), {"player": ""}),
        ((a,), {"text": " "}),
        ((a,), {"amount": "1.001"}),
        ((a,), {"amount": "1,00"}),
        ((a,), {"amount": "-1.00"}),
        ((a,), {"amount": "0"}),
        ((a,), {"claimed_at": datetime.now(UTC) + timedelta(hours=1)}),
        ((), {"hand_ids": (10**25,)}),
        ((), {"hand_ids": tuple(range(1, 200))}),
    ):
        with pytest.raises(desk.DeskRefused):
            claim(ines, *hands, **fields)
    assert Claim.objects.count() == 0


def test_a_claim_taken_back(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"), changed(B, hand_id="clean"))
    joined, alone = claim(ines, hand("a")), claim(ines, hand("clean"))
    desk.withdraw_claim(claim_id=joined.pk, user=ines, reason="he was wrong", sources=None)
    case.refresh_from_db()
    assert case.state == CaseState.OPEN
    desk.withdraw_claim(claim_id=alone.pk, user=ines, reason="he was wrong", sources=None)
    assert Case.objects.get(pk=alone.case_id).state == CaseState.WITHDRAWN
    for entered in (joined, alone):
        with pytest.raises(desk.DeskConflict):
            desk.withdraw_claim(claim_id=entered.pk, user=ines, reason="again", sources=None)
    with pytest.raises(desk.CaseNotFound):
        desk.withdraw_claim(claim_id=10**20, user=ines, reason="which?", sources=None)
