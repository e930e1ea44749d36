"""Spoil a legal hand in a way that can still be read: its events, its statements, its figures."""

import copy
import json

from tests.oracle import NotLegal, settle
from tests.oracle.common import ALL_TILES, minor, money
from tests.oracle.verdicts.common import is_void

PATTERNS = [
    "all-white", "one-red", "seven-military", "eight-military", "four-pairs", "seven-civil",
    "eight-civil",
]  # fmt: skip
BONUSES = ["supreme", "capture-supreme", "four-grand"]


def spoil(line, options, values, chance):
    """One line with one to three things changed; `values` are those that options may have.

    A change may happen to change nothing, or to put right what another spoiled.
    """
    hand = copy.deepcopy(json.loads(line))
    if chance.random() < 0.4:
        settle_otherwise(hand, options, values, chance)
    for _ in range(chance.choice([1, 1, 2, 3])):
        chance.choice([spoil_events, spoil_statement, spoil_figure, spoil_figure])(hand, chance)
    result = hand["result"]
    if result is not None and result.get("winner", 0) is None and not is_void(hand):
        # Nobody wins a void hand only, and this one does not end so any more.
        result["winner"] = 0
    return json.dumps(hand).encode()


def settle_otherwise(hand, options, values, chance):
    """The result becomes that of a ruleset in which one or two options differ."""
    other = dict(options)
    for name in chance.sample(sorted(values), chance.choice([1, 1, 2])):
        other[name] = chance.choice(values[name])
    try:
        hand["result"] = settle(json.dumps(hand).encode(), other)
    except NotLegal:
        return
    if hand["result"].get("next") and chance.random() < 0.3:
        del hand["result"]["next"]


def spoil_chain(line, chance):
    """One line of a log of one feed and few tables, whose hands may not go on from one another."""
    hand = json.loads(line)
    hand["source"], hand["table"] = "one", chance.choice(["T1", "T1", "T2"])
    way = chance.random()
    if way < 0.1:
        hand["currency"] = chance.choice(["USD", "CNY"])
    elif way < 0.4:
        number = chance.choice([1, 1, 2])
        hand["round"] = {"id": chance.choice(["r1", "r1", "r2"]), "hand": number}
    elif way < 0.5:
        hand.pop("round", None)
    elif way < 0.6 and "banker" in hand:
        hand["banker"]["streak"] += 1
    elif way < 0.7 and "bid_multiples" in hand["stakes"]:
        hand["stakes"]["entry"] = chance.choice(["0", "100", "100000"])
    elif way < 0.8 and "seats" in hand:
        first, second = chance.sample(hand["seats"], 2)
        first["player"], second["player"] = second["player"], first["player"]
    return json.dumps(hand).encode()


# -- events ---------------------------------------------------------------------------------


def spoil_events(hand, chance):
    """An event out of place, of another seat, with other tiles, of another kind."""
    events = hand["events"]
    if not events:
        return
    place = chance.randrange(len(events))
    ways = [swap, drop, double, move, reseat, retile, retile, end_early, turn_over, change_number]
    chance.choice([*ways, rush, impoverish])(hand, events, place, chance)


def swap(hand, events, place, chance):
    """Two neighbours change places."""
    if place + 1 < len(events):
        events[place], events[place + 1] = events[place + 1], events[place]


def drop(hand, events, place, chance):
    """An event is lost."""
    del events[place]


def double(hand, events, place, chance):
    """An event comes twice; a wager that comes twice is another wager."""
    again = copy.deepcopy(events[place])
    if again["type"] == "wager":
        again["bet"] = f"again-{len(events)}"
    events.insert(chance.randint(0, len(events)), again)


def move(hand, events, place, chance):
    """An event comes elsewhere."""
    events.insert(chance.randint(0, len(events) - 1), events.pop(place))


def reseat(hand, events, place, chance):
    """An event is told of another seat, position or door."""
    event = events[place]
    for name, others in [
        ("seat", range(4)),
        ("position", ["bank", "shun", "chu", "dao"]),
        ("door", ["shun", "chu", "dao"]),
    ]:
        if name in event:
            event[name] = chance.choice(list(others))


def retile(hand, events, place, chance):
    """A tile is another, one is missing, or one is there too many."""
    with_tiles = [event for event in events if isinstance(event.get("tiles"), list)]
    if not with_tiles:
        return
    event = chance.choice(with_tiles)
    tiles, is_act = event["tiles"], event["type"] in ["play", "discard"]
    way = chance.choice(["other", "other", "fewer", "more"])
    if way == "other" and tiles:
        tiles[chance.randrange(len(tiles))] = chance.choice(ALL_TILES)
    elif way == "fewer" and len(tiles) > (1 if is_act else 0):
        tiles.pop()
    elif way == "more" and not (is_act and len(tiles) == 4):
        tiles.append(chance.choice(ALL_TILES))


def end_early(hand, events, place, chance):
    """The hand is void, at its end or, against the rules, somewhere in it."""
    at = chance.choice([len(events), len(events), place])
    if chance.random() < 0.5:
        del events[at:]
    events.insert(at, {"type": "void", "reason": "a fault"})
    if events[-1]["type"] == "void" and chance.random() < 0.8:
        hand["result"] = settle(json.dumps(hand).encode(), {}) if chance.random() < 0.8 else None


