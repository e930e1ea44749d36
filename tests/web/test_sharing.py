"""Links by which somebody without an account sees one hand as one viewer did (SVC-60, SVC-61)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.test import Client
from django.utils import timezone

from audit.models import Grant, Hand, JournalEntry, Role, ShareLink
from audit.selectors.access import access_of
from audit.services import sharing
from tests.web.lines import PAI_GOW, TIEN_GOW, WENZHOU

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def giver(auditor):
    """Give the access of an account that may hand out links everywhere."""
    Grant.objects.get_or_create(account=auditor, role=Role.INVESTIGATOR, source=None, ended_at=None)
    return access_of(auditor)


@pytest.fixture
def made(store, giver):
    """Store a line and make a link to its hand; gives the link, and its path."""

    def run(line=TIEN_GOW, viewpoint="seat-1", hours=24):
        store(line)
        hand = Hand.objects.latest("pk").pk
        link = sharing.create_share_link(
            access=giver, hand=hand, viewpoint=viewpoint, hours=hours, reason="Claim 7"
        )
        return link, f"/shared/{link.secret}/"

    return run


@pytest.fixture
def stranger():
    """Give a browser in which nobody is signed in."""
    return Client()


def text_of(answer, status=200):
    """A page without what is new each time: the token of its form, and its own address."""
    assert answer.status_code == status
    html = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", answer.content.decode())
    return re.sub(r'name="next" value="[^"]*"', "", html)


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW], ids=["pg", "tg"])
def test_a_link_shows_each_step_as_its_viewer_saw_it(site, stranger, made, line):
    _, path = made(line)
    hand = Hand.objects.latest("pk").pk
    region = {"X-Tilecourt-Region": "1"}
    for number in (0, 3, 9):
        own = text_of(stranger.get(f"{path}steps/{number}/", headers=region))
        seen = text_of(site.get(f"/hands/{hand}/steps/{number}/?as=seat-1", headers=region))
        assert boards(own) == boards(seen)
        assert boards(own), number


def boards(html):
    """What is drawn and said of a step: its tiles, and its sentences."""
    return re.findall(r"#t\d\d\"|#back\"|data-sentence=\"[^\"]*\"", html)


def test_nothing_else_of_the_site_is_reached_from_its_pages(stranger, made):
    _, path = made(TIEN_GOW)
    last = 0
    for number in range(60):
        answer = stranger.get(f"{path}steps/{number}/")
        if answer.status_code == 404:
            break
        last = number
        for url in re.findall(r"(?:href|action)=\"([^\"]*)\"", text_of(answer)):
            # The mark of the house leads to the page of signing in, a rule to the rulebook.
            is_own = url == "/" or url.startswith(
                (path, "/static/", "#", "?rows=", "/language", "/rules/#")
            )
            assert is_own, (number, url)
    assert last > 10


@pytest.mark.parametrize(
    "query", ["?seat=3", "?viewer=auditor", "?as=auditor", "?as=seat-3", "?as=seat-0&as=public"]
)
def test_svc_60_nothing_beside_a_link_changes_who_looks(stranger, made, query):
    _, path = made()
    plain = stranger.get(f"{path}steps/9/")
    assert text_of(stranger.get(f"{path}steps/9/{query}")) == text_of(plain)


def test_a_signed_in_browser_sees_what_the_link_shows_and_no_more(site, stranger, made):
    _, path = made()
    assert boards(text_of(site.get(f"{path}steps/9/"))) == boards(
        text_of(stranger.get(f"{path}steps/9/"))
    )
    assert "mainnav" not in text_of(site.get(path))


def test_svc_61_a_link_that_is_taken_back_opens_nothing_at_once(stranger, made, giver):
    link, path = made()
    addresses = [
        path,
        f"{path}steps/4/",
        f"{path}steps/?to=next-part&from=4",
        f"{path}steps/?step=2",
    ]
    assert [stranger.get(url).status_code for url in addresses] == [200, 200, 302, 302]
    sharing.revoke_share_link(access=giver, link=link.pk)
    region = {"X-Tilecourt-Region": "1"}
    assert [stranger.get(url).status_code for url in addresses] == [404] * 4
    assert [stranger.get(url, headers=region).status_code for url in addresses] == [404] * 4


def test_svc_61_a_link_ends_at_its_second(stranger, made, monkeypatch):
    _, path = made()
    monkeypatch.setattr(timezone, "now", lambda: NOON - timedelta(hours=1))
    hand = Hand.objects.latest("pk").pk
    row = ShareLink.objects.get()
    link = sharing.create_share_link(
        access=access_of(row.created_by), hand=hand, viewpoint="public", hours=1, reason="One hour"
    )
    assert link.expires_at == NOON
    path = f"/shared/{link.secret}/"
    monkeypatch.setattr(timezone, "now", lambda: NOON - timedelta(seconds=1))
    assert stranger.get(path).status_code == 200
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    assert stranger.get(path).status_code == 404


def test_svc_61_each_link_has_a_secret_of_its_own_and_the_store_has_none(made, giver):
    first, _ = made()
    hand = Hand.objects.latest("pk").pk
    second = sharing.create_share_link(
        access=giver, hand=hand, viewpoint="seat-1", hours=24, reason="Claim 7"
    )
    assert first.secret != second.secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(l)::text FROM audit_sharelink l")
        kept = " ".join(row for (row,) in cursor.fetchall())
    assert first.secret not in kept
    assert second.secret not in kept


def test_a_link_stops_with_the_account_that_made_it(stranger, made, auditor):
    _, path = made()
    assert stranger.get(path).status_code == 200
    auditor.is_active = False
    auditor.save()
    assert stranger.get(path).status_code == 404


def test_a_link_stops_when_its_maker_may_share_the_hand_no_more(stranger, made, auditor):
    """As with a key of the API: it never does more than its account may at that moment."""
    _, path = made()
    source = Hand.objects.latest("pk").source
    Grant.objects.filter(account=auditor).update(ended_at=timezone.now())
    Grant.objects.create(account=auditor, role=Role.SUPPORT, source="elsewhere")
    assert stranger.get(path).status_code == 404
    Grant.objects.create(account=auditor, role=Role.SUPPORT, source=source)
    assert stranger.get(path).status_code == 200


@pytest.mark.parametrize(
    ("is_behind", "told", "kept"),
    [(False, "", None), (True, "10.0.0.1", "203.0.113.9"), (False, "10.0.0.1", "10.0.0.1")],
)
def test_the_journal_has_the_address_of_whoever_opened_it(
    stranger, made, settings, is_behind, told, kept
):
    """Behind a proxy that of the caller; none where the server listens on a socket of its own."""
    settings.TILECOURT_BEHIND_PROXY = is_behind
    _, path = made()
    given = {"X-Forwarded-For": "1.2.3.4, 203.0.113.9"}
    assert stranger.get(path, headers=given, REMOTE_ADDR=told).status_code == 200
    assert JournalEntry.objects.latest("pk").address == kept


def test_an_unknown_an_ended_and_a_revoked_link_have_one_answer(stranger, made, giver):
    link, path = made()
    sharing.revoke_share_link(access=giver, link=link.pk)
    revoked = stranger.get(path)
    unknown = stranger.get("/shared/" + "x" * 43 + "/")
    assert text_of(revoked, 404) == text_of(unknown, 404)


def test_answers_are_private_and_keep_the_secret_to_themselves(stranger, made):
    _, path = made()
    answer = stranger.get(path)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "private" in answer.headers["Cache-Control"]


def test_each_opening_is_in_the_journal_without_the_secret(stranger, made):
    link, path = made()
    before = JournalEntry.objects.count()
    stranger.get(f"{path}steps/3/")
    entry = JournalEntry.objects.latest("pk")
    assert JournalEntry.objects.count() == before + 1
    assert entry.actor == f"link {link.secret[:6]}…"
    assert entry.hand == Hand.objects.latest("pk").pk
    assert entry.detail == {"as": "seat-1", "step": 3}
    assert link.secret not in f"{entry.subject} {entry.detail} {entry.actor}"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"viewpoint": "auditor"}, "Every tile is shown to those who have an account"),
        ({"viewpoint": "seat-9"}, "There is no such viewer."),
        ({"hours": 0}, "A link is good for 1 to 2160 hours."),
        ({"hours": 2161}, "A link is good for 1 to 2160 hours."),
        ({"reason": "  "}, "Say for whom the link is and why"),
        ({"reason": "a\x00b"}, "Say for whom the link is and why"),
        ({"hand": 10**15}, "There is no such hand."),
    ],
)
def test_what_makes_no_link(store, giver, changes, words):
    store(TIEN_GOW)
    asked = {"hand": Hand.objects.get().pk, "viewpoint": "public", "hours": 1, "reason": "Why"}
    with pytest.raises(sharing.ShareRefused, match=re.escape(words)):
        sharing.create_share_link(access=giver, **asked | changes)
    assert ShareLink.objects.count() == 0


def test_a_game_without_seats_has_no_link_as_a_seat(store, giver, stranger):
    store(WENZHOU)
    hand = Hand.objects.get().pk
    with pytest.raises(sharing.ShareRefused, match="This game has no seats"):
        sharing.create_share_link(
            access=giver, hand=hand, viewpoint="seat-0", hours=1, reason="Why"
        )
    link = sharing.create_share_link(
        access=giver, hand=hand, viewpoint="public", hours=1, reason="Why"
    )
    assert stranger.get(f"/shared/{link.secret}/").status_code == 200


def test_hands_of_another_source_are_not_ones_to_share(store, made, django_user_model, site):
    link, _ = made()
    hand = Hand.objects.latest("pk")
    other = django_user_model.objects.create_user("ola", password="correct horse")
    Grant.objects.create(account=other, role=Role.SUPPORT, source="elsewhere")
    access = access_of(other)
    with pytest.raises(sharing.ShareRefused, match="There is no such hand"):
        sharing.create_share_link(
            access=access, hand=hand.pk, viewpoint="public", hours=1, reason="Why"
        )
    with pytest.raises(sharing.ShareRefused, match="There is no such hand"):
        sharing.revoke_share_link(access=access, link=link.pk)
    browser = Client()
    browser.force_login(other)
    assert browser.get(f"/hands/{hand.pk}/links").status_code == 404
    assert browser.post(f"/links/{link.pk}/revoke").status_code == 404
    assert link.secret[:6] not in text_of(browser.get("/links/"))
    assert ShareLink.objects.get().revoked_at is None


def test_the_page_makes_a_link_shows_it_once_and_takes_it_back(site, store, giver, stranger):
    store(TIEN_GOW)
    url = f"/hands/{Hand.objects.get().pk}/links"
    asked = {"viewpoint": "seat-2", "hours": "24", "reason": "For Mei, claim 7"}
    html = text_of(site.post(url, asked))
    [path] = re.findall(r"value=\"http://testserver(/shared/[\w-]+/)\"", html)
    assert stranger.get(path).status_code == 200
    again = text_of(site.get(url))
    assert path not in again
    assert "For Mei, claim 7" in again
    link = ShareLink.objects.get()
    assert site.post(f"/links/{link.pk}/revoke", follow=True).status_code == 200
    assert stranger.get(path).status_code == 404
    assert "taken back by" in text_of(site.get(url))


def test_a_wrong_form_says_what_is_wrong(site, store, giver):
    store(TIEN_GOW)
    url = f"/hands/{Hand.objects.get().pk}/links"
    answer = site.post(url, {"viewpoint": "seat-2", "hours": "x", "reason": "Why"})
    assert answer.status_code == 400
    assert "A link is good for 1 to 2160 hours." in answer.content.decode()


def test_the_database_lets_a_link_be_taken_back_once_and_nothing_else(made, giver):
    link, _ = made()
    refused = [
        "UPDATE audit_sharelink SET expires_at = now() + interval '1 year'",
        "UPDATE audit_sharelink SET viewpoint = 'seat-2'",
        "DELETE FROM audit_sharelink",
    ]
    for statement in refused:
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    sharing.revoke_share_link(access=giver, link=link.pk)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_sharelink SET revoked_at = NULL, revoked_by_id = NULL")
    first = ShareLink.objects.get().revoked_at
    assert sharing.revoke_share_link(access=giver, link=link.pk) == first
