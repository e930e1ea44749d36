"""Pairs of hands that look alike to a viewer up to a step, for the tests of non-interference."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import msgspec

import replay
from replay.tiles import CODES


def shown_tiles(events: list[dict[str, Any]], seat: int) -> list[str] | None:
    """What a seat has shown of its deal to everybody: the tiles of its plays, or of its reveal.

    None: all of them, for it declared a winning deal in time.
    """
    plays: list[str] = []
    for event in events:
        if event["type"] == "declare" and event["seat"] == seat and not plays:
            return None
        if event["type"] in ("play", "reveal") and event["seat"] == seat:
            plays += event["tiles"]
    return plays


Place = tuple[list[str], int]


def hidden_places(past: list[dict[str, Any]], viewer: replay.Viewpoint) -> dict[int, list[Place]]:
    """Where in the deals the tiles stand that the viewer was not shown, by seat."""
    lost: dict[int, list[Place]] = {}
    for event in past:
        if event["type"] != "deal" or "position" in event or event["seat"] == viewer.seat:
            continue
        shown = shown_tiles(past, event["seat"])
        if shown is None:
            continue
        left = Counter(shown)
        for place, tile in enumerate(event["tiles"]):
            if left[tile]:
                left[tile] -= 1
            else:
                lost.setdefault(event["seat"], []).append((event["tiles"], place))
    return lost


def look_alike(line: bytes, viewer: replay.Viewpoint, number: int, chance: random.Random) -> bytes:
    """Another hand that the viewer cannot tell from this one at that step.

    Tiles that were not shown to him are shuffled among their places, or replaced by any tiles; what
    comes later, the wall, the result and what nobody interprets are others, too.
    """
    hand = json.loads(line)
    past, future = hand["events"][:number], hand["events"][number:]
    lost = hidden_places(past, viewer)
    hidden = [place for places in lost.values() for place in places]
    tiles = [held[place] for held, place in hidden]
    before = {seat: [held[place] for held, place in places] for seat, places in lost.items()}
    if chance.random() < 0.5:
        chance.shuffle(tiles)
    else:
        tiles = [chance.choice(CODES) for _ in tiles]
    for (held, place), tile in zip(hidden, tiles, strict=True):
        held[place] = tile
    # What a seat has laid down unseen is among what it holds unseen.
    for event in past:
        if event["type"] == "discard" and event["seat"] != viewer.seat:
            places, old = lost[event["seat"]], before[event["seat"]]
            for position, tile in enumerate(event["tiles"]):
                index = old.index(tile)
                old[index] = ""
                held, place = places[index]
                event["tiles"][position] = held[place]
        elif event["type"] == "wall":
            stacks = [tile for stack in event["stacks"] for tile in stack]
            chance.shuffle(stacks)
            event["stacks"] = [stacks[start : start + 4] for start in range(0, 32, 4)]
    if future:
        kept = future[: chance.randrange(1, len(future) + 1)]
        hand["events"] = past + kept
        if kept[-1]["type"] != "void":
            hand["events"].append({"type": "void", "reason": "a later fault"})
        hand["result"] = None
        hand["ext"] = {"deal": chance.random()}
    return msgspec.json.encode(hand)
