"""What the replay of a Wenzhou hand refuses, and what it only notes; G77, G79, G81, G82."""

from __future__ import annotations

from typing import Any

import pytest

import replay
from replay.tiles import KINDS
from replay.wenzhou_pai_gow.play import first_position
from replay.wenzhou_pai_gow.record import POSITIONS
from tests.replay.wenzhou_pai_gow.hands import (
    TILES,
    audit,
    dealing,
    entry,
    findings,
    hand,
    settled,
    shown,
    wager,
    wagers,
)

VOID = {"type": "void", "reason": "fault"}
RESCAN = {"type": "rescan", "position": "chu"}
OUTCOMES = [
    {"type": "outcome", "door": "shun", "winner": "door"},
    {"type": "outcome", "door": "chu", "winner": "bank"},
    {"type": "outcome", "door": "dao", "winner": "door"},
]
# Nothing is bet, so the result is empty and the events speak alone.
EMPTY: dict[str, Any] = {"bets": []}


def stop(events: list[dict[str, Any]], **options: Any) -> tuple[Any, ...]:
    """The one finding of a hand that stops, after which nothing is settled or compared."""
    verdict = audit(hand(events, EMPTY, **options))
    assert (verdict["verdict"], verdict["settlement"]) == ("discrepant", None)
    (only,) = verdict["findings"]
    return shown(only)


def deal(position: str, *tiles: str) -> dict[str, Any]:
    return {"type": "deal", "position": position, "tiles": list(tiles)}


# -- dice and deal --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "position"),
    [((3, 6), "bank"), ((2, 4), "shun"), ((5, 6), "chu"), ((6, 6), "dao")],
)
def test_g77_the_dice_name_the_first_position(dice: tuple[int, int], position: str) -> None:
    assert POSITIONS[first_position(dice)] == position
    assert findings(hand(dealing(dice=dice), EMPTY)) == []


def test_wz_3_every_throw_names_a_position() -> None:
    names = {1: "bank", 2: "shun", 3: "chu", 0: "dao"}
    for first in range(1, 7):
        for second in range(1, 7):
            position = POSITIONS[first_position((first, second))]
            assert position == names[(first + second) % 4]


def test_wz_3_a_deal_that_starts_elsewhere() -> None:
    events = dealing()
    events[1] = deal("chu", "44")
    assert stop(events) == ("deal-order", 1, "chu", "chu", "shun", "WZ-3")


def test_wz_4_a_deal_that_leaves_the_circle() -> None:
    events = dealing()
    events[2] = deal("dao", "22")
    assert stop(events) == ("deal-order", 2, "dao", "dao", "chu", "WZ-4")


def test_wz_4_two_tiles_in_one_circuit_are_out_of_turn() -> None:
    events = dealing()
    events.insert(2, deal("shun", "24"))
    assert stop(events) == ("deal-order", 2, "shun", "shun", "chu", "WZ-4")


def test_rule_21_a_position_that_has_its_tiles() -> None:
    events = dealing()
    events.insert(6, deal("shun", "12"))
    assert stop(events) == ("event-order", 6, None, "deal", "deal", "WZ-3")


@pytest.mark.parametrize(("tiles", "number"), [((), "0"), (("66", "11"), "2")])
def test_wz_4_each_deal_is_one_tile(tiles: tuple[str, ...], number: str) -> None:
    events = dealing()
    events[1] = deal("shun", *tiles)
    assert stop(events) == ("deal-count", 1, "shun", number, "1", "WZ-4")


def test_rule_20_the_turn_is_looked_at_before_the_number() -> None:
    events = dealing()
    events[1] = deal("bank", "44", "26")
    assert stop(events) == ("deal-order", 1, "bank", "bank", "shun", "WZ-3")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_wz_1_a_tile_more_often_than_the_set_holds_it(kind: replay.TileKind) -> None:
    events = [dealing()[0]]
    events += [deal(position, kind.code) for position in ("shun", "chu", "dao")[: kind.copies + 1]]
    assert stop(events) == (
        "tile-excess", 1 + kind.copies, kind.code, str(kind.copies + 1), str(kind.copies), "WZ-1",
    )  # fmt: skip


