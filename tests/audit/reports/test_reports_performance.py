"""Game performance: what is counted and summed, and that nothing is counted twice."""

from __future__ import annotations

from tests.audit.logs import B, Ingest, W, changed, log
from tests.audit.reports.conftest import Make, document_of, rows_of


def test_the_base_hands_by_table(ingest: Ingest, make: Make) -> None:
    ingest(log(B, W, changed(B, hand_id="B2")))
    report = make("game-performance")
    house, doors = rows_of(report, "money")
    # Hand B: net 9.50, −100.00, 38.00, 47.50, rake 0.50, 2.00, 2.50.
    assert house == {
        "source": "odd", "table": "T1", "game": "Banker Pai Gow",
        "ruleset": "banker-pai-gow/bs-2022@1", "currency": "CNY", "wagered": "200.00",
        "won": "190.00", "lost": "200.00", "rake": "10.00", "rake_logged": "10.00",
        "rake_difference": "0.00", "valid_bet": "400.00", "valid_bet_logged": "400.00",
        "valid_bet_difference": "0.00",
    }  # fmt: skip
    assert (doors["rake"], doors["rake_logged"], doors["rake_difference"]) == (None, None, None)
    assert [check["holds"] for check in document_of(report)["reconciliation"]] == [True] * 5
