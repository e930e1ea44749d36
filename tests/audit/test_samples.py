"""The sample logs are what the documented commands make, and show what the service finds."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import replay
from audit import selectors
from audit.management.commands.ingest import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
SIZE_MAX = 2_500_000
COMMAND = re.compile(
    r"^python (?P<words>-m replay simulate .*?)(?: \| sed (?P<missing>\d+)d)? > (?P<path>\S+)$",
    re.M,
)
COMMANDS = {
    Path(found["path"]).name: found
    for found in COMMAND.finditer((SAMPLES / "README.md").read_text())
}


def test_every_log_but_that_of_the_house_has_its_command() -> None:
    logs = {path.name for path in SAMPLES.glob("*.ndjson")}
    assert logs == {"house.ndjson", *COMMANDS}
    assert {(ROOT / found["path"]).parent for found in COMMANDS.values()} == {SAMPLES}
    assert sum(path.stat().st_size for path in SAMPLES.iterdir()) < SIZE_MAX


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_log_is_what_its_command_makes(name: str) -> None:
    command = COMMANDS[name]
    made = subprocess.run(
        [sys.executable, *shlex.split(command["words"])], cwd=ROOT, capture_output=True, check=True
    )
    lines = made.stdout.splitlines(keepends=True)
    if command["missing"] is not None:
        del lines[int(command["missing"]) - 1]
    assert (SAMPLES / name).read_bytes() == b"".join(lines)


@pytest.mark.django_db
def test_the_logs_show_faults_of_many_kinds_and_hands_that_do_not_join() -> None:
    rulesets = selectors.current_rulesets()
    continuity = replay.Continuity(rulesets)
    kinds: dict[str, set[str]] = {}
    codes: set[str] = set()
    for path in sorted(SAMPLES.glob("*.ndjson")):
        for line in path.read_bytes().splitlines():
            verdict = continuity.judge(replay.audit_line(line, rulesets))
            kinds.setdefault(verdict.game or "", set()).add(verdict.verdict)
            codes |= {finding.code for finding in verdict.findings}
    assert kinds == {game: {"clean", "discrepant", "void"} for game in replay.GAMES}
    assert len(codes) > 25
    assert {code for code in codes if replay.CODES[code].across} == {
        "round-incomplete", "carry-discontinuity", "banker-succession", "streak-mismatch",
    }  # fmt: skip
