"""KY 開元, KindID 730 (docs/importers/ky-730.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import replay
from audit import importers
from tests.audit.importers.records import (
    CARDS,
    codes,
    judged,
    ky_answer,
    ky_row,
    refusal_of,
)

AMY = ky_row()
# Seat 4 has 地 with 8 points and beats the banker's 8 by its higher tile.
BOB = ky_row(Accounts="70012_bob", ChairID=4, CellScore="20.00", Profit="19.00", Revenue="1.00")
BANK = ky_row(Accounts="70012_cat", ChairID=1, CellScore="10.00", Profit="-10.00")


def test_the_rows_of_a_hand_become_one_record_of_their_exact_values() -> None:
    found = importers.cut("ky-730", ky_answer(AMY, ky_row(GameID="other"), BOB))
    assert [json.loads(piece.data) for piece in found.pieces] == [
        [AMY, BOB],
        [ky_row(GameID="other")],
    ]
    assert [piece.number for piece in found.pieces] == [1, 2]


def test_the_worked_card_value_gives_the_tiles_and_the_banker() -> None:
    (audited,) = judged("ky-730", ky_answer(AMY))
    hand: Any = audited.hand
    assert {seat.seat: seat.tiles for seat in hand.seats} == {
        0: ("14", "12"),
        2: ("15", "16"),
        3: ("11", "33"),
    }
    assert hand.banker.seat == 0
    assert (hand.hand_id, hand.table) == ("50-1716-1", "7303/12")
    assert (hand.started_at, hand.ended_at) == ("2024-05-17T21:14:06", "2024-05-17T21:14:40")
    assert [seat.player for seat in hand.seats if seat.seat == 2] == ["amy_1"]


def test_the_swap_counts_for_the_banker() -> None:
    # Counted as 6 the 丁三 gives the banker 1 point, and amy with 3 would win.
    (audited,) = judged("ky-730", ky_answer(AMY))
    assert audited.verdict.verdict == "consistent"
    (audited,) = judged("ky-730", ky_answer(ky_row(Profit="9.50", Revenue="0.50")))
    assert codes(audited) == [("compare-mismatch", 2)]
    finding = audited.verdict.findings[0]
    assert (finding.logged, finding.expected, finding.rule) == ("player", "banker", "PG-12")


def test_who_wins_and_what_is_raked_is_checked_for_each_row() -> None:
    (audited,) = judged("ky-730", ky_answer(AMY, BOB, BANK))
    assert audited.verdict.findings == ()
    wrong = {**BOB, "Profit": "19.20", "Revenue": "0.80"}
    (audited,) = judged("ky-730", ky_answer(AMY, wrong, BANK))
    (rake,) = (one for one in audited.verdict.findings if one.code == "rake-mismatch")
    assert (rake.seat, rake.logged, rake.expected) == (3, "0.80", "1.00")
    assert rake.explained_by == ("pg.rake_rate=0.04",)


def test_all_seats_sum_to_zero_where_all_are_there() -> None:
    (audited,) = judged("ky-730", ky_answer(AMY, BOB, BANK))
    assert [one.check for one in audited.verdict.not_checkable if one.check == "conservation"] == []
    odd = {**BANK, "Profit": "-11.00", "CellScore": "11.00"}
    (audited,) = judged("ky-730", ky_answer(AMY, BOB, odd))
    assert codes(audited) == [("not-conserved", "gross")]


def test_what_cannot_be_checked_is_named_with_its_gaps_and_rules() -> None:
    (audited,) = judged("ky-730", ky_answer(AMY))
    found = {one.check: (one.gaps, one.rules, one.seats) for one in audited.verdict.not_checkable}
    assert found["cap"] == (
        ("banker_multiple", "bets", "base", "carry_in"), ("PG-32", "PG-34"), None,
    )  # fmt: skip
    assert found["rake"] == (("other_seats_money",), ("PG-31", "PG-35"), (0, 3))
    assert found["outcome"] == (("other_seats_money",), ("PG-12",), (0, 3))
    assert "tile-set" not in found
    assert found["rank"] == (("ranks",), ("PG-19", "PG-20"), None)


def test_the_banker_among_winners_and_losers_is_not_judged_by_sign() -> None:
    (audited,) = judged("ky-730", ky_answer(AMY, BOB, {**BANK, "Profit": "-10.00"}))
    found = {one.check: one for one in audited.verdict.not_checkable}
    assert found["outcome"].seats == (0,)
    assert found["outcome"].gaps == ("banker_multiple", "bets", "base", "carry_in")


@pytest.mark.parametrize(
    ("scores", "meaning", "is_base"),
    [
        (["10.00", "20.00"], "valid_bet", False),
        (["10.00", "19.00"], "unknown", False),
        (["5.00", "5.00"], "unknown", True),
    ],
)
def test_cell_score_is_the_valid_bet_only_where_the_file_says_so(
    scores: list[str], meaning: str, is_base: bool
) -> None:
    rows = [{**AMY, "CellScore": scores[0]}, {**BOB, "CellScore": scores[1]}]
    found = importers.cut("ky-730", ky_answer(*rows)).facts["cell_score"]
    assert (found["meaning"], found["looks_like_base"], found["rows"]) == (meaning, is_base, 2)
    (audited,) = judged("ky-730", ky_answer(*rows))
    assert ("valid_bet" in audited.verdict.gaps) == (meaning == "unknown")
    assert audited.verdict.assumptions[0].name == "CellScore"


def test_one_row_in_ten_may_differ_and_is_then_found() -> None:
    hands = [ky_row(GameID=f"g{number}") for number in range(11)]
    hands[4]["CellScore"] = "9.00"
    audited = judged("ky-730", ky_answer(*hands))
    assert [codes(one) for one in audited if one.verdict.findings] == [[("valid-bet-mismatch", 2)]]
    hands[5]["CellScore"] = "9.00"
    assert {one.verdict.verdict for one in judged("ky-730", ky_answer(*hands))} == {"consistent"}


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("14120000151611332", "the banker's seat 2 is empty"),
        ("14120000151611335", "not four blocks of four digits and a seat"),
        ("1412000015161133", "not four blocks of four digits and a seat"),
        ("41120000151611331", "no tile: 41"),
        ("17120000151611331", "no tile: 17"),
        ("11110000151611331", "3 tiles 11, of which the set holds 2"),
        ("14120000141611331", "2 tiles 14, of which the set holds 1"),
    ],
)
def test_a_card_value_of_another_layout_is_refused(cards: str, reason: str) -> None:
    told = refusal_of("ky-730", ky_answer(ky_row(CardValue=cards)))
    assert told.startswith("$[0].CardValue: ")
    assert reason in told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"KindID": 720}, "$[0].KindID: 720 is another game"),
        ({"Profit": -10}, "$[0].Profit: not an amount in quotes"),
        ({"Profit": "1e2"}, "$[0].Profit: not a plain decimal amount: 1e2"),
        ({"Profit": "-0.00"}, "$[0].Profit: a negative zero: -0.00"),
        ({"Revenue": "-1.00"}, "$[0].Revenue: below zero"),
        ({"ChairID": 2}, "$[0].ChairID: the seat 2 is empty"),
        ({"ChairID": 5}, "$[0].ChairID: not from 1 to 4: 5"),
        ({"Accounts": "amy"}, "$[0].Accounts: no agent code and account, joined by an underscore"),
        ({"GameStartTime": "17/05/2024"}, "$[0].GameStartTime: not a time: 17/05/2024"),
        ({"GameID": None}, "$[0].GameID: neither a text nor a number"),
    ],
)
def test_a_row_that_is_not_understood_is_refused_with_its_place(
    fields: dict[str, Any], told: str
) -> None:
    assert refusal_of("ky-730", ky_answer(ky_row(**fields))) == told


def test_rows_of_one_hand_that_disagree_are_refused() -> None:
    data = ky_answer(AMY, {**BOB, "CardValue": "14120000151611334"})
    assert refusal_of("ky-730", data) == "$[1].CardValue: not as in the first row of the hand"
    assert refusal_of("ky-730", ky_answer(AMY, AMY)) == "$[1].ChairID: the seat 3 has a row already"


def answer_with(change: dict[str, Any]) -> bytes:
    body = json.loads(ky_answer(AMY))
    body["d"] |= change
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (answer_with({"code": 16}), "$.d.code: not 0, so the pull failed: 16"),
        (answer_with({"count": 2}), "$.d.count: not the 1 rows of the list: 2"),
        (b'{"d":{"code":0,"count":1}}', "$.d.list: missing"),
        (b'{"m":"x"}', "$.d: missing"),
    ],
)
def test_an_answer_that_is_none_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(replay.Refusal) as refused:
        importers.cut("ky-730", data)
    assert str(refused.value) == told


def test_arrays_of_unequal_length_are_refused_as_a_whole() -> None:
    body = json.loads(ky_answer(AMY, BOB))
    body["d"]["list"]["Profit"].pop()
    data = json.dumps(body).encode()
    with pytest.raises(replay.Refusal) as refused:
        importers.cut("ky-730", data)
    assert str(refused.value) == "$.d.list.Profit: 1 values, where GameID has 2"


def test_a_key_that_is_there_twice_is_refused() -> None:
    data = ky_answer(AMY).replace(b'"GameID":', b'"GameID": ["x"], "GameID":')
    with pytest.raises(replay.Refusal, match="a key is there twice"):
        importers.cut("ky-730", data)


def test_unknown_columns_are_kept_and_told() -> None:
    found = importers.cut("ky-730", ky_answer(ky_row(Jackpot="0.10"), start=5))
    (piece,) = found.pieces
    assert json.loads(piece.data)[0]["Jackpot"] == "0.10"
    _, drift = importers.read("ky-730", piece.data, {**found.facts, "source": "op"})
    assert drift == {"Jackpot": '"0.10"'}
    assert found.drift == {"d.start": "5"}


def test_an_empty_answer_has_no_hands() -> None:
    assert importers.cut("ky-730", ky_answer()).pieces == ()


def test_the_worked_record_of_the_page_is_this_one() -> None:
    assert ky_row()["CardValue"] == CARDS
