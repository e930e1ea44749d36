"""Forced or free: shown to the auditor and to the seat itself, to nobody else."""

import re

import pytest

import replay
from audit import selectors
from audit.models import Hand
from tests.web.lines import PAI_GOW, TIEN_GOW, planted


@pytest.fixture
def at(store):
    def run(line):
        store(line)
        walk = replay.walk(line, selectors.current_rulesets())
        return f"/hands/{Hand.objects.get().pk}/", walk

    return run


def decision(site, url):
    html = site.get(url).content.decode()
    found = re.search(r'<section class="panel decision".*?</section>', html, re.S)
    return None if found is None else found.group()


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW], ids=["pg", "tg"])
def test_each_decision_is_shown_with_all_its_choices(site, at, line):
    address, walk = at(line)
    for step in walk.steps:
        shown = decision(site, f"{address}steps/{step.number}/")
        if step.decision is None:
            assert shown is None
            continue
        assert shown.count('<li class="choice') == len(step.decision.choices)
        assert shown.count("taken</span>") == 1


def test_others_do_not_see_what_a_seat_could_have_done(site, at):
    address, walk = at(TIEN_GOW)
    for step in walk.steps[:-1]:
        for viewer in ("public", *(f"seat-{seat}" for seat in range(4))):
            shown = decision(site, f"{address}steps/{step.number}/?as={viewer}")
            is_own = viewer == f"seat-{step.seat}"
            assert (shown is not None) == (is_own and step.decision is not None)


def test_what_the_rules_refused_stands_beside_what_was_open(site, at):
    address, walk = at(planted("tien-gow", "follow-illegal"))
    stop = next(step.number for step in walk.steps if step.findings)
    shown = decision(site, f"{address}steps/{stop}/")
    assert "What the log says was not among them." in shown
    assert "taken</span>" not in shown


@pytest.mark.parametrize("line", [PAI_GOW, TIEN_GOW], ids=["pg", "tg"])
def test_the_list_counts_how_many_decisions_were_forced(site, at, line):
    address, walk = at(line)
    decisions = [step.decision for step in walk.steps if step.decision is not None]
    forced = sum(1 for one in decisions if one.freedom == "forced")
    told = f"{forced} of {len(decisions)} decisions were forced"
    for number in (0, 5, len(walk.steps) - 1):
        assert site.get(f"{address}steps/{number}/").content.decode().count(told) == 1
    # Nobody else hears how free the others were.
    before = len(walk.steps) - 3
    assert (
        "decisions were forced"
        not in site.get(f"{address}steps/{before}/?as=public").content.decode()
    )


def test_a_seats_decisions_are_gone_through_both_ways(site, at):
    address, walk = at(TIEN_GOW)
    acts = [s.number for s in walk.steps if s.seat == 2 and s.kind in ("play", "discard")]
    for here in (0, acts[0], acts[1], acts[1] + 1, len(walk.steps) - 1):
        html = site.get(f"{address}steps/{here}/").content.decode()
        before = [number for number in acts if number < here]
        behind = [number for number in acts if number > here]
        for name, number in (
            ("previous-decision-3", before[-1] if before else None),
            ("decision-3", behind[0] if behind else None),
        ):
            link = re.search(rf'<a class="btn[^>]*data-key="{name}"[^>]*>', html).group()
            if number is None:
                assert 'aria-disabled="true"' in link
                assert "href" not in link
            else:
                assert f'href="{address}steps/{number}/"' in link


def test_the_list_of_events_says_where_one_is_and_nowhere_else(site, at):
    """It is drawn once for all steps, and the mark put in."""
    address, walk = at(TIEN_GOW)
    for step in walk.steps:
        html = site.get(f"{address}steps/{step.number}/").content.decode()
        events = html.split('<section class="panel events"')[1].split("</section>")[0]
        current = re.findall(r'data-key="event-(\d+)" aria-current="step"', events)
        assert current == ([str(step.number)] if step.number else [])
        assert events.count("aria-current") == len(current)
        (first,) = re.findall(r'<details data-first="(\d+)" open>', events)
        members = [s.number for s in walk.steps if s.part.key == step.part.key and s.number]
        assert int(first) == members[0]
