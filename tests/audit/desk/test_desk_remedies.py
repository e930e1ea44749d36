"""Remedies: balanced, approved by another person, exported once; and what the database refuses."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from audit.models import (
    Case,
    CaseAct,
    CaseHand,
    Remedy,
    RemedyEntry,
    RemedyState,
)
from audit.services import desk
from tests.audit.desk.wrong import Gather, without_rake, wrong
from tests.audit.logs import B, changed


@pytest.fixture
def decided(gather: Gather, ines: Any) -> Case:
    """Two hands in which Bo lost 1.00 too little and Ann got 0.50 too little."""
    lines = []
    for name in ("a", "b"):
        hand = json.loads(wrong(name))
        hand["result"]["seats"][0]["net"] = "9.00"
        lines.append(json.dumps(hand).encode())
    (case,) = gather(*lines)
    desk.decide_case(
        case_id=case.pk, user=ines, decision="operator", reason="paid wrongly", sources=None
    )
    case.refresh_from_db()
    return case


def entries(remedy: Remedy) -> list[tuple[str, str, str, int]]:
    rows = RemedyEntry.objects.filter(remedy=remedy).order_by("position")
    return [(one.account, one.player, one.currency, int(one.amount_minor)) for one in rows]


def propose(case: Case, user: Any, scope: desk.Scope = desk.Scope.ALL) -> Remedy:
    return desk.propose_remedy(
        case_id=case.pk, user=user, reason="put right", scope=scope, sources=None
    )


def test_a_proposal_is_the_sum_of_the_differences_and_balances(decided: Case, ines: Any) -> None:
    remedy = propose(decided, ines)
    assert entries(remedy) == [
        ("player", "Ann", "CNY", 100),
        ("player", "Bo", "CNY", -200),
        ("house", "", "CNY", 100),
    ]
    assert sum(amount for *_, amount in entries(remedy)) == 0
    with pytest.raises(desk.DeskConflict, match="Nothing is left"):
        propose(decided, ines)


def test_only_what_is_owed_and_later_the_rest(decided: Case, ines: Any, tom: Any) -> None:
    owed = propose(decided, ines, desk.Scope.OWED)
    assert entries(owed) == [("player", "Ann", "CNY", 100), ("house", "", "CNY", -100)]
    rest = propose(decided, ines)
    assert entries(rest) == [("player", "Bo", "CNY", -200), ("house", "", "CNY", 200)]
    desk.reject_remedy(remedy_id=rest.pk, user=ines, reason="too small to ask for", sources=None)
    assert entries(propose(decided, tom)) == entries(rest)


def test_a_remedy_that_turns_out_wrong_is_put_right_by_another(
    decided: Case, gather: Gather, ines: Any, tom: Any
) -> None:
    """The room restates one of the hands: what was booked for it is booked back."""
    first = propose(decided, ines)
    desk.approve_remedy(remedy_id=first.pk, user=tom, sources=None)
    gather(changed(B, hand_id="b"), user=ines, restatement="the room corrected it")
    assert entries(propose(decided, tom)) == [
        ("player", "Ann", "CNY", -50),
        ("player", "Bo", "CNY", 100),
        ("house", "", "CNY", -50),
    ]


def test_four_eyes(decided: Case, ines: Any, tom: Any) -> None:
    remedy = propose(decided, ines)
    with pytest.raises(desk.DeskConflict, match="A second person"):
        desk.approve_remedy(remedy_id=remedy.pk, user=ines, sources=None)
    # The database itself says the same.
    with pytest.raises(IntegrityError, match="remedy_approved_by_another"), transaction.atomic():
        Remedy.objects.filter(pk=remedy.pk).update(
            state=RemedyState.APPROVED, settled_by=ines, settled_at=remedy.proposed_at
        )
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    with pytest.raises(desk.DeskConflict, match=r"R-\d+ is approved"):
        desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    with pytest.raises(desk.DeskConflict, match="is approved"):
        desk.reject_remedy(remedy_id=remedy.pk, user=tom, reason="no", sources=None)


def test_exported_once_and_the_same_again(decided: Case, ines: Any, tom: Any) -> None:
    remedy = propose(decided, ines)
    with pytest.raises(desk.DeskConflict, match="is proposed"):
        desk.export_remedy(remedy_id=remedy.pk, user=ines, sources=None)
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    first, is_new = desk.export_remedy(remedy_id=remedy.pk, user=ines, sources=None)
    again, is_new_again = desk.export_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    assert (is_new, is_new_again) == (True, False)
    assert (first.pk, bytes(first.csv), bytes(first.json)) == (
        again.pk,
        bytes(again.csv),
        bytes(again.json),
    )
    assert CaseAct.objects.filter(case=decided, kind="exported").count() == 1
    rows = list(csv.DictReader(io.StringIO(bytes(first.csv).decode())))
    assert [(row["account"], row["player"], row["amount"]) for row in rows] == [
        ("player", "Ann", "1.00"),
        ("player", "Bo", "-2.00"),
        ("house", "", "1.00"),
    ]
    body = json.loads(bytes(first.json))
    assert [(one["player"], one["amount_minor"]) for one in body["entries"]] == [
        ("Ann", "100"),
        ("Bo", "-200"),
        (None, "100"),
    ]
    assert (body["proposed_by"], body["approved_by"]) == ("ines.castro", "tom.reyes")


def test_names_in_the_file_are_no_formulas(gather: Gather, ines: Any, tom: Any) -> None:
    names = ("=1+1", "+A", "-B", "'@C")
    hand = json.loads(without_rake("a"))
    for seat, name in zip(hand["seats"], names, strict=True):
        seat["player"] = name
    (case,) = gather(json.dumps(hand).encode())
    desk.decide_case(case_id=case.pk, user=ines, decision="player", reason="so", sources=None)
    remedy = propose(case, ines)
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    export, _ = desk.export_remedy(remedy_id=remedy.pk, user=ines, sources=None)
    rows = list(csv.DictReader(io.StringIO(bytes(export.csv).decode())))
    assert [row["player"] for row in rows] == ["''@C", "'-B", "'=1+1", ""]
    assert [row["player"].removeprefix("'") for row in rows if row["player"]] == [
        "'@C",
        "-B",
        "=1+1",
    ]
    assert {row["amount"] for row in rows} == {"-2.50", "-2.00", "-0.50", "5.00"}


@pytest.mark.parametrize("decision", ["log", "engine"])
def test_money_moves_only_after_a_decision_for_it(gather: Gather, ines: Any, decision: str) -> None:
    (case,) = gather(wrong("a"))
    with pytest.raises(desk.DeskConflict, match="is open"):
        propose(case, ines)
    desk.decide_case(case_id=case.pk, user=ines, decision=decision, reason="so", sources=None)
    with pytest.raises(desk.DeskConflict, match="is decided"):
        propose(case, ines)


def test_a_case_opened_again_stops_its_remedies(decided: Case, ines: Any, tom: Any) -> None:
    remedy = propose(decided, ines)
    desk.reopen_case(case_id=decided.pk, user=tom, reason="look again", sources=None)
    with pytest.raises(desk.DeskConflict, match="is open"):
        desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    desk.decide_case(case_id=decided.pk, user=tom, decision="player", reason="so", sources=None)
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    desk.reopen_case(case_id=decided.pk, user=tom, reason="look again", sources=None)
    with pytest.raises(desk.DeskConflict, match="is open"):
        desk.export_remedy(remedy_id=remedy.pk, user=tom, sources=None)


def run(statement: str) -> None:
    """Run a statement and whatever is checked at the end of its transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def refused(statement: str, words: str = "never changed or deleted") -> None:
    with pytest.raises(DatabaseError, match=words):
        run(statement)


