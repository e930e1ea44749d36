"""Tien Gow with eight and with four tiles (docs/rules.md, chapter 5): play and settlement."""

from tests.oracle.common import (
    minor,
    money,
    rake_of,
    require,
    require_set,
    seats_of,
    share,
)
from tests.oracle.tien_gow_endings import ending_of, lipai_units
from tests.oracle.tien_gow_tiles import CAPTURER, is_yao, kind_of, may_follow, wall_deals


def rank_name(tiles, options):
    """Name the type of 5.3, or "nothing" for tiles that may not be led."""
    kind = kind_of(tiles)
    return "nothing" if kind is None else kind[0]


def beats(tiles, other, options):
    """Whether `tiles` may be played face up on `other`, which was led."""
    return may_follow(tiles, [other], options)


def read(hand, options):
    """Go through the events; give the declarer (or None), the tiles dealt and the tricks.

    A trick is a dictionary: its leader, the face-up plays in order as (seat, tiles), the discards
    in order as (seat, tiles), and its winner.
    """
    events = list(hand["events"])
    size = 8 if hand["game"] == "tien-gow" else 4
    dice = events.pop(0) if events and events[0]["type"] == "dice" else None
    wall = events.pop(0) if events and events[0]["type"] == "wall" else None
    require(wall is None or dice is not None, "a wall without dice")
    require([event["type"] for event in events[0:4]] == ["deal"] * 4, "four deals come first")
    dealt = {}
    for event in events[0:4]:
        require(event["seat"] not in dealt, "two deals of one seat")
        require(len(event["tiles"]) == size, "the wrong number of tiles")
        dealt[event["seat"]] = event["tiles"]
    require_set(dealt[0] + dealt[1] + dealt[2] + dealt[3])
    if wall is not None:
        check_wall(hand, dice, wall, dealt, options)
    rest = events[4:]
    if rest and rest[0]["type"] == "declare":
        require(len(rest) == 1, "an event after the declaration")
        return rest[0], dealt, []
    return None, dealt, read_tricks(hand, rest, dealt, options)


def check_wall(hand, dice, wall, dealt, options):
    """5.2."""
    require_set([tile for stack in wall["stacks"] for tile in stack])
    thrower = dice.get("seat", (hand["banker"]["seat"] + 2) % 4)
    first = (thrower + sum(dice["values"]) - 1) % 4
    takes = wall_deals(wall["method"], wall["stacks"], hand["game"], options)
    if takes is None:
        return
    for step, tiles in enumerate(takes):
        require(sorted(dealt[(first + step) % 4]) == sorted(tiles), "not the tiles of the wall")


def read_tricks(hand, events, dealt, options):
    """Play the tricks (5.4)."""
    held = {seat: list(tiles) for seat, tiles in dealt.items()}
    won = dict.fromkeys(range(4), 0)
    leader, tricks = hand["banker"]["seat"], []
    while held[leader]:
        require(len(events) >= 4, "a trick is missing")
        trick = {"leader": leader, "plays": [], "discards": []}
        for step, event in enumerate(events[0:4]):
            act(event, (leader + step) % 4, trick, held, won, options)
        events = without_statements(events[4:])
        trick["winner"] = taker_of(trick, is_last=not held[leader], options=options)
        won[trick["winner"]] += len(trick["plays"][0][1])
        leader = trick["winner"]
        tricks.append(trick)
    require(events == [], "an event after the last trick")
    return tricks


def without_statements(events):
    """Drop what the log states about a trick: at most one `trick` and one `bonus`."""
    stated = []
    while events and events[0]["type"] in ["trick", "bonus"] and events[0]["type"] not in stated:
        stated.append(events[0]["type"])
        events = events[1:]
    return events


