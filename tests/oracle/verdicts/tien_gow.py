"""Verdicts on Tien Gow with eight and with four tiles: the events (FORMAT 6.3 to 6.5)."""

from tests.oracle.common import ALL_TILES
from tests.oracle.tien_gow import taker_of
from tests.oracle.tien_gow_endings import immediate, immediate_units, lead_of
from tests.oracle.tien_gow_tiles import kind_of, may_follow, patterns_of, wall_deals
from tests.oracle.verdicts.common import in_order
from tests.oracle.verdicts.tien_gow_figures import compare_result

__all__ = ["compare_result", "walk"]

ORDER = list(dict.fromkeys(ALL_TILES))
BONUS_RULES = {"supreme": "TG-40", "capture-supreme": "TG-42", "four-grand": "TG-44"}


class Table:
    """What has happened in a hand so far. A trick is as `tests.oracle.tien_gow.read` makes it."""

    def __init__(self, hand, options, findings):
        self.hand, self.options, self.findings = hand, options, findings
        self.size = 8 if hand["game"] == "tien-gow" else 4
        banker, streak = hand["banker"]["seat"], hand["banker"]["streak"]
        multiple = streak + 1 if options["multiple"] == "n_plus_1" else 2**streak
        self.bank = {"banker": banker, "multiple": multiple}
        self.dice, self.wall, self.takes = None, None, None
        self.dealt, self.held = {}, {}
        self.declared, self.is_void = False, False
        self.turn, self.trick, self.tricks, self.stated = banker, None, [], []
        self.won = dict.fromkeys(range(4), 0)

    def is_over(self):
        """Whether nothing has to come any more."""
        played_out = bool(self.tricks) and self.trick is None and self.held[0] == []
        return self.is_void or self.declared or played_out

    def may_come(self, name, seat):
        """Whether an event is in its phase and not doubled (6.3, 21 and 26)."""
        if self.is_void or self.declared:
            return False
        if name in ["trick", "bonus"]:
            return bool(self.tricks) and self.trick is None and name not in self.stated
        if self.is_over():
            return False
        if name == "dice":
            return self.dice is None and not self.dealt
        if name == "wall":
            return self.dice is not None and self.wall is None and not self.dealt
        if name == "deal":
            return seat not in self.dealt
        return len(self.dealt) == 4

    def see(self, number, event):
        """One event, in the order of 6.3, 20."""
        self.findings.clock(number, event)
        name, seat = event["type"], event.get("seat")
        if name == "void" and not self.is_void:
            self.is_void = True
            return
        at = {"event": number, "seat": seat}
        if not self.may_come(name, seat):
            self.findings.stop("event-order", None, logged=name, **at)
        see = "act" if name in ["play", "discard"] else name
        getattr(self, f"see_{see}")(event, at)

    def see_dice(self, event, at):
        """Without a thrower it is the seat opposite the banker."""
        thrower = event.get("seat", (self.bank["banker"] + 2) % 4)
        self.dice = (thrower + sum(event["values"]) - 1) % 4

    def see_wall(self, event, at):
        """3.2 of the rulebook."""
        self.require_set([tile for stack in event["stacks"] for tile in stack], at)
        self.wall = event["stacks"]
        takes = wall_deals(event["method"], event["stacks"], self.hand["game"], self.options)
        if takes is not None:
            self.takes = {(self.dice + step) % 4: takes[step] for step in range(4)}

    def require_set(self, tiles, at):
        """`tile-excess`: the first tile, in the order of chapter 1, that is there too often."""
        for tile in ORDER:
            if tiles.count(tile) > ALL_TILES.count(tile):
                self.findings.stop("tile-excess", None, logged=tile, **at)

    def see_deal(self, event, at):
        """TG-1."""
        seat, tiles = event["seat"], event["tiles"]
        if len(tiles) != self.size:
            self.findings.stop("deal-count", "TG-1", logged=len(tiles), expected=self.size, **at)
        self.require_set([tile for other in self.dealt.values() for tile in other] + tiles, at)
        if self.takes is not None and sorted(self.takes[seat]) != sorted(tiles):
            self.findings.stop(
                "deal-wall", None,
                logged=in_order(tiles, ORDER), expected=in_order(self.takes[seat], ORDER), **at,
            )  # fmt: skip
        self.dealt[seat] = tiles
        self.held[seat] = list(tiles)

    def see_declare(self, event, at):
        """TG-82, TG-80, TG-81."""
        pattern = event["pattern"]
        held = patterns_of(self.dealt[event["seat"]], self.options)
        in_force = self.options["lipai"] + self.hand["stakes"].get("lipai", [])
        for rule, holds in [
            ("TG-82", self.trick is None and not self.tricks),
            ("TG-80", pattern in held),
            ("TG-81", pattern in in_force),
        ]:
            if not holds:
                self.findings.stop("declaration-invalid", rule, logged=pattern, **at)
        self.declared = True

    def see_act(self, event, at):
        """A play or a discard: whose turn, what is held, then what the rules allow."""
        seat, tiles = event["seat"], event["tiles"]
        if seat != self.turn:
            rule = "TG-25" if self.trick is not None else "TG-26" if self.tricks else "TG-4"
            self.findings.stop("out-of-turn", rule, logged=seat, expected=self.turn, **at)
        for tile in ORDER:
            if tiles.count(tile) > self.held[seat].count(tile):
                self.findings.stop("tile-not-held", None, logged=tile, **at)
        told = in_order(tiles, ORDER)
        if self.trick is None:
            if event["type"] == "discard" or kind_of(tiles) is None:
                self.findings.stop("lead-illegal", None, logged=told, **at)
            self.trick = {"leader": seat, "plays": [], "discards": []}
        else:
            rule = self.refusal_of(event)
            if rule is not None:
                code = "not-eligible" if rule == "TG-32" else "follow-illegal"
                self.findings.stop(code, rule, logged=told, **at)
        self.trick[f"{event['type']}s"].append((seat, tiles))
        for tile in tiles:
            self.held[seat].remove(tile)
        self.turn = (seat + 1) % 4
        if len(self.trick["plays"]) + len(self.trick["discards"]) == 4:
            self.close()

    def refusal_of(self, event):
        """The rule that a follow breaks, or None (FORMAT 6.5, ruling 8)."""
        tiles, plays = event["tiles"], [play for _, play in self.trick["plays"]]
        lead, best = kind_of(plays[0]), kind_of(plays[-1])
        if len(tiles) != len(plays[0]):
            return "TG-20"
        if event["type"] == "discard":
            return None
        kind = kind_of(tiles)
        if kind is None or kind[0] != lead[0] or kind[0] == "supreme":
            return "TG-21"
        if not may_follow(tiles, plays, self.options):
            return "TG-22" if kind[1] == best[1] else "TG-20"
        seat = event["seat"]
        is_last = len(self.held[seat]) == len(tiles)
        if is_last and self.won[seat] + len(tiles) < self.options["min_jie"]:
            return "TG-32"
        return None

    def close(self):
        """The trick is complete: who takes it (TG-26, TG-62)."""
        trick = self.trick
        is_last = self.held[0] == []
        trick["winner"] = taker_of(trick, is_last=is_last, options=self.options)
        self.won[trick["winner"]] += len(lead_of(trick))
        self.turn, self.trick, self.stated = trick["winner"], None, []
        self.tricks.append(trick)

    def see_trick(self, event, at):
        """TG-26."""
        self.stated.append("trick")
        trick = self.tricks[-1]
        logged = f"{event['seat']}/{event['tiles']}"
        right = f"{trick['winner']}/{len(lead_of(trick))}"
        if logged != right:
            self.findings.add("trick-mismatch", "TG-26", logged=logged, expected=right, **at)

    def see_bonus(self, event, at):
        """TG-40, TG-42, TG-44."""
        self.stated.append("bonus")
        earned = self.bonus_of(self.tricks[-1])
        logged = (event["kind"], event["seat"], event["units"])
        right = None if earned is None else bonus_text(*earned)
        if bonus_text(*logged) != right:
            rule = BONUS_RULES[(earned or logged)[0]]
            self.findings.add(
                "bonus-mismatch", rule, logged=bonus_text(*logged), expected=right, **at
            )

    def bonus_of(self, trick):
        """The kind, the collector and the units of what a trick earned; None for nothing."""
        if self.held[0] == [] and not self.options["bao_also_he"]:
            return None
        kind, lead = kind_of(lead_of(trick))[0], lead_of(trick)
        if kind == "quad":
            name = "four-grand"
        elif kind == "supreme" or (
            lead == ["15", "15"]
            and self.options["wen_zun"] != "off"
            and trick["winner"] == trick["leader"]
        ):
            name = "supreme"
        elif lead == ["15", "15"] and self.options["wen_zun"] == "true_capturable":
            name = "capture-supreme"
        else:
            assert immediate(trick, self.options) == 0
            return None
        units = immediate_units(trick, self.bank, self.options)
        return name, trick["winner"], [units[seat] for seat in range(4)]


def bonus_text(kind, seat, units):
    """A bonus as 6.5 writes it."""
    return f"{kind} {seat} {','.join(str(unit) for unit in units)}"


def walk(hand, options, findings):
    """Go through the events. Raises: Stop."""
    table = Table(hand, options, findings)
    for number, event in enumerate(hand["events"]):
        table.see(number, event)
    if not table.is_over():
        findings.stop("event-order", None)
