"""Wenzhou Pai Gow (docs/rules.md, chapter 6)."""

from fractions import Fraction

from tests.oracle.common import VALUE, minor, money, require, require_set, rounded

POSITIONS = ["bank", "shun", "chu", "dao"]
DOORS = ["shun", "chu", "dao"]

# The thirteen classes of 6.2, the best first.
PAIRS = [
    [["66", "66"]],
    [["11", "11"]],
    [["24", "12"]],
    [["44", "44"]],
    [["13", "13"]],
    [["55", "55"], ["33", "33"], ["22", "22"]],
    [["56", "56"], ["46", "46"], ["16", "16"], ["15", "15"]],
    [["36", "45"], ["26", "35"], ["25", "34"], ["14", "23"]],
    [["66", "36"], ["66", "45"]],
    [["66", "44"], ["66", "26"], ["66", "35"]],
    [["11", "44"], ["11", "26"], ["11", "35"]],
    [["66", "16"], ["66", "25"], ["66", "34"]],
    [["11", "16"], ["11", "25"], ["11", "34"]],
]

# The classes of single tiles (WZ-12), the best first.
SINGLES = [
    ["66"],
    ["11"],
    ["44"],
    ["13"],
    ["55", "33", "22"],
    ["56", "46", "16", "15"],
    ["36", "45", "26", "35", "25", "34", "24", "14", "23", "12"],
]


def pair_class(tiles):
    """1 to 13, or None for a hand that is no pair."""
    for number, hands in enumerate(PAIRS, start=1):
        for pair in hands:
            if sorted(pair) == sorted(tiles):
                return number
    return None


def points(tiles):
    """WZ-10, WZ-11."""
    return (VALUE[tiles[0]] + VALUE[tiles[1]]) % 10


def best_class(tiles):
    """The class of the better tile, 1 to 7."""
    classes = []
    for tile in tiles:
        for number, members in enumerate(SINGLES, start=1):
            if tile in members:
                classes.append(number)
    return min(classes)


def rank_name(tiles, options):
    """Say the class of a pair, or the points."""
    if pair_class(tiles) is not None:
        return f"class-{pair_class(tiles)}"
    return f"points-{points(tiles)}"


def compare(door, bank, options):
    """Decide a door against the bank: "door" or "bank" (6.3, in the order of its steps)."""
    bank_has_zero = pair_class(bank) is None and points(bank) == 0
    if options["zero_rule"] == "banker_zero_sweeps_all" and bank_has_zero:
        return "bank"
    if pair_class(door) is not None and pair_class(bank) is not None:
        return "door" if pair_class(door) < pair_class(bank) else "bank"
    if pair_class(door) is not None:
        return "door"
    if pair_class(bank) is not None:
        return "bank"
    if points(door) != points(bank):
        return "door" if points(door) > points(bank) else "bank"
    if points(door) == 0 and options["zero_rule"] != "zero_vs_zero_by_tile":
        return "bank"
    return "door" if best_class(door) < best_class(bank) else "bank"


def beats(tiles, other, options):
    """Whether a door with `tiles` beats a bank with `other`."""
    return compare(tiles, other, options) == "door"


def read(hand, options):
    """Go through the events; give the wagers and the tiles of each position."""
    require_statements_in_place([event["type"] for event in hand["events"]])
    outcomes = [event["door"] for event in hand["events"] if event["type"] == "outcome"]
    require(len(set(outcomes)) == len(outcomes), "two outcomes of one door")
    statements = ["rescan", "outcome"]
    events = [event for event in hand["events"] if event["type"] not in statements]
    wagers = [event for event in events if event["type"] == "wager"]
    types = [event["type"] for event in events]
    require(types == ["wager"] * len(wagers) + ["dice"] + ["deal"] * 8, "not the phases of WZ-3")
    for number, wager in enumerate(wagers):
        check_wager(wager, wagers[:number], hand, options)
    first = {1: 0, 2: 1, 3: 2, 0: 3}[sum(events[len(wagers)]["values"]) % 4]
    tiles, dealt = {position: [] for position in POSITIONS}, []
    for step, event in enumerate(events[len(wagers) + 1 :]):
        require(event["position"] == POSITIONS[(first + step) % 4], "not this position's tile")
        require(len(event["tiles"]) == 1, "not one tile")
        tiles[event["position"]] += event["tiles"]
        dealt += event["tiles"]
        require_set(dealt)
    return wagers, tiles


