"""Banker-bidding Pai Gow (docs/rules.md, chapter 4)."""

from tests.oracle.common import (
    VALUE,
    minor,
    money,
    rake_of,
    require,
    require_set,
    seats_of,
    share,
)

# The column PG of chapter 2: 1 is the best tile.
RANK = {
    "66": 1, "11": 2, "44": 3, "13": 4, "55": 5, "33": 6, "22": 7, "56": 8, "46": 9, "16": 10,
    "15": 11, "36": 12, "45": 12, "26": 13, "35": 13, "25": 14, "34": 14, "14": 15, "23": 15,
    "24": 16, "12": 17,
}  # fmt: skip


def named_ranks(options):
    """Ranks 1 to 22 of 4.2, high to low: a name and every holding that has it."""
    civil = ["66", "11", "44", "13", "55", "33", "22", "56", "46", "16", "15"]
    ranks = [
        ("supreme", [["24", "12"]]),
        *[("pair-" + tile, [[tile, tile]]) for tile in civil],
        ("pair-9", [["36", "45"]]),
        ("pair-8", [["26", "35"]]),
        ("pair-7", [["25", "34"]]),
        ("pair-5", [["14", "23"]]),
        ("heaven-king", [["66", "36"], ["66", "45"]]),
        ("earth-king", [["11", "36"], ["11", "45"]]),
        ("heaven-gong", [["66", "44"], ["66", "26"], ["66", "35"]]),
        ("earth-gong", [["11", "44"], ["11", "26"], ["11", "35"]]),
    ]
    if options["high9"] == "strict":
        ranks.append(("heaven-high-nine", [["66", "25"]]))
        ranks.append(("earth-high-nine", [["11", "16"]]))
    else:
        ranks.append(("heaven-high-nine", [["66", "16"], ["66", "25"], ["66", "34"]]))
        ranks.append(("earth-high-nine", [["11", "16"], ["11", "25"], ["11", "34"]]))
    return ranks


def points(tiles, options):
    """PG-20 and PG-21."""
    first, second = tiles
    totals = [VALUE[first] + VALUE[second]]
    if options["swap"] == "best":
        if first in ["12", "24"] and second not in ["12", "24"]:
            totals = [3 + VALUE[second], 6 + VALUE[second]]
        if second in ["12", "24"] and first not in ["12", "24"]:
            totals = [3 + VALUE[first], 6 + VALUE[first]]
    return max(total % 10 for total in totals)


def place_and_name(tiles, options):
    """The number in the table of 4.2, 1 to 32, and the name."""
    ranks = named_ranks(options)
    for number, (name, holdings) in enumerate(ranks, start=1):
        for holding in holdings:
            if sorted(tiles) == sorted(holding):
                return number, name
    count = points(tiles, options)
    return 32 - count, f"points-{count}"


def rank_name(tiles, options):
    """Name a holding as a log does."""
    return place_and_name(tiles, options)[1]


def tile_rank(tile, options):
    """The PG rank of one tile, 1 the best."""
    if tile in ["24", "12"] and options["ds_rank"] == "equal":
        return 17
    return RANK[tile]


def by_tiles(player, banker, options):
    """Who wins between point hands of equal points, steps 3 and 4 of 4.3; None if equal."""
    player_ranks = sorted(tile_rank(tile, options) for tile in player)
    banker_ranks = sorted(tile_rank(tile, options) for tile in banker)
    if player_ranks[0] != banker_ranks[0]:
        return "player" if player_ranks[0] < banker_ranks[0] else "banker"
    if options["point_tiebreak"] == "two_tiles":
        if player_ranks[1] != banker_ranks[1]:
            return "player" if player_ranks[1] < banker_ranks[1] else "banker"
        return None
    if options["ds_rank"] == "equal":
        return None
    for name, higher, lower in [("player", player, banker), ("banker", banker, player)]:
        if "24" in higher and "12" in lower:
            rest_of_higher = [tile for tile in higher if tile != "24"]
            rest_of_lower = [tile for tile in lower if tile != "12"]
            if RANK[rest_of_higher[0]] == RANK[rest_of_lower[0]]:
                return name
    return None


