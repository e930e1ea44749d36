"""Noting the names that uploads brought, finding probable renames, and recording what a person
says of names. No hand is changed, and no name is merged by the service itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F, QuerySet

import replay
from audit.models import Hand, NameDecision, NamedUpload, Player, Rename, Upload
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources
from audit.selectors.players_names import oddities, skeleton
from audit.selectors.rulesets import current_rulesets
from audit.services.texts import written
from audit.zstd import unpacked

NAMES_AT_ONCE = 2_000
REASON_MAX = 500
_LOCK = 0x4A3E

_NEW_NAMES = """
SELECT DISTINCT h.source, one.name
FROM audit_handversion v JOIN audit_hand h ON h.id = v.hand_id
CROSS JOIN LATERAL unnest(h.players) AS one (name)
WHERE v.upload_id = %(upload)s AND NOT EXISTS (
    SELECT FROM audit_player p WHERE p.source = h.source AND p.name = one.name COLLATE "C"
)
"""
# Where one name alone changed between a hand and the one before it at its table.
_CHANGES = """
WITH spans AS (
    SELECT h.source, h."table", min(h.played_at) AS since, max(h.played_at) AS until
    FROM audit_handversion v JOIN audit_hand h ON h.id = v.hand_id
    WHERE v.upload_id = %(upload)s GROUP BY 1, 2
), played AS (
    SELECT s.source, s."table", p.id, p.players, p.played_at,
        lag(p.id) OVER w AS earlier, lag(p.players) OVER w AS earlier_players
    FROM spans s CROSS JOIN LATERAL (
        (SELECT h.id, h.players, h.played_at FROM audit_hand h
            WHERE h.source = s.source AND h."table" = s."table" AND h.played_at < s.since
            ORDER BY h.played_at DESC, h.id DESC LIMIT 1)
        UNION ALL
        SELECT h.id, h.players, h.played_at FROM audit_hand h
            WHERE h.source = s.source AND h."table" = s."table"
                AND h.played_at BETWEEN s.since AND s.until
        UNION ALL
        (SELECT h.id, h.players, h.played_at FROM audit_hand h
            WHERE h.source = s.source AND h."table" = s."table" AND h.played_at > s.until
            ORDER BY h.played_at, h.id LIMIT 1)
    ) p
    WINDOW w AS (PARTITION BY s.source, s."table" ORDER BY p.played_at, p.id)
)
SELECT id, earlier FROM played
WHERE cardinality(players) = 4 AND cardinality(earlier_players) = 4 AND (
    SELECT count(*) FROM generate_series(1, 4) seat WHERE players[seat] <> earlier_players[seat]
) = 1
"""


class NamesRefused(ValueError):
    """A decision that cannot be recorded; its text is a sentence for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One seat's name changed between two hands that follow each other."""

    earlier: Hand
    later: Hand
    seat: int

    @property
    def old_name(self) -> str:
        return self.earlier.players[self.seat]

    @property
    def new_name(self) -> str:
        return self.later.players[self.seat]


def note_players(*, seconds: float) -> bool:
    """Note the names of uploads that have ended, one upload after the other.

    Safe to run twice and at once. Returns: whether some are left after so many seconds.
    """
    end = time.monotonic() + seconds
    for upload_id in list(_unnoted()):
        if time.monotonic() >= end:
            return True
        with transaction.atomic():
            _note(upload_id)
    return False


def has_unnoted() -> bool:
    """Whether names wait to be noted."""
    return _unnoted().exists()


