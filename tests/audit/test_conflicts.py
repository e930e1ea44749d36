"""A hand in conflict is counted as that, found by any of its records, and costs nothing known."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

import pytest

import replay
from audit import selectors
from audit.models import CaseHand, Hand, HandVersion
from audit.selectors.desk_members import list_members
from audit.selectors.exports import figures_of_hands, finding_rows, hand_rows
from audit.selectors.filters import HandFilters
from audit.selectors.overview import OverviewQuery, overview
from audit.selectors.totals import TotalsQuery, list_totals
from audit.services import desk
from tests.audit.desk.wrong import without_rake
from tests.audit.logs import B, Ingest, changed, log, void, with_net

OTHER = with_net(B, 1, "-99.00")
UNRAKED = without_rake("base-1")
DAY = date(2025, 3, 1)


def found(**query: str) -> list[str]:
    page = selectors.list_hands(HandFilters.parse(query), sources=None)
    return [row.verdict for row in page.rows]


@pytest.fixture
def contended(ingest: Ingest) -> Hand:
    """Three records, of which two have errors of their own; and a clean hand beside them."""
    ingest(log(B, changed(B, hand_id="clean")))
    ingest(log(OTHER))
    ingest(log(UNRAKED))
    return Hand.objects.get(hand_id="base-1")


def test_it_names_its_records_in_the_order_of_what_they_say(contended: Hand) -> None:
    versions = HandVersion.objects.in_bulk(contended.contending)
    shas = [bytes(versions[key].sha256).hex() for key in contended.contending or ()]
    by_meaning = sorted((B, OTHER, UNRAKED), key=replay.canonical_sha256)
    assert shas == [hashlib.sha256(line).hexdigest() for line in by_meaning]
    assert contended.version_id == (contended.contending or [])[0]
    assert contended.verdict_id == (contended.contending_verdicts or [])[0]


def test_a_filter_finds_it_by_any_finding_and_by_the_gravest_verdict(contended: Hand) -> None:
    assert set(contended.finding_codes) >= {"net-mismatch", "rake-mismatch"}
    for code in contended.finding_codes:
        assert found(code=code) == ["conflict"]
    assert found(verdict="conflict") == found(conflict="1") == ["conflict"]
    assert found(verdict="discrepant") == ["conflict"]
    assert found(verdict="clean") == ["clean"]
    assert found(verdict="void") == []


def test_the_gravest_of_a_clean_and_a_void_record_is_clean(ingest: Ingest) -> None:
    ingest(log(void(B)))
    ingest(log(B))
    assert (found(verdict="clean"), found(verdict="void")) == (["conflict"], [])


def test_it_is_counted_as_in_conflict_alone(contended: Hand) -> None:
    (row,) = list_totals(TotalsQuery(sources=None)).rows
    assert (row.hands, row.in_conflict, row.sum.hands) == (2, 1, 1)
    assert row.kinds == {"clean": 1, "consistent": 0, "discrepant": 0, "void": 0}
    shown = overview(OverviewQuery.parse({"to": DAY.isoformat()}), sources=None)
    assert shown is not None
    assert shown.kinds == {**row.kinds, "conflict": 1}
    assert shown.codes == ()


def test_what_is_taken_out_has_the_findings_of_each_record_and_no_figures(contended: Hand) -> None:
    filters = HandFilters.parse({"conflict": "1"})
    (hand,) = hand_rows(filters, None)
    assert "conflict" in hand
    assert "discrepant" not in hand
    findings = [row[9] for row in finding_rows(filters, None)]
    assert len(findings) == contended.finding_count
    assert set(findings) == set(contended.finding_codes)
    (figures,) = figures_of_hands(filters, None)
    assert figures[6:8] == ("conflict", "CNY")
    assert set(figures[8:]) == {None}


def test_at_the_desk_it_stands_by_its_first_error_without_money(
    contended: Hand, ingest: Ingest, django_user_model: Any
) -> None:
    assert desk.gather_cases().is_done
    member = CaseHand.objects.get(hand=contended, left_at=None)
    wrong = [line for line in (B, OTHER, UNRAKED) if line != B]
    first = min(wrong, key=replay.canonical_sha256)
    assert member.case.cause is not None
    assert member.case.cause.code == ("net-mismatch" if first == OTHER else "rake-mismatch")
    assert (member.at_risk_minor, member.is_known, member.amounts.count()) == (0, False, 0)
    (row,) = list_members(member.case_id).rows
    assert (row.is_conflict, row.finding is not None) == (True, True)

    user = django_user_model.objects.create_user("ines.castro")
    ingest(log(OTHER), user=user, restatement="this one holds")
    assert desk.gather_cases().is_done
    member = CaseHand.objects.get(hand=contended, left_at=None)
    assert member.case.cause is not None
    assert (member.case.cause.code, member.is_known) == ("net-mismatch", True)
    (row,) = list_members(member.case_id).rows
    assert row.is_conflict is False
    ingest(log(B), user=user, restatement="no, this one")
    assert desk.gather_cases().is_done
    assert not CaseHand.objects.filter(hand=contended, left_at=None).exists()
    assert found() == ["clean", "clean"]


def test_a_hand_that_is_clean_joins_a_case_when_a_wrong_record_comes(ingest: Ingest) -> None:
    ingest(log(B))
    assert desk.gather_cases().is_done
    assert not CaseHand.objects.exists()
    ingest(log(OTHER))
    assert desk.gather_cases().is_done
    assert CaseHand.objects.filter(left_at=None).count() == 1
