"""Cases fill through a real worker and broker."""

from __future__ import annotations

import io
import time
from typing import Any

import pytest

from audit import services
from audit.models import Case, CaseHand, Hand
from audit.tasks import gather_cases
from tests.audit.desk.wrong import wrong
from tests.audit.logs import log

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]


def wait_for(condition: Any, seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.2)


def received(*lines: bytes) -> None:
    """Hand lines in, and wait until the worker has judged them all."""
    hands = Hand.objects.count() + len(lines)
    services.receive_upload(name="day.ndjson", stream=io.BytesIO(log(*lines)))
    wait_for(lambda: Hand.objects.count() == hands)


def test_a_worker_gathers_and_a_doubled_message_changes_nothing(
    celery_worker_process: Any,
) -> None:
    received(*(wrong(f"h{number}") for number in range(5)))
    for _ in range(3):
        gather_cases.delay()
    wait_for(lambda: CaseHand.objects.count() == 5)
    received(wrong("later"))
    gather_cases.delay()
    wait_for(lambda: CaseHand.objects.count() == 6)
    (case,) = Case.objects.all()
    kinds = list(case.acts.order_by("number").values_list("kind", "count"))
    assert kinds == [("opened", 0), ("joined", 5), ("joined", 1)]
