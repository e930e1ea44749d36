"""The worked examples G1 to G29 of the rulebook (5.1, 5.2), on the functions of the game."""

from __future__ import annotations

from typing import Any

import replay
from replay.banker_pai_gow.payout import Settlement
from replay.banker_pai_gow.play import first_seat, legal_bankers
from replay.money import format_minor
from tests.golden_vectors import rulesets
from tests.replay.banker_pai_gow.pai_gow_hands import (
    line_of,
    make_hand,
    played,
    rank_code,
    rules,
    settle_case,
    settled,
    winner,
)

RICH = "100000"


def money(amounts: list[int]) -> list[str]:
    return [format_minor(units, 2) for units in amounts]


def gross(settlement: Settlement) -> list[str]:
    return money(settlement.gross)


def net(settlement: Settlement) -> list[str]:
    return money(settlement.net)


# -- 5.1 comparison -------------------------------------------------------------------------


def test_G1_15_with_24_is_nine_points() -> None:
    assert rank_code("15 24") == "points-9"


def test_G2_PG_23_er4_wins_against_ding3() -> None:
    assert rank_code("44 24") == rank_code("44 12") == "points-4"
    assert winner("44 24", "44 12") == "player"
    assert winner("44 12", "44 24") == "banker"


def test_G3_every_pair_is_above_a_king() -> None:
    assert (rank_code("14 23"), rank_code("66 36")) == ("pair-5", "heaven-king")
    assert winner("66 36", "14 23") == "banker"


def test_G4_earth_king_is_above_heaven_gong() -> None:
    assert winner("11 45", "66 44") == "player"
    assert winner("66 44", "11 45") == "banker"


def test_G5_the_forms_of_heaven_gong_are_equal() -> None:
    assert winner("66 35", "66 44") == "banker"
    assert winner("66 35", "66 44", tie_rule="push") == "push"
    # The reading of one server, which contradicts the seed.
    assert winner("66 44", "66 35", combo_subrank="by_second_tile") == "player"


def test_G6_high_nine_strict_and_any_seven() -> None:
    assert winner("66 16", "11 16") == "banker"
    assert winner("11 16", "66 16") == "player"
    assert winner("66 16", "11 16", high9="any_seven") == "player"


def test_G7_zero_points_are_compared_by_tile() -> None:
    assert winner("55 46", "56 36") == "player"
    assert winner("56 36", "55 46") == "banker"
    assert winner("55 46", "56 36", zero_rule="zero_no_rank") == "banker"


def test_G8_the_second_tile_decides() -> None:
    assert winner("33 16", "33 25") == "player"
    assert winner("33 16", "33 25", point_tiebreak="highest_only", tie_rule="push") == "push"


def test_G9_mixed_eights_rank_equal() -> None:
    assert winner("55 35", "55 26") == "banker"
    assert winner("55 35", "55 26", tie_rule="push") == "push"


def test_G10_supreme_tops_all() -> None:
    assert winner("24 12", "66 66") == "player"
    assert winner("66 66", "24 12") == "banker"


def test_G11_heaven_is_above_earth_at_equal_points() -> None:
    assert rank_code("66 12") == rank_code("11 24") == "points-8"
    assert winner("66 12", "11 24") == "player"


def test_G12_dice_7_from_banker_2_start_at_seat_0() -> None:
    assert first_seat(2, (3, 4)) == 0
    hand = make_hand(banker=2, dice=(3, 4))
    deals = [event["seat"] for event in hand["events"] if event["type"] == "deal"]
    assert deals == [0, 1, 2, 3]
    assert played(hand).refusal is None


# -- 5.2 settlement -------------------------------------------------------------------------


def test_G13_a_banker_with_80_wins_80_of_300() -> None:
    case = settle_case(
        [0, -1, -1, -1], base="10", multiple=5, bets=[0, 2, 2, 2], carry_in=["80", RICH, RICH, RICH]
    )
    assert (case.theoretical[0], case.gross[0]) == (30000, 8000)


