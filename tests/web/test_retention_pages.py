"""The pages about keeping and deleting: terms, holds, runs (S16)."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.db import connection

from audit.models import Hand, HoldEnd, LegalHold, RecordClass, RetentionTerm, Role
from audit.selectors.access import access_of
from audit.services.retention import begin_run, continue_run
from tests.access import signed_in, with_roles
from tests.web.lines import PAI_GOW

SOURCE = json.loads(PAI_GOW)["source"]


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_an_empty_store_has_nothing_to_keep(site):
    text = text_of(site.get("/retention/"))
    for words in ("Nothing is under a hold.", "Nothing was ever deleted.", "Nobody was erased."):
        assert words in text


def test_a_term_is_set_and_its_history_is_told(site, store):
    store(PAI_GOW)
    for count, reason in ((7, "the licence"), (8, "a new licence")):
        answer = site.post(
            "/retention/terms",
            {"class": "hands", "source": SOURCE, "count": count, "unit": "year", "reason": reason},
            follow=True,
        )
        assert answer.status_code == 200
    assert RetentionTerm.objects.count() == 2
    text = text_of(site.get("/retention/"))
    assert "8 years" in text
    assert text.count("in force") >= 1
    assert "the licence ines.castro" in text
    for wrong in (
        {"class": "x"}, {"count": "many"}, {"count": "0"}, {"reason": " "}, {"unit": "week"},
    ):  # fmt: skip
        form = {"class": "hands", "source": "", "count": "1", "unit": "day", "reason": "r"} | wrong
        assert site.post("/retention/terms", form).status_code == 400
    assert RetentionTerm.objects.count() == 2


def test_a_hold_is_placed_and_lifted(site, store):
    store(PAI_GOW)
    hand = Hand.objects.get()
    form = {"source": SOURCE, "hand": hand.hand_id, "case": "", "reason": "a dispute"}
    assert site.post("/retention/holds", form).status_code == 302
    hold = LegalHold.objects.get()
    assert (hold.hand_id, hold.placed_by.username) == (hand.pk, "ines.castro")
    assert "a dispute" in text_of(site.get("/retention/"))
    for wrong in ({"source": "nobody"}, {"hand": "none"}, {"case": "1"}, {"reason": ""}):
        assert site.post("/retention/holds", form | wrong).status_code == 400
    lift = f"/retention/holds/{hold.pk}/lift"
    assert site.post(lift, {"reason": "settled"}).status_code == 302
    assert HoldEnd.objects.get().reason == "settled"
    assert site.post(lift, {"reason": "settled"}).status_code == 400
    assert site.post("/retention/holds/999/lift", {"reason": "x"}).status_code == 404


def test_a_run_is_shown_with_its_certificate(site, store, auditor):
    store(PAI_GOW)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in ("audit_handversion", "audit_upload"):
            cursor.execute(f"UPDATE {table} SET created_at = created_at - interval '11 years'")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    run = begin_run(
        access=access_of(auditor), record_class=RecordClass.HANDS, source=SOURCE, reason="of age"
    )
    done = continue_run(run_id=run)
    text = text_of(site.get(f"/retention/runs/{run}/"))
    assert done.root in text
    answer = site.get(f"/retention/runs/{run}/certificate.json")
    assert json.loads(answer.content)["root"] == done.root
    assert f"Run {run}" in text_of(site.get("/retention/"))
    assert site.get("/retention/runs/999/").status_code == 404
    assert site.get("/retention/runs/999/certificate.json").status_code == 404


def test_only_administrators_and_only_in_their_sources(store, db):
    store(PAI_GOW)
    other = with_roles(User.objects.create_user("oda"), Role.ADMINISTRATOR, source="elsewhere")
    site = signed_in(other)
    text = text_of(site.get("/retention/"))
    assert SOURCE not in text
    form = {"source": SOURCE, "hand": "", "case": "", "reason": "x"}
    assert site.post("/retention/holds", form).status_code == 400
    mine = {"class": "hands", "source": SOURCE, "count": "1", "unit": "day", "reason": "r"}
    assert site.post("/retention/terms", mine).status_code == 400
    assert site.post("/retention/terms", mine | {"source": ""}).status_code == 400
    auditor = with_roles(User.objects.create_user("al"), Role.AUDITOR)
    assert signed_in(auditor).get("/retention/").status_code == 403
    assert not RetentionTerm.objects.exists()
