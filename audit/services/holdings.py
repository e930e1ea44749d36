"""Noting what lay where in the hands of an upload, so that they can be found by it.

It runs behind the audit, in small transactions, and takes up where it was stopped.
"""

from __future__ import annotations

import time
from typing import Any

from django.db import connection, transaction

import replay
from audit.models import HandVersion, Holding, SearchedUpload
from audit.selectors.holdings import features_of, unsearched
from audit.selectors.rulesets import current_rulesets
from audit.zstd import unpacked

VERSIONS_AT_ONCE = 500
_LOCK = 0x4A3F


def note_holdings(*, seconds: float) -> bool:
    """Note the hands of uploads that have ended, one upload after the other.

    Safe to run twice and at once. Returns: whether some are left after so many seconds.
    """
    end = time.monotonic() + seconds
    for upload_id in list(unsearched(sources=None).values_list("pk", flat=True)):
        while True:
            if time.monotonic() >= end:
                return True
            with transaction.atomic():
                if _note(upload_id) < VERSIONS_AT_ONCE:
                    SearchedUpload.objects.get_or_create(upload_id=upload_id)
                    break
    return False


def note_again(upload_id: int) -> None:
    """Say that an upload has hands that came late, and were not noted with the others."""
    SearchedUpload.objects.filter(upload_id=upload_id).delete()


def _note(upload_id: int) -> int:
    """Note some versions of an upload that are not noted yet; returns how many."""
    with connection.cursor() as cursor:
        # Two tasks at once would do the same work twice, and the second would have to wait.
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, upload_id % 2**31])
    rows = (
        HandVersion.objects.filter(upload_id=upload_id, holding__isnull=True)
        .order_by("line")
        .values_list("pk", "raw")[:VERSIONS_AT_ONCE]
    )
    rulesets = current_rulesets()
    noted = [_holding(pk, unpacked(raw), rulesets) for pk, raw in rows]
    Holding.objects.bulk_create(noted, ignore_conflicts=True)
    return len(noted)


def _holding(version_id: int, raw: bytes, rulesets: replay.Rulesets) -> Holding:
    """What is to be known of a record; empty for one that tells no deal, as a feed's may."""
    try:
        held = replay.held(raw, rulesets)
        nets = _nets(replay.read(raw))
    except replay.Refusal:
        return Holding(version_id=version_id, features=[], nets=[])
    return Holding(version_id=version_id, features=features_of(held), nets=nets)


def _nets(read: replay.Read) -> list[int]:
    """The logged nets by seat; of a game without seats the profits by player, in minor units."""
    hand: Any = read.hand
    if hand.result is None:
        return []
    if not hasattr(hand, "seats"):
        return _profits(read.facts, hand.events)
    rows = sorted(hand.result.seats, key=lambda row: row.seat)
    return [replay.parse_minor(row.net, hand.minor_digits) for row in rows]


def _profits(facts: Any, events: list[Any]) -> list[int]:
    if facts.players is not None:
        return [profit for profit, _ in facts.players.values()]
    player_of = {event.bet: event.player for event in events if hasattr(event, "bet")}
    sums: dict[str, int] = {}
    for bet, (profit, _) in facts.bets.items():
        # A bet that nobody placed has a finding of its own.
        if bet in player_of:
            sums[player_of[bet]] = sums.get(player_of[bet], 0) + profit
    return list(sums.values())
