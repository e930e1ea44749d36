"""Profits and valid bets under every option, and what of a log follows; G78, G80, G81."""

from __future__ import annotations

from typing import Any

import pytest

from replay.wenzhou_pai_gow.options import OPTIONS, prepare
from replay.wenzhou_pai_gow.payout import profit_of, valid_bet_of
from tests.golden_vectors import rulesets
from tests.replay.wenzhou_pai_gow.hands import (
    CLASSIC,
    Bet,
    audit,
    dealing,
    entry,
    findings,
    hand,
    settled,
    shown,
    wagers,
)

# Of the usual hand shun and dao win, chu loses. In this one shun wins, chu and dao lose.
TWO_LOST = {
    "bank": ("44", "26"),
    "shun": ("66", "24"),
    "chu": ("44", "35"),
    "dao": ("15", "36"),
}


def variant(name: str) -> str:
    return f"wenzhou-pai-gow/test-{name}@1"


def settlement(*bets: Bet, tiles: Any = None, **options: Any) -> tuple[list[Any], list[Any]]:
    """(profit, valid bet) of each bet, and of each player."""
    events = [*wagers(*bets), *(dealing() if tiles is None else dealing(tiles))]
    found = settled(events, **options)
    bets_found, players_found = (
        [(one["profit"], one["valid_bet"]) for one in found[group]] for group in ("bets", "players")
    )
    return bets_found, players_found


# -- worked examples ------------------------------------------------------------------------


def test_g78_three_bets_of_one_player() -> None:
    bets, players = settlement(
        ("p", "shun", "win", "100"), ("p", "chu", "win", "200"), ("p", "dao", "lose", "300"),
        tiles=TWO_LOST,
    )  # fmt: skip
    assert bets == [("100.00", "100.00"), ("-200.00", "200.00"), ("282.00", "282.00")]
    assert players == [("182.00", "582.00")]


def test_g80_a_profit_is_rounded_down() -> None:
    assert settlement(("p", "chu", "lose", "0.05"))[0] == [("0.04", "0.04")]


def test_g81_opposite_bets_on_a_door_that_lost() -> None:
    bets = (("p", "chu", "win", "100"), ("p", "chu", "lose", "100"))
    assert settlement(*bets) == (
        [("-100.00", "100.00"), ("94.00", "94.00")],
        [("-6.00", "0.00")],
    )
    noted = findings(hand([*wagers(*bets), *dealing()], None))
    assert noted[0] == ("wager-hedged", 1, "b2", None, None, "WZ-22")


# -- options --------------------------------------------------------------------------------


def test_7_3_has_no_other_options() -> None:
    assert list(OPTIONS) == [
        "odds_win", "odds_lose", "zero_rule", "max_lose_doors", "max_win_doors",
        "same_door_both", "valid_bet", "hedge", "round",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "side", "door", "profit"),
    [
        ("odds_win-0.99", "win", "shun", "99.00"),
        ("odds_win-0.99", "lose", "chu", "94.00"),
        ("odds_lose-0.93", "win", "shun", "100.00"),
        ("odds_lose-0.93", "lose", "chu", "93.00"),
        ("mixed-5", "win", "shun", "105.00"),
    ],
)
def test_wz_23_odds_of_a_won_bet(name: str, side: str, door: str, profit: str) -> None:
    bets, _ = settlement(("p", door, side, "100"), ruleset=variant(name))
    assert bets[0][0] == profit


@pytest.mark.parametrize("side", ["win", "lose"])
def test_wz_23_a_lost_bet_costs_its_stake(side: str) -> None:
    door = "chu" if side == "win" else "shun"
    assert settlement(("p", door, side, "0.07"))[0] == [("-0.07", "0.07")]


@pytest.mark.parametrize(
    ("stake", "floor", "half_up"),
    [("0.05", "0.04", "0.05"), ("0.25", "0.23", "0.24"), ("0.50", "0.47", "0.47")],
)
def test_wz_28_rounding(stake: str, floor: str, half_up: str) -> None:
    bet = ("p", "chu", "lose", stake)
    assert settlement(bet)[0][0][0] == floor
    assert settlement(bet, ruleset=variant("round-half_up"))[0][0][0] == half_up


def test_wz_28_an_exact_half_goes_up() -> None:
    # 50 × 0.93 = 46.5 and 25 × 0.94 = 23.5 smallest units.
    half_up = variant("round-half_up")
    assert settlement(("p", "chu", "lose", "25"), digits=0, ruleset=half_up)[0][0][0] == "24"
    assert settlement(("p", "chu", "lose", "25"), digits=0)[0][0][0] == "23"


def test_wz_27_valid_bet_of_a_bet() -> None:
    bets = (("p", "chu", "lose", "100"), ("p", "shun", "win", "50"), ("q", "chu", "win", "8"))
    assert [valid for _, valid in settlement(*bets)[0]] == ["94.00", "50.00", "8.00"]
    stake = settlement(*bets, ruleset=variant("valid_bet-stake"))
    assert [valid for _, valid in stake[0]] == ["100.00", "50.00", "8.00"]
    assert [valid for _, valid in stake[1]] == ["150.00", "8.00"]


