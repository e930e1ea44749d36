"""A file of a feed through a real worker."""

from __future__ import annotations

import io
import time
from typing import Any

import pytest

from audit import selectors, services
from audit.models import FeedDrift, Hand
from tests.audit.importers.records import event_records, ky_answer, ky_row, log_of
from tests.integration.web import PATIENCE_SECONDS

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


def ended(upload_id: int) -> selectors.UploadRow:
    end = time.monotonic() + PATIENCE_SECONDS
    while not (row := selectors.get_upload(upload_id, sources=None)).is_ended:
        assert time.monotonic() < end, row
        time.sleep(0.1)
    while selectors.open_touches([upload_id]):
        assert time.monotonic() < end
        time.sleep(0.1)
    return row


def test_feeds_are_judged_and_left_alone_by_the_comparison(celery_worker_process: Any) -> None:
    pull = ky_answer(*(ky_row(GameID=f"g{number}", Bonus="1") for number in range(50)))
    logs = log_of([record for vector in "abcd" for record in event_records(vector)])
    uploads = [
        services.receive_feed(
            name="pull.json", stream=io.BytesIO(data), feed=feed, source=source
        ).upload_id
        for feed, data, source in (("ky-730", pull, "ky"), ("event-list-122", logs, "server"))
    ]
    first, second = (ended(upload) for upload in uploads)
    assert (first.state, first.consistent, first.lines) == ("done", 50, 50)
    assert (second.state, second.consistent, second.lines) == ("done", 4, 4)
    assert Hand.objects.filter(comparison__isnull=False).count() == 0
    assert FeedDrift.objects.get().count == 50