def test_G14_the_losers_share_what_the_banker_may_win() -> None:
    case = settle_case(
        [0, -1, -1, -1], base="10", multiple=5, bets=[0, 2, 2, 2], carry_in=["80", RICH, RICH, RICH]
    )
    assert gross(case) == ["80.00", "-26.67", "-26.67", "-26.66"]
    assert money(case.rake) == ["4.00", "0.00", "0.00", "0.00"]
    assert net(case)[0] == "76.00"
    assert money(case.valid_bet) == ["80.00", "26.67", "26.67", "26.66"]


G15: dict[str, Any] = {"base": "5", "multiple": 2, "bets": [0, 8, 3, 15]}


def test_G15_push_and_netting() -> None:
    carry_in = ["100", RICH, RICH, "100"]
    case = settle_case([0, -1, 1, 0], **G15, carry_in=carry_in, tie_rule="push")
    assert money(case.theoretical) == ["50.00", "-80.00", "30.00", "0.00"]
    assert gross(case) == ["50.00", "-80.00", "30.00", "0.00"]
    assert net(case) == ["47.50", "-80.00", "28.50", "0.00"]
    assert money(case.rake) == ["2.50", "0.00", "1.50", "0.00"]
    assert case.valid_bet[0] == 5000
    summed = settle_case([0, -1, 1, 0], **G15, carry_in=carry_in, banker_valid="sum_players")
    assert summed.valid_bet[0] == 11000


def test_G16_the_same_hand_when_the_banker_wins_ties() -> None:
    case = settle_case([0, -1, 1, -1], **G15, carry_in=["100", RICH, RICH, "100"])
    assert gross(case) == ["100.00", "-57.78", "30.00", "-72.22"]
    assert net(case) == ["95.00", "-57.78", "28.50", "-72.22"]


T3: dict[str, Any] = {
    "base": "5",
    "multiple": 5,
    "bets": [0, 12, 10, 10],
    "carry_in": ["100", "1000", "100", "10000"],
}


def test_G17_net_side() -> None:
    case = settle_case([0, -1, 1, 0], **T3)
    assert gross(case) == ["100.00", "-200.00", "100.00", "0.00"]
    assert net(case) == ["95.00", "-200.00", "95.00", "0.00"]


def test_G18_net_all() -> None:
    case = settle_case([0, -1, 1, 0], **T3, banker_cap="net_all")
    assert gross(case) == ["100.00", "-150.00", "50.00", "0.00"]
    assert net(case) == ["95.00", "-150.00", "47.50", "0.00"]


def test_G19_gross_first() -> None:
    case = settle_case([0, -1, 1, 0], **T3, banker_cap="gross_first")
    assert gross(case) == ["0.00", "-100.00", "100.00", "0.00"]
    assert net(case) == ["0.00", "-100.00", "95.00", "0.00"]
    both = settle_case([0, -1, 1, 0], **T3, banker_cap="gross_both")
    assert gross(both) == ["0.00", "-100.00", "100.00", "0.00"]


def test_G20_the_winners_share_what_the_banker_may_lose() -> None:
    case = settle_case([0, 1, -1, 0], **T3)
    assert gross(case) == ["-100.00", "200.00", "-100.00", "0.00"]
    assert net(case) == ["-100.00", "190.00", "-100.00", "0.00"]
    scaled = settle_case([0, 1, -1, 0], **T3, banker_cap="net_all")
    assert gross(scaled) == ["-100.00", "150.00", "-50.00", "0.00"]
    assert net(scaled) == ["-100.00", "142.50", "-50.00", "0.00"]


def test_G21_a_player_is_clipped_both_ways() -> None:
    fields: dict[str, Any] = {"bets": [0, 10, 1, 1], "carry_in": [RICH, "30", RICH, RICH]}
    won = settle_case([0, 1, 0, 0], **fields)
    assert (gross(won), net(won)) == (
        ["-30.00", "30.00", "0.00", "0.00"],
        ["-30.00", "28.50", "0.00", "0.00"],
    )
    lost = settle_case([0, -1, 0, 0], **fields)
    assert (gross(lost), net(lost)) == (
        ["30.00", "-30.00", "0.00", "0.00"],
        ["28.50", "-30.00", "0.00", "0.00"],
    )