def decide_names(
    *,
    sources: Sources,
    source: str,
    name: str,
    other: str,
    is_one: bool,
    reason: str,
    user: User,
) -> None:
    """Record that two names of a source are one player's, or that they are not (any more).

    Raises: NamesRefused.
    """
    if name == other:
        raise NamesRefused(replay.say("Two different names are needed."))
    said = written(reason)
    if not said:
        raise NamesRefused(replay.say("A decision needs a reason."))
    if len(reason) > REASON_MAX:
        raise NamesRefused(
            replay.say("A reason has at most {reason_max} characters.", reason_max=REASON_MAX)
        )
    players = Player.objects.filter(in_sources(sources), source=source)
    known = players.filter(name__in=[name, other]).count()
    if known != 2:
        raise NamesRefused(replay.say("One of these names was never seen at this source."))
    first, second = sorted((name, other))
    NameDecision.objects.create(
        source=source,
        name=first,
        other=second,
        is_one=is_one,
        reason=said,
        made_by=user,
    )


def _unnoted() -> QuerySet[Upload, int]:
    found = Upload.objects.filter(finished_at__isnull=False, named__isnull=True)
    brought = found.annotate(
        hands=F("clean_count") + F("discrepant_count") + F("void_count")
    ).filter(hands__gt=0)
    return brought.order_by("pk").values_list("pk", flat=True)


def _note(upload_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK << 48 | upload_id])
        (is_mine,) = cursor.fetchone()
        if not is_mine:
            return
        cursor.execute(_NEW_NAMES, {"upload": upload_id})
        while rows := cursor.fetchmany(NAMES_AT_ONCE):
            Player.objects.bulk_create(
                (_player(source, name) for source, name in sorted(rows)), ignore_conflicts=True
            )
        cursor.execute(_CHANGES, {"upload": upload_id})
        pairs = cursor.fetchall()
    renames = [_rename(change) for change in _changes(pairs) if _is_rename(change)]
    Rename.objects.bulk_create(renames, ignore_conflicts=True)
    NamedUpload.objects.get_or_create(upload_id=upload_id)


def _player(source: str, name: str) -> Player:
    return Player(
        source=source, name=name, skeleton=skeleton(name), is_unusual=bool(oddities(name))
    )


def _changes(pairs: list[tuple[int, int]]) -> Iterator[_Change]:
    """One at a time, so that few hands are held at once."""
    for later_pk, earlier_pk in pairs:
        hands = Hand.objects.in_bulk([later_pk, earlier_pk])
        earlier, later = hands[earlier_pk], hands[later_pk]
        seat = next(
            seat
            for seat, (old, new) in enumerate(zip(earlier.players, later.players, strict=True))
            if old != new
        )
        yield _Change(earlier=earlier, later=later, seat=seat)


def _is_rename(change: _Change) -> bool:
    """The old name is not seen after, the new one not before, and the money goes on."""
    there = Hand.objects.filter(source=change.later.source)
    is_seen_before = there.filter(
        players__contains=[change.new_name], played_at__lt=change.later.played_at
    ).exists()
    is_seen_after = there.filter(
        players__contains=[change.old_name], played_at__gt=change.earlier.played_at
    ).exists()
    if is_seen_before or is_seen_after:
        return False
    return _money_goes_on(change)


def _money_goes_on(change: _Change) -> bool:
    """Whether the new name brought exactly what the old one took out."""
    earlier, later = _read(change.earlier), _read(change.later)
    if earlier is None or later is None:
        return False
    rulesets = current_rulesets()
    if rulesets.get(earlier.ruleset) is None:
        return False
    money = (earlier.currency, earlier.minor_digits)
    if money != (later.currency, later.minor_digits):
        return False
    took = replay.summarise(earlier, None, rulesets).carry_out.get(change.old_name)
    brought = [
        replay.parse_minor(entry.carry_in, later.minor_digits)
        for entry in getattr(later, "seats", ())
        if entry.seat == change.seat
    ]
    return took is not None and brought == [took]


def _read(hand: Hand) -> Any:
    """The record of a hand; None where it is of another form."""
    try:
        return replay.read(unpacked(hand.version.raw)).hand
    except replay.Refusal:
        return None


def _rename(change: _Change) -> Rename:
    return Rename(
        source=change.later.source,
        table=change.later.table,
        seat=change.seat,
        old_name=change.old_name,
        new_name=change.new_name,
        hand_id=change.later.pk,
    )
