"""Certifying by a real worker, also when its message was lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from audit.models import Certificate, CertificateRun, RunState, SortedUpload, TableTouch
from audit.services import certifying
from audit.tasks.certificates import sweep_certificates
from tests.access import trusted
from tests.audit.logs import B, changed, log
from tests.integration.conftest import Upload, Wait
from tests.integration.web import PATIENCE_SECONDS

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

DAY = date(2025, 3, 1)
LOG = log(
    *(changed(B, hand_id=f"{table}-{number}", table=f"T{table}")
      for table in range(5) for number in (1, 2, 4)),
    b"{",
)  # fmt: skip


def wait_until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.05)


@pytest.fixture
def user(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("ines.castro"))


def is_done(run_id: int) -> bool:
    return CertificateRun.objects.get(pk=run_id).state == RunState.DONE


def test_a_worker_certifies_a_day(
    celery_worker_process: Any, upload: Upload, wait: Wait, user: Any
) -> None:
    wait(upload(LOG))
    wait_until(lambda: not TableTouch.objects.exists())
    run_id = certifying.request_certificates(day=DAY, user=user, sources=None)
    wait_until(lambda: is_done(run_id))
    made = Certificate.objects.order_by("table").values_list("table", "hand_count", "missing_count")
    assert list(made) == [(f"T{table}", 3, 1) for table in range(5)]


def test_a_run_whose_message_was_lost_is_found_by_its_row(
    worker_keeper: Any, upload: Upload, user: Any
) -> None:
    """The message goes to nobody: the broker is emptied before a worker starts."""
    worker = worker_keeper.running()
    wait_for_upload(upload)
    worker.kill()
    worker.wait()
    run_id = certifying.request_certificates(day=DAY, user=user, sources=None)
    from audit.config.celery import app  # noqa: PLC0415

    with app.connection_for_write() as line:
        app.control.purge(connection=line)
    CertificateRun.objects.filter(pk=run_id).update(touched_at="2025-01-01T00:00:00Z")
    worker_keeper.running()
    assert certifying.sweep_runs(quiet=timedelta(minutes=10)) == 1
    wait_until(lambda: is_done(run_id))
    assert Certificate.objects.count() == 5


def wait_for_upload(upload: Upload) -> None:
    from tests.integration.conftest import wait_for  # noqa: PLC0415

    wait_for(upload(LOG))


def test_refused_lines_are_looked_through_by_the_clock(
    celery_worker_process: Any, upload: Upload, wait: Wait
) -> None:
    (row,) = wait(upload(LOG))
    sweep_certificates()
    wait_until(lambda: SortedUpload.objects.filter(upload_id=row.id, unknown_count=1).exists())