# -- order of events ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "event", "expected"),
    [
        (0, RESCAN, "dice"),
        (0, deal("shun", "66"), "dice"),
        (0, OUTCOMES[0], "dice"),
        (1, wager("b1", "p", "shun", "win", "1"), "deal"),
        (1, {"type": "dice", "values": [1, 1]}, "deal"),
        (8, OUTCOMES[0], "deal"),
        (9, deal("shun", "12"), None),
        (9, {"type": "dice", "values": [1, 1]}, None),
        (9, wager("b1", "p", "shun", "win", "1"), None),
        (10, OUTCOMES[0], None),
    ],
)
def test_wz_3_an_event_out_of_its_phase(
    place: int, event: dict[str, Any], expected: str | None
) -> None:
    events = [*dealing(), *OUTCOMES]
    events.insert(place, event)
    assert stop(events) == ("event-order", place, None, event["type"], expected, "WZ-3")


@pytest.mark.parametrize(("kept", "missing"), [(0, "dice"), (1, "deal"), (5, "deal"), (8, "deal")])
def test_a_hand_that_ends_early_misses_an_event(kept: int, missing: str) -> None:
    assert stop(dealing()[:kept]) == ("event-order", None, None, None, missing, "WZ-3")


def test_outcomes_may_be_missing_and_stand_in_any_order() -> None:
    assert findings(hand([*dealing(), OUTCOMES[2], OUTCOMES[0]], EMPTY)) == []


@pytest.mark.parametrize("place", range(1, 10))
def test_wz_25_a_rescan_has_no_effect_after_the_dice(place: int) -> None:
    events = dealing()
    events.insert(place, RESCAN)
    assert findings(hand(events, EMPTY)) == []


def test_wz_5_an_outcome_that_went_to_the_wrong_side_does_not_stop() -> None:
    events = [*dealing(), {"type": "outcome", "door": "chu", "winner": "door"}, *OUTCOMES[2:]]
    verdict = audit(hand(events, EMPTY))
    assert [shown(finding) for finding in verdict["findings"]] == [
        ("outcome-mismatch", 9, "chu", "door", "bank", "WZ-5")
    ]
    assert verdict["settlement"] == {"bets": [], "players": []}


def test_rule_22_the_clock_is_compared_with_the_last_event_that_has_one() -> None:
    events = dealing()
    for index, ms in ((0, 100), (2, 90), (3, 95), (5, 94)):
        events[index]["ms"] = ms
    assert findings(hand(events, EMPTY)) == [
        ("time-backwards", 2, None, "90", "100", None),
        ("time-backwards", 5, None, "94", "95", None),
    ]


def test_rule_20_the_clock_is_looked_at_before_the_stop() -> None:
    events = [*dealing(), {**OUTCOMES[0], "ms": 5}, {**OUTCOMES[0], "ms": 4}]
    assert findings(hand(events, EMPTY)) == [
        ("time-backwards", 10, None, "4", "5", None),
        ("event-order", 10, None, "outcome", None, "WZ-3"),
    ]


# -- wagers ---------------------------------------------------------------------------------


def illegal(index: int, logged: str, expected: str | None, rule: str = "WZ-21") -> tuple[Any, ...]:
    return ("wager-illegal", index, f"b{index + 1}", logged, expected, rule)


@pytest.mark.parametrize("door", ["bank", "Shun", "順", "x"])
def test_wz_21_an_unknown_door(door: str) -> None:
    assert stop(wagers(("p", door, "win", "0"))) == illegal(0, door, "shun,chu,dao")


@pytest.mark.parametrize(
    ("stake", "logged", "expected"),
    [
        ("0", "0.00", None),
        ("-5", "-5.00", None),
        ("4.99", "4.99", "5.00"),
        ("100.01", "100.01", "100.00"),
    ],
)
def test_wz_21_a_stake_outside_the_limits(stake: str, logged: str, expected: str | None) -> None:
    limits = {"min": "5", "max": "100"}
    events = wagers(("p", "shun", "win", stake))
    assert stop(events, limits=limits) == illegal(0, logged, expected)


def test_wz_21_the_limits_are_included_and_may_be_left_out() -> None:
    events = [*wagers(("p", "shun", "win", "5"), ("p", "chu", "win", "100")), *dealing()]
    for limits in ({"min": "5", "max": "100"}, {"min": "5"}, {"max": "100"}, {}):
        assert settled(events, limits=limits) is not None


