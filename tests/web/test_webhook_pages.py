"""The pages of webhooks."""

from __future__ import annotations

import re

import pytest

from audit.models import Grant, Role, Webhook, WebhookDelivery

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
