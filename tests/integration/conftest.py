"""Waiting for a real worker."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client

from audit import selectors, services
from audit.config.celery import app
from audit.devstack.supervisor import Supervisor
from audit.models import TableTouch
from tests.access import trusted
from tests.conftest import forget_messages
from tests.integration.crew import Crew
from tests.integration.web import PATIENCE_SECONDS, Web

Upload = Callable[..., int]
Wait = Callable[..., list[selectors.UploadRow]]
Ingest = Callable[..., selectors.UploadRow]


def receive(data: bytes, name: str = "hands.ndjson") -> int:
    """Hand a file in, as the page and the command do; gives its upload."""
    return services.receive_upload(name=name, stream=io.BytesIO(data)).upload_id


def wait_for(*uploads: int, seconds: float = PATIENCE_SECONDS) -> list[selectors.UploadRow]:
    """Wait until uploads have their ends."""
    limit = time.monotonic() + seconds
    while True:
        rows = [selectors.get_upload(upload, sources=None) for upload in uploads]
        if all(row.is_ended for row in rows):
            return rows
        assert time.monotonic() < limit, rows
        time.sleep(0.05)


@pytest.fixture
def upload() -> Upload:
    return receive


@pytest.fixture
def wait() -> Wait:
    return wait_for


@pytest.fixture(scope="module")
def module_crew(django_db_setup: Any, django_db_blocker: Any) -> Iterator[Crew]:
    """A worker of two processes for all scenarios of a file."""
    with django_db_blocker.unblock():
        forget_messages()
        crew = Crew(Supervisor(Path(os.environ["TILECOURT_HOME"], f"crew-{os.getpid()}")))
        try:
            crew.start()
        except BaseException:
            crew.supervisor.stop_all()
            raise
    yield crew
    crew.supervisor.stop_all()


@pytest.fixture
def crew(transactional_db: Any, module_crew: Crew) -> Iterator[Crew]:
    """The worker on an empty store. At the end it has nothing left to do in that."""
    yield module_crew
    module_crew.wait(lambda: is_idle() and not TableTouch.objects.exists())


def is_idle() -> bool:
    """Whether the test's own broker has given out all messages, and each has been worked off.

    A message that is held for later is not waited for: by then its rows are gone, and it finds
    nothing to do.
    """
    parts = urlsplit(os.environ["BROKER_URL"])
    number = parse_qs(parts.query).get("virtual_host", ["0"])[0]
    with redis.Redis(unix_socket_path=parts.path, db=int(number)) as broker:
        if any(broker.llen(queue.name) for queue in app.conf.task_queues):
            return False
        held: list[Any] = [json.loads(one)[0] for one in broker.hvals("unacked")]
    return all(one["headers"].get("eta") for one in held)


@pytest.fixture
def ingest(crew: Crew) -> Ingest:
    """Hand a file in and wait for its end."""

    def run(data: bytes, name: str = "hands.ndjson") -> selectors.UploadRow:
        (row,) = wait_for(receive(data, name))
        return row

    return run


@pytest.fixture(scope="module")
def module_web(django_db_setup: Any, django_db_blocker: Any) -> Iterator[Web]:
    """A web server for all scenarios of a file."""
    supervisor = Supervisor(Path(os.environ["TILECOURT_HOME"], f"site-{os.getpid()}"))
    try:
        with django_db_blocker.unblock():
            web = Web(supervisor)
        yield web
    finally:
        supervisor.stop_all()


@pytest.fixture
def user(transactional_db: Any) -> User:
    return trusted(User.objects.create_user("ines"))


@pytest.fixture
def feed(module_web: Web, user: User) -> dict[str, str]:
    """The headers of a program that may hand logs in."""
    token = services.create_token(name="ines", days=1).token
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}


@pytest.fixture
def page(module_web: Web, user: User) -> Callable[[str], tuple[int, str]]:
    """Fetch a page of the real server as somebody who is logged in: its status and its text."""
    visitor = Client()
    visitor.force_login(user)
    cookie = f"sessionid={visitor.cookies['sessionid'].value}"

    def fetch(address: str) -> tuple[int, str]:
        status, _, data = module_web.ask("GET", address, Cookie=cookie)
        text = data.decode() if isinstance(data, bytes) else str(data)
        return status, text

    return fetch
