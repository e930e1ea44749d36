"""The published schemas of records with gaps are those of the code."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import replay
from tests.replay.partial.partial_records import RULESETS, judged, pai_gow, wenzhou
from tests.replay.partial.schema_of import FILES, FOLDER, hand_schema, text_of, verdict_schema

HAND = Draft202012Validator(hand_schema())
VERDICT = Draft202012Validator(verdict_schema())
MISSING = object()
VALUES = (MISSING, None, True, 0, 4, -1, "", "1", "-0.0", "1e3", "x" * 129, [], ["66"], {})


@pytest.mark.parametrize("name", FILES)
def test_the_published_file_is_made_from_the_types(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == text_of(FILES[name]())
    Draft202012Validator.check_schema(FILES[name]())


@pytest.mark.parametrize("record", [pai_gow(), wenzhou()], ids=["pai gow", "wenzhou"])
def test_a_record_and_its_verdict_are_valid(record: dict[str, Any]) -> None:
    assert HAND.is_valid(record)
    verdict = json.loads(replay.format_verdict(judged(record).verdict))
    assert [error.message for error in VERDICT.iter_errors(verdict)] == []
    assert not VERDICT.is_valid({**verdict, "verdict": "clean"})


def paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*path, key))
        yield (*path, "unknown")
    elif isinstance(value, list) and value:
        yield from paths(value[0], (*path, 0))


def mutant(record: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    if value is not MISSING:
        holder[path[-1]] = value
    elif not isinstance(holder, dict) or path[-1] in holder:
        del holder[path[-1]]
    return changed


@pytest.mark.parametrize("record", [pai_gow(), wenzhou()], ids=["pai gow", "wenzhou"])
def test_what_the_reader_takes_is_valid_and_most_of_the_rest_is_not(record: dict[str, Any]) -> None:
    refused = invalid = taken = 0
    for path in paths(record):
        for value in VALUES if path else ():
            changed = mutant(record, path, value)
            refusal = replay.audit_partial(json.dumps(changed).encode(), RULESETS).refusal
            is_valid = HAND.is_valid(changed)
            if refusal is None:
                taken += 1
                assert is_valid, (path, value)
            else:
                refused += 1
                invalid += not is_valid
    assert taken > 10
    # What no schema can say: which gaps must be named, the limits of amounts, names of rulesets.
    assert invalid > 0.75 * refused
