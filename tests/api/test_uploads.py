"""Files in by program: what is taken, what is refused, and that a file sent twice is one."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import time
from typing import Any

import pytest
from django.test import Client
from rest_framework.response import Response

from audit import services
from audit.models import Chunk, Hand, Refusal, Submission, Upload
from audit.zstd import packed
from tests.access import trusted
from tests.api.conftest import NDJSON, UPLOADS, Send
from tests.audit.logs import GOLDEN, B, changed, log

A_LOG = log(B, changed(B, hand_id="second"))


def judged() -> None:
    for chunk in Chunk.objects.filter(state="queued").order_by("id"):
        services.judge_chunk(chunk_id=chunk.pk)


def error_of(answer: Response) -> tuple[int, dict[str, Any]]:
    """The status and the inside of the envelope, which holds three things always."""
    (told,) = answer.json().values()
    assert set(answer.json()) == {"error"}
    assert set(told) == {"code", "message", "place"}
    assert told["message"]
    return answer.status_code, told


@pytest.mark.parametrize("data", [A_LOG, gzip.compress(A_LOG), packed(A_LOG)],
                         ids=["plain", "gzip", "zstd"])  # fmt: skip
def test_a_log_is_taken_and_its_progress_told(send: Send, ask: Send, data: bytes) -> None:
    answer = send(data, query="?name=night.ndjson")
    upload = Upload.objects.get()
    assert answer.status_code == 201
    assert answer["Location"] == f"{UPLOADS}{upload.pk}/"
    assert answer.json() == {
        "id": upload.pk,
        "url": f"{UPLOADS}{upload.pk}/",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "lines": 2,
    }
    before = ask(answer["Location"]).json()
    assert (before["state"], before["percent"], before["is_ended"]) == ("queued", 0, False)
    judged()
    after = ask(answer["Location"])
    told = after.json()
    assert "no-store" in after["Cache-Control"]
    assert (told["name"], told["feed"], told["received_by"]) == ("night.ndjson", None, "feed")
    assert (told["state"], told["percent"], told["is_ended"]) == ("done", 100, True)
    assert told["verdicts"] == {
        "clean": 2, "consistent": 0, "discrepant": 0, "void": 0, "rejected": 0, "failed": 0,
    }  # fmt: skip
    assert told["hands"] == {"new": 2, "duplicate": 0, "conflict": 0, "restated": 0}
    assert (told["lines"], told["audited"], told["error"]) == (2, 2, None)
    assert told["turned"] == 0


def test_a_page_with_its_session_needs_the_forms_token(account: Any) -> None:
    page = Client(enforce_csrf_checks=True)
    page.force_login(account)
    status, told = error_of(page.post(UPLOADS, A_LOG, content_type=NDJSON))
    assert (status, told["code"]) == (403, "permission-denied")
    assert not Upload.objects.exists()
    page.cookies["csrftoken"] = "a" * 32
    answer = page.post(UPLOADS, A_LOG, content_type=NDJSON, headers={"X-CSRFToken": "a" * 32})
    assert answer.status_code == 201
    assert Upload.objects.get().received_by == account


def raw(length: str, stream: io.BytesIO, *, kind: str = NDJSON, **meta: str) -> Response:
    """POST with a body that is a stream of ours and a length of our saying."""
    given = {"CONTENT_LENGTH": length, "CONTENT_TYPE": kind, "wsgi.input": stream, **meta}
    return Client().generic("POST", UPLOADS, b"", **given)


class Unread(io.BytesIO):
    """A body that must not be looked into."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("the body was read")


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer tc_wrong", "Bearer é", "Basic x"])
@pytest.mark.parametrize("kind", [NDJSON, "multipart/form-data; boundary=x"])
def test_of_a_stranger_nothing_is_read(db: Any, authorization: str, kind: str) -> None:
    answer = raw("1000", Unread(), kind=kind, HTTP_AUTHORIZATION=authorization)
    status, told = error_of(answer)
    assert (status, told["code"]) in (
        (401, "not-authenticated"),
        (401, "authentication-failed"),
        (415, "unsupported-type"),
    )
    assert (status == 415) == (kind != NDJSON)
    assert not Upload.objects.exists()


