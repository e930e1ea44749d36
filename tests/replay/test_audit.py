"""The flow of one hand: read, replay, settle, compare, judge (FORMAT 3, 6)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import replay
from replay.verdict import ENGINE
from tests.golden_vectors import rulesets, vectors

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("banker-pai-gow", "tien-gow", "small-tien-gow", "wenzhou-pai-gow")


@lru_cache(maxsize=1)
def clean_lines() -> tuple[bytes, ...]:
    return tuple(
        vector.line
        for game in GAMES
        for name in ("worked", "clean")
        for vector in vectors(game, name)
        if vector.expected["verdict"] == "clean"
    )  # fmt: skip


def by_value(settlement: Any) -> Any:
    """A settlement with money as numbers: the same amount may be written with other decimals."""
    if isinstance(settlement, dict):
        return {key: by_value(value) for key, value in settlement.items()}
    if isinstance(settlement, list):
        return [by_value(value) for value in settlement]
    if isinstance(settlement, str) and settlement.lstrip("-").replace(".", "").isdigit():
        return Decimal(settlement)
    return settlement


def named(settlement: Any) -> Any:
    """Without the names of bets and players, which are the log's own."""
    if isinstance(settlement, dict):
        return {k: named(v) for k, v in settlement.items() if k not in ("bet", "player")}
    if isinstance(settlement, list):
        return [named(value) for value in settlement]
    return settlement


def players_apart(settlement: Any) -> tuple[Any, dict[str, Any]]:
    """A settlement without its players, and they by name."""
    rest = {key: value for key, value in settlement.items() if key != "players"}
    return rest, {entry["player"]: named(entry) for entry in settlement.get("players", ())}


corruptions = settings(
    max_examples=600,
    deadline=None,
    suppress_health_check=[HealthCheck.large_base_example, HealthCheck.too_slow],
)


@corruptions
@given(st.data())
def test_one_byte_changed_gives_an_error_a_finding_or_the_same_settlement(
    data: st.DataObject,
) -> None:
    line = data.draw(st.sampled_from(clean_lines()))
    place = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = line[:place] + bytes([byte]) + line[place + 1 :]
    before, after = replay.audit(line, rulesets()), replay.audit(changed, rulesets())
    if after.verdict == "clean":
        was, is_ = players_apart(before.settlement), players_apart(after.settlement)
        assert by_value(named(is_[0])) == by_value(named(was[0]))
        # A wager under another name is another player's, where the result names none.
        if is_[1].keys() == was[1].keys():
            assert by_value(is_[1]) == by_value(was[1])
    if after.verdict != "rejected":
        replay.walk(changed, rulesets())


@corruptions
@given(st.data())
def test_a_cut_line_is_rejected(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(clean_lines()))
    place = data.draw(st.integers(0, len(line) - 1))
    assert replay.audit(line[:place], rulesets()).verdict == "rejected"


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_get_a_verdict(line: bytes) -> None:
    verdict = replay.audit(line, rulesets())
    assert verdict.verdict == "rejected"
    assert json.loads(replay.format_verdict(verdict))["error"]


def test_a_repeated_key_is_found_wherever_it_stands() -> None:
    """Each key of a hand of each game, doubled in its own object with its own value."""
    found = 0
    for game in GAMES:
        line = next(vectors(game, "clean")).line
        for doubled in doubled_keys(line):
            verdict = replay.audit(doubled, rulesets())
            assert verdict.verdict == "rejected", doubled
            assert "twice" in str(verdict.error)
            found += 1
    assert found > 300


def doubled_keys(line: bytes) -> list[bytes]:
    lines = []

    def double(value: Any, rebuild: Any) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                again = json.dumps(key) + ":" + json.dumps(part, ensure_ascii=False)
                body = json.dumps(value, ensure_ascii=False)
                lines.append(rebuild(body[:-1] + "," + again + "}").encode())
                double(part, _in_key(value, key, rebuild))
        elif isinstance(value, list):
            for place, part in enumerate(value):
                double(part, _in_place(value, place, rebuild))

    double(json.loads(line), lambda text: text)
    return lines


def _in_key(value: dict[str, Any], key: str, rebuild: Any) -> Any:
    def put(text: str) -> Any:
        parts = (
            json.dumps(name) + ":" + (text if name == key else json.dumps(part, ensure_ascii=False))
            for name, part in value.items()
        )
        return rebuild("{" + ",".join(parts) + "}")

    return put


