"""The pages of a hand as a seat, the public and the auditor see it (SVC-56 to 58, 60, 63)."""

from __future__ import annotations

import json
import random
import re

import pytest
from django.db import transaction

import replay
from audit import selectors
from audit.models import Hand
from replay.tiles import CODES
from tests.look_alikes import look_alike, shown_tiles
from tests.web.lines import (
    BASE,
    DECLARED,
    PAI_GOW,
    SMALL,
    TIEN_GOW,
    WENZHOU,
    changed,
    planted,
    with_net,
)

VIEWERS = ("public", "seat-0", "seat-1", "seat-2", "seat-3")
IDS = ["pg", "tg-declared", "tg", "small", "wz"]
REGION = {"X-Tilecourt-Region": "1"}
# What a sign-out form and the store put into a page, whatever the hand is.
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')


@pytest.fixture
def address(store):
    """Store a line and give the address of its hand."""

    def run(line):
        store(line)
        return f"/hands/{Hand.objects.latest('pk').pk}/"

    return run


def page(site, url, **headers):
    answer = site.get(url, headers=headers)
    assert answer.status_code == 200, url
    return answer.content.decode()


def faces(html):
    """The tiles that are drawn with their face."""
    return set(re.findall(r"#t(\d\d)\"", html))


def names(html):
    """The tiles that are named for a screen reader or in words, by their code and name."""
    known = {f"{kind.code} {kind.hant}": kind.code for kind in replay.KINDS}
    return {code for words, code in known.items() if words in html}


def last_step(line):
    return len(json.loads(line)["events"])


def open_tiles(line, viewer, number):
    past = json.loads(line)["events"][:number]
    shown = set()
    for event in past:
        is_own = viewer == f"seat-{event.get('seat')}" or "position" in event
        if event["type"] in ("play", "reveal") or (
            event["type"] in ("deal", "discard")
            and (is_own or shown_tiles(past, event["seat"]) is None)
        ):
            shown.update(event["tiles"])
    return shown


@pytest.mark.parametrize("line", BASE, ids=IDS)
def test_no_page_before_the_reveal_shows_what_was_not_shown(site, address, line):
    at = address(line)
    viewers = VIEWERS if line != WENZHOU else ("public",)
    for viewer in viewers:
        for number in range(last_step(line) + 1):
            sight = replay.seen(
                line, selectors.current_rulesets(), replay.parse_viewpoint(viewer), number
            )
            html = page(site, f"{at}steps/{number}/?as={viewer}")
            assert html.count(f'data-number="{number}"') == 1
            if sight.is_revealed:
                continue
            allowed = open_tiles(line, viewer, number)
            assert faces(html) <= allowed, (viewer, number)
            assert names(html) <= allowed, (viewer, number)


def test_a_guest_sees_backs_after_the_last_deal(site, address):
    """SVC-56: neither faces, names, findings, figures nor the record are there."""
    at = address(PAI_GOW)
    events = json.loads(PAI_GOW)["events"]
    number = max(i for i, event in enumerate(events) if event["type"] == "deal") + 1
    answer = site.get(f"{at}steps/{number}/?as=public")
    html = answer.content.decode()
    assert faces(html) == set()
    assert html.count('aria-label="Tile face down"') >= 8
    for code in CODES:
        assert f"t{code}" not in html.replace("static", "")
    for word in ("Settlement", "sha", "SHA", "Download", "/record", "/verdict", "/uploads/1"):
        assert word not in html, word
    assert "ETag" not in answer.headers


def test_a_seat_sees_its_own_tiles(site, address):
    at = address(TIEN_GOW)
    events = json.loads(TIEN_GOW)["events"]
    dealt = {event["seat"]: set(event["tiles"]) for event in events if event["type"] == "deal"}
    number = max(i for i, event in enumerate(events) if event["type"] == "deal") + 1
    for seat in range(4):
        assert faces(page(site, f"{at}steps/{number}/?as=seat-{seat}")) == dealt[seat]
    assert faces(page(site, f"{at}steps/{number}/")) == set().union(*dealt.values())


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("line", [PAI_GOW, DECLARED, TIEN_GOW, SMALL], ids=IDS[:4])
def test_pages_of_hands_that_look_alike_are_byte_equal(site, store, line, viewer):
    chance = random.Random(f"{viewer}{line[:60]!r}")
    viewpoint = replay.parse_viewpoint(viewer)
    rulesets = selectors.current_rulesets()
    steps = [
        number
        for number in range(last_step(line))
        if not replay.seen(line, rulesets, viewpoint, number).is_revealed
    ]
    for number in chance.sample(steps, 3):
        other = look_alike(line, viewpoint, number, chance)
        assert other != line
        shown = [rendered(site, store, one, viewer, number) for one in (line, other)]
        for mine, its in zip(*shown, strict=True):
            assert mine[0].splitlines() == its[0].splitlines()
            assert mine == its


