"""One wrong thing planted into a right hand, on demand, with a list of what was planted.

Each fault changes the plain JSON value of a finished hand and says which finding it must give as
the primary one. A fault that does not fit a hand (no clock to set back, no bonus to change)
leaves it alone and the next one is tried.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from replay.money import format_minor, parse_minor
from replay.ruleset import Ruleset
from replay.simulate import faults_tien_gow
from replay.simulate.chance import Chance
from replay.simulate.frame import Json
from replay.tiles import CODES

# A fault changes the hand in place and returns the event it stands at (None: on no event), or
# SKIP when the hand offers no place for it.
SKIP = -1
Fault = Callable[[Json, Chance, Ruleset], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """What was planted: the code of the primary finding and the event that it stands at."""

    hand_id: str
    code: str
    event: int | None


def plant(hand: Json, chance: Chance, ruleset: Ruleset) -> tuple[Json, Planted | None]:
    """A copy of the hand with one fault, and what it is; the same hand when none fits."""
    faults = FAULTS[hand["game"]]
    for code in chance.shuffled(sorted(faults)):
        changed = copy.deepcopy(hand)
        event = faults[code](changed, chance, ruleset)
        if event != SKIP:
            return changed, Planted(hand_id=hand["hand_id"], code=code, event=event)
    return hand, None


# -- places in a hand -----------------------------------------------------------------------


def places(hand: Json, *types: str) -> list[int]:
    """The indices of all events of these types."""
    return [index for index, event in enumerate(hand["events"]) if event["type"] in types]


def _pick(hand: Json, chance: Chance, kind: str) -> int:
    """An event of a type, or SKIP."""
    found = places(hand, kind)
    return chance.pick(found) if found else SKIP


def is_void(hand: Json) -> bool:
    """Whether the hand was broken off."""
    return bool(hand["events"]) and hand["events"][-1]["type"] == "void"


# -- faults of every game -------------------------------------------------------------------


def _clock_back(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    timed = [i for i, event in enumerate(hand["events"]) if "ms" in event]
    late = [
        (before, after) for before, after in pairwise(timed) if hand["events"][before]["ms"] > 0
    ]
    if not late:
        return SKIP
    before, after = chance.pick(late)
    hand["events"][after]["ms"] = hand["events"][before]["ms"] - 1
    return after


def _no_result(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    if is_void(hand):
        return SKIP
    hand["result"] = None
    return None


def _doubled_dice(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "dice")
    if index == SKIP:
        return SKIP
    again = {k: v for k, v in hand["events"][index].items() if k != "ms"}
    hand["events"].insert(index + 1, again)
    return index + 1


def _dealt_short(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "deal")
    if index == SKIP:
        return SKIP
    hand["events"][index]["tiles"].pop()
    return index


def _dealt_twice(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    """A military tile, of which there is one, comes again in a later deal."""
    deals = places(hand, "deal")
    if len(deals) < 2:
        return SKIP
    late = chance.pick(deals[1:])
    taken = [
        tile
        for index in deals
        if index < late
        for tile in hand["events"][index]["tiles"]
        if CODES.index(tile) > 10
    ]
    if not taken:
        return SKIP
    hand["events"][late]["tiles"][0] = chance.pick(taken)
    return late


def _swapped(kind: str) -> Fault:
    """The first two events of a type in the other order."""

    def fault(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
        found = places(hand, kind)
        if len(found) < 2:
            return SKIP
        events = hand["events"]
        first, second = found[0], found[1]
        events[first], events[second] = events[second], events[first]
        for index in (first, second):
            events[index].pop("ms", None)
        return first

    return fault


def _figure(name: str) -> Fault:
    """One figure of a seat is one minor unit too high."""

    def fault(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
        if hand["result"] is None:
            return SKIP
        entry = chance.pick(hand["result"]["seats"])
        if name not in entry:
            return SKIP
        _raise(entry, name, hand["minor_digits"])
        return None

    return fault


def _raise(entry: Json, name: str, digits: int) -> None:
    entry[name] = format_minor(parse_minor(entry[name], digits) + 1, digits)


# -- banker-bidding Pai Gow -----------------------------------------------------------------


def _bid_too_high(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "bid")
    if index != SKIP:
        hand["events"][index]["multiple"] = hand["stakes"]["bid_multiples"][-1] + 1
    return index


def _bet_too_high(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "bet")
    if index != SKIP:
        event = hand["events"][index]
        event["multiple"] = event.get("offered", hand["stakes"]["bet_multiples"])[-1] + 1
    return index


def _timer_bids(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    bids = [i for i in places(hand, "bid") if hand["events"][i]["multiple"] > 0]
    if not bids:
        return SKIP
    index = chance.pick(bids)
    hand["events"][index]["auto"] = True
    return index


def _wrong_banker(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "banker")
    if index == SKIP:
        return SKIP
    bids = {hand["events"][i]["seat"]: hand["events"][i]["multiple"] for i in places(hand, "bid")}
    low = [seat for seat in range(4) if bids[seat] < max(bids.values())]
    if not low:
        return SKIP
    hand["events"][index]["seat"] = chance.pick(low)
    return index


def _wrong_multiple(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "banker")
    if index != SKIP:
        hand["events"][index]["multiple"] += 1
    return index


def _shows_another(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "reveal")
    if index == SKIP:
        return SKIP
    tiles = hand["events"][index]["tiles"]
    tiles[0] = chance.pick([code for code in CODES if code not in tiles])
    return index


def _wrong_rank(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    ranked = [i for i in places(hand, "reveal") if "rank" in hand["events"][i]]
    if not ranked:
        return SKIP
    index = chance.pick(ranked)
    event = hand["events"][index]
    event["rank"] = "points-0" if event["rank"] != "points-0" else "points-9"
    return index


def _wrong_compare(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "compare")
    if index != SKIP:
        event = hand["events"][index]
        event["winner"] = "player" if event["winner"] != "player" else "banker"
    return index


# -- Wenzhou Pai Gow ------------------------------------------------------------------------


def _free_wager(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "wager")
    if index != SKIP:
        hand["events"][index]["stake"] = "0"
    return index


def _wrong_outcome(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
    index = _pick(hand, chance, "outcome")
    if index != SKIP:
        event = hand["events"][index]
        event["winner"] = "bank" if event["winner"] == "door" else "door"
    return index


def _bet_figure(name: str) -> Fault:
    """One figure of a bet is one minor unit too high."""

    def fault(hand: Json, chance: Chance, ruleset: Ruleset) -> int | None:
        if hand["result"] is None or not hand["result"]["bets"]:
            return SKIP
        _raise(chance.pick(hand["result"]["bets"]), name, hand["minor_digits"])
        return None

    return fault


_MONEY: Mapping[str, Fault] = {
    "gross-mismatch": _figure("gross"),
    "rake-mismatch": _figure("rake"),
    "net-mismatch": _figure("net"),
    "valid-bet-mismatch": _figure("valid_bet"),
    "carry-out-mismatch": _figure("carry_out"),
}
_EVERYWHERE: Mapping[str, Fault] = {
    "time-backwards": _clock_back,
    "result-missing": _no_result,
    "event-order": _doubled_dice,
    "deal-count": _dealt_short,
    "tile-excess": _dealt_twice,
}
_TIEN_GOW: Mapping[str, Fault] = {**_EVERYWHERE, **_MONEY, **faults_tien_gow.FAULTS}
FAULTS: Mapping[str, Mapping[str, Fault]] = {
    "banker-pai-gow": {
        **_EVERYWHERE,
        **_MONEY,
        "theoretical-mismatch": _figure("theoretical"),
        "bid-illegal": _bid_too_high,
        "bet-illegal": _bet_too_high,
        "auto-default": _timer_bids,
        "banker-wrong": _wrong_banker,
        "banker-multiple": _wrong_multiple,
        "deal-order": _swapped("deal"),
        "reveal-order": _swapped("reveal"),
        "tile-not-held": _shows_another,
        "rank-mismatch": _wrong_rank,
        "compare-mismatch": _wrong_compare,
    },
    "wenzhou-pai-gow": {
        **_EVERYWHERE,
        "deal-order": _swapped("deal"),
        "wager-illegal": _free_wager,
        "outcome-mismatch": _wrong_outcome,
        "profit-mismatch": _bet_figure("profit"),
        "valid-bet-mismatch": _bet_figure("valid_bet"),
    },
    "tien-gow": _TIEN_GOW,
    "small-tien-gow": _TIEN_GOW,
}
