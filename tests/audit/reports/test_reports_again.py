"""Reports made again: the same bytes, or a new edition that says what has changed (S49)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit.models import Report, ReportPart, ReportRun
from audit.selectors import reports_statement
from audit.selectors.access import EVERYTHING, access_of
from audit.selectors.reports import (
    FAILED_SHOWN,
    check_signature,
    editions_of,
    get_run,
    open_runs,
)
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import definition_of
from audit.services import reports
from audit.services.certifying_rules import set_day_rule
from audit.services.reports import (
    ReportRefused,
    continue_report,
    request_report,
    resume_report,
    stop_report,
    sweep_reports,
)
from audit.services.sealing import SealRefused, seal
from tests.audit.logs import B, Ingest, W, changed, log, with_net
from tests.audit.reports.conftest import Make, document_of, rows_of

RunReport = Callable[..., ReportRun]


def many(count: int, net: str = "-100.00") -> bytes:
    return log(*(with_net(changed(B, hand_id=f"m-{one}"), 1, net) for one in range(count)))


def test_made_again_over_the_same_rows_it_is_the_same_version(
    ingest: Ingest, run_report: RunReport
) -> None:
    ingest(log(B))
    first = run_report("game-performance")
    # What concerns other days changes nothing.
    ingest(log(changed(B, hand_id="x", started_at="2025-04-01T10:00:00+08:00",
                       ended_at="2025-04-01T10:01:00+08:00")))  # fmt: skip
    second = run_report("game-performance", again=first.report_id)
    assert (second.report_id, Report.objects.count()) == (first.report_id, 1)
    assert get_run(second.pk, EVERYTHING).is_same
    assert not get_run(first.pk, EVERYTHING).is_same


def test_s49_after_a_hundred_restated_hands_both_editions_stand(
    ingest: Ingest, make: Make, auditor: Any
) -> None:
    ingest(many(100))
    old = make("discrepancies", basis="month-to-date")
    kept = {form: bytes(getattr(old, form)) for form in ("json", "csv", "pdf")}
    assert old.is_empty
    ingest(many(100, "-99.00"), user=auditor, restatement="the wheel was read wrongly")
    seal()
    new = make("discrepancies", basis="month-to-date")
    # The old one opens and verifies, byte by byte.
    old = Report.objects.get(pk=old.pk)
    assert {form: bytes(getattr(old, form)) for form in kept} == kept
    assert [signature.problem for _, signature in editions_of(new.pk, EVERYTHING)] == ["", ""]
    assert (new.edition, new.previous_id, new.row_count) == (2, old.pk, 101)
    # The new one lists each restated hand with the reason, and each row that is another.
    changes = {one["key"]: one for one in document_of(new)["changes"]["sections"]}
    listed = [row["cells"] for row in changes["causes"]["rows"] if row["level"] == "row"]
    restated = [cells for cells in listed if cells[0] == "Restated"]
    assert {cells[3] for cells in restated} == {f"m-{one}" for one in range(100)}
    assert {cells[5] for cells in restated} == {"the wheel was read wrongly"}
    assert [cells[0] for cells in listed].count("Another record of a hand") == 100
    assert len(changes["figures"]["rows"]) == 103
    assert new.changes == {"figures": 103, "causes": 200}


def test_a_later_hand_and_another_day_rule_are_told(
    ingest: Ingest, make: Make, auditor: Any
) -> None:
    ingest(log(B))
    first = make("game-performance")
    ingest(log(W))
    second = make("game-performance")
    (cause,) = (
        row["cells"] for row in document_of(second)["changes"]["sections"][1]["rows"]
        if row["level"] == "row"
    )  # fmt: skip
    assert (cause[0], cause[3]) == ("New hand", "wz-1")
    # From now on hand B belongs to the day before.
    set_day_rule(source="odd", table="T1", time_zone="Asia/Shanghai", starts_at=11 * 60,
                 numbering="detect", sources=None, user=auditor)  # fmt: skip
    third = make("game-performance")
    assert (first.edition, second.edition, third.edition) == (1, 2, 3)
    assert [row["table"] for row in rows_of(third, "hands")] == ["W1"]


def test_a_made_version_is_never_changed(ingest: Ingest, make: Make) -> None:
    ingest(log(B))
    report = make("game-performance")
    guarded = "SET LOCAL tilecourt.guard = 'on'; TRUNCATE audit_report CASCADE"
    for statement in ("UPDATE audit_report SET csv = 'x'", "DELETE FROM audit_report", guarded):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert check_signature(Report.objects.get(pk=report.pk)).problem == ""


def test_a_run_is_stopped_between_days_and_goes_on(ingest: Ingest, auditor: Any) -> None:
    days = [f"2025-03-0{day}" for day in (1, 2, 3)]
    ingest(log(*(changed(B, hand_id=day, started_at=f"{day}T10:00:00+08:00",
                         ended_at=f"{day}T10:01:00+08:00") for day in days)))  # fmt: skip
    definition, access = definition_of("game-performance"), access_of(auditor)
    asked = read_request(definition, {"basis": "days", "from": days[0], "to": days[2]}, access)
    run = request_report(definition=definition, asked=asked, access=access)
    assert continue_report(run_id=run, seconds=0)
    row = get_run(run, access)
    assert (row.state, row.read, row.days, row.percent) == ("running", 1, 3, 33)
    stop_report(run_id=run)
    assert not continue_report(run_id=run)
    assert list(ReportPart.objects.values_list("day", flat=True)) == [date(2025, 3, 3)]
    with pytest.raises(ReportRefused):
        stop_report(run_id=run)
    # A hand that comes meanwhile to a day that was read is in the report.
    ingest(log(changed(B, hand_id="late", started_at=f"{days[2]}T11:00:00+08:00",
                       ended_at=f"{days[2]}T11:01:00+08:00")))  # fmt: skip
    resume_report(run_id=run)
    while continue_report(run_id=run, seconds=0):
        pass
    report = ReportRun.objects.get(pk=run).report
    assert report is not None
    assert [(row["day"], row["hands"]) for row in rows_of(report, "days")] == [
        ("2025-03-01", 1), ("2025-03-02", 1), ("2025-03-03", 2),
    ]  # fmt: skip
    assert ReportPart.objects.count() == 0
    with pytest.raises(ReportRefused):
        resume_report(run_id=run)


def test_forgotten_runs_are_queued_again(ingest: Ingest, auditor: Any) -> None:
    ingest(log(B))
    definition, access = definition_of("game-performance"), access_of(auditor)
    asked = read_request(definition, {"to": "2025-03-01"}, access)
    request_report(definition=definition, asked=asked, access=access)
    assert sweep_reports() == 0
    assert sweep_reports(quiet=-reports.QUIET) == 1


def test_a_statement_that_is_too_long_says_so_and_is_told_of_for_some_days(
    ingest: Ingest, run_report: RunReport, auditor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports_statement, "ROWS_MAX", 2)
    ingest(many(3))
    run = run_report("player-statement", player="Ann", source="odd")
    assert (run.state, run.report_id) == ("failed", None)
    assert run.error == "A statement holds 2 hands at most: choose fewer days."
    (told,) = open_runs(access_of(auditor))
    assert told.error == run.error
    ReportRun.objects.update(finished_at=timezone.now() - FAILED_SHOWN)
    assert open_runs(access_of(auditor)) == ()
    # With other bounds it goes on where it failed.
    monkeypatch.undo()
    resume_report(run_id=run.pk)
    assert not continue_report(run_id=run.pk)
    assert ReportRun.objects.get(pk=run.pk).report is not None


def test_a_seal_that_is_refused_stops_no_report(
    ingest: Ingest, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: Any) -> None:
        raise SealRefused("not now")

    monkeypatch.setattr(reports, "seal", refuse)
    ingest(log(B))
    report = make("game-performance")
    assert (report.log_size, report.waiting > 0) == (0, True)
    assert f"{report.waiting} rows not yet sealed" in bytes(report.csv).decode()
