"""What the database does not check row by row is looked at."""

from __future__ import annotations

from django.db import connection

from audit.models import Finding, Hand
from audit.selectors.diagnosis import Level, _references
from audit.selectors.references import missing_references
from tests.audit.logs import B, Ingest, changed, log, with_net


def break_one(statement: str, *values: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(statement, values)
        cursor.execute("SET session_replication_role = origin")


def test_a_sound_store_misses_nothing(ingest: Ingest) -> None:
    ingest(log(B, with_net(changed(B, hand_id="wrong"), 1, "-99.00"), B))
    looked_at = {(one.table, one.column): one.rows for one in missing_references()}
    assert {
        ("audit_finding", "verdict_id"),
        ("audit_hand", "comparison_id"),
        ("audit_hand", "verdict_id"),
        ("audit_hand", "version_id"),
        ("audit_handversion", "hand_id"),
        ("audit_handversion", "upload_id"),
        ("audit_verdict", "version_id"),
    } <= set(looked_at)
    assert set(looked_at.values()) == {0}
    assert _references().level is Level.GOOD


def test_a_verdict_that_is_gone_is_missed_by_its_hand_and_its_finding(ingest: Ingest) -> None:
    ingest(log(B, with_net(changed(B, hand_id="wrong"), 1, "-99.00")))
    hand = Hand.objects.get(hand_id="wrong")
    findings = sorted(Finding.objects.values_list("pk", flat=True))
    break_one("DELETE FROM audit_verdict WHERE id = %s", hand.verdict_id)
    missing = {(one.table, one.column): one.first for one in missing_references() if one.rows}
    assert missing == {
        ("audit_finding", "verdict_id"): findings[0],
        ("audit_hand", "verdict_id"): hand.pk,
    }
    check = _references()
    assert check.level is Level.TROUBLE
    assert check.sentence.startswith(
        f"{len(findings)} rows of audit_finding, {findings[0]} first, name in"
    )


def test_only_the_newest_rows_are_looked_at_where_so_asked(ingest: Ingest) -> None:
    ingest(log(B, *(changed(B, hand_id=str(number)) for number in range(9))))
    first = Hand.objects.order_by("pk")[0]
    break_one("DELETE FROM audit_verdict WHERE id = %s", first.verdict_id)
    assert sum(one.rows for one in missing_references(newest=9)) == 0
    assert sum(one.rows for one in missing_references(newest=10)) == 1
