"""Which hand stands for one whose record is read otherwise now."""

from __future__ import annotations

from dataclasses import dataclass

from audit.models import Hand, Identity, Replacement
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedBy:
    """The hand `hand_id` of `source` stands for another; `pk` is None until it has been judged."""

    pk: int | None
    source: str
    hand_id: str
    engine: str


def replaced_by(hand_pk: int, *, sources: Sources) -> ReplacedBy | None:
    """What stands for a hand that may be seen; None where it stands for itself."""
    found = Replacement.objects.filter(in_sources(sources, "hand__source"), pk=hand_pk).first()
    if found is None:
        return None
    there = Identity.objects.filter(source=found.source, hand_id=found.name).first()
    seen = None
    if there is not None:
        hands = Hand.objects.filter(in_sources(sources), pk=there.key)
        seen = hands.values_list("pk", flat=True).first()
    return ReplacedBy(pk=seen, source=found.source, hand_id=found.name, engine=found.engine)
