"""A reason of which nothing is seen is none, on every form of the site and in the API alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit import services
from audit.models import (
    BulkAct,
    Case,
    CaseAct,
    Claim,
    Hand,
    LegalHold,
    NameDecision,
    Reaudit,
    RetentionTerm,
    Review,
    RulesetRevision,
    RulesetSwitch,
    Upload,
)
from audit.models.retention import HoldEnd
from audit.models.sharing import ShareLink
from audit.services import desk
from audit.services.players import note_players
from audit.services.texts import written
from tests.audit.desk.wrong import wrong
from tests.audit.reauditing import NAMED
from tests.audit.rulesets import revision
from tests.web.test_player_pages import renamed

# Blanks, a wide blank, characters without a width, a filler, marks of direction.
UNSEEN = ("   ", "\u3000", "\u200b\u2060", "\u3164", " \u200e\ufeff\n", "\u2800", "\ufe0f")
# Whatever a reason is kept with.
KEPT = (
    BulkAct, CaseAct, Claim, HoldEnd, LegalHold, NameDecision, Reaudit, RetentionTerm, Review,
    RulesetRevision, RulesetSwitch, ShareLink, Upload,
)  # fmt: skip


@pytest.mark.parametrize("text", ["", *UNSEEN])
def test_nothing_that_is_seen_is_nothing_written(text: str) -> None:
    assert written(text) == ""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (" a b ", "a b"),
        ("\u3000牌局\n", "牌局"),
        ("\u202ea", "\u202ea"),
        (".", "."),
        ("\u200b1", "\u200b1"),
        ("☝\ufe0f", "☝\ufe0f"),
    ],
)
def test_what_is_written_stays_but_for_the_blanks_around_it(text: str, kept: str) -> None:
    assert written(text) == kept


def counted() -> list[int]:
    return [model.objects.count() for model in KEPT]


Send = Callable[[dict[str, str]], Any]


def tried(name: str, send: Send, field: str, *, may_be_empty: bool = False) -> None:
    """Send a form with nothing to be seen in a field, which is refused and said, then in words."""
    before = counted()
    for text in UNSEEN if may_be_empty else ("", *UNSEEN):
        answer = send({field: text})
        assert (name, text, answer.status_code, counted()) == (name, text, 400, before)
        assert (name, 'role="alert"' in answer.content.decode()) == (name, True)
    answer = send({field: "because"})
    assert (name, answer.status_code) == (name, 302)
    assert (name, counted() == before) == (name, False)


@pytest.fixture
def case(store: Any, auditor: Any) -> Case:
    """An open case that the auditor has taken."""
    store(wrong("a"), wrong("b", source="other"))
    assert desk.gather_cases().is_done
    found = Case.objects.order_by("pk")[0]
    desk.take_case(case_id=found.pk, sources=None, user=auditor)
    return found


def test_the_desk(site: Client, case: Case, auditor: Any) -> None:
    where = f"/desk/cases/{case.pk}/act"

    def act(kind: str, **fields: Any) -> Send:
        return lambda more: site.post(where, {"act": kind, **fields, **more})

    tried("comment", act("comment"), "comment")
    tried("release", act("release"), "note", may_be_empty=True)
    tried("assign", act("assign", to=str(auditor.pk)), "note", may_be_empty=True)
    tried("decide", act("decide", decision="operator"), "reason")
    tried("propose", act("propose", scope="all"), "reason")
    tried("reopen", act("reopen"), "reason")
    tried("withdraw", act("withdraw"), "why")


def test_claims_and_bulk_acts(site: Client, case: Case) -> None:
    hand = Hand.objects.get(hand_id="a")
    form = {
        "player": hand.players[1], "source": hand.source, "hands": "a", "offset": "+08:00",
        "claimed_at": "2025-03-01T12:00", "amount": "",
    }  # fmt: skip
    tried("claim", lambda more: site.post("/desk/claims/new/", form | more), "text")
    claim = Claim.objects.get().pk
    back = f"/desk/claims/{claim}/withdraw"
    tried("withdraw", lambda more: site.post(back, more), "reason")
    other = Case.objects.exclude(pk=case.pk).get()
    bulk = {"kind": "decided", "decision": "log", "seen": f"{other.pk}:{other.revision}"}
    tried("bulk", lambda more: site.post("/desk/bulk/do", bulk | more), "reason")
    undo = f"/desk/bulk/{BulkAct.objects.get().pk}/undo"
    tried("undo", lambda more: site.post(undo, more), "reason")


def test_uploads(site: Client, store: Any) -> None:
    def send(more: dict[str, str]) -> Any:
        return site.post("/uploads/", {"files": SimpleUploadedFile("a.ndjson", wrong("a")), **more})

    tried("restatement", send, "restatement", may_be_empty=True)
    assert Upload.objects.get().restatement == "because"


def test_re_audits_and_rulesets(site: Client, store: Any) -> None:
    store(wrong("a"))
    start = {"do": "start"}
    tried("re-audit", lambda more: site.post("/reaudits/new", start | more), "reason")

    def add(more: dict[str, str]) -> Any:
        file = SimpleUploadedFile("x.toml", revision(rake_rate='"0.06"'))
        return site.post("/rules/rulesets/new", {"file": file, "do": "add", **more})

    tried("draft", add, "reason")
    force = {
        "do": "start", "source": "odd", "ruleset": NAMED,
        "effective_at": "2025-03-01T08:00:00+08:00",
    }  # fmt: skip
    tried("force", lambda more: site.post("/rules/rulesets/in-force", force | more), "reason")


def test_retention(site: Client, store: Any) -> None:
    store(wrong("a"))
    source = Hand.objects.get().source
    term = {"class": "attachments", "unit": "year", "count": "12", "source": source}
    tried("term", lambda more: site.post("/retention/terms", term | more), "reason")
    hold = {"source": source, "hand": "a"}
    tried("hold", lambda more: site.post("/retention/holds", hold | more), "reason")
    lift = f"/retention/holds/{LegalHold.objects.get().pk}/lift"
    tried("lift", lambda more: site.post(lift, more), "reason")


def test_links_and_reviews(site: Client, store: Any) -> None:
    store(wrong("a"))
    hand = Hand.objects.get().pk
    before = counted()
    for text in ("", *UNSEEN):
        form = {"as": "seat-1", "hours": "24", "reason": text}
        assert site.post(f"/hands/{hand}/links", form).status_code == 400
        (last,) = re.findall(
            r'name="last" value="(\d+)"', site.get("/accounts/review").content.decode()
        )
        assert site.post("/accounts/review", {"last": last, "note": text}).status_code == 400
        form = {"kind": "journal", "first": "1", "last": "1", "note": text}
        assert site.post("/journal/reviews/", form).status_code == 400
    assert counted() == before


def test_names(site: Client, store: Any) -> None:
    store(*renamed())  # type: ignore[no-untyped-call]
    note_players(seconds=60)
    form = {"source": "odd", "name": "Ling", "other": "Ling2", "act": "one"}
    for text in ("", *UNSEEN):
        site.post("/players/decide", form | {"reason": text})
        assert "A decision needs a reason." in site.get("/players/").content.decode()
        assert not NameDecision.objects.exists()
    site.post("/players/decide", form | {"reason": " asked him "})
    assert NameDecision.objects.get().reason == "asked him"


@pytest.mark.parametrize("text", UNSEEN)
def test_the_api(auditor: Any, case: Case, text: str) -> None:
    token = services.create_token(name="mine", days=1, account=auditor.get_username()).token
    browser = Client(headers={"Authorization": f"Bearer {token}"})
    before = counted()

    def send(address: str, body: Any, place: str) -> None:
        answer = browser.post(f"/api/v1/{address}", body, content_type="application/json")
        error = answer.json()["error"]
        assert (address, answer.status_code, error["place"]) == (address, 400, place)

    acts = f"cases/{case.pk}/acts/"
    send(acts, {"act": "comment", "text": text}, "$.text")
    send(acts, {"act": "release", "note": text}, "$.note")
    send(acts, {"act": "decide", "decision": "operator", "reason": text}, "$.reason")
    send("reaudits/", {"reason": text}, "$.reason")
    answer = browser.post(
        "/api/v1/uploads/", wrong("z"), content_type="application/x-ndjson",
        query_params={"restatement": text},
    )  # fmt: skip
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["place"]) == (
        400, "bad-restatement", "restatement",
    )  # fmt: skip
    assert counted() == before
