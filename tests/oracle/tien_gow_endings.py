"""Tien Gow: who owes what in units (docs/rules.md, 5.6 to 5.9).

`bank` is {"banker": seat, "multiple": M}. A trick is as `tien_gow.read` makes it.
"""

from tests.oracle.common import require
from tests.oracle.tien_gow_tiles import CAPTURER, is_yao, kind_of, patterns_of


def multiple(payer, collector, bank, options):
    """TG-41, TG-52, TG-53, TG-56, TG-57."""
    if options["multiplier_scope"] == "global":
        return bank["multiple"]
    if bank["banker"] in [payer, collector]:
        return bank["multiple"]
    return 1


def pay(units, payer, collector, amount):
    """Move units."""
    units[payer] -= amount
    units[collector] += amount


def lead_of(trick):
    """The tiles that were led."""
    return trick["plays"][0][1]


def best_of(trick):
    """The tiles with which the winner took the trick."""
    return next(tiles for seat, tiles in trick["plays"] if seat == trick["winner"])


def is_supreme_unbeaten(trick, options):
    """Whether a supreme was led and took the trick (5.5)."""
    if trick["winner"] != trick["leader"]:
        return False
    if kind_of(lead_of(trick))[0] == "supreme":
        return True
    return lead_of(trick) == ["15", "15"] and options["wen_zun"] != "off"


def immediate(trick, options):
    """What each other seat owes the winner of the trick at once, before multiples (5.6)."""
    if is_supreme_unbeaten(trick, options):
        return options["zun_base"]
    captured = lead_of(trick) == ["15", "15"] and best_of(trick) == ["16", "16"]
    if captured and options["wen_zun"] == "true_capturable":
        return options["zun_base"]
    if kind_of(lead_of(trick))[0] == "quad":
        return options["he_base"]
    return 0


def is_slam(tricks, taken, options):
    """5.7 step 2, 1, with TG-74 as `no_slam`."""
    w = tricks[-1]["winner"]
    if taken[w] != sum(taken.values()) or options["slam"] == "off":
        return False
    return not (has_barred_first_lead(tricks, options) and options["slam_first_lead"] == "no_slam")


def has_barred_first_lead(tricks, options):
    """TG-74: w led the first trick with a single 66, 36 or 45 or a supreme, and took it."""
    first, w = tricks[0], tricks[-1]["winner"]
    if first["leader"] != w or first["winner"] != w:
        return False
    return lead_of(first) in [["66"], ["36"], ["45"]] or is_supreme_unbeaten(first, options)


def slam_factor(tricks, options):
    """5.8."""
    last = tricks[-1]
    tiles, is_quad = best_of(last), kind_of(best_of(last))[0] == "quad"
    is_end_tile = tiles in [["66"], ["36"], ["45"], ["15"], ["12"]]
    if options["eight_rule"] == "multi_tile_only":
        name = "eight" if len(tiles) >= 2 else "seven"
    elif is_end_tile or is_quad or is_supreme_unbeaten(last, options):
        name = "eight"
    else:
        name = "seven"
    if is_quad and options["slam_stack"] == "replace":
        name = "eight_quad"
    if has_barred_first_lead(tricks, options) and options["slam_first_lead"] == "downgrade":
        name = "seven"
    factor = options[name + "_mult"]
    if options["slam_stack"] == "multiply":
        factor *= special_factor(tricks, options)
    return factor


def special_factor(tricks, options):
    """包尊, 四大包, 么結 or 1: what the last trick is worth by itself (5.7 step 2, 3)."""
    last = tricks[-1]
    if is_supreme_unbeaten(last, options):
        return options["bao_zun_mult"]
    if kind_of(best_of(last))[0] == "quad":
        return options["four_bao_mult"]
    is_yao_taken = is_yao(lead_of(last), options) and last["winner"] == last["leader"]
    if is_yao_taken and (options["yao_validity"] == "none" or is_capturer_live(tricks)):
        return options["yao_mult"]
    return 1


