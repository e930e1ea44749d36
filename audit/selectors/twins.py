"""Hands that are told apart by nothing but their id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import replay
from audit.models import Hand
from audit.zstd import unpacked

# So many hands of one table and one instant are looked at.
TWINS_LOOKED_AT = 20


class Placed(Protocol):
    """A stored hand, by its model or as a row: where and when it was played."""

    @property
    def pk(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def played_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinRow:
    """An earlier hand whose current record says the same under another id."""

    pk: int
    hand_id: str


def twins_of(hand: Placed, raw: bytes) -> tuple[TwinRow, ...]:
    """The earlier hands that `hand`, whose record is `raw`, may be a duplicate of.

    They are looked for among those of its table with the same time of play: nothing is stored for
    it, and nothing is merged.
    """
    found = list(
        Hand.objects.filter(
            source=hand.source,
            table=hand.table,
            played_at=hand.played_at,
            pk__lt=hand.pk,
            is_replaced=False,
        )
        .order_by("pk")
        .values_list("pk", "hand_id", "version__raw")[:TWINS_LOOKED_AT]
    )
    if not found:
        return ()
    meaning = replay.canonical_sha256(raw, without=("hand_id",))
    return tuple(
        TwinRow(pk=pk, hand_id=hand_id)
        for pk, hand_id, other in found
        if replay.canonical_sha256(unpacked(other), without=("hand_id",)) == meaning
    )
