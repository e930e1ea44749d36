"""The published schemas accept and refuse what the code does (docs/schema).

Every golden line is accepted and refused alike, and so is each of some thousand mutants of a good
line; what the schema lets pass although the reader refuses it is of a listed kind, and
docs/format.md tells of each kind. tests/replay/test_schema_shapes.py compares names.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import replay
from tests.golden_vectors import rulesets
from tests.replay.schemas import (
    DEFINITION,
    DOCS,
    FILES,
    HAND_LOG,
    HAND_VALIDATOR,
    KIND_GAME,
    KINDS,
    VERDICT,
    VERDICT_VALIDATOR,
    golden,
    kinds_of,
    refusal_of,
)

# -- golden lines ---------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [HAND_LOG, VERDICT], ids=["hand-log", "verdict"])
def test_a_schema_is_one(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(("game", "name"), FILES)
def test_golden_lines_are_accepted_and_refused_alike(game: str, name: str) -> None:
    for vector in golden(game, name):
        try:
            value = json.loads(vector.line)
        except ValueError:
            assert vector.expected["verdict"] == "rejected", vector.id
            continue
        errors = [error.message for error in HAND_VALIDATOR.iter_errors(value)]
        if vector.expected["verdict"] != "rejected":
            assert errors == [], vector.id
        elif not errors:
            refusal = refusal_of(vector.line)
            assert refusal is not None, vector.id
            assert len(kinds_of(refusal)) == 1, f"{vector.id}: {refusal}"


@pytest.mark.parametrize(("game", "name"), FILES)
def test_every_verdict_line_is_valid(game: str, name: str) -> None:
    memory = replay.Continuity(rulesets()) if name.startswith("continuity") else None
    for vector in golden(game, name):
        audited = replay.audit_line(vector.line, rulesets(), file=name, number=vector.number)
        verdict = audited.verdict if memory is None else memory.judge(audited)
        errors = VERDICT_VALIDATOR.iter_errors(json.loads(replay.format_verdict(verdict)))
        assert [error.message for error in errors] == [], vector.id


def first_clean(game: str) -> dict[str, Any]:
    """A short clean hand with an empty `ext`, of the shipped ruleset."""
    clean = (v for v in golden(game, "clean") if v.expected["verdict"] == "clean")
    hand: dict[str, Any] = json.loads(min((v.line for v in clean), key=len))
    return {**hand, "ext": {}, "minor_digits": 2}


@pytest.mark.parametrize("name", KINDS)
def test_what_no_schema_can_say(name: str) -> None:
    line = json.dumps(first_clean(KIND_GAME.get(name, "banker-pai-gow")))
    assert refusal_of(line.encode()) is None
    bad = KINDS[name].make(line)
    assert HAND_VALIDATOR.is_valid(json.loads(bad))
    refusal = refusal_of(bad.encode())
    assert refusal is not None
    assert kinds_of(refusal) == [name], refusal
    assert f"| {name} |" in (DOCS / "format.md").read_text("utf-8")


# -- mutants --------------------------------------------------------------------------------

MISSING = object()
VALUES = (
    MISSING, None, True, 0, 4, -1, 2**53, "", "1", "-0.0", "x" * 129, "a\x85", [], ["66"], {},
)  # fmt: skip


def one_of_each(hand: dict[str, Any], others: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """The hand with one event of each type that the game's hands have; reading asks no more."""
    events = {event["type"]: event for event in hand["events"]}
    for other in others:
        for event in other.get("events", ()):
            known = events.get(event["type"])
            if known is None or len(event) > len(known):
                events[event["type"]] = event
    return {**hand, "events": list(events.values())}


def paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value; of a list of like items the first alone."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*path, key))
        yield (*path, "unknown")
    elif isinstance(value, list) and value:
        for index in range(len(value) if path == ("events",) else 1):
            yield from paths(value[index], (*path, index))


def mutant(hand: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any] | None:
    changed = copy.deepcopy(hand)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    if value is MISSING:
        if isinstance(holder, dict) and path[-1] not in holder:
            return None
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return changed


@pytest.mark.parametrize("game", DEFINITION)
def test_mutants_are_accepted_and_refused_alike(game: str) -> None:
    judged = (
        json.loads(vector.line)
        for vector in chain(golden(game, "clean"), golden(game, "gaps"))
        if vector.expected["verdict"] != "rejected"
    )
    hand = one_of_each(first_clean(game), judged)
    tried = refused = 0
    for path in paths(hand):
        for value in VALUES if path else ():
            changed = mutant(hand, path, value)
            if changed is None:
                continue
            refusal = refusal_of(json.dumps(changed).encode())
            is_valid = HAND_VALIDATOR.is_valid(changed)
            tried += 1
            refused += refusal is not None
            if refusal is None:
                assert is_valid, (path, value)
            elif is_valid:
                assert len(kinds_of(refusal)) == 1, (path, value, refusal)
    assert tried > 500
    assert 0.5 * tried < refused < tried


@pytest.mark.parametrize(
    "change",
    [
        {"format": "verdict/2"}, {"line": 0}, {"line": "1"}, {"file": None}, {"verdict": "wrong"},
        {"verdict": "clean"}, {"verdict": "rejected"}, {"findings": []}, {"error": "$: no"},
        {"settlement": {"seats": []}}, {"ruleset_sha256": None}, {"replay_digest": "0"},
        {"game": "wenzhou-pai-gow"}, {"more": 1}, {"source": None}, {"record_sha256": "x"},
        {"engine": ""},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_verdict_is_not_valid(change: dict[str, Any]) -> None:
    verdict = a_discrepant_verdict()
    assert VERDICT_VALIDATOR.is_valid(verdict)
    assert not VERDICT_VALIDATOR.is_valid({**verdict, **change})


@pytest.mark.parametrize(
    "change",
    [
        {"code": "no-such"}, {"severity": "warning"}, {"event": -1}, {"seat": 4}, {"logged": 1},
        {"rule": "PG-0"}, {"confidence": "E"}, {"follows": None}, {"explained_by": ["pg.par=2"]},
        {"explained_by": ["pg.swap=off", "pg.swap=off"]}, {"message": None}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_finding_is_not_valid(change: dict[str, Any]) -> None:
    verdict = a_discrepant_verdict()
    verdict["findings"][0] = {**verdict["findings"][0], **change}
    assert not VERDICT_VALIDATOR.is_valid(verdict)


def a_discrepant_verdict() -> dict[str, Any]:
    for vector in golden("banker-pai-gow", "planted"):
        if vector.expected["verdict"] == "discrepant" and vector.expected["settlement"]:
            verdict = replay.audit(vector.line, rulesets(), file="day.ndjson")
            value: dict[str, Any] = json.loads(replay.format_verdict(verdict))
            return value
    raise AssertionError("no discrepant hand with a settlement")
