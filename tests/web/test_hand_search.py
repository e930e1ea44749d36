"""The list of hands narrowed by tile, combination, seat and net."""

from __future__ import annotations

import re

import pytest

from audit.models import Hand
from audit.services.holdings import note_holdings
from tests.web.lines import BASE, PAI_GOW, WENZHOU


@pytest.fixture
def stored(store):
    """Store a hand of each game, and note what lay where."""
    store(*BASE)
    note_holdings(seconds=60)


def listed(site, query):
    answer = site.get(f"/hands/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def hands_on(html):
    return re.findall(r'class="at-h"><a href="[^"]*"><bdi>([^<]*)</bdi></a>', html)


def test_the_form_offers_tiles_combinations_and_places(site, stored):
    html = listed(site, "tile=66&combination=supreme&seat=1&net=-1")
    for chosen in ('value="66" selected', 'value="supreme" selected', 'value="1" selected'):
        assert chosen in html
    assert 'name="net" inputmode="text" maxlength="25" value="-1"' in html
    assert "66 Heaven 天" in html
    assert "Supreme Pair 至尊" in html


def test_a_hand_is_found_by_what_a_seat_held(site, stored):
    assert hands_on(listed(site, "net=-100.00&seat=1")) == ["base-1"]
    assert hands_on(listed(site, "net=-100.00&seat=2")) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("player=Ann&met=Bo", ["wz-1", "base-1"]),
        ("player=Bo&met=Ann", ["wz-1", "base-1"]),
        ("player=Ann&met=Cy", ["base-1"]),
        ("met=Cy", ["base-1"]),
        ("player=東&met=北", ["small-four", "tg-slam", "tg-white"]),
        ("player=Ann&met=北", []),
        ("player=Ann&met=bo", []),
    ],
)
def test_s6_hands_in_which_two_players_met(site, store, query, found):
    """At a table with seats, and by wagers where there are none; whoever is named first."""
    store(*BASE)
    assert hands_on(listed(site, query)) == found


def test_s6_the_form_keeps_both_and_nobody_meets_themselves(site, store):
    store(*BASE)
    assert 'name="met" maxlength="128" value="Bo"' in listed(site, "player=Ann&met=Bo")
    answer = site.get("/hands/?player=Ann&met=Ann")
    assert answer.status_code == 400
    assert "Nobody meets themselves: name two players." in answer.content.decode()


def test_a_list_that_is_not_whole_yet_says_so(site, store):
    store(PAI_GOW)
    assert "still being looked into" in listed(site, "tile=66")
    assert "still being looked into" not in listed(site, "")
    note_holdings(seconds=60)
    assert "still being looked into" not in listed(site, "tile=66")


def test_a_filter_by_tile_can_be_saved_and_paged(site, stored):
    site.post("/hands/filters", {"name": "Heavens at the bank", "tile": "66", "seat": "bank"})
    html = listed(site, "")
    [query] = re.findall(r'href="/hands/\?([^"]*tile=66[^"]*)"', html)
    assert query.replace("&amp;", "&") == "tile=66&seat=bank"


def test_what_is_no_tile_is_told_with_the_filter(site, stored):
    answer = site.get("/hands/?tile=99")
    assert answer.status_code == 400
    assert "“tile”" in answer.content.decode()


def test_a_door_is_found_by_its_name(site, store):
    store(WENZHOU)
    note_holdings(seconds=60)
    hand = Hand.objects.get().hand_id
    assert hands_on(listed(site, "seat=dao")) == [hand]
    assert hands_on(listed(site, "seat=0")) == []
