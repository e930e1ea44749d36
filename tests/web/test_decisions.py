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
