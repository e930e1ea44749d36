"""What makes findings one cause, and what a hand exposes: functions of their arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest

import replay
from audit.services.desk.amounts import Amount, exposure_of
from audit.services.desk.causes import cause_of
from tests.audit.desk.wrong import without_rake, wrong
from tests.audit.logs import B, W
from tests.golden_vectors import rulesets

PLACE = {"source": "bs", "game": "banker-pai-gow", "ruleset": "banker-pai-gow/bs-2022@1"}


def found(code: str, logged: str | None, expected: str | None, **fields: Any) -> replay.Finding:
    return replay.Finding(code=code, logged=logged, expected=expected, rule="PG-30", **fields)


def relation(code: str, logged: str | None, expected: str | None, **fields: Any) -> str:
    cause = cause_of([found(code, logged, expected, **fields)], **PLACE, rakes={2: "5.00"})
    assert cause is not None
    return cause.relation


@pytest.mark.parametrize(
    ("logged", "expected", "word"),
    [
        ("9.51", "9.50", "one-more"),
        ("9.49", "9.50", "one-less"),
        ("-9.51", "-9.50", "one-less"),
        ("10", "9", "one-more"),
        ("0.00000001", "0.00000000", "one-more"),
        ("9.50", "-9.50", "opposite"),
        ("0.00", "9.50", "zero"),
        ("19.00", "9.50", "double"),
        ("4.75", "9.50", "half"),
        ("28.50", "9.50", "triple"),
        ("38.00", "9.50", "fourfold"),
        ("3.00", "9.00", "third"),
        ("2.25", "9.00", "quarter"),
        ("7.00", "9.50", "other"),
        (None, "9.50", "missing"),
        ("9.50", None, "surplus"),
    ],
)
def test_how_two_figures_stand_to_each_other(
    logged: str | None, expected: str | None, word: str
) -> None:
    assert relation("gross-mismatch", logged, expected) == word


def test_a_net_result_without_its_rake_is_told_from_one_that_paid_it_twice() -> None:
    assert relation("net-mismatch", "100.00", "95.00", seat=2) == "rake-left-out"
    assert relation("net-mismatch", "90.00", "95.00", seat=2) == "rake-twice"
    assert relation("net-mismatch", "90.00", "95.00", seat=1) == "other"


@pytest.mark.parametrize(
    ("code", "logged", "expected", "word"),
    [
        ("bonus-mismatch", "supreme 0 6,-2,-2,-2", "supreme 0 10,-2,-2,-6", "units"),
        ("bonus-mismatch", "supreme 1 6,-2,-2,-2", "supreme 0 6,-2,-2,-2", "collector"),
        ("bonus-mismatch", "supreme 0 6,-2,-2,-2", "four-grand 0 6,-2,-2,-2", "kind"),
        ("bonus-mismatch", "supreme 0 6,-2,-2,-2", None, "surplus"),
        ("next-mismatch", "1/2", "1/1", "streak"),
        ("next-mismatch", "2/1", "1/1", "banker"),
        ("trick-mismatch", "2/1", "2/2", "number"),
        ("tile-not-held", "11 23", "11 13", ""),
        ("result-missing", None, None, ""),
    ],
)
def test_other_findings_say_in_which_part_they_differ(
    code: str, logged: str | None, expected: str | None, word: str
) -> None:
    assert relation(code, logged, expected) == word


def test_the_first_error_is_the_cause_and_what_follows_is_not() -> None:
    findings = [
        found("wager-hedged", None, None, severity="warning"),
        found("rake-mismatch", "0.00", "5.00", seat=2),
        found("rake-mismatch", "0.00", "2.00", seat=3),
        found("net-mismatch", "100.00", "95.00", seat=2, follows=True),
    ]
    cause = cause_of(findings, **PLACE)
    assert cause is not None
    assert (cause.code, cause.relation) == ("rake-mismatch", "zero")
    # The same fault at one seat only is the same cause.
    assert cause_of(findings[:2], **PLACE) == cause
    assert cause_of(findings[:1], **PLACE) is None
    assert cause_of([], **PLACE) is None


def test_two_relations_in_one_hand_are_a_cause_of_their_own_in_one_order() -> None:
    findings = [found("gross-mismatch", "1.00", "-1.00"), found("gross-mismatch", "0.00", "7.00")]
    one, other = cause_of(findings, **PLACE), cause_of(findings[::-1], **PLACE)
    assert one is not None
    assert one == other
    assert one.relation == "opposite+zero"


def test_an_option_that_explains_the_log_is_the_algebra() -> None:
    option = "pg.rake_round=half_up"
    one = cause_of([found("rake-mismatch", "0.03", "0.02", explained_by=(option,))], **PLACE)
    other = cause_of([found("rake-mismatch", "7.00", "2.02", explained_by=(option,))], **PLACE)
    assert one is not None
    assert (one, one.relation, one.explained_by) == (other, "", (option,))


def test_each_field_makes_another_cause() -> None:
    findings = [found("gross-mismatch", "1.00", "2.00")]
    keys = {
        cause.sha256
        for cause in (
            cause_of(findings, **PLACE),
            cause_of(findings, **{**PLACE, "source": "harbour"}),
            cause_of(findings, **{**PLACE, "ruleset": "banker-pai-gow/bs-2022@2"}),
            cause_of([found("gross-mismatch", "0.00", "2.00")], **PLACE),
            cause_of([found("net-mismatch", "1.00", "2.00")], **PLACE),
        )
        if cause is not None
    }
    assert len(keys) == 5


def exposed(line: bytes) -> Any:
    verdict = replay.audit(line, rulesets())
    return exposure_of(replay.read(line), verdict.settlement)


def test_a_clean_hand_risks_nothing() -> None:
    exposure = exposed(B)
    assert exposure.amounts == (
        Amount(player="Ann", seat=0, logged=950, recomputed=950),
        Amount(player="Bo", seat=1, logged=-10000, recomputed=-10000),
        Amount(player="Cy", seat=2, logged=3800, recomputed=3800),
        Amount(player="Di", seat=3, logged=4750, recomputed=4750),
    )
    assert (exposure.at_risk, exposure.is_known) == (0, True)


def test_money_at_risk_is_the_larger_side_and_not_both() -> None:
    hand = json.loads(wrong("a", seat=1, net="-99.00"))
    hand["result"]["seats"][0]["net"] = "8.00"
    exposure = exposed(json.dumps(hand).encode())
    assert [one.difference for one in exposure.amounts] == [150, -100, 0, 0]
    assert exposure.at_risk == 150
    assert exposed(without_rake("b")).at_risk == 50 + 200 + 250


def test_a_hand_without_a_result_risks_what_it_moves() -> None:
    hand = json.loads(B)
    hand["result"] = None
    exposure = exposed(json.dumps(hand).encode())
    assert next((one.logged, one.recomputed) for one in exposure.amounts) == (None, 950)
    assert (exposure.at_risk, exposure.is_known) == (10000, False)


def test_a_replay_that_stopped_risks_what_was_logged() -> None:
    exposure = exposure_of(replay.read(B), None)
    assert next((one.logged, one.recomputed) for one in exposure.amounts) == (950, None)
    assert (exposure.at_risk, exposure.is_known) == (10000, False)


def test_players_of_a_game_without_seats_are_summed_over_their_bets() -> None:
    hand = json.loads(W)
    with_players = exposed(W)
    hand["result"].pop("players", None)
    assert exposed(json.dumps(hand).encode()) == with_players
    assert (with_players.at_risk, with_players.is_known) == (0, True)
    bets = hand["result"]["bets"]
    player = next(one["player"] for one in hand["events"] if one.get("bet") == bets[0]["bet"])
    del bets[0]
    less = exposed(json.dumps(hand).encode())
    assert {one.player: one.logged is None for one in less.amounts}[player] is True
    assert less.is_known is False
