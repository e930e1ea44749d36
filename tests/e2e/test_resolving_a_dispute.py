"""A dispute from the claim to the exported remedy: by keyboard, on a phone, without script."""

import io
import re

import pytest
from django.contrib.auth import get_user_model

from audit import services
from audit.models import Case, CaseAct, Chunk, Claim, Remedy
from audit.services import desk
from tests.access import trusted
from tests.audit.desk.wrong import without_rake, wrong
from tests.conftest import PATIENCE_MS

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def complaints():
    """What the browsers complain of."""
    return []


@pytest.fixture
def cases(transactional_db):
    """A case of three hands and one of two."""
    lines = [*(wrong(f"net-{n}", seat=0, net="9.00") for n in range(3)),
             *(without_rake(f"rake-{n}") for n in range(2))]  # fmt: skip
    data = b"".join(line + b"\n" for line in lines)
    received = services.receive_upload(name="day.ndjson", stream=io.BytesIO(data))
    for chunk in Chunk.objects.filter(upload_id=received.upload_id):
        services.judge_chunk(chunk_id=chunk.pk)
    assert desk.gather_cases().is_done
    return list(Case.objects.order_by("pk"))


def visitor(browser, live_server, complaints, name, **options):
    """A page of somebody who is signed in."""
    trusted(get_user_model().objects.create_user(name, password="correct horse"))
    context = browser.new_context(base_url=live_server.url, **options)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text)
            if message.type in ("error", "warning") else None)  # fmt: skip
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/desk/")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill("correct horse")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Desk", exact=True).wait_for()
    return page