def test_g79_lose_bets_on_two_doors() -> None:
    events = wagers(
        ("p", "shun", "lose", "1"), ("q", "chu", "lose", "1"), ("p", "chu", "lose", "1")
    )
    assert stop(events) == illegal(2, "2", "1")


def test_wz_21_several_bets_on_one_door_count_once() -> None:
    bets = [("p", "shun", "lose", "1"), ("p", "shun", "lose", "2")]
    bets += [("p", door, "win", "1") for door in ("chu", "dao", "chu")]
    line = hand([*wagers(*bets), *dealing()], None)
    assert findings(line) == [("result-missing", None, None, None, None, None)]


@pytest.mark.parametrize("most", [1, 2])
def test_wz_max_win_doors(most: int) -> None:
    events = wagers(*(("p", door, "win", "1") for door in ("shun", "chu", "dao")))
    ruleset = f"wenzhou-pai-gow/test-max_win_doors-{most}@1"
    assert stop(events, ruleset=ruleset) == illegal(most, str(most + 1), str(most))


def test_wz_max_lose_doors() -> None:
    events = wagers(*(("p", door, "lose", "1") for door in ("shun", "chu", "dao")))
    ruleset = "wenzhou-pai-gow/test-max_lose_doors-2@1"
    assert stop(events, ruleset=ruleset) == illegal(2, "3", "2")
    ruleset = "wenzhou-pai-gow/test-max_lose_doors-3@1"
    assert settled([*events, *dealing()], ruleset=ruleset) is not None


def test_wz_22_both_sides_of_a_door_are_noted_once() -> None:
    sides = ("win", "lose", "win", "lose")
    events = [*wagers(*(("p", "shun", side, "1") for side in sides)), *dealing()]
    verdict = audit(hand(events, settled(events)))
    assert verdict["verdict"] == "clean"
    (only,) = verdict["findings"]
    assert only["severity"] == "warning"
    assert shown(only) == ("wager-hedged", 1, "b2", None, None, "WZ-22")


@pytest.mark.parametrize(("first", "second"), [("win", "lose"), ("lose", "win")])
def test_wz_22_same_door_both_reject(first: str, second: str) -> None:
    events = wagers(
        ("p", "shun", first, "1"), ("q", "shun", second, "1"), ("p", "shun", second, "1")
    )
    ruleset = "wenzhou-pai-gow/test-same_door_both-reject@1"
    assert stop(events, ruleset=ruleset) == illegal(2, second, first, "WZ-22")


# -- void -----------------------------------------------------------------------------------


def test_g82_a_void_hand_returns_all_stakes() -> None:
    bets = wagers(("p", "shun", "win", "1"), ("q", "chu", "lose", "2"), ("p", "dao", "win", "3"))
    for events in ([*bets, VOID], [*bets, *dealing()[:4], VOID], [*bets, *dealing(), VOID]):
        verdict = audit(hand(events, None))
        assert (verdict["verdict"], verdict["findings"]) == ("void", [])
        assert verdict["settlement"] == {
            "bets": [entry(f"b{number}", "0.00", "0.00") for number in (1, 2, 3)],
            "players": [entry(name, "0.00", "0.00", kind="player") for name in ("p", "q")],
        }


def test_rule_23_a_void_hand_whose_replay_stopped_is_settled_at_zero() -> None:
    events = [
        *wagers(("p", "x", "win", "1")),
        *dealing(),
        wager("b2", "q", "chu", "win", "2"),
        VOID,
    ]
    result = {"bets": [entry("b1", "0", "0"), entry("b2", "-2.00", "2")]}
    verdict = audit(hand(events, result))
    assert verdict["verdict"] == "discrepant"
    assert [shown(finding) for finding in verdict["findings"]] == [
        ("wager-illegal", 0, "b1", "x", "shun,chu,dao", "WZ-21"),
        ("profit-mismatch", None, "b2", "-2.00", "0.00", "WZ-23"),
        ("valid-bet-mismatch", None, "b2", "2.00", "0.00", "WZ-27"),
    ]
    # Nothing follows in a void hand, and no option explains it.
    assert {finding["follows"] for finding in verdict["findings"]} == {False}
    assert [finding["explained_by"] for finding in verdict["findings"]] == [[], [], []]
    assert verdict["settlement"]["bets"] == [
        entry("b1", "0.00", "0.00"),
        entry("b2", "0.00", "0.00"),
    ]


