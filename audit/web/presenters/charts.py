"""Coordinates of the charts, in the units of their view boxes. Pure arithmetic, no HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TICKS_MAX = 5
# A value above zero is drawn at least so high, or it could not be seen nor clicked.
LEAST = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A line across the chart at a value."""

    value: int
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rectangle; `kind` names what it counts."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Values from `least` to `most` on the heights from `bottom` up to `top`."""

    least: int
    most: int
    top: float
    bottom: float

    def y(self, value: float) -> float:
        share = (value - self.least) / (self.most - self.least)
        return round(self.bottom - share * (self.bottom - self.top), 1)


def steps_between(least: int, most: int) -> list[int]:
    """Round values from at or below `least` to at or above `most`, at most TICKS_MAX + 1 apart.

    Steps are 1, 2 or 5 times a power of ten; two values at least.
    """
    span = max(most - least, 1)
    step, factors = 1, (2, 5, 10)
    power = 1
    while True:
        for factor in factors:
            first = least // step * step
            if first + step * TICKS_MAX >= most and step * TICKS_MAX >= span:
                last = max(-(-most // step) * step, first + step)
                return list(range(first, last + 1, step))
            step = factor * power
        power *= 10


def scale_of(values: Sequence[int], *, top: float, bottom: float, from_zero: bool) -> list[Tick]:
    """The lines of a chart that holds these values, the lowest first."""
    least = min(values, default=0)
    most = max(values, default=0)
    if from_zero:
        least, most = min(least, 0), max(most, 0)
    marks = steps_between(least, most)
    scale = Scale(least=marks[0], most=marks[-1], top=top, bottom=bottom)
    return [Tick(value=mark, y=scale.y(mark)) for mark in marks]


def scale_through(ticks: Sequence[Tick]) -> Scale:
    """The scale that the lines of a chart stand on."""
    return Scale(least=ticks[0].value, most=ticks[-1].value, top=ticks[-1].y, bottom=ticks[0].y)


def stacked(
    counts: Sequence[tuple[str, int]], scale: Scale, *, x: float, width: float
) -> tuple[Bar, ...]:
    """One bar of several parts, from the bottom up; parts of nothing are left out."""
    bars = []
    y = scale.y(0)
    for kind, count in counts:
        if count <= 0:
            continue
        height = max(scale.y(0) - scale.y(count), LEAST)
        y = round(y - height, 1)
        bars.append(Bar(kind=kind, x=x, y=y, width=width, height=round(height, 1)))
    return tuple(bars)


def polyline(xs: Sequence[float], values: Sequence[int], scale: Scale) -> str:
    """The points of a line as SVG wants them."""
    return " ".join(f"{x:g},{scale.y(value):g}" for x, value in zip(xs, values, strict=True))


def share(value: int, most: int) -> float:
    """Hundredths of the longest bar, never nothing for something."""
    return 0.0 if value <= 0 or most <= 0 else max(round(100 * value / most, 1), 0.6)
