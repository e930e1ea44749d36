"""The pages of reports: asking for one, reading it, making it again, and who may."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit import pdf
from audit.models import JournalEntry, Report, ReportRun, Role
from tests.access import signed_in, with_roles
from tests.audit.logs import B, changed
from tests.web.conftest import Store


@pytest.fixture(autouse=True)
def own_log(settings: Any, tmp_path: Path) -> None:
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


def ask(site: Client, **fields: str) -> Any:
    return site.post(
        "/reports/new",
        {"kind": "game-performance", "basis": "day", "to": "2025-03-01", **fields},
    )


def made(site: Client, **fields: str) -> Report:
    answer = ask(site, **fields)
    assert answer.status_code == 302, answer.content
    return Report.objects.get(pk=int(answer["Location"].split("/")[2]))


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_a_report_is_asked_for_and_read(site: Client, store: Store) -> None:
    store(B)
    report = made(site)
    page = site.get(f"/reports/{report.pk}/")
    assert page.status_code == 200
    text = page.content.decode()
    assert "<bdi>95.00</bdi>" in text
    shown = text_of(page)
    for words in ("Game performance", "One day, 2025-03-01", "Signed", "Reconciliation",
                  "game-performance/1", "not named (TILECOURT_OPERATOR)", "Equal"):  # fmt: skip
        assert words in shown
    kinds = {"pdf": "application/pdf", "csv": "text/csv; charset=utf-8",
             "json": "application/json", "note": "text/plain; charset=utf-8"}  # fmt: skip
    for form, kind in kinds.items():
        answer = site.get(f"/reports/{report.pk}/file.{form}")
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
        kept = report.note.encode() if form == "note" else bytes(getattr(report, form))
        assert answer.content == kept
    listed = site.get("/reports/").content.decode()
    assert f'href="/reports/{report.pk}/"' in listed
    assert "No report has been made yet" in text_of(site.get("/reports/?kind=discrepancies"))


def test_made_again_it_is_the_same_or_a_new_edition(site: Client, store: Store) -> None:
    store(B)
    first = made(site)
    answer = site.post(f"/reports/{first.pk}/again", follow=True)
    assert answer.redirect_chain[-1][0] == f"/reports/{first.pk}/"
    assert "Nothing has changed" in text_of(answer)
    store(changed(B, hand_id="later"))
    answer = site.post(f"/reports/{first.pk}/again", follow=True)
    second = Report.objects.get(edition=2)
    assert answer.redirect_chain[-1][0] == f"/reports/{second.pk}/"
    shown = text_of(answer)
    assert "What changed since the edition before" in shown
    assert "New hand odd T1 later" in shown
    assert f"report {second.pk}" in text_of(site.get(f"/reports/{first.pk}/"))
    versions = text_of(site.get(f"/reports/{first.pk}/versions/"))
    assert versions.count("Fits") == 2


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"to": ""}, "Say which day the report is of, or up to which day."),
        ({"to": "1 March"}, "is no date"),
        ({"basis": "week"}, "The filter “basis” is none of"),
        ({"basis": "days"}, "Say from which day."),
        ({"basis": "days", "from": "2025-03-02"}, "The last day lies before the first."),
        ({"from": "2025-02-01"}, "leave “from” empty"),
        ({"source": "nowhere"}, "There is no such source."),
        ({"player": "Ann"}, "This report is not narrowed by “player”."),
        ({"game": "poker"}, "The filter “game” is none of"),
        ({"kind": "player-statement"}, "Say which player the statement is for."),
        ({"kind": "player-statement", "player": "Ann"}, "Say of which source the player is."),
        ({"kind": "significant-events", "large_win": "HKD"}, "is no threshold"),
        ({"kind": "significant-events", "large_win": "HKD=-1"}, "is no threshold"),
        ({"kind": "significant-events", "large_win": "HKD=1,HKD=2"}, "is given twice"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_a_sentence(
    site: Client, store: Store, fields: dict[str, str], sentence: str
) -> None:
    store(B)
    answer = ask(site, **fields)
    assert answer.status_code == 400
    assert sentence in text_of(answer)
    assert ReportRun.objects.count() == 0


def test_addresses_without_a_report_are_404(site: Client) -> None:
    for address in ("7/", "7/versions/", "7/file.pdf", "runs/7/", "new?kind=week"):
        assert site.get(f"/reports/{address}").status_code == 404, address
    assert site.post("/reports/7/again").status_code == 404
    assert site.get("/reports/?kind=week").status_code == 400
    assert site.get("/reports/?cursor=x").status_code == 400


def test_svc_62_reports_of_other_sources_are_not_there(
    site: Client, store: Store, django_user_model: Any
) -> None:
    store(B, changed(B, source="south", hand_id="s-1"))
    whole, south = made(site), made(site, source="south")
    user = with_roles(
        django_user_model.objects.create_user("osman.bey"), Role.AUDITOR, source="odd"
    )
    visitor = signed_in(user)
    assert "No report has been made yet" in text_of(visitor.get("/reports/"))
    for report in (whole, south):
        for address in ("", "versions/", "file.json"):
            assert visitor.get(f"/reports/{report.pk}/{address}").status_code == 404
        assert visitor.post(f"/reports/{report.pk}/again").status_code == 404
    assert "There is no such source." in text_of(ask(visitor, source="south"))
    own = made(visitor)
    assert own.sources == ["odd"]
    shown = visitor.get(f"/reports/{own.pk}/").content.decode()
    assert "south" not in shown
    assert own.row_count == 4
    # What concerns the service as a whole takes a role that reaches so far.
    assert visitor.get("/reports/new?kind=access-review").status_code == 404
    assert "Access review" not in text_of(visitor.get("/reports/new"))


def test_a_statement_is_journalled_under_the_player(site: Client, store: Store) -> None:
    store(B)
    report = made(site, kind="player-statement", player="Ann", source="odd")
    asked = JournalEntry.objects.filter(player="Ann", act="make-reports").count()
    assert asked == 1
    site.get(f"/reports/{report.pk}/")
    site.get(f"/reports/{report.pk}/file.csv")
    seen = JournalEntry.objects.filter(player="Ann", act="see-reports")
    assert seen.count() == 2


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_asks_the_same_few_questions(site: Client, store: Store, count: int) -> None:
    store(B)
    for day in range(1, count + 1):
        made(site, to=f"2025-03-0{day}")
    site.get("/reports/")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        site.get("/reports/")
    assert len([one for one in asked if "audit_report" in one["sql"]]) == 2


def test_where_no_pdf_can_be_set_the_page_says_so(
    site: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "typst", None)
    store(B)
    report = made(site)
    page = site.get(f"/reports/{report.pk}/")
    assert "typst is not installed" in text_of(page)
    assert "file.pdf" not in page.content.decode()
    assert site.get(f"/reports/{report.pk}/file.pdf").status_code == 404


def test_a_report_is_read_in_ones_own_language_and_kept_as_it_was_made(
    site: Client, store: Store
) -> None:
    store(B)
    report = made(site)
    address = f"/reports/{report.pk}/"
    kept = site.get(f"{address}file.json").content
    session = site.session
    session["language"] = "zh-hant"
    session.save()
    shown = text_of(site.get(address))
    for words in ("按遊戲日", "牌局屬於其牌桌的遊戲日。", "每局各有一個判定", "有效投注額（"):
        assert words in shown
    assert "By gaming day" not in shown
    assert site.get(f"{address}file.json").content == kept == bytes(report.json)
