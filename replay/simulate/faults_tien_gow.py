"""Faults that only a hand of Tien Gow can have; see `faults`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from replay.ruleset import Ruleset
from replay.simulate.chance import Chance
from replay.simulate.frame import Json
from replay.tien_gow.combinations import COMBINATIONS, pack, type_of
from replay.tien_gow.lipai import PATTERNS, holds
from replay.tiles import CODES, indices

SKIP = -1
Fault = Callable[[Json, Chance, Ruleset], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Act:
    """A play or discard: its event, its place in the trick (0 leads), and the trick's lead."""

    index: int
    event: Json
    place: int
    lead: Json


def _acts(hand: Json) -> Iterator[_Act]:
    count = 0
    lead: Json = {}
    for index, event in enumerate(hand["events"]):
        if event["type"] in ("play", "discard"):
            if count % 4 == 0:
                lead = event
            yield _Act(index=index, event=event, place=count % 4, lead=lead)
            count += 1


def _of_type(hand: Json, kind: str) -> list[int]:
    return [index for index, event in enumerate(hand["events"]) if event["type"] == kind]


def _another_seat(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    acts = list(_acts(hand))
    if not acts:
        return SKIP
    act = chance.pick(acts)
    act.event["seat"] = (act.event["seat"] + chance.between(1, 3)) % 4
    return act.index


def _not_held(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    acts = list(_acts(hand))
    if not acts:
        return SKIP
    act = chance.pick(acts)
    dealt = next(
        event["tiles"]
        for event in hand["events"]
        if event["type"] == "deal" and event["seat"] == act.event["seat"]
    )
    act.event["tiles"][0] = chance.pick([code for code in CODES if code not in dealt])
    return act.index


def _leads_face_down(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    leads = [act for act in _acts(hand) if act.place == 0]
    if not leads:
        return SKIP
    act = chance.pick(leads)
    act.event["type"] = "discard"
    return act.index


def _plays_what_does_not_beat(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    """Tiles of another type than the lead, face up."""
    found = []
    for act in _acts(hand):
        if act.event["type"] == "discard" and act.place:
            lead = COMBINATIONS[pack(act.lead["tiles"])]
            thrown = COMBINATIONS.get(pack(act.event["tiles"]))
            if thrown is None or type_of(thrown) is not type_of(lead):
                found.append(act)
    if not found:
        return SKIP
    act = chance.pick(found)
    act.event["type"] = "play"
    return act.index


def _takes_the_last_with_nothing(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    """A discard of the last trick that would beat, turned up by a seat that may not (TG-32)."""
    least = ruleset.options["min_jie"]
    assert isinstance(least, int)
    tricks = [0, 0, 0, 0]
    best = 0
    acts = list(_acts(hand))
    for act in acts:
        count = len(act.lead["tiles"])
        if act.place == 0 or act.event["type"] == "play":
            best = act.event["seat"]
        if act.place == 3 and act.index != acts[-1].index:
            tricks[best] += count
    if len(acts) < 8 or hand["events"][-1]["type"] == "void":
        return SKIP
    highest = 0
    for act in acts[-4:]:
        code = COMBINATIONS.get(pack(act.event["tiles"]), 0)
        if act.event["type"] == "play":
            highest = code
        elif (
            type_of(code or 32) is type_of(highest)
            and code > highest
            and tricks[act.event["seat"]] + len(act.event["tiles"]) < least
        ):
            act.event["type"] = "play"
            return act.index
    return SKIP


def _wrong_pattern(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    found = _of_type(hand, "declare")
    if not found:
        return SKIP
    event = hand["events"][found[0]]
    tiles = next(
        deal["tiles"]
        for deal in hand["events"]
        if deal["type"] == "deal" and deal["seat"] == event["seat"]
    )
    tian_red, one_red = ruleset.options["tian_red"], ruleset.options["one_red"]
    assert isinstance(tian_red, int)
    assert isinstance(one_red, str)
    absent = [
        pattern
        for pattern in PATTERNS
        if not holds(pattern, indices(tiles), tian_red=tian_red, one_red=one_red)
    ]
    event["pattern"] = chance.pick(absent)
    return found[0]


def _not_from_the_wall(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    """Two seats have each other's first tile."""
    deals = _of_type(hand, "deal")
    if not _of_type(hand, "wall") or len(deals) < 4:
        return SKIP
    first, second = (hand["events"][index]["tiles"] for index in deals[:2])
    if first[0] == second[0]:
        return SKIP
    first[0], second[0] = second[0], first[0]
    return deals[0]


def _wrong_trick(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    found = _of_type(hand, "trick")
    if not found:
        return SKIP
    index = chance.pick(found)
    event = hand["events"][index]
    event["seat"] = (event["seat"] + 1) % 4
    return index


def _wrong_bonus(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    found = _of_type(hand, "bonus")
    if not found:
        return SKIP
    index = chance.pick(found)
    units = hand["events"][index]["units"]
    units[0], units[1] = units[0] + 1, units[1] - 1
    return index


def _wrong_winner(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    if hand["result"] is None or hand["result"]["winner"] is None:
        return SKIP
    if hand["events"][-1]["type"] == "void":
        return SKIP
    hand["result"]["winner"] = (hand["result"]["winner"] + 1) % 4
    return None


def _wrong_next(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    if hand["result"] is None or "next" not in hand["result"]:
        return SKIP
    if hand["events"][-1]["type"] == "void":
        return SKIP
    hand["result"]["next"]["streak"] += 1
    return None


def _count(name: str) -> Fault:
    """A number of one seat is one too high."""

    def fault(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
        if hand["result"] is None:
            return SKIP
        chance.pick(hand["result"]["seats"])[name] += 1
        return None

    return fault


FAULTS: Mapping[str, Fault] = {
    "out-of-turn": _another_seat,
    "tile-not-held": _not_held,
    "lead-illegal": _leads_face_down,
    "follow-illegal": _plays_what_does_not_beat,
    "not-eligible": _takes_the_last_with_nothing,
    "declaration-invalid": _wrong_pattern,
    "deal-wall": _not_from_the_wall,
    "trick-mismatch": _wrong_trick,
    "bonus-mismatch": _wrong_bonus,
    "winner-mismatch": _wrong_winner,
    "next-mismatch": _wrong_next,
    "tricks-mismatch": _count("tricks"),
    "units-mismatch": _count("units"),
}
