"""The fixtures that other tests stand on."""

import os
import signal

import pytest
from django.urls import reverse

from audit.config.celery import app


@pytest.mark.integration
def test_a_real_worker_answers_and_may_be_killed(celery_worker_process, worker_keeper):
    with app.connection_for_write() as line:
        answers = app.control.ping(timeout=5.0, limit=1, connection=line)
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
