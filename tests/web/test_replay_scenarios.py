"""Scenarios of the replay pages (golden/odd/service.md: SVC-18, 24, 26, 66 to 69)."""

import json
import re

import pytest

import replay
from audit import selectors
from audit.models import Hand
from tests.web.lines import GOLDEN, PAI_GOW, WENZHOU


def odd(name):
    return (GOLDEN / "odd" / f"{name}.ndjson").read_bytes().splitlines()


@pytest.fixture
def at(store):
    def run(line):
        store(line)
        walk = replay.walk(line, selectors.current_rulesets())
        return f"/hands/{Hand.objects.latest('pk').pk}/", walk

    return run


def page(site, url):
    answer = site.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def where(html):
    """What stands over the slider."""
    return text_of(re.search(r'<p class="where">.*?</p>', html, re.S).group())


def events(html):
    """The words of each event of the list, by its step."""
    lines = re.findall(r'data-key="event-(\d+)"(.*?)</a>', html, re.S)
    return {int(number): text_of(f"<a{words}") for number, words in lines}


def test_svc_24_by_the_timer_or_by_the_player(site, at):
    line = odd("repeats-clocks-timers")[6]
    index = next(i for i, event in enumerate(json.loads(line)["events"]) if event.get("auto"))
    address, _ = at(line)
    html = page(site, f"{address}steps/{index + 1}/")
    assert "by the timer" in where(html)
    assert "by timer" in events(html)[index + 1]
    assert "decided by the timer" in text_of(html)
    hand = json.loads(line)
    del hand["events"][index]["auto"]
    hand["hand_id"] = "by-hand"
    address, _ = at(json.dumps(hand).encode())
    html = page(site, f"{address}steps/{index + 1}/")
    assert "by the player" in where(html)
    assert "timer" not in text_of(html).replace("Keyboard", "")


def test_svc_26_a_clock_that_steps_back(site, at):
    line = odd("repeats-clocks-timers")[2]
    clocks = [event["ms"] for event in json.loads(line)["events"]]
    back = next(i for i in range(1, len(clocks)) if clocks[i] < clocks[i - 1])
    address, walk = at(line)
    assert [(step.number, step.event) for step in walk.steps[1:]] == [
        (index + 1, index) for index in range(len(clocks))
    ]
    assert [f.code for f in walk.steps[back + 1].findings] == ["time-backwards"]
    html = page(site, f"{address}steps/{back + 1}/")
    assert "how long it took is unknown: the clock stepped back" in where(html)
    assert "time since the start unknown" in where(html)
    assert "unknown" in events(html)[back + 1]
    before = page(site, f"{address}steps/{back}/")
    assert "unknown" not in where(before)
    after = where(page(site, f"{address}steps/{back + 3}/"))
    assert "time since the start unknown" in after
    assert "1.0 s" in after  # what lies wholly behind the step is known again


def test_svc_66_equal_actions_have_their_own_addresses(site, at):
    hand = json.loads(WENZHOU)
    deals = [i for i, event in enumerate(hand["events"]) if event["type"] == "deal"]
    rescan = {"type": "rescan", "position": "chu"}
    hand["events"].insert(deals[5] + 1, dict(rescan))
    hand["events"].insert(deals[1] + 1, dict(rescan))
    address, walk = at(json.dumps(hand).encode())
    first, second = [step.number for step in walk.steps if step.kind == "rescan"]
    html = page(site, f"{address}steps/{first}/")
    links = dict(re.findall(r'href="([^"]*/steps/\d+/)" data-step data-key="event-(\d+)"', html))
    assert links[f"{address}steps/{second}/"] == str(second)
    html = page(site, f"{address}steps/{second}/")
    assert re.search(rf'data-key="event-{second}" aria-current="step"', html)
    assert not re.search(rf'data-key="event-{first}" aria-current="step"', html)


def test_svc_67_where_a_replay_stops(site, at):
    line = odd("tien-gow-play")[4]
    address, walk = at(line)
    stop = next(step.number for step in walk.steps if not step.is_judged) - 1
    html = page(site, f"{address}steps/{stop}/")
    assert "Replay stops here." in html
    assert "Settlement, logged beside recomputed" not in html
    assert "Result as logged" in html
    late = page(site, f"{address}steps/{stop + 1}/")
    assert "Not judged" in late
    assert walk.figures == ()


def test_svc_68_both_copies_are_two_tiles(site, at):
    for line in odd("tiles-order")[:2]:
        address, walk = at(line)
        for step in walk.steps:
            html = page(site, f"{address}steps/{step.number}/")
            board = html[html.index('class="match"') : html.index('aria-label="Steps"')]
            held = [tile for view in step.board.seats for tile in view.holding]
            assert sorted(re.findall(r"#t(\d\d)\"", board)) == sorted(held)
        if step.board.seats[3].holding == ("11", "11"):
            assert held.count("66") == held.count("11") == 2
        else:
            # Shown as 36 and 66, dealt as 66 and 36: one rank.
            assert step.board.seats[0].hand_name_hant == "天王"


def test_svc_69_seats_stand_counter_clockwise_in_the_order_of_play(site, at):
    address, walk = at(PAI_GOW)
    shows = [step.seat for step in walk.steps if step.kind == "reveal"]
    assert shows == [2, 1, 0, 3]
    dice = next(step for step in walk.steps if step.kind == "dice")
    assert "東 is dealt first" in (dice.board.dice_note or "")
    html = page(site, f"{address}steps/{len(walk.steps) - 1}/")
    order = re.findall(r'<section class="(?:foe|bank)[^>]*aria-label="(?:Banker, )?(\w+),', html)
    assert order == ["West", "South", "East", "North"]


def test_svc_18_nothing_is_rounded_away(site, at):
    for line in odd("one-unit"):
        address, walk = at(line)
        wrong = [figure for figure in walk.figures if figure.findings]
        assert wrong
        html = page(site, address)
        for figure in wrong:
            assert figure.logged.replace("-", "−") in html
            assert figure.recomputed.replace("-", "−") in html
        assert "Every logged figure is right" not in html


@pytest.mark.parametrize("line", [PAI_GOW, WENZHOU], ids=["pg", "wz"])
def test_every_view_says_that_it_is_a_replay(site, at, line):
    address, walk = at(line)
    for path in ("", "steps/0/", f"steps/{len(walk.steps) - 1}/", "steps/2/?as=public"):
        assert "Replay" in page(site, f"{address}{path}")
    assert "Not the record." in page(site, f"{address}what-if/")


def test_the_wall_lies_open_to_the_auditor_alone(site, at):
    ruleset = selectors.current_rulesets().get("tien-gow/classic@1")
    line = next(
        line for line in replay.simulate("tien-gow", 60, 5, ruleset) if b'"type":"wall"' in line
    )
    wall = next(e for e in json.loads(line)["events"] if e["type"] == "wall")
    address, walk = at(line)
    html = page(site, f"{address}steps/3/")
    panel = re.search(r'<details class="panel trails wall".*?</details>', html, re.S).group()
    drawn = [re.findall(r"#t(\d\d)\"", stack) for stack in panel.split("<li>")[1:]]
    assert drawn == wall["stacks"]
    last = len(walk.steps) - 1
    for viewer in ("public", "seat-0"):
        for number in (3, last):
            assert "The wall, as logged" not in page(site, f"{address}steps/{number}/?as={viewer}")
