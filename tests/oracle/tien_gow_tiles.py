"""Tien Gow: what tiles make, what beats what, and the wall (docs/rules.md, 5.2 to 5.5)."""

from tests.oracle.common import CIVIL, MILITARY

# Military tiles of one name, high to low.
MILITARY_NAMES = [["36", "45"], ["26", "35"], ["25", "34"], ["24"], ["14", "23"], ["12"]]

# The four groups, high to low: a civil tile with its two military ones.
GROUPS = [
    ["66", ["36", "45"]],
    ["11", ["26", "35"]],
    ["44", ["25", "34"]],
    ["13", ["14", "23"]],
]

# What captures a 么.
CAPTURER = {"15": ["16"], "12": ["24"]}


def leads():
    """List every lead by its tiles as (tiles, type, height); a type's highest has height 0."""
    every = []
    for height, tile in enumerate(CIVIL):
        every.append(([tile], "civil single", height))
        every.append(([tile, tile], "civil pair", height))
    for height, tiles in enumerate(MILITARY_NAMES):
        every += [([tile], "military single", height) for tile in tiles]
        if len(tiles) == 2:
            every.append((tiles, "military pair", height))
    every.append((["24", "12"], "supreme", 0))
    for height, (civil, (one, other)) in enumerate(GROUPS):
        for military in [one, other]:
            every.append(([civil, military], "mixed pair", height))
            every.append(([civil, civil, military], "three, two civil", height))
        every.append(([civil, one, other], "three, two military", height))
        every.append(([civil, civil, one, other], "quad", height))
    return every


LEADS = leads()


def kind_of(tiles):
    """Give the type and height of a lead; None for tiles that may not be led."""
    for lead, name, height in LEADS:
        if sorted(lead) == sorted(tiles):
            return name, height
    return None


def may_follow(tiles, plays, options):
    """Whether tiles beat all face-up plays of a trick so far, the lead first (TG-20 to TG-22)."""
    lead, best = plays[0], plays[-1]
    if kind_of(tiles) is None or kind_of(tiles)[0] != kind_of(lead)[0]:
        return False
    if kind_of(lead)[0] == "supreme":
        return False
    if lead == ["15", "15"]:
        if options["wen_zun"] == "true_unbeatable":
            return False
        if options["wen_zun"] == "true_capturable":
            return tiles == ["16", "16"] and len(plays) == 1
    return kind_of(tiles)[1] < kind_of(best)[1]


def is_yao(lead, options):
    """Whether a lead is a single 么 (TG-60)."""
    if lead == ["15"]:
        return options["yao15"] == "always" or options["wen_zun"] != "off"
    return lead == ["12"]


def wall_deals(method, stacks, game, options):
    """Give the tiles of T1, T2, T3 and T4; None where the wall is not compared (ruling 18)."""

    def of(*numbers):
        return [tile for number in numbers for tile in stacks[number - 1]]

    if game == "small-tien-gow":
        small = {
            "side-left": [of(1), of(2), of(3), of(4)],
            "side-right": [of(8), of(7), of(6), of(5)],
        }
        return small.get(method)
    if method == "layer":
        return [[stack[layer] for stack in stacks] for layer in range(4)]
    big = {
        "side-left": [of(1, 2), of(3, 4), of(5, 6), of(7, 8)],
        "side-right": [of(8, 7), of(6, 5), of(4, 3), of(2, 1)],
        "stack-by-stack": [of(1, 5), of(2, 6), of(3, 7), of(4, 8)],
        "alternate": [of(1, 3), of(2, 4), of(5, 7), of(6, 8)],
        "heart": [of(4, 5), of(3, 6), of(2, 7), of(1, 8)],
        "ears": [of(1, 8), of(2, 7), of(3, 6), of(4, 5)],
        "dragon-phoenix": [of(1, 7), of(2, 8), of(3, 4), of(5, 6)],
        "twin-wings": [of(2, 3), of(4, 1), of(5, 8), of(6, 7)],
        "three-lions": [of(1, 6), of(3, 7), of(5, 8), of(2, 4)],
    }
    if options["restack"] == "mirrored":
        big["dragon-phoenix"] = [of(1, 8), of(2, 7), of(3, 4), of(5, 6)]
        big["twin-wings"] = [of(2, 3), of(4, 8), of(5, 1), of(6, 7)]
        big["three-lions"] = [of(1, 8), of(3, 7), of(5, 6), of(2, 4)]
    return big[method]


def patterns_of(tiles, options):
    """List every 例牌 pattern that dealt tiles hold (5.9)."""
    red = sum(red_of(tile, options) for tile in tiles)
    civil = sum(1 for tile in tiles if tile in CIVIL)
    military = sum(1 for tile in tiles if tile in MILITARY)
    held = []
    if red == 0:
        held.append("all-white")
    if red == 1:
        held.append("one-red")
    if military == 7:
        held.append("seven-military")
    if military == 8:
        held.append("eight-military")
    if civil == 7:
        held.append("seven-civil")
    if civil == 8:
        held.append("eight-civil")
    pairs = sum(1 for tile in CIVIL if tiles.count(tile) == 2)
    pairs += sum(1 for names in MILITARY_NAMES if len(names) == 2 and set(names) <= set(tiles))
    if pairs == 4:
        held.append("four-pairs")
    return held


def red_of(tile, options):
    """Count the red pips, or the red halves, of a tile (TG-84)."""
    if tile == "66":
        if options["tian_red"] == 0:
            return 0
        return 2 if options["one_red"] == "halves" else 6
    red_halves = [half for half in tile if half in ["1", "4"]]
    if options["one_red"] == "halves":
        return len(red_halves)
    return sum(int(half) for half in red_halves)
