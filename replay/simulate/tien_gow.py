"""Random legal hands of Tien Gow, eight and four tiles.

Random play alone would hardly ever show a captured 么 or a 四大包. So most deals are free, and
some have a theme: a seat is given the tiles of a special ending and keeps them for the last
trick, and another perhaps those that capture them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from replay.game import Judgement
from replay.simulate.frame import Clock, Json, Table, full_set
from replay.simulate.tien_gow_holding import Holding, move
from replay.tien_gow.combinations import unpack
from replay.tien_gow.dealing import METHODS, shares_of
from replay.tien_gow.lipai import PATTERNS, holds
from replay.tien_gow.options import Rules
from replay.tien_gow.play import replay
from replay.tiles import CODES, INDEX

# Tiles that the star keeps for the last trick, and tiles that a rival keeps to capture them.
THEMES: tuple[tuple[str, str], ...] = (
    ("24 12", ""), ("15 15", ""), ("15 15", "16 16"), ("15", "16"), ("12", "24"), ("15", ""),
    ("12", ""), ("66 66 36 45", ""), ("11 11 26 35", "66 66 36 45"),
    ("44 44 25 34", "11 11 26 35"), ("13 13 14 23", ""), ("13 13 14 23", "44 44 25 34"),
    ("66", ""), ("45", ""), ("55 55", ""), ("66 36", ""), ("66 66 45", ""),
)  # fmt: skip
# Deals that hold a pattern, to fill a hand with; the first of these tiles that are still there.
LIPAI_DEALS: dict[str, str] = {
    "all-white": "55 55 33 33 22 22 56 56 36 26 35 25 23",
    "one-red": "15 55 55 33 33 22 56 36 26 35 25 23",
    "seven-military": "36 45 26 35 25 34 24 66 11",
    "eight-military": "36 45 26 35 25 34 24 14 23 12",
    "four-pairs": "66 66 55 55 33 33 26 35",
    "seven-civil": "66 11 44 13 55 33 22 36",
    "eight-civil": "66 11 44 13 55 33 22 56",
}
MULTIPLE_STREAK_MAX = 12


@dataclass(slots=True)
class Plan:
    """How the seats of one hand are going to play.

    `kept` are tiles saved for the last trick, `eager` those that a seat leads as soon as it can.
    """

    holdings: list[list[int]]
    kept: list[list[int]] = field(default_factory=lambda: [[], [], [], []])
    eager: list[list[int]] = field(default_factory=lambda: [[], [], [], []])
    # How readily a seat beats, in percent.
    keenness: list[int] = field(default_factory=lambda: [50, 50, 50, 50])
    declares: int | None = None


class TienGowTable:
    """A table where the bank passes to whoever takes the last trick (TG-5, TG-6)."""

    def __init__(self, table: Table, rules: Rules) -> None:
        self._table = table
        self._rules = rules
        self._chance = table.chance
        self._banker, self._streak = self._chance.below(4), 1
        self._declared_list = self._pick_declared_list()

    def _pick_declared_list(self) -> list[str] | None:
        if self._chance.one_in(3):
            return None
        # Four tiles can only be all white or show one red pip (ruling 17).
        known = PATTERNS if self._rules.size == 8 else PATTERNS[:2]
        return self._chance.shuffled(known)[: self._chance.between(1, 3)]

    def next_hand(self) -> Json:
        """The next hand with its result."""
        table, chance = self._table, self._chance
        clock = Clock(chance)
        hand = table.open_hand()
        hand["stakes"] = {"base": table.money(table.base)}
        if self._declared_list is not None:
            hand["stakes"]["lipai"] = self._declared_list
        if self._streak > MULTIPLE_STREAK_MAX:
            # A new party: the old one would soon play for more than there is.
            table.reseat(max(table.carry))
        hand["seats"] = table.seats()
        hand["banker"] = {"seat": self._banker, "streak": self._streak}
        plan = self._plan()
        events = hand["events"]
        events += self._deal_events(plan, clock)
        if plan.declares is not None:
            events.append(clock.stamp(self._declaration(plan, plan.declares)))
        else:
            events += self._tricks(plan, clock)
            self._add_bonuses(hand)
        if chance.one_in(80):
            table.void(hand, clock)
        table.close_hand(hand, clock)
        self._write_result(hand, table.judged(hand, self._rules))
        return hand

    # -- the deal ---------------------------------------------------------------------------

    def _plan(self) -> Plan:
        chance, size = self._chance, self._rules.size
        tiles = chance.shuffled(full_set())
        theme = chance.below(100)
        if theme < 60:
            plan = Plan([tiles[seat * size : (seat + 1) * size] for seat in range(4)])
            plan.keenness = [chance.pick((10, 50, 80, 100)) for _ in range(4)]
            return self._with_declaration(plan)
        if theme < 68 and self._in_force():
            return self._with_declaration(self._lipai_plan(tiles))
        return self._themed_plan(tiles)

    def _themed_plan(self, tiles: list[int]) -> Plan:
        """A star that goes for the last trick with kept tiles, a rival that may capture them."""
        chance, size = self._chance, self._rules.size
        star_tiles, rival_tiles = (
            [INDEX[code] for code in codes.split()] for codes in chance.pick(THEMES)
        )
        star = self._banker if chance.percent(70) else chance.below(4)
        rival = (star + chance.between(1, 3)) % 4
        given: list[list[int]] = [[], [], [], []]
        given[star], given[rival] = star_tiles, rival_tiles
        for kind in star_tiles + rival_tiles:
            tiles.remove(kind)
        if chance.percent(60):
            # The star's other tiles are high ones, so that it takes most of the tricks.
            high = sorted(tiles, key=_height)[: size - len(star_tiles)]
            given[star] = star_tiles + high
            for kind in high:
                tiles.remove(kind)
        for seat in range(4):
            wanted = size - len(given[seat])
            given[seat] = given[seat] + tiles[:wanted]
            tiles = tiles[wanted:]
        plan = Plan([chance.shuffled(held) for held in given])
        keen = chance.pick((0, 5, 15, 40))
        plan.keenness = [keen] * 4
        plan.keenness[star] = 100
        plan.keenness[rival] = chance.pick((0, 30, 100)) if rival_tiles else keen
        if chance.percent(75):
            plan.kept[star] = star_tiles
            plan.kept[rival] = rival_tiles
        else:
            plan.eager[star] = star_tiles
        return plan

    def _lipai_plan(self, tiles: list[int]) -> Plan:
        chance, size = self._chance, self._rules.size
        pattern = chance.pick(sorted(self._in_force()))
        wanted = [INDEX[code] for code in LIPAI_DEALS[pattern].split()]
        if pattern != "one-red":
            wanted = (
                wanted if pattern in ("four-pairs", "seven-military") else (chance.shuffled(wanted))
            )
        held = wanted[:size]
        for kind in held:
            tiles.remove(kind)
        lucky = chance.below(4)
        holdings = []
        for seat in range(4):
            if seat == lucky:
                holdings.append(chance.shuffled(held))
            else:
                holdings.append(tiles[:size])
                tiles = tiles[size:]
        return Plan(holdings)

    def _in_force(self) -> set[str]:
        return set(self._rules.lipai).union(self._declared_list or ())

    def _with_declaration(self, plan: Plan) -> Plan:
        """The first seat from the banker on that holds a pattern in force may declare (TG-83)."""
        if not self._chance.percent(85):
            return plan
        for step in range(4):
            seat = (self._banker + step) % 4
            if self._patterns(plan.holdings[seat]):
                plan.declares = seat
                return plan
        return plan

    def _patterns(self, held: list[int]) -> list[str]:
        rules = self._rules
        return [
            pattern
            for pattern in PATTERNS
            if pattern in self._in_force()
            and holds(pattern, held, tian_red=rules.tian_red, one_red=rules.one_red)
        ]

    def _declaration(self, plan: Plan, seat: int) -> Json:
        pattern = self._chance.pick(self._patterns(plan.holdings[seat]))
        return {"type": "declare", "seat": seat, "pattern": pattern}

    def _deal_events(self, plan: Plan, clock: Clock) -> list[Json]:
        chance = self._chance
        events: list[Json] = []
        with_dice = chance.one_in(2)
        thrower = (self._banker + 2) % 4
        if with_dice:
            dice = [chance.between(1, 6), chance.between(1, 6)]
            event: Json = {"type": "dice", "values": dice}
            if chance.one_in(2):
                thrower = chance.below(4) if chance.one_in(4) else thrower
                event["seat"] = thrower
            events.append(clock.stamp(event))
            if chance.one_in(2):
                first = (thrower + sum(dice) - 1) % 4
                events.append(clock.stamp(self._wall(plan, first)))
        for seat in chance.shuffled(range(4)) if chance.one_in(3) else range(4):
            tiles = [CODES[kind] for kind in plan.holdings[seat]]
            events.append(clock.stamp({"type": "deal", "seat": seat, "tiles": tiles}))
        return events

    def _wall(self, plan: Plan, first: int) -> Json:
        """A wall from which the deal follows: each place of it is filled by who takes it."""
        rules, chance = self._rules, self._chance
        methods = METHODS if rules.size == 8 else ("side-left", "side-right")
        method = chance.pick(methods)
        places = [[str(4 * stack + layer) for layer in range(4)] for stack in range(8)]
        shares = shares_of(method, places, size=rules.size, restack=rules.restack)
        assert shares is not None
        at: dict[int, int] = {}
        for taker, share in enumerate(shares):
            held = chance.shuffled(plan.holdings[(first + taker) % 4])
            for place, kind in zip(share, held, strict=True):
                at[int(place)] = kind
        rest = full_set()
        for kind in at.values():
            rest.remove(kind)
        rest = chance.shuffled(rest)
        stacks = [
            [CODES[at[place] if place in at else rest.pop()] for place in range(start, start + 4)]
            for start in range(0, 32, 4)
        ]
        return {"type": "wall", "method": method, "stacks": stacks}

    # -- the tricks -------------------------------------------------------------------------

    def _tricks(self, plan: Plan, clock: Clock) -> list[Json]:
        chance = self._chance
        hands = [
            Holding(plan.holdings[seat], plan.kept[seat], plan.eager[seat]) for seat in range(4)
        ]
        events: list[Json] = []
        tricks = [0, 0, 0, 0]
        leader, left = self._banker, self._rules.size
        with_tricks = chance.one_in(2)
        while left:
            key, code = hands[leader].lead(chance)
            count = len(unpack(key))
            hands[leader].take(key)
            events.append(clock.stamp(move("play", leader, unpack(key), chance)))
            best, best_code = leader, code
            floor, ceiling = self._rules.windows[code]
            captor = self._rules.capturers.get(code) if self._rules.first_captor else None
            for step in (1, 2, 3):
                seat = (leader + step) % 4
                is_eligible = count < left or tricks[seat] + count >= self._rules.min_jie
                beating = hands[seat].beating(floor, ceiling) if is_eligible else []
                if count == left and self._is_captive(plan, seat):
                    keenness = 100
                else:
                    keenness = plan.keenness[seat]
                if beating and chance.percent(keenness):
                    key, floor = chance.pick(beating)
                    hands[seat].take(key)
                    events.append(clock.stamp(move("play", seat, unpack(key), chance)))
                    is_kept = captor is not None and count == left and best_code == captor
                    if not is_kept:
                        best, best_code = seat, floor
                else:
                    tiles = hands[seat].discard(count, chance)
                    events.append(clock.stamp(move("discard", seat, tiles, chance)))
            tricks[best] += count
            left -= count
            leader = best
            if with_tricks:
                events.append(clock.stamp({"type": "trick", "seat": best, "tiles": count}))
        return events

    def _is_captive(self, plan: Plan, seat: int) -> bool:
        return bool(plan.kept[seat]) and self._chance.percent(80)

    def _add_bonuses(self, hand: Json) -> None:
        """Log the immediate payments that the tricks earned, or none of them."""
        if self._chance.one_in(3):
            return
        game = self._table.game
        read: Any = msgspec.json.decode(msgspec.json.encode(hand), type=game.hand_type)
        earned = dict(replay(read, self._rules).bonuses)
        events: list[Json] = []
        number = plays = 0
        for event in hand["events"]:
            events.append(event)
            if event["type"] in ("play", "discard"):
                plays += 1
                if plays % 4 == 0:
                    number += 1
                    if number in earned:
                        bonus = earned[number]
                        events.append(
                            {
                                "type": "bonus",
                                "seat": bonus.collector,
                                "kind": bonus.kind,
                                "units": list(bonus.units),
                            }
                        )
        hand["events"] = events

    # -- the result -------------------------------------------------------------------------

    def _write_result(self, hand: Json, judgement: Judgement) -> None:
        table, chance = self._table, self._chance
        due = judgement.settlement
        if judgement.void and chance.one_in(2):
            return
        with_carry_out = not chance.one_in(3)
        seats = []
        for seat in range(4):
            entry: Json = {
                "seat": seat,
                "tricks": due.tricks[seat],
                "units": due.units[seat],
                "gross": table.money(due.gross[seat]),
                "rake": table.money(due.rake[seat]),
                "net": table.money(due.net[seat]),
                "valid_bet": table.money(due.valid_bet[seat]),
            }
            if with_carry_out:
                entry["carry_out"] = table.money(table.carry[seat] + due.net[seat])
            seats.append(entry)
        hand["result"] = {"winner": due.winner, "seats": seats}
        banker, streak = due.next
        if not chance.one_in(4):
            hand["result"]["next"] = {"banker": banker, "streak": streak}
        self._banker, self._streak = banker, streak
        table.carry = [had + net for had, net in zip(table.carry, due.net, strict=True)]
        # A room does not let anybody play on without money.
        table.reseat(table.base * 40)


def _height(kind: int) -> int:
    """Civil and military kinds by their rank, the highest first."""
    return kind if kind < 11 else kind - 11


def open_table(table: Table, rules: Any) -> TienGowTable:
    """A table of this game."""
    assert isinstance(rules, Rules)
    return TienGowTable(table, rules)
