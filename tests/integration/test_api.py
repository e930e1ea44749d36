"""The API as a program meets it: gunicorn, a worker, PostgreSQL and a broker, by bare HTTP."""

from __future__ import annotations

import gzip
import io
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from audit import services
from audit.devstack.supervisor import Supervisor
from audit.models import Chunk, Hand, TableTouch, Upload
from audit.zstd import packed
from tests.access import trusted
from tests.audit.logs import GOLDEN, B, changed, log
from tests.integration.conftest import is_idle
from tests.integration.web import (
    PATIENCE_SECONDS,
    UPLOADS,
    Web,
    chunks,
    memory_peak,
    processor_seconds,
)

pytestmark = pytest.mark.integration

MIB = 1 << 20
LOG = log(*(changed(B, hand_id=str(number)) for number in range(300)))


@pytest.fixture
def start_web(transactional_db: Any) -> Iterator[Callable[..., Web]]:
    supervisor = Supervisor(Path(os.environ["TILECOURT_HOME"], f"web-{os.getpid()}"))
    yield lambda **settings: Web(supervisor, **settings)
    supervisor.stop_all()


@pytest.fixture
def web(start_web: Callable[..., Web]) -> Web:
    return start_web()


@pytest.fixture
def headers(transactional_db: Any, django_user_model: Any) -> dict[str, str]:
    trusted(django_user_model.objects.create_user("feed"))
    token = services.create_token(name="feed", days=1).token
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}


def dial(web: Web) -> socket.socket:
    return socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE_SECONDS)


def finished(web: Web, address: str, headers: dict[str, str]) -> dict[str, Any]:
    """Ask for the progress until the end, as a program would."""
    limit = time.monotonic() + PATIENCE_SECONDS
    while True:
        status, _, told = web.ask("GET", address, **headers)
        assert status == 200
        if told["is_ended"]:
            return told
        assert time.monotonic() < limit, told
        time.sleep(0.05)


