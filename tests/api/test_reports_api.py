"""Reports by program: versions that were made, with the files that were signed."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client

from audit import services
from audit.models import Report, Role
from tests.access import with_roles
from tests.api.conftest import Send
from tests.audit.conftest import ingest
from tests.audit.reports.conftest import auditor, make, own_log, run_report
from tests.web.lines import BASE

__all__ = ["auditor", "ingest", "make", "own_log", "run_report"]
REPORTS = "/api/v1/reports/"


@pytest.fixture
def report(stored: Any, make: Any) -> Report:
    stored(*BASE)
    made: Report = make("game-performance")
    return made


def test_a_report_is_listed_told_and_taken_out_as_it_was_signed(report: Report, ask: Send) -> None:
    (listed,) = ask(f"{REPORTS}?kind=game-performance").json()["reports"]
    one = ask(listed["url"]).json()
    assert {key: one[key] for key in listed} == listed
    assert (one["number"], one["edition"], one["is_newest"]) == (report.pk, 1, True)
    assert one["signature_problem"] is None
    assert one["signed_by"]
    note = ask(one["files"]["note"]["url"]).content.decode()
    for form, kept in (("csv", report.csv), ("json", report.json)):
        answer = ask(one["files"][form]["url"])
        assert answer.content == bytes(kept)
        assert len(answer.content) == one["files"][form]["bytes"]
        assert hashlib.sha256(answer.content).hexdigest() in note
        assert answer["Content-Disposition"] == f'attachment; filename="report-{report.pk}.{form}"'
        assert ask(one["files"][form]["url"], If_None_Match=answer["ETag"]).status_code == 304


@pytest.mark.parametrize("address", ["9/", "9/csv", "99999999999999999999/"])
def test_what_is_not_there_is_not_found(report: Report, ask: Send, address: str) -> None:
    assert ask(f"{REPORTS}{address}").status_code == 404
    assert ask(f"{REPORTS}{report.pk}/exe").status_code == 404
    assert ask(f"{REPORTS}?kind=x").json()["error"]["place"] == "kind"


def test_svc_62_a_report_of_every_source_is_not_there_for_one(
    report: Report, django_user_model: Any
) -> None:
    user = with_roles(django_user_model.objects.create_user("two"), *Role, source="elsewhere")
    key = services.create_token(name="two", days=1, account=user.get_username()).token
    headers = {"Authorization": f"Bearer {key}"}
    assert Client().get(REPORTS, headers=headers).json()["reports"] == []
    for address in (f"{REPORTS}{report.pk}/", f"{REPORTS}{report.pk}/csv"):
        assert Client().get(address, headers=headers).status_code == 404
