"""A day of a room audited: from the overview to the wrong figure and the certificate, by keyboard,
on a phone, with and without script; and what the other new pages look like to axe."""

from __future__ import annotations

import io
import re

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Certificate, Chunk, Hand
from audit.selectors.access import access_of
from audit.services import desk
from audit.services.holdings import note_holdings
from audit.services.sharing import create_share_link
from audit.services.webhooks import create_webhook, try_webhook
from tests.audit.desk.wrong import without_rake, wrong
from tests.audit.logs import B, changed
from tests.conftest import PATIENCE_MS
from tests.e2e.test_desk_axe import violations
from tests.e2e.test_resolving_a_dispute import PHONE, complaints, fits, press_on, tab_to, visitor

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]
__all__ = ["complaints"]


@pytest.fixture
def day(transactional_db):
    """A day of one table: most hands clean, two with a net that is wrong, one without rake."""
    lines = [changed(B, hand_id=f"good-{number}") for number in range(5)]
    lines += [wrong("net-1", seat=0, net="9.00"), wrong("net-2", seat=0, net="9.00")]
    lines += [without_rake("rake-1")]
    data = b"".join(line + b"\n" for line in lines)
    received = services.receive_upload(name="day.ndjson", stream=io.BytesIO(data))
    for chunk in Chunk.objects.filter(upload_id=received.upload_id):
        services.judge_chunk(chunk_id=chunk.pk)
    assert desk.gather_cases().is_done
    assert note_holdings(seconds=60) is False


@pytest.mark.parametrize("is_scripted", [True, False], ids=["with script", "without script"])
def test_a_day_is_audited_by_keyboard_on_a_phone(
    browser, live_server, complaints, day, is_scripted
):
    options = {"java_script_enabled": is_scripted, "viewport": PHONE, "accept_downloads": True}
    page = visitor(browser, live_server, complaints, "ines.castro", **options)
    main = page.get_by_role("navigation", name="Main")
    press_on(page, main.get_by_role("link", name="Overview", exact=True))
    page.wait_for_url("**/overview/")
    assert fits(page)
    # The day's discrepant hands, by the number that the overview gives.
    discrepant = page.locator("dl a[href*='verdict=discrepant']").first
    assert discrepant.inner_text() == "3"
    press_on(page, discrepant)
    page.wait_for_url(re.compile(r"/hands/\?.*verdict=discrepant"))
    assert fits(page)
    assert page.locator("table.hands tbody tr").count() == 3
    # Take the list out as it stands.
    with page.expect_download() as download:
        press_on(page, page.get_by_role("link", name="CSV", exact=True))
    table = download.value.path().read_text(encoding="utf-8-sig")
    assert [table.count(f'"{name}"') for name in ("net-1", "net-2", "rake-1", "good-1")] == [
        *(1, 1, 1, 0)
    ]
    assert re.search(r"# end,rows,3,sha256:[0-9a-f]{64}\s*$", table)
    # Into the hand: where the figure stands beside the recomputed one.
    press_on(page, page.get_by_role("link", name="net-1", exact=True))
    page.wait_for_url(re.compile(r"/hands/\d+/"))
    assert fits(page)
    assert page.get_by_text("9.00", exact=True).count() >= 1
    assert page.get_by_text("9.50", exact=True).count() >= 1
    # And its certificate of completeness for the regulator.
    press_on(page, main.locator("summary", has_text="Checks"))
    press_on(page, main.get_by_role("link", name="Completeness", exact=True))
    page.wait_for_url("**/certificates/")
    assert fits(page)
    assert Certificate.objects.count() == 0
    assert complaints == []
    page.context.close()


def test_a_hand_is_found_by_its_tile_by_keyboard(browser, live_server, complaints, day):
    page = visitor(browser, live_server, complaints, "ines.castro", viewport=PHONE)
    page.goto("/hands/")
    assert fits(page)
    tab_to(page, page.get_by_label("Logged net"))
    page.keyboard.type("9.00")
    press_on(page, page.get_by_role("button", name="Apply"))
    page.wait_for_url(re.compile(r"net=9\.00"))
    shown = page.locator("table.hands tbody th a").all_inner_texts()
    assert sorted(shown) == ["net-1", "net-2"]
    assert complaints == []
    page.context.close()


@pytest.mark.parametrize("is_scripted", [True, False], ids=["with script", "without script"])
def test_a_link_is_given_and_its_holder_steps_without_an_account(
    browser, live_server, complaints, day, is_scripted
):
    options = {"java_script_enabled": is_scripted, "viewport": PHONE}
    page = visitor(browser, live_server, complaints, "ines.castro", **options)
    hand = Hand.objects.get(hand_id="net-1")
    page.goto(f"/hands/{hand.pk}/links")
    tab_to(page, page.get_by_label("For whom and why"))
    page.keyboard.type("Ann, claim 7")
    press_on(page, page.get_by_role("button", name="Make a link"))
    url = page.locator("#made-url").input_value()
    assert fits(page)
    context = browser.new_context(base_url=live_server.url, **options)
    context.set_default_timeout(PATIENCE_MS)
    holder = context.new_page()
    holder.on("pageerror", lambda error: complaints.append(str(error)))
    holder.goto(url)
    assert fits(holder)
    assert holder.get_by_text("A replay of this hand as seat 0 saw it.").count() == 1
    assert holder.locator("nav.mainnav").count() == 0
    for step in (1, 2, 3):
        press_on(holder, holder.locator("[data-goal='next']"))
        holder.wait_for_url(f"**/steps/{step}/")
    press_on(page, page.get_by_role("button", name=re.compile("^Take back link")))
    page.get_by_text("The link opens nothing from now on.").wait_for()
    holder.reload()
    holder.get_by_role("heading", name="This link opens nothing").wait_for()
    assert complaints == []
    context.close()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, live_server, complaints, day, scheme):
    page = visitor(
        browser, live_server, complaints, "ines.castro", color_scheme=scheme, viewport=PHONE
    )
    access = access_of(get_user_model().objects.get(username="ines.castro"))
    hand = Hand.objects.get(hand_id="net-1")
    link = create_share_link(access=access, hand=hand.pk, viewpoint="seat-0", hours=1, reason="Ann")
    hook = create_webhook(access=access, name="Room 1", url="https://example.org/", sources=None)
    try_webhook(access=access, pk=hook.pk)
    addresses = [
        "/overview/", "/hands/", "/hands/?tile=66&seat=0", f"/hands/{hand.pk}/",
        f"/hands/{hand.pk}/links", "/links/", f"/shared/{link.secret}/",
        f"/shared/{link.secret}/steps/5/", "/webhooks/", f"/webhooks/{hook.pk}/",
    ]  # fmt: skip
    found = {}
    for address in addresses:
        page.goto(address)
        assert fits(page), address
        found[address] = violations(page)
    assert found == {address: [] for address in addresses}
    page.context.close()
