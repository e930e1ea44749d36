"""Reports are made by a real worker, and one that was forgotten is found again."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.config.settings import CELERY_BEAT_SCHEDULE, CELERY_TASK_ROUTES
from audit.models import Report, ReportRun
from audit.selectors.access import access_of
from audit.selectors.reports import check_signature
from audit.selectors.reports_asking import read_request
from audit.selectors.reports_definitions import definition_of
from audit.services import queueing
from audit.services.reports import request_report
from audit.tasks import daily_reports, make_report, sweep_reports, watch_the_clock
from tests.access import trusted
from tests.audit.conftest import ingest
from tests.audit.logs import B, changed, log
from tests.integration.web import PATIENCE_SECONDS

__all__ = ["ingest"]

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


def test_the_names_of_the_tasks_are_known() -> None:
    assert make_report.name == queueing.MAKE_REPORT
    for name, task in (("daily_reports", daily_reports), ("sweep_reports", sweep_reports),
                       ("watch_clock", watch_the_clock)):  # fmt: skip
        assert CELERY_BEAT_SCHEDULE[name]["task"] == task.name
        assert CELERY_TASK_ROUTES[task.name] == {"queue": "clock"}


def test_a_worker_makes_what_was_asked_for(worker_keeper: Any, ingest: Any, settings: Any) -> None:
    clocks = [f"2025-03-0{day}T10:00:00+08:00" for day in (1, 2, 3)]
    ingest(log(*(changed(B, hand_id=one, started_at=one, ended_at=one) for one in clocks)))
    # Not before: a worker would take the chunks that are judged here.
    worker_keeper.running()
    user = trusted(User.objects.create_user("ines.castro"))
    definition, access = definition_of("game-performance"), access_of(user)
    asked = read_request(definition, {"basis": "month-to-date", "to": "2025-03-31"}, access)
    run = request_report(definition=definition, asked=asked, access=access)
    limit = time.monotonic() + PATIENCE_SECONDS
    while ReportRun.objects.get(pk=run).report_id is None:
        assert time.monotonic() < limit, ReportRun.objects.values().get(pk=run)
        time.sleep(0.2)
    report = Report.objects.get()
    assert (report.made_by, report.row_count) == (user, 6)
    assert check_signature(report).problem == ""
