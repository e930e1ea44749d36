"""Verdicts on Tien Gow: the figures of `result` (FORMAT 6.4 and 6.5)."""

from tests.oracle.common import minor, money, rake_of, seats_of
from tests.oracle.tien_gow import pooled, read
from tests.oracle.tien_gow_endings import (
    immediate_units,
    lead_of,
    scored_units,
    special_of,
)
from tests.oracle.verdicts.common import explained_by, is_void

MONEY = ["gross", "rake", "net", "valid_bet", "carry_out"]
STAGES = ["winner", "tricks", "units", "next", *MONEY]
TRIED = {
    "min_jie": [1, 2],
    "multiple": ["n_plus_1", "two_pow_n"],
    "multiplier_scope": ["banker_pairs", "global"],
    "in_paid_by_banker": ["times_m", "times_1"],
    "wen_zun": ["true_capturable", "true_unbeatable", "fake", "off"],
    "bao_also_he": [False, True],
    "yao15": ["always", "with_wen_zun"],
    "yao_validity": ["none", "capturer_live"],
    "capture_priority": ["must_win", "first_captor"],
    "capture_mult": [2, 4],
    "quad_capture_mult": [2, 4],
    "quad_capture": ["liable", "none"],
    "wenzun_last_capture": ["as_yao_capture", "ordinary"],
    "slam": ["on", "off"],
    "eight_rule": ["last_tile_kind", "multi_tile_only"],
    "slam_stack": ["replace", "multiply"],
    "slam_first_lead": ["no_slam", "downgrade", "off"],
    "tian_red": [0, 6],
    "one_red": ["pips", "halves"],
    "restack": ["in_order", "mirrored"],
    "rake_round": ["floor", "half_up", "min_one"],
    "carry_cap": ["none", "net_pool"],
    "valid_bet": ["abs_gross_net", "abs_net"],
}


def due_of(hand, settlement):
    """Every figure as it should be, by stage and owner: a seat, or None for the whole hand."""
    digits, rows = hand["minor_digits"], settlement["seats"]
    due = {(name, row["seat"]): row[name] for name in ["tricks", "units"] for row in rows}
    due |= {(name, row["seat"]): minor(row[name], digits) for name in MONEY[:-1] for row in rows}
    for seat, carry in seats_of(hand).items():
        due["carry_out", seat] = carry + due["net", seat]
    due["winner", None] = settlement["winner"]
    due["next", None] = (settlement["next"]["banker"], settlement["next"]["streak"])
    return due


def logged_of(hand):
    """The logged figures in the same form; in a void hand without those that are not compared."""
    digits, result = hand["minor_digits"], hand["result"]
    logged = {}
    for row in result["seats"]:
        for name in STAGES:
            if name in row:
                amount = row[name]
                logged[name, row["seat"]] = minor(amount, digits) if name in MONEY else amount
    if not is_void(hand):
        logged["winner", None] = result["winner"]
        if "next" in result:
            logged["next", None] = (result["next"]["banker"], result["next"]["streak"])
    return logged


def wrong_of(logged, due):
    """The wrong figures, in the order of 6.4, 27."""
    wrong = [key for key, value in logged.items() if value != due[key]]
    return sorted(wrong, key=lambda key: (STAGES.index(key[0]), key[1] or 0))


def compare_result(line, hand, options, settlement, findings):
    """Findings on `result`."""
    digits, logged, due = hand["minor_digits"], logged_of(hand), due_of(hand, settlement)

    def is_right(other, _):
        return wrong_of(logged, due_of(hand, other)) == []

    wrong, explained = wrong_of(logged, due), []
    if wrong and not is_void(hand):
        tried = TRIED if hand["game"] == "tien-gow" else {**TRIED, "par": [2, 4]}
        explained = explained_by(line, options, tried, "tg", is_right)
    way = Way(hand, options, logged)
    for key in wrong:
        name, seat = key
        follows = not is_void(hand) and way.follow(name, seat) == logged[key]
        findings.add(
            f"{name.replace('_', '-')}-mismatch", rule_of(key, logged, due, way), seat=seat,
            logged=text_of(name, logged[key], digits), expected=text_of(name, due[key], digits),
            follows=follows, explained_by=explained,
        )  # fmt: skip
    rows = {
        seat: {name: logged[name, seat] for name in ["gross", "rake", "net"]} for seat in range(4)
    }
    findings.not_conserved(None, rows, digits, [])


def text_of(name, value, digits):
    """A figure as 6.5 writes it."""
    if name == "next":
        return f"{value[0]}/{value[1]}"
    return money(value, digits) if name in MONEY else value


