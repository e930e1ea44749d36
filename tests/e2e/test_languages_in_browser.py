"""The languages in a real browser: the switch with and without script, on a phone, in the dark."""

from __future__ import annotations

import io
from contextlib import closing
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Chunk, Hand
from tests.access import trusted
from tests.web.lines import BASE, planted

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}


def stock() -> dict[str, int]:
    """A hand of each game and a wrong one; the keys of their pages by the ids of the hands."""
    lines = (*BASE, planted("tien-gow", "trick-mismatch"))
    data = b"".join(line + b"\n" for line in lines)
    upload = services.receive_upload(name="day.ndjson", stream=io.BytesIO(data))
    for chunk in Chunk.objects.filter(upload_id=upload.upload_id):
        services.judge_chunk(chunk_id=chunk.pk)
    return {hand.hand_id: hand.pk for hand in Hand.objects.all()}


def sign_in(page: Any) -> Any:
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    page.goto("/hands/")
    page.locator("#id_username").fill("ines.castro")
    page.locator("#id_password").fill("correct horse")
    page.locator(".signin-form .btn-main").click()
    page.wait_for_url("**/hands/")
    return page


def choose(page: Any, language: str) -> None:
    """Press the switch and wait for the page that it gives."""
    with page.expect_navigation():
        page.locator(f"button[name=language][value={language}]").click()


def test_the_switch_keeps_the_step_and_steps_on_in_the_language(
    page: Any, live_server: Any
) -> None:
    keys = stock()
    sign_in(page)
    address = f"/hands/{keys['tg-slam']}/steps/3/"
    page.goto(address)
    choose(page, "zh-hant")
    assert page.url.endswith(address)
    assert page.evaluate("document.documentElement.lang") == "zh-Hant"
    page.locator("[data-stepper][data-ready]").wait_for()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/hands/{keys['tg-slam']}/steps/4/")
    assert page.locator("[data-announce]").text_content().startswith("第 4 步，共 ")
    assert page.title().startswith("第 4 步") or "第 4 步" in page.title()
    choose(page, "en")
    assert page.evaluate("document.documentElement.lang") == "en"


def test_before_signing_in_the_browser_is_heard_and_may_be_overruled(
    browser: Any, live_server: Any
) -> None:
    options = {"locale": "zh-CN", "viewport": PHONE, "base_url": live_server.url}
    with closing(browser.new_context(**options)) as context:
        page = context.new_page()
        page.goto("/login")
        assert page.locator("h1").text_content() == "登录"
        choose(page, "zh-hant")
        assert page.locator("h1").text_content() == "登入"


@pytest.mark.parametrize("language", ["zh-hant", "zh-hans"])
def test_a_phone_shows_every_page_whole_without_script(
    browser: Any, live_server: Any, language: str
) -> None:
    keys = stock()
    options = {"base_url": live_server.url, "viewport": PHONE, "color_scheme": "dark"}
    with closing(browser.new_context(**options, java_script_enabled=False)) as context:
        page = sign_in(context.new_page())
        choose(page, language)
        for address in ("/overview/", "/hands/", "/desk/", "/uploads/", "/rules/", "/reports/",
                        *(f"/hands/{key}/" for key in keys.values())):  # fmt: skip
            page.goto(address)
            overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(overflow) <= 0, address
