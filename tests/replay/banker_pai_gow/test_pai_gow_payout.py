"""Settlement: properties that hold for every hand, and the options of the cap one by one."""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.banker_pai_gow.caps import (
    BankerCap,
    PlayerClip,
    cap_gross_both,
    cap_gross_first,
    cap_net_all,
    cap_net_side,
    cap_none,
)
from replay.banker_pai_gow.options import OPTIONS, Rounding, Rules
from replay.banker_pai_gow.payout import Settlement, settle, turn_order, void_settlement
from replay.banker_pai_gow.record import Facts
from replay.money import format_minor, parse_minor
from tests.replay.banker_pai_gow.pai_gow_hands import rules, settle_case

FEED = Path(__file__).resolve().parents[2] / "feeds" / "league-settlement-vectors.csv"

MONEY_OPTIONS = (
    "player_clip", "banker_cap", "rounding", "rake_rate", "rake_basis", "rake_round",
    "valid_bet", "banker_valid",
)  # fmt: skip


@st.composite
def any_rules(draw: st.DrawFn, **fixed: str) -> Rules:
    """The shipped rules with every option of the settlement drawn."""
    drawn = {name: draw(st.sampled_from(OPTIONS[name].alternatives)) for name in MONEY_OPTIONS}
    return rules(**{**drawn, **fixed})


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, int, list[int | None], list[int], Facts]:
    """Banker, X, Y, outcomes and amounts; small carry-ins, so that caps bite."""
    banker = draw(st.integers(0, 3))
    outcomes = draw(st.lists(st.sampled_from([1, -1, 0]), min_size=4, max_size=4))
    bets: list[int | None] = list(draw(st.lists(st.integers(1, 40), min_size=4, max_size=4)))
    outcomes[banker], bets[banker] = 0, None
    carry = st.one_of(st.integers(0, 30), st.integers(0, 5000), st.integers(0, 10**17))
    facts = Facts(
        base=draw(st.one_of(st.integers(1, 20), st.integers(1, 10**16))),
        carry_in=draw(st.lists(carry, min_size=4, max_size=4)),
        logged=None,
    )
    return banker, draw(st.integers(1, 6)), bets, outcomes, facts


def run(case: tuple[int, int, list[int | None], list[int], Facts], with_rules: Rules) -> Settlement:
    banker, multiple, bets, outcomes, facts = case
    return settle(banker, multiple, bets, outcomes, facts, with_rules)


@pytest.mark.parametrize(
    ("cap", "rounding"), list(product(BankerCap, Rounding)), ids=lambda option: option.value
)
@settings(deadline=None)
@given(case=cases(), data=st.data())
def test_PG_36_transfers_sum_to_zero(
    cap: BankerCap,
    rounding: Rounding,
    case: tuple[int, int, list[int | None], list[int], Facts],
    data: st.DataObject,
) -> None:
    due = run(case, data.draw(any_rules(banker_cap=cap.value, rounding=rounding.value)))
    assert sum(due.theoretical) == 0
    assert sum(due.gross) == 0
    assert sum(due.net) == -sum(due.rake)
    assert due.net == [amount - fee for amount, fee in zip(due.gross, due.rake, strict=True)]
    assert due.carry_out == [had + won for had, won in zip(case[4].carry_in, due.net, strict=True)]


@settings(deadline=None)
@given(case=cases(), data=st.data())
def test_PG_32_nobody_wins_or_loses_more_than_was_brought(
    case: tuple[int, int, list[int | None], list[int], Facts], data: st.DataObject
) -> None:
    """Under `net_side` or `net_all` with both clips; spare units never lift a share over a clip."""
    due = run(
        case,
        data.draw(
            any_rules(
                player_clip="both",
                banker_cap=data.draw(st.sampled_from(["net_side", "net_all"])),
                rounding="largest_remainder",
            )
        ),
    )
    for amount, carry_in in zip(due.gross, case[4].carry_in, strict=True):
        assert abs(amount) <= carry_in


@settings(deadline=None)
@given(case=cases(), with_rules=any_rules())
def test_a_seat_never_changes_sides_and_a_push_stays_zero(
    case: tuple[int, int, list[int | None], list[int], Facts], with_rules: Rules
) -> None:
    due = run(case, with_rules)
    for seat in turn_order(case[0]):
        outcome = case[3][seat]
        assert due.gross[seat] * outcome >= 0
        if outcome == 0:
            assert (due.theoretical[seat], due.gross[seat], due.valid_bet[seat]) == (0, 0, 0)