def is_capturer_live(tricks):
    """TG-63, with full knowledge of the discards."""
    gone = []
    for trick in tricks[:-1]:
        for _, tiles in trick["plays"] + trick["discards"]:
            gone += tiles
    if lead_of(tricks[-1]) == ["15"]:
        return gone.count("16") < 2
    return gone.count("24") < 1


def capture_factor(tricks, options):
    """5.7 step 2, 2: the factor of a capture, or None where there is none."""
    last = tricks[-1]
    if last["winner"] == last["leader"]:
        return None
    lead, best = lead_of(last), best_of(last)
    if is_yao(lead, options) and best == CAPTURER[lead[0]]:
        return options["capture_mult"]
    if kind_of(lead)[0] == "quad" and options["quad_capture"] == "liable":
        return options["quad_capture_mult"]
    if lead == ["15", "15"] and best == ["16", "16"]:
        exists = options["wen_zun"] in ["true_capturable", "fake"]
        if exists and options["wenzun_last_capture"] == "as_yao_capture":
            return options["capture_mult"]
    return None


def ending_of(tricks, taken, bank, options):
    """Give the units of each seat of a hand that was played out (5.7)."""
    units = dict.fromkeys(range(4), 0)
    for trick in tricks:
        earned = immediate_units(trick, bank, options)
        if trick is not tricks[-1] or options["bao_also_he"]:
            units = {seat: units[seat] + earned[seat] for seat in units}
    factor, victim, _ = special_of(tricks, taken, options)
    scored = scored_units(tricks[-1]["winner"], taken, factor, victim, bank, options)
    return {seat: units[seat] + scored[seat] for seat in units}


def immediate_units(trick, bank, options):
    """What a trick moves at once (5.6), were it not the last."""
    units, collector = dict.fromkeys(range(4), 0), trick["winner"]
    for seat in range(4):
        if seat != collector:
            owed = immediate(trick, options) * multiple(seat, collector, bank, options)
            pay(units, seat, collector, owed)
    return units


def special_of(tricks, taken, options):
    """5.7 step 2: the factor, who pays for all (or None), and the rule of a finding on units."""
    if is_slam(tricks, taken, options):
        return slam_factor(tricks, options), None, "TG-70"
    factor, victim = capture_factor(tricks, options), tricks[-1]["leader"]
    if factor is not None:
        is_quad = kind_of(lead_of(tricks[-1]))[0] == "quad"
        return factor, victim, "TG-66" if is_quad else "TG-64"
    return special_factor(tricks, options), None, "TG-50"


def scored_units(w, taken, factor, victim, bank, options):
    """5.7 step 3: what each seat pays or gets for its 棟."""
    units = dict.fromkeys(range(4), 0)
    for seat in range(4):
        if seat == w:
            continue
        if taken[seat] > options["par"]:
            above = (taken[seat] - options["par"]) * above_multiple(w, bank, options)
            pay(units, w, seat, above)
        else:
            below = options["par"] - taken[seat]
            if taken[seat] == 0:
                below = options["par"] + options["empty_extra"]
            debt = below * factor * multiple(seat, w, bank, options)
            pay(units, seat if victim is None else victim, w, debt)
    return units


def above_multiple(w, bank, options):
    """TG-54, TG-55, TG-57: the multiple of what w pays a loser above par."""
    if options["multiplier_scope"] == "global":
        return bank["multiple"]
    if w == bank["banker"] and options["in_paid_by_banker"] == "times_m":
        return bank["multiple"]
    return 1


def lipai_units(declaration, tiles, in_force, bank, options):
    """5.9: the units of each seat after a declared 例牌."""
    held = [name for name in patterns_of(tiles, options) if name in in_force]
    require(declaration["pattern"] in held, "not held, or not in force")
    factor = options["seven_mult"]
    for name in held:
        if name in ["all-white", "eight-military", "four-pairs", "eight-civil"]:
            factor = options["eight_mult"]
    units = dict.fromkeys(range(4), 0)
    declarer = declaration["seat"]
    for seat in range(4):
        if seat != declarer:
            owed = (options["par"] + options["empty_extra"]) * factor
            pay(units, seat, declarer, owed * multiple(seat, declarer, bank, options))
    return units
