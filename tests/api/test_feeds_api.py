"""Files of operators' feeds by program."""

from __future__ import annotations

from typing import Any

import pytest

from audit import services
from audit.models import Chunk, Hand, Upload
from tests.api.conftest import Send
from tests.audit.importers.records import ky_answer, ky_row, log_of, wm_row


def judged() -> None:
    for chunk in Chunk.objects.filter(state="queued").order_by("id"):
        services.judge_chunk(chunk_id=chunk.pk)


@pytest.mark.parametrize("kind", ["application/json", "application/octet-stream"])
def test_a_pull_is_taken_and_its_progress_told(send: Send, ask: Send, kind: str) -> None:
    data = ky_answer(ky_row(), ky_row(GameID="g2"))
    answer = send(data, kind=kind, query="?name=pull.json&feed=ky-730&source=op")
    assert (answer.status_code, answer.json()["lines"]) == (201, 2)
    judged()
    told = ask(answer["Location"]).json()
    assert (told["state"], told["feed"]) == ("done", "ky-730")
    assert told["verdicts"] == {
        "clean": 0, "consistent": 2, "discrepant": 0, "void": 0, "rejected": 0, "failed": 0,
    }  # fmt: skip
    assert told["audited"] == told["lines"] == 2


def test_what_is_settled_anew_has_an_address_of_its_own(send: Send, ask: Send) -> None:
    data = log_of([wm_row(), wm_row(betId="2", reset="Y")])
    answer = send(data, query="?feed=wm-112&source=op")
    again = answer.json()["restating"]
    assert again != answer["Location"]
    judged()
    assert ask(again).json()["verdicts"]["consistent"] == 1
    assert [hand.hand_id for hand in Hand.objects.order_by("hand_id")] == ["2", "70001"]


@pytest.mark.parametrize(
    "query", ["?feed=ky-999&source=op", "?feed=ky-730", "?feed=ky-730&source="]
)
def test_an_unknown_feed_and_a_missing_source_are_refused(send: Send, query: str) -> None:
    answer = send(ky_answer(ky_row()), query=query)
    told: Any = answer.json()["error"]
    assert (answer.status_code, told["code"], told["place"]) == (400, "unknown-feed", "feed")
    assert not Upload.objects.exists()


def test_a_pull_sent_twice_under_a_key_is_one(send: Send) -> None:
    data = ky_answer(ky_row())
    first, second = (
        send(data, query="?feed=ky-730&source=op", Idempotency_Key="k") for _ in range(2)
    )
    assert second.json() == first.json()
    assert second["Idempotent-Replayed"] == "true"
    assert Upload.objects.count() == 1


def test_the_first_answer_comes_again_with_what_is_settled_anew(send: Send) -> None:
    query, data = "?feed=wm-112&source=op", log_of([wm_row(), wm_row(betId="2", reset="Y")])
    send(data, query=query, Idempotency_Key="another")
    first, second = (send(data, query=query, Idempotency_Key="k") for _ in range(2))
    assert second["Idempotent-Replayed"] == "true"
    assert second.json() == first.json()
    assert first.json()["restating"] == f"/api/v1/uploads/{first.json()['id'] - 1}/"


@pytest.mark.parametrize(
    "query",
    ["", "?feed=ky-730&source=other", "?feed=wm-112&source=op"],
    ids=["log", "source", "feed"],
)
def test_svc_12_a_key_stands_for_one_feed_and_source(send: Send, query: str) -> None:
    data = ky_answer(ky_row())
    first = send(data, query="?feed=ky-730&source=op", Idempotency_Key="k")
    other = send(data, query=query, Idempotency_Key="k")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "key-reused")
    assert [upload.pk for upload in Upload.objects.all()] == [first.json()["id"]]
