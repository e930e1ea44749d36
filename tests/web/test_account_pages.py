"""The pages of accounts: opened, given roles, closed, reviewed; one's own password; keys."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit import services
from audit.models import (
    ApiToken,
    Grant,
    Hand,
    JournalEntry,
    PasswordRecord,
    Review,
    Role,
    ShareLink,
    Visit,
)
from audit.selectors.access import EVERYTHING, access_of
from audit.services.sharing import create_share_link
from audit.services.staff import name_person
from tests.access import signed_in, trusted, with_roles
from tests.web.lines import BASE

PASSWORD = "correct horse battery"


@pytest.fixture
def boss(django_user_model: Any) -> Any:
    made = django_user_model.objects.create_user("may.ling", password=PASSWORD)
    return with_roles(made, Role.ADMINISTRATOR)


@pytest.fixture
def office(boss: Any) -> Client:
    """A browser in which an administrator is signed in."""
    return signed_in(boss)


@pytest.fixture
def amy(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("amy.ng", password=PASSWORD)


def did(act: str = "manage-accounts") -> list[dict[str, Any]]:
    rows = JournalEntry.objects.filter(act=act, account__isnull=False).order_by("id")
    return [row.detail for row in rows if "status" not in row.detail]


def problem_of(answer: Any) -> str:
    found = re.search(r'role="alert".*?<span>(.*?)</span>', answer.content.decode(), re.S)
    assert found is not None
    return found[1].strip()


# -- opening --------------------------------------------------------------------------------


def open_one(office: Client, **fields: str) -> Any:
    form = {"name": "kofi.mensah", "full_name": "Kofi Mensah", "title": "Night desk", **fields}
    return office.post("/accounts/new", form)


def test_an_account_begins_with_a_password_that_must_be_changed(office: Client) -> None:
    answer = open_one(office)
    assert answer.status_code == 200
    (password,) = re.findall(r"<code>([\w-]{16})</code>", answer.content.decode())

    browser = Client()
    browser.post("/login", {"username": "kofi.mensah", "password": password})
    assert browser.get("/rules/")["Location"] == "/account/password"
    form = {"old": password, "new": "a quiet harbour at dusk", "again": "a quiet harbour at dusk"}
    assert browser.post("/account/password", form)["Location"] == "/account/"
    assert browser.get("/account/").status_code == 200
    assert did() == [{"did": "opened", "name": "kofi.mensah"}]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "may.ling"}, "There is an account of this name already."),
        ({"name": "two words"}, "Enter a valid username"),
        ({"name": ""}, "This field cannot be blank."),
        ({"name": "ａｍｙ"}, "Write the name with plain letters."),
        ({"name": "x" * 151}, "at most 150 characters"),
        ({"full_name": "x" * 151}, "up to 150 characters"),
    ],
)
def test_a_name_that_is_none_is_refused(
    office: Client, fields: dict[str, str], sentence: str
) -> None:
    answer = open_one(office, **fields)
    assert answer.status_code == 400
    assert sentence in problem_of(answer)
    assert User.objects.count() == 1


# -- roles ----------------------------------------------------------------------------------


def page(account: Any) -> str:
    return f"/accounts/{account.pk}/"


def act(office: Client, account: Any, what: str, **fields: Any) -> Any:
    return office.post(f"/accounts/{account.pk}/act", {"act": what, **fields})


def test_a_role_is_given_and_taken_with_who_and_when(office: Client, boss: Any, amy: Any) -> None:
    assert act(office, amy, "grant", role="support", source="house").status_code == 302
    grant = Grant.objects.get(account=amy)
    assert (grant.role, grant.source, grant.granted_by_id) == ("support", "house", boss.pk)

    assert act(office, amy, "end", grant=grant.pk).status_code == 302
    grant.refresh_from_db()
    assert (grant.ended_by_id, grant.ended_at is not None) == (boss.pk, True)
    assert did() == [{"granted": "support"}, {"ended": "support"}]
    page = office.get(f"/accounts/{amy.pk}/").content.decode()
    assert page.count("<bdi>may.ling</bdi>") >= 2


@pytest.mark.parametrize(
    ("what", "fields", "sentence"),
    [
        ("grant", {"role": "king"}, "Choose a role."),
        ("grant", {"role": "support", "source": "x" * 129}, "1 to 128 characters"),
        ("end", {"grant": "999"}, "This grant has ended already, or there is none."),
        ("reopen", {}, "The account is open."),
        ("remove-second-step", {}, "The account has no second step."),
    ],
)
def test_what_cannot_be_done_is_said(
    office: Client, amy: Any, what: str, fields: dict[str, str], sentence: str
) -> None:
    answer = act(office, amy, what, **fields)
    assert answer.status_code == 400
    assert sentence in problem_of(answer)


def test_nobody_raises_or_closes_themselves(office: Client, boss: Any) -> None:
    assert act(office, boss, "grant", role="auditor").status_code == 400
    assert act(office, boss, "close").status_code == 400
    assert act(office, boss, "reset").status_code == 400
    assert list(Grant.objects.values_list("role", flat=True)) == ["administrator"]
    assert User.objects.get().is_active


def test_a_grant_of_another_account_is_not_ended_by_the_wrong_page(
    office: Client, boss: Any, amy: Any
) -> None:
    grant = Grant.objects.get(account=boss)
    assert act(office, amy, "end", grant=grant.pk).status_code == 400
    grant.refresh_from_db()
    assert grant.ended_at is None


def test_closing_ends_visits_and_keys_and_opening_again_starts_afresh(
    office: Client, boss: Any, amy: Any
) -> None:
    with_roles(amy, Role.AUDITOR)
    with_roles(amy, Role.SUPPORT, source="house")
    browser = signed_in(amy)
    token = services.create_token(name="mine", days=1, account="amy.ng").token
    assert "Its visits, roles and links end for good" in office.get(page(amy)).content.decode()
    assert act(office, amy, "close").status_code == 302

    assert browser.get("/hands/").status_code == 302
    assert services.use_token(token) is None
    assert Visit.objects.get(account=amy).ended_how == "closed"
    answer = act(office, amy, "reopen")
    (password,) = re.findall(r"<code>([\w-]{16})</code>", answer.content.decode())
    assert services.use_token(token) is None
    assert browser.get("/hands/").status_code == 302
    amy.refresh_from_db()
    assert (amy.is_active, amy.check_password(password)) == (True, True)
    assert amy.staff.closed_at is None
    assert access_of(amy).grants == frozenset()
    ended = Grant.objects.filter(account=amy, ended_by=boss).values_list("role", "source")
    assert sorted(ended) == [("auditor", None), ("support", "house")]
    rows = JournalEntry.objects.filter(subject=f"account:{amy.pk}", account=boss)
    assert [row.detail for row in rows.order_by("id") if "status" not in row.detail] == [
        {"ended": "auditor"},
        {"ended": "support"},
        {"did": "closed", "keys_ended": 1, "roles_ended": 2, "links_revoked": 0,
         "webhooks_paused": 0},
        {"did": "opened again"},
    ]  # fmt: skip


def test_a_closed_account_is_given_no_role(office: Client, amy: Any) -> None:
    """It would have it when it is opened again."""
    act(office, amy, "close")
    answer = act(office, amy, "grant", role="auditor")
    assert (answer.status_code, problem_of(answer)) == (
        400,
        "The account is closed: open it again first.",
    )
    assert not Grant.objects.filter(account=amy).exists()


def test_links_of_a_closed_account_stay_closed_when_it_is_opened_again(
    office: Client, boss: Any, amy: Any, store: Any
) -> None:
    store(*BASE)
    with_roles(amy, Role.SUPPORT)
    hand = Hand.objects.order_by("pk").values_list("pk", flat=True)[0]
    link = create_share_link(
        access=access_of(amy), hand=hand, viewpoint="public", hours=1, reason="player"
    )
    assert Client().get(f"/shared/{link.secret}/").status_code == 200
    act(office, amy, "close")
    assert Client().get(f"/shared/{link.secret}/").status_code == 404
    act(office, amy, "reopen")
    with_roles(amy, Role.SUPPORT)
    assert Client().get(f"/shared/{link.secret}/").status_code == 404
    assert ShareLink.objects.get().revoked_by == boss


def test_a_new_first_password_ends_the_old_one_and_its_visits(office: Client, amy: Any) -> None:
    browser = signed_in(amy)
    assert act(office, amy, "reset").status_code == 200
    assert browser.get("/account/").status_code == 302
    amy.refresh_from_db()
    assert not amy.check_password(PASSWORD)
    assert Visit.objects.get(account=amy).ended_how == "password"


def test_a_new_first_password_ends_the_keys_and_says_so_before(office: Client, amy: Any) -> None:
    """Whoever knew the old password may have made or read them."""
    mine = [services.create_token(name=name, days=1, account="amy.ng").token for name in "ab"]
    others = services.create_token(name="c", days=1, account="may.ling").token
    shown = office.get(page(amy)).content.decode()
    assert "2 keys of the API that act for the account end, too" in shown
    act(office, amy, "reset")
    assert [services.use_token(token) for token in mine] == [None, None]
    assert services.use_token(others) is not None
    assert did()[-1] == {"did": "password reset", "keys_ended": 2}
    assert "of the API that act" not in office.get(page(amy)).content.decode()


def test_signing_out_everywhere_ends_visits_and_keys(amy: Any, boss: Any) -> None:
    here, there = signed_in(amy), signed_in(amy)
    token = services.create_token(name="mine", days=1, account="amy.ng").token
    theirs = services.create_token(name="theirs", days=1, account="may.ling").token
    other = signed_in(boss)
    shown = here.get("/account/").content.decode()
    assert "1 key of the API that acts for the account ends, too" in shown
    answer = here.post("/account/sign-out-everywhere", follow=True)
    assert "You are signed out everywhere. 1 key has ended." in answer.content.decode()
    assert [one.get("/account/").status_code for one in (here, there, other)] == [302, 302, 200]
    assert services.use_token(token) is None
    assert services.use_token(theirs) is not None
    assert did("own-account") == [{"did": "signed out everywhere", "keys_ended": 1}]


@pytest.mark.parametrize("ends", [True, False])
def test_a_change_of_the_password_ends_keys_where_that_is_wanted(amy: Any, ends: bool) -> None:
    browser = signed_in(amy)
    token = services.create_token(name="mine", days=1, account="amy.ng").token
    assert "End the key of the API that acts for you" in (
        browser.get("/account/password").content.decode()
    )
    new = "a quite different one"
    form = {"old": PASSWORD, "new": new, "again": new} | ({"ends_keys": "1"} if ends else {})
    assert browser.post("/account/password", form).status_code == 302
    assert (services.use_token(token) is None) == ends


def test_an_auditor_reads_and_an_investigator_does_not(django_user_model: Any, amy: Any) -> None:
    auditor = signed_in(with_roles(django_user_model.objects.create_user("ada"), Role.AUDITOR))
    assert auditor.get("/accounts/").status_code == 200
    page = auditor.get(f"/accounts/{amy.pk}/").content.decode()
    assert "Change the account" not in page
    assert act(auditor, amy, "close").status_code == 403
    other = signed_in(with_roles(django_user_model.objects.create_user("ira"), Role.INVESTIGATOR))
    assert other.get("/accounts/").status_code == 403


def test_an_administrator_of_one_source_manages_no_accounts(
    django_user_model: Any, amy: Any
) -> None:
    user = django_user_model.objects.create_user("local")
    browser = signed_in(with_roles(user, Role.ADMINISTRATOR, source="house"))
    assert browser.get("/accounts/").status_code == 403
    assert act(browser, amy, "grant", role="auditor").status_code == 403


# -- the nine fields ------------------------------------------------------------------------


def test_s39_the_list_and_the_table_hold_the_nine_fields(
    office: Client, boss: Any, amy: Any
) -> None:
    act(office, amy, "name", full_name="Amy Ng", title="=Lead")
    act(office, amy, "grant", role="rules-author")
    signed_in(amy)
    text = office.get("/accounts/accounts.csv").content.decode("utf-8-sig")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    row = rows["amy.ng"]
    assert (row["full_name"], row["title"], row["id"]) == ("Amy Ng", "'=Lead", str(amy.pk))
    assert row["functions"] == "see-rules see-rulesets write-rulesets rehearse-rulesets"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["created_at"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["last_access_at"])
    assert row["last_access_from"] == "127.0.0.1"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["password_changed_at"])
    assert (row["disabled_at"], row["groups"], row["status"]) == ("", "rules-author @ *", "open")

    act(office, amy, "close")
    text = office.get("/accounts/accounts.csv").content.decode("utf-8-sig")
    row = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}["amy.ng"]
    assert (row["status"], row["functions"]) == ("closed", "")
    assert row["disabled_at"] != ""


@pytest.mark.parametrize("name", ["=1", "＝1", "\n=1", " +1", "@x", "2026-03-01", "TRUE"])
def test_no_name_in_the_table_is_taken_for_more_than_a_text(
    office: Client, amy: Any, name: str
) -> None:
    name_person(access=EVERYTHING, account_id=amy.pk, full_name=name, title="")
    text = office.get("/accounts/accounts.csv").content.decode("utf-8-sig")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert rows["amy.ng"]["full_name"] == f"'{name}"


def test_the_lists_ask_the_same_few_questions(
    office: Client, django_user_model: Any, django_assert_num_queries: Any
) -> None:
    office.get("/accounts/")
    with django_assert_num_queries(4 + 1 + 3):
        office.get("/accounts/")
    for number in range(3):
        with_roles(django_user_model.objects.create_user(f"u{number}"), Role.SUPPORT)
    with django_assert_num_queries(4 + 1 + 3):
        office.get("/accounts/")


# -- review ---------------------------------------------------------------------------------


def test_s37_a_review_says_who_when_and_what_stood_there(
    office: Client, boss: Any, amy: Any
) -> None:
    with_roles(amy, Role.AUDITOR, source="house")
    page = office.get("/accounts/review").content.decode()
    (last,) = re.findall(r'name="last" value="(\d+)"', page)
    answer = office.post("/accounts/review", {"last": last, "note": "All still needed."})
    assert answer.status_code == 302
    review = Review.objects.get()
    assert (review.kind, review.reviewed_by_id, review.note) == (
        "access", boss.pk, "All still needed.",
    )  # fmt: skip
    names = {one["name"]: one["grants"] for one in review.facts["accounts"]}
    assert [grant[1:3] for grant in names["amy.ng"]] == [["auditor", "house"]]
    assert review.facts["tied"] == []
    assert "All still needed." in office.get("/accounts/review").content.decode()


def test_a_review_of_what_has_changed_since_is_refused(office: Client, amy: Any) -> None:
    page = office.get("/accounts/review").content.decode()
    (last,) = re.findall(r'name="last" value="(\d+)"', page)
    with_roles(amy, Role.AUDITOR)
    answer = office.post("/accounts/review", {"last": last, "note": "fine"})
    assert answer.status_code == 400
    assert not Review.objects.exists()


def test_a_review_without_a_word_is_refused(office: Client) -> None:
    page = office.get("/accounts/review").content.decode()
    (last,) = re.findall(r'name="last" value="(\d+)"', page)
    assert office.post("/accounts/review", {"last": last, "note": "  "}).status_code == 400


# -- one's own password ---------------------------------------------------------------------


def change(browser: Client, new: str, old: str = PASSWORD, again: str | None = None) -> Any:
    form = {"old": old, "new": new, "again": new if again is None else again}
    return browser.post("/account/password", form)


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        ("short", "at least 12 characters"),
        ("12345678901234", "entirely numeric"),
        ("qwertyqwerty", "too common"),
        (PASSWORD, "differs from the last 5"),
    ],
)
def test_a_weak_password_is_refused(amy: Any, new: str, sentence: str) -> None:
    answer = change(signed_in(amy), new)
    assert answer.status_code == 400
    assert sentence in problem_of(answer)


def test_a_password_like_the_name_is_refused(django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("kofi.mensah.night", password=PASSWORD)
    answer = change(signed_in(user), "kofi.mensah.night1")
    assert "too similar to the username" in problem_of(answer)


def test_the_old_password_is_asked_for_and_the_new_one_twice(amy: Any) -> None:
    browser = signed_in(amy)
    assert change(browser, "a quiet harbour", old="wrong").status_code == 400
    assert change(browser, "a quiet harbour", again="a loud harbour").status_code == 400
    amy.refresh_from_db()
    assert amy.check_password(PASSWORD)


def test_the_last_five_are_not_chosen_again_and_no_more_are_kept(amy: Any) -> None:
    browser = signed_in(amy)
    words = [f"a quiet harbour {number}" for number in range(5)]
    for old, new in zip([PASSWORD, *words], words, strict=False):
        assert change(browser, new, old=old).status_code == 302
    assert PasswordRecord.objects.filter(account=amy).count() == 5
    for used in words:
        assert change(browser, used, old=words[-1]).status_code == 400
    assert change(browser, PASSWORD, old=words[-1]).status_code == 302


def test_another_visit_ends_when_the_password_is_changed(amy: Any) -> None:
    here, there = signed_in(amy), signed_in(amy)
    assert change(here, "a quiet harbour").status_code == 302
    assert here.get("/account/").status_code == 200
    assert there.get("/account/").status_code == 302
    assert sorted(Visit.objects.values_list("ended_how", flat=True)) == ["", "password"]


# -- keys -----------------------------------------------------------------------------------


def make_key(office: Client, **fields: Any) -> Any:
    form = {"name": "night feed", "account": "amy.ng", "days": "30", "acts": ["see-hands"]}
    return office.post("/accounts/keys/", {**form, **fields})


def test_a_key_is_shown_once_and_does_what_was_chosen(
    office: Client, boss: Any, amy: Any, store: Any
) -> None:
    store(*BASE)
    with_roles(amy, Role.INVESTIGATOR)
    answer = make_key(office)
    (token,) = re.findall(r"<code>(tc_[\w-]{43})</code>", answer.content.decode())
    assert token not in office.get("/accounts/keys/").content.decode()

    shown = {"Authorization": f"Bearer {token}"}
    key = ApiToken.objects.get()
    assert (key.acts, key.sources, key.created_by_id) == (["see-hands"], None, boss.pk)
    assert Client().get("/api/v1/hands/", headers=shown).status_code == 200
    assert Client().get("/api/v1/reaudits/", headers=shown).status_code == 403
    key.refresh_from_db()
    assert key.last_address == "127.0.0.1"
    row = JournalEntry.objects.filter(key=key.pk).latest("id")
    assert (row.actor, row.account_id) == ("amy.ng", amy.pk)

    office.post("/accounts/keys/revoke", {"name": "night feed"})
    assert Client().get("/api/v1/hands/", headers=shown).status_code == 401
    assert did("manage-keys") == [{"key_made": "night feed"}, {"key_ended": "night feed"}]


def test_a_key_never_does_more_than_its_account(office: Client, amy: Any, store: Any) -> None:
    store(*BASE)
    with_roles(amy, Role.INVESTIGATOR, source="house")
    answer = make_key(office, sources="house\nhall")
    (token,) = re.findall(r"<code>(tc_[\w-]{43})</code>", answer.content.decode())
    shown = {"Authorization": f"Bearer {token}"}
    assert Client().get("/api/v1/hands/", headers=shown).status_code == 200
    Grant.objects.get(account=amy)
    from audit.services.granting import end_grant  # noqa: PLC0415

    end_grant(access=EVERYTHING, grant_id=Grant.objects.get(account=amy).pk)
    assert Client().get("/api/v1/hands/", headers=shown).status_code == 403


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"acts": []}, "Choose what the key may be used for."),
        ({"acts": ["manage-accounts"]}, "Choose what the key may be used for."),
        ({"acts": ["reaudit"]}, "The account itself may not: Judge hands again."),
        ({"days": "0"}, "1 to 3650 days"),
        ({"days": "soon"}, "Say for how many days"),
        ({"account": "nobody"}, "Choose the account"),
        ({"name": ""}, "1 to 100 characters"),
    ],
)
def test_a_key_that_cannot_be_made_is_refused(
    office: Client, amy: Any, fields: dict[str, Any], sentence: str
) -> None:
    with_roles(amy, Role.SUPPORT)
    answer = make_key(office, **fields)
    assert answer.status_code == 400
    assert sentence in problem_of(answer)
    assert not ApiToken.objects.exists()


def test_wrong_keys_are_written_down_and_then_turned_away(db: Any, amy: Any) -> None:
    from audit.models import SignIn  # noqa: PLC0415

    with_roles(amy, Role.AUDITOR)
    good = services.create_token(name="mine", days=1, account="amy.ng").token

    def shown(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return Client().get("/api/v1/hands/", headers=headers).status_code

    assert [shown(f"tc_wrong{number}") for number in range(11)] == [401] * 10 + [429]
    assert shown(good) == 200
    rows = SignIn.objects.filter(way="key").order_by("id").values_list("name", "outcome", "address")
    assert rows[0] == ("tc_wrong0", "wrong", "127.0.0.1")
    assert len(rows) == 10


# -- the journal ----------------------------------------------------------------------------


@pytest.fixture
def watch(django_user_model: Any) -> Client:
    """A browser in which an auditor is signed in."""
    return signed_in(with_roles(django_user_model.objects.create_user("ada"), Role.AUDITOR))


def test_the_journal_tells_who_looked_at_which_hand(
    watch: Client, django_user_model: Any, store: Any
) -> None:
    store(*BASE)
    from audit.models import Hand  # noqa: PLC0415

    hand, other = Hand.objects.order_by("pk")[:2]
    browser = signed_in(trusted(django_user_model.objects.create_user("ines")))
    for one in (hand, other, hand):
        assert browser.get(f"/hands/{one.pk}/").status_code == 200
    browser.get("/hands/?player=Ann&verdict=void")

    page = watch.get(f"/journal/?hand={hand.pk}").content.decode()
    assert page.count(f"GET hand hand:{hand.pk}") == 2
    assert f"hand:{other.pk}" not in page
    page = watch.get("/journal/?player=Ann").content.decode()
    assert page.count("GET hands") == 1
    assert "player=Ann&amp;verdict=void" in page
    assert watch.get("/journal/?actor=nobody").content.decode().count("GET hand") == 0
    row = JournalEntry.objects.filter(hand=hand.pk).earliest("id")
    assert row.source == hand.source
    assert row.visit == Visit.objects.get(account__username="ines").pk


def test_who_sees_one_source_sees_its_part_of_the_journal(
    django_user_model: Any, store: Any
) -> None:
    store(*BASE)
    from audit.models import Hand  # noqa: PLC0415

    hand = Hand.objects.order_by("pk").first()
    assert hand is not None
    trusted_one = signed_in(trusted(django_user_model.objects.create_user("ines")))
    trusted_one.get(f"/hands/{hand.pk}/")
    make = django_user_model.objects.create_user
    here = signed_in(with_roles(make("here"), Role.AUDITOR, source=hand.source))
    there = signed_in(with_roles(make("there"), Role.AUDITOR, source="elsewhere"))
    assert f"GET hand hand:{hand.pk}" in here.get("/journal/").content.decode()
    assert f"GET hand hand:{hand.pk}" not in there.get("/journal/").content.decode()
    for address in ("/journal/visits/", "/journal/sign-ins/", "/journal/reviews/"):
        assert here.get(address).status_code == 404


@pytest.mark.parametrize(
    "query",
    ["act=nothing", "hand=x", "hand=99999999999999999999", "from=2026-02-30", "cursor=zz",
     "from=2026-03-02&to=2026-03-01", "to=9999-12-31", "actor=%00", "visit=-1"],
)  # fmt: skip
def test_a_damaged_query_is_told_in_a_sentence(watch: Client, query: str) -> None:
    answer = watch.get(f"/journal/?{query}")
    assert answer.status_code == 400
    assert re.match(r"[“A-Z]", problem_of(answer))


def test_the_journal_is_paged_by_key(watch: Client) -> None:
    for number in range(60):
        watch.get(f"/hands/?table=t{number}")
    first = watch.get("/journal/?act=see-hands").content.decode()
    (older,) = re.findall(r'href="(\?[^"]*cursor=[^"]*)" rel="next"', first)
    watch.get("/hands/")
    second = watch.get(f"/journal/{older.replace('&amp;', '&')}").content.decode()
    seen = [re.findall(r"table=t(\d+)", page) for page in (first, second)]
    assert [int(one) for part in seen for one in part] == list(reversed(range(60)))


def test_s41_a_visit_shows_its_length_its_address_and_what_was_done(
    watch: Client, amy: Any
) -> None:
    with_roles(amy, Role.SUPPORT)
    browser = signed_in(amy)
    browser.get("/hands/?table=T9")
    browser.post("/logout")
    visit = Visit.objects.get(account=amy)
    assert f'href="/journal/visits/{visit.pk}/"' in watch.get("/journal/visits/").content.decode()
    page = watch.get(f"/journal/visits/{visit.pk}/").content.decode()
    assert "table=T9" in page
    assert "127.0.0.1" in page
    assert "Signed out" in page
    assert re.search(r"<dd>0:00:0\d</dd>", page)


def test_s40_a_failed_attempt_is_on_the_page_at_once(watch: Client, amy: Any) -> None:
    attacker = Client(REMOTE_ADDR="198.51.100.4")
    attacker.post("/login", {"username": "amy.ng", "password": "guess"})
    page = watch.get("/journal/sign-ins/?outcome=wrong").content.decode()
    assert "198.51.100.4" in page
    assert "amy.ng" in page
    assert watch.get("/journal/sign-ins/?outcome=odd").status_code == 400


def test_s35_a_review_of_a_log_says_its_range(watch: Client) -> None:
    watch.get("/hands/")
    last = JournalEntry.objects.latest("id").pk
    form = {"kind": "journal", "first": "1", "last": str(last), "note": "Nothing odd."}
    assert watch.post("/journal/reviews/", form).status_code == 302
    review = Review.objects.get()
    assert (review.kind, review.first, review.last) == ("journal", 1, last)
    assert f"rows 1 to {last}" in watch.get("/journal/reviews/").content.decode()
    beyond = {**form, "last": str(last + 1000)}
    assert watch.post("/journal/reviews/", beyond).status_code == 400
    assert watch.post("/journal/reviews/", {**form, "first": "9", "last": "3"}).status_code == 400