def test_the_database_refuses_what_is_not_done_here(decided: Case, ines: Any, tom: Any) -> None:
    remedy = propose(decided, ines)
    desk.approve_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    desk.export_remedy(remedy_id=remedy.pk, user=tom, sources=None)
    run("SELECT 1")  # what was done by the services stands
    for table in (
        "caseact", "caseamount", "cause", "remedyentry", "remedyexport", "casehand", "case",
        "remedy",
    ):  # fmt: skip
        refused(f"DELETE FROM audit_{table}")
        refused(f"SET LOCAL tilecourt.guard = 'on'; TRUNCATE audit_{table} CASCADE")
    for table in ("caseact", "cause", "caseamount", "remedyentry", "remedyexport"):
        refused(f"UPDATE audit_{table} SET id = id")
    refused("UPDATE audit_case SET state = 'open', decision = ''", "changes only by an act")
    refused("UPDATE audit_case SET due_at = now()", "changes only by an act")
    refused("UPDATE audit_casehand SET at_risk_minor = 0", "only leaves it, once")
    refused("UPDATE audit_remedy SET reason = 'another'", "approved or rejected once")
    refused(
        "UPDATE audit_remedy SET state = 'proposed', settled_by_id = NULL",
        "approved or rejected once",
    )
    refused(
        "INSERT INTO audit_caseact (case_id, number, kind, state, decision, text, count)"
        f" VALUES ({decided.pk}, 99, 'commented', 'open', '', 'nobody', 0)",
        "case_act_by_somebody",
    )
    refused(
        "INSERT INTO audit_remedyentry (remedy_id, position, account, player, currency,"
        f" minor_digits, amount_minor) VALUES ({remedy.pk}, 9, 'player', 'Cy', 'CNY', 2, 5)",
        "comes too late",
    )
    assert CaseHand.objects.count() == 2


def test_a_proposal_that_does_not_balance_never_gets_in(decided: Case, ines: Any) -> None:
    remedy = (
        "INSERT INTO audit_remedy (case_id, state, reason, proposed_by_id)"
        f" VALUES ({decided.pk}, 'proposed', 'so', {ines.pk})"
    )
    one_sided = (
        f"WITH r AS ({remedy} RETURNING id) INSERT INTO audit_remedyentry (remedy_id, position,"
        " account, player, currency, minor_digits, amount_minor)"
        " SELECT id, 0, 'player', 'Ann', 'CNY', 2, 100 FROM r"
    )
    for statement in (remedy, one_sided):
        with pytest.raises(DatabaseError, match="do not balance"):
            run(statement)
    assert Remedy.objects.count() == 0
