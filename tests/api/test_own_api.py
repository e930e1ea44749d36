"""The own keys, the journal for auditors, and how many requests a minute are answered."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from audit import services
from audit.api import throttling
from audit.models import ApiToken, Hand, JournalEntry, Role
from audit.selectors.access import Act
from tests.access import with_roles
from tests.api.conftest import Send
from tests.web.lines import PAI_GOW

KEYS, JOURNAL = "/api/v1/keys/", "/api/v1/journal/"


def with_key(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_own_keys_are_listed_without_themselves(ask: Send, token: str) -> None:
    services.create_token(name="spare", days=1, account="feed", acts=[], sources=["odd"])
    answer = ask(KEYS)
    spare, shown = answer.json()["keys"]
    assert (shown["name"], shown["is_this"], shown["acts"]) == ("night feed", True, None)
    assert (spare["name"], spare["is_this"], spare["sources"]) == ("spare", False, ["odd"])
    assert token.encode() not in answer.content
    assert token.startswith(shown["prefix"])


def test_a_key_is_ended_and_refused_from_then_on(ask: Send, token: str) -> None:
    spare = services.create_token(name="spare", days=1, account="feed").token
    pk = ApiToken.objects.get(name="spare").pk
    assert Client().get(KEYS, headers=with_key(spare)).status_code == 200
    answer = Client().delete(f"{KEYS}{pk}/", headers=with_key(token))
    assert answer.status_code == 200
    assert answer.json()["revoked_at"] is not None
    refused = Client().get(KEYS, headers=with_key(spare))
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert refused.json()["error"]["code"] == "authentication-failed"
    again = Client().delete(f"{KEYS}{pk}/", headers=with_key(token))
    assert again.json() == answer.json()
    # What was ended is there no more, one by one and in the list.
    assert ask(f"{KEYS}{pk}/").status_code == 404
    assert [one["name"] for one in ask(KEYS).json()["keys"]] == ["night feed"]


def test_the_key_of_another_account_is_not_there(
    ask: Send, token: str, django_user_model: Any
) -> None:
    django_user_model.objects.create_user("other")
    services.create_token(name="theirs", days=1, account="other")
    pk = ApiToken.objects.get(name="theirs").pk
    assert ask(f"{KEYS}{pk}/").status_code == 404
    assert Client().delete(f"{KEYS}{pk}/", headers=with_key(token)).status_code == 404
    assert ApiToken.objects.get(pk=pk).revoked_at is None


def test_the_journal_tells_who_looked_at_what(stored: Any, ask: Send) -> None:
    stored(PAI_GOW)
    hand = Hand.objects.get()
    ask(f"/api/v1/hands/{hand.pk}/")
    ask("/api/v1/hands/?player=Ann&verdict=clean")
    ask("/api/v1/exports/hands.csv?player=Ann")
    told = ask(f"{JOURNAL}?act=see-hands").json()["entries"]
    assert [(one["actor"], one["subject"], one["hand"], one["player"]) for one in told] == [
        ("feed", "GET api-hands", None, "Ann"),
        ("feed", f"GET api-hand hand:{hand.pk}", str(hand.pk), None),
    ]
    assert told[0]["detail"]["asked"] == {"player": ["Ann"], "verdict": ["clean"]}
    assert all(one["key"] is not None for one in told)
    exported = ask(f"{JOURNAL}?act=export").json()["entries"]
    assert [one["subject"] for one in exported] == ["GET api-export report:hands"]
    (of_hand,) = ask(f"{JOURNAL}?hand={hand.pk}").json()["entries"]
    assert of_hand["id"] == told[1]["id"]


def test_the_journal_grows_while_it_is_walked(ask: Send) -> None:
    """Each page that is read is a row of it, and none is told twice."""
    for _ in range(12):
        ask("/api/v1/hands/")
    ids: list[str] = []
    cursor = ""
    for _ in range(4):
        told = ask(f"{JOURNAL}?limit=3&cursor={cursor}").json()
        ids += [one["id"] for one in told["entries"]]
        cursor = told["next"] or ""
    assert len(ids) == len(set(ids)) == 12


def test_the_journal_is_for_auditors(db: Any, django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("sue")
    with_roles(user, Role.SUPPORT, Role.INVESTIGATOR, Role.ADMINISTRATOR)
    key = services.create_token(name="sue", days=1, account="sue").token
    answer = Client().get(JOURNAL, headers=with_key(key))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission-denied")
    with_roles(user, Role.AUDITOR)
    assert Client().get(JOURNAL, headers=with_key(key)).status_code == 200


@pytest.mark.parametrize("place", ["act", "hand", "from", "visit"])
def test_a_filter_of_the_journal_that_is_none_is_told(ask: Send, place: str) -> None:
    error = ask(f"{JOURNAL}?{place}=x").json()["error"]
    assert (error["code"], error["place"]) == ("bad-query", place)


# -- how many a minute ------------------------------------------------------------------------


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock of the throttle that the test turns on."""

    class Clock:
        now = 1_800_000_015.0

        def time(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(throttling, "time", clock)
    cache.clear()
    return clock


def test_a_key_has_so_many_requests_a_minute(ask: Send, minute: Any, settings: Any) -> None:
    settings.TILECOURT_API_KEY_PER_MINUTE = 3
    assert [ask(KEYS).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = ask(KEYS)
    assert refused["Retry-After"] == "45"
    assert refused.json() == {
        "error": {
            "code": "throttled",
            "message": "Too many requests in this minute: come again after it.",
            "place": None,
        }
    }
    other = services.create_token(name="spare", days=1, account="feed").token
    assert Client().get(KEYS, headers=with_key(other)).status_code == 200
    minute.now += 45
    assert ask(KEYS).status_code == 200


def test_an_account_has_so_many_with_all_its_keys(
    ask: Send, minute: Any, settings: Any, django_user_model: Any
) -> None:
    settings.TILECOURT_API_ACCOUNT_PER_MINUTE = 3
    other = services.create_token(name="spare", days=1, account="feed").token
    for _ in range(2):
        assert ask(KEYS).status_code == 200
    assert Client().get(KEYS, headers=with_key(other)).status_code == 200
    assert Client().get(KEYS, headers=with_key(other)).status_code == 429
    assert ask(KEYS).status_code == 429
    django_user_model.objects.create_user("third")
    third = services.create_token(name="third", days=1, account="third").token
    assert Client().get(KEYS, headers=with_key(third)).status_code == 200


def test_a_request_too_many_does_nothing_and_is_not_journalled(
    stored: Any, ask: Send, token: str, minute: Any, settings: Any
) -> None:
    settings.TILECOURT_API_KEY_PER_MINUTE = 0
    before = JournalEntry.objects.count()
    assert ask("/api/v1/hands/").status_code == 429
    assert JournalEntry.objects.count() == before


def test_where_nobody_counts_nobody_is_held_up(
    ask: Send, minute: Any, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The broker's Valkey may be away: what the API protects stands in the store."""
    settings.TILECOURT_API_KEY_PER_MINUTE = 0
    settings.CACHES = {
        "default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/valkey.sock"}
    }
    assert ask(KEYS).status_code == 200
    assert "api_not_counted" in [record.message for record in caplog.records]


def test_a_narrowed_key_reads_the_description_and_hears_what_is_not_there(token: str) -> None:
    narrow = services.create_token(
        name="narrow", days=1, account="feed", acts=[Act.UPLOAD], sources=["odd"]
    ).token
    client = Client()
    assert client.get("/api/schema/", headers=with_key(narrow)).status_code == 200
    assert client.get("/api/v1/nothing/", headers=with_key(narrow)).status_code == 404
    assert client.get(KEYS, headers=with_key(narrow)).status_code == 403
    services.revoke_token(name="narrow")
    for address in ("/api/schema/", "/api/v1/nothing/"):
        assert client.get(address, headers=with_key(narrow)).status_code == 401
