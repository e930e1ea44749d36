"""A hand as text: every figure of every golden hand, and one text in full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import replay
from replay.explain import explain
from tests.golden_vectors import GOLDEN, rulesets, vectors

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["worked", "planted", "gaps"])
def test_every_golden_hand_is_explained(game: str, name: str) -> None:
    for vector in vectors(game, name):
        audited = replay.audit_line(vector.line, rulesets(), number=vector.number)
        text = explain(vector.line, audited, rulesets())
        if audited.hand is None:
            assert text == f"line {vector.number}: rejected\n  {audited.verdict.error}\n"
            continue
        for finding in audited.verdict.findings:
            assert finding.message in text
        for figure in replay.walk(vector.line, rulesets()).figures:
            assert f"{figure.title}: {figure.recomputed}" in text
            for stage in figure.stages:
                assert f"{stage.title}: {stage.formula} → {stage.value}" in text


def test_G16_the_cap_is_told_stage_by_stage() -> None:
    (vector,) = (v for v in vectors("banker-pai-gow", "worked") if v.expected["hand_id"] == "G16")
    audited = replay.audit_line(vector.line, rulesets())
    text = explain(vector.line, audited, rulesets())
    assert "80.00 × 130.00 ÷ 180.00 = 57.777777… → 57.78" in text
    assert "PG-32 (A)" in text


def test_the_command_explains_the_hand_that_is_asked_for() -> None:
    log = GOLDEN / "odd" / "base-hands.ndjson"
    done = subprocess.run(
        [sys.executable, "-m", "replay", "explain", str(log), "--hand", "base-1"],
        capture_output=True, check=False, timeout=240, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0
    line = log.read_bytes().split(b"\n")[0]
    audited = replay.audit_line(line, rulesets())
    assert done.stdout.decode() == explain(line, audited, rulesets()) + "\n"
    none = subprocess.run(
        [sys.executable, "-m", "replay", "explain", str(log), "--line", "99"],
        capture_output=True, check=False, timeout=240, cwd=ROOT,
    )  # fmt: skip
    assert (none.returncode, none.stdout) == (2, b"")