def test_wz_27_the_stake_is_the_most_where_odds_are_above_even() -> None:
    ruleset = rulesets().get(CLASSIC)
    assert ruleset is not None
    rules = prepare(ruleset.changed("odds_win", "1.05"))
    profit = profit_of("win", 100, door_wins=True, rules=rules)
    assert (profit, valid_bet_of(100, profit, rules)) == (105, 100)


def test_wz_27_hedge_values_what_is_left_on_a_door_as_one_bet() -> None:
    bets = (
        ("p", "chu", "win", "40"), ("p", "chu", "lose", "100"),
        ("q", "shun", "win", "10"), ("q", "shun", "lose", "3"),
    )  # fmt: skip
    _, players = settlement(*bets)
    # p: 60.00 to lose is left on a lost door, 60 × 0.94; q: 7.00 to win on a won door.
    assert [valid for _, valid in players] == ["56.40", "7.00"]
    _, players = settlement(*bets, ruleset=variant("hedge-none"))
    assert [valid for _, valid in players] == ["134.00", "13.00"]


def test_ruling_6_bets_of_one_side_are_added_before_rounding() -> None:
    bets = (("p", "chu", "lose", "0.05"), ("p", "chu", "lose", "0.05"))
    # Each is floor(0.047), both together floor(0.094); the profit stays the sum over bets.
    assert settlement(*bets) == ([("0.04", "0.04")] * 2, [("0.08", "0.09")])
    assert settlement(*bets, ruleset=variant("hedge-none"))[1] == [("0.08", "0.08")]


def test_wz_15_zero_rules_decide_what_is_paid() -> None:
    zeros = {
        "bank": ("56", "36"), "shun": ("55", "46"), "chu": ("14", "33"), "dao": ("66", "44"),
    }  # fmt: skip
    bets = [(door, door, "win", "1") for door in ("shun", "chu", "dao")]

    def won(ruleset: str) -> list[bool]:
        found = settlement(*bets, tiles=zeros, ruleset=ruleset)[0]
        return [profit == "1.00" for profit, _ in found]

    assert won(CLASSIC) == [False, True, True]
    assert won(variant("zero_rule-zero_vs_zero_by_tile")) == [True, True, True]
    assert won(variant("zero_rule-banker_zero_sweeps_all")) == [False, False, False]


def test_amounts_are_exact_beyond_2_53() -> None:
    stake = "999999999999999.99999999"
    assert settlement(("p", "chu", "lose", stake), digits=8)[0][0][0] == "939999999999999.99999999"


# -- logged against recomputed --------------------------------------------------------------

BETS = (("p", "chu", "lose", "100"), ("p", "shun", "win", "50"), ("q", "chu", "win", "8"))
EVENTS = [*wagers(*BETS), *dealing()]


def result(*, players: bool = True, ruleset: str = CLASSIC) -> dict[str, Any]:
    """The right result of EVENTS, to be made wrong."""
    found = settled(EVENTS, ruleset=ruleset)
    return found if players else {"bets": found["bets"]}


def figures(logged: dict[str, Any], ruleset: str = CLASSIC) -> list[tuple[Any, ...]]:
    """Code, subject, logged, expected, and whether the finding follows."""
    return [
        (
            *(finding[field] for field in ("code", "subject", "logged", "expected")),
            finding["follows"],
        )
        for finding in audit(hand(EVENTS, logged, ruleset=ruleset))["findings"]
    ]


def test_a_right_result_is_clean_in_any_order_and_without_players() -> None:
    logged = result()
    logged["bets"].reverse()
    logged["players"].reverse()
    assert figures(logged) == []
    assert figures(result(players=False)) == []


def test_rule_29_valid_bet_and_players_profit_follow_a_wrong_profit() -> None:
    logged = result()
    logged["bets"][0] |= {"profit": "93.00", "valid_bet": "93.00"}
    logged["players"][0] |= {"profit": "143", "valid_bet": "143.00"}
    assert figures(logged) == [
        ("profit-mismatch", "b1", "93.00", "94.00", False),
        ("profit-mismatch", "p", "143.00", "144.00", True),
        ("valid-bet-mismatch", "b1", "93.00", "94.00", True),
        # Offsetting does not go over the bets' own valid bets.
        ("valid-bet-mismatch", "p", "143.00", "144.00", False),
    ]


def test_rule_29_a_players_valid_bet_follows_without_hedging() -> None:
    ruleset = variant("hedge-none")
    logged = result(ruleset=ruleset)
    logged["bets"][0]["valid_bet"] = "93.00"
    logged["players"][0]["valid_bet"] = "143.00"
    assert figures(logged, ruleset) == [
        ("valid-bet-mismatch", "b1", "93.00", "94.00", False),
        ("valid-bet-mismatch", "p", "143.00", "144.00", True),
    ]


