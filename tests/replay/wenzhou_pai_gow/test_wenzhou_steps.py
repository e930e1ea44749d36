"""A Wenzhou hand in steps, and the way to each figure, on every golden hand and on one in full."""

from __future__ import annotations

from typing import Any

import pytest

import replay
from replay.wenzhou_pai_gow.record import WenzhouHand
from tests.golden_vectors import Vector, judge, rulesets, vectors
from tests.replay.wenzhou_pai_gow.hands import dealing, entry, hand, wager, wagers

FILES = ("worked", "clean", "planted", "options", "rejected", "gaps")
READABLE = [
    vector
    for vector in vectors("wenzhou-pai-gow", *FILES)
    if vector.expected["verdict"] != "rejected"
]
PARTS = ["wagers", "dice", "deal", "outcome", "void"]

BETS = (
    ("Mei Lin", "shun", "win", "500"), ("Mei Lin", "chu", "lose", "300"),
    ("陳大文", "chu", "win", "1000"), ("ann", "dao", "lose", "0.05"),
)  # fmt: skip
OUTCOMES = [
    {"type": "outcome", "door": "shun", "winner": "door"},
    {"type": "outcome", "door": "chu", "winner": "door"},
]


def walk(line: bytes) -> replay.Walk:
    return replay.walk(line, rulesets())


# -- every golden hand ----------------------------------------------------------------------


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_a_hand_has_a_step_an_event_and_one_before(vector: Vector) -> None:
    found = replay.read(vector.line)
    hand_read = found.hand
    steps = walk(vector.line).steps
    assert isinstance(hand_read, WenzhouHand)
    events = hand_read.events
    assert [step.number for step in steps] == list(range(len(events) + 1))
    assert [step.event for step in steps] == [None, *range(len(events))]
    parts = [PARTS.index(step.part.key) for step in steps]
    assert parts == sorted(parts)
    assert all(step.text and not step.text.endswith(".") for step in steps)
    assert all(step.sentence == f"{step.sentence[:-1]}." for step in steps)
    assert all(len(step.board.doors) == 4 and step.board.seats == () for step in steps)


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_steps_behind_the_stop_are_not_judged(vector: Vector) -> None:
    steps = walk(vector.line).steps
    verdict = judge(vector)
    stops = [
        finding.event
        for finding in verdict.findings
        if replay.CODES[finding.code].stops and finding.event is not None
    ]
    last = stops[0] + 1 if stops else len(steps) - 1
    assert [step.is_judged for step in steps] == [step.number <= last for step in steps]
    assert [("refused, " in step.text) for step in steps] == [
        bool(stops) and step.number == last for step in steps
    ]
    # The table stays as it was before the refused event.
    if stops:
        assert all(step.board == steps[last - 1].board for step in steps[last:])


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_every_finding_stands_at_a_step(vector: Vector) -> None:
    steps = walk(vector.line).steps
    assert [finding for step in steps for finding in step.findings] == list(judge(vector).findings)


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_derivations_end_in_the_recomputed_value(vector: Vector) -> None:
    found = replay.read(vector.line)
    rules = found.game.prepare(rulesets_options(found.hand.ruleset))
    figures = found.game.derive(found.hand, found.facts, rules)
    assert [figure.stages[-1].value for figure in figures] == [
        figure.recomputed for figure in figures
    ]
    assert [figure.stages[-1].logged for figure in figures] == [figure.logged for figure in figures]
    settlement = vector.expected["settlement"] or {"bets": [], "players": []}
    expected = [
        (f"{group}-{one[group]}", name, one[name])
        for group in ("bet", "player")
        for one in settlement[f"{group}s"]
        for name in ("profit", "valid_bet")
    ]
    assert [
        (figure.owner, figure.name, figure.recomputed)
        for figure in figures
        if figure.recomputed != "–"
    ] == expected
    cited = {stage.rule for figure in figures for stage in figure.stages}
    assert cited <= set(found.game.rules)


def rulesets_options(name: str) -> dict[str, Any]:
    ruleset = rulesets().get(name)
    assert ruleset is not None
    return dict(ruleset.options)


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_profits_on_the_doors_are_those_of_the_settlement(vector: Vector) -> None:
    settlement = vector.expected["settlement"]
    last = walk(vector.line).steps[-1]
    if settlement is None:
        return
    digits = replay.read(vector.line).hand.minor_digits
    shown = {
        view.bet: replay.format_minor(view.profit_minor, digits)
        for door in last.board.doors
        for view in door.wagers
        if view.profit_minor is not None
    }
    assert shown.items() <= {one["bet"]: one["profit"] for one in settlement["bets"]}.items()
    if judge(vector).verdict == "clean":
        assert len(shown) == len(settlement["bets"])


