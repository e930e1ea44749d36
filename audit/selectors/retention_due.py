"""What is due at each place of the store, and what of it stays and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection

from audit.models import RecordClass
from audit.selectors.retention import Place, TermInForce, terms_in_force

# Why something stays though others of its age go; the words that `audit_retention_stays` gives.
KEPT_BECAUSE = {
    "hold": "under a legal hold",
    "lifted": "its hold was lifted by whoever deletes, or since the run began",
    "date": "not of age: something was added later",
    "case": "named by a case that is kept",
    "open": "still open",
    "later": "a later case goes on from it",
    "hand": "became a hand that is kept",
    "other": "not there any more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The rows that are items, when one was received, and by which column they belong to a
    source; None where to none."""

    rows: str
    dated: str
    received: str
    source: str | None


_RECEIVED = {
    "hands": _Kind(
        rows="audit_hand t",
        dated=" LEFT JOIN audit_handversion v ON v.hand_id = t.id AND v.number = 1",
        received="v.created_at",
        source="t.source",
    ),
    "refusals": _Kind(
        rows="audit_refusal t",
        dated=" JOIN audit_upload u ON u.id = t.upload_id",
        received="u.created_at",
        source=None,
    ),
    "cases": _Kind(rows="audit_case t", dated="", received="t.opened_at", source="t.source"),
    "journal": _Kind(rows="audit_journal t", dated="", received="t.at", source="t.source"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a run goes over: items of a class and source with keys below `bound`.

    `deleter` is the account that deletes and `since` when its run began: what was under a hold that
    this account lifted, or that was lifted since, stays. None for both where no run is meant.
    """

    record_class: RecordClass
    source: str | None
    cutoff_at: datetime
    bound: int
    deleter: int | None = None
    since: datetime | None = None

    @property
    def kind(self) -> str | None:
        """Which rows are the items; None where there are none."""
        if self.record_class == RecordClass.HANDS:
            return "hands" if self.source is not None else "refusals"
        if self.record_class == RecordClass.CASES:
            return "cases" if self.source is not None else None
        return "journal" if self.record_class == RecordClass.JOURNAL else None

    def count(self) -> int:
        """How many items there are to look at."""
        return _counted([self])[0]

    def batches(self, size: int) -> Iterator[list[tuple[int, str | None]]]:
        """The items batch by batch, each with why it stays, None where it is due.

        Cases come the newest first, so that one that goes on from another is gone before it.
        """
        if self.kind is None:
            return
        one = _RECEIVED[self.kind]
        is_falling = self.record_class == RecordClass.CASES
        last = self.bound if is_falling else 0
        order = "t.id < %s ORDER BY t.id DESC" if is_falling else "t.id > %s ORDER BY t.id"
        of_source = "" if one.source is None else f" AND {one.source} IS NOT DISTINCT FROM %s"
        query = (
            "SELECT t.id, audit_retention_stays(%s, %s, %s, t.id, %s, %s::timestamptz)"  # noqa: S608
            f" FROM {one.rows} WHERE t.id < %s{of_source} AND {order} LIMIT %s"
        )
        asked = [self.record_class.value, self.source, self.cutoff_at, self.deleter, self.since]
        narrowed = [self.bound] if one.source is None else [self.bound, self.source]
        while True:
            with connection.cursor() as cursor:
                cursor.execute(query, [*asked, *narrowed, last, size])
                rows = cursor.fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield rows


def scope_of(
    record_class: RecordClass,
    source: str | None,
    cutoff_at: datetime,
    *,
    deleter: int | None = None,
    since: datetime | None = None,
) -> Scope:
    """What a run would go over. Keys grow as rows are stored, so those of age are the first ones:
    where two were stored out of order within minutes, the run after this one takes the rest."""
    scope = Scope(
        record_class=record_class,
        source=source,
        cutoff_at=cutoff_at,
        bound=0,
        deleter=deleter,
        since=since,
    )
    return _bounded([scope])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A place with its term, and how many items of age there are to look at."""

    term: TermInForce
    count: int


def all_due(places: Sequence[Place]) -> tuple[Due, ...]:
    """What is due at each of these places, in their order, as of one moment; at most nine
    questions, however many places there are."""
    terms = terms_in_force(places)
    scopes = [
        Scope(record_class=one.record_class, source=one.source, cutoff_at=one.cutoff_at, bound=0)
        for one in terms
    ]
    counts = _counted(_bounded(scopes))
    return tuple(Due(term=term, count=count) for term, count in zip(terms, counts, strict=True))


# Of each date the key behind the last row of age, by halves: rows stand in the order of their keys
# as they came. A row that is gone, or has no time, counts as one that is not of age.
_BOUNDS = """
WITH RECURSIVE search AS (
    SELECT cutoff, 1::bigint AS low,
        (SELECT coalesce(max(t.id), 0) + 1 FROM {rows}) AS high
    FROM unnest(%s::timestamptz[]) cutoff
    UNION ALL
    SELECT s.cutoff,
        CASE WHEN one.at < s.cutoff THEN one.id + 1 ELSE s.low END,
        CASE WHEN one.at < s.cutoff THEN s.high ELSE s.low + (s.high - s.low) / 2 END
    FROM search s LEFT JOIN LATERAL (
        SELECT t.id, {received} AS at FROM {rows}{dated}
        WHERE t.id >= s.low + (s.high - s.low) / 2 ORDER BY t.id LIMIT 1
    ) one ON true
    WHERE s.low < s.high
)
SELECT cutoff, high FROM search WHERE low >= high
"""

_COUNTS = """
SELECT (SELECT count(*) FROM {rows} WHERE t.id < a.bound{of_source})
FROM unnest(%s::bigint[], %s::text[]) WITH ORDINALITY a (bound, source, number) ORDER BY number
"""


def _bounded(scopes: Sequence[Scope]) -> list[Scope]:
    """These scopes with their bounds; one question for each kind of items. Of cases, which are few,
    all are looked at."""
    found: dict[tuple[str, datetime], int] = {}
    for name, one in _RECEIVED.items():
        cutoffs = sorted({scope.cutoff_at for scope in scopes if scope.kind == name})
        if not cutoffs:
            continue
        with connection.cursor() as cursor:
            if name == "cases":
                cursor.execute(f"SELECT coalesce(max(t.id), 0) + 1 FROM {one.rows}")  # noqa: S608
                (last,) = cursor.fetchone()
                found |= {(name, cutoff): last for cutoff in cutoffs}
                continue
            query = _BOUNDS.format(rows=one.rows, dated=one.dated, received=one.received)
            cursor.execute(query, [cutoffs])
            found |= {(name, cutoff): bound for cutoff, bound in cursor.fetchall()}
    return [
        scope if scope.kind is None else replace(scope, bound=found[scope.kind, scope.cutoff_at])
        for scope in scopes
    ]


def _counted(scopes: Sequence[Scope]) -> list[int]:
    """How many items each has; one question for each kind of items."""
    counts = [0] * len(scopes)
    for name, one in _RECEIVED.items():
        places = [place for place, scope in enumerate(scopes) if scope.kind == name]
        if not places:
            continue
        is_own = "" if one.source is None else f" AND {one.source} IS NOT DISTINCT FROM a.source"
        bounds = [scopes[place].bound for place in places]
        sources: list[Any] = [scopes[place].source for place in places]
        with connection.cursor() as cursor:
            cursor.execute(_COUNTS.format(rows=one.rows, of_source=is_own), [bounds, sources])
            for place, (count,) in zip(places, cursor.fetchall(), strict=True):
                counts[place] = count
    return counts