def rendered(site, store, line, viewer, number):
    """The page and its region for a line that is stored alone, without what the store numbered."""
    with transaction.atomic():
        store(line)
        hand = Hand.objects.get()
        at = f"/hands/{hand.pk}/"
        answers = [
            site.get(f"{at}steps/{number}/?as={viewer}", headers=headers)
            for headers in ({}, REGION)
        ]
        transaction.set_rollback(True)
    bodies = []
    for answer in answers:
        assert answer.status_code == 200
        html = answer.content.decode().replace(at, "/hands/N/")
        bodies.append((TOKEN.sub("", html), sorted(answer.headers.items())))
    # A length tells nothing, either: the number of the hand and the token are as long for each.
    return [
        (
            html,
            [
                pair
                for pair in headers
                if pair[0] not in ("Content-Length", "Expires", "Set-Cookie")
            ],
        )
        for html, headers in bodies
    ]


def test_a_declared_hand_never_shows_the_tiles_of_the_others(site, address):
    """SVC-57: at no step, not after the end and back."""
    at = address(DECLARED)
    last = last_step(DECLARED)
    events = json.loads(DECLARED)["events"]
    declarer = next(event["seat"] for event in events if event["type"] == "declare")
    dealt = {event["seat"]: event["tiles"] for event in events if event["type"] == "deal"}
    allowed = set(dealt[3]) | set(dealt[declarer])
    for number in (*range(last + 1), 2, last, 0):
        assert faces(page(site, f"{at}steps/{number}/?as=seat-3")) <= allowed
    end = page(site, f"{at}steps/{last}/?as=seat-3")
    assert "Settlement, logged beside recomputed" in end
    assert site.get(f"{at}record?as=seat-3").status_code == 403
    assert site.get(f"{at}verdict?as=seat-3").status_code == 403


def test_what_tells_how_a_hand_ended_is_the_auditors_alone(site, address):
    at = address(TIEN_GOW)
    desk = f"/desk{at}"
    pages = ("record", "verdict", "what-if/", "bundle", "reaudits")
    addresses = (desk, *(f"{at}{name}" for name in pages))
    for viewer in ("seat-0", "public"):
        answers = [site.get(f"{address}?as={viewer}").status_code for address in addresses]
        assert answers == [403] * len(addresses)
    assert [site.get(f"{one}?as=nobody").status_code for one in addresses] == [404] * len(addresses)
    assert site.get(f"{desk}?as=auditor").status_code == 302


def test_the_settlement_waits_for_the_end(site, address):
    at = address(TIEN_GOW)
    last = last_step(TIEN_GOW)
    for headers in ({}, REGION):
        early = page(site, f"{at}steps/{last - 1}/?as=seat-1", **headers)
        late = page(site, f"{at}steps/{last}/?as=seat-1", **headers)
        assert "Settlement, logged" not in early
        assert late.count("Settlement, logged beside recomputed") == 1
    assert page(site, f"{at}steps/3/").count("Settlement, logged beside recomputed") == 1


def test_findings_wait_until_what_they_tell_is_known(site, address):
    line = with_net(PAI_GOW, 1, "-99.00")
    at = address(line)
    last = last_step(line)
    for number in range(last):
        html = page(site, f"{at}steps/{number}/?as=seat-0")
        if "Settlement" not in html:
            assert "net-mismatch" not in html
            assert "chip-discrepant" not in html
    assert "net-mismatch" in page(site, f"{at}steps/{last}/?as=seat-0")


def test_what_lies_ahead_is_not_told(site, address):
    """No number of steps, no later part, no later event."""
    at = address(TIEN_GOW)
    html = page(site, f"{at}steps/6/?as=seat-2")
    assert "<strong>Step 6</strong>" in html
    assert "Step 6 of" not in html
    numbers = {int(number) for number in re.findall(r"/steps/(\d+)/", html)}
    assert max(numbers) == 7
    assert 'max="6"' in html


