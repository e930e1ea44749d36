"""Checks across hands (FORMAT 6.6): the golden chains, audited with `--continuity`."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize(("game", "name"), CHAINS)
def test_hands_are_compared_without_being_judged_again(game: str, name: str) -> None:
    """The stored verdict of the earlier hand and both records are all that it takes."""
    last: dict[tuple[str, str], tuple[bytes, dict[str, object] | None]] = {}
    for vector in vectors(game, name):
        audited = replay.audit_line(vector.line, rulesets(), number=vector.number)
        if audited.hand is None:
            continue
        place = (audited.hand.source, audited.hand.table)
        found: tuple[replay.Finding, ...] = ()
        if place in last:
            line, settlement = last[place]
            stored = None if settlement is None else json.loads(json.dumps(settlement))
            earlier = replay.summarise(replay.read(line).hand, stored, rulesets())
            found = replay.compare(earlier, replay.read(vector.line).hand)
        assert_same_verdict(replay.with_findings(audited.verdict, found), vector.expected)
        last[place] = (vector.line, audited.verdict.settlement)


def test_a_comparison_that_finds_nothing_leaves_the_verdict_as_it_is() -> None:
    verdict = replay.audit(next(vectors("tien-gow", "clean")).line, rulesets())
    assert replay.with_findings(verdict, ()) is verdict


def test_a_warning_across_hands_leaves_the_kind_of_the_verdict() -> None:
    """FORMAT 6.4, 28: a carry that does not join is a warning, a wrong banker an error."""
    kinds = set()
    for game in ("banker-pai-gow", "tien-gow"):
        continuity = replay.Continuity(rulesets())
        for vector in vectors(game, "continuity"):
            audited = replay.audit_line(vector.line, rulesets(), number=vector.number)
            verdict = continuity.judge(audited)
            more = verdict.findings[len(audited.verdict.findings) :]
            is_error = any(finding.severity == "error" for finding in more)
            assert verdict.verdict == ("discrepant" if is_error else audited.verdict.verdict)
            kinds.add((audited.verdict.verdict, bool(more), is_error))
    assert {("clean", True, False), ("clean", True, True)} <= kinds
