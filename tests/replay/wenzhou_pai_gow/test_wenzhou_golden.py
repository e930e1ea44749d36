"""Every golden line of Wenzhou Pai Gow gets its whole verdict."""

from __future__ import annotations

import pytest

from tests.golden_vectors import Vector, assert_same_verdict, judge, vectors

GAME = "wenzhou-pai-gow"
FILES = ("worked", "clean", "planted", "options", "rejected", "gaps")


@pytest.mark.parametrize("vector", list(vectors(GAME, *FILES)), ids=lambda vector: vector.id)
def test_golden_line_gets_its_whole_verdict(vector: Vector) -> None:
    assert_same_verdict(judge(vector), vector.expected)


def test_the_planted_lines_reach_every_code_of_the_game() -> None:
    codes = {
        finding.code for vector in vectors(GAME, "planted") for finding in judge(vector).findings
    }
    assert codes == {
        "event-order", "time-backwards", "tile-excess", "deal-count", "deal-order",
        "wager-illegal", "wager-hedged", "outcome-mismatch", "profit-mismatch",
        "valid-bet-mismatch", "result-missing",
    }  # fmt: skip
