"""Finding hands whose bytes came again and were read as another hand (SVC-15).

The identity of a hand is part of its bytes. Where two hands are of the same bytes, the reading was
corrected between them, and the one that came later stands for the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import replay
from audit.models import Hand, HandVersion, Replacement
from audit.selectors.months import within
from audit.services.comparisons import StoredHand


def replace_reread(hands: Sequence[StoredHand]) -> frozenset[int]:
    """Mark those of these hands as replaced whose current record is a later one's, too.

    They are of one table, whose lock the caller's transaction holds. Gives the keys of the marked
    ones, which are compared with no hand any more.
    """
    at_once = Counter(hand.started_at for hand in hands)
    # The same bytes say the same time; nearly always no two hands of a table do.
    alike = [hand for hand in hands if at_once[hand.started_at] > 1]
    if not alike:
        return frozenset()
    records = HandVersion.objects.filter(
        within("hand_id", [hand.pk for hand in alike]), pk__in=[hand.version_id for hand in alike]
    )
    sha256s = {pk: bytes(sha256) for pk, sha256 in records.values_list("pk", "sha256")}
    newest: dict[bytes, int] = {}
    standing: dict[int, int] = {}
    for hand in sorted(alike, key=lambda hand: hand.arrived, reverse=True):
        stands = newest.setdefault(sha256s[hand.version_id], hand.pk)
        if stands != hand.pk:
            standing[hand.pk] = stands
    if standing:
        _replace(standing)
    return frozenset(standing)


def _replace(standing: dict[int, int]) -> None:
    """Mark hands by the ones that stand for them, in the order of their keys."""
    locked = Hand.objects.select_for_update(no_key=True).filter(pk__in=standing, is_replaced=False)
    keys = list(locked.order_by("pk").values_list("pk", flat=True))
    found = Hand.objects.filter(pk__in=set(standing.values()))
    names = {
        pk: (source, name) for pk, source, name in found.values_list("pk", "source", "hand_id")
    }
    Replacement.objects.bulk_create(
        Replacement(
            hand_id=key,
            source=names[standing[key]][0],
            name=names[standing[key]][1],
            engine=replay.ENGINE,
        )
        for key in keys
    )
    Hand.objects.filter(pk__in=keys).update(is_replaced=True)
