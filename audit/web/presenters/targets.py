"""Places in a hand that one can go to from a step: neighbours, parts, findings, decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import replay
from audit.web import markup

# What a seat does of its own will.
DECISIONS = frozenset(("bid", "bet", "declare", "play", "discard"))

Steps = Sequence[replay.Step]


def heads_of(steps: Steps) -> list[int]:
    """The first step of each part."""
    return [
        number
        for number, step in enumerate(steps)
        if number == 0 or step.part.key != steps[number - 1].part.key
    ]


def target_of(name: str, steps: Steps, number: int) -> int | None:
    """The step that a goal leads to, None where there is none.

    Raises: KeyError for a name that is no goal.
    """
    return _TARGETS[name](steps, number)


def _before(places: Sequence[int], number: int) -> int | None:
    return next((place for place in reversed(places) if place < number), None)


def _after(places: Sequence[int], number: int) -> int | None:
    return next((place for place in places if place > number), None)


def _found(steps: Steps) -> list[int]:
    return [step.number for step in steps if step.findings]


def _decided(
    seat: int, choose: Callable[[Sequence[int], int], int | None]
) -> Callable[[Steps, int], int | None]:
    def target(steps: Steps, number: int) -> int | None:
        acts = [s.number for s in steps if s.seat == seat and s.kind in DECISIONS]
        return choose(acts, number)

    return target


def _last(steps: Steps, number: int) -> int | None:
    return len(steps) - 1 if number < len(steps) - 1 else None


_TARGETS: dict[str, Callable[[Steps, int], int | None]] = {
    "first": lambda _, number: 0 if number else None,
    "previous-part": lambda steps, number: _before(heads_of(steps), number),
    "previous": lambda _, number: number - 1 if number else None,
    "next": lambda steps, number: number + 1 if number < len(steps) - 1 else None,
    "next-part": lambda steps, number: _after(heads_of(steps), number),
    "last": _last,
    "previous-finding": lambda steps, number: _before(_found(steps), number),
    "next-finding": lambda steps, number: _after(_found(steps), number),
    **{f"previous-decision-{seat + 1}": _decided(seat, _before) for seat in range(4)},
    **{f"decision-{seat + 1}": _decided(seat, _after) for seat in range(4)},
}
# Goals ahead that may be asked for while what comes is not shown: none of them tells of a finding.
LOOKED_UP = frozenset(
    ("next-part", "last", *(f"decision-{seat + 1}" for seat in range(len(markup.SEAT_NAMES))))
)