def rule_of(key, logged, due, way):
    """The rule of a finding on a figure (6.5)."""
    name = key[0]
    if name == "winner":
        return "TG-86" if way.declaration else "TG-30"
    if name == "units":
        return way.units_rule
    if name == "next":
        return "TG-5" if logged[key][0] != due[key][0] else "TG-6"
    if name == "gross":
        return "TG-90" if way.options["carry_cap"] == "net_pool" else "TG-58"
    rules = {"tricks": "TG-26", "rake": "TG-91", "net": "TG-91", "valid_bet": "TG-92"}
    return rules.get(name)


class Way:
    """How later figures come from earlier logged ones (6.4, 29)."""

    def __init__(self, hand, options, logged):
        self.hand, self.options, self.logged = hand, options, logged
        self.declaration, self.tricks, self.units_rule = None, [], "TG-50"
        if is_void(hand):
            return
        self.declaration, _, self.tricks = read(hand, options)
        self.taken = dict.fromkeys(range(4), 0)
        for trick in self.tricks:
            self.taken[trick["winner"]] += len(lead_of(trick))
        if self.declaration is not None:
            self.units_rule = "TG-85"
        else:
            self.units_rule = special_of(self.tricks, self.taken, options)[2]
        banker, streak = hand["banker"]["seat"], hand["banker"]["streak"]
        multiple = streak + 1 if options["multiple"] == "n_plus_1" else 2**streak
        self.bank = {"banker": banker, "multiple": multiple}

    def statements(self, name):
        """The logged `trick` or `bonus` event of each trick, None where there is none."""
        found, acts = [], 0
        for event in self.hand["events"]:
            if event["type"] in ["play", "discard"]:
                if acts % 4 == 0:
                    found.append(None)
                acts += 1
            elif event["type"] == name:
                found[-1] = event
        return found

    def follow(self, name, seat):
        """A figure computed again; None where it cannot be."""
        own = {figure: self.logged.get((figure, seat)) for figure in STAGES}
        if name in ["winner", "tricks"]:
            return self.by_tricks(name, seat)
        if name == "units":
            return self.units().get(seat)
        if name == "next":
            banker, streak = self.bank["banker"], self.hand["banker"]["streak"]
            winner = self.logged["winner", None]
            return (winner, streak + 1 if winner == banker else 1)
        if name == "gross":
            return self.gross()[seat]
        if name == "rake":
            return rake_of(own["gross"], self.options["rake_rate"], self.options["rake_round"])
        if name == "net":
            return own["gross"] - own["rake"]
        if name == "valid_bet":
            is_gross = self.options["valid_bet"] == "abs_gross_net"
            return abs(own["gross"] if is_gross else own["net"])
        return seats_of(self.hand)[seat] + own["net"]

    def by_tricks(self, name, seat):
        """The winner, or the 棟 of a seat, from the logged `trick` events."""
        if self.declaration is not None:
            return None
        told = [
            (trick["winner"], len(lead_of(trick)))
            if event is None
            else (event["seat"], event["tiles"])
            for trick, event in zip(self.tricks, self.statements("trick"), strict=True)
        ]
        if name == "winner":
            return told[-1][0]
        return sum(number for taker, number in told if taker == seat)

    def units(self):
        """From the logged winner, tricks and `bonus` events."""
        winner = self.logged["winner", None]
        taken = {seat: self.logged["tricks", seat] for seat in range(4)}
        factor, victim = 1, None
        if self.declaration is not None:
            # A right winner leads to the right units, which are not asked for.
            if winner == self.declaration["seat"]:
                return {}
        elif winner == self.tricks[-1]["winner"]:
            factor, victim, _ = special_of(self.tricks, self.taken, self.options)
        units = scored_units(winner, taken, factor, victim, self.bank, self.options)
        for trick, event in zip(self.tricks, self.statements("bonus"), strict=True):
            if event is not None:
                earned = dict(enumerate(event["units"]))
            elif trick is self.tricks[-1] and not self.options["bao_also_he"]:
                continue
            else:
                earned = immediate_units(trick, self.bank, self.options)
            units = {seat: units[seat] + earned[seat] for seat in units}
        return units

    def gross(self):
        """Logged units × base, after any cap."""
        base = minor(self.hand["stakes"]["base"], self.hand["minor_digits"])
        gross = {seat: self.logged["units", seat] * base for seat in range(4)}
        if self.options["carry_cap"] == "net_pool" and sum(gross.values()) == 0:
            return pooled(gross, seats_of(self.hand), self.logged["winner", None])
        return gross
