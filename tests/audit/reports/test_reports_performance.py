"""Game performance: what is counted and summed, and that nothing is counted twice."""

from __future__ import annotations

import json

from audit.selectors.exports import TOTALS_COLUMNS, totals_rows
from audit.selectors.totals import TotalsQuery
from tests.audit.logs import B, Ingest, W, changed, log, void, with_net
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
    assert [check["holds"] for check in document_of(report)["reconciliation"]] == [True] * 6


def with_funds(number: int, carry_in: dict[str, str], carry_out: dict[int, str]) -> bytes:
    """Hand B at a later minute with other players or funds."""
    hand = json.loads(B)
    for seat, (player, funds) in zip(hand["seats"], carry_in.items(), strict=True):
        seat |= {"player": player, "carry_in": funds}
    for entry in hand["result"]["seats"]:
        if entry["seat"] in carry_out:
            entry["carry_out"] = carry_out[entry["seat"]]
    day, minute = 1 + number // 10, number % 10
    clock = f"2025-03-{day:02d}T10:0{minute}:00+08:00"
    hand |= {"hand_id": f"f-{number}", "started_at": clock, "ended_at": clock}
    return json.dumps(hand).encode()


def test_s48_opening_and_movements_are_closing(ingest: Ingest, make: Make) -> None:
    first = dict.fromkeys(("Ann", "Bo", "Cy", "Di"), "1000")
    # Ann tops up by 90.50, Di leaves with 1047.50, and Eve comes with 500; Bo and Cy go on.
    second = {"Ann": "1100", "Bo": "900", "Cy": "1038", "Eve": "500"}
    # On the next day Bo begins with 50 less.
    third = {"Ann": "1109.50", "Bo": "750", "Cy": "1076", "Eve": "547.50"}
    ingest(log(*(with_funds(number, funds, {}) for number, funds in
                 ((0, first), (1, second), (11, third)))))  # fmt: skip
    report = make("game-performance", basis="month-to-date", to="2025-03-31")
    (row,) = rows_of(report, "funds")
    assert {key: row[key] for key in ("hands", "unknown", "opening", "brought_in", "net",
                                      "taken_out", "closing")} == {
        "hands": 3, "unknown": 0, "opening": "4000.00", "brought_in": "590.50", "net": "-15.00",
        "taken_out": "1097.50", "closing": "3478.00",
    }  # fmt: skip
    (check,) = (one for one in document_of(report)["reconciliation"] if "Opening" in one["title"])
    assert (check["left"], check["right"], check["holds"]) == ("CNY 3478.00", "CNY 3478.00", True)
    # Each day by itself begins and ends where its own hands do.
    (day,) = rows_of(make("game-performance", to="2025-03-02"), "funds")
    assert (day["opening"], day["brought_in"], day["closing"]) == ("3483.00", "0.00", "3478.00")


def test_a_carry_out_that_does_not_follow_is_not_hidden(ingest: Ingest, make: Make) -> None:
    funds = dict.fromkeys(("Ann", "Bo", "Cy", "Di"), "1000")
    ingest(log(with_funds(0, funds, {1: "901.00"})))
    report = make("game-performance")
    (check,) = (one for one in document_of(report)["reconciliation"] if "Opening" in one["title"])
    assert (check["difference"], check["holds"]) == ("CNY -1.00", False)


def test_void_hands_keep_their_funds_and_unknown_ones_are_counted(
    ingest: Ingest, make: Make
) -> None:
    ingest(log(void(B, hand_id="v-1"), changed(B, hand_id="r-1", result=None)))
    ingest(log(B))
    (row,) = rows_of(make("game-performance"), "funds")
    assert (row["hands"], row["unknown"], row["opening"]) == (2, 1, "4000.00")


def test_days_add_up_to_the_totals_page(ingest: Ingest, make: Make) -> None:
    ingest(log(B, W, with_net(changed(B, hand_id="b2"), 1, "-99.00"), void(B, hand_id="b3")))
    (row,) = rows_of(make("game-performance", table="T1"), "money", "total")
    (totals,) = totals_rows(TotalsQuery(sources=None, table="T1"))
    page = dict(zip(TOTALS_COLUMNS, totals, strict=True))
    for name in ("rake", "rake_logged", "rake_difference", "valid_bet", "valid_bet_logged"):
        assert row[name] == page[name], name
