"""Checks across hands (FORMAT 6.6): the golden chains, audited with `--continuity`."""

from __future__ import annotations

import pytest

import replay
from tests.golden_vectors import assert_same_verdict, rulesets, vectors

CHAINS = [
    (game, name)
    for game in ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
    for name in ("continuity", "continuity-gaps")
]


@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_each_hand_of_a_chain_gets_its_verdict(game: str, name: str) -> None:
    continuity = replay.Continuity(rulesets())
    for vector in vectors(game, name):
        audited = replay.audit_line(vector.line, rulesets(), number=vector.number)
        assert_same_verdict(continuity.judge(audited), vector.expected)


def test_a_finding_across_hands_changes_the_digest() -> None:
    continuity = replay.Continuity(rulesets())
    changed = 0
    for vector in vectors("tien-gow", "continuity"):
        audited = replay.audit_line(vector.line, rulesets(), number=vector.number)
        verdict = continuity.judge(audited)
        same = verdict.findings == audited.verdict.findings
        assert (verdict.replay_digest == audited.verdict.replay_digest) == same
        changed += not same
    assert changed > 0
