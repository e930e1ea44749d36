"""A re-audit in a real browser: from the hands to what changed, on a phone and without script."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Chunk
from audit.selectors.rulesets import forget_rulesets
from tests.access import trusted
from tests.audit.logs import BASE_LINES, B, changed, log, with_net
from tests.audit.reauditing import (
    OTHER,
    engine,
    know,
    many,
    reaudited,
    without_rake,
    write_revision,
)
from tests.e2e.test_stepping import complaints, sign_in  # noqa: F401 - the first is a fixture

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
SHOTS = os.environ.get("TILECOURT_SHOTS")


@pytest.fixture
def audited(page: Any, settings: Any, tmp_path: Path) -> Iterator[Any]:
    """Hands of an engine that got one wrong, a line that waits for its ruleset, a signed-in
    auditor."""
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    stored(
        *BASE_LINES[1:5],
        *many(6),
        with_net(changed(B, hand_id="wrong"), 1, "-99.00"),
        changed(B, hand_id="late", ruleset=OTHER),
    )
    with engine("0.9.0", without_rake):
        stored(changed(B, hand_id="read-wrongly", table="T9"))
    write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    sign_in(page)
    yield page
    forget_rulesets()


def stored(*lines: bytes) -> None:
    services.receive_upload(name="day.ndjson", stream=io.BytesIO(log(*lines)))
    for chunk in Chunk.objects.exclude(state="done"):
        services.judge_chunk(chunk_id=chunk.pk)


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def is_wide(page: Any) -> bool:
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


def test_from_the_form_to_both_judgements(
    audited: Any,
    complaints: list[str],  # noqa: F811
) -> None:
    page = audited
    page.locator(".mainnav summary", has_text="Checks").click()
    page.get_by_role("link", name="Re-audits").click()
    page.get_by_role("link", name="New re-audit").click()
    page.get_by_label("Reason").fill("Rake of 6 % from March on")
    page.get_by_label("Judge under").select_option(OTHER)
    page.get_by_role("button", name="Count the hands").click()
    page.get_by_text("8 hands would be judged again.").wait_for()
    shot(page, "reaudit-new")
    page.get_by_role("button", name="Start the re-audit").click()
    page.wait_for_url(re.compile(r"/reaudits/\d+/$"))
    shot(page, "reaudit-gathering")
    job = int(page.url.rstrip("/").rpartition("/")[2])
    for _ in range(4):
        services.work_on_reaudit(reaudit_id=job)
    page.locator("[data-ended]").wait_for()
    page.get_by_role("heading", name="Verdicts before and after").wait_for()
    shot(page, "reaudit-report")
    assert not is_wide(page)
    page.locator("table").first.get_by_role("link").first.click()
    page.get_by_role("heading", name="Hands judged otherwise").wait_for()
    shot(page, "reaudit-changes")
    page.locator("tbody").get_by_role("link").first.click()
    page.get_by_role("heading", name="before and after").wait_for()
    shot(page, "reaudit-change")
    assert page.locator(".row-diff").count() > 0
    assert complaints == []


def hindrances(page: Any) -> list[str]:
    """What axe finds."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{violation['id']}: {node['html']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_became_current_on_a_phone(
    audited: Any,
    scheme: str,
    complaints: list[str],  # noqa: F811
) -> None:
    page = audited
    job = reaudited(refused_lines="waiting", reason="Reader mended, @2 arrived").pk
    reaudited(ruleset=OTHER, reason="What if the rake were 6 % for everybody")
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=scheme)
    for address, name in (
        ("/reaudits/", "list"),
        ("/reaudits/new", "new"),
        (f"/reaudits/{job}/", "report"),
        (f"/reaudits/{job}/hands/", "changes"),
        (f"/reaudits/{job + 1}/", "rehearsal"),
    ):
        page.goto(address)
        page.get_by_role("heading", level=1).wait_for()
        shot(page, f"reaudit-phone-{name}-{scheme}")
        assert not is_wide(page), address
        assert hindrances(page) == [], address
    page.goto(f"/reaudits/{job}/hands/")
    page.locator("tbody").get_by_role("link").first.click()
    page.get_by_role("heading", name="read-wrongly before and after").wait_for()
    shot(page, f"reaudit-phone-change-{scheme}")
    assert not is_wide(page)
    assert hindrances(page) == []
    assert complaints == []


def test_without_script(browser: Any, live_server: Any, audited: Any) -> None:
    cookies = audited.context.cookies()
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto("/reaudits/new")
    page.get_by_label("Reason").fill("without script")
    page.get_by_role("button", name="Start the re-audit").click()
    page.get_by_text("Gathering: 0 found so far.").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Stop").wait_for()
    for _ in range(4):
        services.work_on_reaudit(reaudit_id=int(page.url.rstrip("/").rpartition("/")[2]))
    page.get_by_role("link", name="Refresh").click()
    page.get_by_text("Done: 12 judged again").wait_for()
    context.close()
