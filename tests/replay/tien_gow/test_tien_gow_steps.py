"""A hand in words and as a board, and each figure with its way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import replay
from tests.golden_vectors import Vector, rulesets, vectors
from tests.replay.tien_gow.tien_gow_hands import GAMES, act, changed, deals, line_of

MOCK = (Path(__file__).parent / "tg-20240517-0412.ndjson").read_bytes().strip()
FILES = ("worked", "clean", "planted", "options", "gaps", "continuity", "continuity-gaps")
READABLE = [
    vector
    for game in GAMES
    for vector in vectors(game, *FILES)
    # A chain has a hand of another game between.
    if vector.expected["verdict"] != "rejected" and replay.read(vector.line).game.name in GAMES
]


def _told(line: bytes) -> tuple[replay.Step, ...]:
    found = replay.read(line)
    ruleset = rulesets().get(found.hand.ruleset)
    assert ruleset is not None
    return found.game.tell(found.hand, found.facts, found.game.prepare(ruleset.options))


def _derived(line: bytes) -> tuple[replay.Figure, ...]:
    found = replay.read(line)
    ruleset = rulesets().get(found.hand.ruleset)
    assert ruleset is not None
    return found.game.derive(found.hand, found.facts, found.game.prepare(ruleset.options))


@pytest.mark.parametrize("vector", READABLE, ids=lambda vector: vector.id)
def test_every_event_is_told_and_every_figure_derived(vector: Vector) -> None:
    events = json.loads(vector.line)["events"]
    steps = _told(vector.line)
    assert [step.number for step in steps] == list(range(len(events) + 1))
    assert [step.kind for step in steps] == ["start", *(event["type"] for event in events)]
    assert all(step.text and step.sentence.endswith(".") for step in steps)
    settlement = vector.expected["settlement"]
    figures = {(figure.seat, figure.name): figure for figure in _derived(vector.line)}
    if settlement is None:
        assert figures == {}
        return
    for row in settlement["seats"]:
        for name in ("tricks", "units", "gross", "rake", "net", "valid_bet"):
            figure = figures[row["seat"], name]
            assert figure.recomputed == figure.stages[-1].value == str(row[name])
    bank = settlement["next"]
    assert figures[None, "next"].recomputed == f"{bank['banker']}/{bank['streak']}"
    winner = settlement["winner"]
    assert figures[None, "winner"].recomputed == ("–" if winner is None else str(winner))


def test_steps_behind_a_stop_are_not_judged() -> None:
    for vector in READABLE:
        steps = _told(vector.line)
        stops = [
            finding["event"]
            for finding in vector.expected["findings"]
            if replay.CODES[finding["code"]].stops and finding["event"] is not None
        ]
        stop = stops[-1] if stops else len(steps)
        for step in steps[1:]:
            assert step.is_judged is (step.number <= stop + 1), vector.id
            assert ("refused:" in step.text) is (step.number == stop + 1), vector.id
            if step.number > stop + 1:
                assert step.board == steps[stop + 1].board, vector.id


# -- the hand of the page -------------------------------------------------------------------

STEPS = _told(MOCK)


def test_the_page_tells_each_event() -> None:
    assert [(step.seat, step.text) for step in STEPS[5:23]] == [
        (2, "is dealt 雜五, 斧頭, 紅頭十, 雜七, 零霖六, 地, 人 and 雜八"),
        (3, "leads 板凳, Bench"),
        (0, "beats 板凳 with 人, Man"),
        (1, "discards 紅頭十 face down"),
        (2, "discards 雜五 face down"),
        (0, "takes 1 棟"),
        (0, "leads 至尊, supreme pair"),
        (1, "discards 雜八 and 雜五 face down"),
        (2, "discards 斧頭 and 紅頭十 face down"),
        (3, "discards 高腳七 and 高腳七 face down"),
        (0, "takes 2 棟"),
        (0, "is paid 賀尊 +6 −2 −2 −2, as logged (due: 東 賀尊 +10 −2 −2 −6)"),
        (0, "leads 雙長三, pair of Long Threes"),
        (1, "beats 雙長三 with 雙鵝, pair of Geese"),
        (2, "discards 雜七 and 零霖六 face down"),
        (3, "plays 雙梅, pair of Plums, refused: not above 雙鵝"),
        (3, "takes 2 棟"),
        (3, "leads 地, Earth"),
    ]
    assert (STEPS[1].seat, STEPS[1].text) == (1, "throws 4 and 3; 北 takes first")
    assert STEPS[1].sentence == "South throws 4 and 3, 7 in all: North takes first."
    assert STEPS[17].sentence == "East leads a pair of Long Threes."
    assert STEPS[20].sentence == "North plays a pair of Plums. Refused: not above 雙鵝."


def test_the_page_has_its_parts() -> None:
    parts = list(dict.fromkeys((step.part.key, step.part.title, step.part.note) for step in STEPS))
    assert parts == [
        ("deal", "Deal", ""),
        ("trick-1", "Trick 1", "東 takes 1 with 人"),
        ("trick-2", "Trick 2", "東 takes 2 with 至尊, 賀尊 paid"),
        ("trick-3", "Trick 3", ""),
        ("trick-4", "Trick 4", "not judged"),
        ("trick-5", "Trick 5", "not judged"),
        ("trick-6", "Trick 6", "not judged"),
    ]


def test_the_page_shows_the_current_trick() -> None:
    placed = [
        (tiles.order, tiles.seat, tiles.tiles, tiles.state, tiles.title, tiles.note)
        for tiles in STEPS[20].board.placed
    ]
    assert placed == [
        (1, 0, ("33", "33"), "plain", "Lead 雙長三", "pair of Long Threes"),
        (2, 1, ("13", "13"), "best", "雙鵝", "beats 雙長三"),
        (3, 2, ("34", "15"), "down", "Discard", "face down, by timer"),
        (4, 3, ("55", "55"), "refused", "雙梅 refused", "not above 雙鵝"),
    ]
    board = STEPS[20].board
    assert board.heading == "Trick 3"
    assert board.notes == ("2 tiles, civil pair 文對", "Best so far 雙鵝, 南")
    assert board.corner_notes == (
        "棟 taken 3 of 8", "結 needs 2 棟", "賀尊 at step 16", "莊 paid 2 of 6 units",
    )  # fmt: skip
    assert (board.dice, board.dice_note) == (
        (4, 3), "南 threw 7, 北 takes first. No wall logged",
    )  # fmt: skip


def test_the_page_shows_the_seats() -> None:
    east, south, west, north = STEPS[20].board.seats
    assert [view.holding for view in (east, south, west, north)] == [
        ("66", "36", "25"), ("66", "45", "15"), ("11", "44", "26"), ("11", "56", "22"),
    ]  # fmt: skip
    assert north.gone == ("55", "55")
    assert [view.is_turn for view in (east, south, west, north)] == [False, False, False, True]
    assert [view.tricks for view in (east, south, west, north)] == [3, 0, 0, 0]
    assert [(view.so_far_minor, view.due_minor) for view in (east, south, west, north)] == [
        (12000, 20000), (-4000, None), (-4000, None), (-4000, -12000),
    ]  # fmt: skip
    assert north.banker_note == "Banker, 2nd hand, pays ×3"
    assert east.banker_note is None


def test_the_page_knows_the_time_to_think_and_who_timed_out() -> None:
    assert [step.think_ms for step in STEPS[17:21]] == [11400, 6100, 15000, 6100]
    assert [step.number for step in STEPS if step.is_auto] == [19]


def test_a_finished_trick_names_its_taker() -> None:
    board = STEPS[14].board
    assert board.notes == ("2 tiles, supreme pair 至尊", "東 takes 2 棟 with 至尊")
    assert [view.so_far_minor for view in board.seats] == [None, None, None, None]


REASONS = [
    (5, {"seat": 0}, "it is the turn of 北"),
    (5, {"tiles": ["12"]}, "丁三 is not held"),
    (5, {"tiles": ["56", "22"]}, "these tiles are no combination that may be led"),
    (5, {"type": "discard"}, "the leader must play face up"),
    (6, {"tiles": ["33", "33"]}, "1 tile was led"),
    (18, {"tiles": ["34"]}, "2 tiles were led"),
    (6, {"tiles": ["36"]}, "no civil single 單文"),
    (2, {"seat": 3}, "out of its place"),
    (2, {"tiles": ["66"]}, "1 tiles instead of 8"),
    (2, {"tiles": ["22"] * 8}, "板凳 is there more often than the set holds it"),
]


@pytest.mark.parametrize(("index", "fields", "why"), REASONS, ids=[row[2] for row in REASONS])
def test_a_refused_event_says_why(index: int, fields: dict[str, Any], why: str) -> None:
    events = json.loads(MOCK)["events"]
    events[index].update(fields)
    step = _told(changed(MOCK, events=events))[index + 1]
    assert step.text.endswith(f", refused: {why}")
    assert step.is_judged


@pytest.mark.parametrize(
    ("ruleset", "why"),
    [
        ("tien-gow/classic@1", "only 雙高腳七 beats 文尊"),
        ("tien-gow/alan-chan@1", "nothing beats 文尊"),
    ],
)
def test_ruling_8_says_what_beats_a_led_wen_zun(ruleset: str, why: str) -> None:
    events = deals(
        [
            "15 15 11 11 44 44 13 13",
            "66 66 46 46 16 16 36 45",
            "55 55 33 33 22 22 56 56",
            "26 35 25 34 24 14 23 12",
        ]
    )
    events += [act(0, "15 15"), act(1, "66 66")]
    step = _told(line_of(events, None, ruleset=ruleset))[-1]
    assert step.text == f"plays 雙天, pair of Heavens, refused: {why}"


def test_ruling_8_nothing_beats_the_capture() -> None:
    (vector,) = [v for v in vectors("tien-gow", "gaps") if v.expected.get("hand_id") == "g-0036"]
    (refused,) = [step.text for step in _told(vector.line) if "refused:" in step.text]
    assert refused.endswith("refused: nothing beats the pair that captured 文尊")


def test_void_and_declared_hands_have_their_boards() -> None:
    events = [*json.loads(MOCK)["events"][:5], {"type": "void", "reason": "power cut"}]
    step = _told(changed(MOCK, events=events, result=None))[-1]
    assert (step.part.title, step.text) == ("Void", "the hand is void: power cut")
    assert step.board.heading == "Void"
    assert step.board.notes == ("Nothing is owed, the bank stays",)
    assert [view.is_turn for view in step.board.seats] == [False] * 4
    (declared,) = [v for v in vectors("tien-gow", "worked") if v.expected["hand_id"] == "G54"]
    last = _told(declared.line)[-1]
    assert (last.part.title, last.part.note) == ("Declaration", "西 shows 一點紅")
    assert last.text == "shows 一點紅, one red"
    assert (last.board.heading, last.board.notes) == ("一點紅", ("西 wins by the deal, one red",))


# -- figures --------------------------------------------------------------------------------


def _ways(hand_id: str, name: str, seat: int | None) -> list[tuple[str, str, str | None]]:
    """The stages of a worked example's figure: formula, value, rule."""
    (vector,) = [
        vector
        for game in GAMES
        for vector in vectors(game, "worked")
        if vector.expected["hand_id"] == hand_id
    ]
    (figure,) = [
        figure for figure in _derived(vector.line) if (figure.name, figure.seat) == (name, seat)
    ]
    return [(stage.formula, stage.value, stage.rule) for stage in figure.stages]


