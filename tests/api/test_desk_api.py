"""The desk by program: cases, acts on them, claims with their receipts, remedies."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from audit import services
from audit.models import ActKind, Case, CaseAct, Claim, Hand, Role
from audit.services import desk
from tests.access import with_roles
from tests.api.conftest import Send
from tests.web.lines import PAI_GOW, changed, with_net

CASES, CLAIMS = "/api/v1/cases/", "/api/v1/claims/"


@pytest.fixture
def case(stored: Any) -> Case:
    """Two wrong hands in one case."""
    stored(*[
        with_net(changed(PAI_GOW, hand_id=f"wrong-{number}"), 1, "-99.00") for number in (1, 2)
    ])  # fmt: skip
    assert desk.gather_cases().is_done
    return Case.objects.get()


@pytest.fixture
def post(db: Any, token: str) -> Send:
    def run(address: str, body: Any, *, key: str = token, kind: str = "application/json") -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {key}"}
        return Client().post(address, data, content_type=kind, headers=headers)

    return run


def key_of(user: Any, *roles: Role, source: str | None = None) -> str:
    with_roles(user, *roles, source=source)
    name = user.get_username()
    return services.create_token(name=name, days=1, account=name).token


def test_cases_are_listed_and_told(case: Case, ask: Send) -> None:
    (listed,) = ask(CASES).json()["cases"]
    assert (listed["id"], listed["state"], listed["hands"]) == (str(case.pk), "open", 2)
    assert listed["at_risk"] == [{"currency": "CNY", "amount": "2.00"}]
    assert listed["cause"]["code"] == "net-mismatch"
    one = ask(listed["url"]).json()
    assert {key: one[key] for key in listed} == listed
    assert [(row["logged"], row["recomputed"], row["difference"]) for row in one["players"]] == [
        ("-198.00", "-200.00", "-2.00")
    ]
    members = ask(one["members"]).json()["hands"]
    assert {row["hand_id"] for row in members} == {"wrong-1", "wrong-2"}
    assert [row["finding"]["code"] for row in members] == ["net-mismatch"] * 2
    acts = ask(one["acts"]).json()["acts"]
    assert [(act["kind"], act["by"]) for act in acts][-1] == ("opened", None)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 1), ("state=open", 1), ("state=decided", 0), ("owner=free", 1), ("owner=mine", 0),
        ("code=net-mismatch", 1), ("code=rake-mismatch", 0), ("source=odd", 1),
        ("source=else", 0), ("overdue=1", 0), ("decision=operator", 0),
    ],
)  # fmt: skip
def test_filters_of_cases(case: Case, ask: Send, query: str, count: int) -> None:
    assert len(ask(f"{CASES}?{query}").json()["cases"]) == count


@pytest.mark.parametrize("place", ["state", "owner", "decision", "code", "overdue"])
def test_a_filter_that_is_none_is_told(ask: Send, place: str) -> None:
    error = ask(f"{CASES}?{place}=x").json()["error"]
    assert (error["code"], error["place"]) == ("bad-query", place)


def test_a_case_is_commented_decided_and_reopened(case: Case, post: Send, ask: Send) -> None:
    address = f"{CASES}{case.pk}/acts/"
    hand = Hand.objects.get(hand_id="wrong-1")
    answer = post(
        address, {"act": "comment", "text": "The room was told.", "hand": str(hand.pk), "step": 2}
    )
    assert answer.status_code == 201
    told = answer.json()
    assert (told["kind"], told["by"], told["text"], told["hand"], told["step"]) == (
        "commented", "feed", "The room was told.", str(hand.pk), 2,
    )  # fmt: skip
    revision = ask(f"{CASES}{case.pk}/").json()["revision"]
    decided = {"act": "decide", "decision": "operator", "reason": "So.", "revision": revision}
    assert post(address, {"act": "take"}).status_code == 201
    stale = post(address, decided)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "conflict")
    del decided["revision"]
    assert post(address, decided).json()["decision"] == "operator"
    again = post(address, decided)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    assert "is decided" in again.json()["error"]["message"]
    assert post(address, {"act": "reopen", "reason": "Look again."}).status_code == 201
    assert post(address, {"act": "withdraw", "reason": "Nothing."}).status_code == 201
    kinds = [act["kind"] for act in ask(address).json()["acts"]]
    assert kinds[:5] == ["withdrawn", "reopened", "decided", "taken", "commented"]


@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        (b" ", "bad-body", "$"),
        (b"[" * 20_000, "bad-body", "$"),
        ({"act": "shout"}, "bad-body", "$.act"),
        ({"act": "decide", "reason": "x"}, "bad-body", "$"),
        ({"act": "decide", "decision": "yes", "reason": "x"}, "bad-body", "$.decision"),
        ({"act": "comment", "text": " "}, "bad-body", "$.text"),
        ({"act": "comment", "text": "x", "more": 1}, "bad-body", "$"),
        ({"act": "comment", "text": "x", "step": 1}, "bad-act", "$"),
        ({"act": "comment", "text": "x", "hand": "999"}, "bad-act", "$"),
    ],
)
def test_svc_36_an_act_that_cannot_be_read_is_told_with_its_place(
    case: Case, post: Send, body: Any, code: str, place: str
) -> None:
    answer = post(f"{CASES}{case.pk}/acts/", body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["place"]) == (400, code, place)
    assert not CaseAct.objects.filter(actor__isnull=False).exists()


def test_an_act_is_no_form_and_not_too_long(case: Case, post: Send) -> None:
    address = f"{CASES}{case.pk}/acts/"
    assert post(address, b"act=take", kind="application/x-www-form-urlencoded").status_code == 415
    assert post(address, b"{}", kind="text/plain").status_code == 415
    assert post(address, b" " * 70_000).status_code == 413


def test_support_comments_and_does_not_decide(
    case: Case, post: Send, django_user_model: Any
) -> None:
    key = key_of(django_user_model.objects.create_user("sue"), Role.SUPPORT)
    address = f"{CASES}{case.pk}/acts/"
    assert post(address, {"act": "comment", "text": "x"}, key=key).status_code == 201
    refused = post(address, {"act": "decide", "decision": "operator", "reason": "x"}, key=key)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "permission-denied")
    assert not CaseAct.objects.filter(kind=ActKind.DECIDED).exists()


def test_s51_a_claim_is_lodged_and_its_status_followed(case: Case, post: Send, ask: Send) -> None:
    hand = Hand.objects.get(hand_id="wrong-1")
    said = (hand.played_at + timedelta(hours=1)).isoformat()
    answer = post(CLAIMS, {
        "player": hand.players[1], "said_at": said, "text": "I lost less.",
        "hands": [str(hand.pk)], "amount": "1.00",
    })  # fmt: skip
    receipt = answer.json()
    assert (answer.status_code, answer["Location"]) == (201, receipt["url"])
    claim = Claim.objects.get()
    assert receipt["reference"] == f"K-{claim.pk}"
    assert receipt["case"] == str(case.pk)
    assert receipt["amount"] == {"currency": "CNY", "amount": "1.00"}
    assert [one["hand"] for one in receipt["hands"]] == [str(hand.pk)]
    assert [one["kind"] for one in receipt["history"]] == ["claimed"]
    post(f"{CASES}{case.pk}/acts/", {"act": "decide", "decision": "player", "reason": "So."})
    followed = ask(receipt["url"]).json()
    assert (followed["case_state"], followed["case_decision"]) == ("decided", "player")
    assert [one["kind"] for one in followed["history"]] == ["claimed", "decided"]
    (listed,) = ask(f"{CLAIMS}?player={hand.players[1]}").json()["claims"]
    assert listed["id"] == receipt["id"]
    assert ask(f"{CLAIMS}?player=Nobody").json()["claims"] == []


def test_s53_a_suspicion_is_lodged_without_an_amount_and_leads_to_its_hands(
    stored: Any, post: Send, ask: Send
) -> None:
    """About hands with which nothing is wrong: what is suspected shows in no figure."""
    stored(*(changed(PAI_GOW, hand_id=f"fair-{number}") for number in range(2)))
    assert desk.gather_cases().is_done
    assert not Case.objects.exists()
    fair = list(Hand.objects.order_by("pk"))
    text = "Two of them always leave the third tile to each other."
    receipt = post(CLAIMS, {
        "player": fair[0].players[1], "said_at": fair[0].played_at.isoformat(), "text": text,
        "hands": [str(hand.pk) for hand in fair],
    }).json()  # fmt: skip
    assert (receipt["text"], receipt["amount"], receipt["case_state"]) == (text, None, "open")
    assert [one["hand"] for one in receipt["hands"]] == [str(hand.pk) for hand in fair]
    assert [one["kind"] for one in receipt["history"]] == ["claimed"]
    case = Case.objects.get()
    assert (receipt["case"], case.cause_id) == (str(case.pk), None)
    assert all(ask(f"/api/v1/hands/{one['hand']}/").status_code == 200 for one in receipt["hands"])


def test_a_claim_that_makes_no_sense_is_told(case: Case, post: Send) -> None:
    hand = Hand.objects.get(hand_id="wrong-1")
    good = {
        "player": hand.players[1], "said_at": hand.played_at.isoformat(), "text": "x",
        "hands": [str(hand.pk)],
    }  # fmt: skip
    for change, status, code, place in (
        ({"hands": ["999"]}, 404, "not-found", "$.hands"),
        ({"hands": []}, 400, "bad-body", "$.hands"),
        ({"hands": [1]}, 400, "bad-body", "$.hands[0]"),
        ({"player": "Nobody"}, 400, "bad-claim", "$"),
        ({"said_at": "2025-03-01"}, 400, "bad-body", "$.said_at"),
        ({"said_at": "2099-03-01T00:00:00Z"}, 400, "bad-claim", "$"),
        ({"said_at": "0001-01-01T00:00:00+23:59"}, 400, "bad-claim", "$.said_at"),
        ({"said_at": "9999-12-31T23:59:59-23:59"}, 400, "bad-claim", "$.said_at"),
        ({"said_at": "2026-03-01T00:00:00Z"}, 409, "conflict", None),
        ({"amount": "-1"}, 400, "bad-body", "$.amount"),
        ({"amount": "0.001"}, 400, "bad-claim", "$"),
    ):
        answer = post(CLAIMS, good | change)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["place"]) == (status, code, place), change
    assert not Claim.objects.exists()


def test_remedies_are_listed_with_their_entries(case: Case, ask: Send, account: Any) -> None:
    desk.decide_case(case_id=case.pk, user=account, decision="operator", reason="x", sources=None)
    desk.propose_remedy(
        case_id=case.pk, user=account, reason="so", scope=desk.Scope.ALL, sources=None
    )
    (listed,) = ask("/api/v1/remedies/?state=proposed").json()["remedies"]
    one = ask(listed["url"]).json()
    assert {key: one[key] for key in listed} == listed
    amounts = sorted(entry["amount"] for entry in one["entries"])
    assert amounts[0].removeprefix("-") == amounts[-1]
    assert ask("/api/v1/remedies/?state=exported").json()["remedies"] == []
    assert ask("/api/v1/remedies/?state=x").json()["error"]["place"] == "state"


def test_svc_62_of_another_source_nothing_is_there(
    case: Case, post: Send, django_user_model: Any
) -> None:
    key = key_of(django_user_model.objects.create_user("two"), *Role, source="elsewhere")
    headers = {"Authorization": f"Bearer {key}"}
    hand = Hand.objects.get(hand_id="wrong-1")
    for address, name in (
        (CASES, "cases"), (CLAIMS, "claims"), ("/api/v1/remedies/", "remedies"),
        ("/api/v1/hands/", "hands"), ("/api/v1/findings/", "hands"),
        ("/api/v1/verdicts/", "hands"), ("/api/v1/players/", "players"),
        ("/api/v1/sources/", "sources"), ("/api/v1/uploads/", "uploads"),
    ):  # fmt: skip
        assert Client().get(address, headers=headers).json()[name] == [], address
    for address in (
        f"{CASES}{case.pk}/", f"{CASES}{case.pk}/hands/", f"{CASES}{case.pk}/acts/",
        f"/api/v1/hands/{hand.pk}/", f"/api/v1/hands/{hand.pk}/events/",
        f"/api/v1/hands/{hand.pk}/versions/1/record", f"/api/v1/verdicts/{hand.verdict_id}/",
        "/api/v1/sources/odd/",
    ):  # fmt: skip
        assert Client().get(address, headers=headers).status_code == 404, address
    act = post(f"{CASES}{case.pk}/acts/", {"act": "comment", "text": "x"}, key=key)
    assert act.status_code == 404
    claim = {"player": hand.players[1], "said_at": hand.played_at.isoformat(), "text": "x",
             "hands": [str(hand.pk)]}  # fmt: skip
    assert post(CLAIMS, claim, key=key).status_code == 404
