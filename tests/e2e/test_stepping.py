"""A whole visit in a real browser: from the log-in to the way of a number."""

import json
import re

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect

from tests.access import trusted
from tests.web.lines import PAI_GOW, changed, planted, with_net

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def complaints(page):
    """What the browser complains of: errors, refused loads, breaches of the policy."""
    heard = []
    page.on("console", lambda message: heard.append(message.text)
            if message.type in ("error", "warning") else None)  # fmt: skip
    page.on("pageerror", lambda error: heard.append(str(error)))
    # Leaving a page gives up what was being fetched ahead: that is no complaint.
    page.on(
        "requestfailed",
        lambda request: (
            None
            if request.failure == "net::ERR_ABORTED"
            else heard.append(f"{request.url} {request.failure}")
        ),
    )
    page.on("response", lambda answer: heard.append(f"{answer.url} {answer.status}")
            if answer.status >= 400 else None)  # fmt: skip
    return heard


def sign_in(page):
    page.goto("/hands/")
    page.get_by_label("Name").fill("ines.castro")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hands/")


@pytest.fixture
def log(tmp_path):
    """A log with a refused play, a wrong figure, clean hands and a line that is no hand."""
    lines = [
        *(changed(PAI_GOW, hand_id=f"clean-{number}") for number in range(20)),
        changed(with_net(PAI_GOW, 1, "-99.00"), hand_id="wrong-net"),
        changed(planted("tien-gow", "follow-illegal"), hand_id="refused-follow"),
        b'{"format": "hand-log/1", "broken',
    ]
    path = tmp_path / "day.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture
def audited(celery_worker_process, page, log):
    """The log handed in by the page and audited by a real worker; the page shows the end."""
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    sign_in(page)
    page.get_by_role("link", name="Upload a log").first.click()
    page.set_input_files("input[type=file]", log)
    page.get_by_role("button", name="Upload and audit").click()
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    page.locator("[data-ended]").wait_for()
    return page


def stopping_step(log):
    """The step at which the replay of the refused play stops, by the golden vector's own event."""
    from tests.web.lines import GOLDEN  # noqa: PLC0415

    verdicts = (GOLDEN / "tien-gow" / "planted.verdicts.ndjson").read_bytes().splitlines()
    firsts = [json.loads(verdict)["findings"][0] for verdict in verdicts]
    return next(one["event"] for one in firsts if one["code"] == "follow-illegal") + 1


def region(page):
    return int(page.locator("[data-number]").get_attribute("data-number"))


def press(page, key, number):
    """Press a key and wait until the region shows the step that it leads to."""
    page.keyboard.press(key)
    page.locator(f'[data-number="{number}"]').wait_for()


def test_from_the_login_to_the_way_of_a_number(audited, complaints, log):
    page = audited
    shown = {
        kind: page.locator(f".count-{kind} dd").inner_text()
        for kind in ("discrepant", "clean", "void", "rejected")
    }
    assert shown == {"discrepant": "2", "clean": "20", "void": "0", "rejected": "1"}
    assert page.locator("progress").evaluate("bar => bar.value") == 100
    assert page.locator(".refusal-head b").all_inner_texts() == ["Line 23"]

    # The flagged hand of a refused play: with the keyboard from the start to the finding.
    page.locator(".count-discrepant a").click()
    page.get_by_role("link", name="refused-follow").click()
    page.locator("[data-stepper][data-ready]").wait_for()
    stop = stopping_step(log)
    assert region(page) == stop
    press(page, "Home", 0)
    for number in range(1, 4):
        press(page, "ArrowRight", number)
    press(page, "ArrowLeft", 2)
    press(page, "f", stop)
    assert page.url.endswith(f"/steps/{stop}/")
    assert page.locator(".finding h2").first.inner_text().startswith("A follow that the rules")
    assert page.locator(".refused .tile").count() >= 1
    spoken = page.locator("[data-announce]").inner_text()
    assert spoken.startswith(f"Step {stop} of ")
    assert "Finding: A follow that the rules refuse." in spoken
    page.go_back()
    page.locator('[data-number="2"]').wait_for()

    # The hand with a wrong figure: its way.
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Hands").click()
    page.get_by_role("link", name="wrong-net").click()
    page.locator("[data-stepper][data-ready]").wait_for()
    number = page.locator('a[data-way][href="#why-seat-1-net"]')
    row = page.locator("#why-seat-1-net")
    expect(row).to_be_visible()  # the first wrong figure stands open
    page.locator('a[data-way][href="#why-seat-3-rake"]').click()
    expect(page.locator("#why-seat-3-rake")).to_be_visible()
    expect(row).to_be_hidden()
    number.click()
    expect(row).to_be_visible()
    expect(number).to_have_attribute("aria-current", "true")
    assert "-100.00" in row.inner_text().replace("−", "-")
    assert row.locator(".rule").count() >= 1
    assert complaints == []


