"""Alive, ready, how much: for probes and scrapers."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from audit import services
from audit.models import Chunk, SealPending, TableTouch, Upload
from audit.selectors import vitals
from audit.services.judging import ATTEMPTS_MAX
from tests.audit.logs import B, changed, log, void, with_net


def figures(**headers: str) -> dict[tuple[str, str], float]:
    """What /metrics says, by name and the value of its label."""
    answer = Client().get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    return {
        (sample.name.removeprefix("tilecourt_"), "".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def receive(*lines: bytes) -> int:
    return services.receive_upload(name="x", stream=io.BytesIO(log(*lines))).upload_id


def judge() -> None:
    for chunk in Chunk.objects.filter(state="queued").order_by("id"):
        services.judge_chunk(chunk_id=chunk.pk)


def test_the_figures_are_those_of_the_uploads(db: Any) -> None:
    assert set(figures().values()) == {0.0}
    wrong = with_net(changed(B, hand_id="wrong"), 1, "-99.00")
    receive(B, wrong, void(B, hand_id="void"), b"junk")
    receive(B, with_net(B, 1, "-98.00"))
    judge()
    waiting = receive(B)
    Upload.objects.filter(pk=waiting).update(touched_at=timezone.now() - timedelta(hours=1))
    Upload.objects.create(name="arriving", byte_count=10**6, line_count=5)
    told = figures()
    age = told.pop(("queue_age_seconds", ""))
    assert told.pop(("log_waiting", "")) == sum(
        len(rows) for rows in SealPending.objects.values_list("rows", flat=True)
    )
    assert 0 < told.pop(("log_waiting_seconds", "")) < 60
    assert told.pop(("tables_waiting", "")) == TableTouch.objects.values("table").distinct().count()
    assert 3_600 <= age < 3_700
    whole = Upload.objects.exclude(sha256=None).values_list("byte_count", flat=True)
    assert told == {
        ("lines_total", "clean"): 2,
        ("lines_total", "consistent"): 0,
        ("lines_total", "discrepant"): 2,
        ("lines_total", "void"): 1,
        ("lines_total", "rejected"): 1,
        ("lines_total", "failed"): 0,
        ("hands_total", "new"): 3,
        ("hands_total", "duplicate"): 1,
        ("hands_total", "conflict"): 1,
        ("hands_total", "restated"): 0,
        ("received_bytes_total", ""): sum(whole),
        ("uploads", "receiving"): 1,
        ("uploads", "queued"): 1,
        ("uploads", "running"): 0,
        ("uploads", "done"): 2,
        ("uploads", "partly"): 0,
        ("uploads", "failed"): 0,
        ("chunks", "queued"): 1,
        ("chunks", "running"): 0,
        ("chunks", "done"): 2,
        ("chunks", "failed"): 0,
        ("log_leaves", ""): 0,
    }


def test_the_figures_take_a_query_and_those_of_the_log_another(
    db: Any, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        figures()


def test_a_file_that_is_given_up_takes_nothing_back(db: Any) -> None:
    receive(B, b"junk")
    judge()
    before = figures()
    arriving = Upload.objects.create(name="x", touched_at="2020-01-01T00:00:00Z", byte_count=9)
    services.sweep()
    assert Upload.objects.get(pk=arriving.pk).state == "failed"
    after = figures()
    assert after.pop(("log_waiting_seconds", "")) > before.pop(("log_waiting_seconds", ""))
    assert after == before | {("uploads", "failed"): 1.0}


def test_with_a_token_the_token_is_asked_of_everyone(db: Any, settings: Any) -> None:
    settings.TILECOURT_METRICS_TOKEN = "s3cret"
    for shown in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}):
        assert Client().get("/metrics", headers=shown).status_code == 401
    answer = Client().get(
        "/metrics", headers={"Authorization": "Bearer s3cret"}, REMOTE_ADDR="203.0.113.9"
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_a_proxy_on_this_machine_opens_nothing(db: Any, header: str) -> None:
    assert Client().get("/metrics", headers={header: "127.0.0.1"}).status_code == 401


def test_behind_a_proxy_the_token_is_needed(db: Any, settings: Any) -> None:
    settings.TILECOURT_BEHIND_PROXY = True
    assert Client().get("/metrics").status_code == 401


def test_without_the_store_we_are_alive_and_not_ready(
    db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OperationalError("server closed the connection\nat secret.example")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", gone)
        patch.setitem(connection.settings_dict, "PORT", "1")
        answers = [Client().get(address) for address in ("/healthz", "/readyz", "/metrics")]
    assert [(answer.status_code, answer.content) for answer in answers] == [
        (200, b"alive\n"),
        (503, b"not ready\n"),
        (503, b"the store cannot be reached\n"),
    ]


def test_without_the_broker_we_are_not_ready_and_say_so_soon(
    db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from celery import current_app  # noqa: PLC0415

    elsewhere = current_app.connection_for_read("redis+socket:///nowhere/valkey.sock")
    monkeypatch.setattr(current_app, "connection_for_read", lambda **_: elsewhere)
    before = timezone.now()
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.content) == (503, b"not ready\n")
    assert timezone.now() - before < timedelta(seconds=20)
    assert "No such file" in str(vitals.broker_trouble())


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_probes_only_read(db: Any, address: str) -> None:
    assert Client().post(address).status_code == 405
    assert Client().head(address).status_code == 200


def test_probes_are_not_led_to_https(db: Any, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/hands/").status_code == 301
    assert Client().get("/healthz").status_code == 200


def test_a_chunk_that_failed_is_counted(db: Any) -> None:
    """One whose bytes are damaged: of a whole one, the lines it fails on are set aside instead."""
    receive(B)
    Chunk.objects.update(attempts=ATTEMPTS_MAX - 1, payload=b"damaged")
    judge()
    told = figures()
    assert (told["chunks", "failed"], told["lines_total", "failed"]) == (1, 1)
    assert told["queue_age_seconds", ""] == 0
