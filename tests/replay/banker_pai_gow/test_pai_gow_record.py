"""What of a banker Pai Gow line is refused, with its place, and what is read and then judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

import replay
from tests.golden_vectors import rulesets
from tests.replay.banker_pai_gow.pai_gow_hands import line_of, make_hand, settled


def changed(path: str, value: Any) -> dict[str, Any]:
    """A hand with a right result in which one place, "events/0/seat", holds another value."""
    hand: Any = json.loads(line_of(settled(make_hand(), rulesets())))
    part = hand
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        part = part[step]
    if value is DROPPED:
        del part[last]
    else:
        part[last] = value
    return hand


DROPPED = object()


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("stakes/base", "0", "$.stakes.base"),
        ("stakes/base", 10, "$.stakes.base"),
        ("stakes/base", "1.234", "$.stakes.base"),
        ("stakes/entry", "-1", "$.stakes.entry"),
        ("stakes/entry", None, "$.stakes.entry"),
        ("stakes/bid_multiples", [], "$.stakes.bid_multiples"),
        ("stakes/bid_multiples", [1, 2], "$.stakes.bid_multiples[0]"),
        ("stakes/bid_multiples", [0, 2, 2], "$.stakes.bid_multiples[2]"),
        ("stakes/bet_multiples", [0, 1], "$.stakes.bet_multiples[0]"),
        ("stakes/bet_multiples", [], "$.stakes.bet_multiples"),
        ("stakes/bet_multiples", [2, 1], "$.stakes.bet_multiples[1]"),
        ("stakes/limit", "1", "$.stakes"),
        ("seats/1/seat", 0, "$.seats[1].seat"),
        ("seats/1/player", "p0", "$.seats"),
        ("seats/1/carry_in", "-1", "$.seats[1].carry_in"),
        ("seats/3", DROPPED, "$.seats"),
        ("banker", {"seat": 0, "streak": 1}, "$"),
        ("events/0/seat", 4, "$.events[0].seat"),
        ("events/0/multiple", 1.0, "$.events[0].multiple"),
        ("events/0/multiple", True, "$.events[0].multiple"),
        ("events/0/multiple", 2**53, "$.events[0].multiple"),
        ("events/0/multiple", None, "$.events[0].multiple"),
        ("events/0/ms", -1, "$.events[0].ms"),
        ("events/0/ms", None, "$.events[0].ms"),
        ("events/0/auto", None, "$.events[0].auto"),
        ("events/0/auto", 1, "$.events[0].auto"),
        ("events/0/type", "play", "$.events[0].type"),
        ("events/0/tiles", [], "$.events[0]"),
        ("events/5/offered", [], "$.events[5].offered"),
        ("events/5/offered", [3, 3], "$.events[5].offered[1]"),
        ("events/5/offered", [0, 1], "$.events[5].offered[0]"),
        ("events/5/offered", None, "$.events[5].offered"),
        ("events/8/values", [1, 7], "$.events[8].values[1]"),
        ("events/8/values", [1], "$.events[8].values"),
        ("events/8/seat", 1, "$.events[8]"),
        ("events/9/tiles", ["21"], "$.events[9].tiles[0]"),
        ("events/9/tiles", DROPPED, "$.events[9]"),
        ("events/13/rank", "pair-99", "$.events[13].rank"),
        ("events/13", {"type": "compare", "seat": 0, "winner": "tie"}, "$.events[13].winner"),
        ("events/13", {"type": "void"}, "$.events[13]"),
        ("events/13", {"type": "void", "reason": ""}, "$.events[13].reason"),
        ("result", DROPPED, "$"),
        ("result/seats/0", DROPPED, "$.result.seats"),
        ("result/seats/1/seat", 0, "$.result.seats[1].seat"),
        ("result/seats/2/gross", "1e3", "$.result.seats[2].gross"),
        ("result/seats/2/rake", 0, "$.result.seats[2].rake"),
        ("result/seats/2/net", "-0.00", "$.result.seats[2].net"),
        ("result/seats/2/valid_bet", DROPPED, "$.result.seats[2]"),
        ("result/seats/2/theoretical", None, "$.result.seats[2].theoretical"),
        ("result/seats/2/carry_out", "1.001", "$.result.seats[2].carry_out"),
        ("result/seats/2/paid", "1", "$.result.seats[2]"),
    ],
)
def test_10_refused_with_its_place(path: str, value: Any, place: str) -> None:
    with pytest.raises(replay.Refusal) as refused:
        replay.read(line_of(changed(path, value)))
    assert refused.value.place == place


@pytest.mark.parametrize(
    ("path", "value", "codes"),
    [
        ("events/0/multiple", -(2**53) + 1, ["bid-illegal"]),
        ("events/5/multiple", 0, ["bet-illegal"]),
        ("events/9/tiles", [], ["deal-count"]),
        ("events/9/tiles", ["22"] * 5, ["deal-count"]),
        ("events/13/tiles", [], ["tile-not-held"]),
        ("events", [], ["event-order"]),
        ("result", None, ["result-missing"]),
        ("result/seats/1/valid_bet", "-40", ["valid-bet-mismatch"]),
        # Net is logged without that rake, and right.
        ("result/seats/1/rake", "-0.01", ["rake-mismatch", "not-conserved"]),
        ("events/0/auto", False, []),
        ("events/13/tiles", ["36", "11"], []),
        ("events/13/auto", True, []),
        ("events/5/offered", [1, 100], []),
        ("stakes/entry", "0", []),
        ("seats", list(reversed(make_hand()["seats"])), []),
        ("round", {"id": "r", "hand": 2}, []),
    ],
)
def test_11_read_and_then_judged(path: str, value: Any, codes: list[str]) -> None:
    verdict = replay.audit(line_of(changed(path, value)), rulesets())
    assert [finding.code for finding in verdict.findings] == codes


def test_14_products_are_exact_beyond_two_to_the_53() -> None:
    high = 2**53 - 1
    hand = make_hand(
        stakes={"base": "999999999999999.99", "bid_multiples": [0, 1, 2],
                "bet_multiples": [1, 2, 3, 5, high]},
        bets=(high, 1, 1, 1),
    )  # fmt: skip
    verdict = replay.audit(line_of(hand), rulesets())
    assert verdict.settlement is not None
    # All is clipped to the carry-in of 1000.00.
    assert [entry["gross"] for entry in verdict.settlement["seats"]] == [
        "1000.00", "-1000.00", "1000.00", "-1000.00",
    ]  # fmt: skip
