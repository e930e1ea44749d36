"""Comparing the hands of one table, each with the one before it (FORMAT 6.6).

The order is by `started_at`, then by arrival, and only the hands that a touch covers are looked at,
with the one before and the one behind them. A batch is one transaction under the lock of its table.
Locks are taken in the order table, hands, uploads; a chunk that is being stored takes hands, then
uploads, and never waits for a table's hands to be compared.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import QuerySet

import replay
from audit.models import Hand, HandVersion, Table, TableTouch, Verdict
from audit.selectors import current_rulesets
from audit.selectors.months import within
from audit.services.comparisons import Compared, StoredHand, store_comparisons
from audit.services.rereading import replace_reread
from audit.services.storing_sql import LOOK_UP
from audit.zstd import unpacked

logger = logging.getLogger(__name__)

HANDS_AT_ONCE = 1_000
TOUCHES_AT_ONCE = 1_000
# A task gives its worker back after this long and comes again.
SECONDS_AT_ONCE = 60
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """Touches that overlap, as one."""

    touches: tuple[int, ...]
    since: datetime
    until: datetime


def compare_table(*, table_id: int) -> bool:
    """Compare the hands of a table that wait for it. Safe to run twice and at once.

    Returns: whether some are left for the next time.
    Raises: OperationalError, InterfaceError when the database cannot be reached.
    """
    end = time.monotonic() + SECONDS_AT_ONCE
    while _compare_some(table_id):
        if time.monotonic() >= end:
            return True
    return False


def _compare_some(table_id: int) -> bool:
    """One batch; returns whether there was anything to do."""
    with transaction.atomic():
        table = Table.objects.select_for_update(no_key=True).filter(pk=table_id).first()
        span = None if table is None else _first_span(table)
        if table is None or span is None:
            return False
        with connection.cursor() as cursor:
            # A planner that thinks the store empty, as after a crash, would read all of it for
            # each hand.
            cursor.execute(LOOK_UP)
        hands = _hands_of(table)
        last = _end_of_span(hands, span.until)
        end = _end_of_batch(hands, span.since, last)
        before = _hand_before(hands, span.since)
        batch = _in_order(hands.filter(played_at__gte=span.since, played_at__lte=end))
        reread = replace_reread(batch)
        store_comparisons(_compared(before, [hand for hand in batch if hand.pk not in reread]))
        if end < last:
            TableTouch.objects.filter(pk__in=span.touches[1:]).delete()
            TableTouch.objects.filter(pk=span.touches[0]).update(
                since=end + _MICROSECOND, until=max(span.until, end + _MICROSECOND)
            )
        else:
            TableTouch.objects.filter(pk__in=span.touches).delete()
    return True


def _first_span(table: Table) -> _Span | None:
    touches = list(table.touches.order_by("since", "id").defer("queued_at")[:TOUCHES_AT_ONCE])
    if not touches:
        return None
    taken, until = [touches[0].pk], touches[0].until
    for touch in touches[1:]:
        if touch.since > until:
            break
        taken.append(touch.pk)
        until = max(until, touch.until)
    return _Span(touches=tuple(taken), since=touches[0].since, until=until)


def _hands_of(table: Table) -> QuerySet[Hand]:
    """The hands of a table, each joined to the version that it came as first.

    Records of a feed are left out: none of them tells which hand came before it.
    """
    return Hand.objects.filter(
        source=table.source,
        table=table.name,
        is_replaced=False,
        versions__number=1,
        versions__upload__feed="",
    )


def _end_of_span(hands: QuerySet[Hand], until: datetime) -> datetime:
    """The instant of the first hand behind the span, for it is compared anew, too."""
    behind = hands.filter(played_at__gt=until).order_by("played_at")
    return behind.values_list("played_at", flat=True).first() or until


def _end_of_batch(hands: QuerySet[Hand], since: datetime, last: datetime) -> datetime:
    """Where a batch ends; hands of one instant are never parted."""
    ahead = hands.filter(played_at__gte=since, played_at__lte=last).order_by("played_at")
    cut = ahead.values_list("played_at", flat=True)[HANDS_AT_ONCE - 1 : HANDS_AT_ONCE]
    return next(iter(cut), last)


def _hand_before(hands: QuerySet[Hand], since: datetime) -> StoredHand | None:
    earlier = hands.filter(played_at__lt=since).order_by("-played_at")
    at = earlier.values_list("played_at", flat=True).first()
    return None if at is None else _in_order(hands.filter(played_at=at))[-1]


def _in_order(hands: QuerySet[Hand]) -> list[StoredHand]:
    """By `started_at` exactly as logged, then in the sequence of arrival.

    `played_at` has no more than microseconds, and chunks of one upload may be stored in any order.
    """
    rows = hands.values_list(
        "pk", "version_id", "verdict_id", "started_at", "versions__upload_id", "versions__line",
        "comparison__verdict_id", "comparison__earlier_id", "comparison__engine",
    )  # fmt: skip
    stored = [
        StoredHand(
            pk=pk,
            version_id=version,
            verdict_id=verdict,
            started_at=started_at,
            arrived=(upload, line),
            current=None if engine is None else (compared, earlier, engine),
        )
        for pk, version, verdict, started_at, upload, line, compared, earlier, engine in rows
    ]
    return sorted(stored, key=lambda hand: (replay.parse_time(hand.started_at), hand.arrived))


def _compared(before: StoredHand | None, batch: Sequence[StoredHand]) -> list[Compared]:
    """Compare each hand of a batch with the one before it; one decoded hand is held at a time."""
    whole = [*([] if before is None else [before]), *batch]
    hands = [hand.pk for hand in whole]
    versions = HandVersion.objects.filter(
        within("hand_id", hands), pk__in=[hand.version_id for hand in whole]
    )
    raws = dict(versions.values_list("pk", "raw"))
    verdicts = Verdict.objects.filter(
        within("version_id", hands), pk__in=[hand.verdict_id for hand in whole]
    )
    banks = dict(verdicts.values_list("pk", "settlement__next"))
    rulesets = current_rulesets()
    earlier: tuple[StoredHand, replay.Summary] | None = None
    compared = []
    for stored in whole:
        hand = _read(stored, raws[stored.version_id], rulesets)
        if hand is None:
            continue
        if stored is not before:
            compared.append(
                Compared(
                    hand=stored,
                    earlier=None if earlier is None else earlier[0],
                    findings=() if earlier is None else replay.compare(earlier[1], hand),
                )
            )
        # Of the settlement the next hand of the table wants the bank alone.
        bank = banks[stored.verdict_id]
        settlement = None if bank is None else {"next": bank}
        earlier = stored, replay.summarise(hand, settlement, rulesets)
    return compared


def _read(
    stored: StoredHand, raw: bytes | memoryview, rulesets: replay.Rulesets
) -> replay.Hand | None:
    """The hand of a record; None where this engine refuses it, or its ruleset was taken away.

    Such a hand is passed over as a rejected line is, and keeps what was said of it.
    """
    try:
        hand = replay.read(unpacked(raw)).hand
    except replay.Refusal as refusal:
        logger.warning("hand_not_compared", extra={"hand": stored.pk, "reason": refusal.place})
        return None
    if rulesets.get(hand.ruleset) is None:
        logger.warning("hand_not_compared", extra={"hand": stored.pk, "reason": "$.ruleset"})
        return None
    return hand
