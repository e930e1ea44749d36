"""Verdicts on Wenzhou Pai Gow (FORMAT 6.3 to 6.5)."""

from tests.oracle.common import ALL_TILES, minor, money
from tests.oracle.verdicts.common import explained_by, is_void
from tests.oracle.wenzhou import DOORS, POSITIONS, compare, valid_of

RULES = {"profit": "WZ-23", "valid_bet": "WZ-27"}
TRIED = {
    "odds_win": ["1", "0.99"],
    "odds_lose": ["0.94", "0.93"],
    "zero_rule": ["door_zero_loses", "zero_vs_zero_by_tile", "banker_zero_sweeps_all"],
    "same_door_both": ["allow_flag", "reject"],
    "valid_bet": ["abs_pnl", "stake"],
    "hedge": ["offset", "none"],
    "round": ["floor", "half_up"],
}


class Table:
    """What has happened in a hand so far."""

    def __init__(self, hand, options, findings):
        self.hand, self.options, self.findings = hand, options, findings
        self.wagers = []
        self.dice = None
        self.tiles = {position: [] for position in POSITIONS}
        self.dealt = []
        self.told = []
        self.is_void = False

    def required(self):
        """The type of event that is still required, or None."""
        if self.is_void:
            return None
        if self.dice is None:
            return "dice"
        return "deal" if len(self.dealt) < 8 else None

    def may_come(self, event):
        """Whether an event is in its phase and not doubled (6.3, 21 and 24)."""
        name, due = event["type"], self.required()
        if self.is_void:
            return False
        if name in ["wager", "dice"]:
            return due == "dice"
        if name == "rescan":
            return due != "dice"
        if name == "deal":
            return due == "deal" and len(self.tiles[event["position"]]) < 2
        assert name == "outcome", name
        return due is None and event["door"] not in self.told

    def see(self, number, event):
        """One event, in the order of 6.3, 20."""
        self.findings.clock(number, event)
        name = event["type"]
        if name == "void" and not self.is_void:
            self.is_void = True
        elif not self.may_come(event):
            self.findings.stop(
                "event-order", "WZ-3", event=number, logged=name, expected=self.required()
            )
        elif name == "dice":
            self.dice = sum(event["values"])
        elif name != "rescan":
            getattr(self, f"see_{name}")(number, event)

    def see_wager(self, number, event):
        """WZ-21 and WZ-22, in the order of 6.3, 25."""
        digits, stakes = self.hand["minor_digits"], self.hand["stakes"]
        door, side, stake = event["door"], event["side"], minor(event["stake"], digits)

        def refuse(rule, logged, expected):
            self.findings.stop(
                "wager-illegal", rule, event=number, subject=event["bet"],
                logged=logged, expected=expected,
            )  # fmt: skip

        if door not in DOORS:
            refuse("WZ-21", door, ",".join(DOORS))
        if stake <= 0:
            refuse("WZ-21", money(stake, digits), None)
        for name, sign in [("min", 1), ("max", -1)]:
            if name in stakes:
                limit = minor(stakes[name], digits)
                if sign * stake < sign * limit:
                    refuse("WZ-21", money(stake, digits), money(limit, digits))
        mine = [other for other in self.wagers if other["player"] == event["player"]]
        doors = {other["door"] for other in mine if other["side"] == side} | {door}
        if len(doors) > self.options[f"max_{side}_doors"]:
            refuse("WZ-21", len(doors), self.options[f"max_{side}_doors"])
        sides = {other["side"] for other in mine if other["door"] == door}
        if sides - {side}:
            if self.options["same_door_both"] == "reject":
                refuse("WZ-22", side, "lose" if side == "win" else "win")
            if side not in sides:
                self.findings.add(
                    "wager-hedged", "WZ-22", event=number, subject=event["bet"], severity="warning"
                )
        self.wagers.append(event)

    def see_deal(self, number, event):
        """WZ-3, WZ-4, WZ-1."""
        first = {1: 0, 2: 1, 3: 2, 0: 3}[self.dice % 4]
        right = POSITIONS[(first + len(self.dealt)) % 4]
        position, tiles = event["position"], event["tiles"]
        if position != right:
            self.findings.stop(
                "deal-order", "WZ-4" if self.dealt else "WZ-3",
                event=number, subject=position, logged=position, expected=right,
            )  # fmt: skip
        if len(tiles) != 1:
            self.findings.stop(
                "deal-count", "WZ-4", event=number, subject=position, logged=len(tiles), expected=1
            )
        (tile,) = tiles
        copies = self.dealt.count(tile) + 1
        if copies > ALL_TILES.count(tile):
            self.findings.stop(
                "tile-excess", "WZ-1", event=number, subject=tile,
                logged=copies, expected=ALL_TILES.count(tile),
            )  # fmt: skip
        self.tiles[position].append(tile)
        self.dealt.append(tile)

    def see_outcome(self, number, event):
        """WZ-5."""
        door = event["door"]
        self.told.append(door)
        winner = compare(self.tiles[door], self.tiles["bank"], self.options)
        if event["winner"] != winner:
            self.findings.add(
                "outcome-mismatch", "WZ-5", event=number, subject=door,
                logged=event["winner"], expected=winner,
            )  # fmt: skip


