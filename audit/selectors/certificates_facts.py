"""What the store has of one table's day: its hands in order, and all that came in besides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import msgspec
from django.db import connection
from django.db.models import QuerySet

import replay
from audit.models import Hand, HandKind, HandVersion, SortedUpload, Upload
from audit.selectors.certificates_days import IN_PLACE, PLACES, Span, place_columns
from audit.selectors.kinds import KIND
from audit.selectors.months import within
from audit.selectors.totals_money import HandMoney, Rounds, clean_money, money_of, told
from audit.zstd import unpacked

HANDS_AT_ONCE = 1_000
# Games in which two hands come from one shuffle (PG-1, WZ-1).
ROUND_GAMES = ("banker-pai-gow", "wenzhou-pai-gow")
# So many hands on either side of the day are looked at for the other hand of a round.
NEIGHBOURS = 20
_JSON = msgspec.json.Decoder()
_PLAYED = f"FROM {PLACES} JOIN audit_hand h ON {IN_PLACE.format(of='h')} AND NOT h.is_replaced"

_HANDS = f"""
SELECT h.id, h.hand_id, h.version_id, encode(v.sha256, 'hex'), f.upload_id, f.line, h.game,
    {KIND}, h.is_conflict, v.upload_id, v.line, h.played_at, h.started_at, h.currency,
    h.minor_digits, w.settlement::text, v.raw
{_PLAYED}
JOIN audit_handversion v ON v.id = h.version_id AND v.hand_id = h.id
JOIN audit_handversion f ON f.hand_id = h.id AND f.number = 1
JOIN audit_verdict w ON w.id = h.verdict_id AND w.version_id = h.version_id
"""
_OTHER_VERSIONS = f"""
SELECT h.hand_id, v.number, encode(v.sha256, 'hex'), v.upload_id, v.line
{_PLAYED} JOIN audit_handversion v ON v.hand_id = h.id AND v.id <> h.version_id
ORDER BY h.hand_id, v.sha256
"""
_REPEATS = f"""
SELECT h.hand_id, d.upload_id, count(*), count(d.sha256)
{_PLAYED} JOIN audit_handversion v ON v.hand_id = h.id JOIN audit_duplicate d ON d.version_id = v.id
GROUP BY h.hand_id, d.upload_id
ORDER BY h.hand_id, d.upload_id
"""
_RESTATEMENTS = f"""
SELECT h.hand_id, v.number, o.number, r.upload_id, r.line, u.restatement, a.username, r.created_at
{_PLAYED} JOIN audit_restatement r ON r.hand_id = h.id
JOIN audit_handversion v ON v.id = r.version_id AND v.hand_id = r.hand_id
JOIN audit_handversion o ON o.id = r.replaced_id AND o.hand_id = r.hand_id
JOIN audit_upload u ON u.id = r.upload_id
JOIN auth_user a ON a.id = u.received_by_id
ORDER BY r.id
"""
_REFUSED = f"""
SELECT r.upload_id, r.line, r.hand_id, r.started_at, x.place, x.reason, k.id IS NOT NULL
FROM {PLACES}
JOIN audit_sortedrefusal r ON {IN_PLACE.format(of="r")}
JOIN audit_refusal x ON x.upload_id = r.upload_id AND x.line = r.line
LEFT JOIN audit_hand k ON r.hand_id <> '' AND k.source = r.source AND k.hand_id = r.hand_id
ORDER BY r.upload_id, r.line
"""  # noqa: S608
_TOUCHED = """
SELECT EXISTS (
    SELECT FROM audit_tabletouch t JOIN audit_table p ON p.id = t.table_id
    WHERE p.source = %s AND p.name = %s AND t.since <= %s AND t.until >= %s
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFact:
    """One hand of the day. `arrived` is the upload and the line that brought it first, `brought`
    those of the record that it is told by; `kind` is one of HandKind; `money` is None for a hand
    that is void or in conflict; `round` only in games with rounds."""

    pk: int
    hand_id: str
    version_id: int
    sha256: str
    arrived: tuple[int, int]
    brought: tuple[int, int]
    game: str
    kind: str
    is_conflict: bool
    played_at: datetime
    started_at: str
    currency: str
    minor_digits: int
    money: HandMoney | None
    round: Rounds | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherVersion:
    """A record under the identity of a hand besides the one that the hand is told by."""

    hand_id: str
    number: int
    sha256: str
    upload_id: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Lines of an upload that brought a known hand again; `respelt` of them in other bytes."""

    hand_id: str
    upload_id: int
    lines: int
    respelt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """An upload said, for a reason, that another version of a hand holds."""

    hand_id: str
    version: int
    replaced: int
    upload_id: int
    line: int
    reason: str
    announced_by: str
    announced_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A refused line of this table and day; `is_known`: a hand of its id is stored."""

    upload_id: int
    line: int
    hand_id: str
    started_at: str
    place: str
    reason: str
    is_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadFact:
    """An upload that brought something of this table and day.

    `unknown` of its lines gave no hand and name no table; None where that was not looked at yet.
    """

    pk: int
    name: str
    sha256: str | None
    is_ended: bool
    error: str
    unknown: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A hand of the table outside of the day."""

    hand_id: str
    version_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All of a table's day. `hands` are in order of play; `before` and `after` are the table's
    hands on either side of the day, the nearest first."""

    hands: tuple[HandFact, ...]
    others: tuple[OtherVersion, ...]
    repeats: tuple[Repeat, ...]
    restated: tuple[Restated, ...]
    refused: tuple[Refused, ...]
    uploads: tuple[UploadFact, ...]
    before: tuple[Neighbour, ...]
    after: tuple[Neighbour, ...]
    is_comparing: bool


def read_facts(source: str, table: str, span: Span) -> Facts:
    """Read a table's day. Costs a reading of each of its records."""
    where = place_columns([(source, table, span)])
    hands = _hands(where)
    others = tuple(_rows(OtherVersion, _OTHER_VERSIONS, where))
    repeats = tuple(_rows(Repeat, _REPEATS, where))
    restated = tuple(_rows(Restated, _RESTATEMENTS, where))
    refused = tuple(_rows(Refused, _REFUSED, where))
    named = {one.brought[0] for one in hands}
    for rows in (others, repeats, restated, refused):
        named |= {one.upload_id for one in rows}
    before, after = _neighbours(source, table, hands)
    with connection.cursor() as cursor:
        cursor.execute(_TOUCHED, [source, table, span.until, span.since])
        (is_comparing,) = cursor.fetchone()
    return Facts(
        hands=hands,
        others=others,
        repeats=repeats,
        restated=restated,
        refused=refused,
        uploads=_uploads(named),
        before=before,
        after=after,
        is_comparing=is_comparing,
    )


def raw_of(version_ids: Iterable[int]) -> dict[int, bytes]:
    """The exact lines of these versions."""
    keys = list(version_ids)
    found = HandVersion.objects.filter(within("hand_id", keys), pk__in=keys)
    return {pk: unpacked(raw) for pk, raw in found.values_list("pk", "raw")}


def _rows(kind: type[Any], query: str, where: list[list[Any]]) -> list[Any]:
    """Rows whose columns are the fields of a kind, in their order."""
    names = [field.name for field in fields(kind)]
    with connection.cursor() as cursor:
        cursor.execute(query, where)
        return [kind(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _hands(where: list[list[Any]]) -> tuple[HandFact, ...]:
    """In the order of play: by `started_at` exactly as logged, then in the sequence of arrival."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(_HANDS, where)
        facts = []
        while rows := cursor.fetchmany(HANDS_AT_ONCE):
            facts += [_hand(row) for row in rows]
    facts.sort(key=lambda fact: (_order(fact), fact.arrived))
    return tuple(facts)


def _order(fact: HandFact) -> tuple[datetime, str]:
    """By the time as it was logged; a feed may log one without an offset."""
    try:
        return replay.parse_time(fact.started_at)
    except ValueError:
        return fact.played_at, ""


def _hand(row: tuple[Any, ...]) -> HandFact:
    (pk, hand_id, version, sha256, upload, line, game, kind, is_conflict, of_upload, at_line,
     played_at, started_at, currency, digits, settlement, raw) = row  # fmt: skip
    has_round = game in ROUND_GAMES
    is_read = kind == HandKind.DISCREPANT or settlement is None
    line_told = told(unpacked(raw)) if has_round or is_read else None
    money = None
    if kind not in (HandKind.VOID, HandKind.CONFLICT):
        settled = None if settlement is None else _JSON.decode(settlement)
        if kind == HandKind.CLEAN and settled is not None:
            money = clean_money(settled, digits)
        else:
            money = money_of(settled, line_told.result if line_told else None, digits)
    return HandFact(
        pk=pk,
        hand_id=hand_id,
        version_id=version,
        sha256=sha256,
        arrived=(upload, line),
        brought=(of_upload, at_line),
        game=game,
        kind=kind,
        is_conflict=is_conflict,
        played_at=played_at,
        started_at=started_at,
        currency=currency,
        minor_digits=digits,
        money=money,
        round=line_told.round if line_told is not None and has_round else None,
    )


def _uploads(named: set[int]) -> tuple[UploadFact, ...]:
    found = SortedUpload.objects.filter(upload_id__in=named)
    unknown = {
        upload: (known + other, other)
        for upload, known, other in found.values_list("upload_id", "known_count", "unknown_count")
    }
    uploads = Upload.objects.filter(pk__in=named).order_by("pk")
    return tuple(
        UploadFact(
            pk=pk,
            name=name,
            sha256=None if sha256 is None else bytes(sha256).hex(),
            is_ended=finished_at is not None,
            error=error,
            unknown=_unknown(rejected + failed, unknown.get(pk)),
        )
        for pk, name, sha256, finished_at, error, rejected, failed in uploads.values_list(
            "pk", "name", "sha256", "finished_at", "error", "rejected_count", "failed_count"
        )
    )


def _unknown(lines: int, looked_at: tuple[int, int] | None) -> int | None:
    if lines == 0:
        return 0
    if looked_at is None or looked_at[0] != lines:
        return None
    return looked_at[1]


def _neighbours(
    source: str, table: str, hands: tuple[HandFact, ...]
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    if not hands:
        return (), ()
    there = Hand.objects.filter(source=source, table=table)
    first = min(hand.played_at for hand in hands)
    last = max(hand.played_at for hand in hands)
    return (
        _nearest(there.filter(played_at__lt=first).order_by("-played_at", "-id")),
        _nearest(there.filter(played_at__gt=last).order_by("played_at", "id")),
    )


def _nearest(hands: QuerySet[Hand]) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(hand_id=hand_id, version_id=version)
        for hand_id, version in hands.values_list("hand_id", "version_id")[:NEIGHBOURS]
    )
