"""A stored hand, replayed for its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import replay
from audit import selectors
from audit.web import markup

# Stepping asks for the same hand again and again; so many stay replayed in a process.
WALKS_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """How this hand writes amounts: its currency and its number of decimals."""

    currency: str
    digits: int

    def plain(self, units: int) -> str:
        return markup.minus(replay.format_minor(units, self.digits))

    def signed(self, units: int) -> str:
        return ("+" if units > 0 else "") + self.plain(units)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A hand with its walk. `options` are those of its ruleset, by the option's name."""

    read: replay.Read
    walk: replay.Walk
    options: Mapping[str, object]
    money: Money


@lru_cache(maxsize=WALKS_KEPT)
def walked(raw: bytes) -> Replayed:
    """Replay a record. The same bytes give the same walk, so it may be kept.

    Raises: replay.Refusal where the record cannot be read or its ruleset is not at hand.
    """
    rulesets = selectors.current_rulesets()
    walk = replay.walk(raw, rulesets)
    read = replay.read(raw)
    ruleset = rulesets.get(read.hand.ruleset)
    return Replayed(
        read=read,
        walk=walk,
        options=ruleset.options if ruleset is not None else {},
        money=Money(currency=read.hand.currency, digits=read.hand.minor_digits),
    )


def with_comparison(replayed: Replayed, comparison: selectors.ComparisonRow | None) -> Replayed:
    """The walk with what was found against the hand before, which stands at the last step."""
    if comparison is None or not comparison.findings:
        return replayed
    *others, last = replayed.walk.steps
    last = replace(last, findings=last.findings + comparison.findings)
    return replace(replayed, walk=replace(replayed.walk, steps=(*others, last)))
