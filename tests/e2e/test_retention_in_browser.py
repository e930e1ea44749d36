"""The page about keeping and deleting in a real browser: light, dark, on a phone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from audit.models import RecordClass, TermUnit
from audit.selectors.access import access_of
from audit.services.retention import begin_run, continue_run, place_hold, set_term
from tests.access import trusted
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, changed, log
from tests.e2e.test_evidence import SIZES, sign_in

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]
SOURCE = "table-7"


@pytest.fixture
def kept(settings, tmp_path, ingest):  # noqa: F811
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    user = trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    access = access_of(user)
    ingest(log(*(changed(B, hand_id=f"h{number}", source=SOURCE) for number in range(3))))
    set_term(
        access=access, record_class=RecordClass.HANDS, source=SOURCE, count=7, unit=TermUnit.YEAR,
        reason="The licence of 2026 asks for seven years",
    )  # fmt: skip
    place_hold(access=access, source=SOURCE, hand_id="h1", reason="Dispute before the regulator")
    second = access_of(trusted(get_user_model().objects.create_user("tom.reyes")))
    run = begin_run(access=second, record_class=RecordClass.HANDS, source=SOURCE, reason="Yearly")
    continue_run(run_id=run)
    return run


def test_the_pages_fit_at_every_size(kept, page):
    sign_in(page)
    for name, size in SIZES.items():
        for scheme in ("light", "dark"):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            for place, address in (("page", "/retention/"), ("run", f"/retention/runs/{kept}/")):
                page.goto(address)
                assert page.get_by_role("heading", level=1).is_visible()
                overflow = (
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                assert page.evaluate(overflow) == 0
                if folder := os.environ.get("TILECOURT_SCREENSHOTS"):
                    file = Path(folder, f"retention-{place}-{name}-{scheme}.png")
                    page.screenshot(path=file, full_page=True)


def test_a_hold_is_placed_by_the_keyboard(kept, page):
    sign_in(page)
    page.goto("/retention/")
    page.locator("#h-source").fill(SOURCE)
    page.locator("#h-hand").fill("h2")
    page.locator("#h-reason").fill("Asked for by the court")
    page.keyboard.press("Enter")
    page.get_by_text("The hold stands.").wait_for()
    assert page.get_by_text("Asked for by the court").is_visible()
