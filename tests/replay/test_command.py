"""`python -m replay audit` (FORMAT 4, 6.1): every odd file, and the command's own manners."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.golden_vectors import GOLDEN

ROOT = Path(__file__).resolve().parents[2]
ODD = GOLDEN / "odd"
CASES: list[dict[str, Any]] = json.loads((ODD / "index.json").read_text("utf-8"))["cases"]

# Runs the command as a child and reports the child's peak memory beside its exit status.
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([done.returncode, peak / 1024]), file=sys.stderr)
"""

# The same, and only counts what it says.
COUNTED = 'exec "$1" -c "$2" "$1" -m replay audit "$3" | wc -l'


# Beside other work: only what never ends is to be caught.
PATIENCE_SECONDS = 240


def processor_seconds() -> float:
    """How long the programs that have ended had a processor: a clock tells of other work, too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(
    *arguments: str, stdin: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m replay` in the folder of the odd files."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    with (stdin or Path(os.devnull)).open("rb") as source:
        return subprocess.run(
            [sys.executable, "-m", "replay", *arguments],
            stdin=source, capture_output=True, env=environment, cwd=ODD,
            timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip


def told(verdict: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """What index.json says of a verdict, read off a verdict line."""
    errors = [f["code"] for f in verdict["findings"] if f["severity"] == "error"]
    settlement = verdict["settlement"]
    facts: dict[str, Any] = {
        "line": verdict["line"],
        "verdict": verdict["verdict"],
        "code": errors[0] if errors else None,
        "hand_id": verdict["hand_id"],
        "note": expected.get("note"),
    }
    if settlement is None:
        facts.update(net=None, profit=None, players=None)
    elif "seats" in settlement:
        facts["net"] = {str(seat["seat"]): seat["net"] for seat in settlement["seats"]}
    else:
        facts["profit"] = {bet["bet"]: bet["profit"] for bet in settlement["bets"]}
        facts["players"] = {entry["player"]: entry["profit"] for entry in settlement["players"]}
    return {key: facts[key] for key in expected}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_odd_files_give_the_outcome_of_the_index(case: dict[str, Any]) -> None:
    stdin = ODD / case["stdin"] if case.get("stdin") else None
    before = processor_seconds()
    done = run("audit", *case["args"], stdin=stdin, env=case.get("env"))
    seconds = processor_seconds() - before
    lines = done.stdout.decode("utf-8").split("\n")
    assert lines.pop() == ""
    verdicts = [json.loads(line) for line in lines]
    expected = case["expect"]
    assert b"Traceback" not in done.stderr
    assert len(verdicts) == expected["lines"]
    assert [
        told(verdict, wanted)
        for verdict, wanted in zip(verdicts, expected["verdicts"], strict=True)
    ] == expected["verdicts"]
    assert done.returncode == expected["exit"]
    if "seconds" in (case.get("limits") or {}):
        assert seconds < case["limits"]["seconds"]


def test_a_bomb_takes_no_memory() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, sys.executable, "-m", "replay", "audit", "bomb.ndjson.gz"],
        capture_output=True, env=environment, cwd=ODD, timeout=PATIENCE_SECONDS, check=True,
    )  # fmt: skip
    _, peak_mb = json.loads(done.stderr.decode().splitlines()[-1])
    assert peak_mb < 256


def test_two_rulesets_of_one_name_and_different_bytes_are_one_sentence(tmp_path: Path) -> None:
    shipped = (ROOT / "replay" / "rulesets" / "tien-gow.classic.1.toml").read_bytes()
    (tmp_path / "a.toml").write_bytes(shipped + b"# other\n")
    done = run("audit", "--rulesets", str(tmp_path), "bom.ndjson")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1
    assert "tien-gow/classic@1 is already known with other bytes" in done.stderr.decode()


def test_a_reader_that_goes_away_is_no_stack_trace() -> None:
    script = f"{sys.executable} -m replay audit cjk-chunks.ndjson cjk-chunks.ndjson | head -c 10"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, cwd=ODD, timeout=PATIENCE_SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.parametrize("option", ["--cont", "--ruleset=.", "--rule"])
def test_an_option_is_written_out_in_full(option: str) -> None:
    """4: a part of an option's name is an unknown option."""
    done = run("audit", option, "bom.ndjson")
    assert (done.returncode, done.stdout) == (64, b"")


@pytest.mark.parametrize(
    ("arguments", "status", "lines"),
    [
        ("audit bom.ndjson - crlf.ndjson <&-", 2, 4),
        ("audit bom.ndjson >&-", 2, 0),
        ("audit bom.ndjson >/dev/full", 2, 0),
        ("explain bom.ndjson >/dev/full", 2, 0),
        ("audit no-such-file.ndjson bom.ndjson 2>&-", 2, 2),
        ("audit --nonsense bom.ndjson 2>&-", 64, 0),
    ],
)
def test_a_closed_or_full_channel_is_no_stack_trace(
    arguments: str, status: int, lines: int
) -> None:
    """6.1, 6 and 8: what cannot be opened is one sentence and exit 2, and the next file goes on."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m replay {arguments}"],
        capture_output=True, cwd=ODD, timeout=PATIENCE_SECONDS, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    assert done.stdout.count(b"\n") == lines
    assert done.returncode == status


def test_neither_database_nor_settings_are_needed(tmp_path: Path) -> None:
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "replay", "audit", str(ODD / "bom.ndjson")],
        capture_output=True, cwd=tmp_path, env=bare, timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert b" django" not in done.stderr


@pytest.mark.slow
def test_100_000_hands_run_in_constant_memory(tmp_path: Path) -> None:
    """The peak for 100,000 hands is that for 1,000 within a few MB (measured on two games)."""
    hands = b"".join(
        (GOLDEN / game / "clean.ndjson").read_bytes() for game in ("banker-pai-gow", "tien-gow")
    )
    lines = [line for line in hands.split(b"\n") if b"/test-" not in line and line]
    peaks = []
    for count in (1_000, 100_000):
        log = tmp_path / f"{count}.ndjson"
        whole, rest = divmod(count, len(lines))
        log.write_bytes(b"\n".join(lines * whole + lines[:rest]) + b"\n")
        done = subprocess.run(
            ["bash", "-c", COUNTED, "-", sys.executable, MEASURED, str(log)],
            capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=PATIENCE_SECONDS, check=True,
        )  # fmt: skip
        assert int(done.stdout) == count
        status, peak_mb = json.loads(done.stderr.decode().splitlines()[-1])
        assert status == 0
        peaks.append(peak_mb)
    small, large = peaks
    assert large < small + 8
