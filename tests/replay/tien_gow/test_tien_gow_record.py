"""What is refused as unreadable, and what is read and then judged (FORMAT 6.2)."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

import replay
from replay.record import Refusal
from tests.replay.tien_gow.tien_gow_hands import Json, act, deals, line_of

ZERO = {
    "tricks": 0, "units": 0, "gross": "0", "rake": "0", "net": "0", "valid_bet": "0",
}  # fmt: skip
LINE = line_of(
    [
        {"type": "dice", "values": [1, 6], "seat": 2},
        {"type": "wall", "method": "ears", "stacks": [["66"] * 4] * 8},
        *deals(["66", "", "11 11 11", "12"]),
        {"type": "declare", "seat": 0, "pattern": "all-white"},
        act(0, "66"),
        act(1, "11", down=True),
        {"type": "trick", "seat": 0, "tiles": 1},
        {"type": "bonus", "seat": 0, "kind": "supreme", "units": [6, -2, -2, -2]},
    ],
    {
        "winner": 0,
        "seats": [{"seat": seat, **ZERO} for seat in range(4)],
        "next": {"banker": 0, "streak": 2},
    },
    lipai=["all-white", "all-white"],
)


def _with(path: str, value: object) -> bytes:
    """The line with one part replaced; `path` is like "events.0.values"."""
    hand: Any = json.loads(LINE)
    *parents, last = path.split(".")
    part = hand
    for key in parents:
        part = part[int(key)] if isinstance(part, list) else part[key]
    if isinstance(part, list):
        part[int(last)] = value
    else:
        part[last] = value
    return json.dumps(hand).encode()


def _without(path: str) -> bytes:
    hand: Any = json.loads(LINE)
    *parents, last = path.split(".")
    part = hand
    for key in parents:
        part = part[int(key)] if isinstance(part, list) else part[key]
    del part[last]
    return json.dumps(hand).encode()


@pytest.mark.parametrize("game", ["tien-gow", "small-tien-gow"])
def test_the_line_can_be_read(game: str) -> None:
    found = replay.read(_with("game", game))
    assert found.game.name == game
    assert found.facts.base == 100
    assert found.facts.carry_in == [50000] * 4


REFUSED: list[tuple[str, object, str]] = [
    ("stakes.base", "0", "$.stakes.base"),
    ("stakes.base", "-1", "$.stakes.base"),
    ("stakes.base", 1, "$.stakes.base"),
    ("stakes.lipai", ["white"], "$.stakes.lipai[0]"),
    ("stakes.lipai", None, "$.stakes.lipai"),
    ("banker.seat", 4, "$.banker.seat"),
    ("banker.streak", 0, "$.banker.streak"),
    ("banker.streak", 1001, "$.banker.streak"),
    ("events.0.values", [1, 7], "$.events[0].values[1]"),
    ("events.0.values", [1], "$.events[0].values"),
    ("events.0.seat", None, "$.events[0].seat"),
    ("events.1.method", "left", "$.events[1].method"),
    ("events.1.stacks", [["66"] * 4] * 7, "$.events[1].stacks"),
    ("events.1.stacks.3", ["66"] * 5, "$.events[1].stacks[3]"),
    ("events.2.tiles", ["61"], "$.events[2].tiles[0]"),
    ("events.6.pattern", "white", "$.events[6].pattern"),
    ("events.7.tiles", [], "$.events[7].tiles"),
    ("events.7.tiles", ["66"] * 5, "$.events[7].tiles"),
    ("events.8.tiles", [], "$.events[8].tiles"),
    ("events.9.tiles", 1.0, "$.events[9].tiles"),
    ("events.9.tiles", 2**53, "$.events[9].tiles"),
    ("events.10.kind", "he", "$.events[10].kind"),
    ("events.10.units", [1, 2, 3], "$.events[10].units"),
    ("events.10.extra", 1, "$.events[10]"),
    ("result.winner", None, "$.result.winner"),
    ("result.winner", 4, "$.result.winner"),
    ("result.seats.1.seat", 0, "$.result.seats"),
    ("result.seats.1.tricks", "1", "$.result.seats[1].tricks"),
    ("result.seats.2.gross", "1.001", "$.result.seats[2].gross"),
    ("result.seats.3.valid_bet", "-0", "$.result.seats[3].valid_bet"),
    ("result.seats.0.carry_out", "+1", "$.result.seats[0].carry_out"),
    ("result.seats.0.carry_out", None, "$.result.seats[0].carry_out"),
    ("result.next.streak", 0, "$.result.next.streak"),
    ("result.next", None, "$.result.next"),
]


@pytest.mark.parametrize(("path", "value", "place"), REFUSED)
def test_refused_with_its_place(path: str, value: object, place: str) -> None:
    with pytest.raises(Refusal) as refused:
        replay.read(_with(path, value))
    assert refused.value.place == place


@pytest.mark.parametrize(
    "path",
    [
        "stakes", "stakes.base", "banker", "banker.streak", "seats", "events", "result",
        "events.0.values", "events.6.pattern", "events.7.tiles", "result.winner", "result.seats",
        "result.seats.0.units", "result.next.streak",
    ],
)  # fmt: skip
def test_refused_for_a_missing_field(path: str) -> None:
    with pytest.raises(Refusal):
        replay.read(_without(path))


READ: list[tuple[str, object]] = [
    ("events.2.tiles", []),
    ("events.2.tiles", ["66"] * 40),
    ("events.9.tiles", -1),
    ("events.10.units", [2**53 - 1, 0, 0, -(2**53) + 1]),
    ("result.seats.1.tricks", -5),
    ("result.seats.1.units", 2**53 - 1),
    ("result.seats.1.gross", "-999999999999999.99"),
    ("banker.streak", 1000),
    ("stakes.lipai", []),
    ("result", None),
]


@pytest.mark.parametrize(("path", "value"), READ)
def test_read_and_then_judged(path: str, value: object) -> None:
    assert replay.read(_with(path, value)).game.prefix == "tg"


def test_seats_of_the_result_may_be_in_any_order() -> None:
    hand: Any = json.loads(LINE)
    rows: list[Json] = hand["result"]["seats"]
    for seat, row in enumerate(rows):
        row["units"] = seat
    plain = replay.read(json.dumps(hand).encode()).facts
    turned = deepcopy(hand)
    turned["result"]["seats"].reverse()
    assert replay.read(json.dumps(turned).encode()).facts == plain
    assert plain.logged.units == [0, 1, 2, 3]
