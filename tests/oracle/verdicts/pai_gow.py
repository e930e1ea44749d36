"""Verdicts on banker-bidding Pai Gow (FORMAT 6.3 to 6.5)."""

from tests.oracle.common import ALL_TILES, minor, money, seats_of
from tests.oracle.pai_gow import compare, gross_of, rakes_of, rank_name, read, theoretical_of
from tests.oracle.verdicts.common import explained_by, in_order, is_void, listed

ORDER = list(dict.fromkeys(ALL_TILES))
PHASES = [("bid", 4), ("banker", 1), ("bet", 3), ("dice", 1), ("deal", 4), ("reveal", 4)]
STAGES = ["theoretical", "gross", "rake", "net", "valid_bet", "carry_out"]
RULES = {
    "theoretical": "PG-30", "gross": "PG-32", "rake": "PG-31", "net": "PG-30",
    "valid_bet": "PG-38", "carry_out": "PG-37",
}  # fmt: skip
TRIED = {
    "tie_rule": ["banker_wins", "push"],
    "zero_rule": ["normal", "zero_no_rank"],
    "high9": ["strict", "any_seven"],
    "combo_subrank": ["equal", "by_second_tile"],
    "point_tiebreak": ["two_tiles", "highest_only"],
    "ds_rank": ["er4_over_ding3", "equal"],
    "swap": ["best", "off"],
    "bid_tie": ["any_top_bidder", "most_coins"],
    "player_clip": ["both", "loss_only", "none"],
    "banker_cap": ["net_side", "net_all", "gross_first", "gross_both", "none"],
    "rounding": ["largest_remainder", "truncate", "last_takes_rest"],
    "rake_rate": ["0.05", "0.04", "0"],
    "rake_basis": ["seat_net", "per_pair"],
    "rake_round": ["floor", "half_up", "min_one"],
    "valid_bet": ["abs_gross_net", "abs_net"],
    "banker_valid": ["own_net", "sum_players"],
    "early_exit": ["below_entry", "never"],
    "reveal": ["banker_first_cw", "banker_last"],
}


class Table:
    """What has happened in a hand so far: one dictionary by seat for each type of event."""

    def __init__(self, hand, options, findings):
        self.hand, self.options, self.findings = hand, options, findings
        self.done = {name: {} for name, _ in PHASES} | {"compare": {}}
        self.is_void = False

    def required(self):
        """The type of event that is still required, or None."""
        if self.is_void:
            return None
        for name, number in PHASES:
            if len(self.done[name]) < number:
                return name
        return None

    def banker(self):
        """The seat that has the bank."""
        return next(iter(self.done["banker"]))

    def see(self, number, event):
        """One event, in the order of 6.3, 20."""
        self.findings.clock(number, event)
        name, seat = event["type"], event.get("seat")
        if name == "void" and not self.is_void:
            self.is_void = True
            return
        due = self.required()
        in_place = name == (due or "compare") and not self.is_void
        twice = in_place and seat in self.done[name]
        of_banker = in_place and name in ["bet", "compare"] and seat == self.banker()
        if not in_place or twice or of_banker:
            self.findings.stop(
                "event-order", "PG-3", event=number, seat=seat, logged=name, expected=due
            )
        getattr(self, f"see_{name}")(event, {"event": number, "seat": seat})
        self.done[name][seat] = event

    def see_bid(self, event, at):
        """PG-4."""
        multiple, offered = event["multiple"], self.hand["stakes"]["bid_multiples"]
        if multiple not in offered:
            self.findings.stop(
                "bid-illegal", "PG-4", logged=multiple, expected=listed(offered), **at
            )
        if event.get("auto") and multiple != 0:
            self.findings.stop("auto-default", "PG-4", logged=multiple, expected=0, **at)

    def see_banker(self, event, at):
        """PG-4, PG-5, PG-6."""
        carry = seats_of(self.hand)
        bids = {seat: bid["multiple"] for seat, bid in self.done["bid"].items()}
        highest = max(bids.values())
        top = sorted(seat for seat in bids if bids[seat] == highest)
        legal = top
        if highest > 0 and self.options["bid_tie"] == "most_coins":
            legal = [seat for seat in top if carry[seat] == max(carry[seat] for seat in top)]
        seat = event["seat"]
        if seat not in legal:
            rule = "PG-5" if seat in top else "PG-4"
            self.findings.stop("banker-wrong", rule, logged=seat, expected=listed(legal), **at)
        x, rule = (highest, "PG-4") if highest > 0 else (1, "PG-6")
        if event["multiple"] != x:
            self.findings.stop("banker-multiple", rule, logged=event["multiple"], expected=x, **at)

    def see_bet(self, event, at):
        """PG-7, PG-8."""
        multiple = event["multiple"]
        offered = event.get("offered", self.hand["stakes"]["bet_multiples"])
        if multiple not in offered:
            rule = "PG-8" if "offered" in event else "PG-7"
            self.findings.stop("bet-illegal", rule, logged=multiple, expected=listed(offered), **at)
        if event.get("auto") and multiple != min(offered):
            self.findings.stop("auto-default", "PG-7", logged=multiple, expected=min(offered), **at)

    def see_dice(self, event, at):
        """Nothing can be wrong with dice that were read."""

    def see_deal(self, event, at):
        """PG-9, PG-10, PG-1."""
        dealt = self.done["deal"]
        (dice,) = self.done["dice"].values()
        right = (self.banker() - (sum(dice["values"]) - 1) + len(dealt)) % 4
        if event["seat"] != right:
            rule = "PG-10" if dealt else "PG-9"
            self.findings.stop("deal-order", rule, logged=event["seat"], expected=right, **at)
        if len(event["tiles"]) != 2:
            self.findings.stop("deal-count", "PG-1", logged=len(event["tiles"]), expected=2, **at)
        out = [tile for other in dealt.values() for tile in other["tiles"]]
        for tile in event["tiles"]:
            out.append(tile)
            copies = ALL_TILES.count(tile)
            if out.count(tile) > copies:
                self.findings.stop(
                    "tile-excess", "PG-1", subject=tile, logged=out.count(tile), expected=copies,
                    **at,
                )  # fmt: skip

    def see_reveal(self, event, at):
        """PG-11, PG-19, PG-20."""
        order = [(self.banker() - step) % 4 for step in range(4)]
        if self.options["reveal"] == "banker_last":
            order = order[1:] + order[:1]
        right = order[len(self.done["reveal"])]
        if event["seat"] != right:
            self.findings.stop("reveal-order", "PG-11", logged=event["seat"], expected=right, **at)
        dealt = self.done["deal"][event["seat"]]["tiles"]
        if sorted(event["tiles"]) != sorted(dealt):
            self.findings.stop(
                "tile-not-held", "PG-11",
                logged=in_order(event["tiles"], ORDER), expected=in_order(dealt, ORDER), **at,
            )  # fmt: skip
        name = rank_name(dealt, self.options)
        if event.get("rank", name) != name:
            rule = "PG-20" if name.startswith("points-") else "PG-19"
            self.findings.add("rank-mismatch", rule, logged=event["rank"], expected=name, **at)

    def see_compare(self, event, at):
        """PG-12."""
        dealt = {seat: deal["tiles"] for seat, deal in self.done["deal"].items()}
        winner = compare(dealt[event["seat"]], dealt[self.banker()], self.options)
        if event["winner"] != winner:
            self.findings.add(
                "compare-mismatch", "PG-12", logged=event["winner"], expected=winner, **at
            )


