"""The replay of the events: what each rule refuses, in which order, and with which finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import replay
from tests.golden_vectors import rulesets
from tests.replay.banker_pai_gow.pai_gow_hands import line_of, make_hand, played, settled

Change = Callable[[list[dict[str, Any]]], None]

# Where the events of `make_hand` stand: four bids, the banker (seat 2), bets of 0, 1, 3, the
# dice (7: seat 0 first), deals of 0 to 3, reveals of 2, 1, 0, 3.
BANKER, BETS, DICE, DEALS, REVEALS = 4, 5, 8, 9, 13
END = 17


def stop_of(change: Change, **options: str) -> tuple[Any, ...]:
    """Code, event, seat, logged, expected and rule of the refusal after a change of the events."""
    hand = make_hand()
    change(hand["events"])
    refusal = played(hand, **options).refusal
    assert refusal is not None
    assert refusal.severity == "error"
    return (
        refusal.code, refusal.event, refusal.seat, refusal.logged, refusal.expected, refusal.rule
    )  # fmt: skip


def put(index: int, **fields: Any) -> Change:
    """A change that sets fields of an event."""
    return lambda events: events[index].update(fields)


def move(index: int, to: int) -> Change:
    """A change that moves an event."""
    return lambda events: events.insert(to, events.pop(index))


def repeat(index: int, to: int) -> Change:
    """A change that repeats an event at another place."""
    return lambda events: events.insert(to, dict(events[index]))


def add(event: dict[str, Any], to: int = END) -> Change:
    """A change that puts in an event."""
    return lambda events: events.insert(to, event)


def cut(index: int) -> Change:
    """A change that drops every event from an index on."""

    def change(events: list[dict[str, Any]]) -> None:
        del events[index:]

    return change


def drop(index: int) -> Change:
    """A change that drops one event."""

    def change(events: list[dict[str, Any]]) -> None:
        del events[index]

    return change


def test_the_made_hand_plays_through() -> None:
    play = played(make_hand())
    assert play.findings == []
    assert len(play.hand.events) == END
    assert play.outcomes == [1, -1, 0, -1]


@pytest.mark.parametrize(
    ("change", "index", "seat", "logged", "expected"),
    [
        (repeat(0, 1), 1, 0, "bid", "bid"),
        (move(BANKER, 2), 2, 2, "banker", "bid"),
        (repeat(0, 4), 4, 0, "bid", "banker"),
        (drop(BANKER), 4, 0, "bet", "banker"),
        (repeat(BANKER, 5), 5, 2, "banker", "bet"),
        (put(BETS, seat=2), BETS, 2, "bet", "bet"),
        (repeat(BETS, 6), 6, 0, "bet", "bet"),
        (move(DICE, BETS), BETS, None, "dice", "bet"),
        (repeat(DICE, 9), 9, None, "dice", "deal"),
        (drop(DICE), DICE, 0, "deal", "dice"),
        (repeat(DEALS, 10), 10, 0, "deal", "deal"),
        (move(REVEALS, 11), 11, 2, "reveal", "deal"),
        (repeat(DEALS, REVEALS), REVEALS, 0, "deal", "reveal"),
        (repeat(REVEALS, 14), 14, 2, "reveal", "reveal"),
        (add({"type": "compare", "seat": 0, "winner": "player"}, 16), 16, 0, "compare", "reveal"),
        (add({"type": "compare", "seat": 2, "winner": "banker"}), END, 2, "compare", None),
        (repeat(REVEALS, END), END, 2, "reveal", None),
        (lambda events: events.clear(), None, None, None, "bid"),
        (cut(BANKER), None, None, None, "banker"),
        (cut(6), None, None, None, "bet"),
        (cut(DICE), None, None, None, "dice"),
        (cut(DEALS), None, None, None, "deal"),
        (cut(16), None, None, None, "reveal"),
    ],
)
def test_PG_3_event_order(
    change: Change, index: int | None, seat: int | None, logged: str | None, expected: str | None
) -> None:
    assert stop_of(change) == ("event-order", index, seat, logged, expected, "PG-3")


def test_PG_12_a_second_compare_of_a_seat_is_out_of_order() -> None:
    def change(events: list[dict[str, Any]]) -> None:
        events += [{"type": "compare", "seat": 0, "winner": "player"}] * 2

    assert stop_of(change) == ("event-order", END + 1, 0, "compare", None, "PG-3")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put(1, multiple=4), ("bid-illegal", 1, 1, "4", "0,1,2,3", "PG-4")),
        (put(1, multiple=-1), ("bid-illegal", 1, 1, "-1", "0,1,2,3", "PG-4")),
        (put(0, auto=True), ("auto-default", 0, 0, "1", "0", "PG-4")),
        # Not offered comes before not the default.
        (put(0, auto=True, multiple=9), ("bid-illegal", 0, 0, "9", "0,1,2,3", "PG-4")),
        (put(BANKER, seat=0), ("banker-wrong", 4, 0, "0", "2", "PG-4")),
        (put(BANKER, multiple=1), ("banker-multiple", 4, 2, "1", "2", "PG-4")),
        # The seat comes before the multiple.
        (put(BANKER, seat=0, multiple=9), ("banker-wrong", 4, 0, "0", "2", "PG-4")),
        (put(BETS, multiple=4), ("bet-illegal", 5, 0, "4", "1,2,3,5", "PG-7")),
        (put(BETS, offered=[2, 4]), ("bet-illegal", 5, 0, "1", "2,4", "PG-8")),
        (put(6, auto=True), ("auto-default", 6, 1, "2", "1", "PG-7")),
        (put(6, auto=True, offered=[1, 2]), ("auto-default", 6, 1, "2", "1", "PG-7")),
        (move(DEALS, 10), ("deal-order", 9, 1, "1", "0", "PG-9")),
        (move(10, 11), ("deal-order", 10, 2, "2", "1", "PG-10")),
        (put(DEALS, tiles=["22"]), ("deal-count", 9, 0, "1", "2", "PG-1")),
        (put(DEALS, tiles=[]), ("deal-count", 9, 0, "0", "2", "PG-1")),
        # The turn comes before the number of tiles.
        (put(10, seat=3, tiles=[]), ("deal-order", 10, 3, "3", "1", "PG-10")),
        (move(REVEALS, 14), ("reveal-order", 13, 1, "1", "2", "PG-11")),
        (put(14, tiles=["26"]), ("tile-not-held", 14, 1, "26", "66 26", "PG-11")),
        (put(14, tiles=[]), ("tile-not-held", 14, 1, "", "66 26", "PG-11")),
        (put(15, tiles=["22"] * 3), ("tile-not-held", 15, 0, "22 22 22", "22 22", "PG-11")),
        (put(14, tiles=["35", "66"]), ("tile-not-held", 14, 1, "66 35", "66 26", "PG-11")),
    ],
)
def test_what_stops_the_replay(change: Change, expected: tuple[Any, ...]) -> None:
    assert stop_of(change) == expected


def subject_of(change: Change) -> tuple[Any, ...]:
    hand = make_hand()
    change(hand["events"])
    refusal = played(hand).refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("tile-excess", "PG-1")
    return refusal.event, refusal.seat, refusal.subject, refusal.logged, refusal.expected


def test_PG_1_tile_excess_names_the_first_tile_over() -> None:
    assert subject_of(put(11, tiles=["22", "36"])) == (11, 2, "22", "3", "2")
    assert subject_of(put(11, tiles=["36", "36"])) == (11, 2, "36", "2", "1")
    assert subject_of(put(11, tiles=["26", "22"])) == (11, 2, "26", "2", "1")
    # Seat 1 has one 66: two more are one over, at the second of them.
    assert subject_of(put(11, tiles=["66", "66"])) == (11, 2, "66", "3", "2")


def test_PG_5_most_coins() -> None:
    carry_in = ("10", "30", "30", "20")
    hand = make_hand(banker=0, bids=(2, 2, 2, 2), carry_in=carry_in)
    refusal = played(hand, bid_tie="most_coins").refusal
    assert refusal is not None
    assert (refusal.code, refusal.expected, refusal.rule) == ("banker-wrong", "1,2", "PG-5")
    below = make_hand(banker=1, bids=(2, 2, 2, 1), carry_in=carry_in)
    below["events"][BANKER]["seat"] = 3
    refusal = played(below, bid_tie="most_coins").refusal
    assert refusal is not None
    assert (refusal.code, refusal.expected, refusal.rule) == ("banker-wrong", "1,2", "PG-4")
    for legal in (1, 2):
        fine = make_hand(banker=legal, bids=(2, 2, 2, 2), carry_in=carry_in)
        assert played(fine, bid_tie="most_coins").refusal is None
        assert played(fine).refusal is None
    # With no bid any seat may be banker all the same.
    assert played(make_hand(banker=0, bids=(0,) * 4), bid_tie="most_coins").refusal is None


def test_PG_9_the_deal_starts_where_the_dice_say() -> None:
    for total, dice in ((2, (1, 1)), (5, (2, 3)), (8, (4, 4)), (12, (6, 6))):
        hand = make_hand(dice=dice)
        assert hand["events"][DEALS]["seat"] == (2 - (total - 1)) % 4
        assert played(hand).refusal is None


def test_PG_11_banker_last() -> None:
    hand = make_hand()
    by_seat = {event["seat"]: event for event in hand["events"][REVEALS:]}
    hand["events"][REVEALS:] = [by_seat[seat] for seat in (1, 0, 3, 2)]
    assert played(hand, reveal="banker_last").refusal is None
    refusal = played(hand).refusal
    assert refusal is not None
    assert (refusal.code, refusal.event, refusal.expected) == ("reveal-order", REVEALS, "2")
    hand["events"][REVEALS:] = [by_seat[seat] for seat in (1, 0, 2, 3)]
    refusal = played(hand, reveal="banker_last").refusal
    assert refusal is not None
    assert (refusal.code, refusal.event, refusal.logged) == ("reveal-order", REVEALS + 2, "2")
    assert (refusal.expected, refusal.rule) == ("3", "PG-11")


def test_statements_do_not_stop() -> None:
    hand = make_hand()
    hand["events"][0]["ms"] = 50
    hand["events"][1]["ms"] = 40
    hand["events"][2]["ms"] = 45
    hand["events"][REVEALS]["rank"] = "heaven-king"
    hand["events"][16]["rank"] = "points-8"
    hand["events"] += [
        {"type": "compare", "seat": 3, "winner": "player"},
        {"type": "compare", "seat": 0, "winner": "player"},
        {"type": "compare", "seat": 1, "winner": "push"},
    ]
    play = played(hand)
    assert play.refusal is None
    assert [
        (finding.code, finding.event, finding.seat, finding.logged, finding.expected, finding.rule)
        for finding in play.findings
    ] == [
        # The third time is compared with the second, wrong as that is.
        ("time-backwards", 1, 1, "40", "50", None),
        ("rank-mismatch", 13, 2, "heaven-king", "earth-king", "PG-19"),
        ("rank-mismatch", 16, 3, "points-8", "points-9", "PG-20"),
        ("compare-mismatch", 17, 3, "player", "banker", "PG-12"),
        ("compare-mismatch", 19, 1, "push", "banker", "PG-12"),
    ]


def test_an_event_that_stops_may_have_a_wrong_time_first() -> None:
    hand = make_hand()
    hand["events"][0]["ms"] = 50
    hand["events"][1].update(ms=1, multiple=7)
    hand["events"][2]["ms"] = 0
    assert [finding.code for finding in played(hand).findings] == ["time-backwards", "bid-illegal"]


# -- void hands -----------------------------------------------------------------------------

VOID = {"type": "void", "reason": "server restart"}


def verdict_of(hand: dict[str, Any]) -> replay.Verdict:
    return replay.audit(line_of(hand), rulesets())


@pytest.mark.parametrize("length", range(END + 1))
def test_23_a_hand_may_be_void_at_any_point(length: int) -> None:
    hand = make_hand()
    hand["events"] = [*hand["events"][:length], VOID]
    verdict = verdict_of(hand)
    assert (verdict.verdict, verdict.findings) == ("void", ())
    zero = {"gross": "0.00", "rake": "0.00", "net": "0.00", "valid_bet": "0.00"}
    assert verdict.settlement == {"seats": [{"seat": seat, **zero} for seat in range(4)]}


def test_23_a_void_hand_that_stopped_is_still_compared_with_zeros() -> None:
    hand = make_hand()
    hand["events"][1]["multiple"] = 9
    hand["events"].append(VOID)
    due = {"gross": "0", "rake": "0", "net": "0", "valid_bet": "0"}
    hand["result"] = {"seats": [{"seat": seat, **due} for seat in range(4)]}
    hand["result"]["seats"][1].update(gross="5", carry_out="1005.00", theoretical="0")
    verdict = verdict_of(hand)
    assert verdict.verdict == "discrepant"
    assert [
        (finding.code, finding.event, finding.logged, finding.expected, finding.follows)
        for finding in verdict.findings
    ] == [
        ("bid-illegal", 1, "9", "0,1,2,3", False),
        ("gross-mismatch", None, "5.00", "0.00", False),
        ("carry-out-mismatch", None, "1005.00", "1000.00", False),
        ("not-conserved", None, "5.00", "0.00", True),
    ]
    assert {finding.explained_by for finding in verdict.findings} == {()}


def test_23_an_event_after_void_is_out_of_order() -> None:
    hand = make_hand()
    hand["events"] = [*hand["events"][:3], VOID, hand["events"][3]]
    verdict = verdict_of(hand)
    assert [(finding.code, finding.event, finding.logged, finding.expected)
            for finding in verdict.findings] == [("event-order", 4, "bid", None)]  # fmt: skip
    assert (verdict.verdict, verdict.settlement) == ("discrepant", None)


def test_result_missing() -> None:
    verdict = verdict_of(make_hand())
    assert [(finding.code, finding.event, finding.rule) for finding in verdict.findings] == [
        ("result-missing", None, None)
    ]
    assert verdict.settlement is not None


# -- figures --------------------------------------------------------------------------------


def figures_of(
    change: Callable[[list[dict[str, Any]]], None], **fields: Any
) -> list[tuple[Any, ...]]:
    """Findings after a change of the entries of a right result."""
    hand = settled(make_hand(**fields), rulesets())
    seats = [dict(entry) for entry in hand["result"]["seats"]]
    change(seats)
    verdict = verdict_of({**hand, "result": {"seats": seats}})
    return [
        (finding.code, finding.seat, finding.subject, finding.logged, finding.follows)
        for finding in verdict.findings
    ]


def test_29_rake_net_and_carry_out_follow_a_wrong_gross() -> None:
    # Seat 0 wins 20.00 from banker 2, who wins 40.00 and 100.00 and nets 120.00.
    def change(seats: list[dict[str, Any]]) -> None:
        seats[0].update(gross="40", rake="2", net="38", valid_bet="40", carry_out="1038")

    assert figures_of(change) == [
        ("gross-mismatch", 0, None, "40.00", False),
        ("rake-mismatch", 0, None, "2.00", True),
        ("net-mismatch", 0, None, "38.00", True),
        ("valid-bet-mismatch", 0, None, "40.00", True),
        ("carry-out-mismatch", 0, None, "1038.00", True),
        ("not-conserved", None, "gross", "20.00", True),
        ("not-conserved", None, "net", "12.00", True),
    ]


def test_29_gross_follows_only_from_all_three_theoretical() -> None:
    def change(seats: list[dict[str, Any]]) -> None:
        for entry, units in zip(seats, ("40", "-40", "100", "-100"), strict=True):
            entry.update(theoretical=units, gross=units)

    def change_less(seats: list[dict[str, Any]]) -> None:
        change(seats)
        del seats[1]["theoretical"]

    with_all = figures_of(change)
    assert with_all[:4] == [
        ("theoretical-mismatch", 0, None, "40.00", False),
        ("theoretical-mismatch", 2, None, "100.00", False),
        ("gross-mismatch", 0, None, "40.00", True),
        ("gross-mismatch", 2, None, "100.00", True),
    ]
    assert [found[4] for found in figures_of(change_less)[:4]] == [False] * 4


def test_32_a_push_is_worth_zero_in_theory_too() -> None:
    hand = make_hand(
        tiles=(("66", "26"), ("66", "35"), ("22", "22"), ("55", "45")),
        banker=1,
        ruleset="banker-pai-gow/test-tie_rule-push@1",
    )
    hand = settled(hand, rulesets())
    hand["result"]["seats"][0]["theoretical"] = "0"
    assert verdict_of(hand).findings == ()
    hand["result"]["seats"][0]["theoretical"] = "30"
    assert [finding.expected for finding in verdict_of(hand).findings] == ["0.00"]


def test_30_explained_by_names_the_option_that_makes_all_figures_right() -> None:
    # 5 % of 0.38 is 0.019 and of 2.28 is 0.114: rounded half up 0.02 and 0.11.
    hand = make_hand(stakes={"base": "0.19", "bid_multiples": [0, 1, 2, 3],
                             "bet_multiples": [1, 2, 3, 5]})  # fmt: skip
    hand = settled(hand, rulesets())
    hand["result"]["seats"][0].update(rake="0.02", net="0.36")
    hand["result"]["seats"][2].update(rake="0.11", net="2.17")
    assert [entry["gross"] for entry in hand["result"]["seats"]] == [
        "0.38", "-0.76", "2.28", "-1.90",
    ]  # fmt: skip
    findings = verdict_of(hand).findings
    assert [(finding.code, finding.seat, finding.explained_by) for finding in findings] == [
        ("rake-mismatch", 0, ("pg.rake_round=half_up",)),
        ("net-mismatch", 0, ("pg.rake_round=half_up",)),
    ]
