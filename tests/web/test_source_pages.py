"""Sources, and the hands that a feed tells in part."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit import services
from audit.models import Chunk, Hand
from tests.audit.importers.records import (
    bbin_ticket,
    event_records,
    ky_answer,
    ky_row,
    log_of,
    wm_row,
)
from tests.web.lines import PAI_GOW

Feed = Callable[..., None]


@pytest.fixture
def feed(db: Any) -> Feed:
    def run(name: str, data: bytes, source: str = "op") -> None:
        services.receive_feed(name="pull.json", stream=io.BytesIO(data), feed=name, source=source)
        for chunk in Chunk.objects.order_by("id"):
            services.judge_chunk(chunk_id=chunk.pk)

    return run


def text_of(site: Client, address: str) -> str:
    response = site.get(address)
    assert response.status_code == 200, address
    return " ".join(response.content.decode().split())


def test_the_page_of_a_hand_says_what_was_not_checked_and_why(site: Client, feed: Feed) -> None:
    feed("ky-730", ky_answer(ky_row()))
    page = text_of(site, f"/hands/{Hand.objects.get().pk}/")
    assert "Consistent, not all checkable" in page
    assert ">Clean" not in page
    assert "19 checks could not be made, or not for every seat." in page
    for words in (
        "Nobody wins or loses more than was brought in",
        "at which multiple the banker holds the bank; at which multiple each player bet; the base",
        "in a zone that is not known",
        "CellScore is taken as the valid bet",
    ):
        assert words in page
    # What the record does not say is a dash, and not a zero.
    assert page.count('title="not in the record">–<') == 17


def test_a_recomputed_figure_stands_below_the_logged_one(site: Client, feed: Feed) -> None:
    records = event_records("c")
    records[1]["valid_bet"] = "151"
    feed("event-list-122", log_of(records))
    page = text_of(site, f"/hands/{Hand.objects.get().pk}/")
    assert "Discrepant, 1 finding" in page
    assert '151.00<span class="sub">150.00 by the rules</span>' in page


def test_wagers_are_told_with_their_doors(site: Client, feed: Feed) -> None:
    feed("bbin-3006", log_of([bbin_ticket()]))
    page = text_of(site, f"/hands/{Hand.objects.get().pk}/")
    assert (
        '<bdi>9001/2</bdi></th><td><bdi>wang</bdi></td><td><span lang="zh-Hant">出門</span>' in page
    )
    assert "Chu wins" not in page
    assert "loses" in page


def test_the_verdict_of_a_partial_record_is_a_line_of_its_own(site: Client, feed: Feed) -> None:
    feed("ky-730", ky_answer(ky_row()))
    hand = Hand.objects.get().pk
    verdict = json.loads(site.get(f"/hands/{hand}/verdict").content)
    assert (verdict["format"], verdict["verdict"], verdict["file"]) == (
        "verdict/1-partial", "consistent", "pull.json",
    )  # fmt: skip
    assert len(verdict["not_checkable"]) == 19
    record = site.get(f"/hands/{hand}/record").content
    assert json.loads(record) == [ky_row()]


@pytest.mark.parametrize("address", ["steps/0/", "?as=seat-0", "?as=public"])
def test_such_a_hand_has_no_steps_and_no_other_viewer(
    site: Client, feed: Feed, address: str
) -> None:
    feed("ky-730", ky_answer(ky_row()))
    assert site.get(f"/hands/{Hand.objects.get().pk}/{address}").status_code == 404


def test_the_page_of_a_source_counts_gaps_and_names_drift(site: Client, feed: Feed) -> None:
    feed("ky-730", ky_answer(ky_row(Jackpot="<b>"), ky_row(GameID="g2", Jackpot="1")))
    page = text_of(site, "/sources/op/")
    assert '<code>Jackpot</code></th><td class="num">2</td>' in page
    assert "&quot;&lt;b&gt;&quot;" in page
    assert '<code>bids</code></span></th><td class="num">2</td>' in page
    assert "CellScore is taken as the valid bet" in page
    assert "KY" in page


def test_the_list_of_sources_tells_feeds_from_logs(site: Client, feed: Feed, store: Any) -> None:
    store(PAI_GOW)
    feed("wm-112", log_of([wm_row()]), source="live/one")
    page = text_of(site, "/sources/")
    assert page.count("<tr><th") == 3
    assert "Hand logs (hand-log/1)" in page
    assert 'href="/sources/live/one/"' in page
    assert site.get("/sources/live/one/").status_code == 200


def test_a_source_that_is_not_there_is_not_found(site: Client, db: Any) -> None:
    assert site.get("/sources/nobody/").status_code == 404
    assert site.get("/sources/%00/").status_code == 404


def test_the_upload_page_takes_a_feed(site: Client, db: Any) -> None:
    page = text_of(site, "/uploads/")
    assert '<option value="ky-730">KY 開元, KindID 730</option>' in page
    file = SimpleUploadedFile("pull.json", ky_answer(ky_row()))
    response = site.post("/uploads/", {"files": file, "feed": "ky-730", "source": "op"})
    (chunk,) = Chunk.objects.all()
    services.judge_chunk(chunk_id=chunk.pk)
    page = text_of(site, response.headers["Location"])
    assert "<dt>Feed</dt><dd>ky-730</dd>" in page
    assert "verdict=consistent" in page
    page = text_of(site, "/hands/?verdict=consistent")
    assert "50-1716-1" in page


def test_a_source_without_a_feed_is_refused_with_a_sentence(site: Client, db: Any) -> None:
    answer = site.post("/uploads/", {"files": SimpleUploadedFile("a", PAI_GOW), "source": "op"})
    assert answer.status_code == 400
    assert "A source is named for a feed: each line of a hand log" in answer.content.decode()
    assert not Chunk.objects.exists()


def test_a_hand_of_a_feed_leads_to_its_case_and_its_re_audits(site: Client, feed: Feed) -> None:
    feed("ky-730", ky_answer(ky_row()))
    pk = Hand.objects.get().pk
    page = text_of(site, f"/hands/{pk}/")
    for address, status in ((f"/desk/hands/{pk}/", 302), (f"/hands/{pk}/reaudits", 200)):
        assert page.count(f'href="{address}"') == 1
        assert site.get(address).status_code == status


def test_a_feed_without_a_source_is_refused_with_a_sentence(site: Client, db: Any) -> None:
    file = SimpleUploadedFile("pull.json", ky_answer(ky_row()))
    response = site.post("/uploads/", {"files": file, "feed": "ky-730"}, follow=True)
    assert "A feed needs the name of its source" in response.content.decode()
    assert Chunk.objects.count() == 0


def test_a_wager_that_the_rules_refuse_stops_nothing(site: Client, feed: Feed) -> None:
    second = bbin_ticket(
        WagersID="9002", WagerDetail="6,1:0.94,10.00,-10.00", BetAmount="10.00", Payoff="-10.00",
        Commissionable="10.00",
    )  # fmt: skip
    feed("bbin-3006", log_of([bbin_ticket(), second]))
    page = text_of(site, f"/hands/{Hand.objects.get().pk}/")
    assert "A wager that the rules refuse" in page
    assert "The replay stops here" not in page
