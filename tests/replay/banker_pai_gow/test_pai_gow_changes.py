"""A right hand with one event changed gives a finding or the same settlement, and never a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import replay
from tests.golden_vectors import rulesets, vectors


def changes(hand: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each event dropped, doubled, moved one on, and given to the next seat."""
    events = hand["events"]
    for index, event in enumerate(events):
        before, after = events[:index], events[index + 1 :]
        yield {**hand, "events": [*before, *after]}
        yield {**hand, "events": [*before, event, event, *after]}
        if after:
            yield {**hand, "events": [*before, after[0], event, *after[1:]]}
        if "seat" in event:
            moved = {**event, "seat": (event["seat"] + 1) % 4}
            yield {**hand, "events": [*before, moved, *after]}


def test_every_single_change_of_the_events_of_every_clean_hand() -> None:
    count = walked = 0
    for vector in vectors("banker-pai-gow", "clean"):
        hand = json.loads(vector.line)
        for number, changed in enumerate(changes(hand)):
            line = json.dumps(changed).encode()
            verdict = replay.audit(line, rulesets())
            assert verdict.verdict != "rejected"
            if not verdict.findings:
                assert verdict.settlement == vector.expected["settlement"]
            count += 1
            # Telling costs more than judging: a part of them will do, every kind of change in it.
            if number % 7 == vector.number % 7:
                walk = replay.walk(line, rulesets())
                assert len(walk.steps) == len(changed["events"]) + 1
                walked += 1
    assert count > 5000
    assert walked > 700


def test_a_prefix_replays_to_a_prefix_of_the_steps() -> None:
    for vector in list(vectors("banker-pai-gow", "clean"))[::8]:
        hand = json.loads(vector.line)
        whole = replay.walk(vector.line, rulesets()).steps
        for length in range(len(hand["events"])):
            cut = json.dumps({**hand, "events": hand["events"][:length]}).encode()
            steps = replay.walk(cut, rulesets()).steps
            # The end that came too early is a finding on the last step, not another step.
            assert steps[:-1] == whole[:length]
            assert (steps[-1].text, steps[-1].board) == (whole[length].text, whole[length].board)
