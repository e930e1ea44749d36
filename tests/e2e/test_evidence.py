"""The page of the log in a real browser: light, dark, on a phone; and a bundle by its link."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from audit.models import CheckOccasion, Hand
from audit.services import self_check
from audit.services.sealing import seal
from replay.evidence import verify_bundle
from tests.access import trusted
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, changed, log

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture
def sealed(settings, tmp_path, monkeypatch, ingest):  # noqa: F811
    """Some heads, a look at the software that was good and one that was not."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    for number in range(3):
        ingest(log(changed(B, hand_id=f"h{number}")))
        seal()
    self_check.check_software(occasion=CheckOccasion.START, process="web")
    items = self_check.take_inventory()
    with monkeypatch.context() as patch:
        patch.setattr(self_check, "take_inventory", lambda: {**items, "code replay/audit.py": "ab"})
        self_check.check_software(occasion=CheckOccasion.DAILY, process="worker")


def sign_in(page):
    page.goto("/hands/")
    page.get_by_label("Name").fill("ines.castro")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hands/")


def test_the_log_is_shown_at_every_size(sealed, page):
    sign_in(page)
    for name, size in SIZES.items():
        for scheme in ("light", "dark"):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            page.goto("/evidence/")
            page.get_by_text("1 differs").click()
            assert page.get_by_text("expected").first.is_visible()
            overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(overflow) == 0
            if folder := os.environ.get("TILECOURT_SCREENSHOTS"):
                page.screenshot(path=Path(folder, f"evidence-{name}-{scheme}.png"), full_page=True)


def test_a_bundle_is_downloaded_by_its_link(sealed, page, tmp_path):
    sign_in(page)
    page.goto(f"/hands/{Hand.objects.earliest('id').pk}/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Bundle").click()
    path = tmp_path / "bundle.zip"
    download.value.save_as(path)
    assert verify_bundle(path.read_bytes()).is_accepted
    if folder := os.environ.get("TILECOURT_SCREENSHOTS"):
        with zipfile.ZipFile(path) as archive:
            report = tmp_path / "report.html"
            report.write_bytes(archive.read("report.html"))
        page.goto(report.as_uri())
        page.screenshot(path=Path(folder, "report.png"), full_page=True)
