"""Which lines can be read as a hand (FORMAT 1, 2 and 6.2), field by field."""

import json
import re
import unicodedata
from itertools import pairwise

from tests.oracle.common import ALL_TILES
from tests.oracle.verdicts.clock import instant

BYTES_MAX, EVENTS_MAX, DEPTH_MAX, INTEGER_MAX = 1_048_576, 4_096, 8, 2**53 - 1
PATTERNS = (
    "all-white", "one-red", "seven-military", "eight-military", "four-pairs", "seven-civil",
    "eight-civil",
)  # fmt: skip
METHODS = (
    "side-left", "side-right", "stack-by-stack", "alternate", "layer", "heart", "ears",
    "dragon-phoenix", "twin-wings", "three-lions",
)  # fmt: skip
RANKS = (
    "supreme", *(f"pair-{tile}" for tile in dict.fromkeys(ALL_TILES[:22])),
    "pair-9", "pair-8", "pair-7", "pair-5", "heaven-king", "earth-king", "heaven-gong",
    "earth-gong", "heaven-high-nine", "earth-high-nine", *(f"points-{n}" for n in range(10)),
)  # fmt: skip
DOORS = ("shun", "chu", "dao")
# Of each event of a game: the fields that it needs, then those that it may have.
PAI_GOW_EVENTS = {
    "bid": ("seat multiple", ""), "banker": ("seat multiple", ""),
    "bet": ("seat multiple", "offered"), "dice": ("values", ""), "deal": ("seat tiles", ""),
    "reveal": ("seat tiles", "rank"), "compare": ("seat winner", ""),
}  # fmt: skip
TIEN_GOW_EVENTS = {
    "dice": ("values", "seat"), "wall": ("method stacks", ""), "deal": ("seat tiles", ""),
    "declare": ("seat pattern", ""), "play": ("seat tiles", ""), "discard": ("seat tiles", ""),
    "trick": ("seat tiles", ""), "bonus": ("seat kind units", ""),
}  # fmt: skip
WENZHOU_EVENTS = {
    "wager": ("bet player door side stake", ""), "dice": ("values", ""),
    "deal": ("position tiles", ""), "rescan": ("position", ""), "outcome": ("door winner", ""),
}  # fmt: skip
EVENTS = {
    "banker-pai-gow": PAI_GOW_EVENTS, "tien-gow": TIEN_GOW_EVENTS,
    "small-tien-gow": TIEN_GOW_EVENTS, "wenzhou-pai-gow": WENZHOU_EVENTS,
}  # fmt: skip


class Unreadable(Exception):
    """The line is no hand."""


class Number(str):
    """A JSON number as it is written."""

    __slots__ = ()


def need(condition, what):
    """Refuse the line unless the condition holds."""
    if not condition:
        raise Unreadable(what)


def is_readable(line, games):
    """Whether a line without its end can be read; `games` maps known rulesets to their games."""
    try:
        read(line, games)
    except (Unreadable, UnicodeDecodeError, json.JSONDecodeError):
        return False
    return True


def read(line, games):
    """The hand with its numbers as written. Raises: Unreadable and what decoding raises."""
    need(len(line) <= BYTES_MAX, "size")
    text = line.decode("utf-8")
    need(depth_of(text) <= DEPTH_MAX, "depth")
    hand = json.loads(
        text, object_pairs_hook=unrepeated, parse_constant=refuse_constant,
        parse_int=Number, parse_float=Number,
    )  # fmt: skip
    require_no_surrogates(hand)
    game = word(hand.get("game") if isinstance(hand, dict) else None, EVENTS)
    check_frame(hand, game, games)
    digits = integer(hand["minor_digits"])
    need(digits in range(9), "minor_digits")
    check_stakes(hand["stakes"], game, digits)
    if "seats" in hand:
        check_seats(hand["seats"], digits)
    need(isinstance(hand["events"], list) and len(hand["events"]) <= EVENTS_MAX, "events")
    for event in hand["events"]:
        check_event(event, game, digits)
    bets = [event["bet"] for event in hand["events"] if event["type"] == "wager"]
    need(len(bets) == len(set(bets)), "a bet twice")
    if hand["result"] is not None:
        is_void = bool(hand["events"]) and hand["events"][-1]["type"] == "void"
        check_result(hand["result"], game, digits, is_void=is_void)
    return hand


