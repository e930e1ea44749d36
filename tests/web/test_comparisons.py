"""What differs from the hand before it, on the pages (FORMAT 6.6)."""

from __future__ import annotations

import json
import re

import pytest

import replay
from audit import selectors, services
from audit.models import Hand, Table
from tests.web.lines import DECLARED, PAI_GOW, TIEN_GOW


@pytest.fixture
def later(store) -> Hand:
    """A hand whose banker and carries do not follow from the hand before it."""
    store(DECLARED, TIEN_GOW)
    services.compare_table(table_id=Table.objects.get().pk)
    return Hand.objects.get(hand_id=json.loads(TIEN_GOW)["hand_id"])


def test_findings_against_the_hand_before_stand_at_the_last_step(site, later) -> None:
    html = site.get(f"/hands/{later.pk}/").content.decode()
    steps = replay.walk(TIEN_GOW, selectors.current_rulesets()).steps
    assert re.search(r'data-number="(\d+)"', html).group(1) == str(len(steps) - 1)
    codes = re.findall(r"<small>Hand before.*?<code>([a-z-]+)</code>", html)
    assert codes == ["carry-discontinuity", "banker-succession"]
    earlier = Hand.objects.get(hand_id=json.loads(DECLARED)["hand_id"])
    link = f'<a href="/hands/{earlier.pk}/"><bdi>{earlier.hand_id}</bdi></a>'
    assert html.count(f"Compared with the hand before it at this table: {link}.") == 2


def test_from_another_step_they_are_links_to_the_last(site, later) -> None:
    html = site.get(f"/hands/{later.pk}/steps/0/").content.decode()
    assert "Compared with the hand before" not in html
    last = len(replay.walk(TIEN_GOW, selectors.current_rulesets()).steps) - 1
    found = re.findall(
        rf'href="/hands/{later.pk}/steps/{last}/" data-step>.*?<span>(.*?)</span>', html
    )
    assert len([words for words in found if words.startswith("Hand before")]) == 5


def test_the_page_of_the_hand_before_says_nothing_of_it(site, later) -> None:
    earlier = Hand.objects.get(hand_id=json.loads(DECLARED)["hand_id"])
    assert "Hand before" not in site.get(f"/hands/{earlier.pk}/").content.decode()


def test_the_verdict_line_is_that_of_the_audit_with_continuity(site, later) -> None:
    line = json.loads(site.get(f"/hands/{later.pk}/verdict").content)
    continuity = replay.Continuity(selectors.current_rulesets())
    for raw in (DECLARED, TIEN_GOW):
        expected = continuity.judge(replay.audit_line(raw, selectors.current_rulesets()))
    wanted = json.loads(replay.format_verdict(expected))
    assert line | {"file": None, "line": 1} == wanted | {"file": None, "line": 1}
    assert line["verdict"] == "discrepant"


def test_the_list_finds_it_and_the_upload_counts_it(site, later) -> None:
    listed = site.get("/hands/?verdict=discrepant&code=banker-succession").content.decode()
    assert f'href="/hands/{later.pk}/' in listed
    upload = selectors.list_uploads(sources=None).rows[0]
    progress = site.get(f"/uploads/{upload.id}/").content.decode()
    assert "<dt>Discrepant after the hand before</dt><dd>1</dd>" in progress


def test_an_upload_without_such_a_hand_does_not_speak_of_it(site, store) -> None:
    upload = store(PAI_GOW)
    assert "after the hand before" not in site.get(f"/uploads/{upload.id}/").content.decode()
