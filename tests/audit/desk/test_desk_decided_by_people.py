"""Nothing but a person decides about a player (S61): not the audit, and not a program around it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit.config.settings import CELERY_BEAT_SCHEDULE
from audit.models import Case, CaseAct, CaseState, Decision
from audit.models.desk import AUDIT_ACTS, ActKind
from audit.services import desk
from audit.tasks import gather_cases
from tests.audit.desk.wrong import Gather, without_rake, wrong
from tests.audit.logs import B

# An act that nobody did.
ACT = (
    "INSERT INTO audit_caseact (case_id, number, kind, state, decision, text, count)"
    " VALUES (%s, %s, %s, %s, %s, 'the score was high', 0)"
)
DECIDING = (
    ActKind.DECIDED, ActKind.REOPENED, ActKind.WITHDRAWN, ActKind.PROPOSED, ActKind.APPROVED,
    ActKind.REJECTED, ActKind.EXPORTED,
)  # fmt: skip


def test_s61_whatever_the_audit_does_leaves_each_case_open(gather: Gather, ines: Any) -> None:
    """Hands come, are put right, are wrong again; a case is overdue; nobody has looked."""
    gather(wrong("base-1"), wrong("b"), without_rake("c"))
    gather(B, user=ines, restatement="the room corrected it")
    gather(wrong("base-1"), user=ines, restatement="no, it was right")
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(due_at) FROM audit_case")
        (due,) = cursor.fetchone()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: due + timedelta(days=400))
        gather_cases()
    stand = set(Case.objects.values_list("state", "decision"))
    assert stand == {(CaseState.OPEN, "")}
    by_itself = CaseAct.objects.filter(actor=None)
    assert set(by_itself.values_list("kind", "decision")) == {
        (ActKind.OPENED, ""), (ActKind.JOINED, ""), (ActKind.LEFT, ""),
    }  # fmt: skip
    assert not CaseAct.objects.exclude(kind__in=AUDIT_ACTS).exists()


@pytest.mark.parametrize("kind", DECIDING)
def test_s61_the_database_takes_no_decision_without_a_person(gather: Gather, kind: str) -> None:
    (case,) = gather(wrong("a"))
    decided = [case.pk, case.act_count + 1, kind, CaseState.OPEN, ""]
    with (
        pytest.raises(DatabaseError, match="case_act_by_somebody"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(ACT, decided)


@pytest.mark.parametrize("kind", AUDIT_ACTS)
@pytest.mark.parametrize("decision", ["operator", "player"])
def test_s61_no_act_of_the_audits_own_says_that_a_case_is_decided(
    gather: Gather, kind: str, decision: str
) -> None:
    (case,) = gather(wrong("a"))
    refused = pytest.raises(DatabaseError, match="nobody but a person decides")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ACT, [case.pk, case.act_count + 1, kind, CaseState.DECIDED, decision])
    case.refresh_from_db()
    assert (case.state, case.decision) == (CaseState.OPEN, "")


def test_s61_nor_that_a_decided_case_is_open_again(gather: Gather, ines: Any) -> None:
    (case,) = gather(wrong("a"))
    desk.decide_case(case_id=case.pk, user=ines, decision="player", reason="So.", sources=None)
    case.refresh_from_db()
    following = [case.pk, case.act_count + 1, ActKind.LEFT]
    refused = pytest.raises(DatabaseError, match="nobody but a person decides")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ACT, [*following, CaseState.OPEN, ""])
    with connection.cursor() as cursor:
        cursor.execute(ACT, [*following, CaseState.DECIDED, Decision.PLAYER])


def test_s61_nothing_that_runs_by_the_clock_decides() -> None:
    """Of the desk the clock gathers, and does nothing else."""
    tasks = {str(entry["task"]) for entry in CELERY_BEAT_SCHEDULE.values()}
    assert {task for task in tasks if "case" in task} == {"audit.gather_cases"}