def test_rule_23_nothing_follows_in_a_void_hand_without_hedging_either() -> None:
    logged = {
        "bets": [entry("b1", "1", "1"), entry("b2", "2", "2")],
        "players": [entry("p", "3", "3", kind="player")],
    }
    events = [*wagers(("p", "shun", "win", "1"), ("p", "chu", "win", "2")), VOID]
    found = audit(hand(events, logged, ruleset="wenzhou-pai-gow/test-hedge-none@1"))["findings"]
    assert [(finding["subject"], finding["follows"]) for finding in found] == [
        ("b1", False), ("b2", False), ("p", False), ("b1", False), ("b2", False), ("p", False),
    ]  # fmt: skip


@pytest.mark.parametrize("event", [VOID, RESCAN, OUTCOMES[0], wager("b", "p", "chu", "win", "1")])
def test_rule_21_nothing_may_follow_a_void(event: dict[str, Any]) -> None:
    verdict = audit(hand([VOID, event], None))
    (only,) = verdict["findings"]
    assert shown(only) == ("event-order", 1, None, event["type"], None, "WZ-3")
    # Only a void at the very end makes the hand void.
    assert (verdict["settlement"] is not None) == (event is VOID)


def test_a_hand_without_wagers_is_legal() -> None:
    verdict = audit(hand([*dealing(), *OUTCOMES], {"bets": [], "players": []}))
    assert (verdict["verdict"], verdict["findings"]) == ("clean", [])


# -- what cannot be read --------------------------------------------------------------------


def refused(events: list[dict[str, Any]], result: Any, **options: Any) -> str | None:
    line = hand(events, result, **options)
    with pytest.raises(replay.Refusal) as caught:
        replay.read(line)
    return caught.value.place


def test_rule_10_names_that_are_there_twice() -> None:
    bets = [wager("b1", "p", "shun", "win", "1"), wager("b1", "p", "chu", "win", "1")]
    assert refused(bets, None) == "$.events[1].bet"
    result = {"bets": [entry("b1", "0", "0"), entry("b1", "0", "0")]}
    assert refused([], result) == "$.result.bets[1].bet"
    players = [entry("p", "0", "0", kind="player")] * 2
    assert refused([], {"bets": [], "players": players}) == "$.result.players[1].player"


def test_rule_13_amounts_that_are_none() -> None:
    assert refused(wagers(("p", "shun", "win", "1.001")), None) == "$.events[0].stake"
    assert refused([], {"bets": [entry("b", "1e2", "0")]}) == "$.result.bets[0].profit"
    assert refused([], {"bets": [entry("b", "0", "-0")]}) == "$.result.bets[0].valid_bet"
    players = [entry("p", "0", "+1", kind="player")]
    assert refused([], {"bets": [], "players": players}) == "$.result.players[0].valid_bet"
    assert refused([], None, limits={"min": "-1"}) == "$.stakes.min"
    assert refused([], None, limits={"max": "x"}) == "$.stakes.max"


@pytest.mark.parametrize(
    ("event", "place"),
    [
        (wager("b", "p", "shun", "draw", "1"), "$.events[0].side"),
        (wager("", "p", "shun", "win", "1"), "$.events[0].bet"),
        (deal("south", "66"), "$.events[0].position"),
        (deal("shun", "67"), "$.events[0].tiles[0]"),
        ({"type": "dice", "values": [0, 6]}, "$.events[0].values[0]"),
        ({"type": "dice", "values": [1, 2, 3]}, "$.events[0].values"),
        ({"type": "rescan", "position": None}, "$.events[0].position"),
        ({"type": "outcome", "door": "bank", "winner": "bank"}, "$.events[0].door"),
        ({"type": "outcome", "door": "shun", "winner": "push"}, "$.events[0].winner"),
        ({"type": "void"}, "$.events[0]"),
        ({"type": "bet", "seat": 1}, "$.events[0].type"),
    ],
)
def test_rule_10_values_outside_their_enumeration(event: dict[str, Any], place: str) -> None:
    assert refused([event], None) == place


def test_rule_10_wenzhou_has_no_seats_and_no_unknown_fields() -> None:
    line = hand(dealing(TILES), EMPTY)
    replay.read(line)
    for extra in (b'"seats": [], ', b'"banker": {}, ', b'"note": 1, '):
        with pytest.raises(replay.Refusal):
            replay.read(b"{" + extra + line[1:])
