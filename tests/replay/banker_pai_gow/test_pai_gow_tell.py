"""What the hand page says: steps, boards, reasons, and the way to each figure, word by word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import replay
from replay.banker_pai_gow import GAME
from replay.banker_pai_gow.board import board_of
from replay.banker_pai_gow.options import Rules
from replay.banker_pai_gow.play import WINNERS, Play
from replay.banker_pai_gow.rules import RULES
from replay.banker_pai_gow.words import comparison, holding_note
from replay.steps import Step
from tests.golden_vectors import rulesets
from tests.replay.banker_pai_gow.pai_gow_hands import (
    line_of,
    make_hand,
    place,
    played,
    rules,
    spare_tiles,
)

# The hand of the design's hand page: 西 and 南 are capped, and the rake of 南 is one fen over.
MOCK = (Path(__file__).parent / "hand-7741-2.ndjson").read_bytes().rstrip(b"\n")


def told(hand: dict[str, Any], with_rules: Rules | None = None) -> tuple[Step, ...]:
    found = replay.read(line_of(hand))
    return GAME.tell(found.hand, found.facts, with_rules or rules())


def way(hand: dict[str, Any], seat: int, name: str, **options: str) -> dict[str, tuple[str, str]]:
    """Formula and value of each stage on the way to a figure."""
    found = replay.read(line_of(hand))
    for figure in GAME.derive(found.hand, found.facts, rules(**options)):
        if (figure.seat, figure.name) == (seat, name):
            return {stage.name: (stage.formula, stage.value) for stage in figure.stages}
    raise AssertionError(name)


# -- the hand of the design -----------------------------------------------------------------


def test_the_verdict_of_the_designs_hand() -> None:
    verdict = replay.audit(MOCK, rulesets())
    assert [
        (f.code, f.seat, f.logged, f.expected, f.follows, f.explained_by) for f in verdict.findings
    ] == [
        ("rake-mismatch", 1, "4.82", "4.81", False, ("pg.rake_round=half_up",)),
        ("net-mismatch", 1, "91.53", "91.54", True, ("pg.rake_round=half_up",)),
        ("carry-out-mismatch", 1, "187.88", "187.89", True, ("pg.rake_round=half_up",)),
    ]


def test_the_event_list_of_the_designs_hand() -> None:
    steps = replay.walk(MOCK, rulesets()).steps
    assert [(step.part.key, step.seat, step.text) for step in steps] == [
        ("bids", None, "before the first event"),
        ("bids", 1, "bids ×2"),
        ("bids", 0, "bids ×1"),
        ("bids", 3, "bids ×2"),
        ("bids", 2, "no bid"),
        ("bids", 1, "is banker at ×2 (tie, either was legal)"),
        ("bets", 0, "bets ×10"),
        ("bets", 3, "bets ×5"),
        ("bets", 2, "bets ×8"),
        ("deal", None, "7: 北 is dealt first"),
        ("deal", 3, "is dealt 板凳 and 板凳"),
        ("deal", 0, "is dealt 天 and 雜八"),
        ("deal", 1, "is dealt 地 and 雜九"),
        ("deal", 2, "is dealt 梅 and 雜九"),
        ("reveal", 1, "shows 地王, Earth King"),
        ("reveal", 0, "shows 天槓, Heaven Gong"),
        ("reveal", 3, "shows 雙板凳, pair of Benches"),
        ("reveal", 2, "shows 九點, 9 points"),
        ("compare", 0, "loses to the banker"),
        ("compare", 3, "beats the banker"),
        ("compare", 2, "loses to the banker"),
    ]
    assert [step.is_auto for step in steps].index(True) == 4
    assert sum(step.is_auto for step in steps) == 1
    assert [step.think_ms for step in steps[1:6]] == [None, 800, 1400, 3700, 600]
    assert [len(step.findings) for step in steps] == [0] * 20 + [3]
    assert steps[5].sentence == "South is banker at multiple 2; tie, either was legal."
    assert steps[6].sentence == "East bets 10, stake 100.00."
    assert steps[9].sentence == "The dice show 3 and 4, 7 in all: North is dealt first."
    assert steps[16].sentence == "North shows a pair of Benches: Bench and Bench."


def notes_of(steps: tuple[Step, ...]) -> dict[str, str]:
    return {step.part.title: step.part.note for step in steps}


def test_the_phases_of_the_designs_hand_say_what_came_of_them() -> None:
    assert notes_of(replay.walk(MOCK, rulesets()).steps) == {
        "Bids and banker": "1 · 2 · 0 · 2, 南 at ×2",
        "Bets": "×10 · ×8 · ×5",
        "Dice and deal": "3 + 4, from 北",
        "Reveal": "the bank shows 地王",
        "Comparison": "the bank wins 2, loses 1",
    }


def test_phases_behind_a_stop_say_that_they_are_not_judged() -> None:
    hand = json.loads(MOCK)
    hand["events"][7]["multiple"] = 999
    assert notes_of(told(hand)) == {
        "Bids and banker": "1 · 2 · 0 · 2, 南 at ×2",
        "Bets": "×10 · – · ×5",
        "Dice and deal": "not judged",
        "Reveal": "not judged",
        "Comparison": "not judged",
    }
    hand["events"] = [*json.loads(MOCK)["events"][:3], {"type": "void", "reason": "cut"}]
    hand["result"] = None
    assert notes_of(told(hand)) == {
        "Bids and banker": "1 · 2 · – · 2",
        "Void": "nothing is owed",
    }


def test_the_board_of_the_designs_hand() -> None:
    steps = replay.walk(MOCK, rulesets()).steps
    board = steps[-1].board
    assert (board.heading, board.notes) == ("Comparison", ("the bank wins 2, loses 1",))
    assert (board.dice, board.dice_note) == ((3, 4), "7: 北 is dealt first")
    assert board.corner_notes == ("base 5.00", "bank ×2")
    shown = [
        (view.player, view.hand_name_hant, view.hand_name, view.hand_note, view.lines, view.outcome,
         view.outcome_reason, view.outcome_rule)
        for view in board.seats
    ]  # fmt: skip
    assert shown == [
        ("Carmen", "天槓", "Heaven Gong", "天 with a 雜八, rank 19 of 32",
         ("bet ×10, stake 100.00",), "Banker wins",
         "地王 beats 天槓: rank 18 is above rank 19.", "PG-19"),
        ("李四", "地王", "Earth King", "地 with a 雜九, rank 18 of 32", (), None, None, None),
        ("guest 12", "九點", "9 points", "10 + 9, rank 23 of 32",
         ("bet ×8, stake 80.00",), "Banker wins",
         "地王 beats nine points: points are below every named hand.", "PG-20"),
        ("u10293", "雙板凳", "pair of Benches", "rank 8 of 32",
         ("bet ×5, stake 50.00",), "Player wins",
         "雙板凳 beats 地王: any pair is above a king.", "PG-19"),
    ]  # fmt: skip
    assert [view.banker_note for view in board.seats] == [None, "Banker, bid ×2", None, None]
    assert [view.is_banker for view in board.seats] == [False, True, False, False]
    assert [view.carry_in_minor for view in board.seats] == [31245, 9635, 6370, 20500]
    # Before: bids as they come in, tiles once dealt, names only once shown, turns while showing.
    assert [view.lines for view in steps[4].board.seats] == [
        ("bid ×1",), ("bid ×2",), ("no bid",), ("bid ×2",),
    ]  # fmt: skip
    assert steps[10].board.seats[3].holding == ("22", "22")
    assert [view.hand_name for view in steps[13].board.seats] == [None] * 4
    assert [view.is_turn for view in steps[13].board.seats] == [False, True, False, False]
    assert [view.is_shown for view in steps[15].board.seats] == [True, True, False, False]
    assert steps[15].board.notes == ("2 of 4 have shown",)
    assert [view.outcome for view in steps[16].board.seats] == [None] * 4


def test_the_waterfall_of_the_designs_hand() -> None:
    figures = replay.walk(MOCK, rulesets()).figures
    net = next(figure for figure in figures if (figure.seat, figure.name) == (1, "net"))
    assert (net.owner, net.owner_title) == ("seat-1", "南 李四")
    assert (net.logged, net.recomputed) == ("91.53", "91.54")
    assert [finding.code for finding in net.findings] == ["net-mismatch"]
    assert [
        (stage.name, stage.formula, stage.value, stage.logged, stage.rule) for stage in net.stages
    ] == [
        ("theoretical",
         "won 5 × 2 × 10 and 5 × 2 × 8, lost 5 × 2 × 5: 100.00 + 80.00 − 50.00",
         "130.00", "130.00", "PG-30"),
        ("clip", "西 brought 63.70 and can lose no more: 80.00 → 63.70", "113.70", None, "PG-32"),
        ("cap", "南 brought 96.35 and can win no more: 113.70 → 96.35", "96.35", None, "PG-32"),
        ("gross", "what is left", "96.35", "96.35", "PG-32"),
        ("rake", "5 % × 96.35 = 4.8175, rounded down to 4.81", "4.81", "4.82", "PG-31"),
        ("net", "96.35 − 4.81", "91.54", "91.53", "PG-30"),
    ]  # fmt: skip
    last = {
        (figure.seat, figure.name): (figure.stages[-1].formula, figure.recomputed)
        for figure in figures
    }
    assert last[1, "valid_bet"] == ("gross without its sign: |96.35|", "96.35")
    assert last[1, "carry_out"] == ("brought + net: 96.35 + 91.54", "187.89")
    assert last[0, "rake"] == ("only a winner pays rake", "0.00")
    gross = next(figure for figure in figures if (figure.seat, figure.name) == (2, "gross"))
    assert gross.stages[2].formula == (
        "losers pay 146.35 instead of 163.70, in proportion: "
        "63.70 × 146.35 ÷ 163.70 = 56.948656… → 56.95, by largest remainder"
    )


# -- reasons --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "banker", "options", "reason", "rule"),
    [
        ("24 12", "66 66", {}, "至尊寶 beats 雙天: it is above every other hand.", "PG-19"),
        ("66 66", "11 11", {}, "雙天 beats 雙地: rank 2 is above rank 3.", "PG-19"),
        ("66 26", "22 22", {}, "雙板凳 beats 天槓: any pair is above a gong.", "PG-19"),
        ("66 25", "22 22", {}, "雙板凳 beats 天高九: any pair is above a high nine.", "PG-19"),
        ("15 24", "44 33", {}, "Nine points beat four points: 9 is above 4.", "PG-20"),
        ("55 46", "56 46", {}, "One point beats zero points: 1 is above 0.", "PG-20"),
        ("66 12", "11 24", {}, "Both have eight points: 天 is above 地.", "PG-24"),
        ("33 16", "33 25", {}, "Both have three points and 長三: 高腳七 is above 雜七.", "PG-24"),
        ("44 12", "44 24", {}, "Both have four points and 人: 二四 is above 丁三.", "PG-23"),
        ("44 12", "44 24", {"point_tiebreak": "highest_only"},
         "Both have four points and 人: 二四 is above 丁三.", "PG-23"),
        ("66 44", "66 35", {"combo_subrank": "by_second_tile"},
         "Both have 天槓: 人 is above 雜八.", "PG-19"),
        ("66 26", "66 35", {},
         ("Both have 天槓, in forms that are equal: "
         "the banker wins ties (pg.tie_rule = banker_wins)."), "PG-19"),
        ("66 26", "66 35", {"tie_rule": "push"},
         "Both have 天槓, in forms that are equal: a tie is a push (pg.tie_rule = push).", "PG-19"),
        ("55 35", "55 26", {},
         ("Both have eight points with tiles that rank equal: "
         "the banker wins ties (pg.tie_rule = banker_wins)."), "PG-25"),
        ("13 66", "13 66", {},
         ("Both have six points with tiles that rank equal: "
         "the banker wins ties (pg.tie_rule = banker_wins)."), "PG-24"),
        ("33 16", "33 25", {"point_tiebreak": "highest_only", "tie_rule": "push"},
         ("Both have three points with highest tiles that rank equal: "
         "a tie is a push (pg.tie_rule = push)."), "PG-24"),
        ("55 46", "56 36", {"zero_rule": "zero_no_rank"},
         ("Both have zero points, which are not compared (pg.zero_rule = zero_no_rank): "
         "the banker wins."), "PG-20"),
    ],
)  # fmt: skip
def test_why_a_hand_wins(
    player: str, banker: str, options: dict[str, str], reason: str, rule: str
) -> None:
    rest = spare_tiles([*player.split(), *banker.split()])
    tiles = [banker.split(), player.split(), rest[:2], rest[2:4]]
    play = played(make_hand(tiles=tiles, banker=0), **options)
    said = comparison(place(player), place(banker), play.outcomes[1], rules(**options))
    assert (said.reason, said.rule) == (reason, rule)
    word = {"player": "Player wins", "banker": "Banker wins", "push": "Push"}
    assert said.outcome == word[WINNERS[play.outcomes[1]]]
    assert said.rule in RULES


@pytest.mark.parametrize(
    ("tiles", "note"),
    [
        ("24 12", "rank 1 of 32"),
        ("44 66", "天 with 人, rank 19 of 32"),
        ("66 25", "天 with a 雜七, rank 21 of 32"),
        ("15 24", "6 + 3 (二四 counts as 3), rank 23 of 32"),
        ("12 66", "6 + 12 (丁三 counts as 6), rank 24 of 32"),
        ("33 24", "6 + 3 (二四 counts as 3), rank 23 of 32"),
        ("33 12", "6 + 3, rank 23 of 32"),
    ],
)
def test_how_a_hand_comes_about(tiles: str, note: str) -> None:
    assert holding_note(place(tiles), rules()) == note


# -- refused events, statements, void hands -------------------------------------------------


@pytest.mark.parametrize(
    ("index", "event", "text"),
    [
        (1, {"type": "bid", "seat": 0, "multiple": 2},
         "bids ×2, refused: East has had that turn already"),
        (1, {"type": "dice", "values": [1, 2]},
         "1 + 2 = 3, refused: out of its place, a bid is due"),
        (4, {"type": "bet", "seat": 0, "multiple": 1},
         "bets ×1, refused: out of its place, the banker is due"),
        (0, {"type": "bid", "seat": 0, "multiple": 9},
         "bids ×9, refused: not offered, only ×0, ×1, ×2 and ×3 are"),
        (0, {"type": "bid", "seat": 0, "multiple": 1, "auto": True},
         "bids ×1, refused: a seat that runs out of time has not bid"),
        (4, {"type": "banker", "seat": 0, "multiple": 2},
         "is banker at ×2, refused: only West may be banker"),
        (4, {"type": "banker", "seat": 2, "multiple": 3},
         "is banker at ×3, refused: the multiple is ×2"),
        (5, {"type": "bet", "seat": 2, "multiple": 1},
         "bets ×1, refused: the banker does not bet"),
        (5, {"type": "bet", "seat": 0, "multiple": 1, "offered": [7]},
         "bets ×1, refused: not offered, only ×7 is"),
        (5, {"type": "bet", "seat": 0, "multiple": 2, "auto": True},
         "bets ×2, refused: a seat that runs out of time bets the smallest, ×1"),
        (9, {"type": "deal", "seat": 1, "tiles": ["22", "22"]},
         "is dealt 板凳 and 板凳, refused: East is dealt first"),
        (10, {"type": "deal", "seat": 3, "tiles": ["66", "26"]},
         "is dealt 天 and 雜八, refused: South is dealt next"),
        (9, {"type": "deal", "seat": 0, "tiles": []},
         "is dealt no tile, refused: 2 tiles are due, not 0"),
        (10, {"type": "deal", "seat": 1, "tiles": ["22", "36"]},
         "is dealt 板凳 and 雜九, refused: the set holds 22 板凳 only twice"),
        (9, {"type": "deal", "seat": 0, "tiles": ["36", "36"]},
         "is dealt 雜九 and 雜九, refused: the set holds 36 雜九 only once"),
        (13, {"type": "reveal", "seat": 1, "tiles": ["66", "26"]},
         "shows 天 and 雜八, refused: it is for West to show"),
        (13, {"type": "reveal", "seat": 2, "tiles": ["66", "26"]},
         "shows 天 and 雜八, refused: the seat was dealt 地 and 雜九"),
        (17, {"type": "compare", "seat": 2, "winner": "banker"},
         "loses to the banker, refused: the banker does not compare with himself"),
        (17, {"type": "reveal", "seat": 2, "tiles": ["11", "36"]},
         "shows 地 and 雜九, refused: out of its place, only comparisons can come now"),
    ],
)  # fmt: skip
def test_a_refused_event_says_why(index: int, event: dict[str, Any], text: str) -> None:
    hand = make_hand()
    hand["events"][index:] = [event, {"type": "void", "reason": "line cut"}]
    steps = told(hand)
    assert steps[index + 1].text == text
    assert [step.is_judged for step in steps] == [True] * (index + 2) + [False]
    assert steps[-1].text == "the hand is void: line cut"
    # The board is that before the refusal; tiles that were not accepted lie apart.
    assert steps[-1].board == steps[-2].board
    assert steps[-1].board.seats == steps[index].board.seats
    refused = [(piece.seat, piece.state, piece.tiles) for piece in steps[-1].board.placed]
    if event["type"] in ("deal", "reveal"):
        assert refused == [(event["seat"], "refused", tuple(event["tiles"]))]
    else:
        assert refused == []


def test_two_of_several_top_bidders() -> None:
    hand = make_hand(banker=1, bids=(2, 2, 1, 0))
    hand["events"][4]["seat"] = 2
    assert told(hand)[5].text == "is banker at ×2, refused: only East or South may be banker"


@pytest.mark.parametrize(
    ("bids", "options", "text"),
    [
        ((1, 0, 2, 1), {}, "is banker at ×2"),
        ((2, 2, 2, 1), {}, "is banker at ×2 (tie of 3, each was legal)"),
        ((2, 1, 2, 1), {"bid_tie": "most_coins"},
         "is banker at ×2 (tie of 2, this seat carries as much as any)"),
        ((0, 0, 0, 0), {}, "is banker at ×1 (nobody bid, any seat was legal)"),
    ],
)  # fmt: skip
def test_how_the_bank_was_won(bids: tuple[int, ...], options: dict[str, str], text: str) -> None:
    steps = told(make_hand(banker=2, bids=bids), rules(**options))
    assert steps[5].text == text


def test_the_richest_of_several_top_bidders() -> None:
    hand = make_hand(banker=2, bids=(2, 1, 2, 1), carry_in=("1", "1", "2", "1"))
    steps = told(hand, rules(bid_tie="most_coins"))
    assert steps[5].text == "is banker at ×2 (tie of 2, this seat carries the most)"


def test_statements_that_the_tiles_deny() -> None:
    hand = make_hand()
    hand["events"][13]["rank"] = "heaven-king"
    hand["events"].append({"type": "compare", "seat": 3, "winner": "push"})
    steps = told(hand)
    assert steps[14].text == "shows 地王, Earth King (logged as heaven-king)"
    assert steps[18].text == "pushes with the banker, as logged (by the tiles: banker wins)"
    assert steps[18].sentence == (
        "North pushes with the banker, says the log. By the tiles: banker wins."
    )


def test_a_void_hand_is_told_to_its_end_and_owes_nothing() -> None:
    hand = make_hand()
    hand["events"][6:] = [{"type": "void", "reason": "server restart", "ms": 9}]
    steps = told(hand)
    assert (steps[-1].text, steps[-1].part.key) == ("the hand is void: server restart", "void")
    assert steps[-1].board.heading == "Void"
    assert way(hand, 1, "gross") == {"gross": ("the hand is void: nothing is owed", "0.00")}
    assert way(hand, 1, "carry_out") == {
        "carry_out": ("the hand is void: all stakes go back", "1000.00")
    }


def test_a_hand_without_events_has_one_step() -> None:
    hand = make_hand()
    hand["events"] = []
    steps = told(hand)
    assert [(step.number, step.kind, step.board.heading) for step in steps] == [
        (0, "start", "Bids")
    ]
    found = replay.read(line_of(hand))
    assert GAME.derive(found.hand, found.facts, rules()) == ()


def test_time_since_the_last_event_that_has_one() -> None:
    hand = make_hand()
    for index, ms in ((0, 100), (2, 90), (3, 250)):
        hand["events"][index]["ms"] = ms
    assert [(step.ms, step.think_ms) for step in told(hand)[:6]] == [
        (None, None), (100, None), (None, None), (90, None), (250, 160), (None, None),
    ]  # fmt: skip


def test_the_board_before_the_first_event_and_its_entry() -> None:
    hand = make_hand(stakes={"base": "2.50", "entry": "10", "bid_multiples": [0, 1, 2],
                             "bet_multiples": [1, 2, 3, 5]})  # fmt: skip
    found = replay.read(line_of(hand))
    board = board_of(Play(found.hand, found.facts, rules()), found.facts)
    assert board == told(hand)[0].board
    assert board.corner_notes == ("base 2.50", "entry 10")
    assert [view.holding for view in board.seats] == [()] * 4


# -- the ways under each option -------------------------------------------------------------

# Banker 2 wins 20 × 2 and 20 × 5 from seats 1 and 3 and loses 20 × 1 to seat 0: N = 120.
POOR = {"carry_in": ("1000", "1000", "100", "1000")}


@pytest.mark.parametrize(
    ("fields", "seat", "name", "options", "stage", "expected"),
    [
        (POOR, 2, "gross", {"banker_cap": "gross_first"}, "cap",
         (("西 brought 100.00: takes 100.00 of 140.00, pays 20.00 of 20.00 "
          "(pg.banker_cap = gross_first)"), "80.00")),
        (POOR, 2, "gross", {"banker_cap": "none"}, "cap",
         ("the banker's result has no limit (pg.banker_cap = none)", "120.00")),
        (POOR, 2, "gross", {"rounding": "truncate"}, "gross",
         (("minus what the players have, cut-off units stay with nobody: "
          "−(20.00 − 34.28 − 85.71)"), "99.99")),
        (POOR, 3, "gross", {"rounding": "truncate"}, "cap",
         (("losers pay 120.00 instead of 140.00, in proportion: "
          "100.00 × 120.00 ÷ 140.00 = 85.714285… → 85.71, cut off"), "-85.71")),
        (POOR, 1, "gross", {"rounding": "last_takes_rest"}, "cap",
         (("losers pay 120.00 instead of 140.00, in proportion: "
          "40.00 × 120.00 ÷ 140.00 = 34.285714… → 34.29, the last seat takes the rest"),
          "-34.29")),
        (POOR, 0, "gross", {}, "cap", ("the banker's limit changes nothing here", "20.00")),
        ({}, 2, "gross", {}, "cap", ("西 brought 1000.00, which covers 120.00", "120.00")),
        ({}, 2, "gross", {}, "clip", ("no player's result is clipped", "120.00")),
        ({}, 0, "gross", {}, "clip", ("東 brought 1000.00, which covers 20.00", "20.00")),
        ({"carry_in": ("5", "30", "1000", "1000")}, 2, "gross", {}, "clip",
         (("東 brought 5.00 and can win no more: 20.00 → 5.00; "
          "南 brought 30.00 and can lose no more: 40.00 → 30.00"), "125.00")),
        ({"carry_in": ("5", "30", "1000", "1000")}, 0, "gross", {"player_clip": "loss_only"},
         "clip", ("東 brought 5.00, but wins are not clipped (pg.player_clip = loss_only)",
                  "20.00")),
        ({"carry_in": ("5", "30", "1000", "1000")}, 1, "gross", {"player_clip": "none"},
         "clip", ("南 brought 30.00, but nothing is clipped (pg.player_clip = none)", "-40.00")),
        ({}, 2, "rake", {"rake_basis": "per_pair"}, "rake",
         ("each pair won pays its own: 5 % × 40.00 = 2.00; 5 % × 100.00 = 5.00", "7.00")),
        ({"carry_in": ("9", "0", "9", "0")}, 2, "rake", {"rake_basis": "per_pair"}, "rake",
         ("no pair was won, no rake", "0.00")),
        ({}, 2, "rake", {"rake_rate": "0.025"}, "rake", ("2.5 % × 120.00 = 3.00", "3.00")),
        ({}, 2, "rake", {"rake_rate": "0"}, "rake",
         ("no rake is taken (pg.rake_rate = 0)", "0.00")),
        ({"carry_in": ("0.38", "9", "9", "9")}, 0, "rake", {"rake_round": "half_up"}, "rake",
         ("5 % × 0.38 = 0.019, rounded half up to 0.02", "0.02")),
        ({"carry_in": ("0.02", "9", "9", "9")}, 0, "rake", {"rake_round": "min_one"}, "rake",
         ("5 % × 0.02 = 0.001, but a winner pays at least 0.01", "0.01")),
        ({"carry_in": ("0.38", "9", "9", "9")}, 0, "rake", {"rake_round": "min_one"}, "rake",
         ("5 % × 0.38 = 0.019, rounded down to 0.01", "0.01")),
        ({}, 2, "valid_bet", {"banker_valid": "sum_players"}, "valid_bet",
         ("the players' valid bets together: 20.00 + 40.00 + 100.00", "160.00")),
        ({}, 2, "valid_bet", {"valid_bet": "abs_net"}, "valid_bet",
         ("net without its sign: |114.00|", "114.00")),
        ({}, 1, "carry_out", {}, "carry_out", ("brought + net: 1000.00 − 40.00", "960.00")),
        ({}, 1, "net", {}, "net", ("−40.00 − 0.00", "-40.00")),
    ],
)  # fmt: skip
def test_each_stage_says_how_it_came_about(
    fields: dict[str, Any],
    seat: int,
    name: str,
    options: dict[str, str],
    stage: str,
    expected: tuple[str, str],
) -> None:
    assert way(make_hand(**fields), seat, name, **options)[stage] == expected


def test_a_push_in_the_way() -> None:
    hand = make_hand(tiles=(("66", "26"), ("66", "35"), ("22", "22"), ("55", "45")), banker=1)
    stages = way(hand, 0, "gross", tie_rule="push")
    assert stages["theoretical"] == ("a push, nothing is owed of 10 × 3 × 1", "0.00")
    assert stages["clip"] == ("a push, nothing to clip", "0.00")


def test_a_bank_that_loses_to_two_and_ties_with_one() -> None:
    # 13+56 meets 13+56: 5 points each; 44+16 is 5 points with a higher tile.
    tiles = (("13", "56"), ("13", "56"), ("44", "16"), ("44", "16"))
    hand = make_hand(tiles=tiles, banker=1)
    assert way(hand, 1, "gross", tie_rule="push")["theoretical"] == (
        "lost 10 × 3 × 3 and 10 × 3 × 5: −90.00 − 150.00",
        "-240.00",
    )
    assert told(hand, rules(tie_rule="push"))[-1].board.notes == ("the bank loses 2, pushes 1",)
