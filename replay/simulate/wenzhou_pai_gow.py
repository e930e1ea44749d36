"""Random legal hands of Wenzhou Pai Gow: two from each shuffle, any number of wagers (WZ-1)."""

from __future__ import annotations

from typing import Any

from replay.game import Judgement
from replay.simulate.frame import Clock, Json, Table, full_set
from replay.tiles import CODES
from replay.wenzhou_pai_gow.options import Rules
from replay.wenzhou_pai_gow.play import first_position
from replay.wenzhou_pai_gow.record import DOORS, POSITIONS

GUESTS = ("Ann", "Bo", "李四", "陳大文", "guest 12", "heidi", "u10293")
CIRCUITS = 2


class WenzhouTable:
    """A table that plays two hands a shuffle."""

    def __init__(self, table: Table, rules: Rules) -> None:
        self._table = table
        self._rules = rules
        self._chance = table.chance
        self._max = table.base * 100
        self._round = 0
        self._hand_of_round = 2
        self._tiles: list[int] = []
        self._bets = 0

    def next_hand(self) -> Json:
        """The next hand with its result."""
        if self._hand_of_round == 2:
            self._round += 1
            self._tiles = self._chance.shuffled(full_set())
        self._hand_of_round = 3 - self._hand_of_round
        table, chance = self._table, self._chance
        clock = Clock(chance)
        hand = table.open_hand()
        hand["round"] = {"id": f"{table.name}-r{self._round}", "hand": self._hand_of_round}
        if chance.one_in(2):
            hand["stakes"] = {"min": table.money(table.base), "max": table.money(self._max)}
        events = hand["events"]
        events += self._wagers(clock)
        dice = (chance.between(1, 6), chance.between(1, 6))
        events.append(clock.stamp({"type": "dice", "values": list(dice)}))
        events += self._deal(first_position(dice), clock)
        if chance.one_in(2):
            events += self._outcomes(hand, clock)
        if chance.one_in(60):
            table.void(hand, clock)
        table.close_hand(hand, clock)
        self._write_result(hand, table.judged(hand, self._rules))
        return hand

    def _wagers(self, clock: Clock) -> list[Json]:
        """Bets of up to seven guests, each within the doors that one player may take."""
        chance, rules, table = self._chance, self._rules, self._table
        wagers = []
        for player in chance.shuffled(GUESTS)[: chance.below(len(GUESTS) + 1)]:
            doors = chance.shuffled(DOORS)
            wins = doors[: chance.between(0, rules.max_win_doors)]
            others = doors if self._may_hedge() else [door for door in DOORS if door not in wins]
            loses = others[: chance.between(0, rules.max_lose_doors)]
            for side, taken in (("win", wins), ("lose", loses)):
                for door in taken:
                    wagers += [(player, door, side)] * (2 if chance.one_in(10) else 1)
        events = []
        for player, door, side in chance.shuffled(wagers):
            self._bets += 1
            stake = (
                chance.between(table.base, self._max)
                if chance.one_in(3)
                else (table.base * chance.between(1, 100))
            )
            event: Json = {
                "type": "wager",
                "bet": f"{table.name}-b{self._bets}",
                "player": player,
                "door": door,
                "side": side,
                "stake": table.money(stake),
            }
            events.append(clock.stamp(event))
        return events

    def _may_hedge(self) -> bool:
        return not self._rules.rejects_both_sides and self._chance.one_in(20)

    def _deal(self, first: int, clock: Clock) -> list[Json]:
        chance = self._chance
        tiles = self._tiles[(self._hand_of_round - 1) * 8 :]
        events = []
        for place in range(CIRCUITS * len(POSITIONS)):
            position = POSITIONS[(first + place) % len(POSITIONS)]
            event: Json = {"type": "deal", "position": position, "tiles": [CODES[tiles[place]]]}
            events.append(clock.stamp(event))
            if chance.one_in(50):
                events.append(clock.stamp({"type": "rescan", "position": position}))
        return events

    def _outcomes(self, hand: Json, clock: Clock) -> list[Json]:
        """What the room says of each door: a bet of one unit to win tells how the door fared."""
        wagers = [
            {
                "type": "wager",
                "bet": door,
                "player": door,
                "door": door,
                "side": "win",
                "stake": self._table.money(self._table.unit),
            }
            for door in DOORS
        ]
        rest = [event for event in hand["events"] if event["type"] != "wager"]
        probe = _without_clock({**hand, "stakes": {}, "events": wagers + rest})
        profits = self._table.judged(probe, self._rules).settlement.profits
        return [
            clock.stamp(
                {
                    "type": "outcome",
                    "door": door,
                    "winner": "door" if profits[DOORS.index(door)] >= 0 else "bank",
                }
            )
            for door in self._chance.shuffled(DOORS)
        ]

    def _write_result(self, hand: Json, judgement: Judgement) -> None:
        table, chance = self._table, self._chance
        if judgement.void and chance.one_in(2):
            return
        due = judgement.settlement
        bets: list[Json] = [
            {
                "bet": bet,
                "profit": table.money(due.profits[number]),
                "valid_bet": table.money(due.valid_bets[number]),
            }
            for number, bet in enumerate(due.bets)
        ]
        hand["result"] = {"bets": bets}
        if not chance.one_in(3):
            hand["result"]["players"] = [
                {
                    "player": player,
                    "profit": table.money(book.profit),
                    "valid_bet": table.money(book.valid_bet),
                }
                for player, book in due.books.items()
            ]


def _without_clock(hand: Json) -> Json:
    events = [{k: v for k, v in event.items() if k != "ms"} for event in hand["events"]]
    return {**hand, "events": events}


def open_table(table: Table, rules: Any) -> WenzhouTable:
    """A table of this game."""
    assert isinstance(rules, Rules)
    return WenzhouTable(table, rules)
