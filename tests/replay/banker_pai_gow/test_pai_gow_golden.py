"""Every golden vector of banker-bidding Pai Gow gives the whole expected verdict."""

from __future__ import annotations

from itertools import pairwise

import pytest

import replay
from replay.banker_pai_gow import GAME
from replay.banker_pai_gow.options import prepare
from replay.banker_pai_gow.payout import judge as settle_and_compare
from tests.golden_vectors import Vector, assert_same_verdict, judge, rulesets, vectors

FILES = ("worked", "clean", "planted", "options", "rejected", "gaps")
CHAINS = ("continuity", "continuity-gaps")
VECTORS = list(vectors("banker-pai-gow", *FILES))
READABLE = [
    vector
    for vector in vectors("banker-pai-gow", *FILES, *CHAINS)
    # A chain has a hand of another game between.
    if vector.expected["verdict"] != "rejected" and replay.read(vector.line).game is GAME
]

# Every code that a single hand of this game can have (FORMAT 6.5).
CODES = {
    "event-order", "time-backwards", "tile-excess", "deal-count", "deal-order", "tile-not-held",
    "bid-illegal", "bet-illegal", "auto-default", "banker-wrong", "banker-multiple",
    "reveal-order", "rank-mismatch", "compare-mismatch", "theoretical-mismatch",
    "gross-mismatch", "rake-mismatch", "net-mismatch", "valid-bet-mismatch",
    "carry-out-mismatch", "not-conserved", "result-missing",
}  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_each_vector_gets_its_verdict(vector: Vector) -> None:
    assert_same_verdict(judge(vector), vector.expected)


def test_the_planted_hands_reach_every_code_of_the_game() -> None:
    found = {
        finding.code
        for vector in vectors("banker-pai-gow", "planted")
        for finding in judge(vector).findings
    }
    assert found == CODES


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_each_hand_can_be_told_and_derived(vector: Vector) -> None:
    found = replay.read(vector.line)
    ruleset = rulesets().get(found.hand.ruleset)
    assert ruleset is not None
    rules = prepare(ruleset.options)
    hand = found.hand
    judgement = settle_and_compare(hand, found.facts, rules)

    steps = GAME.tell(hand, found.facts, rules)
    assert [step.number for step in steps] == list(range(len(hand.events) + 1))
    assert [step.event for step in steps[1:]] == list(range(len(hand.events)))
    assert all(step.text and step.sentence.endswith(".") for step in steps)
    # Once the replay has stopped nothing is judged, and the board stays as it was.
    for before, after in pairwise(steps):
        if not after.is_judged:
            assert after.board == before.board
    stops = [f.event for f in judgement.findings if replay.CODES[f.code].stops]
    judged = [step.event for step in steps if step.is_judged]
    if stops and stops[0] is not None:
        assert judged[-1] == stops[0]
        assert ", refused: " in steps[stops[0] + 1].text
    else:
        assert len(judged) == len(steps)

    figures = GAME.derive(hand, found.facts, rules)
    if judgement.settlement is None:
        assert figures == ()
        return
    names = ["theoretical", "gross", "rake", "net", "valid_bet", "carry_out"]
    assert [(figure.seat, figure.name) for figure in figures] == [
        (seat, name) for seat in range(4) for name in names
    ]
    due = {
        (seat["seat"], name): seat[name]
        for seat in GAME.render(judgement.settlement, hand.minor_digits)["seats"]
        for name in ("gross", "rake", "net", "valid_bet")
    }
    for figure in figures:
        assert figure.stages[-1].value == figure.recomputed
        assert figure.stages[-1].name == figure.name
        assert figure.stages[-1].logged == figure.logged
        if figure.name in ("gross", "rake", "net", "valid_bet"):
            assert figure.recomputed == due[figure.seat, figure.name]


def test_a_figure_is_found_wrong_exactly_where_logged_and_recomputed_differ() -> None:
    wrong = 0
    for vector in READABLE:
        verdict = judge(vector)
        if verdict.settlement is None:
            continue
        found = replay.read(vector.line)
        ruleset = rulesets().get(found.hand.ruleset)
        assert ruleset is not None
        figures = GAME.derive(found.hand, found.facts, prepare(ruleset.options))
        expected = [
            (f"{figure.name}-mismatch".replace("_", "-"), figure.seat)
            for name in ("theoretical", "gross", "rake", "net", "valid_bet", "carry_out")
            for figure in figures
            if figure.name == name and figure.logged not in (None, figure.recomputed)
        ]
        assert expected == [
            (finding.code, finding.seat)
            for finding in verdict.findings
            if finding.event is None and finding.code.endswith("-mismatch")
        ]
        wrong += len(expected)
    assert wrong > 400