@settings(deadline=None)
@given(case=cases(), with_rules=any_rules(rake_basis="seat_net"))
def test_PG_31_only_winners_pay_rake_and_never_more_than_they_win(
    case: tuple[int, int, list[int | None], list[int], Facts], with_rules: Rules
) -> None:
    due = run(case, with_rules)
    for amount, fee in zip(due.gross, due.rake, strict=True):
        assert 0 <= fee <= max(amount, 0)


@settings(deadline=None)
@given(case=cases(), turn=st.integers(1, 3), with_rules=any_rules())
def test_rotating_the_seats_rotates_the_settlement(
    case: tuple[int, int, list[int | None], list[int], Facts], turn: int, with_rules: Rules
) -> None:
    banker, multiple, bets, outcomes, facts = case

    def rotated(values: list[Any]) -> list[Any]:
        return values[-turn:] + values[:-turn]

    there = run(case, with_rules)
    back = settle(
        (banker + turn) % 4,
        multiple,
        rotated(bets),
        rotated(outcomes),
        Facts(base=facts.base, carry_in=rotated(facts.carry_in), logged=None),
        with_rules,
    )
    assert back.gross == rotated(there.gross)
    assert back.rake == rotated(there.rake)
    assert back.valid_bet == rotated(there.valid_bet)


@settings(deadline=None)
@given(case=cases(), with_rules=any_rules())
def test_a_rich_table_is_paid_in_full_under_every_cap(
    case: tuple[int, int, list[int | None], list[int], Facts], with_rules: Rules
) -> None:
    banker, multiple, bets, outcomes, facts = case
    rich = Facts(base=facts.base, carry_in=[10**30] * 4, logged=None)
    due = settle(banker, multiple, bets, outcomes, rich, with_rules)
    assert due.gross == due.theoretical


@settings(deadline=None)
@given(won=st.integers(0, 500), lost=st.integers(0, 500), carry_in=st.integers(0, 300))
def test_each_cap_keeps_what_it_promises(won: int, lost: int, carry_in: int) -> None:
    for cap in (cap_net_side, cap_net_all, cap_gross_first, cap_gross_both, cap_none):
        received, paid = cap(won, lost, carry_in)
        assert 0 <= received <= won
        assert 0 <= paid <= lost
        if cap is not cap_none:
            assert -carry_in <= paid - received <= carry_in
    received, paid = cap_net_side(won, lost, carry_in)
    # Only the side that pushes the banker over is scaled.
    assert received == won or paid == lost
    assert cap_gross_both(won, lost, carry_in) == (min(won, carry_in), min(lost, carry_in))
    assert cap_none(won, lost, carry_in) == (won, lost)


# -- options one by one ---------------------------------------------------------------------

RICH = "100000"


def test_player_clip() -> None:
    fields = {"bets": [0, 10, 10, 1], "carry_in": [RICH, "30", "30", RICH]}
    shown = {
        clip: settle_case([0, 1, -1, 0], **fields, player_clip=clip.value).gross
        for clip in PlayerClip
    }
    assert shown == {
        PlayerClip.BOTH: [0, 3000, -3000, 0],
        PlayerClip.LOSS_ONLY: [-7000, 10000, -3000, 0],
        PlayerClip.NONE: [0, 10000, -10000, 0],
    }


def test_rounding_of_an_uneven_split() -> None:
    fields = {
        "multiple": 5, "bets": [0, 2, 2, 2], "carry_in": ["80", RICH, RICH, RICH],
    }  # fmt: skip
    shown = {
        rounding: settle_case([0, -1, -1, -1], **fields, rounding=rounding.value).gross
        for rounding in Rounding
    }
    assert shown == {
        Rounding.LARGEST_REMAINDER: [8000, -2667, -2667, -2666],
        Rounding.TRUNCATE: [7998, -2666, -2666, -2666],
        Rounding.LAST_TAKES_REST: [8000, -2666, -2666, -2668],
    }


def test_spare_units_go_in_turn_order_from_the_banker() -> None:
    due = settle_case(
        [-1, -1, 0, -1], multiple=5, bets=[2, 2, 0, 2], carry_in=[RICH, RICH, "80", RICH], banker=2
    )
    # Turn order from banker 2: seats 3, 0, 1.
    assert due.gross == [-2667, -2666, 8000, -2667]


def test_ruling_3_the_last_sharing_seat_may_go_over_its_clip() -> None:
    due = settle_case(
        [0, 1, 1, 1],
        bets=[0, 1, 1, 1],
        carry_in=["0.02", "0.01", "0.01", "0.01"],
        rounding="last_takes_rest",
    )
    assert due.gross == [-2, 0, 0, 2]