def require_statements_in_place(types):
    """Refuse a `rescan` before the dice, and an `outcome` before the last deal."""
    for number, name in enumerate(types):
        require(name != "rescan" or "dice" in types[:number], "a rescan before the dice")
        require(name != "outcome" or "deal" not in types[number:], "an outcome before the deal")


def check_wager(wager, earlier, hand, options):
    """WZ-21 and WZ-22."""
    digits, stakes = hand["minor_digits"], hand["stakes"]
    stake = minor(wager["stake"], digits)
    require(wager["door"] in DOORS, "no such door")
    require(stake > 0, "no stake")
    require("min" not in stakes or stake >= minor(stakes["min"], digits), "below the limit")
    require("max" not in stakes or stake <= minor(stakes["max"], digits), "above the limit")
    mine = [other for other in earlier if other["player"] == wager["player"]]
    doors = {other["door"] for other in mine if other["side"] == wager["side"]} | {wager["door"]}
    most = {"lose": options["max_lose_doors"], "win": options["max_win_doors"]}
    require(len(doors) <= most[wager["side"]], "too many doors of this side")
    both = [o for o in mine if o["door"] == wager["door"] and o["side"] != wager["side"]]
    require(not both or options["same_door_both"] == "allow_flag", "both sides of one door")


def profit_of(stake, side, winner, options):
    """WZ-23 and WZ-28: what one bet gains or loses."""
    if side == "win" and winner == "door":
        return rounded(stake * Fraction(options["odds_win"]), options["round"])
    if side == "lose" and winner == "bank":
        return rounded(stake * Fraction(options["odds_lose"]), options["round"])
    return -stake


def valid_of(stake, profit, options):
    """6.5, step 3."""
    if options["valid_bet"] == "stake":
        return stake
    return min(stake, abs(profit))


def offset_valid(mine, winner, digits, options):
    """6.5, step 5 under `hedge = offset`, for the wagers of one player."""
    total = 0
    for door in DOORS:
        stakes = {"win": 0, "lose": 0}
        for wager in mine:
            if wager["door"] == door:
                stakes[wager["side"]] += minor(wager["stake"], digits)
        smaller = min(stakes["win"], stakes["lose"])
        for side in ["win", "lose"]:
            rest = stakes[side] - smaller
            total += valid_of(rest, profit_of(rest, side, winner[door], options), options)
    return total


def settle(hand, options):
    """6.5."""
    digits = hand["minor_digits"]
    wagers, tiles = read(hand, options)
    winner = {door: compare(tiles[door], tiles["bank"], options) for door in DOORS}
    profit, valid = {}, {}
    for wager in wagers:
        stake = minor(wager["stake"], digits)
        bet = wager["bet"]
        profit[bet] = profit_of(stake, wager["side"], winner[wager["door"]], options)
        valid[bet] = valid_of(stake, profit[bet], options)
    players = []
    for player in in_order_of_first_wager(wagers):
        mine = [wager for wager in wagers if wager["player"] == player]
        player_valid = sum(valid[wager["bet"]] for wager in mine)
        if options["hedge"] == "offset":
            player_valid = offset_valid(mine, winner, digits, options)
        player_profit = sum(profit[wager["bet"]] for wager in mine)
        players.append((player, player_profit, player_valid))
    bets = [(wager["bet"], profit[wager["bet"]], valid[wager["bet"]]) for wager in wagers]
    return written(bets, players, digits)


def settle_void(hand):
    """WZ-26: every wager of the hand, a refused one too, at nothing."""
    wagers = [event for event in hand["events"] if event["type"] == "wager"]
    bets = [(wager["bet"], 0, 0) for wager in wagers]
    players = [(player, 0, 0) for player in in_order_of_first_wager(wagers)]
    return written(bets, players, hand["minor_digits"])


def in_order_of_first_wager(wagers):
    """Name each player once."""
    names = []
    for wager in wagers:
        if wager["player"] not in names:
            names.append(wager["player"])
    return names


def written(bets, players, digits):
    """Write the settlement."""
    return {
        "bets": [
            {"bet": bet, "profit": money(profit, digits), "valid_bet": money(valid, digits)}
            for bet, profit, valid in bets
        ],
        "players": [
            {"player": player, "profit": money(profit, digits), "valid_bet": money(valid, digits)}
            for player, profit, valid in players
        ],
    }
