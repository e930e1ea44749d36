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


def gathered(hands: int, *, messages: int) -> None:
    """Send so many messages, again and again as the clock does, until so many hands are in cases.

    One time need not do: as long as another transaction is open, of the server's own too, what was
    stored since it began may still be hidden from those that gather.
    """

    def are_in() -> bool:
        if CaseHand.objects.count() == hands:
            return True
        for _ in range(messages):
            gather_cases.delay()
        return False

    wait_for(are_in)


def received(*lines: bytes) -> None:
    """Hand lines in, and wait until the worker has judged them all."""
    hands = Hand.objects.count() + len(lines)
    services.receive_upload(name="day.ndjson", stream=io.BytesIO(log(*lines)))
    wait_for(lambda: Hand.objects.count() == hands)


def test_a_worker_gathers_and_a_doubled_message_changes_nothing(
    celery_worker_process: Any,
) -> None:
    received(*(wrong(f"h{number}") for number in range(5)))
    gathered(5, messages=3)
    received(wrong("later"))
    gathered(6, messages=1)
    (case,) = Case.objects.all()
    kinds = list(case.acts.order_by("number").values_list("kind", "count"))
    assert kinds == [("opened", 0), ("joined", 5), ("joined", 1)]