def test_progress_moves_without_loading_the_page_again(
    worker_keeper, page, complaints, tmp_path, settings
):
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    settings.TILECOURT_CHUNK_LINES_MAX = 250
    path = tmp_path / "night.ndjson"
    path.write_bytes(
        b"".join(changed(PAI_GOW, hand_id=f"hand-{number}") + b"\n" for number in range(3_000))
    )
    sign_in(page)
    page.goto("/uploads/")
    page.set_input_files("input[type=file]", path)
    page.get_by_role("button", name="Upload and audit").click()
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    # What a loading of the page would wipe out: a list of the values that the bar has had.
    page.evaluate("""() => {
        const bar = () => document.querySelector("progress").value;
        window.seen = [bar()];
        new MutationObserver(() => window.seen.push(bar())).observe(
            document.querySelector("[data-progress]"), { childList: true });
    }""")
    # Not before: the worker could be done by the time that somebody looks.
    worker_keeper.running()
    page.locator("[data-ended]").wait_for()
    seen = page.evaluate("window.seen")
    assert seen[0] < 100
    assert seen[-1] == 100
    assert seen == sorted(seen)
    assert page.locator(".count-clean dd").inner_text() == "3000"
    assert complaints == []


def test_stepping_keeps_the_focus_and_ends_at_the_ends(audited, complaints):
    page = audited
    page.goto("/hands/?q=clean-3")
    page.get_by_role("link", name="clean-3").first.click()
    page.locator("[data-stepper][data-ready]").wait_for()
    last = region(page)
    page.locator('[data-goal="previous"]').click()
    page.locator(f'[data-number="{last - 1}"]').wait_for()
    assert page.evaluate("document.activeElement.dataset.key") == "previous"
    press(page, "End", last)
    assert page.locator('[data-key="next"]').get_attribute("aria-disabled") == "true"
    page.keyboard.press("ArrowRight")
    press(page, "[", region_head(page))
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#keys").is_visible()
    # Keys rest while a field has the focus: here they move the slider.
    page.locator("#step").focus()
    page.keyboard.press("Home")
    page.locator('[data-number="0"]').wait_for()
    assert page.evaluate("document.activeElement.id") == "step"
    assert complaints == []


def region_head(page):
    """The step to which the button for the previous part leads."""
    return int(page.locator('[data-goal="previous-part"]').get_attribute("href").split("/")[-2])


def test_a_phone_shows_everything_without_scrolling_sideways(audited, complaints):
    page = audited
    page.set_viewport_size(PHONE)
    for address in ("/hands/", "/uploads/", page.url, "/rules/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], address
    for name in ("refused-follow", "wrong-net"):
        page.goto(f"/hands/?q={name}")
        page.get_by_role("link", name=name).click()
        page.locator("[data-stepper][data-ready]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name
        before = region(page)
        page.locator('[data-goal="previous"]').click()
        page.locator(f'[data-number="{before - 1}"]').wait_for()
    assert complaints == []


def test_without_script_each_step_is_a_page(audited, browser, live_server):
    state = audited.context.storage_state()
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, storage_state=state
    )
    page = context.new_page()
    page.goto("/hands/?q=refused-follow")
    page.get_by_role("link", name="refused-follow").click()
    stop = region(page)
    page.get_by_role("link", name="First step").click()
    assert region(page) == 0
    page.get_by_role("link", name="Next step").click()
    assert (region(page), page.url.split("/")[-2]) == (1, "1")
    page.get_by_role("link", name="Next finding").click()
    assert region(page) == stop
    page.locator("#step").fill("3")
    page.get_by_role("button", name="Go").click()
    assert region(page) == 3
    # Ways open by their fragment.
    page.goto("/hands/?q=wrong-net")
    page.get_by_role("link", name="wrong-net").click()
    page.locator('a[href="#why-seat-2-gross"]').click()
    expect(page.locator("#why-seat-2-gross")).to_be_visible()
    context.close()
