"""Hand logs for the tests of the service, made from the customer's own lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit.selectors import UploadRow

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
BASE_LINES = (GOLDEN / "odd" / "base-hands.ndjson").read_bytes().split(b"\n")
# Hand B of the service scenarios: banker Pai Gow, banker in seat 2, clean.
B = BASE_LINES[0]
# A Wenzhou hand, which has no seats.
W = BASE_LINES[4]

Ingest = Callable[..., UploadRow]


def changed(line: bytes, **fields: Any) -> bytes:
    """The same hand with other top-level fields."""
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False).encode()


def with_net(line: bytes, seat: int, net: str) -> bytes:
    """The same Pai Gow hand with another logged net."""
    hand = json.loads(line)
    for entry in hand["result"]["seats"]:
        if entry["seat"] == seat:
            entry["net"] = net
    return json.dumps(hand, ensure_ascii=False).encode()


def void(line: bytes, **fields: Any) -> bytes:
    """The same hand, void before its first event."""
    events = [{"type": "void", "reason": "power cut"}]
    return changed(line, events=events, result=None, **fields)


def respelt(line: bytes) -> bytes:
    """The same values in other bytes: keys backwards, blanks between the parts, escapes."""
    fields = dict(reversed(json.loads(line).items()))
    return json.dumps(fields, separators=(" , ", " : ")).encode()


def log(*lines: bytes) -> bytes:
    return b"".join(line + b"\n" for line in lines)
