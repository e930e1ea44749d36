"""The same hand under other rules, and under which known rules its log is right."""

from __future__ import annotations

import json

import pytest

import replay
from replay.simulate import simulate
from tests.golden_vectors import GOLDEN, rulesets
from tests.web.lines import PAI_GOW, TIEN_GOW, WENZHOU, planted, with_net

SHIPPED = {
    "tien-gow": ("tien-gow/classic@1", "tien-gow/alan-chan@1", "tien-gow/helic@1"),
    "banker-pai-gow": ("banker-pai-gow/bs-2022@1",),
    "wenzhou-pai-gow": ("wenzhou-pai-gow/live-2015@1",),
}


def errors(walk: replay.Walk) -> list[replay.Finding]:
    return [f for step in walk.steps for f in step.findings if f.severity == "error"]


@pytest.mark.parametrize("name", SHIPPED["tien-gow"])
def test_a_log_is_placed_at_the_rules_that_made_it(name: str) -> None:
    """Hands played under one ruleset, said to be of another: the bisect names the first."""
    ruleset = rulesets().get(name)
    assert ruleset is not None
    alone = 0
    for line in simulate("tien-gow", 60, 14, ruleset):
        hand = json.loads(line)
        for other in SHIPPED["tien-gow"]:
            hand["ruleset"] = other
            trials = replay.bisect(json.dumps(hand).encode(), rulesets())
            right = {trial.ruleset for trial in trials if trial.is_right}
            assert name in right
            assert [trial.ruleset for trial in trials if trial.is_named] == [other]
            alone += other != name and other not in right
    assert alone > 5


def test_a_trial_says_what_the_audit_says() -> None:
    for line in (GOLDEN / "tien-gow" / "planted.ndjson").read_bytes().splitlines()[:40]:
        try:
            trials = replay.bisect(line, rulesets())
        except replay.Refusal:
            continue
        for trial in trials[::7]:
            hand = json.loads(line)
            hand["ruleset"] = trial.ruleset
            verdict = replay.audit(json.dumps(hand).encode(), rulesets())
            found = [f for f in verdict.findings if f.severity == "error"]
            assert trial.is_right == (verdict.verdict != "discrepant") == (not found)
            if trial.first is not None:
                assert (trial.first.code, trial.first.event, trial.first.seat) == (
                    found[0].code, found[0].event, found[0].seat,
                )  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        with_net(PAI_GOW, 1, "-99.00"),
        planted("tien-gow", "units-mismatch"),
        planted("wenzhou-pai-gow", "profit-mismatch"),
        planted("banker-pai-gow", "rake-mismatch"),
        planted("banker-pai-gow", "gross-mismatch"),
    ],
    ids=["net", "units", "profit", "rake", "gross"],
)
def test_a_change_explains_a_log_just_when_it_makes_it_right(line: bytes) -> None:
    verdict = replay.audit(line, rulesets())
    explained = set(verdict.findings[-1].explained_by)
    hand = replay.read(line)
    ruleset = rulesets().get(hand.hand.ruleset)
    assert ruleset is not None
    changes = replay.changes_of(hand.game, ruleset)
    assert explained <= set(changes)
    for change in changes:
        tried = replay.what_if(line, rulesets(), change=change)
        wrong = [f for f in errors(tried.other) if f.event is None]
        is_stopped = tried.record.figures != () and tried.other.figures == ()
        assert (not wrong and not is_stopped) == (change in explained), change
        assert tried.record == replay.walk(line, rulesets())
        assert list(tried.differing) == [change.partition("=")[0]]


def test_the_walks_stand_side_by_side() -> None:
    tried = replay.what_if(TIEN_GOW, rulesets(), ruleset="tien-gow/helic@1", change="tg.min_jie=1")
    assert (tried.named, tried.tried) == ("tien-gow/classic@1", "tien-gow/helic@1")


@pytest.mark.parametrize(
    ("ruleset", "change"),
    [
        ("banker-pai-gow/bs-2022@1", None),
        ("tien-gow/classic@2", None),
        ("", None),
        (None, "tg.par=3"),
        (None, "pg.tie_rule=push"),
        (None, "tg.wen_zun=true_capturable"),
        (None, "wen_zun=off"),
        (None, ""),
        (None, "tg.slam=off=on"),
    ],
)
def test_what_is_no_rule_is_refused(ruleset: str | None, change: str | None) -> None:
    with pytest.raises(replay.UnknownRules):
        replay.what_if(TIEN_GOW, rulesets(), ruleset=ruleset, change=change)


def test_a_ruleset_is_not_changed_by_trying() -> None:
    before = {one.name: (one.sha256, dict(one.options)) for one in rulesets()}
    replay.what_if(WENZHOU, rulesets(), change="wz.odds_lose=0.93")
    after = {one.name: (one.sha256, dict(one.options)) for one in rulesets()}
    assert after == before
    assert replay.walk(WENZHOU, rulesets()) == replay.what_if(WENZHOU, rulesets()).record