def equal_or_better(player, banker, options):
    """Who has the higher hand: "player", "banker" or None when they are equal (4.2, 4.3)."""
    player_place, _ = place_and_name(player, options)
    banker_place, _ = place_and_name(banker, options)
    if player_place != banker_place:
        return "player" if player_place < banker_place else "banker"
    if player_place >= 23:
        return by_tiles(player, banker, options)
    if 17 <= player_place <= 22 and options["combo_subrank"] == "by_second_tile":
        player_other = next(RANK[tile] for tile in player if tile not in ["66", "11"])
        banker_other = next(RANK[tile] for tile in banker if tile not in ["66", "11"])
        if player_other != banker_other:
            return "player" if player_other < banker_other else "banker"
    return None


def compare(player, banker, options):
    """Decide a player against the banker: "player", "banker" or "push"."""
    names = [rank_name(player, options), rank_name(banker, options)]
    if names == ["points-0", "points-0"] and options["zero_rule"] == "zero_no_rank":
        return "banker"
    winner = equal_or_better(player, banker, options)
    if winner is not None:
        return winner
    return "banker" if options["tie_rule"] == "banker_wins" else "push"


def beats(tiles, other, options):
    """Whether a player with `tiles` beats a banker with `other`."""
    return compare(tiles, other, options) == "player"


def read(hand, options):
    """Go through the events; give the banker, X, each player's Y and each seat's tiles (4.1)."""
    events, compares = hand["events"][:17], hand["events"][17:]
    types = [event["type"] for event in events]
    phases = ["bid"] * 4 + ["banker"] + ["bet"] * 3 + ["dice"] + ["deal"] * 4 + ["reveal"] * 4
    require(types == phases, "the phases are not those of PG-3")
    multiples, carry = hand["stakes"]["bid_multiples"], seats_of(hand)
    bids = {}
    for event in events[0:4]:
        require(event["seat"] not in bids, "two bids of one seat")
        require(event["multiple"] in multiples, "no bid of the table")
        require(event["multiple"] == 0 or not event.get("auto"), "an automatic bid is 0")
        bids[event["seat"]] = event["multiple"]
    highest = max(bids.values())
    legal = [seat for seat in bids if bids[seat] == highest]
    if highest > 0 and options["bid_tie"] == "most_coins":
        richest = max(carry[seat] for seat in legal)
        legal = [seat for seat in legal if carry[seat] == richest]
    banker, x = events[4]["seat"], events[4]["multiple"]
    require(banker in legal, "not the banker")
    require(x == (highest if highest > 0 else 1), "not X")
    y = {}
    for event in events[5:8]:
        offered = event.get("offered", hand["stakes"]["bet_multiples"])
        require(event["seat"] != banker and event["seat"] not in y, "not a bet of this seat")
        require(event["multiple"] in offered, "not offered")
        require(event["multiple"] == min(offered) or not event.get("auto"), "not the smallest")
        y[event["seat"]] = event["multiple"]
    require(all(event["type"] == "compare" for event in compares), "more than was to come")
    compared = [event["seat"] for event in compares]
    require(banker not in compared, "the banker is compared with itself")
    require(len(set(compared)) == len(compared), "two comparisons of one seat")
    return banker, x, y, read_tiles(events[8:], banker, options)


def read_tiles(events, banker, options):
    """Deal and reveal: the tiles of each seat (PG-9, PG-10, PG-11)."""
    start = (banker - (sum(events[0]["values"]) - 1)) % 4
    tiles, dealt = {}, []
    for step, event in enumerate(events[1:5]):
        require(event["seat"] == (start + step) % 4, "not this seat's deal")
        require(len(event["tiles"]) == 2, "not two tiles")
        tiles[event["seat"]] = event["tiles"]
        dealt += event["tiles"]
        require_set(dealt)
    showing = [banker, (banker - 1) % 4, (banker - 2) % 4, (banker - 3) % 4]
    if options["reveal"] == "banker_last":
        showing = showing[1:] + showing[:1]
    for seat, event in zip(showing, events[5:9], strict=True):
        require(event["seat"] == seat, "not this seat's reveal")
        require(sorted(event["tiles"]) == sorted(tiles[seat]), "not the tiles dealt")
    return tiles


