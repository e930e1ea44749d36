"""Where each tile went, and which step made a figure: the ways from a thing to its step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

import replay
from audit.web import markup
from audit.web.language import say
from audit.web.routes import Route
from audit.web.walks import Replayed

_WORDS = {
    "deal": say("dealt to"),
    "play": say("played by"),
    "discard": say("discarded by"),
    "reveal": say("shown by"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One thing that happened to a tile of a kind, with its step."""

    words: str
    seal: SafeString | None
    where: str
    number: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTrail:
    """What happened to the tiles of one kind, step by step; `anchor` is its fragment."""

    anchor: str
    tile: SafeString
    name: str
    passages: tuple[Passage, ...]


def trails_of(steps: Sequence[replay.Step], route: Route) -> tuple[TileTrail, ...]:
    """Where the tiles that are shown went, in the order of the set."""
    passed: dict[str, list[Passage]] = {}
    for step in steps:
        words = _WORDS.get(step.kind)
        if words is None:
            continue
        passage = Passage(
            words=words if step.seat is not None else step.text,
            seal=None if step.seat is None else markup.seal(step.seat),
            where="" if step.seat is None else markup.SEAT_NAMES[step.seat],
            number=step.number,
            url=route.step(step.number),
        )
        for tile in step.tiles:
            passed.setdefault(tile, []).append(passage)
    return tuple(
        TileTrail(
            anchor=f"tile-{kind.code}",
            tile=markup.tile(kind.code, "s"),
            name=markup.tile_name(kind.code),
            passages=tuple(passed[kind.code]),
        )
        for kind in replay.KINDS
        if kind.code in passed
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WallCard:
    """The logged wall: its stacks of four, top first, numbered from the chosen end."""

    method: str
    dice: str | None
    url: str
    number: int
    stacks: tuple[SafeString, ...]


def wall_of(replayed: Replayed, route: Route) -> WallCard | None:
    """The wall of a hand that logs one; for the auditor alone, as it lay face down."""
    events = getattr(replayed.read.hand, "events", [])
    for index, event in enumerate(events):
        stacks = getattr(event, "stacks", None)
        if stacks is not None:
            step = replayed.walk.steps[index + 1]
            return WallCard(
                method=step.text,
                dice=step.board.dice_note,
                url=route.step(step.number),
                number=step.number,
                stacks=tuple(markup.tiles(stack, "s") for stack in stacks),
            )
    return None


def moved_at(steps: Sequence[replay.Step], number: int, seat: int) -> int | None:
    """The last step up to `number` at which the amount of a seat on the board changed."""
    for step in reversed(steps[1 : number + 1]):
        before = steps[step.number - 1].board.seats[seat]
        after = step.board.seats[seat]
        if (before.so_far_minor, before.due_minor) != (after.so_far_minor, after.due_minor):
            return step.number
    return None


def makers_of(
    steps: Sequence[replay.Step], figures: Sequence[replay.Figure], bets: Mapping[str, int]
) -> dict[tuple[str, str], int]:
    """The step that made each figure, by its owner and name; `bets` are the steps of wagers.

    A bid or a bet makes the theoretical amount, the tricks that a seat takes its 棟; everything
    else is made where the last tile fell.
    """
    last = _last_tile(steps)
    made: dict[tuple[str, str], int] = {}
    for figure in figures:
        step = last
        if figure.name == "theoretical" and figure.seat is not None:
            step = _last_of(steps, ("bet", "banker"), figure.seat) or last
        elif figure.name == "tricks" and figure.seat is not None:
            step = _last_trick(steps, figure.seat) or last
        elif figure.owner.startswith("bet-"):
            step = bets.get(figure.owner.removeprefix("bet-"), last)
        if step is not None:
            made[figure.owner, figure.name] = step
    return made


def _last_tile(steps: Sequence[replay.Step]) -> int | None:
    kinds = ("play", "discard", "declare", "reveal", "void", "deal")
    return next((step.number for step in reversed(steps) if step.kind in kinds), None)


def _last_of(steps: Sequence[replay.Step], kinds: tuple[str, ...], seat: int) -> int | None:
    found = (step.number for step in reversed(steps) if step.kind in kinds and step.seat == seat)
    return next(found, None)


def _last_trick(steps: Sequence[replay.Step], seat: int) -> int | None:
    for step in reversed(steps[1:]):
        before = steps[step.number - 1].board.seats[seat].tricks or 0
        if (step.board.seats[seat].tricks or 0) > before:
            return step.number
    return None