def turn_over(hand, events, place, chance):
    """A play becomes a discard, or the other way round."""
    acts = [event for event in events if event["type"] in ["play", "discard"]]
    if acts:
        act = chance.choice(acts)
        act["type"] = "play" if act["type"] == "discard" else "discard"


def change_number(hand, events, place, chance):
    """A multiple, the dice, a stake, whether the platform acted."""
    names = ["multiple", "values", "stake"]
    event = chance.choice([one for one in events if set(names) & set(one)] or [events[place]])
    if "multiple" in event:
        event["multiple"] = chance.choice([-1, 0, 1, 2, 3, 9, 2**53 - 1])
        event["auto"] = chance.random() < 0.3
    elif "values" in event:
        event["values"][0] = chance.randint(1, 6)
    elif "stake" in event:
        event["stake"] = chance.choice(["-1", "0", "1", "999999999"])


def rush(hand, events, place, chance):
    """The clock goes on, mostly."""
    now = 10
    for event in events:
        now = max(0, now + chance.choice([0, 1, 5, 5, -3]))
        event["ms"] = now


def impoverish(hand, events, place, chance):
    """A seat brought less, or a wager has a limit."""
    if "seats" in hand:
        entry = chance.choice(hand["seats"])
        entry["carry_in"] = chance.choice(["0", "1", "17"])
    else:
        hand["stakes"]["min"] = "3"


# -- statements -----------------------------------------------------------------------------


def spoil_statement(hand, chance):
    """What the log says of a trick, a bonus, a rank or a comparison is otherwise."""
    events = hand["events"]
    if hand["game"].endswith("tien-gow") and chance.random() < 0.4:
        add_statement(events, chance)
        return
    names = ["trick", "bonus", "declare", "reveal", "compare", "outcome"]
    stated = [event for event in events if event["type"] in names]
    if not stated:
        return
    event = chance.choice(stated)
    if event["type"] == "trick":
        name, value = chance.choice(
            [("seat", chance.randint(0, 3)), ("tiles", chance.randint(0, 4))]
        )
        event[name] = value
    elif event["type"] == "bonus":
        event["units"][chance.randint(0, 3)] += chance.choice([0, 1])
        event["kind"] = chance.choice([event["kind"], *BONUSES])
    elif event["type"] == "declare":
        event["pattern"] = chance.choice(PATTERNS)
    elif event["type"] == "reveal":
        event["rank"] = chance.choice(["points-0", "points-9", "supreme", "heaven-king"])
    else:
        sides = ["banker", "player", "push"] if event["type"] == "compare" else ["door", "bank"]
        event["winner"] = chance.choice(sides)


def add_statement(events, chance):
    """A statement more, mostly where one may stand."""
    added = chance.choice([
        {"type": "trick", "seat": chance.randint(0, 3), "tiles": chance.randint(1, 4)},
        {"type": "bonus", "seat": 1, "kind": chance.choice(BONUSES), "units": [-4, 8, -2, -2]},
        {"type": "declare", "seat": chance.randint(0, 3), "pattern": chance.choice(PATTERNS)},
    ])  # fmt: skip
    acts = [place for place, event in enumerate(events) if event["type"] in ["play", "discard"]]
    places = [place + 1 for place in acts[3::4]]
    if not places or chance.random() < 0.2:
        places = list(range(len(events) + 1))
    events.insert(chance.choice(places), added)


# -- figures --------------------------------------------------------------------------------


def spoil_figure(hand, chance):
    """A figure is off by a little, by its sign, or another seat's; an entry too few or too many."""
    result, digits = hand["result"], hand["minor_digits"]
    if result is None:
        return
    if chance.random() < 0.04:
        hand["result"] = None
        return
    rows = result["seats"] if "seats" in result else chance.choice(list(result.values()))
    if "winner" in result and result["winner"] is not None and chance.random() < 0.25:
        result["winner"] = chance.randint(0, 3)
        if chance.random() < 0.5:
            result["next"] = {"banker": result["winner"], "streak": chance.choice([1, 2])}
    elif "bets" in result and chance.random() < 0.25:
        change_entries(result, rows, chance)
    elif rows:
        row, other = chance.choice(rows), chance.choice(rows)
        names = [name for name in row if name not in ["seat", "bet", "player"]]
        name = chance.choice(names)
        by = chance.choice([1, -1, 100])
        add(row, name, by, digits)
        if name in other and chance.random() < 0.4:
            add(other, name, -by, digits)
        if name == "gross" and chance.random() < 0.5:
            add(row, "net", by, digits)


def add(row, name, by, digits):
    """A figure is off by so many of its units."""
    if isinstance(row[name], int):
        row[name] += by
    else:
        row[name] = money(minor(row[name], digits) + by, digits)


def change_entries(result, rows, chance):
    """An entry of a wager or a player is missing, or there is one of nobody."""
    if rows and chance.random() < 0.5:
        del rows[chance.randrange(len(rows))]
    elif all(row["bet"] != "of-nobody" for row in result["bets"]):
        result["bets"].append({"bet": "of-nobody", "profit": "1", "valid_bet": "1"})
