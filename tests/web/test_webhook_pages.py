"""The pages of webhooks."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from audit.models import Grant, Role, Webhook, WebhookDelivery
from audit.selectors.access import EVERYTHING, access_of
from audit.services.granting import end_grant
from audit.services.staff import close_account
from audit.services.webhooks import create_webhook
from tests.access import with_roles

NEW = {"name": "Room 1", "url": "https://hooks.example.org/in", "sources": "", "codes": []}


@pytest.fixture(autouse=True)
def keeper(auditor):
    """The account of the browser manages webhooks."""
    Grant.objects.get_or_create(
        account=auditor, role=Role.ADMINISTRATOR, source=None, ended_at=None
    )


def text_of(answer, status=200):
    assert answer.status_code == status
    return answer.content.decode()


def test_a_webhook_is_made_and_its_secret_shown_once(site):
    html = text_of(site.post("/webhooks/", NEW | {"codes": ["rake-mismatch"], "warnings": "1"}))
    [secret] = re.findall(r'value="(whsec_[^"]+)"', html)
    hook = Webhook.objects.get()
    assert hook.secret == secret
    assert (hook.sources, hook.codes, hook.only_errors) == (None, ["rake-mismatch"], False)
    for url in ("/webhooks/", f"/webhooks/{hook.pk}/"):
        page = text_of(site.get(url))
        assert "Room 1" in page
        assert secret not in page


def test_what_is_wrong_is_said_and_what_was_typed_stays(site):
    html = text_of(site.post("/webhooks/", NEW | {"url": "http://hooks.example.org/"}), 400)
    assert "The address must begin with https:// and name a host." in html
    assert 'value="Room 1"' in html
    assert Webhook.objects.count() == 0


def test_it_is_tried_paused_taken_up_and_ended(site):
    site.post("/webhooks/", NEW)
    hook = Webhook.objects.get()
    act = f"/webhooks/{hook.pk}/act"
    assert "on its way" in text_of(site.post(act, {"act": "try"}, follow=True))
    delivery = WebhookDelivery.objects.get()
    assert str(delivery.pk)[:8] in text_of(site.get(f"/webhooks/{hook.pk}/"))
    for name, words in (("pause", "paused"), ("resume", "on"), ("end", "ended")):
        assert f"{words}</span>" in text_of(site.post(act, {"act": name}, follow=True))
    assert "This webhook has ended." in text_of(site.post(act, {"act": "try"}, follow=True))
    assert site.post(act, {"act": "explode"}).status_code == 404
    assert site.get("/webhooks/999/").status_code == 404


def other_keeper(django_user_model):
    user = django_user_model.objects.create_user("ola")
    with_roles(user, Role.ADMINISTRATOR)
    return create_webhook(
        access=access_of(user), name="Room 9", url="https://example.org/", sources=["hall"]
    ).pk, user


def test_a_page_says_why_nothing_is_sent_and_who_answers_for_it(site, auditor, django_user_model):
    pk, user = other_keeper(django_user_model)
    url = f"/webhooks/{pk}/"
    assert "<bdi>ola</bdi> answers for it." in text_of(site.get(url))
    for grant in Grant.objects.filter(account=user):
        end_grant(access=EVERYTHING, grant_id=grant.pk)
    html = text_of(site.get(url))
    assert "Nothing is sent: ola, who answers for it, may tell of none of its sources" in html
    assert "Whoever lets it go on answers for it" in html
    html = text_of(site.post(f"{url}act", {"act": "resume"}, follow=True))
    assert f"<bdi>{auditor.username}</bdi> answers for it." in html
    assert "Nothing is sent" not in html


def test_a_page_names_a_closed_account(site, django_user_model):
    pk, user = other_keeper(django_user_model)
    close_account(access=EVERYTHING, account_id=user.pk)
    html = text_of(site.get(f"/webhooks/{pk}/"))
    assert "Nothing is sent: the account ola, which answers for it, was closed." in html


def test_a_page_says_of_which_sources_it_tells_still(site, django_user_model):
    pk, user = other_keeper(django_user_model)
    with_roles(user, Role.ADMINISTRATOR, source="hall")
    Webhook.objects.filter(pk=pk).update(sources=None)
    end_grant(access=EVERYTHING, grant_id=Grant.objects.get(account=user, source=None).pk)
    html = text_of(site.get(f"/webhooks/{pk}/"))
    assert "may tell of these sources alone:</span>" not in html
    assert re.search(r"may tell of these sources alone:\s*<bdi>hall</bdi>", html)


def test_a_page_says_until_when_nobody_is_asked(site):
    site.post("/webhooks/", NEW)
    hook = Webhook.objects.get()
    hook.silent_count, hook.rests_until = 3, timezone.now() + timedelta(minutes=2)
    hook.save()
    html = text_of(site.get(f"/webhooks/{hook.pk}/"))
    assert "Nobody answered the last 3 attempts: the next one is made at" in html


def test_a_message_that_was_given_up_is_sent_again(site):
    site.post("/webhooks/", NEW)
    hook = Webhook.objects.get()
    site.post(f"/webhooks/{hook.pk}/act", {"act": "try"})
    WebhookDelivery.objects.update(state="given-up")
    delivery = WebhookDelivery.objects.get()
    asked = {"act": "again", "delivery": str(delivery.pk)}
    assert "on its way again" in text_of(site.post(f"/webhooks/{hook.pk}/act", asked, follow=True))
    delivery.refresh_from_db()
    assert delivery.state == "waiting"
    asked["delivery"] = "no-such"
    assert "There is no such message." in text_of(
        site.post(f"/webhooks/{hook.pk}/act", asked, follow=True)
    )
