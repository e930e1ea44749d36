"""The page of players' names."""

from __future__ import annotations

import json
import re

import pytest

from audit.models import Hand, NameDecision, Rename
from audit.services.players import note_players
from tests.web.lines import GOLDEN, PAI_GOW

NAMES = (GOLDEN / "odd" / "names-accepted.ndjson").read_bytes().splitlines()


def renamed():
    """Two hands; the one at seat 2 is called otherwise in the second and brings what was left."""
    lines = []
    for number, (name, carry) in enumerate((("Ling", "1000"), ("Ling2", "1038")), start=1):
        hand = json.loads(PAI_GOW)
        clock = f"2025-03-01T10:0{number}:00+08:00"
        hand |= {"hand_id": str(number), "started_at": clock, "ended_at": clock}
        hand["seats"] = [
            seat | ({"player": name, "carry_in": carry} if seat["seat"] == 2 else {})
            for seat in hand["seats"]
        ]
        lines.append(json.dumps(hand).encode())
    return lines


def names_of(html):
    return re.findall(r'<bdi class="name">(.*?)</bdi>', html, re.S)


def test_svc_41_a_search_finds_the_name_and_offers_the_others(site, store):
    store(*NAMES)
    note_players(seconds=60)
    html = site.get("/players/?q=Ken").content.decode()
    names = names_of(html)
    assert (names[0], len(names)) == ("Ken", 4)
    assert html.count("exactly this name") == 1
    assert html.count("unusual characters</span>") == 3
    assert "K‹U+200B›en" in html
    everything = site.get("/players/").content.decode()
    assert "Ken" not in names_of(everything)
    assert "K\u200ben" in names_of(everything)
    # Each name stands by itself, so that no direction mark reaches beyond it.
    assert "<script>alert(1)</script>" not in everything
    assert re.search(r"<bdi[^>]*>\u202egnp.exe</bdi>", everything)


def test_a_name_that_nobody_has_still_finds_its_likes(site, store):
    store(*NAMES)
    note_players(seconds=60)
    html = site.get("/players/?q=KEN").content.decode()
    assert "No player has exactly this name." in html
    assert len(names_of(html)) == 4
    assert "No name looks like this one." in site.get("/players/?q=zzz").content.decode()


def test_svc_42_a_person_merges_and_takes_back(site, store):
    store(*renamed())
    note_players(seconds=60)
    html = site.get("/players/").content.decode()
    assert "<bdi>Ling</bdi> → <bdi>Ling2</bdi>" in html
    form = {"source": "odd", "name": "Ling", "other": "Ling2", "reason": "asked him"}
    refused = site.post("/players/decide", form | {"act": "one", "reason": ""}, follow=True)
    assert "A decision needs a reason." in refused.content.decode()
    site.post("/players/decide", form | {"act": "one"})
    html = site.get("/players/").content.decode()
    assert "decided below" in html
    assert re.search(r"one player</td>.*?asked him.*?ines.castro", html, re.S)
    site.post("/players/decide", form | {"act": "two", "reason": "another man"})
    assert list(NameDecision.objects.order_by("pk").values_list("is_one", "reason")) == [
        (True, "asked him"), (False, "another man"),
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["q=%00", "q=" + "x" * 129])
def test_a_damaged_search_is_told(site, query):
    assert site.get(f"/players/?{query}").status_code == 400


def test_lists_of_any_length_have_a_way_on(site, store, auditor):
    store(PAI_GOW)
    hand = Hand.objects.get().pk
    Rename.objects.bulk_create(
        Rename(source="odd", table="T1", seat=2, old_name=f"o{n}", new_name=f"n{n}", hand_id=hand)
        for n in range(450)
    )
    NameDecision.objects.bulk_create(
        NameDecision(source="odd", name=f"a{n}", other=f"b{n}", is_one=True, reason="r",
                     made_by=auditor)
        for n in range(510)
    )  # fmt: skip
    seen, address = [], "/players/?q=Ann"
    while address:
        html = site.get(address).content.decode()
        seen += re.findall(r"<bdi>o(\d+)</bdi> → ", html)
        assert html.count("<bdi>b509</bdi>") == 1
        ways = re.findall(r'href="(\?[^"]*)#renames" rel="next"', html)
        address = "/players/" + ways[0].replace("&amp;", "&") if ways else ""
        assert not ways or "q=Ann" in address
    assert seen == [str(n) for n in reversed(range(450))]
    (way,) = re.findall(r'href="(\?[^"]*)#decisions" rel="next"', html)
    html = site.get("/players/" + way.replace("&amp;", "&")).content.decode()
    assert re.findall(r"<bdi>b(\d+)</bdi>", html) == [str(n) for n in reversed(range(10))]
    # The other list stays where it was.
    assert re.findall(r"<bdi>o(\d+)</bdi> → ", html) == [str(n) for n in reversed(range(50))]


@pytest.mark.parametrize("query", ["renames=x", "decisions=x", "renames=n.1.2", "cursor=n.1"])
def test_a_damaged_way_on_is_told(site, query):
    assert site.get(f"/players/?{query}").status_code == 400
