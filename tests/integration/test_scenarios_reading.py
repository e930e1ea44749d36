"""Scenarios of the service about files as they come, through a real server and a real worker."""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from audit import selectors, services
from audit.models import Chunk, Hand, HandVersion, Refusal, Upload, Verdict
from audit.zstd import unpacked
from tests.audit.logs import GOLDEN, B, changed, log
from tests.integration.conftest import Ingest, receive, wait_for
from tests.integration.crew import Crew
from tests.integration.web import PATIENCE_SECONDS, UPLOADS, Web, chunks

pytestmark = pytest.mark.integration

ODD = GOLDEN / "odd"
FIFTY = log(*(changed(B, hand_id=f"h{number}") for number in range(1, 51)))
Page = Callable[[str], tuple[int, str]]


def test_svc_29_pieces_of_any_size(crew: Crew, module_web: Web, feed: dict[str, str]) -> None:
    data = (ODD / "cjk-chunks.ndjson").read_bytes()

    def drops() -> Iterator[bytes]:
        yield from (data[at : at + 1] for at in range(5_000))
        yield data[5_000:]

    records = []
    for body in (data, chunks(data, 1_000), drops()):
        status, _, told = module_web.ask("POST", UPLOADS, body, **feed)
        assert (status, told["bytes"]) == (201, len(data))
        (row,) = wait_for(told["id"])
        records.append(row.sha256)
        kept = Hand.objects.values_list("players", flat=True)
        assert not any("\N{REPLACEMENT CHARACTER}" in name for names in kept for name in names)
    assert len(set(records)) == 1
    rows = [
        selectors.get_upload(pk, sources=None)
        for pk in Upload.objects.order_by("id").values_list("pk", flat=True)
    ]
    assert [(row.new, row.duplicates) for row in rows] == [
        (rows[0].hands, 0),
        (0, rows[0].hands),
        (0, rows[0].hands),
    ]
    sent = [line for line in data.splitlines() if line.strip()]
    stored = [
        unpacked(raw) for raw in HandVersion.objects.order_by("line").values_list("raw", flat=True)
    ]
    assert [line for line in sent if line in set(stored)] == stored


def test_svc_30_two_halves(ingest: Ingest) -> None:
    half = len(B) // 2
    rows = [ingest(B[:half]), ingest(B[half:])]
    assert [(row.state, row.lines, row.rejected) for row in rows] == [("failed", 1, 1)] * 2
    assert not Hand.objects.exists()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.ndjson", b""),
        ("chat.ndjson", b"good morning\nwell played, Di!\n"),
        ("jpeg.ndjson", (ODD / "jpeg.ndjson").read_bytes()),
        ("other.ndjson", b'{"game":"holdem","hand":1,"pot":"20.00"}\n{"game":"holdem","hand":2}\n'),
    ],
    ids=["empty", "chat", "jpeg", "another game"],
)
def test_svc_31_files_without_hands(ingest: Ingest, page: Page, name: str, data: bytes) -> None:
    first, again = ingest(data, name), ingest(data, name)
    assert (first.state, again.state, again.rejected) == ("failed", "failed", first.rejected)
    assert first.id != again.id
    assert first.error.startswith("No hands found")
    status, html = page(f"/uploads/{first.id}/")
    assert status == 200
    assert "No hands found" in html
    assert ("Failed" in html, "Done" in html) == (True, False)
    assert not Hand.objects.exists()


# The store step of the worker's own database, made to fail for the hands that the pattern names.
REFUSE = """
CREATE FUNCTION refuse_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'no room for %', NEW.hand_id;
END $$
"""
TRIGGER = """
CREATE TRIGGER refuse BEFORE INSERT ON audit_hand
FOR EACH ROW WHEN (NEW.hand_id ~ '{pattern}') EXECUTE FUNCTION refuse_hand()
"""


