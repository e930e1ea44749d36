"""The pages of reports: asking for one, reading it, making it again."""

from __future__ import annotations

from typing import Any

from django.test import Client

from audit.models import Report
from tests.audit.logs import B
from tests.web.conftest import Store


def ask(site: Client, **fields: str) -> Any:
    return site.post(
        "/reports/new",
        {"kind": "game-performance", "basis": "day", "to": "2025-03-01", **fields},
    )


def test_a_report_is_asked_for_and_read(site: Client, store: Store) -> None:
    store(B)
    answer = ask(site)
    report = Report.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/reports/{report.pk}/")
    page = site.get(answer["Location"])
    assert page.status_code == 200
    text = page.content.decode()
    assert "Game performance" in text
    open("/tmp/b2/page.html", "w").write(text)
    assert "<bdi>95.00</bdi>" in text
    listed = site.get("/reports/").content.decode()
    assert f'href="/reports/{report.pk}/"' in listed
