"""Hands as the API lists them: by when they came in, which never changes, or by when they began.

Rows are plain dicts of columns; nothing is made of them that is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan

import replay
from audit.models import Comparison, ComparisonFinding, Finding, Hand, HandVersion, Verdict
from audit.selectors.access import Sources
from audit.selectors.belonging import in_sources, uploads_seen
from audit.selectors.filters import HandFilters
from audit.selectors.pages import (
    KEY_MAX,
    HandNotFound,
    NotFound,
    Page,
    check_limit,
    make_page,
    moment_of,
    number_of,
    read_cursor,
)
from audit.selectors.twins import TwinRow, twins_of
from audit.zstd import unpacked

Row = dict[str, Any]
HAND_COLUMNS = (
    "id", "source", "hand_id", "game", "ruleset", "table", "players", "played_at", "started_at",
    "played_on", "currency", "minor_digits", "verdict_kind", "error_code", "finding_codes",
    "finding_count", "is_conflict", "verdict_id", "comparison_id", "version_id",
    "contending", "contending_verdicts",
)  # fmt: skip
VERDICT_COLUMNS = (
    "id", "ruleset", "ruleset_sha256", "engine", "kind", "settlement", "digest", "created_at",
    "version__hand_id", "version__number", "version_id",
)  # fmt: skip
FINDING_COLUMNS = (
    "position", "code", "severity", "event", "seat", "subject", "logged", "expected", "rule",
    "confidence", "follows", "explained_by", "message",
)  # fmt: skip


class Order(StrEnum):
    """`received`: the last that came in first; it never changes. `played`: as on the page."""

    RECEIVED = "received"
    PLAYED = "played"


class VersionNotFound(NotFound):
    """The hand has no such record, or the record no such part."""


def list_hands(
    filters: HandFilters,
    *,
    sources: Sources,
    order: Order = Order.RECEIVED,
    cursor: str | None = None,
    limit: int = 50,
    columns: Sequence[str] = HAND_COLUMNS,
    is_found: bool = False,
) -> Page[Row]:
    """Hands under the filters of their list, as dicts of `columns`; `is_found` leaves out those
    without a finding. Raises: BadQuery."""
    limit = check_limit(limit)
    is_played = order == Order.PLAYED
    at = read_cursor(cursor, 2 if is_played else 1)
    is_back = at is not None and at.is_back
    found = Hand.objects.filter(filters.condition(sources=sources))
    if is_found:
        # By its index: a count of findings above zero has none.
        found = found.filter(finding_codes__overlap=list(replay.CODES))
    if at is not None and is_played:
        compare = TupleGreaterThan if is_back else TupleLessThan
        found = found.filter(compare(("played_at", "id"), (moment_of(at.key[0]), at.key[1])))
    elif at is not None:
        found = found.filter(**{"id__gt" if is_back else "id__lt": at.key[0]})
    names = ("played_at", "id") if is_played else ("id",)
    found = found.order_by(*(names if is_back else (f"-{name}" for name in names)))

    def key(row: Row) -> tuple[int, ...]:
        if is_played:
            return number_of(row["played_at"]), row["id"]
        return (row["id"],)

    return make_page(list(found.values(*columns)[: limit + 1]), cursor=at, limit=limit, key=key)


def hand_row(hand: int, *, sources: Sources) -> Row:
    """One hand. Raises: HandNotFound."""
    row: Row | None = None
    if 1 <= hand <= KEY_MAX:
        row = Hand.objects.filter(in_sources(sources), pk=hand).values(*HAND_COLUMNS).first()
    if row is None:
        raise HandNotFound(f"There is no hand {hand}.")
    return row


def twins_of_hand(hand: int, *, sources: Sources) -> tuple[TwinRow, ...]:
    """The earlier hands that a hand may be a duplicate of. Raises: HandNotFound."""
    found = Hand.objects.filter(in_sources(sources), pk=hand).select_related("version").first()
    if found is None:
        raise HandNotFound(f"There is no hand {hand}.")
    return twins_of(found, unpacked(found.version.raw))


def version_rows(hand: int, *, sources: Sources) -> list[Row]:
    """The records of a hand, by number; an upload that may not be seen is None.

    Raises: HandNotFound.
    """
    current = _current_of(hand, sources)
    found = HandVersion.objects.filter(hand_id=hand).order_by("number")
    names = ("id", "number", "sha256", "upload_id", "upload__feed", "line", "created_at")
    rows: list[Row] = list(found.values(*names))
    seen = uploads_seen([row["upload_id"] for row in rows], sources=sources)
    for row in rows:
        row["is_current"] = row["id"] in current
        if row["upload_id"] not in seen:
            row["upload_id"] = None
    return rows


def _current_of(hand: int, sources: Sources) -> list[int]:
    """The version that a hand is told by, and behind it in a conflict the others."""
    current = None
    if 1 <= hand <= KEY_MAX:
        found = Hand.objects.filter(in_sources(sources), pk=hand)
        current = found.values_list("version_id", "contending").first()
    if current is None:
        raise HandNotFound(f"There is no hand {hand}.")
    version, contending = current
    return contending or [version]


def record_of(hand: int, *, sources: Sources, version: int | None = None) -> tuple[bytes, str, int]:
    """The exact line of a version, of which feed it is ("" for a hand log), and its number.

    Without `version` the one that the hand is told by. Raises: HandNotFound, VersionNotFound.
    """
    current = _current_of(hand, sources)[0]
    found = HandVersion.objects.filter(hand_id=hand)
    found = found.filter(pk=current) if version is None else found.filter(number=version)
    row = None
    if version is None or 1 <= version < 2**31:
        row = found.values_list("raw", "upload__feed", "number").first()
    if row is None:
        raise VersionNotFound(f"This hand has no version {version}.")
    raw, feed, number = row
    return unpacked(raw), feed, number


def verdict_rows(hands: Iterable[int]) -> list[Row]:
    """Every verdict of these hands, the last first, of all their versions.

    `is_in_force`: it is the current one of a version that is current.
    """
    keys = list(hands)
    names = ("pk", "verdict_id", "contending_verdicts")
    current = {
        pk: contending or [verdict]
        for pk, verdict, contending in Hand.objects.filter(pk__in=keys).values_list(*names)
    }
    found = Verdict.objects.filter(version__hand_id__in=keys)
    rows = list(found.order_by("-version__hand_id", "-id").values(*VERDICT_COLUMNS))
    for row in rows:
        row["is_in_force"] = row["id"] in current[row["version__hand_id"]]
    return rows


def verdict_row(verdict: int, *, sources: Sources) -> tuple[Row, Row]:
    """One verdict and its hand. Raises: NotFound."""
    row = None
    if 1 <= verdict <= KEY_MAX:
        row = Verdict.objects.filter(pk=verdict).values(*VERDICT_COLUMNS).first()
    if row is None:
        raise NotFound(f"There is no verdict {verdict}.")
    try:
        hand = hand_row(row["version__hand_id"], sources=sources)
    except HandNotFound:
        raise NotFound(f"There is no verdict {verdict}.") from None
    row["is_in_force"] = verdict in (hand["contending_verdicts"] or [hand["verdict_id"]])
    return row, hand


def finding_rows(hands: Sequence[Row]) -> dict[int, list[Row]]:
    """What the current verdict and comparison of each of these hands found, by the hand's key; of
    one in conflict what the verdicts of its records did, one record after the other.

    `hands` are as HAND_COLUMNS. Those against the hand before come last, with `comparison_id`
    instead of `verdict_id`.
    """
    judged = {hand["id"]: hand["contending_verdicts"] or [hand["verdict_id"]] for hand in hands}
    by_verdict: dict[int, list[Row]] = {key: [] for keys in judged.values() for key in keys}
    by_comparison = {
        hand["comparison_id"]: hand["id"] for hand in hands if hand["comparison_id"] is not None
    }
    own = Finding.objects.filter(verdict_id__in=by_verdict).order_by("verdict_id", "position")
    for row in own.values("verdict_id", *FINDING_COLUMNS):
        by_verdict[row["verdict_id"]].append(row)
    told = {hand: [row for key in keys for row in by_verdict[key]] for hand, keys in judged.items()}
    if by_comparison:
        between = ComparisonFinding.objects.filter(comparison_id__in=by_comparison)
        between = between.order_by("comparison_id", "position")
        for row in between.values("comparison_id", *FINDING_COLUMNS):
            told[by_comparison[row["comparison_id"]]].append(row)
    return told


def findings_of_verdict(verdict: int) -> list[Row]:
    """What a verdict found by itself, in its order."""
    found = Finding.objects.filter(verdict_id=verdict).order_by("position")
    return list(found.values("verdict_id", *FINDING_COLUMNS))


def comparison_row(comparison: int | None) -> Row | None:
    """A comparison with the hand before; `earlier` is that hand's key, None where none is left."""
    if comparison is None:
        return None
    found = Comparison.objects.filter(pk=comparison)
    names = ("id", "kind", "digest", "engine", "created_at", "earlier__version__hand_id")
    row: Row | None = found.values(*names).first()
    return row
