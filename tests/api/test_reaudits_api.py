"""Re-audits by program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from audit.models import Reaudit
from audit.selectors.rulesets import forget_rulesets
from tests.api.conftest import Send
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import NAMED, know, reaudited, run, start, write_revision

REAUDITS = "/api/v1/reaudits/"


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


@pytest.fixture
def post(db: Any, token: str) -> Send:
    def send(address: str, body: Any = b"", kind: str = "application/json") -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {"Authorization": f"Bearer {token}"}
        return Client().post(address, data, content_type=kind, headers=named)

    return send


def test_a_re_audit_is_started_followed_and_listed(post, ask, ingest, account) -> None:  # noqa: F811
    ingest(log(B))
    answer = post(REAUDITS, {"reason": "a check", "filter": {"verdict": "clean"}})
    job = Reaudit.objects.get()
    assert answer.status_code == 201
    assert answer["Location"] == f"{REAUDITS}{job.pk}/"
    assert (job.requested_by, job.reason, job.filter) == (account, "a check", {"verdict": "clean"})
    told = ask(answer["Location"]).json()
    assert (told["state"], told["percent"], told["total"]) == ("gathering", None, 0)
    run(job.pk)
    told = ask(answer["Location"]).json()
    assert (told["state"], told["is_ended"], told["percent"]) == ("done", True, 100)
    assert told["counts"] == {
        "written": 0, "confirmed": 1, "rehearsed": 0, "admitted": 0, "refused": 0, "aside": 0,
    }  # fmt: skip
    assert ask(REAUDITS).json() == {"reaudits": [told], "next": None, "previous": None}


def test_a_rehearsal_reports_flips_and_money(post, ask, ingest, settings, tmp_path) -> None:  # noqa: F811
    ingest(log(B))
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    answer = post(REAUDITS, {"reason": "what if", "named": NAMED, "ruleset": name})
    assert answer.json()["is_rehearsal"] is True
    job = run(answer.json()["id"]).pk
    report = ask(f"{REAUDITS}{job}/report").json()
    assert report["flips"] == [
        {
            "before": {"verdict": "clean", "finding": None},
            "after": {"verdict": "discrepant", "finding": "rake-mismatch"},
            "is_flipped": True,
            "hands": 1,
            "flip": "clean~~discrepant~rake-mismatch",
        }
    ]
    assert report["money"] == [
        {
            "source": None, "table": None, "player": None, "currency": "CNY", "minor_digits": 2,
            "hands": 1,
            "net": {"before": "-5.00", "after": "-6.00"},
            "rake": {"before": "5.00", "after": "6.00"},
            "valid_bet": {"before": "200.00", "after": "200.00"},
        }
    ]  # fmt: skip
    assert [row["player"] for row in report["players"]] == ["Di", "Cy", "Ann", "Bo"]
    (change,) = ask(f"{REAUDITS}{job}/changes?flip={report['flips'][0]['flip']}").json()["changes"]
    assert (change["hand_id"], change["is_in_force"]) == ("base-1", True)
    assert ask(f"{REAUDITS}{job}/changes?flip=void~~clean~").json()["changes"] == []
    assert ask(f"{REAUDITS}{job}/aside").json() == {"aside": [], "next": None, "previous": None}


def test_what_was_set_aside_is_told_with_its_reason(ask, ingest, settings, tmp_path) -> None:  # noqa: F811
    name = write_revision(tmp_path)
    know(settings, tmp_path)
    ingest(log(changed(B, ruleset=name)))
    know(settings)
    job = reaudited().pk
    (one,) = ask(f"{REAUDITS}{job}/aside").json()["aside"]
    assert (one["hand_id"], one["version"], one["line"]) == ("base-1", 1, None)
    assert one["reason"] == f"refused now: $.ruleset: unknown ruleset {name}"


def test_stop_and_resume(post, ask, ingest) -> None:  # noqa: F811
    ingest(log(B))
    job = start()
    assert post(f"{REAUDITS}{job}/resume").status_code == 409
    assert post(f"{REAUDITS}{job}/stop").json()["state"] == "stopped"
    assert post(f"{REAUDITS}{job}/stop").json()["state"] == "stopped"
    assert post(f"{REAUDITS}{job}/resume").json()["state"] == "gathering"
    assert run(job).confirmed_count == 1


@pytest.mark.parametrize(
    ("body", "kind", "status", "code", "place"),
    [
        (b"{}", "text/plain", 415, "unsupported-type", "Content-Type"),
        (b"a=b", "application/x-www-form-urlencoded", 415, "unsupported-type", "Content-Type"),
        (b" ", "application/json", 400, "bad-body", "$"),
        (b"[" * 20_000, "application/json", 400, "bad-body", "$"),
        (b"\xff", "application/json", 400, "bad-body", "$"),
        (b"{}", "application/json", 400, "bad-body", "$"),
        (b'{"reason": 1}', "application/json", 400, "bad-body", "$.reason"),
        (b'{"reason": "x", "why": "y"}', "application/json", 400, "bad-body", "$"),
        (b'{"reason": "x", "filter": {"a": "b"}}', "application/json", 400, "bad-reaudit", None),
        (b'{"reason": " "}', "application/json", 400, "bad-reaudit", "$.reason"),
        (b'{"reason": "x", "named": "\\u0000"}', "application/json", 400, "bad-body", "$.named"),
        (
            b'{"reason": "x", "ruleset": "\\u0000"}',
            "application/json",
            400,
            "bad-body",
            "$.ruleset",
        ),
        (b" " * 70_000, "application/json", 413, "too-large", None),
        (b'{"reason": "x", "reason": "y"}', "application/json", 400, "bad-body", "$"),
        (b'{"reason": "x", "re\\u0061son": "x"}', "application/json", 400, "bad-body", "$"),
        (
            b'{"reason": "x", "filter": {"table": "A", "table": "B"}}',
            "application/json",
            400,
            "bad-body",
            "$",
        ),
    ],
)
def test_svc_36_a_body_that_says_nothing_of_use_is_refused_with_its_place(
    post, body: bytes, kind: str, status: int, code: str, place: str | None
) -> None:
    answer = post(REAUDITS, body, kind)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["place"]) == (status, code, place)
    assert not Reaudit.objects.exists()


def test_svc_34_addresses_that_are_none(ask) -> None:
    job = start()
    for address in (
        "999/", "99999999999999999999999/", "999/report", "999/changes", "999/aside", "x/",
    ):  # fmt: skip
        assert ask(REAUDITS + address).status_code == 404, address
    for address in ("?cursor=x", f"{job}/changes?cursor=x", f"{job}/changes?flip=x",
                    f"{job}/aside?cursor=x"):  # fmt: skip
        assert ask(REAUDITS + address).status_code == 400, address
