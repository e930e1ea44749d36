"""What is drawn once for all who look at a hand: never before nothing is concealed from them, and
with their own addresses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

import replay
from audit import selectors
from audit.models import Hand
from audit.selectors.access import access_of
from audit.services.sharing import create_share_link
from audit.web import kept, parts
from audit.web.presenters import settlement
from tests.web.lines import BASE, PAI_GOW, TIEN_GOW, WENZHOU
from tests.web.test_seen_pages import IDS, REGION, TOKEN


def bodies(site: Client, addresses: list[str], *, is_new: bool) -> list[str]:
    """The page of each address and its part that changes, without the tokens of its forms; a new
    process has drawn nothing before each."""
    found = []
    for address in addresses:
        for headers in ({}, REGION):
            if is_new:
                kept.forget()
            answer = site.get(address, headers=headers)
            assert answer.status_code == 200, address
            found.append(TOKEN.sub("", answer.content.decode()))
    return found


def addresses_of(line: bytes) -> tuple[list[str], list[str]]:
    """Each step of the hand stored last, as the auditor and as all others see it."""
    told = json.loads(line)
    hand = Hand.objects.latest("pk").pk
    steps = range(len(told["events"]) + 1)
    viewers = ["public"] + ([f"seat-{seat}" for seat in range(4)] if line != WENZHOU else [])
    link = create_share_link(
        access=access_of(User.objects.get()),
        hand=hand,
        viewpoint="public",
        hours=1,
        reason="For the player.",
    )
    asked = [f"?as={viewer}" for viewer in viewers] + [f"?as=public&rules={told['ruleset']}"]
    return (
        [f"/hands/{hand}/", *(f"/hands/{hand}/steps/{number}/" for number in steps)],
        [
            *(f"/hands/{hand}/steps/{number}/{more}" for more in asked for number in steps),
            *(f"/shared/{link.secret}/steps/{number}/" for number in steps),
        ],
    )


@pytest.mark.parametrize("line", BASE, ids=IDS)
def test_what_was_drawn_for_the_auditor_changes_nobody_elses_page(
    site: Client, store: Any, line: bytes
) -> None:
    store(line)
    auditors, others = addresses_of(line)
    alone = bodies(site, others, is_new=True)
    kept.forget()
    bodies(site, auditors, is_new=False)
    assert bodies(site, others, is_new=False) == alone


@pytest.mark.parametrize("line", BASE, ids=IDS)
def test_what_was_drawn_for_others_changes_no_page_of_the_auditor(
    site: Client, store: Any, line: bytes
) -> None:
    store(line)
    auditors, others = addresses_of(line)
    alone = bodies(site, auditors, is_new=True)
    kept.forget()
    bodies(site, others, is_new=False)
    assert bodies(site, auditors, is_new=False) == alone


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW, WENZHOU], ids=["pg", "tg", "wz"])
def test_before_the_reveal_nothing_that_the_auditor_sees_below_the_step_is_there(
    site: Client, store: Any, line: bytes
) -> None:
    store(line)
    auditors, _ = addresses_of(line)
    bodies(site, auditors, is_new=False)
    hidden = 0
    for number, address in enumerate(auditors[1:]):
        sight = replay.seen(line, selectors.current_rulesets(), replay.PUBLIC, number)
        html = site.get(f"{address}?as=public").content.decode()
        assert ('id="settlement"' in html) == sight.is_revealed, number
        hidden += not sight.is_revealed
    assert hidden > 2


def test_the_settlement_is_drawn_once_for_all(
    site: Client, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(TIEN_GOW)
    auditors, others = addresses_of(TIEN_GOW)
    drawn = []

    def count(*asked: Any) -> Any:
        drawn.append(asked)
        return settlement_of(*asked)

    settlement_of = parts.settlement_of
    monkeypatch.setattr(parts, "settlement_of", count)
    kept.forget()
    bodies(site, [auditors[0], *others], is_new=False)
    assert len(drawn) == 1


def test_each_page_of_a_long_settlement_leads_to_those_of_whoever_looks(
    site: Client, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "ROWS_A_PAGE", 2)
    store(TIEN_GOW)
    hand = Hand.objects.latest("pk").pk
    last = len(json.loads(TIEN_GOW)["events"])
    for more in ("", "as=public&"):
        one, two = (
            site.get(f"/hands/{hand}/steps/{last}/?{more}rows={page}").content.decode()
            for page in (1, 2)
        )
        shown = more.replace("&", "&amp;")
        assert (
            one.count(f'href="?{shown}rows=2#settlement"'),
            two.count(f'href="?{shown}rows=1#settlement"'),
        ) == (1, 1)
        assert one != two
