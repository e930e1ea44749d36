"""What the service stands on dies and comes back: the worker goes on, within a stated time."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone
from kombu import Connection

from audit import selectors
from audit.config.consumer import CLOCK_SECONDS
from audit.devstack.throwaway import throwaway_folder
from audit.models import Chunk, Hand, Upload, Verdict
from audit.services.queueing import JUDGE_CHUNK
from tests.audit.logs import B, changed, log
from tests.integration.crew import SWEPT, Shop, children_of

pytestmark = pytest.mark.integration


@pytest.fixture
def shop(transactional_db: None) -> Iterator[Shop]:
    with throwaway_folder() as supervisor:
        yield Shop(supervisor)


def states() -> list[str]:
    return list(Chunk.objects.order_by("id").values_list("state", flat=True))


def test_a_worker_outlives_its_broker_while_it_holds_a_message(shop, upload) -> None:
    """A message is held for later and the next is asked for, when of the worker's connections the
    one that listens for orders is lost first: there Celery's own consumer ends the worker."""
    worker = shop.start()
    upload(log(B))
    upload(log(changed(B, hand_id="second")))
    first, second = Chunk.objects.order_by("id").values_list("id", flat=True)
    shop.send(JUDGE_CHUNK, first, countdown=3_600)
    with redis.Redis(unix_socket_path=shop.socket) as broker:
        shop.wait(lambda: broker.hlen("unacked") == 1)
        (listening,) = broker.client_list("pubsub")
        broker.client_kill_filter(_id=listening["id"])
        shop.wait(lambda: len(broker.client_list("pubsub")) == 1)
        shop.wait(lambda: broker.hlen("unacked") == 1)
    shop.kill("Valkey")
    time.sleep(0.5)
    shop.restart_broker()
    shop.send(JUDGE_CHUNK, second)
    shop.wait(lambda: states() == ["queued", "done"])
    assert worker.poll() is None


def test_a_worker_outlives_its_broker_while_it_works(shop, upload) -> None:
    """A task that ends when the broker is back has its message from the broker of before."""
    worker = shop.start()
    upload(log(B))
    upload(log(changed(B, hand_id="second")))
    first, second = Chunk.objects.order_by("id").values_list("id", flat=True)
    with transaction.atomic():
        Upload.objects.select_for_update().earliest("id")
        shop.send(JUDGE_CHUNK, first)
        shop.wait(is_waiting_for_a_lock)
        shop.kill("Valkey")
        time.sleep(0.5)
        shop.restart_broker()
        with redis.Redis(unix_socket_path=shop.socket) as broker:
            shop.wait(lambda: len(broker.client_list("pubsub")) == 1)
    shop.wait(lambda: states() == ["done", "queued"])
    shop.send(JUDGE_CHUNK, second)
    shop.wait(lambda: states() == ["done", "done"])
    assert worker.poll() is None


def is_waiting_for_a_lock() -> bool:
    """Whether another process of this database waits for a row."""
    with connection.cursor() as cursor:
        # Unlike pg_stat_activity this is looked up anew within a transaction.
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None


def test_a_worker_outlives_a_process_that_is_killed_before_it_is_ready(shop, upload) -> None:
    """A worker that has found its broker looks once whether all its processes are there."""
    killed: list[int] = []

    def kill_a_child() -> None:
        shop.wait(lambda: b"Connected to redis" in log_so_far(shop))
        killed.append(children_of(shop.supervisor.process("worker").pid)[-1])
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_a_child)
    killer.start()
    worker = shop.start("--concurrency", "2")
    killer.join()
    assert killed
    upload(log(B))
    shop.send(JUDGE_CHUNK, *Chunk.objects.values_list("id", flat=True))
    shop.wait(lambda: states() == ["done"])
    assert worker.poll() is None


def log_so_far(shop: Shop) -> bytes:
    path = shop.supervisor.log_of("worker")
    return path.read_bytes() if path.exists() else b""


