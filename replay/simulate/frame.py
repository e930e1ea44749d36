"""What the simulated hands of every game share: tables, clocks, players and their money.

A hand is made as the plain JSON value that a room would write, so that it takes the same way
into the engine as any log. Its result is what the engine settles; that the engine settles right
is for other tests to prove (tests/oracle).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from replay.game import Game, Judgement
from replay.money import format_minor, parse_minor
from replay.ruleset import Ruleset
from replay.simulate.chance import Chance
from replay.tiles import COPIES

Json = dict[str, Any]

OPENING = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
CURRENCIES = (("CNY", 2), ("HKD", 2), ("JPY", 0), ("KWD", 3), ("BTC", 8))
PLAYERS = (
    "Mei Lin", "陳大文", "wong_88", "阿強", "u10293", "李四", "Carmen", "guest 12", "O'Neil",
    "玩家一", "x-17", "heidi", "東風", "Ines", "judy", "王小明",
)  # fmt: skip


class Clock:
    """The time of one hand: `ms` of its events, where the room logs a clock."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.ms = 0
        self._is_logged = not chance.one_in(4)

    def stamp(self, event: Json) -> Json:
        """Put the time on an event and let some pass."""
        if self._is_logged and not self._chance.one_in(12):
            event["ms"] = self.ms
        self.ms += self._chance.between(0, 9000)
        return event


class Table:
    """One table of a room: who sits there with how much, and when its next hand begins."""

    def __init__(
        self, chance: Chance, number: int, ruleset: Ruleset, game: Game, *, source: str
    ) -> None:
        self.chance = chance
        self.source = source
        self.name = f"T{number}"
        self.ruleset = ruleset
        self.game = game
        self.currency, self.minor_digits = (
            chance.pick(CURRENCIES) if chance.one_in(3) else CURRENCIES[number % 2]
        )
        self.unit = parse_minor("1", self.minor_digits)
        self.base = self.unit * chance.pick((1, 5, 10, 20, 50))
        if self.minor_digits and chance.one_in(4):
            self.base += self.unit // 10 * chance.between(1, 9)
        self._now = OPENING + timedelta(seconds=chance.below(3600))
        self._hands = 0
        self._guests = 0
        self.players = list(chance.shuffled(PLAYERS)[:4])
        self.carry = [self._buy_in() for _ in range(4)]

    def _buy_in(self) -> int:
        """Mostly deep stacks; some so short that the caps bite."""
        if self.chance.one_in(4):
            return self.chance.below(30 * self.base) + self.chance.below(self.unit)
        return self.base * self.chance.between(50, 800)

    def money(self, units: int) -> str:
        """An amount as rooms write it: with or without idle zeros."""
        text = format_minor(units, self.minor_digits)
        if "." in text and self.chance.one_in(8):
            text = text.rstrip("0").removesuffix(".")
        return text

    def reseat(self, floor: int) -> None:
        """Whoever is at or below the floor leaves, and somebody else sits down."""
        for seat in range(4):
            if self.carry[seat] <= floor:
                self._guests += 1
                self.players[seat] = f"guest {self.name}-{self._guests}"
                self.carry[seat] = max(self._buy_in(), floor + self.base)

    def open_hand(self) -> Json:
        """The fields of every hand but those of the game; `events` is empty, `result` null."""
        self._hands += 1
        started = self._now
        return {
            "format": "hand-log/1",
            "source": self.source,
            "hand_id": f"{self.game.name}-{self.name}-{self._hands}",
            "game": self.game.name,
            "ruleset": self.ruleset.name,
            # Logs of several games may go into one store: no two of them are of one table.
            "table": f"{self.game.name}-{self.name}",
            "started_at": _written(started),
            "ended_at": _written(started),
            "currency": self.currency,
            "minor_digits": self.minor_digits,
            "stakes": {},
            "events": [],
            "result": None,
        }

    def seats(self) -> list[Json]:
        """The entries of `seats`, in the order of the seats."""
        return [
            {"seat": seat, "player": self.players[seat], "carry_in": self.money(self.carry[seat])}
            for seat in range(4)
        ]

    def close_hand(self, hand: Json, clock: Clock) -> None:
        """Set the end of the hand, and when the next one begins."""
        ended = self._now + timedelta(milliseconds=clock.ms)
        hand["ended_at"] = _written(ended)
        self._now = ended + timedelta(seconds=self.chance.between(2, 40))

    def judged(self, hand: Json, rules: Any) -> Judgement:
        """What the engine makes of the hand as it stands, its result still null."""
        read = msgspec.json.decode(msgspec.json.encode(hand), type=self.game.hand_type)
        judgement = self.game.judge(read, self.game.check(read), rules, None)
        assert not judgement.stopped, (hand["hand_id"], judgement.findings)
        return judgement

    def void(self, hand: Json, clock: Clock) -> None:
        """Break the hand off somewhere (nothing is owed)."""
        events = hand["events"]
        del events[self.chance.below(len(events) + 1) :]
        reason = self.chance.pick(("connection lost", "dealer error", "斷線"))
        events.append(clock.stamp({"type": "void", "reason": reason}))


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def full_set() -> list[int]:
    """The 32 tiles as numbers of kinds."""
    return [kind for kind, copies in enumerate(COPIES) for _ in range(copies)]
