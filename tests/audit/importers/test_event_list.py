"""Event-list bet log, game 122 (docs/importers/event-list-122.md)."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from typing import Any

import pytest

from audit import importers
from tests.audit.importers.records import (
    FEEDS,
    RULESETS,
    codes,
    event_records,
    judged,
    log_of,
    refusal_of,
)


@pytest.mark.parametrize("vector", ["a", "b", "c", "d"])
def test_settled_hands_of_a_server_are_settled_alike(vector: str) -> None:
    """tests/feeds/league-settlement-vectors.csv: net_all, push, sum_players."""
    (audited,) = judged("event-list-122", log_of(event_records(vector)))
    assert audited.verdict.findings == ()
    with (FEEDS / "league-settlement-vectors.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["vector"] == vector]
    assert audited.verdict.settlement is not None
    for seat, row in zip(audited.verdict.settlement["seats"], rows, strict=True):
        assert Decimal(seat["net"]) == Decimal(row["net"])
        assert Decimal(seat["rake"]) == Decimal(row["fee"])
        assert Decimal(seat["valid_bet"]) == Decimal(row["valid_bet"])


def test_one_cent_is_found() -> None:
    records = event_records("c")
    records[1]["score"] = records[1]["events"][-3]["score"] = "-150.01"
    for record in records:
        record["events"] = records[1]["events"]
    (audited,) = judged("event-list-122", log_of(records))
    assert codes(audited) == [
        ("gross-mismatch", 1), ("net-mismatch", 1), ("not-conserved", "gross"),
    ]  # fmt: skip
    assert [one.follows for one in audited.verdict.findings] == [False, True, True]


def test_the_cap_of_another_server_is_named() -> None:
    records = event_records("c")
    # Only the side that pushes the banker over is scaled: 200 and 100 instead of 150 and 50.
    for chair, score, fee, valid_bet in ((1, "-200", "0", "200"), (2, "95", "5", "100"),
                                         (0, "95", "5", "300")):  # fmt: skip
        records[chair] |= {"score": score, "fee": fee, "valid_bet": valid_bet}
        next(
            event for event in records[0]["events"]
            if event["event"] == "result" and event["chair"] == chair
        )["score"] = score  # fmt: skip
    (audited,) = judged("event-list-122", log_of(records))
    assert {one.code for one in audited.verdict.findings} >= {"gross-mismatch"}
    assert audited.verdict.findings[0].explained_by == ("pg.banker_cap=net_side",)


def test_the_records_of_the_chairs_are_joined_in_any_order() -> None:
    a, b = event_records("a"), event_records("b")
    found = importers.cut(
        "event-list-122", log_of([a[2], b[0], a[0], b[3], a[1], b[1], b[2], a[3]])
    )
    assert [len(json.loads(piece.data)) for piece in found.pieces] == [4, 4]
    mixed = log_of([a[2], b[0], a[0], b[3], a[1], b[1], b[2], a[3]])
    assert [one.verdict.verdict for one in judged("event-list-122", mixed)] == ["consistent"] * 2


def test_without_a_chair_its_money_and_the_settlement_are_gaps() -> None:
    (audited,) = judged("event-list-122", log_of(event_records("a")[:3]))
    assert audited.verdict.settlement is None
    assert {"other_seats_money", "carry_in"} <= set(audited.verdict.gaps)
    found = {one.check: one.seats for one in audited.verdict.not_checkable}
    assert found["rake"] == (3,)
    # The banker's valid bet is the sum of the players', of which one is not there.
    assert found["valid-bet"] == (0, 3)


def test_each_record_may_have_the_events_of_its_own_chair() -> None:
    records = event_records("d")
    events = records[0]["events"]
    for chair, record in enumerate(records):
        record["events"] = json.dumps(
            [event for event in events if event.get("chair", chair) == chair]
        )
    (audited,) = judged("event-list-122", log_of(records))
    assert audited.refusal is None
    assert audited.verdict.findings == ()


def test_a_wrong_name_of_tiles_is_found() -> None:
    records = event_records("a")
    for event in records[0]["events"]:
        if event["event"] == "result" and event["chair"] == 2:
            event["type"] = 25
    (audited,) = judged("event-list-122", log_of(records))
    (finding,) = audited.verdict.findings
    assert (finding.code, finding.seat, finding.logged, finding.expected) == (
        "rank-mismatch", 2, "pair-33", "pair-55",
    )  # fmt: skip
    # What was revealed is no figure, so no option explains it.
    assert finding.explained_by == ()


def test_a_banker_below_another_bid_is_found() -> None:
    records = event_records("a")
    records[0]["events"][1] = {"event": "bid", "chair": 1, "time": 2, "rate": 4}
    (audited,) = judged("event-list-122", log_of(records))
    assert codes(audited) == [("banker-wrong", 0), ("banker-multiple", 0)]


@pytest.mark.parametrize("first", [0, 1])
def test_chairs_are_counted_from_0_or_from_1(first: int) -> None:
    records = event_records("c")
    for event in records[0]["events"]:
        if "chair" in event:
            event["chair"] += first
    for record in records:
        record["chair"] += first
        record["events"] = records[0]["events"]
    (audited,) = judged("event-list-122", log_of(records))
    assert audited.verdict.findings == ()
    hand: Any = audited.hand
    assert hand.banker.seat == first


def test_the_ruleset_is_the_importers_own() -> None:
    ruleset = RULESETS.get("banker-pai-gow/event-list-122@1")
    assert ruleset is not None
    assert {
        name: ruleset.options[name]
        for name in ("tie_rule", "high9", "swap", "combo_subrank", "banker_cap", "banker_valid")
    } == {
        "tie_rule": "push", "high9": "strict", "swap": "off", "combo_subrank": "by_second_tile",
        "banker_cap": "net_all", "banker_valid": "sum_players",
    }  # fmt: skip


def changed(position: int, **fields: Any) -> bytes:
    records = event_records("a")
    records[position] |= fields
    return log_of(records)


def with_event(position: int, **fields: Any) -> bytes:
    records = event_records("a")
    events = [dict(event) for event in records[0]["events"]]
    events[position] |= fields
    for record in records:
        record["events"] = events
    return log_of(records)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (log_of([{**event_records("a")[1], "game_id": 123}]),
         "$[0].game_id: 123 is another game"),
        (changed(1, base="6"), "$[1].base: not as in the first record of the round"),
        (changed(1, chair=2), "$[1].score: not the score of the chair's result, 28.5"),
        (changed(1, chair=0, score="47.5"), "$[1].chair: chair 0 has a record already"),
        (changed(1, fee="-1"), "$[1].fee: below zero"),
        (changed(1, events=[{"event": "chat"}]),
         "$[1].events[0].event: no known event: chat"),
        (with_event(-1, tiles=[303, 701]), "$[0].events[12].tiles: no tile: 701"),
        (with_event(-1, tiles=[3062, 303]), "$[0].events[12].tiles: no tile: 3062"),
        (with_event(-1, type=32), "$[0].events[12].type: not from 0 to 31: 32"),
        (changed(2, events=[{"event": "bet", "chair": 1, "rate": 9}]),
         "$[2].events[0]: chair 1 did otherwise by another event"),
    ],
)  # fmt: skip
def test_a_record_that_is_not_understood_is_refused(data: bytes, told: str) -> None:
    assert refusal_of("event-list-122", data) == told


def test_a_hand_without_one_banker_is_refused() -> None:
    records = event_records("a")
    events = [event for event in records[0]["events"] if event["event"] != "bet"]
    for record in records:
        record["events"] = events
    assert refusal_of("event-list-122", log_of(records)) == (
        "$[0].events: 4 chairs have a result and no bet, where one is banker"
    )


def test_times_are_epochs_or_texts() -> None:
    (audited,) = judged("event-list-122", log_of(event_records("a")))
    assert audited.hand is not None
    assert audited.hand.started_at == "2024-05-18T02:40:00Z"
    assert "time_zone" not in audited.verdict.gaps
    texts = [
        {**record, "begin_time": "2024-05-18 10:40:00", "end_time": "2024-05-18 10:40:30"}
        for record in event_records("a")
    ]
    (audited,) = judged("event-list-122", log_of(texts))
    assert "time_zone" in audited.verdict.gaps
