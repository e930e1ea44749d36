"""A stored hand, replayed for its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from msgspec import structs

import replay
from audit import selectors
from audit.web import markup

# Stepping asks for the same hand again and again; so many stay replayed in a process.
WALKS_KEPT = 16
SIGHTS_KEPT = 64


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
    """A hand with its walk. `options` are those of its ruleset, by the option's name.

    `viewpoint` says who looks. Where that is not the auditor the walk ends at the step that is
    looked at until the tiles are revealed; `has_next` then says that the record goes on.
    """

    read: replay.Read
    walk: replay.Walk
    options: Mapping[str, object]
    money: Money
    viewpoint: replay.Viewpoint = replay.AUDITOR
    is_revealed: bool = True
    has_next: bool = False

    @property
    def is_open(self) -> bool:
        """Whether more steps come than the walk shows."""
        return self.has_next and not self.is_revealed


@lru_cache(maxsize=WALKS_KEPT)
def walked(raw: bytes) -> Replayed:
    """Replay a record. The same bytes give the same walk, so it may be kept.

    Raises: replay.Refusal where the record cannot be read or its ruleset is not at hand.
    """
    read = replay.read(raw)
    rulesets = selectors.rulesets_naming(read.hand.ruleset)
    walk = replay.walk(raw, rulesets)
    ruleset = rulesets.get(read.hand.ruleset)
    return Replayed(
        read=read,
        walk=walk,
        options=ruleset.options if ruleset is not None else {},
        money=Money(currency=read.hand.currency, digits=read.hand.minor_digits),
    )


@lru_cache(maxsize=SIGHTS_KEPT)
def seen(raw: bytes, viewpoint: replay.Viewpoint, number: int) -> Replayed:
    """A record as a seat or the public saw it after step `number`.

    Raises: replay.Refusal as `walked` does; replay.NoSuchStep.
    """
    whole = walked(raw)
    rulesets = selectors.rulesets_naming(whole.read.hand.ruleset)
    sight = replay.seen_of(whole.read, rulesets, viewpoint, number, whole_walk=whole.walk)
    return replace(
        whole,
        walk=sight.walk,
        viewpoint=viewpoint,
        is_revealed=sight.is_revealed,
        has_next=sight.has_next,
    )


def with_comparison(replayed: Replayed, comparison: selectors.ComparisonRow | None) -> Replayed:
    """The walk with what was found against the hand before, which stands at the last step."""
    if comparison is None or not comparison.findings:
        return replayed
    *others, last = replayed.walk.steps
    last = structs.replace(last, findings=last.findings + comparison.findings)
    return replace(replayed, walk=structs.replace(replayed.walk, steps=(*others, last)))
