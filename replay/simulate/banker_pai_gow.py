"""Random legal hands of banker-bidding Pai Gow, in rounds of two from one shuffle (PG-1, PG-2)."""

from __future__ import annotations

from typing import Any

from replay.banker_pai_gow.options import BidTie, Rules
from replay.banker_pai_gow.play import first_seat
from replay.banker_pai_gow.ranking import RANKS
from replay.game import Judgement
from replay.simulate.frame import Clock, Json, Table, full_set
from replay.tiles import CODES, INDEX, KIND_COUNT

BID_LISTS = ((0, 1, 2, 3, 4), (0, 1), (0, 1, 3, 5, 10))
BET_LISTS = ((1, 2, 3, 5, 8, 10), (1, 2, 3, 4, 5), (2, 4, 6), (7,))
ENTRY_BASES = 4


class PaiGowTable:
    """A table that plays rounds of two hands."""

    def __init__(self, table: Table, rules: Rules) -> None:
        self._table = table
        self._rules = rules
        self._chance = table.chance
        self._bids = self._chance.pick(BID_LISTS)
        self._bets = self._chance.pick(BET_LISTS)
        self._entry = table.base * ENTRY_BASES
        self._round = 0
        self._hand_of_round = 2
        self._tiles: list[int] = []

    def next_hand(self) -> Json:
        """The next hand with its result."""
        table = self._table
        may_end_early = self._table.ruleset.options["early_exit"] == "below_entry"
        is_short = may_end_early and min(table.carry) < self._entry
        if self._hand_of_round == 2 or is_short:
            table.reseat(self._entry - 1 if may_end_early else 0)
            self._round += 1
            self._hand_of_round = 1
            self._tiles = self._rigged() if self._chance.one_in(3) else self._shuffled()
        else:
            # Without a clip somebody may owe more than was there; he does not play on.
            table.reseat(-1)
            self._hand_of_round = 2
        return self._play()

    def _shuffled(self) -> list[int]:
        return self._chance.shuffled(full_set())

    def _rigged(self) -> list[int]:
        """A shuffle in which holdings that decide rules come up together more often."""
        tiles = self._shuffled()
        pairs = self._chance.pick(
            (("24", "12"), ("12", "36"), ("24", "15"), ("66", "36"), ("11", "16"), ("66", "25"),
             ("44", "46"), ("55", "46"), ("55", "26"), ("55", "35"), ("14", "23"))
        )  # fmt: skip
        for place, code in enumerate(pairs):
            found = tiles.index(INDEX[code], place)
            tiles[place], tiles[found] = tiles[found], tiles[place]
        return tiles

    def _play(self) -> Json:
        table, chance = self._table, self._chance
        clock = Clock(chance)
        hand = table.open_hand()
        hand["round"] = {"id": f"{table.name}-r{self._round}", "hand": self._hand_of_round}
        stakes: Json = {
            "base": table.money(table.base),
            "bid_multiples": list(self._bids),
            "bet_multiples": list(self._bets),
            "entry": table.money(self._entry),
        }
        hand["stakes"] = stakes
        hand["seats"] = table.seats()
        start = (self._hand_of_round - 1) * 8
        events = hand["events"]
        events += self._bidding(clock)
        banker = events[-1]["seat"]
        events += [clock.stamp(self._bet(seat)) for seat in chance.shuffled(_others(banker))]
        dice = [chance.between(1, 6), chance.between(1, 6)]
        events.append(clock.stamp({"type": "dice", "values": dice}))
        events += self._deal_and_show(banker, (dice[0], dice[1]), start, clock)
        judgement = table.judged(hand, self._rules)
        if chance.one_in(2):
            events += self._compares(banker, judgement.settlement.theoretical, clock)
        if chance.one_in(60):
            table.void(hand, clock)
            judgement = table.judged(hand, self._rules)
        table.close_hand(hand, clock)
        self._write_result(hand, judgement)
        return hand

    def _bidding(self, clock: Clock) -> list[Json]:
        chance, table = self._chance, self._table
        quiet = chance.one_in(12)
        bids: dict[int, int] = {}
        events = []
        for seat in chance.shuffled(range(4)):
            is_absent = quiet or chance.one_in(10)
            bids[seat] = 0 if is_absent else chance.pick(self._bids)
            event: Json = {"type": "bid", "seat": seat, "multiple": bids[seat]}
            if is_absent and chance.one_in(2):
                event["auto"] = True
            events.append(clock.stamp(event))
        top = max(bids.values())
        legal = [seat for seat in range(4) if bids[seat] == top]
        if top and self._rules.bid_tie is BidTie.MOST_COINS:
            most = max(table.carry[seat] for seat in legal)
            legal = [seat for seat in legal if table.carry[seat] == most]
        banker = chance.pick(legal)
        events.append(clock.stamp({"type": "banker", "seat": banker, "multiple": top or 1}))
        return events

    def _bet(self, seat: int) -> Json:
        chance = self._chance
        offered = list(self._bets)
        event: Json = {"type": "bet", "seat": seat}
        if chance.one_in(5):
            offered = sorted({chance.between(1, 35) for _ in range(5)})
            event["offered"] = offered
        if chance.one_in(8):
            event.update(multiple=offered[0], auto=True)
        else:
            event["multiple"] = chance.pick(offered)
        return event

    def _deal_and_show(
        self, banker: int, dice: tuple[int, int], start: int, clock: Clock
    ) -> list[Json]:
        chance = self._chance
        first = first_seat(banker, dice)
        # The rigged tiles lie in front; whoever is dealt first must not always get them.
        chunks = chance.shuffled([self._tiles[start + 2 * n : start + 2 * n + 2] for n in range(4)])
        holdings = {(first + n) % 4: chunks[n] for n in range(4)}
        events = []
        for n in range(4):
            seat = (first + n) % 4
            tiles = [CODES[kind] for kind in holdings[seat]]
            events.append(clock.stamp({"type": "deal", "seat": seat, "tiles": tiles}))
        with_ranks = chance.one_in(2)
        for n in range(4):
            seat = (banker - self._rules.first_reveal - n) % 4
            held = holdings[seat]
            shown = held[::-1] if chance.one_in(3) else held
            event: Json = {"type": "reveal", "seat": seat, "tiles": [CODES[kind] for kind in shown]}
            if with_ranks:
                rank = self._rules.ladder.ranks[held[0] * KIND_COUNT + held[1]]
                event["rank"] = RANKS[rank - 1].code
            events.append(clock.stamp(event))
        return events

    def _compares(self, banker: int, theoretical: list[int], clock: Clock) -> list[Json]:
        """What the room says of each comparison; a player whose theoretical result is 0 tied."""
        events = []
        for seat in self._chance.shuffled(_others(banker)):
            winner = "push"
            if theoretical[seat]:
                winner = "player" if theoretical[seat] > 0 else "banker"
            events.append(clock.stamp({"type": "compare", "seat": seat, "winner": winner}))
        return events

    def _write_result(self, hand: Json, judgement: Judgement) -> None:
        table, chance = self._table, self._chance
        due = judgement.settlement
        if judgement.void and chance.one_in(2):
            return
        with_theoretical, with_carry_out = chance.one_in(2), not chance.one_in(3)
        seats = []
        for seat in chance.shuffled(range(4)) if chance.one_in(6) else range(4):
            entry: Json = {"seat": seat}
            if with_theoretical:
                entry["theoretical"] = table.money(due.theoretical[seat])
            entry["gross"] = table.money(due.gross[seat])
            entry["rake"] = table.money(due.rake[seat])
            entry["net"] = table.money(due.net[seat])
            entry["valid_bet"] = table.money(due.valid_bet[seat])
            if with_carry_out:
                entry["carry_out"] = table.money(due.carry_out[seat])
            seats.append(entry)
        hand["result"] = {"seats": seats}
        table.carry = list(due.carry_out)


def _others(banker: int) -> list[int]:
    return [(banker + step) % 4 for step in (1, 2, 3)]


def open_table(table: Table, rules: Any) -> PaiGowTable:
    """A table of this game."""
    assert isinstance(rules, Rules)
    return PaiGowTable(table, rules)
