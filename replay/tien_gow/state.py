"""What a replay of a hand leaves behind, and what it tells an observer on the way."""

from __future__ import annotations

from dataclasses import dataclass

from replay.findings import Finding
from replay.tien_gow.immediate import Earned
from replay.tien_gow.record import Declare, Throw, Wall
from replay.tiles import TileCode


class Replay:
    """What the replay of one hand found out; the loops write into it.

    `shares` are the packed tiles that a wall gives to each seat, None where nothing says it.
    `dealt` and `holdings` are the tiles of each seat, as dealt and still held. `is_over` means that
    the end was reached: every tile played, or a 例牌 declared. The `first_` and `last_` fields tell
    of the first and the last trick. `trick_claims`, `winner_claim` and `bonus_claims` hold by how
    much logged `trick` and `bonus` events differ from the replay, None where they do not.
    """

    __slots__ = (
        "bonus_claims", "bonuses", "clock", "dealt", "declared", "findings", "first_lead",
        "holdings", "is_over", "last_count", "last_index", "last_lead", "last_leader",
        "last_play", "number", "shares", "stopped", "throw", "trick_claims", "tricks", "wall",
        "winner", "winner_claim",
    )  # fmt: skip

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.stopped = False
        self.is_over = False
        self.clock = -1
        self.throw: Throw | None = None
        self.wall: Wall | None = None
        self.shares: list[int] | None = None
        self.dealt: list[list[TileCode]] = [[], [], [], []]
        self.holdings: list[list[TileCode]] = [[], [], [], []]
        self.declared: Declare | None = None
        self.tricks = [0, 0, 0, 0]
        self.bonuses: list[tuple[int, Earned]] = []
        self.winner = -1
        self.first_lead = 0
        self.last_lead = 0
        self.last_leader = -1
        self.last_play = 0
        self.last_count = 0
        self.last_index = -1
        self.number = 0
        self.trick_claims: list[int] | None = None
        self.winner_claim: int | None = None
        self.bonus_claims: list[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The table after an accepted event, for an observer.

    `turn` is the seat to act, None outside of the tricks. `number` is the trick in progress or
    just finished, from 1. `position` counts the seats that have acted in it, 4 when it is done;
    `count` tiles were led; `lead`, `best` and `best_play` are its lead, the seat ahead and that
    seat's play, `highest` the highest play (another one only where a captor keeps the trick).
    `left` is how many tiles each seat held when the trick began, or holds once it is done.
    """

    turn: int | None
    number: int = 0
    position: int = 0
    count: int = 0
    lead: int = 0
    best: int = -1
    best_play: int = 0
    highest: int = 0
    left: int = 0
    tricks: tuple[int, ...] = (0, 0, 0, 0)
    bonuses: tuple[tuple[int, Earned], ...] = ()
    is_over: bool = False
