"""A message that is given out again while its task still runs.

By itself: a worker of another test on the suite's own broker would judge the chunks meanwhile.
"""

from __future__ import annotations

import time

import pytest
from django.db import connection, transaction

from audit.devstack.throwaway import throwaway_folder
from audit.models import Chunk, Finding, Hand, Upload, Verdict
from audit.services.queueing import JUDGE_CHUNK
from tests.audit.logs import B, changed, log
from tests.integration.conftest import receive, wait_for
from tests.integration.crew import Shop

pytestmark = pytest.mark.integration


def is_waiting_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None


@pytest.mark.slow
def test_svc_49_redelivery(transactional_db: None) -> None:
    """The broker gives a message out again while its task still runs, as a second worker starts.

    21 uploads; the first cannot be stored for longer than the broker waits.
    """
    with throwaway_folder() as supervisor:
        shop = Shop(supervisor)
        settings = {"TILECOURT_REDELIVERY_SECONDS": "5"}
        shop.start("--concurrency", "1", **settings)
        uploads = [receive(log(*hands_of(number))) for number in range(21)]
        ids = list(Chunk.objects.order_by("id").values_list("id", flat=True))
        with transaction.atomic():
            Upload.objects.select_for_update().get(pk=uploads[0])
            for chunk in ids:
                shop.send(JUDGE_CHUNK, chunk)
            shop.wait(is_waiting_for_a_lock)
            time.sleep(6)
            shop.start("--concurrency", "1", name="second", **settings)
            first = f"Task {JUDGE_CHUNK}".encode()
            shop.wait(lambda: shop.log_of("second").count(first) > len(ids))
        rows = wait_for(*uploads)
        copies = sum(shop.log_of(name).count(b"] received") for name in ("worker", "second"))
        assert copies > len(ids) + 2
    assert {(row.state, row.new, row.clean, row.duplicates) for row in rows} == {
        ("done", 10, 10, 0)
    }
    assert Hand.objects.count() == Verdict.objects.count() == 210
    assert Finding.objects.count() == 0


def hands_of(number: int) -> list[bytes]:
    return [changed(B, source=f"s{number}", hand_id=str(hand)) for hand in range(10)]
