"""A ruleset's life in a real browser: handed in, rehearsed, published by a second person."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Hand, Role
from audit.selectors.access import Access
from audit.services.rulesets_force import put_in_force
from tests.access import trusted
from tests.audit.logs import B, changed
from tests.audit.reauditing import many
from tests.audit.rulesets import NAMED, OTHER, access_for, add, publish, revision
from tests.e2e.test_reaudits_in_browser import PHONE, hindrances, is_wide, shot, stored
from tests.e2e.test_stepping import complaints, sign_in  # noqa: F401 - the first is a fixture

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

SOURCE = json.loads(B)["source"]


@pytest.fixture
def author(transactional_db: Any) -> Access:
    return access_for(get_user_model(), "wen.autor", Role.RULES_AUTHOR)


@pytest.fixture
def signed_in(page: Any, transactional_db: Any) -> Any:
    """Somebody with every role, to whom each form is shown."""
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    stored(*many(6), changed(B, hand_id="late", ruleset=OTHER))
    sign_in(page)
    return page


def work(page: Any) -> None:
    job = int(page.url.rstrip("/").rpartition("/")[2])
    for _ in range(4):
        services.work_on_reaudit(reaudit_id=job)


def test_from_a_file_to_published(
    signed_in: Any,
    author: Access,
    tmp_path: Path,
    complaints: list[str],  # noqa: F811
) -> None:
    page = signed_in
    page.goto("/rules/")
    page.get_by_role("link", name="Rulesets").click()
    page.get_by_role("heading", name="Rulesets", level=1).wait_for()
    shot(page, "rulesets-list")
    page.get_by_role("main").get_by_role("link", name="Hand one in").first.click()
    wrong, right = tmp_path / "wrong.toml", tmp_path / "right.toml"
    wrong.write_bytes(revision(3, rake_rate="0.06", high9='"lax"'))
    right.write_bytes(revision(3, rake_rate='"0.06"', tie_rule='"push"'))
    page.get_by_label("File").set_input_files(right)
    page.get_by_role("button", name="Check it only").click()
    page.get_by_text("Nothing is wrong with it.").wait_for()
    shot(page, "rulesets-checked")
    page.get_by_label("File").set_input_files(right)
    page.get_by_label("Reason").fill("Rake of 6 % from March on")
    page.get_by_role("button", name="Hand it in as a draft").click()
    page.get_by_text("You wrote it, so somebody else publishes it.").wait_for()
    assert complaints == []
    page.goto("/rules/rulesets/new")
    page.get_by_label("File").set_input_files(wrong)
    page.get_by_role("button", name="Check it only").click()
    page.get_by_role("heading", name="What is wrong").wait_for()
    shot(page, "rulesets-wrong")
    assert hindrances(page) == []
    complaints.clear()  # the browser notes the 400
    add(author, revision(rake_rate='"0.06"', tie_rule='"push"'))
    page.goto("/rules/rulesets/")
    page.get_by_role("list").get_by_role("link", name=OTHER).click()
    shot(page, "rulesets-draft")
    page.get_by_label("Reason").first.fill("What would it cost")
    page.get_by_role("button", name="Rehearse it").click()
    page.wait_for_url(re.compile(r"/rehearsals/\d+/$"))
    work(page)
    page.locator("[data-ended]").wait_for()
    page.get_by_role("heading", name="Verdicts before and after").wait_for()
    shot(page, "rulesets-rehearsal")
    assert not is_wide(page)
    page.get_by_role("navigation", name="Place").get_by_role("link", name=OTHER).click()
    form = page.locator("form", has=page.get_by_role("button", name="Publish it"))
    form.get_by_label("Reason").fill("Agreed by the house")
    form.get_by_role("button", name="Publish it").click()
    page.get_by_text(f"{OTHER} is published.").wait_for()
    page.get_by_role("button", name="Judge what waits").wait_for()
    shot(page, "rulesets-published")
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(
    signed_in: Any,
    author: Access,
    scheme: str,
    complaints: list[str],  # noqa: F811
) -> None:
    page = signed_in
    approver = access_for(get_user_model(), "pia.prueft", Role.RULES_APPROVER)
    publish(author, approver, revision(rake_rate='"0.06"'))
    add(author, revision(3, rake_rate='"0.07"'))
    for ruleset, month in ((NAMED, 1), (OTHER, 2)):
        put_in_force(
            access=approver, source=SOURCE, ruleset=ruleset, reason="agreed with the house",
            effective_at=datetime(2025, month, 1, tzinfo=UTC),
        )  # fmt: skip
    hand = Hand.objects.order_by("pk").first()
    assert hand is not None
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=scheme)
    page.goto("/rules/rulesets/")
    drafts = page.get_by_role("list").get_by_role("link", name="@3")
    draft = drafts.get_attribute("href")
    for address, name in (
        ("/rules/rulesets/", "list"),
        ("/rules/rulesets/new", "new"),
        ("/rules/rulesets/in-force", "force"),
        (draft, "draft"),
        (f"/sources/{SOURCE}/", "source"),
        (f"/hands/{hand.pk}/", "hand"),
    ):
        page.goto(address)
        page.get_by_role("heading", level=1).wait_for()
        shot(page, f"rulesets-phone-{name}-{scheme}")
        assert not is_wide(page), address
        assert hindrances(page) == [], address
    assert complaints == []
