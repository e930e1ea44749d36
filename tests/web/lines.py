"""Logged hands for the tests of the pages, out of the golden vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
BASE = (GOLDEN / "odd" / "base-hands.ndjson").read_bytes().splitlines()
# A clean hand of each game: banker Pai Gow, declared and played Tien Gow, small, Wenzhou.
PAI_GOW, DECLARED, TIEN_GOW, SMALL, WENZHOU = BASE


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


def planted(game: str, code: str) -> bytes:
    """The first hand of a golden file whose primary finding has this code."""
    lines = (GOLDEN / game / "planted.ndjson").read_bytes().splitlines()
    verdicts = (GOLDEN / game / "planted.verdicts.ndjson").read_bytes().splitlines()
    for line, verdict in zip(lines, verdicts, strict=True):
        findings = json.loads(verdict).get("findings") or [{"code": None}]
        if findings[0]["code"] == code:
            return line
    raise AssertionError(f"no {code} in {game}")