def walk(hand, options, findings):
    """Go through the events. Raises: Stop."""
    table = Table(hand, options, findings)
    for number, event in enumerate(hand["events"]):
        table.see(number, event)
    if table.required() is not None:
        findings.stop("event-order", "PG-3", expected=table.required())


def due_of(hand, options, settlement):
    """Every figure as it should be, by stage and seat; the banker and the carry-ins."""
    digits, carry = hand["minor_digits"], seats_of(hand)
    due = {
        name: {row["seat"]: minor(row[name], digits) for row in settlement["seats"]}
        for name in ["gross", "rake", "net", "valid_bet"]
    }
    due["carry_out"] = {seat: carry[seat] + due["net"][seat] for seat in range(4)}
    if is_void(hand):
        return due | {"theoretical": dict.fromkeys(range(4), 0)}, None
    banker, x, y, tiles = read(hand, options)
    outcome = {seat: compare(tiles[seat], tiles[banker], options) for seat in y}
    return due | {"theoretical": theoretical_of(hand, banker, x, y, outcome)}, banker


def logged_of(hand):
    """The logged figures: by seat, then by name."""
    digits = hand["minor_digits"]
    return {
        row["seat"]: {name: minor(row[name], digits) for name in STAGES if name in row}
        for row in hand["result"]["seats"]
    }


def wrong_of(logged, due):
    """The wrong figures as (stage, seat), in the order of 6.4, 27."""
    return [
        (name, seat)
        for name in STAGES
        for seat in range(4)
        if name in logged[seat] and logged[seat][name] != due[name][seat]
    ]


def compare_result(line, hand, options, settlement, findings):
    """Findings on `result`."""
    digits, logged = hand["minor_digits"], logged_of(hand)
    due, banker = due_of(hand, options, settlement)

    def is_right(other, others):
        return wrong_of(logged, due_of(hand, others, other)[0]) == []

    wrong = wrong_of(logged, due)
    explained = []
    if wrong and not is_void(hand):
        explained = explained_by(line, options, TRIED, "pg", is_right)
    for name, seat in wrong:
        value = logged[seat][name]
        follows = not is_void(hand) and follow(name, seat, hand, logged, banker, options) == value
        findings.add(
            f"{name.replace('_', '-')}-mismatch", RULES[name], seat=seat,
            logged=money(value, digits), expected=money(due[name][seat], digits),
            follows=follows, explained_by=explained,
        )  # fmt: skip
    findings.not_conserved("PG-36", logged, digits, explained)


def follow(name, seat, hand, logged, banker, options):
    """A figure computed again from earlier logged ones (6.4, 29); None where it cannot be."""
    carry, own = seats_of(hand), logged[seat]
    players = [other for other in range(4) if other != banker]
    if name == "gross" and all("theoretical" in logged[other] for other in players):
        theoretical = {other: logged[other]["theoretical"] for other in players}
        return gross_of(theoretical, banker, carry, options)[seat]
    if name == "rake":
        gross = {other: logged[other]["gross"] for other in range(4)}
        return rakes_of(gross, banker, options)[seat]
    if name == "net":
        return own["gross"] - own["rake"]
    if name == "valid_bet":
        if seat == banker and options["banker_valid"] == "sum_players":
            return sum(logged[other]["valid_bet"] for other in players)
        return abs(own["gross"] if options["valid_bet"] == "abs_gross_net" else own["net"])
    if name == "carry_out":
        return carry[seat] + own["net"]
    return None