def test_G22_spare_cent_to_the_largest_remainder() -> None:
    case = settle_case(
        [0, 1, 1, 1], multiple=3, bets=[0, 4, 3, 2], carry_in=["100", RICH, RICH, RICH]
    )
    assert gross(case) == ["-100.00", "44.45", "33.33", "22.22"]
    assert net(case) == ["-100.00", "42.23", "31.67", "21.11"]
    assert money(case.rake) == ["0.00", "2.22", "1.66", "1.11"]


def test_G23_a_short_banker_pays_out_what_it_won() -> None:
    case = settle_case(
        [0, 1, 1, -1], multiple=2, bets=[0, 5, 3, 2], carry_in=["50", RICH, RICH, RICH]
    )
    assert gross(case) == ["-50.00", "56.25", "33.75", "-40.00"]
    assert net(case) == ["-50.00", "53.44", "32.07", "-40.00"]
    assert money(case.rake) == ["0.00", "2.81", "1.68", "0.00"]


def test_G24_no_rake_on_a_net_of_zero() -> None:
    fields: dict[str, Any] = {"bets": [0, 10, 10, 1], "carry_in": [RICH] * 4}
    case = settle_case([0, -1, 1, 0], **fields)
    assert gross(case) == ["0.00", "-100.00", "100.00", "0.00"]
    assert net(case) == ["0.00", "-100.00", "95.00", "0.00"]
    by_pair = settle_case([0, -1, 1, 0], **fields, rake_basis="per_pair")
    assert money(by_pair.rake) == ["5.00", "0.00", "5.00", "0.00"]


def test_G25_netted_before_the_fee() -> None:
    fields: dict[str, Any] = {"base": "500", "bets": [0, 1, 3, 3], "carry_in": [RICH] * 4}
    four = settle_case([0, -1, -1, 1], **fields, rake_rate="0.04")
    assert (four.gross[0], four.net[0], four.net[3]) == (50000, 48000, 144000)
    five = settle_case([0, -1, -1, 1], **fields)
    assert (five.net[0], five.net[3]) == (47500, 142500)


def test_G26_the_rake_is_floored() -> None:
    rake = rules().rake
    assert [rake(units) for units in (19, 20, 39, 3333)] == [0, 1, 1, 166]


def test_G27_any_top_bidder_may_be_banker() -> None:
    hand = make_hand(banker=1, bids=(3, 3, 1, 0))
    assert legal_bankers(played(hand)) == [0, 1]
    assert played(hand).refusal is None
    assert played(make_hand(banker=0, bids=(3, 3, 1, 0))).refusal is None
    wrong = make_hand(banker=1, bids=(3, 3, 1, 0))
    wrong["events"][4]["seat"] = 2
    refusal = played(wrong).refusal
    assert refusal is not None
    assert (refusal.code, refusal.event, refusal.seat) == ("banker-wrong", 4, 2)
    assert (refusal.logged, refusal.expected, refusal.rule) == ("2", "0,1", "PG-4")


def test_G28_without_bids_the_multiple_is_1() -> None:
    hand = make_hand(banker=3, bids=(0, 0, 0, 0))
    assert hand["events"][4] == {"type": "banker", "seat": 3, "multiple": 1}
    assert played(hand).refusal is None
    hand["events"][4]["multiple"] = 2
    refusal = played(hand).refusal
    assert refusal is not None
    assert (refusal.code, refusal.seat) == ("banker-multiple", 3)
    assert (refusal.logged, refusal.expected, refusal.rule) == ("2", "1", "PG-6")


def test_G29_a_tile_is_not_dealt_twice_in_a_round() -> None:
    first = make_hand(round={"id": "r1", "hand": 1})
    second = make_hand(
        tiles=(("13", "13"), ("44", "36"), ("33", "33"), ("15", "16")),
        round={"id": "r1", "hand": 2},
        hand_id="h2",
    )
    continuity = replay.Continuity(rulesets())
    verdicts = [
        continuity.judge(replay.audit_line(line_of(settled(hand, rulesets())), rulesets()))
        for hand in (first, second)
    ]
    assert verdicts[0].findings == ()
    # The second hand starts with the carry-in of the first, which is only a warning.
    errors = [finding for finding in verdicts[1].findings if finding.severity == "error"]
    assert [(finding.code, finding.subject, finding.rule) for finding in errors] == [
        ("round-tile-reused", "36", "PG-2")
    ]
