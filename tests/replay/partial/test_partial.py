"""Records with gaps: what is checked, what is named, and that nothing of it is ever clean."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import replay
from replay.partial.gaps import ALWAYS, possible_gaps
from tests.golden_vectors import GOLDEN, vectors
from tests.replay.partial.partial_records import (
    RULESETS,
    codes,
    judged,
    lacking,
    pai_gow,
    wenzhou,
    with_seat,
    without,
)

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("record", [pai_gow(), wenzhou()], ids=["pai gow", "wenzhou"])
def test_a_record_that_agrees_is_consistent_and_names_what_it_lacks(record: dict[str, Any]) -> None:
    verdict = judged(record).verdict
    assert (verdict.verdict, verdict.findings) == ("consistent", ())
    assert verdict.settlement is not None
    assert verdict.gaps == tuple(name for name in replay.GAPS if name in record["gaps"])
    assert verdict.not_checkable
    for entry in verdict.not_checkable:
        assert entry.gaps
        assert set(entry.gaps) <= set(record["gaps"])


@pytest.mark.parametrize("game", replay.CHECKS)
def test_every_check_cites_rules_of_its_game_and_known_gaps(game: str) -> None:
    rules = replay.GAMES[game].rules
    names = [check.name for check in replay.CHECKS[game]]
    assert len(set(names)) == len(names)
    for check in replay.CHECKS[game]:
        assert set(check.rules) <= set(rules), check.name
        assert check.needs <= set(replay.GAPS), check.name
    assert ALWAYS[game] <= possible_gaps(game)


def test_every_gap_prevents_something() -> None:
    assert {gap for game in replay.CHECKS for gap in possible_gaps(game)} == set(replay.GAPS)


@pytest.mark.parametrize("game", replay.CHECKS)
def test_each_gap_leaves_out_exactly_the_checks_that_need_it(game: str) -> None:
    """A check is named when one of its gaps is there, and by those of its gaps alone."""
    whole = pai_gow() if game == "banker-pai-gow" else wenzhou()
    always = lacking(whole)
    assert set(always) == {
        check.name for check in replay.CHECKS[game] if check.needs & set(whole["gaps"])
    }
    for check in replay.CHECKS[game]:
        expected = tuple(
            name for name in replay.GAPS if name in check.needs and name in whole["gaps"]
        )
        assert always.get(check.name, ()) == expected


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (pai_gow(seats=with_seat(1, tiles=["55", "15"])), [("tile-excess", 2)]),
        (pai_gow(seats=with_seat(0, rank="points-7")), [("rank-mismatch", 0)]),
        (pai_gow(seats=with_seat(1, bid=3)), [("banker-wrong", 0), ("banker-multiple", 0)]),
        (pai_gow(seats=with_seat(2, rake="0.40")),
         [("rake-mismatch", 2), ("not-conserved", "net")]),
        (pai_gow(seats=with_seat(2, valid_bet="9")), [("valid-bet-mismatch", 2)]),
        (pai_gow(seats=with_seat(1, carry_in="15")),
         [("gross-mismatch", 0), ("gross-mismatch", 1), ("rake-mismatch", 0), ("net-mismatch", 0),
          ("net-mismatch", 1), ("valid-bet-mismatch", 0), ("valid-bet-mismatch", 1)]),
        (wenzhou(outcomes={"shun": "bank", "chu": "bank", "dao": "bank"}),
         [("profit-mismatch", "1"), ("profit-mismatch", "ann")]),
    ],
)  # fmt: skip
def test_what_is_there_is_checked(record: dict[str, Any], found: list[Any]) -> None:
    assert codes(record) == found
    assert judged(record).verdict.verdict == "discrepant"


def test_a_tile_too_many_ends_the_checks() -> None:
    verdict = judged(pai_gow(seats=with_seat(1, tiles=["55", "15"], net="-99"))).verdict
    assert [one.code for one in verdict.findings] == ["tile-excess"]
    assert verdict.settlement is None


def test_a_missing_carry_in_leaves_the_settlement_out_and_checks_the_rest() -> None:
    record = pai_gow(seats=with_seat(2, carry_in=None), gaps=[*pai_gow()["gaps"], "carry_in"])
    verdict = judged(record).verdict
    assert (verdict.settlement, verdict.findings) == (None, ())
    assert {"cap", "carry-out"} <= lacking(record).keys()
    wrong = {**record, "seats": [{**seat, "rake": "0", "net": seat["gross"]}
                                 for seat in record["seats"]]}  # fmt: skip
    assert codes(wrong) == [("rake-mismatch", 0), ("rake-mismatch", 2)]


def test_without_multiples_the_side_that_is_paid_is_checked() -> None:
    gaps = [*pai_gow()["gaps"], "bets"]
    seats = [{k: v for k, v in seat.items() if k != "bet"} for seat in pai_gow()["seats"]]
    assert codes(pai_gow(seats=seats, gaps=gaps)) == []
    turned = [dict(seat) for seat in seats]
    turned[1] |= {"gross": "20", "rake": "1", "net": "19"}
    turned[0] |= {"gross": "-30", "rake": "0", "net": "-30", "valid_bet": "30"}
    assert codes(pai_gow(seats=turned, gaps=gaps)) == [("compare-mismatch", 1)]


def test_a_winner_who_gets_nothing_is_no_contradiction() -> None:
    gaps = [*pai_gow()["gaps"], "bets"]
    seats = [{k: v for k, v in seat.items() if k != "bet"} for seat in pai_gow()["seats"]]
    nothing = {"gross": "0", "rake": "0", "net": "0", "valid_bet": "0"}
    seats[2] |= nothing
    seats[0] |= {"gross": "20", "rake": "1", "net": "19", "valid_bet": "20"}
    assert codes(pai_gow(seats=seats, gaps=gaps)) == []


def test_options_that_would_explain_the_figures_are_named() -> None:
    seats = pai_gow()["seats"]
    for seat in seats:
        if seat["rake"] != "0":
            seat |= {"rake": "0.40", "net": "9.60"}
    (first, *_) = judged(pai_gow(seats=seats)).verdict.findings
    assert (first.code, first.explained_by) == ("rake-mismatch", ("pg.rake_rate=0.04",))


# -- reading --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (without(pai_gow(), "base"), "$.base: missing, and “base” is not named as a gap"),
        (pai_gow(gaps=[*pai_gow()["gaps"], "base"]),
         "$.gaps: “base” is named, but nothing is missing"),
        (pai_gow(gaps=pai_gow()["gaps"][1:]),
         "$.gaps: “offers” is missing: this format has no field for it"),
        (pai_gow(gaps=[*pai_gow()["gaps"], "dice"]), "$.gaps: a gap is there twice"),
        (pai_gow(gaps=[*pai_gow()["gaps"], "limits"]),
         "$.gaps: no check of banker-pai-gow needs “limits”"),
        (pai_gow(gaps=[*pai_gow()["gaps"], "luck"]), "$.gaps[7]: Invalid enum value 'luck'"),
        (pai_gow(seats=with_seat(1, net=None)),
         "$.seats[1]: gross, rake and net are there together or not at all"),
        (pai_gow(seats=with_seat(1, seat=0)), "$.seats[1].seat: seat 0 is there twice"),
        (pai_gow(banker={"seat": 3}), "$.banker.seat: the seat 3 is empty"),
        (pai_gow(started_at="2024-05-17T21:14:06"),
         "$.started_at: not an RFC 3339 time with an offset: 2024-05-17T21:14:06"),
        (pai_gow(ended_at="2024-05-17T21:14:05+08:00"), "$.ended_at: before started_at"),
        (pai_gow(gaps=[*pai_gow()["gaps"], "time_zone"]),
         "$.started_at: not a time without an offset: 2024-05-17T21:14:06+08:00"),
        (pai_gow(more=1), "$: Object contains unknown field `more`"),
        (pai_gow(base=5), "$.base: Expected `str`, got `int`"),
        (pai_gow(base="0"), '$.base: not above zero: "0"'),
        (pai_gow(seats=with_seat(1, carry_in="1.005")),
         '$.seats[1].carry_in: more than 2 decimals: "1.005"'),
        (pai_gow(ruleset="tien-gow/classic@1"),
         "$.ruleset: tien-gow/classic@1 is a ruleset of tien-gow"),
        (pai_gow(ruleset="x@1"), "$.ruleset: unknown ruleset x@1"),
        (pai_gow(seats=with_seat(0, bet=1)), "$.seats: the banker has a bet"),
        (wenzhou(outcomes={"shun": "door"}), "$.outcomes: all three doors, or none"),
        (wenzhou(players=[]), "$.players: not the players of the wagers, in their order"),
        (without(wenzhou(), "outcomes"),
         "$.outcomes: missing, and “outcomes” is not named as a gap"),
    ],
)  # fmt: skip
def test_what_is_missing_must_be_named_and_nothing_else(record: dict[str, Any], told: str) -> None:
    audited = judged(record)
    assert str(audited.refusal) == told
    assert (audited.verdict.verdict, audited.verdict.error) == ("rejected", told)


def test_a_repeated_key_is_refused() -> None:
    line = json.dumps(pai_gow()).replace('"base":', '"base": "4", "base":').encode()
    audited = replay.audit_partial(line, RULESETS)
    assert "there twice" in str(audited.refusal)


def test_the_same_record_gives_the_same_digest_and_another_another() -> None:
    first, again = judged(pai_gow()).verdict, judged(pai_gow()).verdict
    assert first.replay_digest == again.replay_digest
    other = judged(pai_gow(seats=with_seat(2, valid_bet="9"))).verdict
    assert other.replay_digest != first.replay_digest


# -- beside complete hands ------------------------------------------------------------------


def test_a_complete_hand_is_not_taken_for_a_partial_one() -> None:
    for vector in list(vectors("banker-pai-gow", "worked"))[:3]:
        assert replay.audit_partial(vector.line, RULESETS).verdict.verdict == "rejected"
        assert b"not_checkable" not in replay.format_verdict(replay.audit(vector.line, RULESETS))


def command(*lines: bytes) -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", "replay", "audit", "-"],
        input=b"\n".join(lines),
        capture_output=True,
        cwd=ROOT,
        timeout=240,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in io.BytesIO(done.stdout)]


def test_the_command_audits_both_and_exits_by_the_worst() -> None:
    clean = (GOLDEN / "odd" / "base-hands.ndjson").read_bytes().splitlines()[0]
    partial = json.dumps(pai_gow()).encode()
    wrong = json.dumps(pai_gow(seats=with_seat(2, valid_bet="9"))).encode()
    status, told = command(clean, partial)
    assert status == 3
    assert [one["format"] for one in told] == ["verdict/1", "verdict/1-partial"]
    assert [one["verdict"] for one in told] == ["clean", "consistent"]
    assert command(partial, wrong, partial)[0] == 1
    assert command(partial, wrong, b"junk")[0] == 2
    assert command(clean)[0] == 0
