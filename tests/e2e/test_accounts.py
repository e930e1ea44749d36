"""Accounts, signing in by two steps and the journal in a browser: by keyboard, on a phone, by
axe."""

from __future__ import annotations

import base64

import pytest
from django.contrib.auth.models import User
from django_otp.oath import totp
from playwright.sync_api import expect

from audit import services
from audit.models import ApiToken, Role, Visit
from audit.selectors.access import EVERYTHING, Act, access_of
from audit.services.granting import grant_role
from audit.services.staff import close_account, open_account
from tests.access import trusted, with_roles
from tests.audit.rulesets import publish
from tests.e2e.test_completeness import take_in, violations
from tests.e2e.test_stepping import PHONE, complaints
from tests.web.lines import PAI_GOW, changed

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.django_db(transaction=True)]

__all__ = ["complaints"]
PASSWORD = "correct horse battery"
NEW = "a quiet harbour at dusk"


def come_in(page, name, password):
    page.goto("/login")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


@pytest.fixture
def people(transactional_db):
    """An administrator who may do everything else too, and others to look at."""
    take_in(b"\n".join(changed(PAI_GOW, hand_id=f"h{number}") for number in range(3)))
    boss = trusted(User.objects.create_user("may.ling", password=PASSWORD))
    amy = User.objects.create_user("amy.ng", password=PASSWORD)
    with_roles(amy, Role.SUPPORT, Role.INVESTIGATOR, source="a house with a rather long name")
    with_roles(amy, Role.AUDITOR)
    closed = User.objects.create_user("gone.away", password=PASSWORD)
    grant_role(access=EVERYTHING, account_id=closed.pk, role=Role.RULES_AUTHOR)
    close_account(access=access_of(boss), account_id=closed.pk)
    open_account(access=access_of(boss), name="pia.prueft", full_name="Pia Prüft")
    pia = with_roles(User.objects.get(username="pia.prueft"), Role.RULES_APPROVER)
    publish(access_of(boss), access_of(pia))
    services.create_token(name="night feed", days=30, account="amy.ng", acts=[Act.UPLOAD])
    return boss, amy


def test_from_a_first_password_to_the_second_step(people, page, browser, live_server, complaints):
    come_in(page, "may.ling", PASSWORD)
    page.goto("/accounts/")
    page.get_by_role("link", name="Open an account").click()
    page.get_by_label("Name for signing in").fill("kofi.mensah")
    page.get_by_label("Person").fill("Kofi Mensah")
    page.get_by_role("button", name="Open", exact=True).press("Enter")
    first = page.locator(".secret code").inner_text()
    kofi = User.objects.get(username="kofi.mensah")
    page.goto(f"/accounts/{kofi.pk}/")
    page.get_by_label("Auditor").check()
    page.get_by_role("button", name="Give", exact=True).press("Enter")
    page.locator(".notice").wait_for()

    context = browser.new_context(base_url=live_server.url)
    theirs = context.new_page()
    come_in(theirs, "kofi.mensah", first)
    theirs.get_by_label("Present password").fill(first)
    theirs.get_by_label("New password", exact=True).fill(NEW)
    theirs.get_by_label("New password again").fill(NEW)
    theirs.get_by_role("button", name="Change").press("Enter")
    theirs.wait_for_url("**/account/")
    theirs.get_by_role("link", name="Second step").click()
    secret = base64.b32decode(theirs.locator(".secret code").inner_text())
    # The picture is drawn, under the site's strict policy.
    theirs.wait_for_load_state("load")
    assert theirs.evaluate("document.querySelector('.qr img').naturalWidth") > 100
    theirs.get_by_label("The code that it shows now").fill(f"{totp(secret):06}")
    theirs.get_by_role("button", name="Put it in force").press("Enter")
    expect(theirs.locator(".codes code")).to_have_count(10)
    recovery = theirs.locator(".codes code").first.inner_text()
    theirs.get_by_role("button", name="Sign out").click()
    come_in(theirs, "kofi.mensah", NEW)
    theirs.wait_for_url("**/login/code")
    theirs.get_by_label("Code").fill(recovery)
    theirs.get_by_role("button", name="Sign in").press("Enter")
    theirs.wait_for_url("**/overview/")
    # Some areas are folded away.
    links = theirs.locator(".mainnav a").all_text_contents()
    assert "Journal" in links
    assert "Rules" in links
    context.close()
    assert complaints == []


def addresses():
    visit = Visit.objects.earliest("id").pk
    amy = User.objects.get(username="amy.ng").pk
    return [
        "/account/", "/account/password", "/account/second-step", "/accounts/", "/accounts/new",
        f"/accounts/{amy}/", "/accounts/review", "/accounts/keys/", "/journal/",
        "/journal/visits/", f"/journal/visits/{visit}/", "/journal/sign-ins/", "/journal/reviews/",
    ]  # fmt: skip


def test_on_a_phone_nothing_is_wider_than_the_page(people, page, complaints):
    come_in(page, "may.ling", PASSWORD)
    page.set_viewport_size(PHONE)
    for address in addresses():
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], address
    assert complaints == []


def test_on_a_phone_the_review_is_read_without_scrolling_sideways(people, page, complaints):
    """Neither the page nor a table on it, with everything there that it can show."""
    come_in(page, "may.ling", PASSWORD)
    page.goto("/accounts/review")
    page.get_by_label("What the review found").fill("All of them are needed still.")
    page.get_by_role("button", name="Reviewed").click()
    page.locator(".notice").wait_for()
    page.set_viewport_size(PHONE)
    page.goto("/accounts/review")
    assert "may.ling had the account of pia.prueft in hand" in page.inner_text("main")
    wide = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(one => one.scrollWidth > one.clientWidth"
        " && 'auto scroll'.includes(getComputedStyle(one).overflowX)).map(one => one.outerHTML)"
    )
    assert wide == []
    assert page.locator("main table").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert complaints == []


def test_what_ends_is_said_before_it_is_done(people, page, complaints):
    """By keyboard: the first press opens what is asked, the second does it."""
    _, amy = people
    come_in(page, "may.ling", PASSWORD)
    page.goto(f"/accounts/{amy.pk}/")
    page.locator("summary", has_text="Give a new first password").press("Enter")
    said = page.get_by_text("The old password and the visits that go on end at once.")
    assert "1 key of the API that acts for the account ends, too" in said.inner_text()
    page.get_by_role("button", name="Yes, give a new one").press("Enter")
    page.locator(".secret code").wait_for()
    assert not ApiToken.objects.filter(account=amy, revoked_at=None).exists()
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(people, page, complaints, scheme):
    come_in(page, "nobody", "a guess that is wrong")
    come_in(page, "may.ling", PASSWORD)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(PHONE)
    found = {}
    for address in addresses():
        page.goto(address)
        found[address] = violations(page)
    assert found == {address: [] for address in addresses()}
    assert complaints == []
