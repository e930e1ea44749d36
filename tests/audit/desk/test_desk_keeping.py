"""Cases, claims and remedies: deleted when they are of age (S17), and people erased from them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit.models import (
    Case,
    CaseAct,
    CaseAmount,
    CaseHand,
    CaseState,
    Claim,
    Docket,
    Erasure,
    Hand,
    RecordClass,
    Remedy,
    RemedyEntry,
    RemedyExport,
    RetentionBatch,
)
from audit.selectors.access import access_of
from audit.services import desk
from audit.services.erasing import erase_person
from audit.services.retention import begin_run, continue_run, place_hold
from tests.audit.desk.wrong import Gather, wrong
from tests.audit.dumps import places_of
from tests.audit.test_retention import tamper, verify

BO = "Bo Diddley-17"
CASES = RecordClass.CASES


@pytest.fixture(autouse=True)
def own_places(tmp_path: Any, settings: Any) -> None:
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path


@pytest.fixture
def settled(gather: Gather, ines: Any, tom: Any) -> Case:
    """A case that was decided, with a claim, a comment that names a player, and a paid remedy."""
    lines = []
    for name in ("a", "b"):
        hand = json.loads(wrong(name))
        hand["result"]["seats"][0]["net"] = "9.00"
        bo = next(seat for seat in hand["seats"] if seat["player"] == "Bo")
        bo["player"] = BO
        lines.append(json.dumps(hand).encode())
    (case,) = gather(*lines)
    desk.comment_case(case_id=case.pk, user=ines, text=f"{BO} wrote to us.", sources=None)
    desk.decide_case(
        case_id=case.pk, user=ines, decision="operator", reason="paid wrongly", sources=None
    )
    remedy = desk.propose_remedy(
        case_id=case.pk, user=ines, reason="put right", scope=desk.Scope.ALL, sources=None
    )
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    desk.export_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    case.refresh_from_db()
    return case


def aged() -> None:
    tamper(
        "UPDATE audit_caseact SET created_at = created_at - interval '11 years'",
        "UPDATE audit_handversion SET created_at = created_at - interval '11 years'",
    )


def run_over(user: Any, record_class: RecordClass, source: str) -> Any:
    run = begin_run(
        access=access_of(user), record_class=record_class, source=source, reason="of age"
    )
    return continue_run(run_id=run)


def test_a_case_goes_with_its_papers_and_then_its_hands(settled: Case, ines: Any) -> None:
    aged()
    hands = run_over(ines, RecordClass.HANDS, settled.source)
    assert (hands.items, hands.kept) == (0, {"case": 2})
    done = run_over(ines, CASES, settled.source)
    assert done.items == 1
    for model in (Case, CaseAct, CaseHand, CaseAmount, Remedy, RemedyEntry, RemedyExport):
        assert not model.objects.exists(), model
    assert set(Docket.objects.values_list("member", flat=True)) == {None}
    assert run_over(ines, RecordClass.HANDS, settled.source).items == 2
    status, words = verify()
    assert status == 0, words
    # What was decided is not gathered anew.
    assert desk.gather_cases().is_done
    assert not Case.objects.exists()


def test_a_young_an_open_and_a_held_case_stay(settled: Case, ines: Any) -> None:
    assert run_over(ines, CASES, settled.source).kept == {"date": 1}
    aged()
    place_hold(access=access_of(ines), source=settled.source, case=settled.pk, reason="court")
    assert run_over(ines, CASES, settled.source).kept == {"hold": 1}
    run = begin_run(
        access=access_of(ines), record_class=CASES, source=settled.source, reason="of age"
    )
    with pytest.raises(DatabaseError, match=r"to be kept \(hold\)"), transaction.atomic():
        RetentionBatch.objects.create(run_id=run, items=[settled.pk])
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_retention_keeps('cases', 'x', now(), %s)", [settled.pk])
        assert cursor.fetchone() == ("other",)
    tamper(f"UPDATE audit_case SET state = '{CaseState.OPEN}', decision = ''",
           "DELETE FROM audit_legalhold")  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT audit_retention_keeps('cases', %s, %s, %s)",
            [settled.source, timezone.now() - keeping_years(10), settled.pk],
        )
        assert cursor.fetchone() == ("open",)


def keeping_years(count: int) -> Any:
    from datetime import timedelta  # noqa: PLC0415

    return timedelta(days=365 * count)


def test_a_person_is_erased_from_the_desk(settled: Case, ines: Any) -> None:
    assert places_of(BO) >= {
        "audit_caseact.text", "audit_caseamount.player", "audit_remedyentry.player",
        "audit_remedyexport.csv", "audit_remedyexport.json",
    }  # fmt: skip
    balance = sum(RemedyEntry.objects.values_list("amount_minor", flat=True))
    act = Erasure.objects.get(
        pk=erase_person(
            access=access_of(ines), source=settled.source, name=BO, reason="r", ground="g"
        )
    )
    assert places_of(BO) == set()
    assert CaseAct.objects.filter(text=f"{act.token} wrote to us.").exists()
    assert RemedyEntry.objects.filter(player=act.token).exists()
    assert sum(RemedyEntry.objects.values_list("amount_minor", flat=True)) == balance == 0
    assert not Claim.objects.filter(player=BO).exists()
    status, words = verify()
    assert status == 0, words
    entry = RemedyEntry.objects.get(player=act.token)
    tamper(f"UPDATE audit_remedyentry SET player = 'x' WHERE id = {entry.pk}")
    words = verify()[1]
    assert any(line.startswith(f"entry of a remedy {entry.pk}: not as act") for line in words)
    assert Hand.objects.filter(players__contains=[act.token]).count() == 2
