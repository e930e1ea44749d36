"""The product against the second reading, whole verdict lines: golden vectors and spoiled hands."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import replay
from tests.golden_vectors import comparable, vectors
from tests.oracle import verdicts
from tests.oracle.match_ups import known
from tests.oracle.test_mixed_options import VALUES
from tests.oracle.test_oracle import options_of
from tests.oracle.verdicts.spoiling import spoil

FILES = ("worked", "clean", "planted", "options", "gaps", "rejected")
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


def told(verdict: dict[str, Any]) -> dict[str, Any]:
    """What of a verdict the second reading tells."""
    whole = comparable({"line": 0, "hand_id": "", **verdict})
    return {name: whole[name] for name in ("verdict", "findings", "settlement")}


def test_the_second_reading_imports_nothing_of_the_first() -> None:
    folder = Path(verdicts.__file__).parent
    modules = [path for path in folder.glob("*.py") if not path.name.startswith("test_")]
    assert len(modules) == 7
    for module in modules:
        text = module.read_text("utf-8")
        assert "replay" not in text, module
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                name = str(node.module)
                assert name == "typing" or name.startswith("tests.oracle"), (module, name)
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"copy", "json"}, module


@pytest.mark.parametrize("game", GAMES)
def test_every_golden_verdict_is_that_of_the_second_reading(game: str) -> None:
    wrong, count = [], 0
    for vector in vectors(game, *FILES):
        if vector.expected["verdict"] != "rejected":
            options = options_of(json.loads(vector.line)["ruleset"])
            count += 1
            if told(verdicts.judge(vector.line, options)) != told(vector.expected):
                wrong.append(vector.id)
    assert wrong == []
    assert count >= 300


def agree_on_spoiled(game: str, *, mixes: int, hands: int, seed: int) -> dict[str, int]:
    """Judge so many spoiled hands in both ways under each of so many random rulesets.

    Returns how often each code was found.
    """
    chance, found = Random(seed), {"result-missing": 0}
    for _ in range(mixes):
        options = {name: chance.choice(values) for name, values in VALUES[game].items()}
        rulesets = known(game, options)
        (ruleset,) = rulesets
        for line in replay.simulate(game, hands, chance.randrange(2**32), ruleset):
            spoiled = spoil(line, options, VALUES[game], chance)
            verdict = json.loads(replay.format_verdict(replay.audit(spoiled, rulesets)))
            assert verdict["verdict"] != "rejected", (verdict["error"], spoiled)
            assert told(verdict) == told(verdicts.judge(spoiled, options)), (options, spoiled)
            for finding in verdict["findings"]:
                found[finding["code"]] = found.get(finding["code"], 0) + 1
    return found


@pytest.mark.parametrize("game", GAMES)
def test_spoiled_hands_are_judged_alike(game: str) -> None:
    found = agree_on_spoiled(game, mixes=25, hands=12, seed=1)
    assert len(found) >= 10, found


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", GAMES)
def test_10_000_spoiled_hands_are_judged_alike(game: str) -> None:
    found = agree_on_spoiled(game, mixes=250, hands=40, seed=2)
    assert len(found) >= 15, found
