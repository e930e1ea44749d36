"""Endings, units and money under every option (RULEBOOK 3.7 to 3.9, 7.2, 8)."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from replay.money import Rate
from replay.tien_gow.combinations import combination_of
from replay.tien_gow.immediate import earned_by
from replay.tien_gow.options import OPTIONS_BIG, OPTIONS_SMALL, Rules, prepare_big, prepare_small
from replay.tien_gow.payout import (
    ORDINARY,
    Ending,
    ending_of,
    gross_of,
    payments_of,
    pool_of,
    rake_on,
    total_units,
)
from replay.tien_gow.state import Replay
from tests.golden_vectors import rulesets
from tests.replay.tien_gow.tien_gow_hands import audit, changed, line_of

E, S, W, N = range(4)


def _classic(**changes: Any) -> Rules:
    ruleset = rulesets().get("tien-gow/classic@1")
    assert ruleset is not None
    return prepare_big({**ruleset.options, **changes})


# -- endings --------------------------------------------------------------------------------


class _Banked:
    """As much of a hand as an ending looks at."""

    def __init__(self, banker: int = E) -> None:
        self.banker = type("Bank", (), {"seat": banker, "streak": 1})
        self.events: list[object] = []
        self.stakes = type("Stakes", (), {"lipai": None})


def _ended(
    lead: str,
    play: str | None = None,
    *,
    tricks: tuple[int, int, int, int] = (3, 2, 2, 1),
    first_lead: str = "22",
    banker: int = E,
    **options: Any,
) -> Ending:
    """The ending of a hand whose last trick 東 led; 南 took it if there is a second play."""
    state = Replay()
    state.tricks = list(tricks)
    state.last_lead = combination_of(*lead.split())
    state.last_leader = E
    state.last_count = len(lead.split())
    state.last_play = combination_of(*(play or lead).split())
    state.winner = E if play is None else S
    state.first_lead = combination_of(*first_lead.split())
    hand: Any = _Banked(banker)
    return ending_of(hand, state, _classic(**options))


ALL = (8, 0, 0, 0)

ENDINGS: list[tuple[str, Ending, Ending]] = [
    # 包尊, 四大包, 么結 and their captures (3.9).
    ("supreme", _ended("24 12"), Ending("bao-zun", 2)),
    ("bao_zun_mult", _ended("24 12", bao_zun_mult=3), Ending("bao-zun", 3)),
    ("文尊", _ended("15 15"), Ending("bao-zun", 2)),
    ("文尊 off", _ended("15 15", wen_zun="off"), ORDINARY),
    ("文尊 fake", _ended("15 15", wen_zun="fake"), Ending("bao-zun", 2)),
    ("文尊 captured", _ended("15 15", "16 16"), Ending("capture", 4, E, "TG-64")),
    ("文尊 captured, ordinary",
     _ended("15 15", "16 16", wenzun_last_capture="ordinary"), ORDINARY),
    ("文尊 off beaten", _ended("15 15", "16 16", wen_zun="off"), ORDINARY),
    ("fake captured", _ended("15 15", "16 16", wen_zun="fake"), Ending("capture", 4, E, "TG-64")),
    ("fake beaten by another", _ended("15 15", "66 66", wen_zun="fake"), ORDINARY),
    ("quad", _ended("13 13 14 23"), Ending("four-bao", 4)),
    ("four_bao_mult", _ended("13 13 14 23", four_bao_mult=2), Ending("four-bao", 2)),
    ("quad captured", _ended("13 13 14 23", "66 66 36 45"),
     Ending("quad-capture", 4, E, "TG-66")),
    ("quad_capture_mult", _ended("13 13 14 23", "66 66 36 45", quad_capture_mult=2),
     Ending("quad-capture", 2, E, "TG-66")),
    ("quad_capture none", _ended("13 13 14 23", "66 66 36 45", quad_capture="none"),
     Ending("four-bao", 4)),
    ("么 15", _ended("15"), Ending("yao", 2)),
    ("么 12", _ended("12"), Ending("yao", 2)),
    ("yao_mult", _ended("12", yao_mult=3), Ending("yao", 3)),
    ("TG-60 with 文尊", _ended("15", yao15="with_wen_zun"), Ending("yao", 2)),
    ("TG-60 without", _ended("15", yao15="with_wen_zun", wen_zun="off"), ORDINARY),
    ("TG-60 12 is always 么", _ended("12", yao15="with_wen_zun", wen_zun="off"),
     Ending("yao", 2)),
    ("15 captured", _ended("15", "16"), Ending("capture", 4, E, "TG-64")),
    ("12 captured", _ended("12", "24"), Ending("capture", 4, E, "TG-64")),
    ("capture_mult", _ended("12", "24", capture_mult=2), Ending("capture", 2, E, "TG-64")),
    ("15 no 么 captured", _ended("15", "16", yao15="with_wen_zun", wen_zun="off"), ORDINARY),
    ("TG-61 15 beaten by 天", _ended("15", "66"), ORDINARY),
    ("TG-61 12 beaten by 五", _ended("12", "14"), ORDINARY),
    ("any other", _ended("66"), ORDINARY),
    # 七支 and 八支 (TG-70 to TG-74, rulings 7, 12, 13).
    ("slam", _ended("44", tricks=ALL), Ending("slam-seven", 2, rule="TG-70")),
    ("slam off", _ended("44", tricks=ALL, slam="off"), ORDINARY),
    ("slam off, 么", _ended("12", tricks=ALL, slam="off"), Ending("yao", 2)),
    ("seven_mult", _ended("44", tricks=ALL, seven_mult=3), Ending("slam-seven", 3, rule="TG-70")),
    *[
        (f"八支 by {tiles}", _ended(tiles, tricks=ALL), Ending("slam-eight", 4, rule="TG-70"))
        for tiles in ("66", "36", "45", "15", "12", "24 12", "15 15")
    ],
    ("eight_mult", _ended("66", tricks=ALL, eight_mult=5), Ending("slam-eight", 5, rule="TG-70")),
    ("pair of Heavens", _ended("66 66", tricks=ALL), Ending("slam-seven", 2, rule="TG-70")),
    ("文武", _ended("66 36", tricks=ALL), Ending("slam-seven", 2, rule="TG-70")),
    ("15 15 off", _ended("15 15", tricks=ALL, wen_zun="off"),
     Ending("slam-seven", 2, rule="TG-70")),
    ("whatever yao15 says", _ended("15", tricks=ALL, yao15="with_wen_zun", wen_zun="off"),
     Ending("slam-eight", 4, rule="TG-70")),
    ("slam quad", _ended("13 13 14 23", tricks=ALL), Ending("slam-eight", 8, rule="TG-70")),
    ("eight_quad_mult", _ended("13 13 14 23", tricks=ALL, eight_quad_mult=16),
     Ending("slam-eight", 16, rule="TG-70")),
    ("TG-72 single", _ended("66", tricks=ALL, eight_rule="multi_tile_only"),
     Ending("slam-seven", 2, rule="TG-70")),
    ("TG-72 pair", _ended("22 22", tricks=ALL, eight_rule="multi_tile_only"),
     Ending("slam-eight", 4, rule="TG-70")),
    ("TG-72 quad", _ended("13 13 14 23", tricks=ALL, eight_rule="multi_tile_only"),
     Ending("slam-eight", 8, rule="TG-70")),
    ("TG-73 multiply 么", _ended("12", tricks=ALL, slam_stack="multiply"),
     Ending("slam-eight", 8, rule="TG-70")),
    ("TG-73 multiply 至尊", _ended("24 12", tricks=ALL, slam_stack="multiply"),
     Ending("slam-eight", 8, rule="TG-70")),
    ("TG-73 multiply quad", _ended("13 13 14 23", tricks=ALL, slam_stack="multiply"),
     Ending("slam-eight", 16, rule="TG-70")),
    ("TG-73 multiply nothing", _ended("44", tricks=ALL, slam_stack="multiply"),
     Ending("slam-seven", 2, rule="TG-70")),
    *[
        (f"TG-74 first {tiles}", _ended("44", tricks=ALL, first_lead=tiles), ORDINARY)
        for tiles in ("66", "36", "45", "24 12", "15 15")
    ],
    ("TG-74 other lead", _ended("44", tricks=ALL, first_lead="66 66"),
     Ending("slam-seven", 2, rule="TG-70")),
    ("TG-74 15 15 off", _ended("44", tricks=ALL, first_lead="15 15", wen_zun="off"),
     Ending("slam-seven", 2, rule="TG-70")),
    ("TG-74 not the first leader", _ended("44", tricks=ALL, first_lead="66", banker=N),
     Ending("slam-seven", 2, rule="TG-70")),
    ("TG-74 and the last trick", _ended("12", tricks=ALL, first_lead="66"), Ending("yao", 2)),
    ("TG-74 downgrade", _ended("13 13 14 23", tricks=ALL, first_lead="66",
                               slam_first_lead="downgrade"),
     Ending("slam-seven", 2, rule="TG-70")),
    ("TG-74 downgrade, multiply", _ended("13 13 14 23", tricks=ALL, first_lead="66",
                                         slam_first_lead="downgrade", slam_stack="multiply"),
     Ending("slam-seven", 8, rule="TG-70")),
    ("TG-74 off", _ended("66", tricks=ALL, first_lead="66", slam_first_lead="off"),
     Ending("slam-eight", 4, rule="TG-70")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "found", "expected"), ENDINGS, ids=[row[0] for row in ENDINGS])
def test_ending(name: str, found: Ending, expected: Ending) -> None:
    assert found == expected, name


# -- immediate payments ---------------------------------------------------------------------


@pytest.mark.parametrize("wen_zun", ["true_capturable", "true_unbeatable", "fake"])
def test_TG40_an_unbeaten_wen_zun_is_paid(wen_zun: str) -> None:
    pair = combination_of("15", "15")
    earned = earned_by(pair, S, S, pair, banker=E, multiple=2, rules=_classic(wen_zun=wen_zun))
    assert earned is not None
    assert (earned.kind, earned.units) == ("supreme", (-4, 8, -2, -2))


def test_TG43_a_beaten_false_supreme_pays_nobody() -> None:
    rules = _classic(wen_zun="fake")
    for play in ("16 16", "66 66"):
        assert earned_by(
            combination_of("15", "15"), S, W, combination_of(*play.split()),
            banker=E, multiple=2, rules=rules,
        ) is None  # fmt: skip


def test_TG57_global_multiplies_every_payment() -> None:
    rules = _classic(multiplier_scope="global")
    supreme = combination_of("24", "12")
    earned = earned_by(supreme, S, S, supreme, banker=E, multiple=3, rules=rules)
    assert earned is not None
    assert earned.units == (-6, 18, -6, -6)


# -- units ----------------------------------------------------------------------------------


def _units(tricks: list[int], winner: int, rules: Rules, ending: Ending = ORDINARY) -> list[int]:
    payments = payments_of(
        ending, winner, tricks, banker=E, multiple=rules.multiple_of(2), rules=rules
    )
    return total_units(payments, [0, 0, 0, 0])


def test_TG54_TG55_above_par() -> None:
    assert _units([5, 1, 0, 2], N, _classic()) == [1, -3, -5, 7]
    assert _units([2, 6, 0, 0], E, _classic()) == [24, 6, -15, -15]
    assert _units([2, 6, 0, 0], E, _classic(in_paid_by_banker="times_1")) == [28, 2, -15, -15]


def test_ruling_15_global_has_no_exception_above_par() -> None:
    rules = _classic(multiplier_scope="global", in_paid_by_banker="times_1")
    assert _units([5, 1, 0, 2], N, rules) == [3, -9, -15, 21]
    assert _units([2, 6, 0, 0], E, rules) == [24, 6, -15, -15]


def test_TG6_the_multiple() -> None:
    assert [_classic().multiple_of(n) for n in (1, 2, 3, 1000)] == [2, 3, 4, 1001]
    two_pow_n = _classic(multiple="two_pow_n")
    assert [two_pow_n.multiple_of(n) for n in (1, 2, 3, 10)] == [2, 4, 8, 1024]


def test_TG50_par_and_empty() -> None:
    assert [_classic().base_of(tricks) for tricks in range(7)] == [-5, -3, -2, -1, 0, 1, 2]
    assert _classic(par=3, empty_extra=0).base_of(0) == -3
    # A hand of many 棟 above a small par: d − par whatever its size (ruling 15).
    assert _classic(par=1).base_of(6) == 5


def test_TG64_the_victim_keeps_what_is_due_above_par() -> None:
    capture = Ending("capture", 4, E, "TG-64")
    assert _units([5, 2, 0, 1], S, _classic(), capture) == [-31, 31, 0, 0]


def test_units_sum_to_zero_whatever_the_ending() -> None:
    """Every way to share eight 棟, every winner, every kind of ending, every multiple."""
    shares = [[a, b, c, 8 - a - b - c] for a, b, c in product(range(9), repeat=3) if a + b + c <= 8]
    assert len(shares) == 165
    scopes = (
        _classic(),
        _classic(multiplier_scope="global"),
        _classic(in_paid_by_banker="times_1"),
    )
    endings = (ORDINARY, Ending("yao", 2), Ending("lipai-eight", 4, rule="TG-85"))
    for tricks, winner, rules in product(shares, range(4), scopes):
        victims = [Ending("capture", 4, seat, "TG-64") for seat in range(4) if seat != winner]
        for ending in (*endings, *victims):
            assert sum(_units(tricks, winner, rules, ending)) == 0


# -- money ----------------------------------------------------------------------------------


def test_TG90_payers_owe_more_than_is_claimed() -> None:
    pool = pool_of([-300, 100, -300, 500], [300, 40, 100, 200], N)
    assert (pool.owed, pool.claimed) == ([300, 0, 100, 0], [0, 40, 0, 200])
    assert pool.gross == [-180, 40, -60, 200]


def test_TG90_receivers_claim_more_than_is_owed() -> None:
    pool = pool_of([-300, 100, -100, 300], [50, 500, 50, 200], N)
    assert pool.gross == [-50, 33, -50, 67]


def test_ruling_19_ties_go_to_the_seats_after_the_winner() -> None:
    # Three equal claims on 100: the spare unit goes to the first after the winner.
    amounts, carry_in = [100, -300, 100, 100], [100, 100, 100, 100]
    for winner, gross in (
        (E, [33, -100, 34, 33]),
        (W, [33, -100, 33, 34]),
        (N, [34, -100, 33, 33]),
    ):
        assert pool_of(amounts, carry_in, winner).gross == gross
    # The winner himself comes last; with equal sides nothing is shared.
    assert pool_of([-100, 100, 0, 0], [100, 100, 0, 0], S).gross == [-100, 100, 0, 0]


def test_units_that_do_not_balance_are_not_capped() -> None:
    rules = _classic(carry_cap="net_pool")
    assert gross_of([1, 0, 0, 0], 50, [0, 0, 0, 0], E, rules) == [50, 0, 0, 0]
    assert gross_of([1, -1, 0, 0], 50, [0, 0, 0, 0], E, rules) == [0, 0, 0, 0]


def test_TG91_rake_and_its_rounding() -> None:
    for rounding, fees in (
        ("floor", [0, 0, 0, 1]),
        ("half_up", [0, 0, 1, 1]),
        ("min_one", [0, 1, 1, 1]),
    ):
        rules = replace(_classic(rake_round=rounding), rake_rate=Rate.parse("0.05"))
        assert [rake_on(amount, rules) for amount in (-100, 9, 10, 20)] == fees
    # Ruling 5: at a rate of 0 nobody pays, min_one included.
    assert rake_on(100, _classic(rake_round="min_one")) == 0


# -- options --------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [False, True])
def test_every_option_is_compiled(small: bool) -> None:
    """Each option changes the compiled rules, and no other is asked for."""
    name = "small-tien-gow/derived@1" if small else "tien-gow/classic@1"
    ruleset = rulesets().get(name)
    assert ruleset is not None
    options = OPTIONS_SMALL if small else OPTIONS_BIG
    prepare = prepare_small if small else prepare_big
    plain = prepare(ruleset.options)
    assert set(options) == set(ruleset.options)
    assert len(options) == 35
    for option in options:
        value = ruleset.options[option]
        other: Any
        if option == "lipai":
            other = ("eight-civil",)
        elif option == "rake_rate":
            other = "0.05"
        elif option == "yao15":
            # It matters only where 文尊 is off.
            before = prepare(ruleset.changed("wen_zun", "off"))
            after = prepare({**ruleset.options, "wen_zun": "off", "yao15": "with_wen_zun"})
            assert before != after
            continue
        else:
            tried = [
                alternative for alternative in options[option].alternatives if alternative != value
            ]
            other = tried[0] if tried else int(str(value)) + 1
        assert prepare(ruleset.changed(option, other)) != plain, option


def test_explained_by_tries_what_the_format_lists() -> None:
    tried = {
        name: option.alternatives for name, option in OPTIONS_BIG.items() if option.alternatives
    }
    assert tried["min_jie"] == (1, 2)
    assert tried["capture_mult"] == tried["quad_capture_mult"] == (2, 4)
    assert tried["tian_red"] == (0, 6)
    assert OPTIONS_SMALL["par"].alternatives == (2, 4)
    untried = {name for name, option in OPTIONS_BIG.items() if not option.alternatives}
    assert untried == {
        "par", "empty_extra", "zun_base", "he_base", "bao_zun_mult", "four_bao_mult", "yao_mult",
        "seven_mult", "eight_mult", "eight_quad_mult", "lipai", "rake_rate",
    }  # fmt: skip


# -- void hands -----------------------------------------------------------------------------

ZEROS = [
    {
        "seat": seat, "tricks": 0, "units": 0, "gross": "0.00", "rake": "0.00", "net": "0.00",
        "valid_bet": "0.00",
    }
    for seat in range(4)
]  # fmt: skip


def test_a_void_hand_settles_to_zeros_and_keeps_the_bank() -> None:
    line = line_of([{"type": "void", "reason": "power cut"}], None, banker=W, streak=3)
    verdict = audit(line)
    assert verdict.verdict == "void"
    assert verdict.settlement == {
        "winner": None, "seats": ZEROS, "next": {"banker": W, "streak": 3},
    }  # fmt: skip


def test_figures_of_a_void_hand_are_zeros_and_follow_from_nothing() -> None:
    seats: list[dict[str, object]] = json.loads(json.dumps(ZEROS))
    seats[1] |= {"gross": "5.00", "net": "5.00", "carry_out": "505"}
    result = {"winner": None, "seats": seats}
    verdict = audit(line_of([{"type": "void", "reason": "x"}], result))
    assert [
        (found.code, found.seat, found.logged, found.expected, found.follows, found.explained_by)
        for found in verdict.findings
    ] == [
        ("gross-mismatch", 1, "5.00", "0.00", False, ()),
        ("net-mismatch", 1, "5.00", "0.00", False, ()),
        ("carry-out-mismatch", 1, "505.00", "500.00", False, ()),
        ("not-conserved", None, "5.00", "0.00", True, ()),
        ("not-conserved", None, "5.00", "0.00", True, ()),
    ]


def test_a_winner_may_be_missing_in_a_void_hand_only() -> None:
    result = {"winner": None, "seats": ZEROS}
    line = line_of([{"type": "void", "reason": "x"}], result)
    assert audit(line).verdict == "void"
    assert audit(changed(line, events=[])).verdict == "rejected"
