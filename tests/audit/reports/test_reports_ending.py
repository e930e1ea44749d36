"""A report that cannot be made ends with a sentence, and is not queued again for ever."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from audit.models import Report, ReportPart, ReportRun
from audit.selectors.access import access_of
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import definition_of
from audit.services import reports
from audit.services.reports import request_report, sweep_reports
from audit.tasks.reports import make_report
from tests.audit.logs import B, Ingest, log


@pytest.fixture
def run(ingest: Ingest, auditor: Any) -> int:
    ingest(log(B))
    access = access_of(auditor)
    definition = definition_of("game-performance")
    asked = read_request(definition, {"to": "2025-03-01", "basis": "life-to-date"}, access)
    return request_report(definition=definition, asked=asked, access=access)


def failing(error: Exception) -> Callable[..., Any]:
    def keep(**_: Any) -> Any:
        raise error

    return keep


def age() -> None:
    ReportRun.objects.update(touched_at=timezone.now() - timedelta(hours=1))


def test_a_last_step_that_takes_too_long_ends_the_run_and_the_command_goes_on(
    run: int, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    with monkeypatch.context() as patch:
        # Celery raises this in the middle of whatever the worker is at.
        patch.setattr(reports, "keep_report", failing(SoftTimeLimitExceeded()))
        make_report(run)
    row = ReportRun.objects.get(pk=run)
    assert row.state == "failed"
    assert row.error == (
        "One step takes longer than the 300 s that a worker has. `manage.py report resume"
        f" {run}` goes on where it stood, without that limit."
    )
    age()
    assert sweep_reports() == 0
    # The days that were read are there still, and no worker is asked to fail again.
    assert ReportPart.objects.filter(run=run).count() == 1
    said = StringIO()
    with django_capture_on_commit_callbacks() as queued:
        call_command("report", "resume", str(run), stdout=said)
    assert queued == []
    row.refresh_from_db()
    assert (row.state, row.error) == ("done", "")
    assert said.getvalue() == f"Report {Report.objects.get().pk} was made.\n"


def test_a_fault_of_ours_ends_the_run_and_is_told(run: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(reports, "keep_report", failing(KeyError("x")))
    with pytest.raises(KeyError):
        make_report(run)
    row = ReportRun.objects.get(pk=run)
    assert (row.state, row.error) == ("failed", "The service is at fault: KeyError.")
    age()
    assert sweep_reports() == 0


def test_a_database_that_is_away_ends_nothing(run: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(reports, "keep_report", failing(OperationalError("gone")))
    with pytest.raises(OperationalError):
        reports.continue_report(run_id=run)
    assert ReportRun.objects.get(pk=run).state == "running"
    age()
    assert sweep_reports() == 1