# -- one hand in full -----------------------------------------------------------------------


def test_the_words_of_a_hand() -> None:
    events = [*wagers(*BETS), *dealing(), *OUTCOMES]
    steps = walk(hand(events, None)).steps
    assert [step.text for step in steps] == [
        "before the first event",
        "Mei Lin bets 500.00 on 順門 Shun to win (b1)",
        "Mei Lin bets 300.00 on 出門 Chu to lose (b2)",
        "陳大文 bets 1000.00 on 出門 Chu to win (b3)",
        "ann bets 0.05 on 到門 Dao to lose (b4)",
        "the dice show 2 and 4; 6 ÷ 4 leaves 2: 順門 Shun is dealt first",
        "順門 Shun is dealt 天 Heaven (66)",
        "出門 Chu is dealt 人 Man (44)",
        "到門 Dao is dealt 板凳 Bench (22)",
        "莊 Bank is dealt 人 Man (44)",
        "順門 Shun is dealt 二四 Six (24) and has 八點, 8 points",
        "出門 Chu is dealt 雜八 Mixed Eight (35) and has 六點, 6 points",
        "到門 Dao is dealt 板凳 Bench (22) and has 雙板凳, pair of Benches",
        "莊 Bank is dealt 雜八 Mixed Eight (26) and has 六點, 6 points",
        "順門 Shun: the door wins, 8 points beat 6",
        (
            "出門 Chu is logged as won by the door, but the bank wins: "
            "equal points with an equal best tile go to the bank"
        ),
    ]
    assert steps[4].sentence == "ann bets 0.05 on 到門 Dao to lose (b4)."
    assert steps[5].sentence.startswith("The dice show 2 and 4;")
    assert [(step.part.title, step.part.note) for step in (steps[0], *steps[5:8:1], steps[-1])] == [
        ("Wagers", "4 on three doors"),
        ("Dice", "2 + 4"),
        ("Deal", "順門 first"),
        ("Deal", "順門 first"),
        ("Outcome", "two doors won"),
    ]


FIRST = ("p", "shun", "win", "5")


@pytest.mark.parametrize(
    ("place", "event", "why"),
    [
        (0, wager("b", "p", "bank", "win", "5"), "there is no such door"),
        (0, wager("b", "p", "shun", "win", "0"), "a stake is above zero"),
        (0, wager("b", "p", "shun", "win", "1"), "it is below the limit of 2.00"),
        (0, wager("b", "p", "shun", "win", "9.5"), "it is above the limit of 9.00"),
        (
            1,
            wager("b", "p", "shun", "lose", "5"),
            "the player already bets on the other side of this door",
        ),
        (1, wager("b", "p", "chu", "win", "5"), "2 doors to win where 1 may be bet on"),
        (1, {"type": "rescan", "position": "chu"}, "the dice have not been thrown"),
        (2, wager("b", "p", "shun", "win", "5"), "betting is closed"),
        (3, {"type": "dice", "values": [1, 2]}, "the dice have been thrown"),
        (3, OUTCOMES[0], "not all tiles are dealt"),
        (3, {"type": "deal", "position": "shun", "tiles": ["24"]}, "the tile belongs to 出門 Chu"),
        (3, {"type": "deal", "position": "chu", "tiles": []}, "0 tiles at once, where each gets 1"),
        (
            6,
            {"type": "deal", "position": "shun", "tiles": ["44"]},
            "it is copy 3 of a tile of which the set holds 2",
        ),
        (8, {"type": "deal", "position": "shun", "tiles": ["12"]}, "this position has its tiles"),
        (11, OUTCOMES[0], "this door has its outcome"),
        (13, OUTCOMES[1], "the hand is void already"),
    ],
)
def test_why_an_event_is_refused(place: int, event: dict[str, Any], why: str) -> None:
    void = {"type": "void", "reason": "fault"}
    events = [*wagers(FIRST), *dealing(), OUTCOMES[0], OUTCOMES[1], void]
    events.insert(place, event)
    options = dict(rulesets_options("wenzhou-pai-gow/live-2015@1"))
    options |= {"max_win_doors": 1, "same_door_both": "reject"}
    found = replay.read(hand(events, None, limits={"min": "2", "max": "9"}))
    steps = found.game.tell(found.hand, found.facts, found.game.prepare(options))
    assert [step.text.rpartition(": refused, ")[2] for step in steps if "refused" in step.text] == [
        why
    ]
    assert steps[place + 1].text.endswith(why)


