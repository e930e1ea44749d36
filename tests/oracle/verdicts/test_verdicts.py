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
from tests.oracle.verdicts.spoiling import spoil, spoil_chain

FILES = ("worked", "clean", "planted", "options", "gaps", "rejected")
# What the second reading may import besides itself: it is no part of the first.
PLAIN = {
    "calendar", "copy", "datetime", "fractions", "itertools", "json", "re", "typing", "unicodedata",
}  # fmt: skip
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


def told(verdict: dict[str, Any]) -> dict[str, Any]:
    """What of a verdict the second reading tells."""
    whole = comparable({"line": 0, "hand_id": "", **verdict})
    return {name: whole[name] for name in ("verdict", "findings", "settlement")}


def test_the_second_reading_imports_nothing_of_the_first() -> None:
    folder = Path(verdicts.__file__).parent
    modules = [path for path in folder.glob("*.py") if not path.name.startswith("test_")]
    assert len(modules) == 11
    for module in modules:
        text = module.read_text("utf-8")
        assert "replay" not in text, module
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                name = str(node.module)
                assert name in PLAIN or name.startswith("tests.oracle"), (module, name)
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= PLAIN, module


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


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["continuity", "continuity-gaps"])
def test_every_golden_chain_is_judged_as_by_the_second_reading(game: str, name: str) -> None:
    chain = [one for one in vectors(game, name) if one.expected["verdict"] != "rejected"]
    log = [(one.line, options_of(json.loads(one.line)["ruleset"])) for one in chain]
    expected = [told(one.expected) for one in chain]
    assert [told(verdict) for verdict in verdicts.judge_all(log)] == expected


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


def agree_on_spoiled_logs(*, logs: int, hands: int, seed: int) -> set[str]:
    """Judge logs of spoiled hands of all games at few tables; returns which codes were found."""
    chance, found = Random(seed), set()
    for _ in range(logs):
        rulesets, log = replay.Rulesets(), []
        for game in GAMES:
            options = {name: chance.choice(values) for name, values in VALUES[game].items()}
            (ruleset,) = known(game, options)
            rulesets.add(ruleset, where=game)
            for line in replay.simulate(game, hands, chance.randrange(2**32), ruleset):
                is_spoiled = chance.random() < 0.3
                one = spoil(line, options, VALUES[game], chance) if is_spoiled else line
                if chance.random() < 0.9:
                    log.append((spoil_chain(one, chance), options))
        continuity = replay.Continuity(rulesets)
        for (line, _), expected in zip(log, verdicts.judge_all(log), strict=True):
            verdict = continuity.judge(replay.audit_line(line, rulesets))
            shown = json.loads(replay.format_verdict(verdict))
            assert told(shown) == told(expected), line
            found |= {finding["code"] for finding in shown["findings"]}
    return found


@pytest.mark.parametrize("seed", range(3))
def test_spoiled_logs_are_judged_alike(seed: int) -> None:
    found = agree_on_spoiled_logs(logs=4, hands=30, seed=seed)
    assert {code for code, known_code in replay.CODES.items() if known_code.across} <= found


@pytest.mark.parametrize("game", GAMES)
def test_spoiled_hands_are_judged_alike(game: str) -> None:
    found = agree_on_spoiled(game, mixes=25, hands=12, seed=1)
    assert len(found) >= 10, found


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", GAMES)
def test_4_000_spoiled_hands_are_judged_alike(game: str) -> None:
    found = agree_on_spoiled(game, mixes=160, hands=25, seed=2)
    assert len(found) >= 11, found
