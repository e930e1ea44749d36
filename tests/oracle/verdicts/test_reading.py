"""Which lines are read and which refused: the product against the second reading."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import replay
from tests.golden_vectors import rulesets, vectors
from tests.oracle.verdicts.garbling import garble
from tests.oracle.verdicts.reading import is_readable

FILES = ("worked", "clean", "planted", "options", "gaps", "rejected")
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


@cache
def games() -> dict[str, str]:
    """The game of each known ruleset."""
    return {ruleset.name: ruleset.game for ruleset in rulesets()}


def is_read(line: bytes) -> bool:
    """Whether the product reads the line as a hand."""
    return replay.audit(line, rulesets()).verdict != "rejected"


@pytest.mark.parametrize("game", GAMES)
def test_every_golden_line_is_read_or_refused(game: str) -> None:
    wrong = [
        vector.id
        for vector in vectors(game, *FILES)
        if is_readable(vector.line, games()) != (vector.expected["verdict"] != "rejected")
    ]
    assert wrong == []


def agree_on_garbled(game: str, *, lines: int, seed: int) -> tuple[int, int]:
    """Read so many garbled lines in both ways; returns how many were read and how many refused."""
    chance, read = Random(seed), 0
    good = [one.line for one in vectors(game, "clean", "gaps") if is_readable(one.line, games())]
    for _ in range(lines):
        line = garble(chance.choice(good), chance)
        expected = is_readable(line, games())
        assert is_read(line) == expected, line
        read += expected
    return read, lines - read


@pytest.mark.parametrize("game", GAMES)
def test_garbled_lines_are_read_or_refused_alike(game: str) -> None:
    read, refused = agree_on_garbled(game, lines=500, seed=1)
    assert read >= 25
    assert refused >= 100


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("game", GAMES)
def test_10_000_garbled_lines_are_read_or_refused_alike(game: str) -> None:
    read, refused = agree_on_garbled(game, lines=10_000, seed=2)
    assert read >= 500
    assert refused >= 2_000