LEASE, SWEEP = 6, 2
# What docs/operations.md promises, and what a machine needs that has much other work. By the
# service's own settings each of these would take longer: a sweep comes every half minute.
SLACK = 25


def test_a_process_of_the_pool_that_is_killed_costs_one_lease(shop, upload) -> None:
    """The worker puts the message back at once, and its copy waits for the end of the lease."""
    worker = shop.start(TILECOURT_LEASE_SECONDS=str(LEASE))
    upload(log(B))
    (chunk,) = Chunk.objects.values_list("id", flat=True)
    with transaction.atomic():
        Upload.objects.select_for_update().get()
        shop.send(JUDGE_CHUNK, chunk)
        shop.wait(is_waiting_for_a_lock)
        for pid in children_of(worker.pid):
            os.kill(pid, signal.SIGKILL)
    shop.wait(lambda: states() == ["done"], seconds=LEASE + SLACK)
    assert worker.poll() is None
    assert (Hand.objects.count(), Verdict.objects.count()) == (1, 1)


def test_what_a_killed_worker_had_is_found_by_the_clock_of_another(shop, upload) -> None:
    """Lease and two sweeps: that is what a worker costs that went down with its messages."""
    shop.start(name="first", TILECOURT_LEASE_SECONDS=str(LEASE))
    shop.start(
        *("--beat", "--scheduler", "celery.beat:Scheduler", "--concurrency", "1"),
        TILECOURT_LEASE_SECONDS=str(LEASE),
        TILECOURT_SWEEP_SECONDS=str(SWEEP),
    )
    upload_id = upload(log(B))
    now = timezone.now()
    # As a worker leaves it: taken, and no message that anybody could take again.
    Chunk.objects.update(
        state="running", attempts=1, lease_until=now + timedelta(seconds=LEASE), queued_at=now
    )
    shop.kill("first")
    shop.wait(lambda: states() == ["done"], seconds=LEASE + 2 * SWEEP + SLACK)
    assert selectors.get_upload(upload_id, sources=None).state == "done"


def test_a_message_that_never_went_out_is_found_by_the_clock(shop, upload) -> None:
    """Killed between the commit and the queueing: the rows stand, and nobody knows."""
    shop.start(
        *("--beat", "--scheduler", "celery.beat:Scheduler", "--concurrency", "1"),
        TILECOURT_SWEEP_SECONDS=str(SWEEP),
    )
    upload(log(B))
    shop.wait(lambda: states() == ["done"], seconds=2 * SWEEP + SLACK)


def test_a_clock_beside_the_worker_that_is_killed_is_started_again(shop, upload) -> None:
    worker = shop.start(
        *("--beat", "--scheduler", "celery.beat:Scheduler", "--concurrency", "1"),
        TILECOURT_SWEEP_SECONDS=str(SWEEP),
    )
    children = children_of(worker.pid)
    assert len(children) == 2
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    shop.wait(lambda: shop.log_of().count(b"beat: Starting...") == 2, seconds=CLOCK_SECONDS + SLACK)
    upload(log(B))
    shop.wait(lambda: states() == ["done"], seconds=2 * SWEEP + SLACK)
    assert len(children_of(worker.pid)) == 2


def test_the_clock_goes_past_a_backlog(shop, transactional_db) -> None:
    """Its tasks have a queue of their own: behind an hour of work they would come too late."""
    with Connection(shop.url) as line:
        for _ in range(2_000):
            current_app.send_task(JUDGE_CHUNK, (0,), connection=line)
    with redis.Redis(unix_socket_path=shop.socket) as broker:
        assert broker.llen("celery") == 2_000
    shop.start("--concurrency", "1")
    # By the worker's own log: the backlog may be gone by the time that we look.
    before_the_sweep, _ = SWEPT.split(shop.log_of(), maxsplit=1)
    assert before_the_sweep.count(b" succeeded in ") < 2_000
