"""BBIN 3006 and WM 112, both Wenzhou Pai Gow (docs/importers)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import replay
from audit import importers
from tests.audit.importers.records import (
    bbin_ticket,
    codes,
    judged,
    log_of,
    refusal_of,
    wm_row,
)

# -- BBIN -----------------------------------------------------------------------------------


def test_the_tickets_of_a_round_become_one_record() -> None:
    rows = [bbin_ticket(), bbin_ticket(SerialID="303-78"), bbin_ticket(WagersID="9002")]
    found = importers.cut("bbin-3006", log_of(rows))
    assert [json.loads(piece.data) for piece in found.pieces] == [[rows[0], rows[2]], [rows[1]]]


@pytest.mark.parametrize("shape", ["lines", "array", "answer"])
def test_a_file_is_lines_or_an_array_or_an_answer(shape: str) -> None:
    rows = [bbin_ticket(), bbin_ticket(SerialID="303-78")]
    data = log_of(rows)
    if shape == "array":
        data = json.dumps(rows, indent=1).encode()
    elif shape == "answer":
        data = json.dumps({"result": True, "data": rows, "extra": 1}).encode()
    found = importers.cut("bbin-3006", data)
    assert [json.loads(piece.data) for piece in found.pieces] == [[row] for row in rows]
    for piece in found.pieces:
        # An exact slice of the file: what stands between the brackets.
        assert data[piece.offset :].startswith(piece.data[1:-1])
    assert found.drift == ({"extra": "1"} if shape == "answer" else {})


def test_a_ticket_that_is_right_is_settled_by_its_result() -> None:
    (audited,) = judged("bbin-3006", log_of([bbin_ticket()]))
    assert audited.verdict.verdict == "consistent"
    assert audited.verdict.settlement == {
        "bets": [
            {"bet": "9001/1", "profit": "100.00", "valid_bet": "100.00"},
            {"bet": "9001/2", "profit": "47.00", "valid_bet": "47.00"},
        ],
        "players": [{"player": "wang", "profit": "147.00", "valid_bet": "147.00"}],
    }
    hand: Any = audited.hand
    assert (hand.hand_id, hand.currency, hand.started_at) == (
        "303-77", "RMB", "2015-03-02T08:15:11",
    )  # fmt: skip


def test_a_payment_against_the_result_is_found() -> None:
    lost = bbin_ticket(Result="順門輸,出門輸,到門贏")
    (audited,) = judged("bbin-3006", log_of([lost]))
    assert codes(audited) == [
        ("profit-mismatch", "9001/1"),
        ("profit-mismatch", "wang"),
    ]
    assert [one.expected for one in audited.verdict.findings] == ["-100.00", "-53.00"]
    assert [one.follows for one in audited.verdict.findings] == [False, True]


def test_a_result_of_another_form_is_not_read() -> None:
    (audited,) = judged("bbin-3006", log_of([bbin_ticket(Result="7,3,2,9")]))
    assert audited.verdict.settlement is None
    assert "outcomes" in audited.verdict.gaps
    assert [one.check for one in audited.verdict.not_checkable if one.rules == ("WZ-24",)] == [
        "won"
    ]


def test_without_a_result_wagers_on_one_door_must_agree() -> None:
    other = bbin_ticket(
        WagersID="9002", UserName="zhao", Result="?", BetAmount="10.00", Payoff="-10.00",
        Commissionable="10.00", WagerDetail="1,1:1,10.00,-10.00",
    )  # fmt: skip
    (audited,) = judged("bbin-3006", log_of([bbin_ticket(Result="?"), other]))
    assert codes(audited) == [("outcome-mismatch", "shun")]


def test_the_odds_are_those_of_the_product_version() -> None:
    older = bbin_ticket(
        WagerDetail="4,1:0.93,50.00,46.50", BetAmount="50.00", Payoff="46.50",
        Commissionable="46.50",
    )  # fmt: skip
    (audited,) = judged("bbin-3006", log_of([older]))
    assert (audited.verdict.ruleset, audited.verdict.findings) == (
        "wenzhou-pai-gow/live-0.93@1", (),
    )  # fmt: skip
    odd = {**older, "WagerDetail": "4,1:0.90,50.00,45.00", "Payoff": "45.00",
           "Commissionable": "45.00"}  # fmt: skip
    (audited,) = judged("bbin-3006", log_of([odd]))
    assert [(one.code, one.logged, one.expected) for one in audited.verdict.findings][:2] == [
        ("wager-illegal", "0.90", "0.94"),
        ("profit-mismatch", "45.00", "47.00"),
    ]


def test_a_payoff_that_is_not_its_list_is_found_for_the_player() -> None:
    (audited,) = judged("bbin-3006", log_of([bbin_ticket(Payoff="150.00")]))
    assert codes(audited) == [("profit-mismatch", "wang")]


def test_the_valid_bet_takes_opposite_wagers_off() -> None:
    both = bbin_ticket(
        WagerDetail="1,1:1,100.00,100.00*2,1:0.94,40.00,-40.00", BetAmount="140.00",
        Payoff="60.00", Commissionable="60.00",
    )  # fmt: skip
    (audited,) = judged("bbin-3006", log_of([both]))
    assert codes(audited) == [("wager-hedged", "9001/2")]
    assert audited.verdict.verdict == "consistent"
    (audited,) = judged("bbin-3006", log_of([{**both, "Commissionable": "140.00"}]))
    (valid_bet,) = (one for one in audited.verdict.findings if one.rule == "WZ-27")
    assert (valid_bet.subject, valid_bet.logged, valid_bet.expected) == ("wang", "140.00", "60.00")
    assert valid_bet.explained_by == ("wz.hedge=none",)


def test_a_second_lose_door_is_found_across_the_tickets_of_a_player() -> None:
    second = bbin_ticket(
        WagersID="9002", WagerDetail="6,1:0.94,10.00,-10.00", BetAmount="10.00", Payoff="-10.00",
        Commissionable="10.00",
    )  # fmt: skip
    (audited,) = judged("bbin-3006", log_of([bbin_ticket(), second]))
    assert codes(audited) == [("wager-illegal", "9002/1")]
    assert audited.verdict.findings[0].rule == "WZ-21"
    (audited,) = judged("bbin-3006", log_of([bbin_ticket(), {**second, "UserName": "zhao"}]))
    assert codes(audited) == []


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"GameType": "3001"}, "$[0].GameType: 3001 is another game"),
        ({"BetAmount": "151.00"}, "$[0].BetAmount: not the stakes of its list, 150.00"),
        ({"WagerDetail": "7,1:1,150.00,1.00"}, "$[0].WagerDetail: entry 1: no play 7"),
        (
            {"WagerDetail": "1,1:1,150.00"},
            "$[0].WagerDetail: entry 1 is not play, odds, stake, payout: 1,1:1,150.00",
        ),
        ({"WagerDetail": "1,even,150.00,1.00"}, "$[0].WagerDetail: entry 1: no odds: even"),
        ({"Payoff": "1,47.00"}, "$[0].Payoff: not a plain decimal amount: 1,47.00"),
        ({"WagersDate": "yesterday"}, "$[0].WagersDate: not a time: yesterday"),
        ({"payoff": "1.00"}, "$[0].Payoff: the field is there twice, also as payoff"),
    ],
)
def test_a_ticket_that_is_not_understood_is_refused(fields: dict[str, Any], told: str) -> None:
    assert refusal_of("bbin-3006", log_of([bbin_ticket(**fields)])) == told


def test_a_pull_that_failed_is_refused() -> None:
    assert refusal_of("bbin-3006", b'{"result": false, "data": []}') == (
        "$.result: not true, so the pull failed: false"
    )
    assert refusal_of("wm-112", b'{"errorCode": 10501, "result": []}') == (
        "$.errorCode: not 0, so the pull failed: 10501"
    )


# -- WM -------------------------------------------------------------------------------------


def test_each_bet_is_a_record_without_the_address_of_its_player() -> None:
    other = {key: value for key, value in wm_row(betId="70002").items() if key != "ip"}
    rows = [wm_row(), {**other, "IP": "203.0.113.7"}]
    found = importers.cut("wm-112", log_of(rows))
    kept = [json.loads(piece.data) for piece in found.pieces]
    assert kept == [[{k: v for k, v in row.items() if k not in ("ip", "IP")}] for row in rows]
    assert not any(b"203.0.113" in piece.data for piece in found.pieces)


def test_a_row_that_cannot_be_read_is_kept_without_what_it_may_hold() -> None:
    twice = log_of([wm_row()]).replace(b'"gid":', b'"gid": "112", "gid":')
    found = importers.cut("wm-112", twice + log_of([wm_row(betId="70002")]))
    assert not any(b"203.0.113" in piece.data for piece in found.pieces)
    first, second = judged("wm-112", twice + log_of([wm_row(betId="70002")]))
    assert str(first.refusal) == "$[0]: not an object"
    assert second.verdict.verdict == "consistent"


def test_a_row_settled_anew_holds_and_restates() -> None:
    rows = [wm_row(), wm_row(betId="70002"), wm_row(reset="Y", result="-100", winLoss="-100",
                                                    validbet="100")]  # fmt: skip
    found = importers.cut("wm-112", log_of(rows))
    assert [(piece.restates, len(json.loads(piece.data))) for piece in found.pieces] == [
        (True, 2),
        (False, 1),
    ]
    restated, other = judged("wm-112", log_of(rows))
    hand: Any = restated.hand
    assert (hand.hand_id, hand.wagers[0].profit) == ("70001", "-100.00")
    assert other.verdict.verdict == restated.verdict.verdict == "consistent"


def test_the_bet_is_paid_at_the_odds() -> None:
    (audited,) = judged("wm-112", log_of([wm_row(result="95.0000", winLoss="95.0000")]))
    assert codes(audited) == [
        ("profit-mismatch", "70001"),
        ("valid-bet-mismatch", "70001"),
        ("profit-mismatch", "lin88"),
    ]
    assert audited.verdict.findings[0].expected == "94.00"


def test_a_bet_that_is_paid_nothing_is_expected_to_be_paid_something() -> None:
    (audited,) = judged("wm-112", log_of([wm_row(result="0", winLoss="0", validbet="0")]))
    assert codes(audited) == [("profit-mismatch", "70001")]
    assert audited.verdict.findings[0].expected is None


def test_what_one_bet_alone_cannot_tell_is_named() -> None:
    (audited,) = judged("wm-112", log_of([wm_row()]))
    lacking = {one.check: one.gaps for one in audited.verdict.not_checkable}
    assert lacking["lose-doors"] == lacking["both-sides"] == ("other_bets",)
    assert lacking["won"] == ("outcomes",)
    assert lacking["valid-bet"] == ("other_bets",)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"gid": "113"}, "$[0].gid: 113 is another game"),
        ({"reset": "X"}, "$[0].reset: neither Y nor N"),
        ({"commission": "2"}, "$[0].commission: neither 0 nor 1"),
        ({"betResult": "和"}, "$[0].betResult: no play: 和"),
        (
            {"winLoss": "90.0000"},
            "$[0].winLoss: neither the result nor the result with the rebate",
        ),
        ({"betTime": "2019-06-01T10:00:00Z"},
         "$[0].betTime: a time with a zone is not known: 2019-06-01T10:00:00Z"),
    ],
)  # fmt: skip
def test_a_row_that_is_not_understood_is_refused(fields: dict[str, Any], told: str) -> None:
    assert refusal_of("wm-112", log_of([wm_row(**fields)])) == told


def test_the_rebate_may_stand_in_the_win() -> None:
    (audited,) = judged("wm-112", log_of([wm_row(water="0.5000", winLoss="94.5000")]))
    assert audited.verdict.verdict == "consistent"


def test_unknown_fields_are_kept_and_told() -> None:
    (piece,) = importers.cut("wm-112", log_of([wm_row(tip={"a": 1})])).pieces
    _, drift = importers.read("wm-112", piece.data, {"source": "op"})
    assert drift == {"tip": '{"a": "1"}'}
    assert json.loads(piece.data)[0]["tip"] == {"a": 1}


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(replay.Refusal, match="neither a JSON object nor an array"):
        importers.cut("wm-112", b"betId;user\n1;2\n")


def test_a_row_by_itself_whose_result_is_a_list_is_no_answer_without_rows():
    for result in ([], ["94.0000"]):
        row = log_of([wm_row(result=result)])
        assert len(importers.cut("wm-112", row).pieces) == 1
        assert refusal_of("wm-112", row).startswith("$[0].result: ")
    assert importers.cut("wm-112", b'{"errorCode": 0, "result": []}').pieces == ()