def test_ruling_3_only_seats_with_a_claim_share() -> None:
    due = settle_case(
        [0, -1, -1, -1],
        bets=[0, 1, 1, 1],
        carry_in=["0.05", "0.04", "0.04", "0"],
        rounding="last_takes_rest",
    )
    assert due.gross == [5, -2, -3, 0]


def test_ruling_3_truncate_leaves_the_banker_minus_the_players_sum() -> None:
    for cap in ("gross_first", "gross_both"):
        due = settle_case(
            [0, -1, -1, -1],
            bets=[0, 1, 1, 1],
            carry_in=["0.08", RICH, RICH, RICH],
            banker_cap=cap,
            rounding="truncate",
        )
        assert due.gross == [6, -2, -2, -2]


def test_ruling_4_per_pair_is_taken_from_what_the_loser_pays() -> None:
    due = settle_case(
        [0, -1, 1, -1],
        bets=[0, 10, 20, 10],
        carry_in=[RICH, "30", RICH, "0"],
        rake_basis="per_pair",
        rake_round="min_one",
    )
    # The pair of seat 3 is worth nothing and pays nothing, `min_one` or not.
    assert due.gross == [-17000, -3000, 20000, 0]
    assert due.rake == [150, 0, 1000, 0]


def test_ruling_5_a_rate_of_zero_takes_nothing() -> None:
    due = settle_case(
        [0, 1, 0, 0],
        bets=[0, 1, 1, 1],
        carry_in=[RICH] * 4,
        rake_rate="0",
        rake_round="min_one",
        rake_basis="per_pair",
    )
    assert due.rake == [0, 0, 0, 0]


def test_rake_round() -> None:
    shown = {
        rounding: [rules(rake_round=rounding).rake(units) for units in (1, 10, 19, 30, 481)]
        for rounding in ("floor", "half_up", "min_one")
    }
    assert shown == {
        "floor": [0, 0, 0, 1, 24],
        "half_up": [0, 1, 1, 2, 24],
        "min_one": [1, 1, 1, 1, 24],
    }


def test_PG_38_valid_bets() -> None:
    fields = {"bets": [0, 10, 5, 1], "carry_in": [RICH] * 4}
    shown = {
        (valid_bet, banker_valid): settle_case(
            [0, -1, 1, 0], **fields, valid_bet=valid_bet, banker_valid=banker_valid
        ).valid_bet
        for valid_bet in ("abs_gross_net", "abs_net")
        for banker_valid in ("own_net", "sum_players")
    }
    assert shown == {
        ("abs_gross_net", "own_net"): [5000, 10000, 5000, 0],
        ("abs_gross_net", "sum_players"): [15000, 10000, 5000, 0],
        ("abs_net", "own_net"): [4750, 10000, 4750, 0],
        ("abs_net", "sum_players"): [14750, 10000, 4750, 0],
    }


def test_a_void_hand_owes_nothing() -> None:
    due = void_settlement(Facts(base=1, carry_in=[5, 6, 7, 8], logged=None))
    assert (due.gross, due.net, due.valid_bet, due.carry_out) == (
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [5, 6, 7, 8],
    )


def test_the_four_settled_hands_of_a_server() -> None:
    """Fed with signs only: `net_all`, push, `sum_players`, two decimals."""
    hands: dict[str, list[dict[str, str]]] = defaultdict(list)
    with FEED.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            hands[row["vector"]].append(row)
    assert sorted(hands) == ["a", "b", "c", "d"]
    for rows in hands.values():
        assert [row["seat"] for row in rows] == ["banker", "p1", "p2", "p3"]
        nets = [0, *(parse_minor(row["net"], 2) for row in rows[1:])]
        outcomes = [(units > 0) - (units < 0) for units in nets]
        due = settle_case(
            outcomes,
            base=rows[0]["base"],
            multiple=int(rows[0]["banker_rate"]),
            bets=[0, *(int(row["bet_rate"]) for row in rows[1:])],
            carry_in=[row["carry_in"] for row in rows],
            banker_cap="net_all",
            banker_valid="sum_players",
            tie_rule="push",
        )
        for seat, row in enumerate(rows):
            assert due.net[seat] == parse_minor(row["net"], 2)
            assert due.rake[seat] == parse_minor(row["fee"], 2)
            assert due.valid_bet[seat] == parse_minor(row["valid_bet"], 2)
            if row["uncapped"]:
                assert due.theoretical[seat] == parse_minor(row["uncapped"], 2)
        assert format_minor(sum(due.gross), 2) == "0.00"
