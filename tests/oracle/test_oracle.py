"""The product against the second reading: golden vectors, and simulated hands of every ruleset."""

from __future__ import annotations

import ast
import json
import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import replay
from tests import oracle
from tests.golden_vectors import GOLDEN, Vector, vectors
from tests.oracle.match_ups import assert_settled_alike

FILES = (
    "worked", "clean", "planted", "options", "gaps", "continuity", "continuity-gaps", "rejected",
)  # fmt: skip
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")
ORACLE = (
    "__init__", "common", "pai_gow", "tien_gow", "tien_gow_endings", "tien_gow_tiles", "wenzhou",
)  # fmt: skip
SHIPPED = Path(replay.__file__).parent / "rulesets"


@cache
def options_of(name: str) -> dict[str, Any]:
    """The options of a ruleset, from its file: the test ones, then the package's own."""
    for folder in (GOLDEN / "rulesets", SHIPPED):
        for path in sorted(folder.glob("*.toml")):
            ruleset = tomllib.loads(path.read_text("utf-8"))
            if f"{ruleset['id']}@{ruleset['revision']}" == name:
                return ruleset["options"]
    raise AssertionError(name)


def readable(game: str) -> list[Vector]:
    """Every vector of a game's files whose line is a hand."""
    return [v for v in vectors(game, *FILES) if v.expected["verdict"] != "rejected"]


def settled(line: bytes) -> dict[str, Any] | None:
    """The oracle's settlement; None where it finds that the hand is not legal."""
    try:
        return oracle.settle(line, options_of(json.loads(line)["ruleset"]))
    except oracle.NotLegal:
        return None


def test_the_oracle_imports_nothing_of_replay() -> None:
    """Look at the names that it imports, and at its text: the package is not named there."""
    folder = Path(oracle.__file__).parent
    asking = {"match_ups", "test_mixed_options", "test_oracle", "test_rankings"}
    assert {path.stem for path in folder.glob("*.py")} == {*ORACLE, *asking}
    allowed = {"fractions", "json", "math", "typing", "tests.oracle"}
    allowed |= {f"tests.oracle.{module}" for module in ORACLE}
    for module in ORACLE:
        text = (folder / f"{module}.py").read_text("utf-8")
        assert "replay" not in text, module
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names = [str(node.module)]
                if node.module == "tests.oracle":
                    names = [f"tests.oracle.{alias.name}" for alias in node.names]
            assert set(names) <= allowed, (module, names)


@pytest.mark.parametrize("game", GAMES)
def test_every_golden_vector_is_settled_as_expected(game: str) -> None:
    """Also: the oracle refuses exactly the hands whose replay must stop."""
    wrong = [v.id for v in readable(game) if settled(v.line) != v.expected["settlement"]]
    assert wrong == []
    assert sum(v.expected["settlement"] is not None for v in readable(game)) >= 281


def test_golden_vectors_settle_under_every_ruleset_but_where_the_option_refuses() -> None:
    used = {
        json.loads(vector.line)["ruleset"]
        for game in GAMES
        for vector in readable(game)
        if vector.expected["settlement"] is not None
    }
    assert {ruleset.name for ruleset in all_rulesets()} - used == {
        "tien-gow/test-lipai-none@1",
        "tien-gow/test-wen_zun-true_unbeatable@1",
        "small-tien-gow/test-wen_zun-true_unbeatable@1",
    }


# -- simulated hands ------------------------------------------------------------------------


@cache
def all_rulesets() -> replay.Rulesets:
    return replay.load_rulesets(GOLDEN / "rulesets")


def rulesets_of(game: str) -> list[replay.Ruleset]:
    return [ruleset for ruleset in all_rulesets() if ruleset.game == game]


def agree_on_simulated(game: str, hands: int, seed: int) -> None:
    """Settle so many hands, spread evenly over all rulesets of a game, in both ways.

    The product must find nothing wrong in a simulated hand either. Each is then asked a second
    time with less money at the table.
    """
    rulesets = rulesets_of(game)
    each, chance = -(-hands // len(rulesets)), Random(seed)
    for ruleset in rulesets:
        options = options_of(ruleset.name)
        for line in replay.simulate(game, each, seed, ruleset):
            assert_settled_alike(line, all_rulesets(), options, chance)


@pytest.mark.parametrize("game", GAMES)
def test_simulated_hands_are_settled_alike(game: str) -> None:
    agree_on_simulated(game, hands=300, seed=1)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("game", GAMES)
def test_20_000_simulated_hands_are_settled_alike(game: str) -> None:
    agree_on_simulated(game, hands=20_000, seed=2)
