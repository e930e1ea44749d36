"""The replay: what stops it, what does not, and in which order things are checked (FORMAT 6.3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from replay.findings import CODES
from tests.replay.tien_gow.tien_gow_hands import Json, act, audit, changed, deals, line_of

MOCK = json.loads((Path(__file__).parent / "tg-20240517-0412.ndjson").read_bytes())
# Without the refused play and what is behind it: dice, four deals, two tricks, half a trick.
EVENTS: list[Json] = MOCK["events"][:19]
E, S, W, N = range(4)

Change = Callable[[list[Json]], object]
Row = tuple[str, int | None, int | None, str | None, str | None, str | None]


def _found(events: list[Json], **fields: Any) -> list[Row]:
    """The findings on events, as FORMAT 6.5 lists them."""
    verdict = audit(changed(json.dumps(MOCK).encode(), events=events, **fields))
    return [
        (found.code, found.event, found.seat, found.logged, found.expected, found.rule)
        for found in verdict.findings
        if found.event is not None or found.code == "event-order"
    ]


def _changed(change: Change) -> list[Json]:
    events = deepcopy(EVENTS)
    change(events)
    return events


def _set(index: int, **fields: Any) -> Change:
    return lambda events: events[index].update(fields)


def _insert(index: int, event: Json) -> Change:
    return lambda events: events.insert(index, event)


def _cut(index: int) -> Change:
    return lambda events: events.pop(index)


# The bonus of the mock's second trick is wrong on purpose: the banker pays it without his multiple.
BONUS: Row = (
    "bonus-mismatch", 15, E, "supreme 0 6,-2,-2,-2", "supreme 0 10,-2,-2,-6", "TG-40",
)  # fmt: skip

ONE_KIND: Json = {"type": "wall", "method": "ears", "stacks": [["66"] * 4] * 8}

REFUSED: list[tuple[str, Change, Row]] = [
    ("dice twice", _insert(1, {"type": "dice", "values": [1, 1]}),
     ("event-order", 1, None, "dice", None, None)),
    ("wall without dice", lambda events: events.__setitem__(0, _wall()),
     ("event-order", 0, None, "wall", None, None)),
    ("wall after a deal", _insert(2, ONE_KIND),
     ("event-order", 2, None, "wall", None, None)),
    ("wall of one kind", _insert(1, ONE_KIND),
     ("tile-excess", 1, None, "66", None, None)),
    ("dealt twice", _set(2, seat=3), ("event-order", 2, N, "deal", None, None)),
    ("a deal missing", _cut(4), ("event-order", 4, N, "play", None, None)),
    ("seven tiles", lambda events: events[1]["tiles"].pop(),
     ("deal-count", 1, N, "7", "8", "TG-1")),
    ("a third Bench", lambda events: events[2]["tiles"].__setitem__(0, "22"),
     ("tile-excess", 2, E, "22", None, None)),
    ("declared before the deal", _insert(4, {"type": "declare", "seat": 0, "pattern": "one-red"}),
     ("event-order", 4, E, "declare", None, None)),
    ("declared and not held", _insert(5, {"type": "declare", "seat": 0, "pattern": "one-red"}),
     ("declaration-invalid", 5, E, "one-red", None, "TG-80")),
    ("declared in a trick", _insert(6, {"type": "declare", "seat": 0, "pattern": "one-red"}),
     ("declaration-invalid", 6, E, "one-red", None, "TG-82")),
    ("first lead out of turn", _set(5, seat=0), ("out-of-turn", 5, E, "0", "3", "TG-4")),
    ("follow out of turn", _set(6, seat=1), ("out-of-turn", 6, S, "1", "0", "TG-25")),
    ("later lead out of turn", _set(10, seat=1), ("out-of-turn", 10, S, "1", "0", "TG-26")),
    ("a tile not held", _set(5, tiles=["12"]), ("tile-not-held", 5, N, "12", None, None)),
    ("two where one is held", _set(5, tiles=["11", "11"]),
     ("tile-not-held", 5, N, "11", None, None)),
    ("not held and no lead", _set(5, tiles=["66", "12"]),
     ("tile-not-held", 5, N, "66", None, None)),
    ("no combination", _set(5, tiles=["56", "22"]), ("lead-illegal", 5, N, "22 56", None, None)),
    ("the leader discards", _set(5, type="discard"), ("lead-illegal", 5, N, "22", None, None)),
    ("military on civil", _set(6, tiles=["36"]), ("follow-illegal", 6, E, "36", None, "TG-21")),
    ("lower", lambda events: [events[5].update(tiles=["11"]), events[6].update(tiles=["33"])],
     ("follow-illegal", 6, E, "33", None, "TG-20")),
    ("two on one", _set(6, tiles=["33", "33"]), ("follow-illegal", 6, E, "33 33", None, "TG-20")),
    ("two discarded on one", _set(7, tiles=["46", "35"]),
     ("follow-illegal", 7, S, "46 35", None, "TG-20")),
    ("one discarded on two", _set(18, tiles=["34"]),
     ("follow-illegal", 18, W, "34", None, "TG-20")),
    ("no type on a pair", _set(17, tiles=["13", "15"]),
     ("follow-illegal", 17, S, "13 15", None, "TG-21")),
    ("a trick in the middle of one", _insert(6, {"type": "trick", "seat": 0, "tiles": 1}),
     ("event-order", 6, E, "trick", None, None)),
    ("a trick before the first lead", _insert(5, {"type": "trick", "seat": 0, "tiles": 1}),
     ("event-order", 5, E, "trick", None, None)),
    ("a second trick event", _insert(10, {"type": "trick", "seat": 0, "tiles": 1}),
     ("event-order", 10, E, "trick", None, None)),
    ("deal after the deal", _insert(5, {"type": "deal", "seat": 0, "tiles": ["66"]}),
     ("event-order", 5, E, "deal", None, None)),
    ("an event after a void", _insert(5, {"type": "void", "reason": "x"}),
     ("event-order", 6, N, "play", None, None)),
]  # fmt: skip


def _wall() -> Json:
    tiles = [tile for deal in EVENTS[1:5] for tile in deal["tiles"]]
    stacks = [tiles[4 * stack : 4 * stack + 4] for stack in range(8)]
    return {"type": "wall", "method": "side-left", "stacks": stacks}


@pytest.mark.parametrize(("name", "change", "row"), REFUSED, ids=[row[0] for row in REFUSED])
def test_the_replay_stops_at_what_is_refused(name: str, change: Change, row: Row) -> None:
    found = _found(_changed(change))
    assert found[-1] == row, name
    assert [other for other in found if other[:2] != row[:2]] in ([], [BONUS])
    assert CODES[row[0]].stops


def test_an_unfinished_hand_lacks_an_event() -> None:
    assert _found(EVENTS) == [BONUS, ("event-order", None, None, None, None, None)]
    assert _found([]) == [("event-order", None, None, None, None, None)]


def test_TG22_equal_to_the_best_so_far() -> None:
    events = _changed(_set(5, tiles=["11"]))
    events[6] = act(E, "66")
    events[7] = act(S, "66")
    assert _found(events) == [("follow-illegal", 7, S, "66", None, "TG-22")]


def test_the_clock_may_stand_but_not_go_back() -> None:
    events = _changed(_set(3, ms=2400))
    events[4]["ms"] = 2399
    row = ("time-backwards", 4, W, "2399", "2400", None)
    assert _found(events)[0] == row
    # Each clock is compared with the last one that was logged, right or wrong.
    events[5]["ms"] = 2398
    assert _found(events)[1] == ("time-backwards", 5, N, "2398", "2399", None)


def test_the_clock_is_checked_before_what_stops() -> None:
    events = _changed(_set(5, seat=0, ms=1))
    codes = [row[0] for row in _found(events)]
    assert codes == ["time-backwards", "out-of-turn"]


def test_wrong_trick_and_bonus_events_are_statements() -> None:
    events = _changed(_set(9, seat=2, tiles=3))
    events.insert(10, {"type": "bonus", "seat": 2, "kind": "four-grand", "units": [0, 0, 0, 0]})
    assert _found(events)[:2] == [
        ("trick-mismatch", 9, W, "2/3", "0/1", "TG-26"),
        ("bonus-mismatch", 10, W, "four-grand 2 0,0,0,0", None, "TG-44"),
    ]


def test_bonus_and_trick_come_in_either_order_and_not_after_the_next_lead() -> None:
    events = deepcopy(EVENTS)
    events[14], events[15] = events[15], events[14]
    del events[14]["ms"], events[15]["ms"]
    assert _found(events)[0] == (*BONUS[:1], 14, *BONUS[2:])
    events[14], events[16] = events[16], events[14]
    assert _found(events) == [("event-order", 15, E, "trick", None, None)]


# -- the last trick of a big hand -----------------------------------------------------------

# 東 takes seven tricks of one with his seven highest tiles, then all have one tile left.
SEVEN = ("66", "66", "11", "44", "36", "26", "25")
LOW = {
    S: ["22", "22", "56", "56", "46", "46", "14"],
    W: ["33", "33", "55", "55", "13", "13", "24"],
    N: ["16", "16", "15", "15", "34", "35", "12"],
}


def _eight(last: tuple[str, str, str, str]) -> list[Json]:
    """Seven tricks for 東, who then holds the first of the last tiles."""
    holdings = [[*SEVEN, last[0]], *([*LOW[seat], last[seat]] for seat in (S, W, N))]
    events = deals([" ".join(holding) for holding in holdings])
    for number, lead in enumerate(SEVEN):
        events.append(act(E, lead))
        events += [act(seat, LOW[seat][number], down=True) for seat in (S, W, N)]
    return events


def _with_last(*last: Json) -> list[Row]:
    events = [*_eight(("23", "44", "11", "45")), *last]
    return _found(events, banker={"seat": 0, "streak": 1})


def test_G59_an_empty_seat_may_not_take_a_last_single_tile() -> None:
    down = [act(S, "44", down=True), act(W, "11", down=True)]
    assert _with_last(act(E, "23"), *down, act(N, "45")) == [
        ("not-eligible", 35, N, "45", None, "TG-32")
    ]
    # That it is not eligible matters only where it would beat: type and height come first.
    assert _with_last(act(E, "23"), act(S, "44")) == [
        ("follow-illegal", 33, S, "44", None, "TG-21")
    ]


def test_after_the_end_come_its_trick_its_bonus_and_a_void_alone() -> None:
    end = [
        act(E, "23"), act(S, "44", down=True), act(W, "11", down=True), act(N, "45", down=True),
    ]  # fmt: skip
    trick = {"type": "trick", "seat": 0, "tiles": 1}
    assert _with_last(*end, trick) == []
    assert _with_last(*end, trick, trick) == [("event-order", 37, E, "trick", None, None)]
    assert _with_last(*end, act(E, "66")) == [("event-order", 36, E, "play", None, None)]
    declare = {"type": "declare", "seat": 0, "pattern": "one-red"}
    assert _with_last(*end, declare) == [("event-order", 36, E, "declare", None, None)]
    late = {"type": "trick", "seat": 3, "tiles": 1, "ms": 5}
    assert _with_last(*end, late) == [("trick-mismatch", 36, N, "3/1", "0/1", "TG-26")]


# -- declarations ---------------------------------------------------------------------------

WHITE = "55 55 33 33 22 22 56 56"


def _declared(pattern: str, *more: Json, lipai: list[str] | None = None) -> list[Row]:
    # 66 is half red, so only WHITE is white; 24 and 12 are in one hand.
    rest = ["66 66 11 11 44 44 13 13", "46 46 16 16 15 15 36 45", "26 35 25 34 24 14 23 12"]
    events = [*deals([WHITE, *rest]), {"type": "declare", "seat": 0, "pattern": pattern}, *more]
    verdict = audit(line_of(events, None, lipai=lipai))
    return [
        (found.code, found.event, found.seat, found.logged, found.expected, found.rule)
        for found in verdict.findings
        if found.code != "result-missing"
    ]


def test_TG81_a_pattern_counts_where_it_is_in_force() -> None:
    assert _declared("all-white") == []
    assert _declared("four-pairs") == [("declaration-invalid", 4, E, "four-pairs", None, "TG-81")]
    assert _declared("four-pairs", lipai=["four-pairs", "four-pairs"]) == []


def test_a_declaration_ends_the_hand() -> None:
    assert _declared("all-white", act(E, "55")) == [("event-order", 5, E, "play", None, None)]
    trick = {"type": "trick", "seat": 0, "tiles": 1}
    assert _declared("all-white", trick) == [("event-order", 5, E, "trick", None, None)]
    assert _declared("all-white", {"type": "void", "reason": "x"}) == []


def test_every_code_that_stops_is_refused_somewhere_above() -> None:
    reached = {row[0] for _, _, row in REFUSED}
    # The two others are in G59 and in test_tien_gow_dealing.
    assert reached == {
        "event-order", "out-of-turn", "tile-excess", "deal-count", "tile-not-held",
        "lead-illegal", "follow-illegal", "declaration-invalid",
    }  # fmt: skip
