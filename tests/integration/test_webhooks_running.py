"""Webhooks are sent by real workers: a host that never answers holds up nobody."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from audit.config.settings import CELERY_BEAT_SCHEDULE, CELERY_TASK_ROUTES
from audit.devstack.supervisor import Supervisor
from audit.models import Webhook, WebhookAttempt, WebhookDelivery
from audit.selectors.access import access_of
from audit.services.webhooks import create_webhook, try_webhook
from audit.tasks import send_to_webhook, send_webhooks
from tests.access import trusted
from tests.bad_hosts import silent_host
from tests.conftest import forget_messages
from tests.integration.crew import Crew

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]
MESSAGES = 6
# A host that says nothing is left after ten seconds.
ATTEMPT_SECONDS = 10


def test_the_names_of_the_tasks_are_known() -> None:
    assert CELERY_BEAT_SCHEDULE["send_webhooks"]["task"] == send_webhooks.name
    assert CELERY_TASK_ROUTES[send_webhooks.name] == {"queue": "clock"}
    assert CELERY_TASK_ROUTES[send_to_webhook.name] == {"queue": "webhooks"}


@pytest.fixture
def tellers(transactional_db: Any) -> Iterator[Crew]:
    """A worker of two processes that may call this machine."""
    forget_messages()
    crew = Crew(Supervisor(Path(os.environ["TILECOURT_HOME"], f"tellers-{os.getpid()}")))
    try:
        crew.start(TILECOURT_WEBHOOK_PRIVATE="1")
        yield crew
    finally:
        crew.supervisor.stop_all()


@pytest.fixture
def silent() -> Iterator[str]:
    with silent_host() as address:
        yield address


@pytest.fixture
def prompt() -> Iterator[str]:
    """The address of a host that says at once that it has the message."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)


def test_a_host_that_never_answers_delays_nobody(
    tellers: Crew, settings: Any, silent: str, prompt: str
) -> None:
    """Everything for the one arrives while the other is still waited for; it then rests."""
    settings.TILECOURT_WEBHOOK_PRIVATE = True
    access = access_of(trusted(User.objects.create_user("ines.castro")))
    hooks = [
        create_webhook(access=access, name=url, url=url, sources=None).pk
        for url in (silent, prompt)
    ]
    for _ in range(MESSAGES):
        for pk in hooks:
            try_webhook(access=access, pk=pk)
    send_webhooks.delay()
    arrived = WebhookDelivery.objects.filter(webhook_id=hooks[1], state="delivered")
    waited = WebhookAttempt.objects.filter(delivery__webhook_id=hooks[0])
    tellers.wait(lambda: arrived.count() == MESSAGES and waited.exists())
    tellers.wait(lambda: Webhook.objects.get(pk=hooks[0]).leased_until is None)
    [attempt] = waited
    # By the times on record: the test itself may look late.
    told = WebhookAttempt.objects.filter(delivery__webhook_id=hooks[1])
    assert told.count() == MESSAGES
    assert told.latest("at").at < attempt.at
    assert (attempt.status, attempt.took_ms >= 1_000 * (ATTEMPT_SECONDS - 1)) == (None, True)
    assert Webhook.objects.get(pk=hooks[0]).rests_until is not None
