"""Coming in: wrong tries, the second step, time-outs, and what is written down of all that."""

from __future__ import annotations

import base64
import re
import time
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_otp.oath import totp

from audit.models import RecoveryCode, Role, SecondStep, SignIn, Visit
from audit.selectors.access import EVERYTHING
from audit.services.granting import end_grant
from audit.services.staff import close_account, open_account
from audit.tasks.access import end_visits
from tests.access import signed_in, trusted, with_roles

PASSWORD = "correct horse battery"


@pytest.fixture
def ines(django_user_model: Any) -> Any:
    return trusted(django_user_model.objects.create_user("ines.castro", password=PASSWORD))


def sign_in(client: Client, password: str = PASSWORD, name: str = "ines.castro") -> Any:
    return client.post("/login", {"username": name, "password": password})


def attempts() -> list[tuple[str, str, str]]:
    return list(SignIn.objects.order_by("id").values_list("name", "way", "outcome"))


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


# -- wrong tries ----------------------------------------------------------------------------


def test_every_attempt_is_written_down_with_its_address(client: Client, ines: Any) -> None:
    sign_in(client, "wrong")
    sign_in(client, name="nobody")
    sign_in(client)

    assert attempts() == [
        ("ines.castro", "password", "wrong"),
        ("nobody", "password", "wrong"),
        ("ines.castro", "password", "good"),
    ]
    rows = SignIn.objects.order_by("id").values_list("account_id", "address", "visit")
    assert list(rows) == [
        (ines.pk, "127.0.0.1", None),
        (None, "127.0.0.1", None),
        (ines.pk, "127.0.0.1", Visit.objects.get().pk),
    ]


def test_the_third_wrong_try_locks_the_name_from_everywhere(client: Client, ines: Any) -> None:
    statuses = [sign_in(client, "wrong").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]

    elsewhere = Client(REMOTE_ADDR="198.51.100.4")
    assert sign_in(elsewhere).status_code == 429
    assert attempts()[-1] == ("ines.castro", "password", "locked")
    assert not is_in(elsewhere)


def test_a_name_without_an_account_is_locked_the_same_way(client: Client, ines: Any) -> None:
    known = [sign_in(client, "wrong") for _ in range(4)]
    unknown = [sign_in(client, "wrong", name="nobody") for _ in range(4)]

    def told(answers: list[Any], name: str) -> list[tuple[int, str]]:
        return [
            (one.status_code, re.sub(r'value="[^"]*"', "", one.content.decode()).replace(name, ""))
            for one in answers
        ]

    assert told(known, "ines.castro") == told(unknown, "nobody")


def kept_by_the_locks() -> str:
    """Everything that stands in the tables of the library that counts wrong tries."""
    told = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith("axes_"):
                cursor.execute(f'SELECT t::text FROM "{table}" t')
                told += [row for (row,) in cursor.fetchall()]
    return "\n".join(told)


def test_what_was_asked_and_typed_is_kept_by_nobody(client: Client, ines: Any) -> None:
    """Neither where somebody wanted to go, nor what was nearly a password or a code."""
    browser, wanted = signed_in(ines), "/hands/?player=Ling"
    for _ in range(2):
        form = {"username": "ines.castro", "password": "wrong-one", "next": wanted}
        client.post(f"/login?next={quote(wanted)}", form)
    new = "a new and quite secret one"
    browser.post("/account/password", {"old": "wrong-one", "new": new, "again": new})

    kept = kept_by_the_locks()
    assert "ines.castro" in kept
    assert [word for word in ("Ling", "player", "wrong-one", "secret") if word in kept] == []
    assert sign_in(client).status_code == 429


def test_a_closed_account_is_told_nothing_else(client: Client, ines: Any) -> None:
    ines.is_active = False
    ines.save()

    answer = sign_in(client)

    assert answer.status_code == 200
    assert "Name and password do not match." in answer.content.decode()
    assert attempts() == [("ines.castro", "password", "closed")]


def test_two_wrong_tries_and_a_right_one_begin_anew(client: Client, ines: Any) -> None:
    for _ in range(2):
        sign_in(client, "wrong")
        sign_in(client, "wrong")
        assert sign_in(client).status_code == 302
        client.post("/logout")


