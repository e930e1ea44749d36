"""Hands, their records, events, findings and verdicts by program."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from audit import selectors, services
from audit.models import Chunk, Hand, Replacement
from audit.selectors.access import access_of
from audit.services.rulesets_force import put_in_force
from tests.api.conftest import Send
from tests.audit.logs import log
from tests.web.lines import BASE, GOLDEN, PAI_GOW, changed, with_net

HANDS = "/api/v1/hands/"


def pk_of(hand_id: str) -> int:
    return Hand.objects.get(hand_id=hand_id).pk


def test_a_list_tells_hands_in_the_order_in_which_they_came(stored: Any, ask: Send) -> None:
    stored(*BASE)
    answer = ask(HANDS)
    told = answer.json()
    assert answer.status_code == 200
    assert [one["hand_id"] for one in told["hands"]] == [
        json.loads(line)["hand_id"] for line in reversed(BASE)
    ]
    assert (told["next"], told["previous"]) == (None, None)
    record = json.loads(PAI_GOW)
    hand = Hand.objects.get(hand_id="base-1")
    assert told["hands"][-1] == {
        "id": str(hand.pk),
        "url": f"/api/v1/hands/{hand.pk}/",
        "page": f"/hands/{hand.pk}/",
        "source": record["source"],
        "hand_id": "base-1",
        "game": "banker-pai-gow",
        "ruleset": record["ruleset"],
        "table": record["table"],
        "players": [seat["player"] for seat in record["seats"]],
        "started_at": record["started_at"],
        "played_at": hand.played_at.isoformat().replace("+00:00", "Z"),
        "day": record["started_at"][:10],
        "currency": record["currency"],
        "minor_digits": 2,
        "verdict": "clean",
        "primary_code": None,
        "codes": [],
        "findings": 0,
        "is_conflict": False,
    }


def test_svc_06_ids_are_told_to_the_last_digit(stored: Any, ask: Send) -> None:
    lines = (GOLDEN / "odd" / "hand-ids.ndjson").read_bytes().splitlines()
    stored(*lines)
    told = ask(f"{HANDS}?limit=100").json()["hands"]
    ids = [json.loads(line)["hand_id"] for line in lines]
    assert [one["hand_id"] for one in told] == ids[::-1]
    assert all(isinstance(one["id"], str) for one in told)
    for one in told:
        assert ask(one["url"]).json()["hand_id"] == one["hand_id"]


def test_each_filter_of_the_page_narrows(stored: Any, ask: Send) -> None:
    stored(*BASE, with_net(changed(PAI_GOW, hand_id="wrong", table="T9"), 1, "-99.00"))
    for query, ids in (
        ("game=small-tien-gow", [json.loads(BASE[3])["hand_id"]]),
        ("verdict=discrepant", ["wrong"]),
        ("code=net-mismatch", ["wrong"]),
        ("table=T9", ["wrong"]),
        ("q=wro", ["wrong"]),
        ("source=nobody", []),
        ("from=2031-01-01", []),
        ("player=Nobody", []),
    ):
        told = ask(f"{HANDS}?{query}").json()["hands"]
        assert [one["hand_id"] for one in told] == ids, query


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("game=chess", "game"),
        ("verdict=good", "verdict"),
        ("from=yesterday", "from"),
        ("game=tien-gow&from=2025-05-02&to=2025-05-01", "to"),
        ("upload=0", "upload"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=ten", "limit"),
        ("order=best", "order"),
        ("cursor=zz", "cursor"),
        ("cursor=" + "A" * 500, "cursor"),
        ("verdct=void", "verdct"),
    ],
)
def test_a_bad_query_is_told_with_its_place(ask: Send, query: str, place: str) -> None:
    answer = ask(f"{HANDS}?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["place"]) == (400, "bad-query", place)


def test_one_hand_is_told_with_what_holds_of_it(stored: Any, ask: Send) -> None:
    wrong = with_net(PAI_GOW, 1, "-99.00")
    stored(wrong)
    hand = Hand.objects.get()
    told = ask(f"{HANDS}{hand.pk}/").json()
    assert told["verdict"] == "discrepant"
    assert told["version"]["sha256"] == hashlib.sha256(wrong).hexdigest()
    assert told["version"]["is_current"] is True
    judged = told["judged"]
    assert (judged["id"], judged["is_in_force"]) == (str(hand.verdict_id), True)
    (found, *_) = judged["findings"]
    assert (found["code"], found["seat"], found["logged"], found["expected"]) == (
        "net-mismatch", 1, "-99.00", "-100.00",
    )  # fmt: skip
    nets = {seat["seat"]: seat["net"] for seat in judged["settlement"]["seats"]}
    assert nets == {0: "9.50", 1: "-100.00", 2: "38.00", 3: "47.50"}
    listed = ask(told["found"]).json()
    assert [one["code"] for one in listed["findings"]] == [
        one["code"] for one in judged["findings"]
    ]
    assert (listed["currency"], listed["minor_digits"]) == ("CNY", 2)
    # Its source has not said what is in force there.
    assert told["in_force"] == {"rulesets": [], "is_out": False}


def test_every_record_and_every_verdict_of_a_hand(stored: Any, ask: Send) -> None:
    other = with_net(PAI_GOW, 1, "-99.00")
    stored(PAI_GOW)
    stored(other)
    pk = pk_of("base-1")
    versions = ask(f"{HANDS}{pk}/versions/").json()["versions"]
    assert [(one["number"], one["is_current"], one["line"]) for one in versions] == [
        (1, True, 1), (2, True, 1),
    ]  # fmt: skip
    for version, line in zip(versions, (PAI_GOW, other), strict=True):
        answer = ask(version["record"])
        assert answer.content == line
        assert answer["Content-Type"] == "application/x-ndjson"
        assert ask(version["url"]).json() == version
    stands = ask(f"{HANDS}{pk}/versions/").json()
    assert stands["compared"] == [1, 2]
    assert stands["differences"] == [
        {"path": "result.seats.1.net", "values": ["-100.00", "-99.00"]}
    ]
    assert (stands["came_again"], stands["restatements"]) == ([], [])
    verdicts = ask(f"{HANDS}{pk}/verdicts/").json()["verdicts"]
    assert [(one["version"], one["kind"], one["is_in_force"]) for one in verdicts] == [
        (2, "discrepant", True), (1, "clean", True),
    ]  # fmt: skip
    one = ask(verdicts[0]["url"]).json()
    assert {key: one[key] for key in verdicts[0]} == verdicts[0]
    assert [found["code"] for found in one["findings"]] == ["net-mismatch", "not-conserved"]


def test_svc_01_and_09_who_said_it_again_and_who_restated_it(
    stored: Any, send: Send, ask: Send
) -> None:
    stored(PAI_GOW)
    stored(changed(PAI_GOW), PAI_GOW)
    assert changed(PAI_GOW) != PAI_GOW
    answer = send(log(with_net(PAI_GOW, 1, "-90.00")), query="?restatement=So%20it%20was.")
    for chunk in Chunk.objects.filter(state="queued"):
        services.judge_chunk(chunk_id=chunk.pk)
    told = ask(f"{HANDS}{pk_of('base-1')}/versions/").json()
    (first, second) = told["versions"]
    assert (first["is_current"], second["is_current"]) == (False, True)
    again = first["upload"] + 1
    assert told["came_again"] == [
        {"version": 1, "upload": again, "line": 1, "is_respelt": True},
        {"version": 1, "upload": again, "line": 2, "is_respelt": False},
    ]
    (restated,) = told["restatements"]
    assert restated.pop("announced_at") >= second["received_at"]
    assert restated == {
        "version": 2, "replaced": 1, "reason": "So it was.", "announced_by": "feed",
        "upload": answer.json()["id"], "line": 1,
    }  # fmt: skip


def test_svc_04_and_15_a_hand_says_which_others_stand_beside_it(stored: Any, ask: Send) -> None:
    stored(PAI_GOW)
    stored(changed(PAI_GOW, hand_id="base-1b"))
    first, second = (ask(f"{HANDS}{pk_of(name)}/").json() for name in ("base-1", "base-1b"))
    assert (first["possible_duplicate_of"], first["replaced_by"]) == ([], None)
    assert second["possible_duplicate_of"] == [
        {"id": first["id"], "url": first["url"], "hand_id": "base-1"}
    ]
    Replacement.objects.create(
        hand_id=int(second["id"]), source=first["source"], name="base-1", engine="2.0.0"
    )
    assert ask(second["url"]).json()["replaced_by"] == {
        "id": first["id"], "url": first["url"], "source": first["source"], "hand_id": "base-1",
        "engine": "2.0.0",
    }  # fmt: skip


def test_svc_25_events_come_in_the_order_of_their_file(stored: Any, ask: Send) -> None:
    line = (GOLDEN / "odd" / "repeats-clocks-timers.ndjson").read_bytes().splitlines()[3]
    stored(line)
    pk = Hand.objects.get().pk
    events = json.loads(line)["events"]
    for _ in range(10):
        told = ask(f"{HANDS}{pk}/events/").json()
        assert [one["index"] for one in told["events"]] == list(range(len(events)))
        assert [one["event"] for one in told["events"]] == events
    assert told["sha256"] == hashlib.sha256(line).hexdigest()


def test_events_of_another_record_are_asked_for_by_its_number(stored: Any, ask: Send) -> None:
    stored(PAI_GOW)
    stored(changed(PAI_GOW, table="T8"))
    pk = pk_of("base-1")
    assert ask(f"{HANDS}{pk}/events/?version=2").json()["version"] == 2
    assert ask(f"{HANDS}{pk}/events/?version=3").status_code == 404
    assert ask(f"{HANDS}{pk}/events/?version=x").json()["error"]["place"] == "version"


def test_findings_and_verdicts_of_all_hands_come_by_hand(stored: Any, ask: Send) -> None:
    wrong = with_net(changed(PAI_GOW, hand_id="wrong"), 1, "-99.00")
    stored(*BASE, wrong)
    told = ask("/api/v1/findings/?source=odd").json()["hands"]
    assert [(one["hand_id"], len(one["findings"]) > 0) for one in told] == [("wrong", True)]
    verdicts = ask("/api/v1/verdicts/").json()["hands"]
    assert [one["hand_id"] for one in verdicts] == [
        one["hand_id"] for one in ask(HANDS).json()["hands"]
    ]
    assert all(len(one["verdicts"]) == 1 for one in verdicts)


@pytest.mark.parametrize(
    "address",
    [
        "hands/9/", "hands/9/versions/", "hands/9/versions/1/", "hands/9/versions/1/record",
        "hands/9/events/", "hands/9/findings/", "hands/9/verdicts/", "verdicts/9/",
        "hands/99999999999999999999999/", "verdicts/9223372036854775808/", "hands/-1/",
        "hands/0/", "hands/1e3/", "hands/%00/",
    ],
)  # fmt: skip
def test_svc_34_what_is_not_there_is_not_found(ask: Send, address: str) -> None:
    answer = ask(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not-found")


def test_what_has_not_changed_is_not_sent_again(stored: Any, token: str, ask: Send) -> None:
    stored(PAI_GOW)
    pk = pk_of("base-1")
    first = ask(f"{HANDS}{pk}/")
    assert first["Cache-Control"] == "private, no-store"
    assert {"Authorization", "Cookie"} <= set(first["Vary"].replace(",", " ").split())
    again = ask(f"{HANDS}{pk}/", If_None_Match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert ask(f"{HANDS}{pk}/", If_Match=first["ETag"]).status_code == 200
    stored(with_net(PAI_GOW, 1, "-99.00"))
    other = ask(f"{HANDS}{pk}/", If_Match=first["ETag"])
    error = other.json()["error"]
    assert (other.status_code, error["code"], error["place"]) == (
        412, "another-version", "If-Match",
    )  # fmt: skip
    changed_since = ask(f"{HANDS}{pk}/", If_None_Match=first["ETag"])
    assert changed_since.status_code == 200
    assert changed_since["ETag"] != first["ETag"]
    assert changed_since.json()["is_conflict"] is True


def test_a_hand_says_which_rules_were_in_force_when_it_was_played(
    stored: Any, ask: Send, account: Any
) -> None:
    """It is judged by what it names all the same, and found by the filter."""
    stored(PAI_GOW, changed(PAI_GOW, hand_id="other", source="elsewhere"))
    named = json.loads(PAI_GOW)["ruleset"]
    rival = next(
        one.name
        for one in selectors.current_rulesets()
        if one.game == "banker-pai-gow" and one.name != named
    )
    put_in_force(
        access=access_of(account),
        source="odd",
        ruleset=rival,
        effective_at=datetime(2025, 1, 1, tzinfo=UTC),
        reason="The house plays so.",
    )
    told = ask(f"{HANDS}{pk_of('base-1')}/").json()
    assert told["in_force"] == {"rulesets": [rival], "is_out": True}
    assert told["judged"]["ruleset"] == named
    listed = ask(f"{HANDS}?rules=not-in-force").json()["hands"]
    assert [one["hand_id"] for one in listed] == ["base-1"]
