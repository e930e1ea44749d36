"""The fixtures that other tests stand on."""

import os
import re
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.management.sql import sql_flush
from django.db import connection
from django.urls import reverse
from psycopg.errors import DeadlockDetected

from audit.config import settings as configured
from audit.config.celery import app


@pytest.mark.integration
def test_a_real_worker_answers_and_may_be_killed(celery_worker_process, worker_keeper):
    with app.connection_for_write() as line:
        answers = app.control.ping(timeout=120.0, limit=1, connection=line)
    assert [list(answer.values()) for answer in answers] == [[{"ok": "pong"}]]
    os.killpg(celery_worker_process.pid, signal.SIGKILL)
    celery_worker_process.wait()
    assert worker_keeper.running().pid != celery_worker_process.pid


@pytest.mark.e2e
def test_a_browser_opens_the_log_in_page(page):
    response = page.goto(reverse("login"))
    assert response is not None
    assert response.ok
    assert page.locator("input[type=password]").count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_tables_are_emptied_even_where_a_reader_stands_in_the_way(django_user_model):
    """It has read the last table and wants the first, which the emptying has by then."""
    tables = re.findall(r'"(\w+)"', " ".join(sql_flush(no_style(), connection)))
    # Of the two the database ends either, and that is the reader where it looked late.
    for _ in range(20):
        django_user_model.objects.create_user("ann")
        Path(configured.TILECOURT_SEAL_HEADS).mkdir(parents=True, exist_ok=True)
        if reads_to_the_end(tables[-1], tables[0]):
            break
    else:
        pytest.fail("the emptying was never the one that was ended")
    assert not django_user_model.objects.exists()
    assert not Path(configured.TILECOURT_SEAL_HEADS).exists()


def reads_to_the_end(first: str, second: str) -> bool:
    """Empty the tables while somebody has read one and waits for another; says whether that one
    came to read it."""
    emptying = connection.cursor().connection.info.backend_pid
    parameters = connection.get_connection_params()
    read: list[str] = []
    with psycopg.connect(**{**parameters, "cursor_factory": psycopg.Cursor}) as reader:
        reader.execute(f'SELECT 1 FROM "{first}"')

        def read_on() -> None:
            waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid = %s"
            while reader.execute(waiting, [emptying]).fetchone() is None:
                time.sleep(0.01)
            with suppress(DeadlockDetected):
                reader.execute(f'SELECT 1 FROM "{second}"')
                read.append(second)
            reader.rollback()

        reading = threading.Thread(target=read_on)
        reading.start()
        call_command("flush", verbosity=0, interactive=False)
        reading.join()
    return bool(read)