def test_a_log_is_taken_audited_and_told_in_whatever_dress(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    for number, (pack, size) in enumerate(
        product((bytes, gzip.compress, packed), (None, 1, 1000, 70_000))
    ):
        data = pack(log(*(changed(B, hand_id=f"{number}-{hand}") for hand in range(30))))
        body = data if size is None else chunks(data, size)
        status, named, told = web.ask("POST", UPLOADS + "?name=a", body, **headers)
        assert (status, told["bytes"], told["lines"]) == (201, len(data), 30)
        end = finished(web, named["Location"], headers)
        assert (end["state"], end["hands"]["new"], end["verdicts"]["clean"]) == ("done", 30, 30)
    assert Hand.objects.count() == 12 * 30


def test_the_charset_of_a_body_changes_nothing_of_its_address(
    web: Web, headers: dict[str, str]
) -> None:
    # Of texts, of no texts, and of nothing at all.
    name = quote("手牌 é.ndjson")
    for charset in ("hex", "rot13", "idna", "undefined", "zlib", "utf-16", "utf-7", "gbk", "x"):
        named = headers | {"Content-Type": f"text/plain; charset={charset}"}
        status, _, told = web.ask("POST", f"{UPLOADS}?name={name}", LOG, **named)
        assert (charset, status) == (charset, 201)
        assert Upload.objects.get(pk=told["id"]).name == "手牌 é.ndjson"
        status, _, told = web.ask("GET", f"/api/v1/hands/?q={name}", **named)
        assert (charset, status, told["hands"]) == (charset, 200, [])
        assert web.ask("GET", f"/login?next={name}", **named)[0] == 200


def test_svc_11_12_one_key_while_the_first_is_arriving_and_after(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    keyed = {**headers, "Idempotency-Key": "k1"}
    other = log(changed(B, hand_id="other"))
    go_on = threading.Event()
    first: list[Any] = []

    def slowly() -> Iterator[bytes]:
        yield LOG[:5000]
        go_on.wait(PATIENCE_SECONDS)
        yield LOG[5000:]

    sender = threading.Thread(
        target=lambda: first.append(web.ask("POST", UPLOADS, slowly(), **keyed))
    )
    sender.start()
    while not Upload.objects.filter(submission__key="k1").exists():
        time.sleep(0.02)
    for data in (LOG, other):
        status, named, told = web.ask("POST", UPLOADS, data, **keyed)
        assert (status, told["error"]["code"]) == (409, "in-progress")
        assert named["Retry-After"] == "5"
    go_on.set()
    sender.join()
    ((status, named, told),) = first
    assert status == 201
    assert web.ask("POST", UPLOADS, LOG, **keyed)[::2] == (201, told)
    status, _, refused = web.ask("POST", UPLOADS, other, **keyed)
    assert (status, refused["error"]["code"]) == (422, "key-reused")
    end = finished(web, named["Location"], headers)
    assert (end["state"], end["hands"]["new"]) == ("done", 300)
    assert (Upload.objects.count(), Hand.objects.count()) == (1, 300)
    assert not Hand.objects.filter(hand_id="other").exists()


def test_svc_11_two_at_the_very_same_time_are_one(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    for turn in range(10):
        keyed = {**headers, "Idempotency-Key": f"turn {turn}".replace(" ", "-")}
        together = threading.Barrier(3)
        answers: list[Any] = []

        def send(keyed: dict[str, str] = keyed, together: Any = together) -> None:
            together.wait(PATIENCE_SECONDS)
            answers.append(web.ask("POST", UPLOADS, LOG, **keyed))  # noqa: B023 - joined below

        senders = [threading.Thread(target=send) for _ in range(3)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        taken = [told for status, _, told in answers if status == 201]
        waiting = [told["error"]["code"] for status, _, told in answers if status == 409]
        assert len(taken) + len(waiting) == 3
        assert taken
        assert all(told == taken[0] for told in taken)
        assert set(waiting) <= {"in-progress"}
        assert Upload.objects.count() == turn + 1


def test_svc_40_a_sender_who_hangs_up_leaves_nothing_and_may_send_again(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n{named}"
    part = LOG[: len(LOG) * 6 // 10]
    whole = f"Content-Length: {len(LOG)}\r\n\r\n".encode() + part
    in_chunks = f"Transfer-Encoding: chunked\r\n\r\n{len(part):x}\r\n".encode() + part + b"\r\n"
    for number, body in enumerate((whole, in_chunks, in_chunks[:-700]), start=1):
        with dial(web) as line:
            line.sendall(head.encode() + body)
        limit = time.monotonic() + PATIENCE_SECONDS
        while Upload.objects.filter(state="failed").count() < number:
            assert time.monotonic() < limit
            time.sleep(0.05)
    assert Upload.objects.count() == 3
    for error in Upload.objects.values_list("error", flat=True):
        assert error.startswith("Incomplete upload: after ")
    assert not Chunk.objects.exists()
    status, sent, _ = web.ask("POST", UPLOADS, LOG, **headers, Idempotency_Key="k")
    assert status == 201
    end = finished(web, sent["Location"], headers)
    assert end["hands"] == {"new": 300, "duplicate": 0, "conflict": 0, "restated": 0}


def test_a_sender_who_falls_silent_is_not_waited_for(
    start_web: Callable[..., Web], headers: dict[str, str]
) -> None:
    web = start_web(TILECOURT_SENDER_SECONDS="1")
    named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\n{named}Content-Length: 9999\r\n\r\n"
    with dial(web) as line:
        line.sendall(head.encode() + B)
        answer = line.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert Upload.objects.get().error.endswith("it broke off (nothing came for 1 seconds).")


def test_a_stranger_is_answered_before_his_body_has_come(web: Web, headers: dict[str, str]) -> None:
    head = f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\n"
    head += "Content-Type: application/x-ndjson\r\nContent-Length: 1000000000\r\n\r\n"
    with dial(web) as line:
        line.sendall(head.encode())
        assert line.recv(65_536).startswith(b"HTTP/1.1 401 ")
    assert not Upload.objects.exists()


def test_damaged_chunks_are_no_file(web: Web, headers: dict[str, str]) -> None:
    named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\n{named}Transfer-Encoding: chunked"
    with dial(web) as line:
        line.sendall(head.encode() + b"\r\n\r\n5\r\nhello\r\nzz\r\n")
        assert line.recv(65_536).startswith(b"HTTP/1.1 400 ")
    assert Upload.objects.get().state == "failed"


@pytest.mark.slow
def test_svc_35_small_bodies_that_unpack_to_much(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    """A gigabyte of blanks is refused at the stated limit; the server stays small meanwhile."""
    (server,) = web.workers()
    assert web.ask("POST", UPLOADS, LOG, **headers)[0] == 201
    before = memory_peak(server)
    bomb = (GOLDEN / "odd" / "bomb.ndjson.gz").read_bytes()
    large = blanks(1 << 30)
    beside: list[dict[str, Any]] = []

    def with_one_beside() -> Iterator[bytes]:
        yield large[: len(large) * 2 // 5]
        _, sent, _ = web.ask("POST", UPLOADS, log(changed(B, hand_id="beside")), **headers)
        beside.append(finished(web, sent["Location"], headers))
        yield large[len(large) * 2 // 5 :]

    status, _, told = web.ask("POST", UPLOADS, with_one_beside(), **headers)
    assert (status, told["error"]["code"]) == (413, "too-large")
    assert told["error"]["message"].startswith("The file unpacks to more than 536870912 bytes")
    assert (beside[0]["state"], beside[0]["hands"]["new"]) == ("done", 1)
    status, sent, _ = web.ask("POST", UPLOADS, bomb, **headers)
    end = finished(web, sent["Location"], headers)
    assert (end["verdicts"]["rejected"], end["verdicts"]["clean"]) == (1, 1)
    assert memory_peak(server) - before < 64 * MIB


def blanks(size: int) -> bytes:
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", compresslevel=9) as file:
        for _ in range(size // MIB):
            file.write(b" " * MIB)
    return made.getvalue()


def test_svc_36_depth_and_length_through_the_server(
    celery_worker_process: Any, web: Web, headers: dict[str, str]
) -> None:
    # Not by the clock, which other work on the machine lets run on.
    (server,) = web.workers()
    before = processor_seconds(server)
    as_json = {**headers, "Content-Type": "application/json"}
    status, _, told = web.ask("POST", UPLOADS, b"[" * 20_000, **as_json)
    assert (status, told["error"]["code"]) == (400, "refused")
    assert processor_seconds(server) - before < 1
    junk = (GOLDEN / "odd" / "long-junk.ndjson.gz").read_bytes()
    before = time.monotonic()
    status, sent, told = web.ask("POST", UPLOADS, junk, **headers)
    assert status == 201
    end = finished(web, sent["Location"], headers)
    assert end["verdicts"]["rejected"] > 0
    assert time.monotonic() - before < told["lines"]


def test_two_processes_tell_the_same_figures(
    celery_worker_process: Any, web: Web, start_web: Callable[..., Web], headers: dict[str, str]
) -> None:
    _, sent, _ = web.ask("POST", UPLOADS, LOG, **headers)
    finished(web, sent["Location"], headers)
    limit = time.monotonic() + PATIENCE_SECONDS
    while TableTouch.objects.exists() or not is_idle():
        assert time.monotonic() < limit
        time.sleep(0.05)
    other = start_web()
    told = [one.ask("GET", "/metrics")[2].splitlines() for one in (web, other)]
    # How old something is goes on between the two.
    figures = [[line for line in lines if b"_seconds" not in line] for lines in told]
    assert figures[0] == figures[1]
    assert b'tilecourt_hands_total{arrival="new"} 300.0' in figures[0]


def test_ready_and_healthy(web: Web, transactional_db: Any) -> None:
    assert web.ask("GET", "/healthz")[::2] == (200, b"alive\n")
    assert web.ask("GET", "/readyz")[::2] == (200, b"ready\n")


def test_without_a_broker_it_is_alive_and_not_ready(start_web: Callable[..., Web]) -> None:
    web = start_web(BROKER_URL="redis+socket:///nowhere/valkey.sock")
    assert web.ask("GET", "/healthz")[0] == 200
    assert web.ask("GET", "/readyz")[::2] == (503, b"not ready\n")


def test_without_a_database_it_is_alive_and_not_ready(start_web: Callable[..., Web]) -> None:
    web = start_web(DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing")
    assert web.ask("GET", "/healthz")[0] == 200
    before = time.monotonic()
    assert web.ask("GET", "/readyz")[::2] == (503, b"not ready\n")
    # Out of the pool it would have to wait ten seconds for each connection.
    assert time.monotonic() - before < 10
    assert web.ask("GET", "/metrics")[0] == 503
    status, named, told = web.ask(
        "POST", UPLOADS, LOG, Authorization="Bearer tc_x", Content_Type="application/x-ndjson"
    )
    assert (status, told["error"]["code"], named["Retry-After"]) == (503, "unavailable", "5")