def capped_totals(won, lost, cap, way):
    """What the winners receive and what the losers pay together, W′ and L′ of step 5."""
    net = lost - won
    if way == "none":
        return won, lost
    if way == "gross_first":
        paid = min(lost, cap)
        return min(won, cap + paid), paid
    if way == "gross_both":
        return min(won, cap), min(lost, cap)
    if net > cap:
        if way == "net_side":
            return won, won + cap
        received = won * cap // net
        return received, received + cap
    if net < -cap:
        if way == "net_side":
            return lost + cap, lost
        paid = lost * cap // -net
        return paid + cap, paid
    return won, lost


def theoretical_of(hand, banker, x, y, outcome):
    """4.4, steps 1 and 2: what each seat would win or lose before any cap."""
    base = minor(hand["stakes"]["base"], hand["minor_digits"])
    sign = {"player": 1, "banker": -1, "push": 0}
    theoretical = {seat: sign[outcome[seat]] * base * x * y[seat] for seat in y}
    theoretical[banker] = -sum(theoretical.values())
    return theoretical


def gross_of(theoretical, banker, carry, options):
    """4.4, steps 3 to 6: the gross of each seat, from the theoretical of the three players."""
    players = [(banker + 1) % 4, (banker + 2) % 4, (banker + 3) % 4]
    winners, losers = dict.fromkeys(players, 0), dict.fromkeys(players, 0)
    for seat in players:
        stake = abs(theoretical[seat])
        if theoretical[seat] > 0:
            clips = options["player_clip"] == "both"
            winners[seat] = min(stake, carry[seat]) if clips else stake
        else:
            clips = options["player_clip"] in ["both", "loss_only"]
            losers[seat] = min(stake, carry[seat]) if clips else stake
    received, paid = capped_totals(
        sum(winners.values()), sum(losers.values()), carry[banker], options["banker_cap"]
    )
    winners = share(received, winners, players, options["rounding"])
    losers = share(paid, losers, players, options["rounding"])
    gross = {seat: winners[seat] - losers[seat] for seat in players}
    gross[banker] = -sum(gross[seat] for seat in players)
    return gross


def rakes_of(gross, banker, options):
    """4.4, step 7."""
    rate, way = options["rake_rate"], options["rake_round"]
    rake = {seat: rake_of(gross[seat], rate, way) for seat in range(4)}
    if options["rake_basis"] == "per_pair":
        rake[banker] = sum(rake_of(-gross[seat], rate, way) for seat in range(4) if seat != banker)
    return rake


def settle(hand, options):
    """4.4, steps 1 to 9."""
    digits, carry = hand["minor_digits"], seats_of(hand)
    banker, x, y, tiles = read(hand, options)
    outcome = {seat: compare(tiles[seat], tiles[banker], options) for seat in y}
    gross = gross_of(theoretical_of(hand, banker, x, y, outcome), banker, carry, options)
    rake = rakes_of(gross, banker, options)
    net = {seat: gross[seat] - rake[seat] for seat in range(4)}
    figure = gross if options["valid_bet"] == "abs_gross_net" else net
    valid = {seat: abs(figure[seat]) for seat in range(4)}
    if options["banker_valid"] == "sum_players":
        valid[banker] = sum(valid[seat] for seat in range(4) if seat != banker)
    return rows(gross, rake, net, valid, digits)


def settle_void(hand):
    """A void hand owes nothing."""
    nothing = dict.fromkeys(range(4), 0)
    return rows(nothing, nothing, nothing, nothing, hand["minor_digits"])


def rows(gross, rake, net, valid, digits):
    """Write the settlement."""
    return {
        "seats": [
            {
                "seat": seat,
                "gross": money(gross[seat], digits),
                "rake": money(rake[seat], digits),
                "net": money(net[seat], digits),
                "valid_bet": money(valid[seat], digits),
            }
            for seat in range(4)
        ]
    }
