"""Reports in a browser: by keyboard, on a phone, without script, in the dark, by axe."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Chunk, Report
from audit.selectors.exports_sheet import check_sheet
from tests.access import trusted
from tests.e2e.test_completeness import violations
from tests.e2e.test_stepping import PHONE, complaints, sign_in
from tests.pdf_text import pages_of
from tests.web.lines import GOLDEN, PAI_GOW, changed, with_net

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

__all__ = ["complaints"]


def take_in(data):
    services.receive_upload(name="day.ndjson", stream=io.BytesIO(data))
    for chunk in Chunk.objects.filter(state="queued").order_by("pk"):
        services.judge_chunk(chunk_id=chunk.pk)


@pytest.fixture
def stored(transactional_db, settings, tmp_path):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    take_in(PAI_GOW + b"\n" + with_net(changed(PAI_GOW, hand_id="off"), 1, "-99.00"))
    take_in((GOLDEN / "odd" / "names-accepted.ndjson").read_bytes())
    return trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))


def ask(page, title="Discrepancies"):
    """By keyboard alone, from the list of reports to the report."""
    page.goto("/reports/")
    page.get_by_role("link", name="New report").first.press("Enter")
    page.get_by_role("link", name=title).press("Enter")
    page.locator("#r-to").fill("2025-03-01")
    page.get_by_role("button", name="Make the report").press("Enter")
    page.wait_for_url(lambda url: url.split("/reports/")[1].rstrip("/").isdecimal())


def addresses():
    number = Report.objects.earliest("pk").pk
    return [
        "/reports/", "/reports/new", "/reports/new?kind=significant-events",
        f"/reports/{number}/", f"/reports/{number}/versions/",
    ]  # fmt: skip


def test_from_the_list_to_the_files_and_to_a_new_edition(stored, page, complaints):
    sign_in(page)
    ask(page)
    assert page.locator("h1").inner_text() == "Discrepancies"
    row = page.locator("tr.level-row", has_text="off").first
    assert row.locator("td").nth(7).inner_text() == "-99.00"
    for name in ("PDF", "CSV"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).press("Enter")
        with open(download.value.path(), "rb") as file:  # noqa: PTH123
            if name == "CSV":
                assert check_sheet(file).rows == 4
            else:
                assert "Page 1 of 1" in pages_of(file.read())[0]
    page.get_by_role("button", name="Make again").press("Enter")
    page.get_by_role("status").filter(has_text="Nothing has changed").wait_for()
    take_in(with_net(changed(PAI_GOW, hand_id="off-2"), 1, "-98.00"))
    page.get_by_role("button", name="Make again").press("Enter")
    page.get_by_role("heading", name="What came between").wait_for()
    page.get_by_role("link", name="off-2").first.press("Enter")
    page.wait_for_url("**/hands/*/")
    assert complaints == []


def test_on_a_phone_nothing_is_wider_than_the_page(stored, page, complaints):
    sign_in(page)
    ask(page, "Significant events")
    page.set_viewport_size(PHONE)
    for address in addresses():
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], address
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(stored, page, complaints, scheme):
    sign_in(page)
    ask(page)
    page.emulate_media(color_scheme=scheme)
    found = {}
    for size in (PHONE, {"width": 1280, "height": 900}):
        page.set_viewport_size(size)
        for address in addresses():
            page.goto(address)
            found[address, size["width"]] = violations(page)
    assert {place: told for place, told in found.items() if told} == {}
    assert complaints == []


def test_without_script_a_report_is_made(stored, browser, live_server):
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    ask(page, "Game performance")
    assert page.locator("h1").inner_text() == "Game performance"
    context.close()