def test_rule_29_nothing_follows_where_a_bet_is_not_logged() -> None:
    ruleset = variant("hedge-none")
    logged = result(ruleset=ruleset)
    del logged["bets"][1]
    logged["players"][0] |= {"profit": "94.00", "valid_bet": "94.00"}
    assert figures(logged, ruleset) == [
        ("profit-mismatch", "b2", None, "50.00", False),
        ("profit-mismatch", "p", "94.00", "144.00", False),
        ("valid-bet-mismatch", "p", "94.00", "144.00", False),
    ]


def test_rule_29_a_stake_as_valid_bet_does_not_follow_the_profit() -> None:
    ruleset = variant("valid_bet-stake")
    logged = result(ruleset=ruleset)
    logged["bets"][0] |= {"profit": "93.00", "valid_bet": "93.00"}
    logged["players"][0]["profit"] = "143.00"
    assert figures(logged, ruleset) == [
        ("profit-mismatch", "b1", "93.00", "94.00", False),
        ("profit-mismatch", "p", "143.00", "144.00", True),
        ("valid-bet-mismatch", "b1", "93.00", "100.00", False),
    ]


def test_rule_31_entries_without_a_wager_and_wagers_without_an_entry() -> None:
    logged = result()
    logged["bets"][0] = entry("z", "1.5", "99")
    logged["players"][1] = entry("stranger", "0", "0", kind="player")
    line = hand(EVENTS, logged)
    assert findings(line) == [
        ("profit-mismatch", None, "b1", None, "94.00", "WZ-23"),
        ("profit-mismatch", None, "z", "1.50", None, "WZ-23"),
        ("profit-mismatch", None, "q", None, "-8.00", "WZ-23"),
        ("profit-mismatch", None, "stranger", "0.00", None, "WZ-23"),
    ]


def test_rule_27_order_of_the_findings_on_figures() -> None:
    logged = {
        "bets": [entry(name, "7", "7") for name in ("z", "b3", "b2", "b1")],
        "players": [entry(name, "7", "7", kind="player") for name in ("x", "q", "p")],
    }
    line = hand(EVENTS, logged)
    profits = ["b1", "b2", "b3", "z", "p", "q", "x"]
    valid_bets = ["b1", "b2", "b3", "p", "q"]
    assert [found[0:3:2] for found in findings(line)] == [
        *(("profit-mismatch", name) for name in profits),
        *(("valid-bet-mismatch", name) for name in valid_bets),
    ]


def test_a_hand_without_result_is_settled_all_the_same() -> None:
    verdict = audit(hand(EVENTS, None))
    assert [shown(finding) for finding in verdict["findings"]] == [
        ("result-missing", None, None, None, None, None)
    ]
    assert verdict["settlement"] == result()
    assert verdict["findings"][0]["explained_by"] == []


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("odds_lose-0.93", "wz.odds_lose=0.93"),
        ("odds_win-0.99", "wz.odds_win=0.99"),
        ("valid_bet-stake", "wz.valid_bet=stake"),
    ],
)
def test_rule_30_a_single_option_explains_the_log(name: str, label: str) -> None:
    logged = result(ruleset=variant(name))
    found = audit(hand(EVENTS, logged))["findings"]
    assert found != []
    assert {tuple(finding["explained_by"]) for finding in found} == {(label,)}


def test_confidence_and_words_of_a_finding() -> None:
    logged = result()
    logged["bets"][0]["valid_bet"] = "1.00"
    (only,) = audit(hand(EVENTS, logged))["findings"]
    assert only["confidence"] == "C"
    assert only["message"].startswith(
        "The valid bet volume differs: logged 1.00, expected 94.00. WZ-27: "
    )


def test_two_won_lose_bets_paid_at_other_odds() -> None:
    events = [
        *wagers(
            ("Mei Lin", "shun", "win", "500"), ("Mei Lin", "chu", "lose", "300"),
            ("陳大文", "chu", "win", "1000"), ("阿強", "chu", "lose", "125.5"),
        ),
        *dealing(),
    ]  # fmt: skip
    logged = {
        "bets": [
            entry("b1", "500.00", "500.00"), entry("b2", "279.00", "279.00"),
            entry("b3", "-1000.00", "1000.00"), entry("b4", "116.71", "116.71"),
        ]
    }  # fmt: skip
    found = audit(hand(events, logged))["findings"]
    assert [(*shown(finding)[2:], finding["follows"]) for finding in found] == [
        ("b2", "279.00", "282.00", "WZ-23", False),
        ("b4", "116.71", "117.97", "WZ-23", False),
        ("b2", "279.00", "282.00", "WZ-27", True),
        ("b4", "116.71", "117.97", "WZ-27", True),
    ]
    assert {tuple(finding["explained_by"]) for finding in found} == {("wz.odds_lose=0.93",)}
