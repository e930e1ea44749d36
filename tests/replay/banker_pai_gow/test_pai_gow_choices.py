"""What may be bid and bet is what the replay accepts."""

from __future__ import annotations

import json

import pytest

import replay
from replay.simulate import simulate
from tests.golden_vectors import rulesets

RULESET = "banker-pai-gow/bs-2022@1"
REFUSED = {"bid-illegal", "bet-illegal"}


def hands(count: int, seed: int) -> list[bytes]:
    ruleset = rulesets().get(RULESET)
    assert ruleset is not None
    return list(simulate("banker-pai-gow", count, seed, ruleset))


def test_every_multiple_that_is_open_is_accepted_and_no_other() -> None:
    tried = 0
    for line in hands(6, 2):
        for step in replay.walk(line, rulesets()).steps:
            if step.kind not in ("bid", "bet"):
                assert step.decision is None
                continue
            assert step.decision is not None
            open_ones = [choice.title for choice in step.decision.choices]
            for multiple in range(-1, 40):
                raw = json.loads(line)
                event = raw["events"][step.event]
                event["multiple"] = multiple
                event.pop("auto", None)
                codes = {
                    finding.code
                    for finding in replay.audit(json.dumps(raw).encode(), rulesets()).findings
                    if finding.event == step.event
                }
                title = "no bid" if step.kind == "bid" and not multiple else f"×{multiple}"
                assert bool(codes & REFUSED) == (title not in open_ones)
                tried += 1
    assert tried > 500


@pytest.mark.parametrize("kind", ["bid", "bet"])
def test_a_seat_out_of_time_is_forced(kind: str) -> None:
    raw = json.loads(hands(1, 2)[0])
    event = next(event for event in raw["events"] if event["type"] == kind)
    event["auto"] = True
    event["multiple"] = 0 if kind == "bid" else raw["stakes"]["bet_multiples"][0]
    event.pop("offered", None)
    steps = replay.walk(json.dumps(raw).encode(), rulesets()).steps
    step = next(step for step in steps if step.kind == kind and step.is_auto)
    assert step.decision is not None
    assert step.decision.freedom == "forced"
    assert [choice.is_taken for choice in step.decision.choices].count(True) == 1


def test_a_list_of_its_own_is_named_by_its_rule() -> None:
    raw = json.loads(hands(1, 2)[0])
    event = next(event for event in raw["events"] if event["type"] == "bet")
    event["offered"] = [event["multiple"]]
    steps = replay.walk(json.dumps(raw).encode(), rulesets()).steps
    step = next(step for step in steps if step.kind == "bet")
    assert step.decision is not None
    assert (step.decision.freedom, step.decision.rule) == ("forced", "PG-8")
