"""One envelope for every error, whatever part of the service refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from audit.api import errors
from audit.api.known_errors import ERRORS
from audit.selectors import api_hands
from tests.api.conftest import Send

API = Path(errors.__file__).parent


def told(answer: Any) -> tuple[int, str, str | None]:
    """Status, code and place; the envelope holds these, a sentence, and nothing else."""
    (error,) = answer.json().values()
    assert set(error) == {"code", "message", "place"}
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "private, no-store"
    return answer.status_code, error["code"], error["place"]


@pytest.mark.parametrize("address", ["/api", "/api/", "/api/v2/hands/", "/api/v1/hand/", "/api/x"])
def test_an_address_that_is_none(ask: Send, address: str) -> None:
    assert told(ask(address)) == (404, "not-found", None)


@pytest.mark.parametrize("method", ["put", "patch", "delete", "trace"])
def test_a_method_that_is_not_taken(token: str, method: str) -> None:
    answer = getattr(Client(), method)(
        "/api/v1/hands/", headers={"Authorization": f"Bearer {token}"}
    )
    assert told(answer) == (405, "method-not-allowed", None)
    assert answer["Allow"] == "GET, HEAD"


def test_a_stranger_and_a_wrong_key(db: Any) -> None:
    assert told(Client().get("/api/v1/hands/")) == (401, "not-authenticated", None)
    wrong = Client().get("/api/v1/hands/", headers={"Authorization": "Bearer tc_wrong"})
    assert told(wrong) == (401, "authentication-failed", None)
    assert wrong["WWW-Authenticate"] == "Bearer"


def test_a_session_without_the_forms_token(account: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(account)
    assert told(client.get("/api/v1/hands/x"))[0] == 404
    refused = client.post("/api/v1/claims/", b"{}", content_type="application/json")
    assert told(refused) == (403, "permission-denied", None)


@pytest.mark.parametrize(
    "address", ["/api/v1/claims/", "/api/v1/cases/1/acts/", "/api/v1/reaudits/", "/api/v1/uploads/"]
)
def test_a_form_is_not_taken_nor_read(token: str, address: str) -> None:
    answer = Client().post(
        address,
        b"a=" + b"x" * 5_000_000,
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert told(answer) == (415, "unsupported-type", "Content-Type")


def test_a_host_that_is_not_ours_is_refused_without_a_word_of_ours(db: Any) -> None:
    assert Client().get("/api/v1/hands/", HTTP_HOST="elsewhere.example").status_code == 400


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(ZeroDivisionError(), (500, "our-fault", None)),
     (OperationalError(), (503, "unavailable", None))],
)  # fmt: skip
def test_a_fault_of_ours_and_a_store_that_is_away(
    ask: Send, monkeypatch: pytest.MonkeyPatch, fault: Exception, expected: Any
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(api_hands, "list_hands", broken)
    answer = ask("/api/v1/hands/")
    assert told(answer) == expected
    assert ("Retry-After" in answer) == (expected[0] == 503)
    assert b"Traceback" not in answer.content


def test_nul_is_in_no_parameter(ask: Send) -> None:
    for address in ("hands/?q=a%00", "certificates/?source=%00", "players/?name=%00"):
        status, code, place = told(ask(f"/api/v1/{address}"))
        assert (status, code) == (400, "bad-query")
        assert place == address.partition("?")[2].partition("=")[0]


def test_every_code_that_the_code_names_is_known_with_its_status() -> None:
    named = []
    for path in API.glob("*.py"):
        named += re.findall(r'ApiError\(\s*(\d{3}),\s*"([\w-]+)"', path.read_text())
    assert len(named) > 30
    for status, code in named:
        assert ERRORS[code].status == int(status), code


def test_a_line_end_in_an_address_is_told_in_the_envelope_too(ask: Send) -> None:
    for address in ("/api/v1/exports/%0Ahands.ndjson", "/api/v1/hands/%0A", "/api/%0A/%0D"):
        answer = ask(address)
        assert answer.status_code == 404, address
        assert answer.json()["error"]["code"] == "not-found"


def test_a_number_of_nothing_is_refused_by_the_journal(ask: Send) -> None:
    for query in ("visit=0", "hand=0", "visit=99999999999999999999"):
        assert ask(f"/api/v1/journal/?{query}").status_code == 400, query