def test_the_table_at_the_end_of_a_hand() -> None:
    board = walk(hand([*wagers(*BETS), *dealing()], None)).steps[-1].board
    assert (board.dice, board.heading, board.corner_notes) == (
        (2, 4), "Outcome", ("4 wagers, 1800.05 staked",),
    )  # fmt: skip
    bank, shun, chu, dao = board.doors
    assert (bank.position, bank.tiles, bank.outcome, bank.wagers) == (
        "bank",
        ("44", "26"),
        None,
        (),
    )
    assert bank.hand_note == "8 + 8 = 16, best tile 人 (44)"
    assert (shun.hand_name, shun.hand_name_hant, shun.hand_note) == (
        "8 points",
        "八點",
        "12 + 6 = 18",
    )
    assert [(door.outcome, door.outcome_rule) for door in (shun, chu, dao)] == [
        ("Door wins", "WZ-10"), ("Bank wins", "WZ-14"), ("Door wins", "4.2"),
    ]  # fmt: skip
    assert dao.hand_note == "pair class 6"
    assert [(view.bet, view.stake_minor, view.profit_minor) for view in chu.wagers] == [
        ("b2", 30_000, 28_200), ("b3", 100_000, -100_000),
    ]  # fmt: skip


def test_the_table_grows_with_the_events() -> None:
    steps = walk(hand([*wagers(*BETS), *dealing()], None)).steps
    lying = [sum(len(door.wagers) for door in step.board.doors) for step in steps]
    assert lying == [0, 1, 2, 3, *[4] * 10]
    dealt = [sum(len(door.tiles) for door in step.board.doors) for step in steps]
    assert dealt == [0] * 6 + list(range(1, 9))
    turns = [[door.position for door in step.board.doors if door.is_turn] for step in steps]
    circuit = [["shun"], ["chu"], ["dao"], ["bank"]]
    assert turns == [[]] * 5 + circuit * 2 + [[]]
    before_last = steps[-2].board
    assert [door.outcome for door in before_last.doors] == [None] * 4
    assert before_last.doors[2].wagers[0].profit_minor is None


def test_a_void_hand_gives_all_stakes_back() -> None:
    events = [*wagers(*BETS), *dealing(), {"type": "void", "reason": "fault"}]
    found = walk(hand(events, None))
    last = found.steps[-1]
    assert last.text == "the hand is void and all stakes go back (fault)"
    assert (last.part.key, last.board.heading) == ("void", "Void")
    assert {view.profit_minor for door in last.board.doors for view in door.wagers} == {0}
    assert {figure.recomputed for figure in found.figures} == {"0.00"}
    assert {stage.rule for figure in found.figures for stage in figure.stages} == {"WZ-26"}


def test_think_time_is_between_events_that_have_a_clock() -> None:
    events = dealing()
    for index, ms in ((0, 100), (2, 350), (3, 340), (4, 340)):
        events[index]["ms"] = ms
    events[1]["auto"] = True
    steps = walk(hand(events, {"bets": []})).steps
    assert [step.think_ms for step in steps[:6]] == [None, None, None, 250, None, 0]
    assert [step.ms for step in steps[:6]] == [None, 100, None, 350, 340, 340]
    assert [step.is_auto for step in steps[:4]] == [False, False, True, False]