CAPTURED = (
    "擒: 東 leads 零霖六 to the last trick, 南 captures it with 高腳七; "
    "東 pays for all below par: × 4"
)
WAYS: list[tuple[str, str, int | None, list[tuple[str, str, str | None]]]] = [
    ("G30", "units", 0, [
        ("1 棟, 3 below par 4: 3 × 2 (bank, n = 1) = −6", "-6", "TG-52"),
        ("in all −6", "-6", "TG-50"),
    ]),
    ("G30", "units", 1, [
        ("4 棟, at par 4: 0", "0", "TG-50"),
    ]),
    ("G30", "units", 2, [
        ("no 棟, empty, par 4 + 1: −5", "-5", "TG-50"),
    ]),
    ("G30", "units", 3, [
        ("1 棟, 3 below par 4: 3 × 2 (bank, n = 1) = +6", "6", "TG-52"),
        ("4 棟, at par 4: 0", "6", "TG-50"),
        ("no 棟, empty, par 4 + 1: +5", "11", "TG-50"),
        ("+6 + 5 = +11", "11", "TG-50"),
    ]),
    ("G31", "units", 1, [
        ("5 棟, 1 above par 4: +1", "1", "TG-54"),
        ("in all +1", "1", "TG-50"),
    ]),
    ("G31", "units", 3, [
        ("1 棟, 3 below par 4: 3 × 2 (bank, n = 1) = +6", "6", "TG-52"),
        ("5 棟, 1 above par 4: −1", "5", "TG-54"),
        ("no 棟, empty, par 4 + 1: +5", "10", "TG-50"),
        ("+6 − 1 + 5 = +10", "10", "TG-50"),
    ]),
    ("G33", "units", 1, [
        ("5 棟, 1 above par 4: 1 × 2 (bank, n = 1) = +2", "2", "TG-55"),
        ("in all +2", "2", "TG-50"),
    ]),
    ("G41", "units", 3, [
        ("包尊: 東 takes the last trick with 至尊: × 2", "0", "TG-50"),
        ("1 棟, 3 below par 4: 3 × 2 (包尊) × 2 (bank, n = 1) = −12", "-12", "TG-53"),
        ("in all −12", "-12", "TG-50"),
    ]),
    ("G46", "units", 0, [
        (CAPTURED, "0", "TG-64"),
        ("5 棟, 1 above par 4: +1", "1", "TG-54"),
        ("no 棟, empty, par 4 + 1: 5 × 4 (擒, captured) = −20", "-19", "TG-64"),
        ("1 棟, 3 below par 4: 3 × 4 (擒, captured) = −12", "-31", "TG-64"),
        ("+1 − 20 − 12 = −31", "-31", "TG-64"),
    ]),
    ("G46", "units", 1, [
        (CAPTURED, "0", "TG-64"),
        ("5 棟, 1 above par 4: −1", "-1", "TG-54"),
        ("no 棟, empty, par 4 + 1: 5 × 4 (擒, captured) = +20", "19", "TG-64"),
        ("1 棟, 3 below par 4: 3 × 4 (擒, captured) = +12", "31", "TG-64"),
        ("−1 + 20 + 12 = +31", "31", "TG-64"),
    ]),
    ("G46", "units", 2, [
        (CAPTURED, "0", "TG-64"),
        ("no 棟, empty, par 4 + 1, but 東 was captured and pays: 0", "0", "TG-64"),
        ("nothing to pay or to receive", "0", "TG-64"),
    ]),
    ("G53", "units", 1, [
        ("the winning deal of 東 counts as 八支: × 4", "0", "TG-85"),
        ("paid as by an empty seat, par 4 + 1: 5 × 4 (八支) × 3 (bank, n = 2) = −60",
         "-60", "TG-85"),
        ("in all −60", "-60", "TG-85"),
    ]),
    ("G55", "units", 0, [
        ("pays 2 × 2 (bank, n = 1) to 西 = −4", "-4", "TG-40"),
        ("4 × 2 (bank, n = 1) + 4 × 2 (bank, n = 1) + 4 × 2 (bank, n = 1) = +24", "20", "TG-44"),
        ("no 棟, empty, par 4 + 1: 5 × 2 (bank, n = 1) = +10", "30", "TG-53"),
        ("3 棟, 1 below par 4: 1 × 2 (bank, n = 1) = +2", "32", "TG-53"),
        ("no 棟, empty, par 4 + 1: 5 × 2 (bank, n = 1) = +10", "42", "TG-53"),
        ("−4 + 24 + 10 + 2 + 10 = +42", "42", "TG-50"),
    ]),
    ("G65", "units", 0, [
        ("no 棟, empty, par 2 + 1: 3 × 2 (bank, n = 1) = −6", "-6", "TG-52"),
        ("in all −6", "-6", "TG-50"),
    ]),
    ("G30", "tricks", 1, [("tricks 2, 3 and 4: 1 + 2 + 1 = 4", "4", "TG-26")]),
    ("G30", "tricks", 2, [("takes no trick", "0", "TG-26")]),
    ("G30", "winner", None, [("北 takes the last trick, 2 棟 with 雙長三", "3", "TG-30")]),
    ("G54", "winner", None, [("西 wins by the deal with 一點紅", "2", "TG-86")]),
    ("G30", "next", None, [("北 takes the bank from 東: n = 1", "3/1", "TG-5")]),
    ("G32", "next", None, [("東 keeps the bank: n = 2 + 1 = 3", "0/3", "TG-6")]),
    ("G30", "gross", 0, [("−6 × 1.00 = −6.00", "-6.00", "TG-58")]),
    ("G30", "rake", 3, [
        ("11 × 1.00 = 11.00", "11.00", "TG-58"),
        ("no rake at a rate of 0", "0.00", "TG-91"),
    ]),
    ("G30", "net", 3, [
        ("11 × 1.00 = 11.00", "11.00", "TG-58"),
        ("no rake at a rate of 0", "0.00", "TG-91"),
        ("11.00 − 0.00 = 11.00", "11.00", "TG-91"),
    ]),
    ("G30", "valid_bet", 0, [
        ("−6 × 1.00 = −6.00", "-6.00", "TG-58"),
        ("|gross −6.00| = 6.00", "6.00", "TG-92"),
    ]),
    ("G30", "carry_out", 0, [
        ("−6 × 1.00 = −6.00", "-6.00", "TG-58"),
        ("no rake at a rate of 0", "0.00", "TG-91"),
        ("−6.00 − 0.00 = −6.00", "-6.00", "TG-91"),
        ("108.00 − 6.00 = 102.00", "102.00", None),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("hand_id", "name", "seat", "stages"), WAYS, ids=[f"{r[0]}-{r[1]}-{r[2]}" for r in WAYS]
)
def test_the_way_to_a_figure(
    hand_id: str, name: str, seat: int | None, stages: list[tuple[str, str, str | None]]
) -> None:
    assert _ways(hand_id, name, seat) == stages


def test_each_payment_of_the_winner_says_from_whom_and_for_whom() -> None:
    (vector,) = [v for v in vectors("tien-gow", "worked") if v.expected["hand_id"] == "G46"]
    titles = [
        [stage.title for stage in figure.stages]
        for figure in _derived(vector.line)
        if figure.name == "units"
    ]
    assert titles == [
        ["Ending 結", "Ending 結", "For 西", "For 北", "Units 注"],
        ["Ending 結", "To 東", "From 東 for 西", "From 東 for 北", "Units 注"],
        ["Ending 結", "Ending 結", "Units 注"],
        ["Ending 結", "Ending 結", "Units 注"],
    ]


WRONG_UNITS = [
    vector
    for vector in READABLE
    if vector.expected["verdict"] == "discrepant"
    and any(finding["code"] == "units-mismatch" for finding in vector.expected["findings"])
    and json.loads(vector.line)["events"][-1]["type"] != "void"
]


@pytest.mark.parametrize("vector", WRONG_UNITS, ids=lambda vector: vector.id)
def test_the_way_to_units_ends_with_the_rule_of_the_finding_on_them(vector: Vector) -> None:
    ends = {f.seat: f.stages[-1].rule for f in _derived(vector.line) if f.name == "units"}
    for finding in vector.expected["findings"]:
        if finding["code"] == "units-mismatch":
            assert ends[finding["seat"]] == finding["rule"]


def test_rake_and_the_pool_are_shown_with_their_numbers() -> None:
    vector = next(
        vector
        for vector in vectors("tien-gow", "options")
        if json.loads(vector.line)["ruleset"] == "tien-gow/test-mixed-platform@1"
    )
    ways = [
        [stage.formula for stage in figure.stages]
        for figure in _derived(vector.line)
        if figure.name == "rake"
    ]
    assert ways[:3] == [
        [
            "−10 × 1.00 = −10.00",
            "pays at most 8.52, carried in 8.52: in full",
            "no win, no rake: −8.52",
        ],
        [
            "−50 × 1.00 = −50.00",
            "pays at most 5.02, carried in 5.02: in full",
            "no win, no rake: −5.02",
        ],
        [
            "70 × 1.00 = 70.00",
            "receives at most 70.00: of 14.22 in all its share 70.00 of 70.00 is 14.22",
            "0.05 × 14.22 = 0.7110, rounded down: 0.71",
        ],
    ]


def test_each_stage_that_is_a_figure_carries_what_the_log_says_of_it() -> None:
    (vector,) = [v for v in vectors("tien-gow", "worked") if v.expected["hand_id"] == "G30"]
    hand = json.loads(vector.line)
    result = hand["result"]
    row = next(row for row in result["seats"] if row["seat"] == 0)
    row |= {"gross": "-7", "net": "-7"}
    (carry_out,) = [
        figure
        for figure in _derived(changed(vector.line, result=result))
        if (figure.name, figure.seat) == ("carry_out", 0)
    ]
    assert [(stage.name, stage.value, stage.logged) for stage in carry_out.stages] == [
        ("gross", "-6.00", "-7.00"),
        ("rake", "0.00", "0.00"),
        ("net", "-6.00", "-7.00"),
        ("carry_out", "102.00", None),
    ]


def test_figures_come_in_the_order_of_the_table() -> None:
    (vector,) = [v for v in vectors("tien-gow", "worked") if v.expected["hand_id"] == "G31"]
    figures = _derived(vector.line)
    fields = ["tricks", "units", "gross", "rake", "net", "valid_bet", "carry_out"]
    assert [(figure.owner, figure.name) for figure in figures] == [
        ("hand", "winner"),
        *((f"seat-{seat}", name) for seat in range(4) for name in fields),
        ("hand", "next"),
    ]
    assert figures[1].owner_title == "東 張三"
    # The log of this example has no next bank.
    assert (figures[-1].logged, figures[-1].recomputed) == (None, "3/1")
