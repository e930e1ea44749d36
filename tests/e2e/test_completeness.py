"""Certificates, gaming days, totals and players in a browser: by keyboard, on a phone, by axe."""

from __future__ import annotations

import io
from importlib.resources import files

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Certificate, Chunk, DayRule, Table
from audit.selectors.exports_sheet import check_sheet
from audit.services.players import note_players
from tests.access import trusted
from tests.audit.test_players import at_table
from tests.e2e.test_stepping import PHONE, complaints, sign_in
from tests.web.lines import GOLDEN, PAI_GOW, changed, with_net

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
__all__ = ["complaints"]
DAY = "2025-03-01"


def hand(number, **fields):
    clock = f"2025-03-01T12:{number:02d}:00+08:00"
    return changed(PAI_GOW, hand_id=f"g-{number}", table="T9", started_at=clock, ended_at=clock,
                   **fields)  # fmt: skip


def take_in(data, name="day.ndjson"):
    services.receive_upload(name=name, stream=io.BytesIO(data))
    for chunk in Chunk.objects.filter(state="queued").order_by("pk"):
        services.judge_chunk(chunk_id=chunk.pk)


@pytest.fixture
def stored(transactional_db):
    """Something of everything that these pages can show."""
    lines = [hand(number) for number in (1, 2, 3, 5, 6, 9)]
    lines += [lines[0], with_net(hand(7), 1, "-99.00"), with_net(hand(2), 1, "-98.00")]
    lines += [changed(hand(3), hand_id="g-11"), hand(8, currency=""), b"{"]
    lines += [hand(10, round={"id": "r1", "hand": 1})]
    take_in(b"\n".join(lines))
    take_in(at_table(["Ling"] * 2 + ["Ling2"]), "renamed.ndjson")
    take_in((GOLDEN / "odd" / "names-accepted.ndjson").read_bytes(), "names.ndjson")
    for table in Table.objects.all():
        services.compare_table(table_id=table.pk)
    note_players(seconds=60)
    return trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))


def violations(page):
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found["violations"]
    ]


def certify(page, table):
    """By keyboard alone, from the field of the day to the button."""
    page.goto("/certificates/")
    page.locator("#m-day").fill(DAY)
    page.locator("#m-source").focus()
    page.keyboard.type("odd")
    page.keyboard.press("Tab")
    page.keyboard.type(table)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/certificates/" in url and not url.endswith("/certificates/"))


def test_from_a_day_to_its_certificate_and_its_table(stored, page, complaints):
    sign_in(page)
    certify(page, "T9")
    assert page.locator("h1").inner_text() == "T9, 1 March 2025"
    assert page.locator(".chip-warning").first.inner_text() == "Not complete"
    row = page.locator("[aria-labelledby=gaps] tbody tr").first
    assert row.locator("td").all_inner_texts() == ["g-4", "g-4", "1", "within the day"]
    page.locator(".checks a[href='#gaps']").click()
    page.wait_for_url("**#gaps")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    with open(download.value.path(), "rb") as file:  # noqa: PTH123
        assert check_sheet(file).columns == ("path", "value")
    # A rule for the day, by keyboard; what was certified shows it.
    page.goto("/certificates/days/")
    page.locator("#d-zone").fill("Asia/Macau")
    page.locator("#d-starts").fill("06:00")
    page.get_by_role("button", name="Set").press("Enter")
    page.locator("td", has_text="Asia/Macau").wait_for()
    assert DayRule.objects.get().starts_at == 360
    page.goto(f"/certificates/{Certificate.objects.get().pk}/")
    assert page.locator(".tag-partly").first.inner_text() == "Out of date"
    assert complaints == []


def test_on_a_phone_nothing_is_wider_than_the_page(stored, page, complaints):
    sign_in(page)
    certify(page, "T9")
    page.set_viewport_size(PHONE)
    for address in addresses():
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], address
    assert complaints == []
    # A word that is refused may be as long as an address.
    page.goto(f"/totals/?{'x' * 300}=1")
    assert page.get_by_role("alert").inner_text().startswith("There is no parameter “xxx")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def addresses():
    return [
        "/certificates/", f"/certificates/{Certificate.objects.first().pk}/",
        "/certificates/days/", "/totals/", "/totals/?by=game", "/players/", "/players/?q=Ken",
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(stored, page, complaints, scheme):
    sign_in(page)
    certify(page, "T9")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(PHONE)
    found = {}
    for address in addresses():
        page.goto(address)
        found[address] = violations(page)
    assert found == {address: [] for address in addresses()}
    assert complaints == []
