"""The main navigation in a real browser: at each width, in each language, by keyboard alone."""

from __future__ import annotations

import re

import pytest

from audit.web.navigation import AREAS, Group
from tests.e2e.test_desk_axe import violations
from tests.e2e.test_resolving_a_dispute import PHONE, complaints, fits, press_on, visitor

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]
__all__ = ["complaints"]

WIDTHS = (1280, 1024, 390)
LANGUAGES = {"en": "Checks", "zh-hant": "檢查", "zh-hans": "检查"}
# Whether nothing of an element lies outside of the window or under something else.
SHOWN = """element => {
    const box = element.getBoundingClientRect();
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.left >= 0 && box.right <= innerWidth && element.contains(at);
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_area_can_be_seen_at_each_width(browser, live_server, complaints, language):
    page = visitor(browser, live_server, complaints, "ines.castro")
    if language != "en":
        with page.expect_navigation():
            page.locator(f"button[name=language][value={language}]").click()
    assert LANGUAGES[language] in page.locator(".mainnav summary").all_inner_texts()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.goto("/journal/")
        assert fits(page)
        direct = page.locator(".mainnav > ul > li > a, .mainnav summary")
        assert direct.count() == len(AREAS)
        assert [one.evaluate(SHOWN) for one in direct.all()] == [True] * len(AREAS)
        for place, group in enumerate(one for one in AREAS if isinstance(one, Group)):
            page.locator(".mainnav summary").nth(place).click()
            links = page.locator(".mainnav [open] a")
            assert [one.evaluate(SHOWN) for one in links.all()] == [True] * len(group.areas)
            assert fits(page)
    assert complaints == []
    page.context.close()


@pytest.mark.parametrize("is_scripted", [True, False], ids=["with script", "without script"])
def test_a_folded_area_is_opened_by_keyboard(browser, live_server, complaints, is_scripted):
    options = {"java_script_enabled": is_scripted, "viewport": PHONE}
    page = visitor(browser, live_server, complaints, "ines.castro", **options)
    main = page.get_by_role("navigation", name="Main")
    for title, name, address in (
        ("Checks", "Evidence", "**/evidence/"),
        ("Settings", "Accounts", "**/accounts/"),
    ):
        press_on(page, main.locator("summary", has_text=title))
        press_on(page, main.get_by_role("link", name=name, exact=True))
        page.wait_for_url(address)
        # Where one is stands on the group, and inside of it on the page.
        assert main.locator("summary[aria-current=true]").all_inner_texts() == [title]
        assert main.locator("[aria-current=page]").text_content() == name
    assert complaints == []
    page.context.close()


def test_one_group_is_open_at_a_time_and_folds_away(browser, live_server, complaints):
    page = visitor(browser, live_server, complaints, "ines.castro")
    summaries, opened = page.locator(".mainnav summary"), page.locator(".mainnav [open]")
    summaries.nth(0).click()
    assert violations(page) == []
    summaries.nth(1).click()
    assert [re.sub(r"\s.*", "", text) for text in opened.all_inner_texts()] == ["Settings"]
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert opened.count() == 0
    assert summaries.nth(1).evaluate("element => element === document.activeElement")
    summaries.nth(0).click()
    page.get_by_role("heading", level=1).click()
    assert opened.count() == 0
    assert complaints == []
    page.context.close()