def act(event, seat, trick, held, won, options):
    """Let a seat lead, follow or discard."""
    require(event["type"] in ["play", "discard"], "neither a play nor a discard")
    tiles = event["tiles"]
    require(event["seat"] == seat, "not this seat's turn")
    for tile in tiles:
        require(tiles.count(tile) <= held[seat].count(tile), f"{tile} is not held")
    if not trick["plays"]:
        require(event["type"] == "play", "the leader discards")
        require(kind_of(tiles) is not None, "nothing that may be led")
        trick["plays"].append((seat, tiles))
    else:
        number = len(trick["plays"][0][1])
        require(len(tiles) == number, "another number of tiles than was led")
        if event["type"] == "play":
            plays = [play for _, play in trick["plays"]]
            require(may_follow(tiles, plays, options), "not higher")
            is_last = len(held[seat]) == number
            enough = won[seat] + number >= options["min_jie"]
            require(enough or not is_last, "not eligible (TG-32)")
            trick["plays"].append((seat, tiles))
        else:
            trick["discards"].append((seat, tiles))
    for tile in tiles:
        held[seat].remove(tile)


def taker_of(trick, *, is_last, options):
    """TG-26, and TG-62 under `first_captor`."""
    lead = trick["plays"][0][1]
    if is_last and options["capture_priority"] == "first_captor" and is_yao(lead, options):
        for seat, tiles in trick["plays"][1:]:
            if tiles == CAPTURER[lead[0]]:
                return seat
    # Every face-up play is higher than the one before it.
    return trick["plays"][-1][0]


def settle(hand, options):
    """5.6, 5.7 and 5.11."""
    banker, streak = hand["banker"]["seat"], hand["banker"]["streak"]
    bank = {"banker": banker, "multiple": 2**streak}
    if options["multiple"] == "n_plus_1":
        bank["multiple"] = streak + 1
    declaration, dealt, tricks = read(hand, options)
    if declaration is not None:
        in_force = options["lipai"] + hand["stakes"].get("lipai", [])
        winner, taken = declaration["seat"], dict.fromkeys(range(4), 0)
        units = lipai_units(declaration, dealt[winner], in_force, bank, options)
    else:
        winner, taken = tricks[-1]["winner"], dict.fromkeys(range(4), 0)
        for trick in tricks:
            taken[trick["winner"]] += len(trick["plays"][0][1])
        units = ending_of(tricks, taken, bank, options)
    assert sum(units.values()) == 0
    following = {"banker": winner, "streak": streak + 1 if winner == banker else 1}
    return settlement(hand, winner, taken, units, following, options)


def settlement(hand, winner, taken, units, following, options):
    """5.11: from units to money."""
    digits, seats = hand["minor_digits"], range(4)
    base = minor(hand["stakes"]["base"], digits)
    gross = {seat: units[seat] * base for seat in seats}
    if options["carry_cap"] == "net_pool":
        gross = pooled(gross, seats_of(hand), winner)
    rate, way = options["rake_rate"], options["rake_round"]
    rake = {seat: rake_of(gross[seat], rate, way) for seat in seats}
    net = {seat: gross[seat] - rake[seat] for seat in seats}
    figure = gross if options["valid_bet"] == "abs_gross_net" else net
    valid = {seat: abs(figure[seat]) for seat in seats}
    return written(winner, taken, units, [gross, rake, net, valid], following, digits)


def pooled(gross, carry, winner):
    """TG-90: nobody pays or receives more than it carried in."""
    seats = range(4)
    owed = {seat: min(max(-gross[seat], 0), carry[seat]) for seat in seats}
    claimed = {seat: min(max(gross[seat], 0), carry[seat]) for seat in seats}
    order = [(winner + step) % 4 for step in [1, 2, 3, 4]]
    total = min(sum(owed.values()), sum(claimed.values()))
    paid = share(total, owed, order, "largest_remainder")
    received = share(total, claimed, order, "largest_remainder")
    return {seat: received[seat] - paid[seat] for seat in seats}


def settle_void(hand):
    """A void hand owes nothing, and the bank stays as it was."""
    nothing = dict.fromkeys(range(4), 0)
    following = {"banker": hand["banker"]["seat"], "streak": hand["banker"]["streak"]}
    return written(None, nothing, nothing, [nothing] * 4, following, hand["minor_digits"])


def written(winner, taken, units, figures, following, digits):
    """Write the settlement."""
    names = ["gross", "rake", "net", "valid_bet"]
    seats = []
    for seat in range(4):
        row = {"seat": seat, "tricks": taken[seat], "units": units[seat]}
        for name, figure in zip(names, figures, strict=True):
            row[name] = money(figure[seat], digits)
        seats.append(row)
    return {"winner": winner, "seats": seats, "next": following}
