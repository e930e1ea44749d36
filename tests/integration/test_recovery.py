"""What the service stands on dies and comes back: the worker goes on, within a stated time."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest
import redis
from celery import current_app
from django.db import connection, transaction
from kombu import Connection

from audit.devstack.services import start_broker
from audit.devstack.supervisor import Supervisor
from audit.devstack.throwaway import throwaway_folder
from audit.devstack.up import WORKER_STOP
from audit.models import Chunk, Upload
from audit.services.queueing import JUDGE_CHUNK
from tests.audit.logs import B, changed, log
from tests.integration.web import ROOT, environment

pytestmark = pytest.mark.integration


SWEPT = re.compile(rb"Task audit.sweep\S+ succeeded")


class Shop:
    """A broker and a worker of their own, which a test may kill without harm to others."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.url = start_broker(supervisor)
        self.worker_log = supervisor.log_of("worker")

    def start_worker(self, *options: str, **settings: str) -> None:
        self.worker = self.supervisor.start(
            "worker",
            [
                *(sys.executable, "-m", "celery", "--app", "audit.config.celery", "worker"),
                *("--concurrency", "2", "--without-gossip", "--without-mingle", *options),
            ],
            stop=WORKER_STOP,
            env=environment(BROKER_URL=self.url, **settings),
            cwd=ROOT,
            log=self.worker_log,
        )
        # It looks for lost messages first; what comes afterwards is left to the test.
        self.wait(lambda: SWEPT.search(self.worker_log.read_bytes()) is not None, seconds=60)

    def send(self, name: str, *arguments: int, **options: int) -> None:
        with Connection(self.url) as line:
            current_app.send_task(name, arguments, connection=line, **options)

    def kill(self, name: str) -> None:
        self.supervisor.process(name).send_signal(signal.SIGKILL)
        self.supervisor.wait_done(name)

    def wait(self, is_so: Callable[[], bool], *, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < limit, self.supervisor.last_words("worker")
            time.sleep(0.05)


@pytest.fixture
def shop(transactional_db: None) -> Iterator[Shop]:
    with throwaway_folder() as supervisor:
        yield Shop(supervisor)


def states() -> list[str]:
    return list(Chunk.objects.order_by("id").values_list("state", flat=True))


def test_a_worker_outlives_its_broker_while_it_holds_a_message(shop, upload) -> None:
    """A message is held for later and the next is asked for, when of the worker's connections the
    one that listens for orders is lost first: there Celery's own consumer ends the worker."""
    shop.start_worker()
    upload(log(B))
    upload(log(changed(B, hand_id="second")))
    first, second = Chunk.objects.order_by("id").values_list("id", flat=True)
    shop.send(JUDGE_CHUNK, first, countdown=3_600)
    with redis.Redis(unix_socket_path=shop.url.removeprefix("redis+socket://")) as broker:
        shop.wait(lambda: broker.hlen("unacked") == 1, seconds=20)
        (listening,) = broker.client_list("pubsub")
        broker.client_kill_filter(_id=listening["id"])
        shop.wait(lambda: len(broker.client_list("pubsub")) == 1, seconds=20)
        shop.wait(lambda: broker.hlen("unacked") == 1, seconds=20)
    shop.kill("Valkey")
    time.sleep(0.5)
    start_broker(shop.supervisor)
    shop.send(JUDGE_CHUNK, second)
    shop.wait(lambda: states() == ["queued", "done"], seconds=30)
    assert shop.worker.poll() is None


def test_a_worker_outlives_its_broker_while_it_works(shop, upload) -> None:
    """A task that ends when the broker is back has its message from the broker of before."""
    shop.start_worker()
    upload(log(B))
    upload(log(changed(B, hand_id="second")))
    first, second = Chunk.objects.order_by("id").values_list("id", flat=True)
    with transaction.atomic():
        Upload.objects.select_for_update().earliest("id")
        shop.send(JUDGE_CHUNK, first)
        shop.wait(is_waiting_for_a_lock, seconds=20)
        shop.kill("Valkey")
        time.sleep(0.5)
        start_broker(shop.supervisor)
        with redis.Redis(unix_socket_path=shop.url.removeprefix("redis+socket://")) as broker:
            shop.wait(lambda: len(broker.client_list("pubsub")) == 1, seconds=20)
    shop.wait(lambda: states() == ["done", "queued"], seconds=20)
    shop.send(JUDGE_CHUNK, second)
    shop.wait(lambda: states() == ["done", "done"], seconds=20)
    assert shop.worker.poll() is None


def is_waiting_for_a_lock() -> bool:
    """Whether another process of this database waits for a row."""
    with connection.cursor() as cursor:
        # Unlike pg_stat_activity this is looked up anew within a transaction.
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None
