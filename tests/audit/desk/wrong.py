"""Hands with a fault, made from the customer's own lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from audit.models import Case
from tests.audit.logs import B, changed

Gather = Callable[..., list[Case]]


def wrong(name: str, seat: int = 1, net: str = "-99.00", **fields: Any) -> bytes:
    """Hand B under another id with one net result that is wrong."""
    hand = json.loads(changed(B, hand_id=name, **fields))
    for entry in hand["result"]["seats"]:
        if entry["seat"] == seat:
            entry["net"] = net
    return json.dumps(hand, ensure_ascii=False).encode()


def without_rake(name: str, **fields: Any) -> bytes:
    """Hand B in which no winner pays rake, and the net results follow from that."""
    hand = json.loads(changed(B, hand_id=name, **fields))
    for entry in hand["result"]["seats"]:
        entry["rake"], entry["net"] = "0.00", entry["gross"]
    return json.dumps(hand, ensure_ascii=False).encode()
