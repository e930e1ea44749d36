"""The page of the API in a real browser: every size and colour, by keyboard, without script."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from audit.api.docs import description
from tests.access import trusted

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def visitor(browser, live_server):
    """A browser in which an auditor is signed in and no script runs."""
    client = Client()
    client.force_login(trusted(get_user_model().objects.create_user("ines.castro")))
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}

    contexts = []

    def open_page(**options):
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        context.add_cookies([session | {"url": live_server.url}])
        page = context.new_page()
        page.refused = []
        page.on("console", lambda one: page.refused.append(one.text))
        page.on("request", lambda one: page.refused.append(one.url)
                if not one.url.startswith(live_server.url) else None)  # fmt: skip
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_page_fits_and_hinders_nobody(visitor, size, scheme):
    page = visitor(viewport=SIZES[size], color_scheme=scheme)
    page.goto("/api/docs/")
    for name in ("hands_list", "claim_lodge"):
        page.locator(f"#{name} > summary").click()
        assert page.locator(f"#{name} .shell").is_visible()
    assert page.evaluate(OVERFLOW) == 0
    if folder := os.environ.get("TILECOURT_SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"api-{size}-{scheme}.png"))
        page.locator("#claim_lodge").scroll_into_view_if_needed()
        page.screenshot(path=Path(folder, f"api-claim-{size}-{scheme}.png"))
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]] == []
    assert page.refused == []


def test_it_is_read_by_keyboard_without_script(visitor):
    page = visitor(java_script_enabled=False, viewport=SIZES["wide"])
    page.goto("/api/docs/")
    summary = page.locator("#hand > summary")
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("#hand .shell").is_visible()
    page.keyboard.press("Enter")
    assert not page.locator("#hand .shell").is_visible()


def test_the_description_is_reached_from_it(visitor):
    page = visitor(viewport=SIZES["wide"])
    page.goto("/api/docs/")
    answer = page.request.get(page.locator("a[href='/api/schema/']").get_attribute("href"))
    assert answer.json()["paths"].keys() == description()["paths"].keys()