def test_an_account_that_is_closed_takes_its_tokens_along(send: Send, account: Any) -> None:
    assert send(A_LOG).status_code == 201
    account.is_active = False
    account.save()
    status, told = error_of(send(A_LOG))
    assert (status, told["code"]) == (401, "authentication-failed")


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_is_no_log(send: Send, kind: str) -> None:
    status, told = error_of(send(A_LOG, kind=kind))
    assert (status, told["code"], told["place"]) == (415, "unsupported-type", "Content-Type")


def test_an_encoding_that_we_do_not_unpack_is_told(send: Send) -> None:
    status, told = error_of(send(A_LOG, Content_Encoding="br"))
    assert (status, told["code"], told["place"]) == (415, "unsupported-type", "Content-Encoding")
    assert send(gzip.compress(A_LOG), Content_Encoding="gzip").status_code == 201


def test_a_body_without_a_length_is_refused_where_the_server_does_not_end_it(
    db: Any, token: str
) -> None:
    for meta in ({}, {"HTTP_TRANSFER_ENCODING": "chunked"}):
        answer = raw("", Unread(), HTTP_AUTHORIZATION=f"Bearer {token}", **meta)
        status, told = error_of(answer)
        assert (status, told["code"], told["place"]) == (411, "length-required", "Content-Length")


@pytest.mark.parametrize("length", ["2001", "9" * 5000])
def test_svc_35_a_body_that_says_it_is_too_large_is_refused_unread(
    db: Any, token: str, settings: Any, length: str
) -> None:
    settings.TILECOURT_UPLOAD_BYTES_MAX = 2000
    answer = raw(length, Unread(), HTTP_AUTHORIZATION=f"Bearer {token}")
    status, told = error_of(answer)
    assert (status, told["code"], told["place"]) == (413, "too-large", "Content-Length")
    assert told["message"] == "The file is larger than 2000 bytes: send it in parts."
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("limit", "value", "sentence"),
    [
        ("UNPACKED_BYTES_MAX", 400_000, "The file unpacks to more than 400000 bytes: "),
        ("UNPACKED_BYTES_FREE", 400_000, "The file unpacks to more than 400000 bytes and to more"),
        ("UPLOAD_LINES_MAX", 1, "The file has more than 1 lines: "),
    ],
)
def test_svc_35_a_file_over_a_limit_is_refused_whole(
    send: Send, settings: Any, limit: str, value: int, sentence: str
) -> None:
    setattr(settings, f"TILECOURT_{limit}", value)
    status, told = error_of(send(gzip.compress(A_LOG + b" " * 50_000_000)))
    assert (status, told["code"]) == (413, "too-large")
    assert told["message"].startswith(sentence)
    assert Upload.objects.get().error == told["message"]
    assert not Chunk.objects.exists()