@pytest.fixture
def refuse(transactional_db: Any) -> Iterator[Callable[[str], None]]:
    def run(pattern: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(REFUSE)
            cursor.execute(TRIGGER.format(pattern=pattern))

    yield run
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse_hand CASCADE")


def hurry(upload_id: int) -> selectors.UploadRow:
    """Wait for an upload whose chunk fails, without the pauses between its attempts."""
    limit = time.monotonic() + 2 * PATIENCE_SECONDS
    while not (row := selectors.get_upload(upload_id, sources=None)).is_ended:
        assert time.monotonic() < limit, row
        time.sleep(0.2)
    return row


@pytest.mark.slow
def test_svc_32_storing_fails_for_every_hand(
    crew: Crew, refuse: Callable[[str], None], page: Page
) -> None:
    refuse("")
    row = hurry(receive(FIFTY))
    assert (row.state, row.new, row.failed) == ("failed", 0, 50)
    assert "no room for h1" in row.error
    assert "no room for h1" in page(f"/uploads/{row.id}/")[1]
    assert not Hand.objects.exists()


@pytest.mark.slow
def test_svc_32_storing_fails_for_hand_17_only(crew: Crew, refuse: Callable[[str], None]) -> None:
    refuse("^h17$")
    row = hurry(receive(FIFTY))
    assert (row.state, row.new, row.clean, row.failed) == ("partly", 49, 49, 1)
    refusal = Refusal.objects.get()
    assert (refusal.line, refusal.is_our_fault) == (17, True)
    assert "no room for h17" in refusal.reason
    assert Hand.objects.count() == Verdict.objects.count() == 49


def test_svc_33_values_that_the_store_cannot_hold(
    ingest: Ingest, module_web: Web, feed: dict[str, str]
) -> None:
    lines = [changed(B, hand_id=f"n{number}") for number in range(1, 101)]
    lines[49] = lines[49].replace(b'"Ann"', rb'"An\u0000n"')
    lines[50] = lines[50].replace(b'"Ann"', rb'"An\ud800n"')
    lines[51] = changed(B, hand_id="n52", ext={"note": "a\0b"})
    row = ingest(log(*lines))
    assert (row.state, row.new, row.rejected) == ("done", 98, 2)
    refused = Refusal.objects.order_by("line").values_list("line", "place", "reason")
    (nul, surrogate) = refused
    assert nul[:2] == (50, "$.seats[0].player")
    # This one is no JSON, so it is named by its byte.
    assert surrogate[:2] == (51, "$")
    assert "surrogate pair (byte " in surrogate[2]
    assert unpacked(HandVersion.objects.get(line=52).raw) == lines[51]
    status, _, told = module_web.ask("GET", f"{UPLOADS}{row.id}/", **feed)
    assert status == 200
    strict = json.loads(json.dumps(told), parse_constant=pytest.fail)
    assert strict["hands"]["new"] == 98


@pytest.mark.parametrize(
    "address",
    [
        "/hands/99999999999999999999999/",
        "/hands/-1/",
        "/hands/1e3/",
        "/hands/%00/",
        "/uploads/9999999999/",
        "/hands/?page=99999999999",
        "/hands/?page=0",
        "/hands/?min=9223372036854775808",
        "/hands/?cursor=99999999999",
        "/hands/?upload=9223372036854775808",
        "/hands/?at_risk=9223372036854775808",
        "/hands/?at_risk=-1e9",
        "/hands/?risk=-1e9",
        "/uploads/?page=0",
    ],
)
def test_svc_34_numbers_in_addresses(page: Page, address: str) -> None:
    status, html = page(address)
    assert status in (400, 404)
    assert "Traceback" not in html


@pytest.mark.parametrize("number", ["99999999999999999999999", "-1", "1e3", "%00", "9999999999"])
def test_svc_34_numbers_in_the_addresses_of_the_api(
    module_web: Web, feed: dict[str, str], number: str
) -> None:
    status, _, told = module_web.ask("GET", f"{UPLOADS}{number}/", **feed)
    assert (status, told["error"]["code"]) == (404, "not-found")


def test_svc_38_the_same_as_one_array_on_one_line(crew: Crew) -> None:
    """One rejected line, at once, however long it is."""
    data = b"[" + (B + b",") * 20_000 + b"{}]"
    # Not by the clock, which other work on the machine lets run on.
    began = time.process_time()
    received = services.receive_upload(name="array.ndjson", stream=io.BytesIO(data))
    took = time.process_time() - began
    row = selectors.get_upload(received.upload_id, sources=None)
    assert (row.state, row.lines, row.rejected, row.is_ended) == ("failed", 1, 1, True)
    assert took < 10


def archive() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name in ("../../evil.ndjson", "/etc/x", "C:\\x", "a.ndjson", ".DS_Store", "Thumbs.db"):
            packed.writestr(name, log(B))
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr("a.ndjson", log(changed(B, hand_id="second")))
        packed.writestr("folder/", b"")
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        packed.writestr(link, b"/etc/passwd")
    return made.getvalue()


def test_svc_37_archives_are_refused_as_a_whole(
    crew: Crew, module_web: Web, feed: dict[str, str]
) -> None:
    status, _, told = module_web.ask("POST", UPLOADS + "?name=hands.zip", archive(), **feed)
    assert status == 201
    (row,) = wait_for(told["id"])
    assert (row.state, row.hands) == ("failed", 0)
    assert "ZIP" in row.error
    assert not Hand.objects.exists()
    assert not Chunk.objects.exclude(state="done").exists()


def test_svc_40_the_sender_hangs_up(crew: Crew, module_web: Web, feed: dict[str, str]) -> None:
    """60 % of 10,000 hands, then silence; the whole again gives 10,000 new ones."""
    data = log(
        *(changed(B, hand_id=str(number), table=f"T{number % 100}") for number in range(10_000))
    )
    part = data[: len(data) * 6 // 10]

    def breaks_off() -> Iterator[bytes]:
        yield from chunks(part, 1 << 16)
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        module_web.ask("POST", UPLOADS, breaks_off(), **feed)
    crew.wait(lambda: Upload.objects.filter(state="failed").exists())
    broken = selectors.get_upload(Upload.objects.get().pk, sources=None)
    assert broken.error.startswith("Incomplete upload: after ")
    assert not Hand.objects.exists()
    status, _, told = module_web.ask("POST", UPLOADS, data, **feed)
    assert status == 201
    (row,) = wait_for(told["id"])
    assert (row.state, row.new, row.duplicates) == ("done", 10_000, 0)


def test_svc_11_12_one_key(crew: Crew, module_web: Web, feed: dict[str, str]) -> None:
    """Twice the same at once is one batch; another file under the key is refused."""
    keyed = {**feed, "Idempotency-Key": "k1"}
    answers: list[Any] = []

    def send() -> None:
        answers.append(module_web.ask("POST", UPLOADS, FIFTY, **keyed))

    senders = [threading.Thread(target=send) for _ in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    taken = {answer[2]["id"] for answer in answers if answer[0] == 201}
    assert len(taken) == 1
    assert {answer[0] for answer in answers} <= {201, 409}
    status, _, told = module_web.ask("POST", UPLOADS, log(B), **keyed)
    assert (status, told["error"]["code"]) == (422, "key-reused")
    (row,) = wait_for(*taken)
    assert (row.new, Hand.objects.count(), Upload.objects.count()) == (50, 50, 1)