def tab_to(page, target, limit=200):
    """Press Tab until the target has the focus; a keyboard alone must come there."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} cannot be reached by keyboard")


def press_on(page, target, key="Enter"):
    tab_to(page, target)
    page.keyboard.press(key)


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def resolve_by_keyboard(page, cases):
    """Enter a claim, take its case, comment, decide, propose: nothing but keys."""
    press_on(page, page.get_by_role("link", name="Enter a claim"))
    page.wait_for_url("**/claims/new/")
    assert fits(page)
    tab_to(page, page.get_by_label("Player", exact=True))
    page.keyboard.type("Ann")
    tab_to(page, page.get_by_label("Source", exact=True))
    page.keyboard.type("odd")
    tab_to(page, page.get_by_label("Hands", exact=True))
    page.keyboard.type("net-1")
    # The parts of a date field depend on the language of the browser.
    page.get_by_label("Said on", exact=True).fill("2025-03-01T12:00:00")
    tab_to(page, page.get_by_label("What the player says", exact=True))
    page.keyboard.type("I was paid 50 cents too little")
    tab_to(page, page.get_by_label("Amount, if the player names one"))
    page.keyboard.type("0.50")
    press_on(page, page.get_by_role("button", name="Enter the claim"))
    page.wait_for_url(re.compile(r"/desk/claims/\d+/$"))
    assert fits(page)
    press_on(page, page.get_by_role("link", name=f"C-{cases[0].pk}"))
    page.wait_for_url(f"**/desk/cases/{cases[0].pk}/")
    assert fits(page)
    press_on(page, page.get_by_role("button", name="Take this case"))
    page.get_by_text("Yours until").wait_for()
    press_on(page, page.locator("summary", has_text="Comment"))
    tab_to(page, page.get_by_label("Comment", exact=True))
    page.keyboard.type("the net was typed by hand")
    press_on(page, page.get_by_role("button", name="Comment"))
    page.get_by_text("The comment is in the history.").wait_for()
    tab_to(page, page.get_by_label("Operator error"))
    page.keyboard.press("ArrowDown")  # within the decisions: the player is right
    assert page.get_by_label("Player right").is_checked()
    tab_to(page, page.locator("#why"))
    page.keyboard.type("the room paid 50 cents short")
    press_on(page, page.get_by_role("button", name="Decide"))
    page.get_by_text("The case is decided.").wait_for()
    tab_to(page, page.locator("#why"))
    page.keyboard.type("pay what is owed")
    press_on(page, page.get_by_role("button", name="Propose remedies"))
    page.get_by_text("is proposed; a second person approves it").wait_for()
    press_on(page, page.get_by_role("link", name=re.compile(r"^R-\d+$")).first)
    page.wait_for_url(re.compile(r"/desk/remedies/\d+/$"))
    assert page.get_by_role("button", name="Approve").count() == 0
    assert fits(page)


def approve_by_keyboard(page):
    """The second person approves and exports."""
    press_on(page, page.get_by_role("link", name="Remedies", exact=True))
    page.wait_for_url("**/desk/remedies/")
    press_on(page, page.get_by_role("link", name=re.compile(r"^R-\d+$")))
    page.wait_for_url(re.compile(r"/desk/remedies/\d+/$"))
    press_on(page, page.get_by_role("button", name="Approve"))
    page.get_by_text("The remedy is approved.").wait_for()
    press_on(page, page.get_by_role("button", name="Export"))
    page.locator(".notice", has_text="Exported as X-").wait_for()
    with page.expect_download() as download:
        press_on(page, page.get_by_role("link", name="CSV"))
    assert "Ann,CNY,1.50" in download.value.path().read_text()


@pytest.mark.parametrize("is_scripted", [True, False], ids=["with script", "without script"])
def test_a_dispute_is_resolved_by_keyboard_on_a_phone(
    browser, live_server, complaints, cases, is_scripted
):
    options = {"java_script_enabled": is_scripted, "viewport": PHONE, "accept_downloads": True}
    ines = visitor(browser, live_server, complaints, "ines.castro", **options)
    tom = visitor(browser, live_server, complaints, "tom.reyes", **options)
    resolve_by_keyboard(ines, cases)
    approve_by_keyboard(tom)
    letter = f"/desk/claims/{Claim.objects.get().pk}/letter/"
    for language in ("", "?lang=zh-hant", "?lang=zh-hans"):
        ines.goto(letter + language)
        assert fits(ines)
        assert ines.locator(".letter").inner_text().count("CNY 0.50") == 1
        assert ines.locator(".letter").inner_text().count("CNY 1.50") == 1
    kinds = [act.kind for act in CaseAct.objects.filter(case=cases[0]).order_by("number")]
    assert kinds == ["opened", "joined", "claimed", "taken", "commented", "decided", "proposed",
                     "approved", "exported"]  # fmt: skip
    assert Remedy.objects.get().state == "exported"
    assert complaints == []
    for page in (ines, tom):
        page.context.close()


def test_several_cases_are_decided_and_undone_by_keyboard(browser, live_server, complaints, cases):
    page = visitor(browser, live_server, complaints, "ines.castro", java_script_enabled=False)
    page.goto("/desk/queue/")
    for case in cases:
        press_on(page, page.get_by_label(f"Choose C-{case.pk}"), "Space")
    press_on(page, page.get_by_role("button", name="Act on the chosen cases"))
    page.get_by_role("heading", name="2 cases chosen").wait_for()
    tab_to(page, page.get_by_label("Assign", exact=True))
    page.keyboard.press("ArrowDown")
    tab_to(page, page.get_by_label("Decision", exact=True))
    page.keyboard.press("l")  # by its first letter: the log's fault
    tab_to(page, page.locator("#reason"))
    page.keyboard.type("a test table")
    press_on(page, page.get_by_role("button", name="Do it for 2 cases"))
    page.get_by_text("Done for 2 cases.").wait_for()
    assert set(Case.objects.values_list("state", "decision")) == {("decided", "log")}
    tab_to(page, page.locator("#reason"))
    page.keyboard.type("no test")
    done = page.url
    press_on(page, page.get_by_role("button", name="Undo for 2 cases"))
    # The page that one leaves says the same.
    page.wait_for_url(lambda url: url != done)
    page.get_by_text("Done for 2 cases.").wait_for()
    assert set(Case.objects.values_list("state", "decision")) == {("open", "")}
    assert complaints == []
    page.context.close()