def _in_place(value: list[Any], place: int, rebuild: Any) -> Any:
    def put(text: str) -> Any:
        parts = (
            text if number == place else json.dumps(part, ensure_ascii=False)
            for number, part in enumerate(value)
        )
        return rebuild("[" + ",".join(parts) + "]")

    return put


def test_the_long_way_of_reading_agrees_with_the_short_one() -> None:
    """The same hands with an escape in them, which sends them the long way."""
    for line in clean_lines():
        escaped = line.replace(b'"hand-log/1"', b'"hand\\u002dlog/1"', 1)
        assert escaped != line
        short, long = replay.audit(line, rulesets()), replay.audit(escaped, rulesets())
        assert (short.verdict, short.findings, short.settlement) == (
            long.verdict,
            long.findings,
            long.settlement,
        )


def test_white_space_and_the_order_of_keys_mean_nothing() -> None:
    for line in clean_lines()[::7]:
        value = json.loads(line)
        other = json.dumps(
            dict(reversed(value.items())), ensure_ascii=False, separators=(" , ", " : ")
        )
        first, second = replay.audit(line, rulesets()), replay.audit(other.encode(), rulesets())
        assert (first.verdict, first.findings, first.settlement) == (
            second.verdict,
            second.findings,
            second.settlement,
        )
        assert first.record_sha256 != second.record_sha256


def test_a_verdict_has_the_fields_of_the_format_in_their_order() -> None:
    line = clean_lines()[0]
    verdict = json.loads(replay.format_verdict(replay.audit(line, rulesets(), file="a", number=7)))
    assert list(verdict) == [
        "format", "file", "line", "source", "hand_id", "game", "ruleset", "ruleset_sha256",
        "record_sha256", "engine", "verdict", "findings", "settlement", "replay_digest",
    ]  # fmt: skip
    assert (verdict["format"], verdict["file"], verdict["line"]) == ("verdict/1", "a", 7)
    assert verdict["engine"] == ENGINE


def test_findings_on_derived_rules_say_so() -> None:
    """RULEBOOK, conventions: a finding that rests on confidence C or D says so."""
    seen = set()
    for game in GAMES:
        for vector in vectors(game, "planted"):
            for finding in replay.audit(vector.line, rulesets()).findings:
                speaks = "This rests on a rule of confidence" in finding.message
                assert speaks == (finding.confidence in ("C", "D"))
                if game == "small-tien-gow" and finding.rule is not None:
                    assert finding.confidence == "D"
                seen.add(finding.confidence)
    assert seen == {None, "A", "B", "C", "D"}


DIGESTS = """
import sys
sys.path.insert(0, sys.argv[1])
import replay
rulesets = replay.load_rulesets()
for game in sorted(replay.GAMES):
    ruleset = next(r for r in sorted(rulesets, key=lambda r: r.name) if r.game == game)
    for line in replay.simulate(game, 40, 11, ruleset):
        print(replay.audit(line, rulesets).replay_digest)
"""


def _pythons() -> list[str]:
    """This Python, and every other supported one that is installed with what the core needs."""
    found = [sys.executable]
    for minor in range(11, 16):
        path = shutil.which(f"python3.{minor}")
        if path is None or minor == sys.version_info.minor:
            continue
        zstd = "compression.zstd" if minor >= 14 else "backports.zstd"
        asked = subprocess.run(
            [path, "-c", f"import msgspec, {zstd}"], capture_output=True, check=False
        )
        if asked.returncode == 0:
            found.append(path)
    return found


@pytest.mark.parametrize("python", _pythons())
def test_digests_are_equal_under_hash_seeds_processes_and_pythons(python: str) -> None:
    runs = [
        subprocess.run(
            [executable, "-c", DIGESTS, str(ROOT)], capture_output=True, check=True, timeout=240,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for executable, seed in ((sys.executable, "1"), (python, "2"))
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert runs[0].count(b"\n") == 160


def test_the_digest_changes_with_the_record_and_the_ruleset() -> None:
    line = next(vectors("tien-gow", "worked")).line
    hand = msgspec.json.decode(line)
    hand["table"] += "x"
    other = msgspec.json.encode(hand)
    first, second = replay.audit(line, rulesets()), replay.audit(other, rulesets())
    assert first.settlement == second.settlement
    assert first.replay_digest != second.replay_digest
    assert replay.audit(line, rulesets()).replay_digest == first.replay_digest