def test_svc_40_a_body_that_ends_early_is_no_file(db: Any, token: str) -> None:
    whole = log(*(changed(B, hand_id=str(number)) for number in range(50)))
    part = io.BytesIO(whole[: len(whole) * 6 // 10])
    answer = raw(str(len(whole)), part, HTTP_AUTHORIZATION=f"Bearer {token}")
    status, told = error_of(answer)
    assert (status, told["code"]) == (400, "incomplete")
    assert Upload.objects.get().state == "failed"
    assert not Chunk.objects.exists()


# -- a restatement --------------------------------------------------------------------------


def test_svc_09_a_restatement_is_announced_with_its_reason(send: Send, ask: Send) -> None:
    send(A_LOG)
    judged()
    restated = json.loads(B)
    restated["result"]["seats"][1]["net"] = "-90.00"
    answer = send(log(json.dumps(restated).encode()), query="?restatement=The+room+erred")
    assert answer.status_code == 201
    judged()
    told = ask(answer.json()["url"]).json()
    assert (told["restatement"], told["received_by"]) == ("The room erred", "feed")
    assert told["hands"] == {"new": 0, "duplicate": 0, "conflict": 0, "restated": 1}
    hand = Hand.objects.get(hand_id="base-1")
    assert (hand.verdict_kind, hand.is_conflict) == ("discrepant", False)
    assert hand.versions.count() == 2


@pytest.mark.parametrize("reason", ["", "+", "x" * 501])
def test_a_restatement_needs_a_reason_that_can_be_kept(send: Send, reason: str) -> None:
    status, told = error_of(send(A_LOG, query=f"?restatement={reason}"))
    assert (status, told["code"], told["place"]) == (400, "bad-restatement", "restatement")
    assert not Upload.objects.exists()


def test_a_key_stands_for_one_announcement(send: Send) -> None:
    """Else a restatement that came under an old key would be lost without a word."""
    query = "?restatement=because"
    send(A_LOG, Idempotency_Key="k1")
    status, told = error_of(send(A_LOG, query=query, Idempotency_Key="k1"))
    assert (status, told["code"]) == (422, "key-reused")
    first, second = (send(A_LOG, query=query, Idempotency_Key="k2") for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()


# -- one key, one file ----------------------------------------------------------------------


def test_svc_11_the_same_file_under_the_same_key_is_one_upload(send: Send) -> None:
    first, second = (send(A_LOG, Idempotency_Key="k1") for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotent-Replayed" not in first
    assert second["Idempotent-Replayed"] == "true"
    judged()
    third = send(A_LOG, Idempotency_Key="k1")
    assert third.json() == first.json()
    assert Upload.objects.count() == 1
    assert Hand.objects.count() == 2


def test_svc_12_another_file_under_the_key_is_refused_and_nothing_of_it_kept(send: Send) -> None:
    first = send(A_LOG, Idempotency_Key="k1")
    status, told = error_of(send(log(changed(B, hand_id="other")), Idempotency_Key="k1"))
    assert (status, told["code"], told["place"]) == (422, "key-reused", "Idempotency-Key")
    judged()
    assert Upload.objects.get().pk == first.json()["id"]
    assert sorted(Hand.objects.values_list("hand_id", flat=True)) == ["base-1", "second"]


@pytest.mark.parametrize("data", [A_LOG, log(changed(B, hand_id="other"))], ids=["same", "other"])
def test_svc_11_12_while_the_first_is_arriving_a_second_is_told_so_and_not_read(
    send: Send, account: Any, token: str, data: bytes
) -> None:
    key = services.SubmissionKey(sender=f"account:{account.pk}", key="k1")
    heard: list[tuple[int, dict[str, Any]]] = []

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if not heard:
                meta = {"HTTP_AUTHORIZATION": f"Bearer {token}", "HTTP_IDEMPOTENCY_KEY": "k1"}
                answer = raw(str(len(data)), Unread(), **meta)
                assert answer["Retry-After"] == "5"
                heard.append(error_of(answer))
            return super().read(size)

    received = services.receive_upload(name="a", stream=Slow(A_LOG), user=account, key=key)
    ((status, told),) = heard
    assert (status, told["code"], told["place"]) == (409, "in-progress", "Idempotency-Key")
    assert Upload.objects.get().pk == received.upload_id
    assert send(A_LOG, Idempotency_Key="k1").json()["id"] == received.upload_id


def test_the_key_of_a_transfer_that_broke_may_be_used_again(send: Send, settings: Any) -> None:
    settings.TILECOURT_UPLOAD_LINES_MAX = 1
    assert send(A_LOG, Idempotency_Key="k1").status_code == 413
    settings.TILECOURT_UPLOAD_LINES_MAX = 2
    answer = send(A_LOG, Idempotency_Key="k1")
    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer
    assert Submission.objects.get().upload_id == answer.json()["id"]


def test_keys_of_two_accounts_are_two(send: Send, django_user_model: Any) -> None:
    send(A_LOG, Idempotency_Key="k1")
    trusted(django_user_model.objects.create_user("other"))
    other = services.create_token(name="other", days=1, account="other").token
    answer = send(log(B), Idempotency_Key="k1", Authorization=f"Bearer {other}")
    assert answer.status_code == 201
    assert Upload.objects.count() == 2


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256])
def test_a_key_that_cannot_be_kept_is_refused(send: Send, key: str) -> None:
    status, told = error_of(send(A_LOG, Idempotency_Key=key))
    assert (status, told["code"], told["place"]) == (400, "bad-key", "Idempotency-Key")


# -- one hand as JSON -----------------------------------------------------------------------


def test_one_hand_may_come_as_json(send: Send) -> None:
    assert send(B + b"\n", kind="application/json").json()["lines"] == 1
    for data in (gzip.compress(B), packed(B), b"\xef\xbb\xbf" + B):
        assert send(data, kind="application/json").json()["lines"] == 1
    judged()
    assert [one.state for one in Upload.objects.all()] == ["done"] * 4
    assert Hand.objects.get().hand_id == "base-1"


def test_svc_36_20000_brackets_are_refused_at_once(send: Send) -> None:
    # Not by the clock, which other work on the machine lets run on.
    before = time.process_time()
    status, told = error_of(send(b"[" * 20_000, kind="application/json"))
    assert time.process_time() - before < 1
    assert (status, told["code"]) == (400, "refused")
    assert not Upload.objects.exists()


def test_a_hand_that_cannot_be_read_is_told_with_its_place(send: Send) -> None:
    status, told = error_of(send(changed(B, minor_digits=9), kind="application/json"))
    assert (status, told["code"], told["place"]) == (400, "refused", "$.minor_digits")
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (json.dumps(json.loads(B), indent=1).encode(), 400, "not-one-line"),
        (gzip.compress(log(B, B)), 400, "not-one-line"),
        (gzip.compress(b" " * (1 << 20) + B), 400, "refused"),
        (gzip.compress(B)[:-9], 400, "refused"),
        (b'"' + b"x" * (1 << 20) + b'"', 413, "too-large"),
        (b" ", 400, "refused"),
    ],
    ids=["on many lines", "two packed", "a lot packed", "cut", "too long", "blank"],
)
def test_what_is_not_one_hand_is_refused(send: Send, data: bytes, status: int, code: str) -> None:
    answer, told = error_of(send(data, kind="application/json"))
    assert (answer, told["code"]) == (status, code)