def depth_of(text):
    """How deep arrays and objects go; brackets in strings are text."""
    depth = deepest = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        deepest = max(deepest, depth)
    return deepest


def unrepeated(pairs):
    """An object. Raises: Unreadable for a repeated key."""
    need(len(pairs) == len({key for key, _ in pairs}), "a key twice")
    return dict(pairs)


def refuse_constant(name):
    """NaN and Infinity are no JSON."""
    raise Unreadable(name)


def require_no_surrogates(value):
    """Half a surrogate pair is no character, wherever it stands."""
    if isinstance(value, dict):
        for key, own in value.items():
            require_no_surrogates(key)
            require_no_surrogates(own)
    elif isinstance(value, list):
        for own in value:
            require_no_surrogates(own)
    elif isinstance(value, str):
        need(not any("\ud800" <= character <= "\udfff" for character in value), "surrogate")


# -- values ---------------------------------------------------------------------------------


def integer(value):
    """6.2, 14."""
    need(isinstance(value, Number) and re.fullmatch(r"-?[0-9]+", value), "no integer")
    need(len(value) < 20 and abs(int(value)) <= INTEGER_MAX, "magnitude")
    return int(value)


def name(value):
    """6.2, 16."""
    need(type(value) is str and 1 <= len(value) <= 128, "no name")
    need(all(unicodedata.category(character) != "Cc" for character in value), "control")
    return value


def word(value, words):
    """One of an enumeration."""
    need(type(value) is str and value in words, "no such word")
    return value


def amount(value, digits):
    """6.2, 13: whole minor units."""
    pattern = r"-?(0|[1-9][0-9]{0,14})" + (rf"(\.[0-9]{{1,{digits}}})?" if digits else "")
    need(type(value) is str and re.fullmatch(pattern, value), "no money")
    whole, _, decimals = value.partition(".")
    units = int(whole + decimals.ljust(digits, "0"))
    need(units != 0 or value[0] != "-", "negative zero")
    return units


def listed(value, check, *, length=None):
    """A list of checked values."""
    need(isinstance(value, list), "no list")
    need(length is None or len(value) == length, "length")
    return [check(own) for own in value]


def seat(value):
    """0 to 3."""
    need(integer(value) in range(4), "no seat")
    return int(value)


def tile(value):
    """One of the 21 kinds."""
    return word(value, ALL_TILES)


def ascending(value, least):
    """A list of multiples."""
    multiples = listed(value, integer)
    need(multiples and multiples[0] >= least, "too low")
    need(all(a < b for a, b in pairwise(multiples)), "not ascending")
    return multiples


def record(value, required, optional=""):
    """An object with these fields and no other."""
    need(isinstance(value, dict), "no object")
    fields, least = set(value), set(required.split())
    need(least <= fields <= least | set(optional.split()), "fields")


# -- parts ----------------------------------------------------------------------------------


def check_frame(hand, game, games):
    """The fields of every hand (2)."""
    fields = "format source hand_id game ruleset table started_at ended_at currency minor_digits"
    fields += " stakes events result"
    fields += "" if game == "wenzhou-pai-gow" else " seats"
    fields += " banker" if game.endswith("tien-gow") else ""
    record(hand, fields, "round ext")
    word(hand["format"], ["hand-log/1"])
    for field in ["source", "hand_id", "table", "currency"]:
        name(hand[field])
    need(games.get(name(hand["ruleset"])) == game, "ruleset")
    times = [instant(hand[field]) for field in ["started_at", "ended_at"]]
    need(None not in times and times[0] <= times[1], "times")
    if "round" in hand:
        record(hand["round"], "id hand")
        name(hand["round"]["id"])
        need(integer(hand["round"]["hand"]) in [1, 2], "round")
    if "banker" in hand:
        check_bank(hand["banker"], "seat")
    need(isinstance(hand.get("ext", {}), dict), "ext")


def check_bank(value, place):
    """A banker and its streak."""
    record(value, f"{place} streak")
    seat(value[place])
    need(1 <= integer(value["streak"]) <= 1_000, "streak")


