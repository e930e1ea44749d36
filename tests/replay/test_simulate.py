"""Simulated hands: right under every ruleset, the same bytes everywhere, faults that are found."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec
import pytest

import replay
from replay.audit import prepared
from replay.simulate import simulate, simulate_with_faults
from replay.simulate.chance import Chance
from replay.simulate.faults import FAULTS
from replay.tien_gow.payout import ending_of
from replay.tien_gow.play import replay as replay_tien_gow
from tests.golden_vectors import rulesets

ROOT = Path(__file__).resolve().parents[2]
RULESETS = sorted(rulesets(), key=lambda ruleset: ruleset.name)
SHIPPED = ("bs-2022@1", "classic@1", "derived@1", "live-2015@1")

# Start of the SHA-256 of 200 hands of each game from seed 1. When the simulator is changed on
# purpose these change, and so does every demo made from a seed: say so in the changelog.
PINNED = {
    "banker-pai-gow/bs-2022@1": "d748c301cf74818314d38716922bd3e4",
    "small-tien-gow/derived@1": "2cf936070def2902d3280186d2f0b3e9",
    "tien-gow/classic@1": "f4e04c062d10cc93856d0771b9b7fcee",
    "wenzhou-pai-gow/live-2015@1": "0fdbd4501f3a8096a25ebd470a3b2fe3",
}


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_simulated_hands_are_clean_also_across_hands(ruleset: replay.Ruleset) -> None:
    continuity = replay.Continuity(rulesets())
    kinds: Counter[str] = Counter()
    for number, line in enumerate(simulate(ruleset.game, 60, 2026, ruleset), start=1):
        audited = replay.audit_line(line, rulesets(), number=number)
        verdict = continuity.judge(audited)
        assert {finding.code for finding in verdict.findings} <= {"wager-hedged"}, line
        kinds[verdict.verdict] += 1
    assert set(kinds) <= {"clean", "void"}
    assert kinds["clean"] > 50


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_a_planted_fault_is_the_primary_finding(ruleset: replay.Ruleset) -> None:
    planted = 0
    for made in simulate_with_faults(ruleset.game, 40, 7, ruleset, fault_ppm=1_000_000):
        if made.planted is None:
            continue
        planted += 1
        verdict = replay.audit(made.line, rulesets())
        primary = next(f for f in verdict.findings if f.severity == "error")
        assert (primary.code, primary.event) == (made.planted.code, made.planted.event), made
        assert verdict.verdict == "discrepant"
    assert planted >= 38


@pytest.mark.parametrize("game", sorted(FAULTS))
def test_every_fault_of_a_game_is_planted_sooner_or_later(game: str) -> None:
    ruleset = next(r for r in RULESETS if r.game == game and r.name.endswith(SHIPPED))
    wanted = set(FAULTS[game])
    for made in simulate_with_faults(game, 6_000, 3, ruleset, fault_ppm=1_000_000):
        if made.planted is not None:
            wanted.discard(made.planted.code)
        if not wanted:
            break
    assert wanted == set()


def test_faults_come_at_the_rate_that_was_asked_for() -> None:
    ruleset = rulesets().get("tien-gow/classic@1")
    assert ruleset is not None
    made = list(simulate_with_faults("tien-gow", 2_000, 5, ruleset, fault_ppm=100_000))
    assert 150 <= sum(one.planted is not None for one in made) <= 250
    right = list(simulate("tien-gow", 2_000, 5, ruleset))
    # A fault changes the hand that it is planted in and no other.
    assert [one.line for one in made if one.planted is None] == [
        line for one, line in zip(made, right, strict=True) if one.planted is None
    ]


ENDINGS = {
    "tien-gow/classic@1": {
        "ordinary", "yao", "capture", "bao-zun", "four-bao", "quad-capture",
        "slam-seven", "slam-eight", "lipai-seven", "lipai-eight",
    },
    "small-tien-gow/derived@1": {
        "ordinary", "yao", "capture", "bao-zun", "four-bao", "quad-capture",
    },
    "small-tien-gow/test-slam-on@1": {
        "ordinary", "yao", "capture", "bao-zun", "slam-seven", "slam-eight",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ENDINGS))
def test_every_special_ending_is_reached(name: str) -> None:
    ruleset = rulesets().get(name)
    assert ruleset is not None
    game = replay.GAMES[ruleset.game]
    rules = prepared(game, ruleset)
    seen = set()
    bonuses = set()
    for line in simulate(ruleset.game, 3_000, 3, ruleset):
        hand = msgspec.json.decode(line, type=game.hand_type)
        state = replay_tien_gow(hand, rules)  # type: ignore[arg-type]
        if state.is_over:
            seen.add(ending_of(hand, state, rules).kind)  # type: ignore[arg-type]
            bonuses |= {earned.kind for _, earned in state.bonuses}
    assert ENDINGS[name] <= seen
    if name.startswith("tien-gow"):
        assert bonuses == {"supreme", "capture-supreme", "four-grand"}


def digest(lines: list[bytes]) -> str:
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


@pytest.mark.parametrize("name", sorted(PINNED))
def test_a_seed_gives_the_pinned_bytes(name: str) -> None:
    ruleset = rulesets().get(name)
    assert ruleset is not None
    assert digest(list(simulate(ruleset.game, 200, 1, ruleset)))[:32] == PINNED[name]


def test_logs_of_several_games_have_no_hand_and_no_table_in_common() -> None:
    places: Counter[tuple[str, str]] = Counter()
    for name in PINNED:
        ruleset = rulesets().get(name)
        assert ruleset is not None
        made = [json.loads(line) for line in simulate(ruleset.game, 60, 1, ruleset)]
        places.update({(hand["source"], hand["hand_id"]) for hand in made})
        places.update({(hand["source"], f"table {hand['table']}") for hand in made})
    assert set(places.values()) == {1}
    assert len(places) == 4 * (60 + 4)


def test_logs_of_two_seeds_are_of_two_sources_so_that_no_hand_contradicts_another() -> None:
    ruleset = rulesets().get("tien-gow/classic@1")
    assert ruleset is not None
    sources = [
        {json.loads(line)["source"] for line in simulate(ruleset.game, 20, seed, ruleset)}
        for seed in (1, 2)
    ]
    assert sources == [{"simulated-1"}, {"simulated-2"}]


def test_more_hands_begin_with_the_same_hands() -> None:
    ruleset = rulesets().get("banker-pai-gow/bs-2022@1")
    assert ruleset is not None
    few = list(simulate("banker-pai-gow", 20, 9, ruleset))
    assert list(islice(simulate("banker-pai-gow", 200, 9, ruleset), 20)) == few


def test_chance_is_pinned_and_fair_at_the_edges() -> None:
    chance = Chance(1, "test")
    assert [chance.below(1000) for _ in range(8)] == [343, 49, 326, 581, 548, 933, 928, 813]
    assert {chance.between(1, 6) for _ in range(200)} == {1, 2, 3, 4, 5, 6}
    assert sorted(chance.shuffled(range(10))) == list(range(10))
    assert chance.below(1) == 0


def run(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "replay", "simulate", *arguments],
        capture_output=True, check=False, timeout=240, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip


def test_the_command_gives_the_same_bytes_under_two_hash_seeds(tmp_path: Path) -> None:
    arguments = ("--game", "tien-gow", "--hands", "50", "--seed", "4", "--faults", "0.5")
    once, again = (run(*arguments, hash_seed=seed) for seed in ("1", "2"))
    assert once.returncode == 0
    assert (once.stdout, once.stderr) == (again.stdout, again.stderr)
    planted = [json.loads(line) for line in once.stderr.splitlines()]
    assert 15 <= len(planted) <= 35
    listed = tmp_path / "planted.ndjson"
    run(*arguments, "--planted", str(listed))
    assert listed.read_bytes() == once.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "poker", "--hands", "1", "--seed", "1"),
        ("--game", "tien-gow", "--hands", "-1", "--seed", "1"),
        ("--game", "tien-gow", "--hands", "1", "--seed", "x"),
        ("--game", "tien-gow", "--hands", "1", "--seed", "1", "--faults", "1.5"),
        ("--game", "tien-gow", "--hands", "1", "--seed", "1", "--ruleset", "tien-gow/none@1"),
        ("--game", "tien-gow", "--hands", "1"),
    ],
)
def test_wrong_usage_is_64_and_says_why(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (64, b"")
    assert b"Traceback" not in done.stderr
    assert done.stderr
