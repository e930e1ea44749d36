"""The published schemas, and what no schema can say of a refused line (docs/schema)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

import replay
from tests.golden_vectors import GOLDEN, Vector, rulesets, vectors

DOCS = Path(__file__).resolve().parents[2] / "docs"
HAND_LOG = json.loads((DOCS / "schema" / "hand-log-1.schema.json").read_text("utf-8"))
VERDICT = json.loads((DOCS / "schema" / "verdict-1.schema.json").read_text("utf-8"))
DEFINITION = {
    "banker-pai-gow": "paiGowHand",
    "tien-gow": "tienGowHand",
    "small-tien-gow": "tienGowHand",
    "wenzhou-pai-gow": "wenzhouHand",
}
FILES = sorted(
    (game, path.name.removesuffix(".ndjson"))
    for game in DEFINITION
    for path in (GOLDEN / game).glob("*.ndjson")
    if not path.name.endswith(".verdicts.ndjson")
)
HAND_VALIDATOR = Draft202012Validator(HAND_LOG)
VERDICT_VALIDATOR = Draft202012Validator(VERDICT)


@cache
def golden(game: str, name: str) -> tuple[Vector, ...]:
    return tuple(vectors(game, name))


# -- what no schema can say -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of refused line that the schema lets pass: why, the refusal, and how to make one."""

    why: str
    refusal: str
    make: Callable[[str], str]


def _with(**fields: object) -> Callable[[str], str]:
    return lambda line: json.dumps({**json.loads(line), **fields})


def _with_seats(**fields: object) -> Callable[[str], str]:
    def make(line: str) -> str:
        hand = json.loads(line)
        return json.dumps({**hand, "seats": [{**seat, **fields} for seat in hand["seats"]]})

    return make


def _with_event(**event: object) -> Callable[[str], str]:
    def make(line: str) -> str:
        hand = json.loads(line)
        return json.dumps({**hand, "events": [*hand["events"], event]})

    return make


def _with_lost_winner(line: str) -> str:
    hand = json.loads(line)
    void = {"type": "void", "reason": "power cut"}
    hand["events"] = [void, *hand["events"]]
    hand["result"]["winner"] = None
    return json.dumps(hand)


# By the names that docs/format.md gives them.
KINDS: dict[str, Kind] = {
    "repeated key": Kind(
        "A schema sees an object after its keys were gathered.",
        r"the key .* is there twice",
        lambda line: line.replace('"table"', '"source": "x", "table"', 1),
    ),
    "not JSON": Kind(
        "A schema sees values, not text.",
        r"JSON|is not UTF-8|malformed|NaN|Infinity",
        lambda line: line.replace('"ext": {}', '"ext": {"x": NaN}', 1),
    ),
    "fraction of zero": Kind(
        "For a schema 1.0 is an integer.",
        r"Expected `int`, got `float`|Number out of range",
        lambda line: line.replace('"minor_digits": 2', '"minor_digits": 2.0', 1),
    ),
    "decimals": Kind(
        "How many decimals an amount may have depends on minor_digits, a field elsewhere.",
        r"more than \d decimals",
        _with_seats(carry_in="1.123"),
    ),
    "end before start": Kind(
        "A schema cannot compare two fields.",
        r"ended_at: before started_at",
        _with(started_at="2024-05-17T21:14:06Z", ended_at="2024-05-17T21:14:05Z"),
    ),
    "calendar": Kind(
        "Leap years and leap seconds are no matter of a pattern.",
        r"day is out of range|second 60 outside",
        _with(started_at="2023-02-29T00:00:00Z"),
    ),
    "ascending": Kind(
        "A schema cannot compare two items of a list.",
        r"not ascending",
        _with_event(type="bet", seat=1, multiple=1, offered=[2, 1]),
    ),
    "player twice": Kind(
        "A schema tells apart whole entries, not one field of them.",
        r"a player is there twice|result\.players\[\d+\]\.player: .* is there twice",
        _with_seats(player="the same"),
    ),
    "bet twice": Kind(
        "A schema tells apart whole entries, not one field of them.",
        r"the bet .* is there twice",
        lambda line: _with_event(
            type="wager", bet="b", player="p", door="chu", side="win", stake="1"
        )(_with_event(type="wager", bet="b", player="q", door="dao", side="win", stake="1")(line)),
    ),
    "winner of no hand": Kind(
        "A schema cannot speak of the last item of a list.",
        r"null in a hand that is not void",
        _with_lost_winner,
    ),
    "ruleset": Kind(
        "Which rulesets there are is known at run time.",
        r"unknown ruleset|is a ruleset of",
        _with(ruleset="no/such@1"),
    ),
    "size": Kind(
        "A schema sees values, not bytes.",
        r"longer than",
        lambda line: line.replace('"ext": {}', f'"ext": {{"x": "{"x" * 1_048_576}"}}', 1),
    ),
}
# Kinds that only some game can have.
KIND_GAME = {
    "ascending": "banker-pai-gow",
    "bet twice": "wenzhou-pai-gow",
    "winner of no hand": "tien-gow",
}


def refusal_of(line: bytes) -> str | None:
    """Why a line is refused, as the command says it; None if it is judged."""
    # The size of a line is the business of the stream, which reads a file of one line here.
    [whole] = replay.read_lines(_Bytes(line))
    if whole.data is None:
        assert whole.refusal is not None
        return str(whole.refusal)
    audited = replay.audit_line(whole.data, rulesets())
    return None if audited.refusal is None else str(audited.refusal)


class _Bytes:
    """A stream of one line."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            size = len(self._data)
        part, self._data = self._data[:size], self._data[size:]
        return part


def kinds_of(refusal: str) -> list[str]:
    return [name for name, kind in KINDS.items() if re.search(kind.refusal, refusal)]
