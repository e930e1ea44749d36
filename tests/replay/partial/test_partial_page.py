"""docs/format.md, 16: every gap and every check stands there as the code has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import replay
from replay.partial.gaps import ALWAYS

ROOT = Path(__file__).resolve().parents[3]
CHAPTER = (ROOT / "docs" / "format.md").read_text("utf-8").split("## 16. Records with gaps")[1]


def test_every_gap_is_told_as_the_code_tells_it() -> None:
    table = CHAPTER.split("| gap | the record does not say |")[1].split("\n\n")[0]
    told = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert told == [(gap.name, gap.lacking) for gap in replay.GAPS.values()]


@pytest.mark.parametrize(
    ("game", "heading"),
    [("banker-pai-gow", "Checks of banker Pai Gow"), ("wenzhou-pai-gow", "Checks of Wenzhou")],
)
def test_every_check_is_told_with_its_rules_and_gaps(game: str, heading: str) -> None:
    table = CHAPTER.split(heading)[1]
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+?) \| (.+?) \| (.+?) \|$", table, re.MULTILINE)
    told = rows[: len(replay.CHECKS[game])]
    assert told == [
        (
            check.name,
            check.title,
            ", ".join(check.rules) or "–",
            ", ".join(f"`{name}`" for name in replay.GAPS if name in check.needs) or "–",
        )
        for check in replay.CHECKS[game]
    ]


@pytest.mark.parametrize("game", ALWAYS)
def test_the_gaps_that_are_always_there_are_told(game: str) -> None:
    told = CHAPTER.split("must always be named:")[1].split("\n\n")[0]
    part = told.split("in Wenzhou")[0 if game == "banker-pai-gow" else 1]
    assert set(re.findall(r"`(\w+)`", part)) == ALWAYS[game]
