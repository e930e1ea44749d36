"""The golden vectors: hand logs with the verdicts they must get (tests/golden/README.md).

The vectors are copies of the customer's and are never edited.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import replay

GOLDEN = Path(__file__).resolve().parent / "golden"

# What a comparison of two findings looks at; the rest is wording.
FINDING_FIELDS = (
    "code", "severity", "event", "seat", "subject",
    "logged", "expected", "rule", "follows", "explained_by",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Vector:
    """One line of a hand log and the verdict it must get."""

    file: str
    number: int
    line: bytes
    expected: dict[str, Any]

    @property
    def id(self) -> str:
        """Where the vector stands: game/file:line."""
        return f"{self.file}:{self.number}"


def vectors(game: str, *names: str) -> Iterator[Vector]:
    """The vectors of `game/name.ndjson`, in order; no file has a blank line."""
    for name in names:
        lines = (GOLDEN / game / f"{name}.ndjson").read_bytes().split(b"\n")
        verdicts = (GOLDEN / game / f"{name}.verdicts.ndjson").read_text("utf-8").splitlines()
        lines = [line.removesuffix(b"\r") for line in lines if line.strip()]
        assert len(lines) == len(verdicts), name
        for number, (line, verdict) in enumerate(zip(lines, verdicts, strict=True), start=1):
            yield Vector(f"{game}/{name}", number, line, json.loads(verdict))


@lru_cache(maxsize=1)
def rulesets() -> replay.Rulesets:
    """The shipped rulesets and the test rulesets."""
    return replay.load_rulesets(GOLDEN / "rulesets")


def comparable(verdict: dict[str, Any]) -> dict[str, Any]:
    """What of a verdict line counts (golden/README.md)."""
    if verdict["verdict"] == "rejected":
        return {"line": verdict["line"], "verdict": "rejected"}
    return {
        "line": verdict["line"],
        "hand_id": verdict["hand_id"],
        "verdict": verdict["verdict"],
        "findings": [
            {field: finding[field] for field in FINDING_FIELDS} for finding in verdict["findings"]
        ],
        "settlement": verdict["settlement"],
    }


def assert_same_verdict(verdict: replay.Verdict, expected: dict[str, Any]) -> None:
    """Compare as the README of the vectors says, as JSON values."""
    assert comparable(json.loads(replay.format_verdict(verdict))) == comparable(expected)


def judge(vector: Vector) -> replay.Verdict:
    """Audit a vector's line as the command does."""
    return replay.audit(vector.line, rulesets(), number=vector.number)