def walk(hand, options, findings):
    """Go through the events. Raises: Stop."""
    table = Table(hand, options, findings)
    for number, event in enumerate(hand["events"]):
        table.see(number, event)
    if table.required() is not None:
        findings.stop("event-order", "WZ-3", expected=table.required())


def figures_of(result, digits):
    """The figures of a result or a settlement: by group, then by name, then by figure."""
    return {
        group: {
            row[group]: {name: minor(row[name], digits) for name in RULES}
            for row in result[f"{group}s"]
        }
        for group in ["bet", "player"]
        if f"{group}s" in result
    }


def wrong_of(logged, due):
    """The wrong figures as (name, group, owner, logged, expected), in the order of 6.4, 27.

    An entry that is missing, or belongs to nothing, is one wrong profit (6.4, 31).
    """
    wrong = []
    for name in RULES:
        for group, rows in logged.items():
            for owner, row in due[group].items():
                if owner in rows and rows[owner][name] != row[name]:
                    wrong.append((name, group, owner, rows[owner][name], row[name]))
                if owner not in rows and name == "profit":
                    wrong.append((name, group, owner, None, row[name]))
            for owner, row in rows.items():
                if owner not in due[group] and name == "profit":
                    wrong.append((name, group, owner, row[name], None))
    return wrong


def compare_result(line, hand, options, settlement, findings):
    """Findings on `result`."""
    digits = hand["minor_digits"]
    logged = figures_of(hand["result"], digits)

    def is_right(other, _):
        return wrong_of(logged, figures_of(other, digits)) == []

    wrong = wrong_of(logged, figures_of(settlement, digits))
    explained = []
    if wrong and not is_void(hand):
        explained = explained_by(line, options, TRIED, "wz", is_right)
    for name, group, owner, value, expected in wrong:
        follows = False
        if value is not None and expected is not None and not is_void(hand):
            follows = follow(name, group, owner, hand, logged, options) == value
        findings.add(
            f"{name.replace('_', '-')}-mismatch", RULES[name], subject=owner,
            logged=None if value is None else money(value, digits),
            expected=None if expected is None else money(expected, digits),
            follows=follows, explained_by=explained,
        )  # fmt: skip


def follow(name, group, owner, hand, logged, options):
    """A figure computed again from earlier logged ones (6.4, 29); None where it cannot be."""
    wagers = [event for event in hand["events"] if event["type"] == "wager"]
    bets = logged["bet"]
    if group == "bet":
        if name == "profit":
            return None
        (wager,) = [wager for wager in wagers if wager["bet"] == owner]
        stake = minor(wager["stake"], hand["minor_digits"])
        return valid_of(stake, bets[owner]["profit"], options)
    mine = [wager["bet"] for wager in wagers if wager["player"] == owner]
    if any(bet not in bets for bet in mine):
        return None
    if name == "valid_bet" and options["hedge"] == "offset":
        return None
    return sum(bets[bet][name] for bet in mine)