def test_places_ahead_are_looked_up(site, address):
    at = address(TIEN_GOW)
    last = last_step(TIEN_GOW)
    html = page(site, f"{at}steps/6/?as=seat-2")
    goals = {
        name: url.replace("&amp;", "&")
        for url, name in re.findall(r'href="([^"]*)" data-step data-goal="([^"]*)"', html)
    }
    assert goals["last"] == f"{at}steps/?to=last&from=6&as=seat-2"
    assert site.get(goals["last"]).headers["Location"] == f"{at}steps/{last}/?as=seat-2"
    walk = replay.walk(TIEN_GOW, selectors.current_rulesets())
    acts = [
        step.number for step in walk.steps if step.seat == 1 and step.kind in ("play", "discard")
    ]
    after = next(number for number in acts if number > 6)
    assert site.get(goals["decision-2"]).headers["Location"] == f"{at}steps/{after}/?as=seat-2"
    for name in ("next-finding", "next", "nowhere", ""):
        assert site.get(f"{at}steps/?to={name}&from=6&as=seat-2").status_code == 404
    for number in ("", "-1", "x", "99999"):
        assert site.get(f"{at}steps/?to=last&from={number}").status_code == 404


def test_the_viewer_is_named_once_and_by_nothing_else(site, address):
    """SVC-60: other parameters change nothing; two viewers or none that exists are no address."""
    at = address(TIEN_GOW)
    plain = TOKEN.sub("", page(site, f"{at}steps/9/?as=seat-1"))
    for more in ("seat=3", "viewer=auditor", "player=ann", "AS=auditor", "version=1"):
        assert TOKEN.sub("", page(site, f"{at}steps/9/?as=seat-1&{more}")) == plain
    for query in ("as=seat-1&as=auditor", "as=auditor&as=seat-1", "as=", "as=seat-4", "as=Public"):
        assert site.get(f"{at}steps/9/?{query}").status_code == 404
    assert site.get(f"{at}steps/999/?as=seat-1").status_code == 404


def test_a_game_without_seats_has_no_seat_to_look_from(site, address):
    at = address(WENZHOU)
    assert site.get(f"{at}steps/3/?as=seat-1").status_code == 404
    html = page(site, f"{at}steps/3/?as=public")
    assert re.findall(r'href="[^"]*as=(seat-\d)"', html) == []


@pytest.mark.parametrize("viewer", ["auditor", *VIEWERS])
def test_no_view_is_kept_by_a_shared_cache(site, address, viewer):
    """SVC-63."""
    at = address(PAI_GOW)
    for url in (f"{at}?as={viewer}", f"{at}steps/4/?as={viewer}", f"{at}steps/99/?as={viewer}"):
        answer = site.get(url)
        rules = {rule.strip() for rule in answer.headers["Cache-Control"].split(",")}
        assert {"private", "no-store"} <= rules
        assert not any(rule.startswith(("public", "s-maxage")) for rule in rules)
        if answer.status_code == 200:
            assert "Cookie" in answer.headers["Vary"]


def test_one_state_whichever_way_one_came(site, address):
    """SVC-65: a step is the same page after any walk to it."""
    for line in (PAI_GOW, TIEN_GOW):
        at = address(line)
        last = last_step(line)
        for viewer in ("auditor", "seat-3", "public"):
            url = f"{at}steps/{{}}/?as={viewer}"
            first = [page(site, url.format(n), **REGION) for n in range(last + 1)]
            assert [page(site, url.format(n), **REGION) for n in range(last, -1, -1)] == first[::-1]


def test_the_switch_leads_to_the_same_step(site, address):
    at = address(TIEN_GOW)
    html = page(site, f"{at}steps/5/?as=seat-2")
    switch = html[html.index('aria-label="Seen as"') : html.index("</nav>", html.index("Seen as"))]
    assert re.findall(r'href="([^"]*)"( aria-current="true")?', switch) == [
        (f"{at}steps/5/", ""),
        (f"{at}steps/5/?as=seat-0", ""),
        (f"{at}steps/5/?as=seat-1", ""),
        (f"{at}steps/5/?as=seat-2", ' aria-current="true"'),
        (f"{at}steps/5/?as=seat-3", ""),
        (f"{at}steps/5/?as=public", ""),
    ]


def test_a_conflict_shows_no_other_version_to_a_seat(site, store):
    store(TIEN_GOW)
    store(changed(TIEN_GOW, ended_at="2030-01-01T00:00:00Z"))
    at = f"/hands/{Hand.objects.get().pk}/"
    assert "Where this hand came from" in page(site, f"{at}steps/5/")
    html = page(site, f"{at}steps/5/?as=seat-2")
    for word in ("Where this hand came from", "Another record", "2030", "Version"):
        assert word not in html


def test_a_refused_play_is_seen_by_all_who_could_see_it(site, address):
    line = planted("tien-gow", "follow-illegal")
    at = address(line)
    walk = replay.walk(line, selectors.current_rulesets())
    stop = next(step.number for step in walk.steps if step.findings)
    html = page(site, f"{at}steps/{stop}/?as=public")
    assert "<code>follow-illegal</code>" in html
    assert faces(html) <= open_tiles(line, "public", stop)