def test_svc_36_brackets_in_a_log_are_a_refused_line(send: Send, ask: Send) -> None:
    answer = send(log(b"[" * 20_000, B))
    judged()
    told = ask(answer["Location"]).json()
    assert (told["verdicts"]["rejected"], told["verdicts"]["clean"]) == (1, 1)
    assert Refusal.objects.get().line == 1


def test_svc_36_long_junk_is_refused_line_by_line(send: Send, ask: Send) -> None:
    answer = send((GOLDEN / "odd" / "long-junk.ndjson.gz").read_bytes())
    before = time.process_time()
    judged()
    told = ask(answer["Location"]).json()
    assert told["verdicts"]["rejected"] > 0
    assert time.process_time() - before < told["lines"]


# -- addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "/api",
        "/api/",
        "/api/v1/uploads",
        "/api/v2/uploads/",
        "/api/v1/uploads/0/",
        "/api/v1/uploads/-1/",
        "/api/v1/uploads/1e3/",
        "/api/v1/uploads/%00/",
        "/api/v1/uploads/9223372036854775808/",
        "/api/v1/uploads/" + "9" * 5000 + "/",
    ],
)
def test_svc_34_what_is_not_there_is_told_in_the_envelope(ask: Send, address: str) -> None:
    status, told = error_of(ask(address))
    assert (status, told["code"], told["place"]) == (404, "not-found", None)


def test_other_methods_are_refused_in_the_envelope(ask: Send) -> None:
    status, told = error_of(ask("/api/v1/reaudits/1/stop"))
    assert (status, told["code"]) == (405, "method-not-allowed")


def test_answers_are_json_whatever_the_caller_takes(send: Send) -> None:
    answer = send(A_LOG, Accept="text/html")
    assert (answer.status_code, answer["Content-Type"]) == (201, "application/json")


def test_a_fault_of_ours_is_told_in_the_envelope_and_logged(
    send: Send, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(services, "receive_upload", broken)
    status, told = error_of(send(A_LOG))
    assert (status, told["code"]) == (500, "our-fault")
    assert [record.message for record in caplog.records] == [
        "api_failed", "Internal Server Error: /api/v1/uploads/",
    ]  # fmt: skip