def test_the_way_to_a_bet_and_to_a_player() -> None:
    logged = {"bets": [entry("b4", "0.05", "0.05")]}
    # In this hand dao loses: its 9 + 6 points meet the bank's 6 of 人.
    tiles = {"bank": ("44", "26"), "shun": ("66", "24"), "chu": ("44", "35"), "dao": ("15", "36")}
    figures = walk(hand([*wagers(*BETS), *dealing(tiles)], logged)).figures
    by_name = {(figure.owner, figure.name): figure for figure in figures}

    def stages(owner: str, name: str) -> list[tuple[str, str, str | None]]:
        return [(s.formula, s.value, s.rule) for s in by_name[owner, name].stages]

    assert stages("bet-b4", "profit") == [
        ("6 points beat 5", "Bank wins", "WZ-10"),
        ("a bet on 到門 Dao to lose", "won", "WZ-24"),
        ("0.05 × 0.94", "0.0470", "WZ-23"),
        ("0.0470, rounded down", "0.04", "WZ-28"),
    ]
    assert stages("bet-b3", "profit")[-1] == (
        "a lost bet costs its stake of 1000.00", "-1000.00", "WZ-23",
    )  # fmt: skip
    assert stages("player-Mei Lin", "profit") == [("500.00 + 282.00", "782.00", "WZ-23")]
    assert [value for _, value, _ in stages("player-Mei Lin", "valid_bet")] == [
        "500.00", "282.00", "782.00",
    ]  # fmt: skip
    figure = by_name["bet-b4", "profit"]
    assert (figure.owner_title, figure.subject, figure.seat) == ("b4 ann", "b4", None)
    assert figure.owner_note == "0.05 on 到門 Dao to lose"
    assert by_name["player-Mei Lin", "profit"].owner_note == "2 wagers"
    assert (figure.logged, figure.recomputed) == ("0.05", "0.04")
    assert [finding.code for finding in figure.findings] == ["profit-mismatch"]
    assert by_name["bet-b1", "profit"].logged is None


def test_an_entry_that_belongs_to_nothing_has_its_own_figure() -> None:
    logged = {"bets": [entry("ghost", "5", "5")]}
    (figure,) = walk(hand(dealing(), logged)).figures
    assert (figure.owner, figure.logged, figure.recomputed) == ("bet-ghost", "5.00", "–")
    assert [finding.subject for finding in figure.findings] == ["ghost"]


def test_offsetting_is_written_out() -> None:
    bets = (("p", "chu", "win", "40"), ("p", "chu", "lose", "100"))
    figures = walk(hand([*wagers(*bets), *dealing()], None)).figures
    stages = figures[-1].stages
    assert [stage.formula for stage in stages] == [
        (
            "100.00 to lose − 40.00 to win = 60.00 to lose; "
            "the lesser of the stake 60.00 and what was won or lost on it, 56.40"
        ),
        "56.40",
    ]


def test_a_sum_that_begins_with_a_loss_has_one_kind_of_minus() -> None:
    bets = (("p", "chu", "win", "40"), ("p", "chu", "lose", "100"), ("p", "chu", "win", "30"))
    figures = walk(hand([*wagers(*bets), *dealing()], None)).figures
    by_name = {(figure.owner, figure.name): figure for figure in figures}
    (stage,) = by_name["player-p", "profit"].stages
    assert (stage.formula, stage.value) == ("−40.00 + 94.00 − 30.00", "24.00")


def test_a_hand_of_thousands_of_wagers_is_told() -> None:
    bets = [wager(f"b{number}", "p", "shun", "win", "1") for number in range(4_000)]
    steps = walk(hand([*bets, *dealing()], None)).steps
    assert len(steps[-1].board.doors[1].wagers) == 4_000
    assert steps[-1].board.corner_notes == ("4000 wagers, 4000.00 staked",)


def test_a_figure_has_its_own_findings_where_a_bet_and_a_player_bear_one_name() -> None:
    bets = [wager("ann", "ann", "shun", "win", "100"), wager("b2", "ann", "dao", "win", "50")]
    logged = {
        "bets": [entry("ann", "7", "100"), entry("b2", "50", "50")],
        "players": [entry("ann", "7", "150", kind="player")],
    }
    figures = walk(hand([*bets, *dealing()], logged)).figures
    found = {figure.owner: figure.findings for figure in figures if figure.findings}
    expected = {owner: [one.expected for one in its] for owner, its in found.items()}
    assert expected == {"bet-ann": ["100.00"], "player-ann": ["150.00"]}


def test_each_of_thousands_of_wrong_figures_has_its_finding() -> None:
    names = [f"p{number}" for number in range(2_000)]
    bets = [wager(f"b{number}", name, "shun", "win", "1") for number, name in enumerate(names)]
    logged = {
        "bets": [entry(f"b{number}", "2", "2") for number in range(2_000)],
        "players": [entry(name, "2", "2", kind="player") for name in names],
    }
    figures = walk(hand([*bets, *dealing()], logged)).figures
    assert len(figures) == 8_000
    assert all([one.subject for one in figure.findings] == [figure.subject] for figure in figures)