def check_stakes(stakes, game, digits):
    """The table's configuration (2.1 to 2.3)."""
    if game == "wenzhou-pai-gow":
        record(stakes, "", "min max")
    elif game == "banker-pai-gow":
        record(stakes, "base bid_multiples bet_multiples", "entry")
        need(ascending(stakes["bid_multiples"], 0)[0] == 0, "no bid is 0")
        ascending(stakes["bet_multiples"], 1)
    else:
        record(stakes, "base", "lipai")
        listed(stakes.get("lipai", []), lambda value: word(value, PATTERNS))
    for field in ["base", "entry", "min", "max"]:
        if field in stakes:
            least = 1 if field == "base" else 0
            need(amount(stakes[field], digits) >= least, field)


def check_seats(seats, digits):
    """Four seats, each and each player once."""
    for entry in listed(seats, lambda value: value, length=4):
        record(entry, "seat player carry_in")
        seat(entry["seat"])
        name(entry["player"])
        need(amount(entry["carry_in"], digits) >= 0, "carry_in")
    need(len({int(entry["seat"]) for entry in seats}) == 4, "a seat twice")
    need(len({entry["player"] for entry in seats}) == 4, "a player twice")


def check_event(event, game, digits):
    """One event (2.1 to 2.3)."""
    need(isinstance(event, dict), "no event")
    kinds = {**EVENTS[game], "void": ("reason", "")}
    kind = word(event.get("type"), kinds)
    required, optional = kinds[kind]
    record(event, f"type {required}", f"ms auto {optional}")
    winners = ["banker", "player", "push"] if game == "banker-pai-gow" else ["door", "bank"]
    checks = {
        "type": str, "seat": seat, "multiple": integer, "reason": name, "bet": name,
        "player": name, "ms": lambda value: need(integer(value) >= 0, "ms"),
        "auto": lambda value: need(isinstance(value, bool), "auto"),
        "offered": lambda value: ascending(value, 1),
        "values": lambda value: need(
            all(1 <= die <= 6 for die in listed(value, integer, length=2)), "dice"
        ),
        "rank": lambda value: word(value, RANKS), "winner": lambda value: word(value, winners),
        "pattern": lambda value: word(value, PATTERNS),
        "method": lambda value: word(value, METHODS),
        "stacks": lambda value: listed(value, lambda own: listed(own, tile, length=4), length=8),
        "kind": lambda value: word(value, ["supreme", "capture-supreme", "four-grand"]),
        "units": lambda value: listed(value, integer, length=4),
        "tiles": integer if kind == "trick" else lambda value: listed(value, tile),
        "side": lambda value: word(value, ["win", "lose"]),
        "stake": lambda value: amount(value, digits),
        "door": name if kind == "wager" else lambda value: word(value, DOORS),
        "position": lambda value: word(value, ["bank", *DOORS]),
    }  # fmt: skip
    for field, value in event.items():
        checks[field](value)
    need(kind not in ["play", "discard"] or 1 <= len(event["tiles"]) <= 4, "tiles")


def check_result(result, game, digits, *, is_void):
    """The logged settlement."""
    if game == "wenzhou-pai-gow":
        record(result, "bets", "players")
        for field, own in [("bets", "bet"), ("players", "player")]:
            for row in listed(result.get(field, []), lambda value: value):
                record(row, f"{own} profit valid_bet")
                name(row[own])
                amount(row["profit"], digits)
                amount(row["valid_bet"], digits)
            names = [row[own] for row in result.get(field, [])]
            need(len(names) == len(set(names)), f"a {own} twice")
        return
    is_tien_gow, fields, counts = game.endswith("tien-gow"), "seat gross rake net valid_bet", []
    if is_tien_gow:
        record(result, "winner seats", "next")
        need(result["winner"] is not None or is_void, "winner")
        if result["winner"] is not None:
            seat(result["winner"])
        if "next" in result:
            check_bank(result["next"], "banker")
        counts = ["tricks", "units"]
    else:
        record(result, "seats")
    for row in listed(result["seats"], lambda value: value, length=4):
        optional = "carry_out" if is_tien_gow else "theoretical carry_out"
        record(row, " ".join([fields, *counts]), optional)
        for field, value in row.items():
            if field in counts:
                integer(value)
            elif field != "seat":
                amount(value, digits)
    need({seat(row["seat"]) for row in result["seats"]} == set(range(4)), "a seat twice")
