"""Rulesets that nobody publishes: every option at random, so that options meet each other."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import replay
from tests.oracle.match_ups import assert_settled_alike, known

# The values of docs/rules.md 4.5, 5.12 and 6.6; of numbers some, the default first.
VALUES: dict[str, dict[str, list[Any]]] = {
    "banker-pai-gow": {
        "tie_rule": ["banker_wins", "push"],
        "zero_rule": ["normal", "zero_no_rank"],
        "high9": ["strict", "any_seven"],
        "combo_subrank": ["equal", "by_second_tile"],
        "point_tiebreak": ["two_tiles", "highest_only"],
        "ds_rank": ["er4_over_ding3", "equal"],
        "swap": ["best", "off"],
        "bid_tie": ["any_top_bidder", "most_coins"],
        "player_clip": ["both", "loss_only", "none"],
        "banker_cap": ["net_side", "net_all", "gross_first", "gross_both", "none"],
        "rounding": ["largest_remainder", "truncate", "last_takes_rest"],
        "rake_rate": ["0.05", "0", "0.0333", "1"],
        "rake_basis": ["seat_net", "per_pair"],
        "rake_round": ["floor", "half_up", "min_one"],
        "valid_bet": ["abs_gross_net", "abs_net"],
        "banker_valid": ["own_net", "sum_players"],
        "early_exit": ["below_entry", "never"],
        "reveal": ["banker_first_cw", "banker_last"],
    },
    "tien-gow": {
        "par": [4, 1, 2, 3, 5],
        "empty_extra": [1, 0, 3],
        "min_jie": [2, 1],
        "multiple": ["n_plus_1", "two_pow_n"],
        "multiplier_scope": ["banker_pairs", "global"],
        "in_paid_by_banker": ["times_m", "times_1"],
        "wen_zun": ["true_capturable", "true_unbeatable", "fake", "off"],
        "zun_base": [2, 0, 3],
        "he_base": [4, 0, 5],
        "bao_also_he": [False, True],
        "bao_zun_mult": [2, 1, 7],
        "four_bao_mult": [4, 1, 11],
        "yao_mult": [2, 1, 13],
        "yao15": ["always", "with_wen_zun"],
        "yao_validity": ["none", "capturer_live"],
        "capture_priority": ["must_win", "first_captor"],
        "capture_mult": [4, 2, 17],
        "quad_capture_mult": [4, 2, 19],
        "quad_capture": ["liable", "none"],
        "wenzun_last_capture": ["as_yao_capture", "ordinary"],
        "slam": ["on", "off"],
        "seven_mult": [2, 1, 3],
        "eight_mult": [4, 5],
        "eight_quad_mult": [8, 23],
        "eight_rule": ["last_tile_kind", "multi_tile_only"],
        "slam_stack": ["replace", "multiply"],
        "slam_first_lead": ["no_slam", "downgrade", "off"],
        "lipai": [["all-white", "one-red"], [], ["seven-civil", "four-pairs", "eight-military"]],
        "tian_red": [6, 0],
        "one_red": ["pips", "halves"],
        "restack": ["in_order", "mirrored"],
        "rake_rate": ["0", "0.05", "0.125"],
        "rake_round": ["floor", "half_up", "min_one"],
        "carry_cap": ["none", "net_pool"],
        "valid_bet": ["abs_gross_net", "abs_net"],
    },
    "wenzhou-pai-gow": {
        "odds_win": ["1", "0.99", "0", "1.005"],
        "odds_lose": ["0.94", "0.93", "2"],
        "zero_rule": ["door_zero_loses", "zero_vs_zero_by_tile", "banker_zero_sweeps_all"],
        "max_lose_doors": [1, 2, 3],
        "max_win_doors": [3, 1, 2],
        "same_door_both": ["allow_flag", "reject"],
        "valid_bet": ["abs_pnl", "stake"],
        "hedge": ["offset", "none"],
        "round": ["floor", "half_up"],
    },
}
VALUES["small-tien-gow"] = VALUES["tien-gow"]


def agree_on_mixed(game: str, *, mixes: int, hands: int, seed: int) -> None:
    """Settle so many simulated hands in both ways under each of so many random rulesets."""
    chance = Random(seed)
    for _ in range(mixes):
        options = {name: chance.choice(values) for name, values in VALUES[game].items()}
        rulesets = known(game, options)
        (ruleset,) = rulesets
        for line in replay.simulate(game, hands, chance.randrange(2**32), ruleset):
            assert_settled_alike(line, rulesets, options, chance)


@pytest.mark.parametrize("game", sorted(VALUES))
def test_random_rulesets_settle_alike(game: str) -> None:
    agree_on_mixed(game, mixes=30, hands=10, seed=1)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", sorted(VALUES))
def test_400_random_rulesets_settle_alike(game: str) -> None:
    agree_on_mixed(game, mixes=400, hands=25, seed=2)