def test_the_database_keeps_the_log_as_it_is(client: Client, ines: Any) -> None:
    from django.db import Error, connection, transaction  # noqa: PLC0415

    sign_in(client, "wrong")
    for statement in ("UPDATE audit_signin SET outcome = 'good'", "DELETE FROM audit_signin"):
        with (
            pytest.raises(Error, match="never changed"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


# -- the second step ------------------------------------------------------------------------


def secret_of(client: Client) -> bytes:
    html = client.get("/account/second-step").content.decode()
    (text,) = re.findall(r"<code>([A-Z2-7]{32})</code>", html)
    return base64.b32decode(text)


def code_now(secret: bytes, steps: int = 1) -> str:
    """A code that is taken now. The one of the next half minute is so for longest: the last one's
    may be too old by the time that it arrives."""
    return f"{totp(secret, t0=-30 * steps):06}"


@pytest.fixture
def enrolled(ines: Any) -> tuple[bytes, list[str]]:
    """The secret and the recovery codes of a second step that was set up on the page."""
    browser = signed_in(ines)
    secret = secret_of(browser)
    answer = browser.post("/account/second-step", {"code": code_now(secret, 0)})
    codes = re.findall(r"<li><code>([a-z2-7-]{19})</code>", answer.content.decode())
    assert len(codes) == 10
    return secret, codes


def test_the_secret_and_the_codes_are_kept_as_nobody_can_read_them(
    enrolled: tuple[bytes, list[str]],
) -> None:
    secret, codes = enrolled
    kept = bytes(SecondStep.objects.get().secret)
    assert secret not in kept
    assert base64.b32encode(secret) not in kept
    stored = [bytes(one) for one in RecoveryCode.objects.values_list("sha256", flat=True)]
    assert {len(one) for one in stored} == {32}
    assert not any(code.replace("-", "").encode() in stored for code in codes)


def test_signing_in_takes_both_steps(client: Client, enrolled: tuple[bytes, list[str]]) -> None:
    answer = sign_in(client)
    assert (answer.status_code, answer["Location"]) == (302, "/login/code")
    assert not is_in(client)

    answer = client.post("/login/code", {"code": code_now(enrolled[0])})

    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert is_in(client)
    assert attempts()[-2:] == [("ines.castro", "password", "half"), ("ines.castro", "code", "good")]


def test_a_code_is_good_once(client: Client, enrolled: tuple[bytes, list[str]]) -> None:
    code = code_now(enrolled[0])
    sign_in(client)
    client.post("/login/code", {"code": code})

    other = Client()
    sign_in(other)
    assert other.post("/login/code", {"code": code}).status_code == 400
    assert not is_in(other)


def test_a_recovery_code_is_good_once(client: Client, enrolled: tuple[bytes, list[str]]) -> None:
    code = enrolled[1][3]
    sign_in(client)
    assert client.post("/login/code", {"code": code.upper()}).status_code == 302
    assert is_in(client)

    other = Client()
    sign_in(other)
    assert other.post("/login/code", {"code": code}).status_code == 400
    assert attempts()[-1] == ("ines.castro", "recovery", "wrong")


def test_wrong_codes_lock_as_wrong_passwords_do(
    client: Client, enrolled: tuple[bytes, list[str]]
) -> None:
    sign_in(client)
    good = code_now(enrolled[0])
    wrong = "000000" if good != "000000" else "000001"
    statuses = [client.post("/login/code", {"code": wrong}).status_code for _ in range(3)]
    assert statuses == [400, 400, 429]
    assert client.post("/login/code", {"code": good}).status_code == 429
    assert not is_in(client)
    assert sign_in(Client()).status_code == 429


def test_the_second_step_alone_is_nothing(
    client: Client, enrolled: tuple[bytes, list[str]], monkeypatch: Any
) -> None:
    code = code_now(enrolled[0])
    answer = client.post("/login/code", {"code": code})
    assert (answer.status_code, answer["Location"]) == (302, "/login")

    sign_in(client)
    late = time.time() + 301
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: late)
        assert client.get("/login/code")["Location"] == "/login"
    assert not is_in(client)


def test_between_the_steps_a_closed_account_gets_no_further(
    client: Client, ines: Any, enrolled: tuple[bytes, list[str]]
) -> None:
    sign_in(client)
    ines.is_active = False
    ines.save()
    answer = client.post("/login/code", {"code": code_now(enrolled[0])})
    assert answer["Location"] == "/login"


def test_a_role_can_require_the_second_step(ines: Any, settings: Any) -> None:
    settings.TILECOURT_SECOND_STEP_ROLES = ["administrator"]
    browser = signed_in(ines)

    answer = browser.get("/hands/")
    assert (answer.status_code, answer["Location"]) == (302, "/account/second-step")
    assert browser.get("/api/v1/uploads/1/").status_code == 403
    assert "Your role requires it" in browser.get("/account/second-step").content.decode()

    code = code_now(secret_of(browser))
    browser.post("/account/second-step", {"code": code})
    assert browser.get("/hands/").status_code == 200


def test_who_must_have_a_second_step_cannot_be_found_out_by_others(
    django_user_model: Any, settings: Any
) -> None:
    settings.TILECOURT_SECOND_STEP_ROLES = ["administrator"]
    made = django_user_model.objects.create_user("amy.ng", password=PASSWORD)
    assert signed_in(with_roles(made, Role.AUDITOR)).get("/hands/").status_code == 200


def test_the_picture_is_an_address_of_ours_until_it_is_confirmed(ines: Any) -> None:
    browser = signed_in(ines)
    html = browser.get("/account/second-step").content.decode()
    assert '<img src="/account/second-step/picture.svg"' in html
    picture = browser.get("/account/second-step/picture.svg")
    assert picture["Content-Type"] == "image/svg+xml"
    assert b"<svg" in picture.content
    assert b"style" not in picture.content
    assert b"script" not in picture.content

    browser.post("/account/second-step", {"code": code_now(secret_of(browser))})
    assert browser.get("/account/second-step/picture.svg").status_code == 404


def test_the_second_step_goes_only_by_a_code_of_it(
    ines: Any, enrolled: tuple[bytes, list[str]]
) -> None:
    browser = signed_in(ines)
    browser.post("/account/second-step/remove", {"code": "123"})
    assert SecondStep.objects.exists()
    browser.post("/account/second-step/remove", {"code": code_now(enrolled[0])})
    assert not SecondStep.objects.exists()
    assert not RecoveryCode.objects.exists()


@pytest.mark.parametrize(
    ("address", "wrong", "way"),
    [
        ("/account/second-step/remove", {"code": "000000"}, "code"),
        ("/account/second-step/codes", {"code": "000000"}, "code"),
        ("/account/password", {"old": "guess", "new": "x" * 20, "again": "x" * 20}, "password"),
    ],
)
def test_whoever_sits_down_at_an_open_browser_cannot_try_on(
    ines: Any, enrolled: tuple[bytes, list[str]], address: str, wrong: dict[str, str], way: str
) -> None:
    """The pages of one's own account count as signing in does: no million codes are tried there."""
    browser = signed_in(ines)
    statuses = [browser.post(address, wrong).status_code for _ in range(5)]
    assert 429 not in statuses[:2]
    assert statuses[2:] == [429] * 3
    assert [one[1:] for one in attempts()[-5:]] == [(way, "wrong")] * 3 + [(way, "locked")] * 2
    right = code_now(enrolled[0])
    assert browser.post("/account/second-step/remove", {"code": right}).status_code == 429
    assert SecondStep.objects.filter(account=ines).exists()
    assert check_password(PASSWORD, User.objects.get(pk=ines.pk).password)


def test_new_recovery_codes_end_the_old_ones(
    client: Client, ines: Any, enrolled: tuple[bytes, list[str]]
) -> None:
    browser = signed_in(ines)
    answer = browser.post("/account/second-step/codes", {"code": code_now(enrolled[0])})
    fresh = re.findall(r"<li><code>([a-z2-7-]{19})</code>", answer.content.decode())
    assert len(fresh) == 10
    sign_in(client)
    assert client.post("/login/code", {"code": enrolled[1][0]}).status_code == 400
    assert client.post("/login/code", {"code": fresh[0]}).status_code == 302


# -- visits ---------------------------------------------------------------------------------


def test_a_visit_lasts_from_signing_in_to_signing_out(client: Client, ines: Any) -> None:
    sign_in(client)
    visit = Visit.objects.get()
    assert (visit.account_id, visit.address, visit.ended_at) == (ines.pk, "127.0.0.1", None)
    client.post("/logout")
    visit.refresh_from_db()
    assert visit.ended_how == "signed-out"
    assert visit.ended_at is not None


def later(monkeypatch: Any, **how_long: float) -> None:
    then = timezone.now() + timedelta(**how_long)
    monkeypatch.setattr(timezone, "now", lambda: then)


def test_an_idle_visit_ends(client: Client, ines: Any, monkeypatch: Any) -> None:
    sign_in(client)
    later(monkeypatch, minutes=29)
    assert is_in(client)
    later(monkeypatch, minutes=29)
    assert is_in(client)
    later(monkeypatch, minutes=30)
    answer = client.get("/hands/")
    assert (answer.status_code, answer["Location"]) == (302, "/login?next=/hands/")
    visit = Visit.objects.get()
    assert visit.ended_how == "idle"
    assert visit.ended_at is not None
    assert visit.ended_at - visit.seen_at == timedelta(minutes=30)


def test_a_visit_ends_after_twelve_hours_however_busy(
    client: Client, ines: Any, monkeypatch: Any, settings: Any
) -> None:
    settings.TILECOURT_IDLE_MINUTES = 10_000
    sign_in(client)
    begun = timezone.now()
    with monkeypatch.context() as patch:
        later(patch, hours=11, minutes=59)
        assert is_in(client)
    with monkeypatch.context() as patch:
        later(patch, hours=12)
        assert not is_in(client)
    visit = Visit.objects.get()
    assert visit.ended_how == "age"
    assert visit.ended_at is not None
    assert abs(visit.ended_at - begun - timedelta(hours=12)) < timedelta(minutes=1)


def test_a_visit_that_nobody_came_back_to_is_ended(
    client: Client, ines: Any, monkeypatch: Any
) -> None:
    sign_in(client)
    end_visits()
    assert Visit.objects.get().ended_at is None
    later(monkeypatch, minutes=31)
    end_visits()
    visit = Visit.objects.get()
    assert visit.ended_how == "idle"
    assert visit.ended_at == visit.seen_at + timedelta(minutes=30)


def test_the_times_are_settings(client: Client, ines: Any, monkeypatch: Any, settings: Any) -> None:
    settings.TILECOURT_IDLE_MINUTES = 5
    sign_in(client)
    later(monkeypatch, minutes=5)
    assert not is_in(client)


def test_closing_an_account_acts_at_its_next_request(client: Client, ines: Any) -> None:
    sign_in(client)
    assert is_in(client)
    boss = open_account(access=EVERYTHING, name="boss", full_name="May Ling")
    from django.contrib.auth.models import User  # noqa: PLC0415

    with_roles(User.objects.get(username=boss.name), Role.ADMINISTRATOR)
    close_account(access=EVERYTHING, account_id=ines.pk)
    assert not is_in(client)
    assert Visit.objects.get().ended_how == "closed"


def test_taking_a_role_away_acts_at_the_next_request(django_user_model: Any) -> None:
    user = with_roles(django_user_model.objects.create_user("amy.ng"), Role.AUDITOR)
    browser = signed_in(user)
    assert browser.get("/hands/").status_code == 200
    end_grant(access=EVERYTHING, grant_id=user.grants.get().pk)
    answer = browser.get("/hands/")
    assert answer.status_code == 403
    assert "Ask an administrator for a role that may." in answer.content.decode()


def test_without_a_role_every_page_says_whom_to_ask(django_user_model: Any) -> None:
    browser = signed_in(django_user_model.objects.create_user("amy.ng"))
    for address in ("/", "/overview/", "/hands/", "/hands/1/", "/desk/", "/rules/", "/accounts/"):
        answer = browser.get(address)
        assert answer.status_code == 403, address
        assert "Ask an administrator for a role" in answer.content.decode()
    assert browser.get("/account/").status_code == 200


@pytest.mark.parametrize(
    ("role", "home"),
    [
        (Role.SUPPORT, "/overview/"),
        (Role.AUDITOR, "/overview/"),
        (Role.RULES_AUTHOR, "/rules/"),
        (Role.ADMINISTRATOR, "/uploads/"),
    ],
)
def test_each_is_led_to_a_page_that_they_may_open(
    django_user_model: Any, role: Role, home: str
) -> None:
    browser = signed_in(with_roles(django_user_model.objects.create_user("amy.ng"), role))
    assert browser.get("/")["Location"] == home
    assert browser.get(home).status_code == 200


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_put(
    client: Client, ines: Any, settings: Any
) -> None:
    def tried(forwarded: str) -> str | None:
        form = {"username": "ines.castro", "password": "wrong"}
        client.post("/login", form, headers={"X-Forwarded-For": forwarded})
        return SignIn.objects.latest("id").address

    assert tried("203.0.113.9") == "127.0.0.1"
    settings.TILECOURT_BEHIND_PROXY = True
    assert tried("203.0.113.9, 198.51.100.7") == "198.51.100.7"
    assert tried("nonsense") is None
