"""Whatever a form holds, it is taken or refused, and never a fault of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from audit.models import (
    ApiToken,
    CertificateRun,
    LegalHold,
    NameDecision,
    RetentionTerm,
    SignIn,
    Webhook,
)
from tests.access import signed_in, trusted
from tests.web.lines import PAI_GOW
from tests.web.operators import draft_of, operator_of

# Each whole but for the one field that a NUL is put into.
FORMS: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    (
        "/players/decide",
        {"source": "odd", "name": "Ann", "other": "Bo", "act": "one", "reason": "r"},
        ("source", "name", "other", "reason"),
    ),
    (
        "/webhooks/",
        {"name": "h", "url": "https://example.com/x", "codes": "net-mismatch", "sources": "odd"},
        ("name", "url", "codes", "sources"),
    ),
    (
        "/retention/terms",
        {"class": "attachments", "unit": "year", "count": "12", "source": "odd", "reason": "r"},
        ("class", "unit", "count", "source", "reason"),
    ),
    (
        "/retention/holds",
        {"source": "odd", "hand": "base-1", "reason": "r"},
        ("source", "hand", "case", "reason"),
    ),
    (
        "/certificates/make",
        {"day": "2025-03-01", "source": "odd", "table": "T1"},
        ("day", "source", "table"),
    ),
    (
        "/certificates/days/",
        {"source": "odd", "table": "T1", "time_zone": "Asia/Macau", "starts_at": "06:00",
         "numbering": "none"},
        ("source", "table", "time_zone", "starts_at", "numbering"),
    ),
    (
        "/accounts/keys/",
        {"name": "k", "days": "1", "account": "ines.castro", "acts": "see-hands",
         "sources": "odd"},
        ("name", "days", "acts", "sources"),
    ),
    ("/accounts/keys/revoke", {"name": "k"}, ("name",)),
)  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_no_form_with_a_nul_is_a_fault_and_nothing_is_kept_of_it(store: Any, site: Client) -> None:
    store(PAI_GOW)
    for address, whole, fields in FORMS:
        for field in fields:
            answer = site.post(address, whole | {field: "a\0b"})
            refused = answer.status_code in (400, 404)
            assert (address, field, refused or is_said(site, answer)) == (address, field, True)
    kept = (ApiToken, CertificateRun, LegalHold, NameDecision, RetentionTerm, Webhook)
    assert [model.objects.count() for model in kept] == [0] * len(kept)


def is_said(site: Client, answer: Any) -> bool:
    """Whether the page that is led to says what was wrong."""
    led = site.get(answer.url).content.decode() if answer.status_code == 302 else ""
    return 'class="notice error"' in led


def test_a_source_of_retention_is_no_longer_than_sources_are(site: Client) -> None:
    form = {"class": "attachments", "unit": "year", "count": "12", "reason": "r"}
    refused = site.post("/retention/terms", form | {"source": "x" * 129})
    assert (refused.status_code, RetentionTerm.objects.count()) == (400, 0)
    assert "There is no such source." in refused.content.decode()
    assert site.post("/retention/terms", form | {"source": "x" * 128}).status_code == 302


@pytest.mark.parametrize("length", [150, 151, 256, 60_000])
def test_a_name_of_any_length_is_nobodys_in_the_same_words(db: Any, length: int) -> None:
    page = Client().post("/login", {"username": "x" * length, "password": "correct horse"})
    assert page.status_code == 200
    assert "Name and password do not match." in page.content.decode()
    assert SignIn.objects.get().name == "x" * min(length, 150)


def test_what_a_form_does_is_said_by_it_and_never_guessed(
    django_user_model: Any, settings: Any, tmp_path: Path
) -> None:
    """An act that there is not is none: it was taken for one of those that there are."""
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    keys = operator_of("south", first=first, second=second).keys | draft_of(first)
    browser = signed_in(first)
    pair = {"source": "south", "name": "south-Ann", "other": "south-Аnn", "reason": "r"}
    rehearsal = f"/rules/rulesets/{keys['sha256']}/rehearsals/{keys['rehearsal']}/act"
    for address, field, more in (
        ("/players/decide", "act", pair),
        (f"/certificates/runs/{keys['run']}/act", "act", {}),
        (f"/reports/runs/{keys['report-run']}/act", "act", {}),
        (rehearsal, "do", {}),
    ):
        before = NameDecision.objects.count()
        for said in ("", "three", "ONE", "stop "):
            answer = browser.post(address, more | {field: said})
            assert (address, said, answer.status_code) == (address, said, 404)
        assert NameDecision.objects.count() == before
        known = "two" if field == "act" and more else "stop"
        assert (address, browser.post(address, more | {field: known}).status_code) == (address, 302)


def test_a_review_begins_with_the_first_row_at_the_earliest(site: Client) -> None:
    site.get("/hands/")
    form = {"kind": "journal", "last": "1", "note": "looked"}
    assert site.post("/journal/reviews/", form | {"first": "0"}).status_code == 400
    assert site.post("/journal/reviews/", form | {"first": "1"}).status_code == 302
