"""Every golden vector of both Tien Gow games gives the whole expected verdict."""

from __future__ import annotations

import pytest

import replay
from tests.golden_vectors import Vector, assert_same_verdict, judge, vectors

GAMES = ("tien-gow", "small-tien-gow")
FILES = ("worked", "clean", "planted", "options", "rejected", "gaps")
VECTORS = [vector for game in GAMES for vector in vectors(game, *FILES)]

# Every code that a single hand of these games can have (FORMAT 6.5).
CODES = {
    "event-order", "time-backwards", "out-of-turn", "tile-excess", "deal-count", "deal-wall",
    "tile-not-held", "lead-illegal", "follow-illegal", "not-eligible", "declaration-invalid",
    "trick-mismatch", "bonus-mismatch", "winner-mismatch", "tricks-mismatch", "units-mismatch",
    "next-mismatch", "gross-mismatch", "rake-mismatch", "net-mismatch", "valid-bet-mismatch",
    "carry-out-mismatch", "not-conserved", "result-missing",
}  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_golden_vector_gets_its_whole_verdict(vector: Vector) -> None:
    assert_same_verdict(judge(vector), vector.expected)


def test_the_vectors_are_all_there() -> None:
    assert len(VECTORS) == 947


def test_the_planted_hands_of_the_big_game_reach_every_code() -> None:
    codes = {
        finding.code
        for vector in vectors("tien-gow", "planted")
        for finding in judge(vector).findings
    }
    assert codes == CODES


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_that_a_vector_cites_is_in_the_catalogue(game: str) -> None:
    rules = {
        finding["rule"]
        for vector in vectors(game, *FILES)
        for finding in vector.expected.get("findings", ())
        if finding["rule"] is not None
    }
    assert rules - set(replay.GAMES[game].rules) == set()


def test_findings_of_the_small_game_rest_on_confidence_d() -> None:
    confidences = {
        finding.confidence
        for vector in vectors("small-tien-gow", "planted")
        for finding in judge(vector).findings
        if finding.rule is not None
    }
    assert confidences == {"D"}


def test_a_finding_of_the_big_game_has_the_confidence_of_its_rule() -> None:
    seen = {
        (finding.rule, finding.confidence)
        for vector in vectors("tien-gow", "planted")
        for finding in judge(vector).findings
        if finding.rule in ("TG-20", "TG-22", "TG-64", "TG-91")
    }
    assert seen == {("TG-20", "A"), ("TG-22", "B"), ("TG-64", "B"), ("TG-91", "D")}
