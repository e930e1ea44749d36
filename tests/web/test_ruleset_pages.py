"""The pages of rulesets: handed in, rehearsed, published, in force, and the mark by a verdict."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit import selectors, services
from audit.models import Chunk, Hand, Reaudit, Role, RulesetRevision
from audit.selectors.access import Access
from audit.selectors.rulesets import current_rulesets
from audit.selectors.rulesets_force import list_periods
from audit.services.rulesets_force import put_in_force
from audit.web import rulesets_pages
from tests.audit.importers.records import ky_answer, ky_row
from tests.audit.logs import B, changed
from tests.audit.reauditing import many, run
from tests.audit.rulesets import NAMED, OTHER, access_for, add, publish, revision

SOURCE = json.loads(B)["source"]
DEARER = revision(rake_rate='"0.06"')
NEW = "/rules/rulesets/new"


@pytest.fixture
def author(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)


@pytest.fixture
def approver(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)


def browser(users: Any, access: Access) -> Client:
    client = Client()
    client.force_login(users.objects.get(pk=access.account_id))
    return client


@pytest.fixture
def authors(author: Access, django_user_model: Any) -> Client:
    return browser(django_user_model, author)


@pytest.fixture
def approvers(approver: Access, django_user_model: Any) -> Client:
    return browser(django_user_model, approver)


def page_of(content: bytes) -> str:
    (sha256,) = [
        bytes(row.sha256).hex()
        for row in RulesetRevision.objects.all()
        if bytes(row.content) == content
    ]
    return f"/rules/rulesets/{sha256}/"


def text_of(response: Any, status: int = 200) -> str:
    assert response.status_code == status, response.content.decode()[-3000:]
    return " ".join(response.content.decode().split())


def send(client: Client, content: bytes, do: str = "add", reason: str = "rake goes up") -> Any:
    file = SimpleUploadedFile("x.toml", content)
    return client.post(NEW, {"file": file, "reason": reason, "do": do})


def test_a_file_becomes_a_draft_and_is_shown_in_words(authors: Client) -> None:
    response = send(authors, DEARER)
    assert (response.status_code, response["Location"]) == (302, page_of(DEARER))
    page = text_of(authors.get(page_of(DEARER)))
    assert "Against banker-pai-gow/bs-2022@1" in page
    assert "the rate of the rake" in page
    assert "<code>0.05</code>" in page
    assert "<code>0.06</code>" in page
    assert "PG-31" in page
    assert authors.get(page_of(DEARER) + "file").content == DEARER
    assert OTHER in text_of(authors.get("/rules/rulesets/"))


def test_a_refused_file_shows_its_lines(authors: Client) -> None:
    content = revision(rake_rate="0.06", high9='"lax"')
    line = content.decode().split("\n").index("rake_rate = 0.06") + 1
    page = text_of(send(authors, content), 400)
    assert "2 things are wrong with it" in page
    assert f'<a href="#line-{line}">{line}</a>' in page
    assert "<code>$.options.rake_rate</code>" in page
    assert f'<li id="line-{line}" class="wrong">' in page
    assert "must be a decimal in quotes" in page
    assert not RulesetRevision.objects.exists()
    assert "not TOML" in text_of(send(authors, b"\xff = 1"), 400)
    assert "longer than 65536 bytes" in text_of(send(authors, b"#" * 70_000), 400)
    assert "Choose a file" in text_of(authors.post(NEW, {"do": "add"}), 400)


def test_a_file_can_be_checked_alone(authors: Client) -> None:
    page = text_of(send(authors, DEARER, do="check"))
    assert "Nothing is wrong with it. Against banker-pai-gow/bs-2022@1 it changes:" in page
    assert not RulesetRevision.objects.exists()
    assert "with these very bytes" in text_of(send(authors, revision(1), do="check"), 400)


def test_from_a_draft_to_published(authors: Client, approvers: Client, store: Any) -> None:
    store(*many(3))
    send(authors, DEARER)
    here = page_of(DEARER)
    assert "were not rehearsed yet" in text_of(approvers.get(here))
    asked = {"do": "rehearse", "reason": "what if", "newest": "2"}
    response = authors.post(here, asked)
    job = Reaudit.objects.get()
    rehearsal = f"{here}rehearsals/{job.pk}/"
    assert (response.status_code, response["Location"]) == (302, rehearsal)
    assert "Gathering" in text_of(authors.get(rehearsal))
    run(job.pk)
    page = text_of(authors.get(rehearsal))
    assert "2 judged again, 2 verdicts flipped" in page
    assert "Players" in page
    assert text_of(authors.get(f"{rehearsal}progress")).count("data-ended") == 1
    assert authors.get(f"/rules/rulesets/{'0' * 64}/rehearsals/{job.pk}/").status_code == 404
    approve = {"do": "approve", "reason": "agreed"}
    assert authors.post(here, approve).status_code == 403
    page = text_of(approvers.get(here))
    assert "These very bytes were rehearsed on 2 hands of 3 that could be." in page
    assert "3 are wanted: whoever publishes it says why fewer are enough." in page
    assert "Why so few hands are enough" in page
    refused = text_of(approvers.post(here, approve), 400)
    assert "was rehearsed on 2 of 3 hands, where 3 are wanted" in refused
    asked = approve | {"unrehearsed_reason": "the third is void"}
    assert approvers.post(here, asked).status_code == 302
    page = text_of(approvers.get(here))
    assert "Published after a rehearsal of 2 of 3 hands alone: the third is void" in page
    assert "pia.prueft" in page
    assert "Published" in page
    assert current_rulesets().get(OTHER) is not None
    assert "is published and cannot be published" in text_of(approvers.post(here, approve), 400)


def test_a_rehearsal_is_stopped_and_resumed(authors: Client, store: Any) -> None:
    store(*many(3))
    send(authors, DEARER)
    here = page_of(DEARER)
    authors.post(here, {"do": "rehearse", "reason": "what if", "newest": ""})
    job = Reaudit.objects.get()
    act = f"{here}rehearsals/{job.pk}/act"
    assert authors.post(act, {"do": "stop"}).status_code == 302
    job.refresh_from_db()
    assert job.state == "stopped"
    assert authors.post(act, {"do": "resume"}).status_code == 302
    assert run(job.pk).rehearsed_count == 3


def test_who_wrote_it_is_told_that_another_publishes(django_user_model: Any, db: Any) -> None:
    both = access_for(django_user_model, "both", Role.RULES_AUTHOR, Role.RULES_APPROVER)
    client = browser(django_user_model, both)
    add(both, DEARER)
    page = text_of(client.get(page_of(DEARER)))
    assert "You wrote it, so somebody else publishes it." in page
    asked = {"do": "approve", "reason": "x", "unrehearsed_reason": "y"}
    assert "cannot publish it" in text_of(client.post(page_of(DEARER), asked), 400)


def test_without_a_rehearsal_the_page_asks_why(author: Access, approvers: Client) -> None:
    add(author, DEARER)
    here = page_of(DEARER)
    assert "Why without a rehearsal" in text_of(approvers.get(here))
    page = text_of(approvers.post(here, {"do": "approve", "reason": "x"}), 400)
    assert "was not rehearsed with these bytes" in page
    asked = {"do": "approve", "reason": "x", "unrehearsed_reason": "a new house"}
    assert approvers.post(here, asked).status_code == 302
    assert "Published without a rehearsal: a new house" in text_of(approvers.get(here))


def test_what_waits_is_offered_and_judged(
    author: Access, approver: Access, approvers: Client, store: Any
) -> None:
    store(changed(B, ruleset=OTHER))
    publish(author, approver, DEARER)
    here = page_of(DEARER)
    assert "1 refused line names this revision" in text_of(approvers.get(here))
    assert approvers.post(here, {"do": "judge-waiting"}).status_code == 302
    run(Reaudit.objects.get().pk)
    assert Hand.objects.get().ruleset == OTHER
    assert "names this revision" not in text_of(approvers.get(here))


def test_withdrawn_and_retired(
    author: Access, approver: Access, authors: Client, approvers: Client
) -> None:
    add(author, DEARER)
    here = page_of(DEARER)
    assert authors.post(here, {"do": "withdraw", "reason": "a typo"}).status_code == 302
    assert "Withdrawn" in text_of(authors.get(here))
    other = revision(rake_rate='"0.07"')
    publish(author, approver, other)
    assert approvers.post(page_of(other), {"do": "retire", "reason": "over"}).status_code == 302
    assert "Retired" in text_of(authors.get(page_of(other)))
    assert authors.post(here, {"do": "nonsense"}).status_code == 404


def test_a_shipped_ruleset_has_a_page_and_stays_as_it_is(
    approvers: Client, approver: Access
) -> None:
    shipped = current_rulesets().get(NAMED)
    assert shipped is not None
    here = f"/rules/rulesets/{shipped.sha256}/"
    assert "Shipped" in text_of(approvers.get(here))
    page = text_of(approvers.post(here, {"do": "retire", "reason": "x"}), 400)
    assert "stays as it is" in page
    for nowhere in ("0" * 64, "abc", "zz"):
        assert approvers.get(f"/rules/rulesets/{nowhere}/").status_code == 404


def test_what_is_in_force_is_said_on_a_page(approvers: Client, store: Any) -> None:
    where = "/rules/rulesets/in-force"
    assert "No source has said yet" in text_of(approvers.get(where))
    asked = {
        "do": "start", "source": SOURCE, "ruleset": NAMED, "reason": "since ever",
        "effective_at": "2025-03-01T08:00:00+08:00",
    }  # fmt: skip
    assert approvers.post(where, asked).status_code == 302
    (period,) = list_periods(sources=None)
    assert period.starts_at == datetime(2025, 3, 1, tzinfo=UTC)
    page = text_of(approvers.get(where))
    assert "1 March 2025, 00:00 UTC" in page
    assert "since ever" in page
    wrong = text_of(approvers.post(where, asked | {"effective_at": "2025-03-01"}), 400)
    assert "is no time with an offset" in wrong
    end = {
        "do": "end", "source": SOURCE, "game": period.game, "ruleset_id": period.ruleset_id,
        "effective_at": "2025-04-01T00:00:00Z", "reason": "closed",
    }  # fmt: skip
    assert approvers.post(where, end).status_code == 302
    (period,) = list_periods(sources=None)
    assert period.end_reason == "closed"
    back = {"do": "take-back", "switch": str(period.end_switch_id), "reason": "not so"}
    assert approvers.post(where, back).status_code == 302
    assert list_periods(sources=None)[0].ends_at is None
    assert approvers.post(where, back | {"switch": "x"}).status_code == 400


def test_a_hand_out_of_force_is_marked_filtered_and_counted(
    approver: Access, author: Access, site: Client, store: Any
) -> None:
    store(B, changed(B, hand_id="other", ruleset="tien-gow/classic@1", game="tien-gow"))
    hand = Hand.objects.get()
    verdict = site.get(f"/hands/{hand.pk}/verdict").content
    publish(author, approver, DEARER)
    assert "was not in force" not in text_of(site.get(f"/hands/{hand.pk}/"))
    put_in_force(
        access=approver, source=SOURCE, ruleset=OTHER, reason="agreed",
        effective_at=datetime(2000, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    page = text_of(site.get(f"/hands/{hand.pk}/"))
    assert f"It names a revision that was not in force: {NAMED}." in page
    assert f"In force at its source was <b>{OTHER}</b>, as pia.prueft said: agreed" in page
    assert site.get(f"/hands/{hand.pk}/verdict").content == verdict
    assert f">{hand.hand_id}<" in text_of(site.get("/hands/?rules=not-in-force"))
    source = text_of(site.get(f"/sources/{SOURCE}/"))
    assert "1 hand names a revision that was not in force" in source
    assert selectors.HandFilters.parse({"rules": "not-in-force"}).rules == "not-in-force"
    assert site.get("/hands/?rules=any").status_code == 400


def test_an_approver_of_one_source_sees_that_one(approver: Access, django_user_model: Any) -> None:
    for source in ("here", "there"):
        put_in_force(
            access=approver, source=source, ruleset=NAMED, reason=f"of {source}",
            effective_at=datetime(2025, 1, 1, tzinfo=UTC),
        )  # fmt: skip
    local = access_for(django_user_model, "local", Role.RULES_APPROVER, source="here")
    page = text_of(browser(django_user_model, local).get("/rules/rulesets/in-force"))
    assert "of here" in page
    assert "of there" not in page


def test_of_very_many_periods_the_page_shows_some(
    approver: Access, approvers: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        put_in_force(
            access=approver, source=f"s{number}", ruleset=NAMED, reason="agreed",
            effective_at=datetime(2025, 1, 1, tzinfo=UTC),
        )  # fmt: skip
    where = "/rules/rulesets/in-force"
    assert "There are more" not in text_of(approvers.get(where))
    monkeypatch.setattr(rulesets_pages, "PERIODS_SHOWN", 2)
    page = text_of(approvers.get(where))
    assert "There are more" in page
    assert ("<bdi>s1</bdi>" in page, "<bdi>s2</bdi>" in page) == (True, False)
    page = text_of(approvers.get(f"{where}?source=s2"))
    assert ("<bdi>s1</bdi>" in page, "<bdi>s2</bdi>" in page) == (False, True)


def test_support_sees_no_rulesets(django_user_model: Any, db: Any) -> None:
    client = browser(django_user_model, access_for(django_user_model, "sue", Role.SUPPORT))
    for where in ("/rules/rulesets/", "/rules/rulesets/in-force", NEW):
        assert client.get(where).status_code == 403
    assert "/rules/rulesets/" not in text_of(client.get("/rules/"))


def test_a_feeds_pages_tell_the_ruleset_in_force(
    author: Access, approver: Access, site: Client
) -> None:
    """The hand's page, its verdict and the page of its source speak of the one it was judged by."""
    publish(author, approver, DEARER)
    put_in_force(
        access=approver, source="op", ruleset=OTHER, reason="agreed",
        effective_at=datetime(2024, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    services.receive_feed(
        name="f", stream=io.BytesIO(ky_answer(ky_row())), feed="ky-730", source="op"
    )
    for chunk in Chunk.objects.all():
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    hand = Hand.objects.get()
    said = f"{OTHER} was in force at this source when the hand was played."
    assert said in text_of(site.get(f"/hands/{hand.pk}/"))
    assert said in text_of(site.get("/sources/op/"))
    verdict = json.loads(site.get(f"/hands/{hand.pk}/verdict").content)
    assert (verdict["ruleset"], verdict["replay_digest"]) == (OTHER, hand.verdict.digest.hex())
